//! The lines that are sent to the server, as templates for both eras.

use barewire::json::RawValue;
use barewire::mcp::Era;

use super::reply::key;

/// The required keys of modern metadata, and the optional one.
const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"barewire check","version":"1"}"#;

/// A request with the placeholder `$ID`; `members` are the params without the metadata of the era.
pub(super) fn request(era: Era, method: &str, members: &str) -> String {
    let params = match (era, members) {
        (Era::Legacy, "") => String::new(),
        (Era::Legacy, members) => format!(r#","params":{{{members}}}"#),
        (Era::Modern, "") => "$PARAMS".to_owned(),
        (Era::Modern, members) => format!(r#","params":{{{members},"_meta":{{{META}}}}}"#),
    };
    format!(r#"{{"jsonrpc":"2.0","id":$ID,"method":"{method}"{params}}}"#)
}

/// Fills in the placeholders: `$ALIVE` is a method that is always served, `$PARAMS` its params with a comma before
/// them, `$META` the metadata of the era with a comma after it.
pub(super) fn expand(era: Era, template: &str) -> String {
    let (params, meta) = match era {
        Era::Legacy => (String::new(), String::new()),
        Era::Modern => (format!(r#","params":{{"_meta":{{{META}}}}}"#), format!("{META},")),
    };
    let line = template.replace("$ALIVE", alive(era));
    line.replace("$PARAMS", &params).replace("$META", &meta)
}

/// The params in a template without the metadata, after a space; empty if there are none.
pub(super) fn own_params(template: &str) -> String {
    let params = template.split_once(r#""params":{"#).unwrap_or_default().1;
    let own = params.split(r#""_meta":"#).next().unwrap_or_default();
    match own.strip_suffix("}}").unwrap_or(own).trim_end_matches(',') {
        "" => String::new(),
        own => format!(" {{{own}}}"),
    }
}

/// Methods that every server answers, at least with an error.
pub(super) const fn sentinels(era: Era) -> [&'static str; 3] {
    [alive(era), "barewire/unknown", "tools/list"]
}

/// The method that is always served.
pub(super) const fn alive(era: Era) -> &'static str {
    match era {
        Era::Legacy => "ping",
        Era::Modern => "server/discover",
    }
}

/// An `initialize` with the placeholder `$ID`.
pub(super) fn initialize(version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":$ID,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"barewire check","version":"1"}}}}}}"#
    )
}

/// The cancellation of the request with this id.
pub(super) fn cancelled(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

/// The ids in a line that may not even be JSON.
pub(super) fn ids(line: &[u8]) -> Vec<String> {
    let line = String::from_utf8_lossy(line);
    let after = line.split("\"id\":").skip(1);
    after
        .chain(line.split("\"requestId\":").skip(1))
        .filter_map(|rest| rest.split([',', '}']).next())
        .filter_map(|id| RawValue::new(id.as_bytes()).ok().and_then(key))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::ids;

    #[test]
    fn ids_are_found_in_broken_lines_as_well() {
        for (line, expected) in [
            (&br#"{"jsonrpc":"2.0","id":1,"method":"ping""#[..], &["1"][..]),
            (br#"[{"id":"a","method":"x"},{"method":"x","id":-2}]"#, &["a", "-2"]),
            (br#"{"method":"notifications/cancelled","params":{"requestId":"b"}}"#, &["b"]),
            (b"\"id\":1\xff, hello", &[]),
            (b"hello", &[]),
        ] {
            assert_eq!(ids(line), expected, "{}", String::from_utf8_lossy(line));
        }
    }
}
