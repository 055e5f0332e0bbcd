//! Results for people to read.

use std::collections::HashSet;

use barewire::json::{Array, Object, RawValue};
use barewire::mcp::ToolResult;

use super::list::List;
use super::schema;
use crate::terminal::{shown, shown_lines};

/// A member that is a string, decoded.
fn text(object: Object<'_>, name: &str) -> Option<String> {
    let text = object.get(name).and_then(RawValue::as_string)?;
    Some(text.to_string())
}

fn elements<'a>(object: Object<'a>, name: &str) -> impl Iterator<Item = Object<'a>> {
    let array = object.get(name).and_then(RawValue::as_array);
    let elements = array.unwrap_or(Array::EMPTY).elements();
    elements.filter_map(RawValue::as_object)
}

/// An entry of a list: its name and description, with its arguments below.
pub(crate) fn entry(list: List, entry: Object<'_>) -> String {
    let (name, about) = match list {
        List::Tools | List::Prompts => ("name", "description"),
        List::Resources => ("uri", "name"),
        List::Templates => ("uriTemplate", "name"),
    };
    let about = text(entry, "description").or_else(|| text(entry, about));
    let mut shown = one_line(&text(entry, name).unwrap_or_default());
    if let Some(about) = about.or_else(|| text(entry, "title")) {
        shown += &format!(": {}", one_line(&about));
    }
    shown.push('\n');
    match list {
        List::Tools => parameters(entry, &mut shown),
        List::Prompts => prompt_arguments(entry, &mut shown),
        List::Resources | List::Templates => {}
    }
    shown_lines(&shown)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn parameters(tool: Object<'_>, shown: &mut String) {
    let Some(schema) = tool.get("inputSchema").and_then(RawValue::as_object) else {
        return;
    };
    let properties = schema.get("properties").and_then(RawValue::as_object);
    // A server may list very many.
    let required: HashSet<String> = schema::required(schema).collect();
    for property in properties.unwrap_or(Object::EMPTY).members() {
        let schema = property.value.as_object().unwrap_or(Object::EMPTY);
        let name = property.name.to_string();
        let is_required = required.contains(&name);
        let description = text(schema, "description");
        argument(&name, text(schema, "type"), is_required, description, shown);
    }
}

fn prompt_arguments(prompt: Object<'_>, shown: &mut String) {
    for entry in elements(prompt, "arguments") {
        let is_required = entry.get("required").and_then(RawValue::as_bool) == Some(true);
        let name = text(entry, "name").unwrap_or_default();
        argument(&name, None, is_required, text(entry, "description"), shown);
    }
}

fn argument(name: &str, kind: Option<String>, is_required: bool, about: Option<String>, shown: &mut String) {
    *shown += &format!("    {}", one_line(name));
    *shown += &match (kind, is_required) {
        (Some(kind), true) => format!(" ({}, required)", one_line(&kind)),
        (Some(kind), false) => format!(" ({})", one_line(&kind)),
        (None, true) => " (required)".to_owned(),
        (None, false) => String::new(),
    };
    if let Some(about) = about {
        *shown += &format!(": {}", one_line(&about));
    }
    shown.push('\n');
}

/// The blocks of a tool's result, or its structured content where there are none.
pub(crate) fn tool(result: ToolResult<'_>) -> String {
    let blocks = result.content().map(|block| content(block.object()) + "\n");
    let blocks: String = blocks.collect();
    match result.structured_content() {
        Some(structured) if blocks.is_empty() => shown_lines(structured.as_json()) + "\n",
        _ => blocks,
    }
}

/// A block of content: its text or a description.
fn content(block: Object<'_>) -> String {
    let member = |name| text(block, name).unwrap_or_default();
    match member("type").as_str() {
        "text" => member("text"),
        "resource" => match block.get("resource").and_then(RawValue::as_object) {
            Some(resource) => contents(resource),
            None => "[resource]".to_owned(),
        },
        "resource_link" => shown(&format!("[resource_link {}]", member("uri"))),
        kind => {
            let (media_type, length) = (member("mimeType"), length(&member("data")));
            shown(&format!("[{kind} {media_type}, {length}]"))
        }
    }
}

/// The contents of a resource: its text or a description.
fn contents(resource: Object<'_>) -> String {
    let member = |name| text(resource, name).unwrap_or_default();
    text(resource, "text").unwrap_or_else(|| {
        let (uri, kind, length) = (member("uri"), member("mimeType"), length(&member("blob")));
        shown(&format!("[{uri} {kind}, {length}]"))
    })
}

/// Number of bytes in a base64 text.
fn length(base64: &str) -> String {
    let digits = base64.trim_end_matches('=').len();
    format!("{} bytes", digits / 4 * 3 + digits % 4 * 3 / 4)
}

pub(crate) fn resource(result: Object<'_>) -> String {
    let all = elements(result, "contents");
    all.map(|resource| contents(resource) + "\n").collect()
}

pub(crate) fn prompt(result: Object<'_>) -> String {
    let messages = elements(result, "messages").map(|message| {
        let role = text(message, "role").unwrap_or_default();
        let block = message.get("content").and_then(RawValue::as_object);
        format!("{}: {}\n", shown(&role), block.map_or(String::new(), content))
    });
    messages.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object<'_> {
        RawValue::new(text.as_bytes()).unwrap().as_object().unwrap()
    }

    #[test]
    fn entries_of_each_list() {
        let tool = r#"{"name":"add","description":"Adds\n two.","inputSchema":{"type":"object","properties":{"a":{"type":"number","description":"One."},"b":{}},"required":["\u0061"]}}"#;
        assert_eq!(
            entry(List::Tools, object(tool)),
            "add: Adds two.\n    a (number, required): One.\n    b\n"
        );
        let prompt = r#"{"name":"greet","title":"Greets","arguments":[{"name":"who","required":true},{"name":"how","description":"Kindly."}]}"#;
        assert_eq!(
            entry(List::Prompts, object(prompt)),
            "greet: Greets\n    who (required)\n    how: Kindly.\n"
        );
        assert_eq!(entry(List::Resources, object(r#"{"uri":"a:b","name":"n"}"#)), "a:b: n\n");
        assert_eq!(
            entry(List::Templates, object(r#"{"uriTemplate":"a:{x}","name":"n","description":"d"}"#)),
            "a:{x}: d\n"
        );
        assert_eq!(entry(List::Tools, object("{}")), "\n");
    }

    #[test]
    fn a_tool_with_very_many_arguments_is_shown_at_once() {
        use std::time::{Duration, Instant};
        let count = 30_000;
        let members: Vec<String> = (0..count).map(|at| format!(r#""{at}":{{}}"#)).collect();
        let names: Vec<String> = (0..count).map(|at| format!(r#""{at}""#)).collect();
        let tool = format!(
            r#"{{"name":"t","inputSchema":{{"properties":{{{}}},"required":[{}]}}}}"#,
            members.join(","),
            names.join(",")
        );
        let start = Instant::now();
        let shown = entry(List::Tools, object(&tool));
        assert!(shown.ends_with(" 29999 (required)\n"));
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn content_of_each_kind() {
        let result = r#"{"content":[{"type":"text","text":"a\nb"},{"type":"image","mimeType":"image/png","data":"d2lyZQ=="},{"type":"resource_link","uri":"a:b"},{"type":"resource","resource":{"uri":"a:b","text":"t"}},{"type":"resource","resource":{"uri":"a:b","mimeType":"x/y","blob":"AAAA"}}],"structuredContent":{}}"#;
        assert_eq!(
            tool(ToolResult::of(object(result))),
            "a\nb\n[image image/png, 4 bytes]\n[resource_link a:b]\nt\n[a:b x/y, 3 bytes]\n"
        );
        assert_eq!(
            tool(ToolResult::of(object(r#"{"content":[],"structuredContent":{"a":1}}"#))),
            "{\"a\":1}\n"
        );
        assert_eq!(
            resource(object(r#"{"contents":[{"uri":"a:b","text":"one"},{"text":"two"}]}"#)),
            "one\ntwo\n"
        );
        assert_eq!(
            prompt(object(r#"{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}"#)),
            "user: hi\n"
        );
    }
}
