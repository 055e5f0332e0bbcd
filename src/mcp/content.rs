//! Content: blocks of tool results and prompts, contents of resources.

use super::members::write_text_member;
use super::resource::Resource;
use super::{Feature, ProtocolVersion};
use crate::json::{AsText, JsonStr, Writer};

/// A text to write: a part of a content block, a name or a URI.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Text<'a> {
    /// A string.
    Plain(&'a str),
    /// Several strings, written as one.
    Pieces(&'a [&'a str]),
    /// A received string, written with its escapes unchanged.
    Json(JsonStr<'a>),
    /// A received string, written without unnecessary escapes.
    Decoded(JsonStr<'a>),
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self::Plain(text)
    }
}

impl<'a> From<JsonStr<'a>> for Text<'a> {
    fn from(text: JsonStr<'a>) -> Self {
        Self::Json(text)
    }
}

impl Text<'_> {
    pub(crate) fn write(self, json: &mut Writer<'_, '_>) {
        match self {
            Self::Plain(text) => json.string(text),
            Self::Pieces(pieces) => json.string(pieces),
            Self::Json(string) => json.json_string(string),
            Self::Decoded(string) => json.string(string),
        };
    }
}

pub(crate) fn write_text(json: &mut Writer<'_, '_>, text: impl AsText) {
    begin_text(json);
    json.string(text).end_object();
}

/// Writes a text block up to the string. The caller writes the string and closes the block.
pub(crate) fn begin_text(json: &mut Writer<'_, '_>) {
    json.verbatim(r#"{"type":"text","text":"#);
}

pub(crate) fn write_image(json: &mut Writer<'_, '_>, mime_type: &str, bytes: &[u8]) {
    write_data(json, "image", mime_type, bytes);
}

/// Writes audio, or a text with its media type in revisions without audio.
pub(crate) fn write_audio(
    json: &mut Writer<'_, '_>,
    version: ProtocolVersion,
    mime_type: &str,
    bytes: &[u8],
) {
    if version.has(Feature::Audio) {
        write_data(json, "audio", mime_type, bytes);
    } else {
        write_text(json, ["[", mime_type, "]"].as_slice());
    }
}

fn write_data(json: &mut Writer<'_, '_>, kind: &str, mime_type: &str, bytes: &[u8]) {
    json.begin_object();
    json.name("type").string(kind);
    json.name("data");
    Base64(bytes).write(json);
    json.name("mimeType").string(mime_type);
    json.end_object();
}

/// Writes a resource link, or a text with the URI in revisions without links.
pub(crate) fn write_resource_link(
    json: &mut Writer<'_, '_>,
    version: ProtocolVersion,
    resource: &Resource<'_>,
) {
    if version.has(Feature::ResourceLink) {
        json.verbatim(r#"{"type":"resource_link""#);
        resource.write_members(json, version);
        json.end_object();
    } else {
        write_text(json, resource.uri());
    }
}

/// Writes an embedded resource; `contents` writes its contents.
pub(crate) fn write_embedded<'m>(json: &mut Writer<'_, 'm>, contents: impl FnOnce(&mut Writer<'_, 'm>)) {
    json.verbatim(r#"{"type":"resource","resource":"#);
    contents(json);
    json.end_object();
}

pub(crate) fn write_blob_contents(
    json: &mut Writer<'_, '_>,
    uri: Text<'_>,
    mime_type: Option<&str>,
    bytes: &[u8],
) {
    begin_contents(json, uri, mime_type);
    json.name("blob");
    Base64(bytes).write(json);
    json.end_object();
}

/// Writes text contents; `value` writes the string.
pub(crate) fn write_text_contents<'m>(
    json: &mut Writer<'_, 'm>,
    uri: Text<'_>,
    mime_type: Option<&str>,
    value: impl FnOnce(&mut Writer<'_, 'm>),
) {
    begin_contents(json, uri, mime_type);
    json.name("text");
    value(json);
    json.end_object();
}

fn begin_contents(json: &mut Writer<'_, '_>, uri: Text<'_>, mime_type: Option<&str>) {
    json.begin_object();
    json.name("uri");
    uri.write(json);
    write_text_member(json, "mimeType", mime_type);
}

/// Bytes that are written as a base64 string (RFC 4648 section 4, with padding), three at a time, without a buffer.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::json::Writer;
/// use barewire::mcp::Base64;
///
/// let mut memory = [0; 16];
/// let mut sink = Sink::new(&mut memory);
/// Base64(b"wire").write(&mut Writer::new(&mut sink));
/// assert_eq!(sink.finish(), Ok(&br#""d2lyZQ==""#[..]));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Base64<'a>(pub &'a [u8]);

impl Base64<'_> {
    /// Writes the string.
    pub fn write(self, json: &mut Writer<'_, '_>) {
        json.plain_string(|sink| {
            let mut rest = self.0;
            while let [a, b, c, tail @ ..] = rest {
                sink.write(&encode(*a, *b, *c));
                rest = tail;
            }
            match *rest {
                [a] => {
                    let [first, second, ..] = encode(a, 0, 0);
                    sink.write(&[first, second, b'=', b'=']);
                }
                [a, b] => {
                    let [first, second, third, _] = encode(a, b, 0);
                    sink.write(&[first, second, third, b'=']);
                }
                _ => {}
            }
        });
    }
}

fn encode(a: u8, b: u8, c: u8) -> [u8; 4] {
    let bits = u32::from_be_bytes([0, a, b, c]);
    [18, 12, 6, 0].map(|shift| letter((bits >> shift) & 0x3F))
}

const fn letter(sextet: u32) -> u8 {
    let sextet = sextet as u8;
    match sextet {
        0..=25 => b'A'.wrapping_add(sextet),
        26..=51 => b'a'.wrapping_add(sextet).wrapping_sub(26),
        52..=61 => b'0'.wrapping_add(sextet).wrapping_sub(52),
        62 => b'+',
        _ => b'/',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Sink;

    /// The vectors of RFC 4648 section 10.
    #[test]
    fn base64_vectors() {
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
            ("\u{fb}\u{ff}", "w7vDvw=="),
        ];
        for (plain, encoded) in vectors {
            let mut memory = [0; 32];
            let mut sink = Sink::new(&mut memory);
            Base64(plain.as_bytes()).write(&mut Writer::new(&mut sink));
            let text = sink.finish().unwrap();
            assert_eq!(text.strip_prefix(b"\"").unwrap().strip_suffix(b"\"").unwrap(), encoded.as_bytes());
        }
        assert_eq!(encode(0xFB, 0xEF, 0xFF), *b"++//");
    }
}
