//! Hosts with ports, as in `Host` and in origins.

use super::head::split_once;

/// A host with an optional port.
#[derive(Debug, Clone, Copy)]
pub(super) struct Authority<'a> {
    /// A name or an IPv4 address; for an IPv6 address, the text between the brackets.
    host: &'a str,
    is_bracketed: bool,
    pub(super) port: Option<u16>,
}

impl<'a> Authority<'a> {
    /// Reads `host`, `host:port` or `[address]:port`. User information, zones and percent-encoding are refused.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (host, port, is_bracketed) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, port) = split_once(rest, b']')?;
                (host, port, true)
            }
            None => {
                let port = text
                    .bytes()
                    .position(|byte| byte == b':')
                    .and_then(|at| text.get(at..))
                    .unwrap_or_default();
                (text.strip_suffix(port)?, port, false)
            }
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => None,
            None => return None,
            // A port that is left out after its colon is the default (RFC 3986 section 3.2.3).
            Some("") => None,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
            Some(_) => return None,
        };
        let is_of_host = |byte: u8| match is_bracketed {
            true => byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'),
            false => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'),
        };
        (!host.is_empty() && host.bytes().all(is_of_host)).then_some(Self { host, is_bracketed, port })
    }

    /// Whether the host of both is the same, regardless of case and of the dot that ends an absolute name.
    pub(super) fn has_host_of(&self, other: &Authority<'_>) -> bool {
        self.is_bracketed == other.is_bracketed && self.name().eq_ignore_ascii_case(other.name())
    }

    /// Whether the host is a name or an address of this machine: `localhost`, `127.0.0.0/8`, `[::1]`.
    pub(super) fn is_loopback(&self) -> bool {
        match self.is_bracketed {
            true => self.host == "::1",
            false => self.name().eq_ignore_ascii_case("localhost") || self.first_of_ipv4() == Some(127),
        }
    }

    /// Whether the host is an IP address, which no name server can redirect. Names have no brackets.
    pub(super) fn is_ip(&self) -> bool {
        self.is_bracketed || self.first_of_ipv4().is_some()
    }

    /// The host without the dot that ends an absolute name.
    fn name(&self) -> &'a str {
        self.host.strip_suffix('.').unwrap_or(self.host)
    }

    /// The first number of an IPv4 address in its usual form: four decimal numbers without leading zeros.
    fn first_of_ipv4(&self) -> Option<u8> {
        let mut numbers = Some(self.host);
        let mut next = || {
            let text = numbers?;
            let split = split_once(text, b'.');
            numbers = split.map(|(_, rest)| rest);
            let digits = split.map_or(text, |(digits, _)| digits);
            let is_usual = !digits.starts_with(['0', '+']) || digits == "0";
            if is_usual { digits.parse::<u8>().ok() } else { None }
        };
        let first = next()?;
        (next().is_some() && next().is_some() && next().is_some()).then_some(())?;
        numbers.is_none().then_some(first)
    }
}

/// An origin of a page: scheme, host and port.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageOrigin<'a> {
    scheme: &'a str,
    authority: Authority<'a>,
}

