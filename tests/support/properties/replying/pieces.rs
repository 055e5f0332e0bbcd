//! What a reply is made of: written by its methods, and as the JSON that it stands for.

use barewire::engine::{
    Outcome, PromptMessages, PromptReply, ResourceContents, ResourceReply, Role, ToolContent, ToolReply,
};
use barewire::json::{JsonStr, Object, RawValue};
use barewire::mcp::{ProtocolVersion, Resource};
use serde_json::{Value, json};

use crate::support::entropy::Entropy;
use crate::support::generate;

const LINK: Resource<'_> = Resource::new("r:1", "link").with_title("Link").with_mime_type("text/plain");
const URI: &str = "r:2";
const TYPES: [&str; 3] = ["text/plain", "a/\"b\"", ""];

/// A piece of a reply.
#[derive(Debug)]
pub(super) enum Piece {
    Text(String),
    TextOf(Vec<String>),
    /// A token of a string, received.
    TextJson(String),
    TextFormat(String, u8),
    /// A number as text, and a value of the application.
    TextWith(i64, Value),
    Image(&'static str, Vec<u8>),
    Audio(&'static str, Vec<u8>),
    Link,
    EmbeddedText(Option<&'static str>, String),
    EmbeddedBlob(Option<&'static str>, Vec<u8>),
    SetError,
    Fail(Vec<String>),
    /// An object.
    Structured(Value),
    /// Structured content that is no object.
    NoObject,
    Meta(Value),
    Description(String),
}

pub(super) fn piece(entropy: &mut Entropy<'_>) -> Piece {
    let text = |entropy: &mut Entropy<'_>| generate::text(entropy);
    let bytes = |entropy: &mut Entropy<'_>| (0..entropy.below(9)).map(|_| entropy.byte()).collect();
    let texts = |entropy: &mut Entropy<'_>| (0..entropy.below(4)).map(|_| generate::text(entropy)).collect();
    let of_type = |entropy: &mut Entropy<'_>| entropy.pick(&[None, Some(TYPES[0]), Some(TYPES[1])]);
    match entropy.below(16) {
        0 => Piece::Text(text(entropy)),
        1 => Piece::TextOf(texts(entropy)),
        2 => Piece::TextJson(decodable(generate::string(entropy))),
        3 => Piece::TextFormat(text(entropy), entropy.byte()),
        4 => Piece::TextWith(entropy.number().cast_signed(), value(entropy)),
        5 => Piece::Image(entropy.pick(&TYPES), bytes(entropy)),
        6 => Piece::Audio(entropy.pick(&TYPES), bytes(entropy)),
        7 => Piece::Link,
        8 => Piece::EmbeddedText(of_type(entropy), text(entropy)),
        9 => Piece::EmbeddedBlob(of_type(entropy), bytes(entropy)),
        10 => Piece::SetError,
        11 => Piece::Fail(texts(entropy)),
        12 => Piece::Structured(json!({"a": value(entropy), "b\"": text(entropy)})),
        13 => Piece::NoObject,
        14 => Piece::Meta(json!({"m": value(entropy), "io.modelcontextprotocol/serverInfo": 7})),
        _ => Piece::Description(text(entropy)),
    }
}

/// serde_json decodes no half of a surrogate pair.
fn decodable(token: String) -> String {
    match serde_json::from_str::<String>(&token) {
        Ok(_) => token,
        Err(_) => "\"\\u0041\"".to_owned(),
    }
}

/// A value of an application: without numbers, which serde_json has a trick for, and with strings of one spelling.
fn value(entropy: &mut Entropy<'_>) -> Value {
    match entropy.below(4) {
        0 => json!([false, null]),
        1 => json!({"text": entropy.pick(&["a", "\"\\", "é😀"])}),
        2 => json!(entropy.pick(&["", "\"", "\\\""])),
        _ => json!(true),
    }
}

fn string(token: &str) -> JsonStr<'_> {
    let value = RawValue::new(token.as_bytes()).expect("a value");
    value.as_string().expect("a string")
}

fn object(text: &str) -> Object<'_> {
    let value = RawValue::new(text.as_bytes()).expect("a value");
    value.as_object().expect("an object")
}

fn slices(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// The reply of a tool: a single piece by the method of the reply for it, if there is one.
pub(super) fn answer_tool(pieces: &[Piece], reply: ToolReply<'_, '_>) -> Outcome {
    let [piece] = pieces else {
        return write_to_tool(pieces, reply.content());
    };
    match piece {
        Piece::Text(text) => reply.text(text.as_str()),
        Piece::TextOf(texts) => reply.text(slices(texts).as_slice()),
        Piece::TextJson(token) => reply.text(string(token)),
        Piece::TextFormat(text, number) => reply.text(format_args!("{text}{number}")),
        Piece::Structured(value) => reply.structured_object(object(&value.to_string())),
        Piece::Fail(texts) => match &slices(texts)[..] {
            [text] => reply.fail(text),
            [text, more] => reply.fail(format_args!("{text}{more}")),
            texts => reply.fail(texts),
        },
        _ => write_to_tool(pieces, reply.content()),
    }
}

/// Each by the method of the content for it.
pub(super) fn write_to_tool(pieces: &[Piece], mut content: ToolContent<'_, '_>) -> Outcome {
    for piece in pieces {
        content = match piece {
            Piece::Text(text) => content.text(text.as_str()),
            Piece::TextOf(texts) => content.text(slices(texts).as_slice()),
            Piece::TextJson(token) => content.text(string(token)),
            Piece::TextFormat(text, number) => content.text(format_args!("{text}{number}")),
            Piece::TextWith(number, value) => content.text_with(|json| {
                json.begin_array().integer(*number);
                json.serialize(value).expect("a value");
                json.end_array();
            }),
            Piece::Image(mime_type, bytes) => content.image(mime_type, bytes),
            Piece::Audio(mime_type, bytes) => content.audio(mime_type, bytes),
            Piece::Link => content.resource_link(&LINK),
            Piece::EmbeddedText(mime_type, text) => content.embedded_text(URI, *mime_type, text.as_str()),
            Piece::EmbeddedBlob(mime_type, bytes) => content.embedded_blob(URI, *mime_type, bytes),
            Piece::SetError => content.set_error(),
            Piece::Fail(texts) => return content.fail(slices(texts).as_slice()),
            Piece::Structured(value) => content.structured_object(object(&value.to_string())),
            Piece::NoObject => content.structured_with(|json| {
                json.integer(7);
            }),
            Piece::Meta(value) => content.meta(object(&value.to_string())),
            Piece::Description(_) => content,
        };
    }
    content.done()
}

/// The reply of a prompt, which begins with its description.
pub(super) fn answer_prompt(pieces: &[Piece], reply: PromptReply<'_, '_>) -> Outcome {
    match pieces {
        [Piece::Description(text), pieces @ ..] => write_to_prompt(pieces, reply.description(text.as_str())),
        [Piece::Text(text)] => reply.text(Role::User, text.as_str()),
        _ => write_to_prompt(pieces, reply.messages()),
    }
}

/// Each by the method of the messages for it, if there is one.
pub(super) fn write_to_prompt(pieces: &[Piece], mut messages: PromptMessages<'_, '_>) -> Outcome {
    let role = Role::Assistant;
    for piece in pieces {
        messages = match piece {
            Piece::Text(text) => messages.text(Role::User, text.as_str()),
            Piece::TextOf(texts) => messages.text(role, slices(texts).as_slice()),
            Piece::TextJson(token) => messages.text(role, string(token)),
            Piece::TextFormat(text, number) => messages.text(role, format_args!("{text}{number}")),
            Piece::Image(mime_type, bytes) => messages.image(role, mime_type, bytes),
            Piece::Audio(mime_type, bytes) => messages.audio(role, mime_type, bytes),
            Piece::Link => messages.resource_link(role, &LINK),
            Piece::EmbeddedText(mime_type, text) => {
                messages.embedded_text(role, URI, *mime_type, text.as_str())
            }
            _ => messages,
        };
    }
    messages.done()
}

/// The reply to a read: a single piece by the method of the reply for it, if there is one.
pub(super) fn answer_read(pieces: &[Piece], reply: ResourceReply<'_, '_>) -> Outcome {
    match pieces {
        [Piece::Text(text)] => reply.text(Some("text/plain"), text.as_str()),
        [Piece::TextOf(texts)] => reply.text(None, slices(texts).as_slice()),
        [Piece::TextJson(token)] => reply.text(None, string(token)),
        [Piece::TextWith(number, _)] => reply.text_with(None, |json| {
            json.integer(*number);
        }),
        [Piece::Image(mime_type, bytes)] => reply.blob(Some(mime_type), bytes),
        _ => write_to_resource(pieces, reply.contents()),
    }
}

/// Each by the method of the contents for it, if there is one.
pub(super) fn write_to_resource(pieces: &[Piece], mut contents: ResourceContents<'_, '_>) -> Outcome {
    for piece in pieces {
        contents = match piece {
            Piece::Text(text) => contents.text(Some("text/plain"), text.as_str()),
            Piece::TextOf(texts) => contents.text(None, slices(texts).as_slice()),
            Piece::TextJson(token) => contents.text(None, string(token)),
            Piece::TextWith(number, _) => contents.text_with(None, |json| {
                json.integer(*number);
            }),
            Piece::Image(mime_type, bytes) => contents.blob(Some(mime_type), bytes),
            Piece::EmbeddedText(mime_type, text) => contents.text_at(URI, *mime_type, text.as_str()),
            Piece::EmbeddedBlob(mime_type, bytes) => contents.blob_at(URI, *mime_type, bytes),
            _ => contents,
        };
    }
    contents.done()
}

/// RFC 4648, bit by bit.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let mut text: String = bits
        .chunks(6)
        .map(|sextet| {
            let value = (0..6).fold(0, |value, at| value << 1 | sextet.get(at).copied().unwrap_or(0));
            char::from(ALPHABET[usize::from(value)])
        })
        .collect();
    text.extend(std::iter::repeat_n('=', (4 - text.len() % 4) % 4));
    text
}

/// As a content block of this revision; none for what is no content.
fn block(piece: &Piece, version: ProtocolVersion) -> Option<Value> {
    let text = |text: String| Some(json!({"type": "text", "text": text}));
    let data =
        |kind, mime_type, bytes| Some(json!({"type": kind, "data": base64(bytes), "mimeType": mime_type}));
    match piece {
        Piece::Text(plain) => text(plain.clone()),
        Piece::TextOf(texts) => text(texts.concat()),
        Piece::TextJson(token) => text(serde_json::from_str(token).expect("a string")),
        Piece::TextFormat(plain, number) => text(format!("{plain}{number}")),
        Piece::TextWith(number, value) => text(format!("[{number},{value}]")),
        Piece::Image(mime_type, bytes) => data("image", mime_type, bytes),
        Piece::Audio(mime_type, bytes) if version >= ProtocolVersion::V2025_03_26 => {
            data("audio", mime_type, bytes)
        }
        Piece::Audio(mime_type, _) => text(format!("[{mime_type}]")),
        Piece::Link if version >= ProtocolVersion::V2025_06_18 => Some(json!({
            "type": "resource_link", "uri": "r:1", "name": "link", "title": "Link", "mimeType": "text/plain",
        })),
        Piece::Link => text("r:1".to_owned()),
        Piece::EmbeddedText(mime_type, text) => Some(json!({
            "type": "resource", "resource": contents(URI, *mime_type, "text", text),
        })),
        Piece::EmbeddedBlob(mime_type, bytes) => Some(json!({
            "type": "resource", "resource": contents(URI, *mime_type, "blob", &base64(bytes)),
        })),
        _ => None,
    }
}

fn contents(uri: &str, mime_type: Option<&str>, member: &str, text: &str) -> Value {
    let mut contents = json!({"uri": uri, member: text});
    if let Some(mime_type) = mime_type {
        contents["mimeType"] = json!(mime_type);
    }
    contents
}

/// The result of a tool, or none where the handler breaks a rule.
pub(super) fn tool_result(pieces: &[Piece], version: ProtocolVersion) -> Option<Value> {
    let has_structured = version >= ProtocolVersion::V2025_06_18;
    let (mut content, mut is_error, mut structured, mut meta) = (Vec::new(), false, None, None);
    let (mut is_sealed, mut is_broken) = (false, false);
    for piece in pieces {
        match piece {
            Piece::Fail(texts) => {
                content = vec![json!({"type": "text", "text": texts.concat()})];
                (is_error, structured, meta, is_broken) = (true, None, None, false);
                break;
            }
            Piece::SetError => {
                is_broken |= is_sealed;
                is_error = true;
            }
            Piece::Structured(_) | Piece::NoObject => {
                let value = match piece {
                    Piece::Structured(value) => value.clone(),
                    _ => json!(7),
                };
                is_broken |= is_sealed || (has_structured && !value.is_object());
                content.push(json!({"type": "text", "text": value.to_string()}));
                is_sealed = true;
                structured = has_structured.then_some(value);
            }
            Piece::Meta(value) => {
                is_broken |= meta.is_some();
                is_sealed = true;
                meta = Some(value.clone());
            }
            _ => {
                let block = block(piece, version);
                is_broken |= is_sealed && block.is_some();
                content.extend(block);
            }
        }
    }
    let mut result = json!({"content": content, "isError": is_error});
    if let Some(structured) = structured {
        result["structuredContent"] = structured;
    }
    if let Some(Value::Object(mut meta)) = meta {
        // Which is the server's own.
        meta.remove("io.modelcontextprotocol/serverInfo");
        result["_meta"] = Value::Object(meta);
    }
    (!is_broken).then_some(result)
}

/// The result of a prompt. A late one has no description.
pub(super) fn prompt_result(pieces: &[Piece], version: ProtocolVersion, is_late: bool) -> Value {
    let message = |piece: &Piece| {
        let role = match piece {
            Piece::TextWith(..) | Piece::EmbeddedBlob(..) => return None,
            Piece::Text(_) => "user",
            _ => "assistant",
        };
        block(piece, version).map(|block| json!({"role": role, "content": block}))
    };
    let mut result = json!({"messages": pieces.iter().filter_map(message).collect::<Vec<_>>()});
    if let [Piece::Description(text), ..] = pieces
        && !is_late
    {
        result["description"] = json!(text);
    }
    result
}

/// The result of a read.
pub(super) fn resource_result(pieces: &[Piece], uri: &str) -> Value {
    let part = |piece: &Piece| match piece {
        Piece::Text(text) => Some(contents(uri, Some("text/plain"), "text", text)),
        Piece::TextOf(texts) => Some(contents(uri, None, "text", &texts.concat())),
        Piece::TextJson(token) => {
            let text: String = serde_json::from_str(token).expect("a string");
            Some(contents(uri, None, "text", &text))
        }
        Piece::TextWith(number, _) => Some(contents(uri, None, "text", &number.to_string())),
        Piece::Image(mime_type, bytes) => Some(contents(uri, Some(mime_type), "blob", &base64(bytes))),
        Piece::EmbeddedText(mime_type, text) => Some(contents(URI, *mime_type, "text", text)),
        Piece::EmbeddedBlob(mime_type, bytes) => Some(contents(URI, *mime_type, "blob", &base64(bytes))),
        _ => None,
    };
    json!({"contents": pieces.iter().filter_map(part).collect::<Vec<_>>()})
}