impl<'a> PageOrigin<'a> {
    /// Reads `scheme://host` with an optional port. A path, even a single slash, is refused.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = split_once(text, b':')?;
        let authority = rest.strip_prefix("//")?;
        let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let authority = Authority::parse(authority)?;
        (!scheme.is_empty() && scheme.bytes().all(is_of_scheme)).then_some(Self { scheme, authority })
    }

    /// Whether both are the same origin. Default ports are filled in.
    pub(super) fn is_same(&self, other: &PageOrigin<'_>) -> bool {
        self.scheme.eq_ignore_ascii_case(other.scheme)
            && self.authority.has_host_of(&other.authority)
            && self.port() == other.port()
    }

    /// Whether a page of this machine has the origin.
    pub(super) fn is_loopback(&self) -> bool {
        self.default_port().is_some() && self.authority.is_loopback()
    }

    fn port(&self) -> Option<u16> {
        self.authority.port.or(self.default_port())
    }

    fn default_port(&self) -> Option<u16> {
        if self.scheme.eq_ignore_ascii_case("http") {
            Some(80)
        } else if self.scheme.eq_ignore_ascii_case("https") {
            Some(443)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h04_forms_of_a_host() {
        // Text, port, loopback, IP address.
        let cases = [
            ("localhost", None, true, false),
            ("LocalHost:3000", Some(3000), true, false),
            ("localhost.", None, true, false),
            ("localhost.:80", Some(80), true, false),
            ("127.0.0.1", None, true, true),
            ("127.8.9.255:00080", Some(80), true, true),
            ("[::1]", None, true, true),
            ("[::1]:65535", Some(65535), true, true),
            ("localhost:", None, true, false),
            ("[::1]:", None, true, true),
            ("[::2]", None, false, true),
            ("[FE80::1]:1", Some(1), false, true),
            ("[::ffff:127.0.0.1]", None, false, true),
            ("10.0.2.15", None, false, true),
            ("0.0.0.0", None, false, true),
            ("example.com:443", Some(443), false, false),
            ("thermo.local", None, false, false),
            // Names that only look like addresses of this machine.
            ("127.0.0.1.evil.example", None, false, false),
            ("localhost.evil.example", None, false, false),
            ("127.0.0.1.", None, false, false),
            ("localhost..", None, false, false),
            ("127.1", None, false, false),
            ("0177.0.0.1", None, false, false),
            ("127.0.0.01", None, false, false),
            ("2130706433", None, false, false),
            ("0x7f.0.0.1", None, false, false),
            ("127.0.0.256", None, false, false),
            ("127.0.0.1.5", None, false, false),
            ("127..0.1", None, false, false),
        ];
        for (text, port, loopback, ip) in cases {
            let authority = Authority::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(authority.port, port, "{text}");
            assert_eq!(authority.is_loopback(), loopback, "{text}");
            assert_eq!(authority.is_ip(), ip, "{text}");
        }
    }

    #[test]
    fn h04_malformed_hosts() {
        let cases = [
            "",
            ":",
            ":80",
            "[",
            "[]",
            "[]:80",
            "[::1",
            "::1",
            "[::1]80",
            "[::1]x",
            "[::1]:x",
            "a:b",
            "a:+1",
            "a:-1",
            "a:65536",
            "a:999999999999",
            "a:1:2",
            "a b",
            "user@localhost",
            "user:1@localhost",
            "localhost/",
            "localhost/a",
            "localhost?a",
            "localhost#",
            "localhost,evil",
            "[fe80::1%25eth0]",
            "[v1.a]",
            "loc%61lhost",
            "ä",
            "a\tb",
            "localhost\\",
            "[::1]]",
            "[[::1]]",
        ];
        for text in cases {
            assert!(Authority::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn h06_origins_are_scheme_host_and_port() {
        let same = [
            ("http://a", "http://a"),
            ("http://a", "HTTP://A:80"),
            ("https://a", "https://a:443"),
            ("https://a.", "https://a"),
            ("http://[FE80::1]:5", "http://[fe80::1]:5"),
            ("vscode-webview://0a1b", "vscode-webview://0A1B"),
        ];
        for (a, b) in same {
            assert!(PageOrigin::parse(a).unwrap().is_same(&PageOrigin::parse(b).unwrap()), "{a} {b}");
        }
        let different = [
            ("http://a", "https://a"),
            ("http://a", "http://a:443"),
            ("http://a:80", "https://a:80"),
            ("http://a", "http://a.b"),
            ("http://a", "http://b"),
            ("http://[::1]", "http://1"),
            ("vscode-webview://a", "vscode-webview://a:80"),
        ];
        for (a, b) in different {
            assert!(!PageOrigin::parse(a).unwrap().is_same(&PageOrigin::parse(b).unwrap()), "{a} {b}");
        }
    }

    #[test]
    fn h06_malformed_origins() {
        let cases = [
            "",
            "null",
            "localhost",
            "//localhost",
            "://localhost",
            "http://",
            "http:///",
            "http://localhost/",
            "http://localhost/mcp",
            "http://user@localhost",
            "http://localhost http://evil.example",
            "http://localhost, http://evil.example",
            "file://",
            "ht tp://localhost",
            "http://localhost:port",
        ];
        for text in cases {
            assert!(PageOrigin::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn h06_only_web_pages_of_this_machine_are_loopback() {
        for text in ["http://localhost", "https://localhost:8443", "http://127.0.0.1:5173", "HTTP://[::1]:80"]
        {
            assert!(PageOrigin::parse(text).unwrap().is_loopback(), "{text}");
        }
        for text in [
            "http://10.0.0.1",
            "http://localhost.example",
            "tauri://localhost",
            "chrome-extension://localhost",
        ] {
            assert!(!PageOrigin::parse(text).unwrap().is_loopback(), "{text}");
        }
    }
}
