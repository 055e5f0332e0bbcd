//! Results of every kind with every member of the schemas, and changes to them.

use super::tree;

/// A method, and its result in every revision that has it, with all members. Values of [`OPAQUE`] members belong to the
/// application.
pub const COMPLETE: &[(&str, &str)] = &[
    (
        "tools/list",
        r#"{"tools":[{"name":"a","title":"A","description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{},"execution":{},"icons":[{"src":"a:b"}],"_meta":{}},{"name":"b","inputSchema":{}}],"nextCursor":"c","ttlMs":0,"cacheScope":"private","_meta":{}}"#,
    ),
    (
        "tools/call",
        r#"{"content":[{"type":"text","text":"t","annotations":{},"_meta":{}},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"audio","data":"","mimeType":"audio/wav"},{"type":"resource_link","uri":"a:b","name":"n","title":"t","description":"d","mimeType":"x/y","size":1},{"type":"resource","resource":{"uri":"a:b","mimeType":"x/y","text":"t","_meta":{}}},{"type":"resource","resource":{"uri":"a:b","blob":"AAAA"}}],"structuredContent":{"a":1},"isError":false,"_meta":{}}"#,
    ),
    (
        "resources/list",
        r#"{"resources":[{"uri":"a:b","name":"n","title":"t","description":"d","mimeType":"x/y","size":7,"annotations":{},"icons":[],"_meta":{}}],"nextCursor":"","ttlMs":1,"cacheScope":"public","_meta":{}}"#,
    ),
    (
        "resources/templates/list",
        r#"{"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n","title":"t","description":"d","mimeType":"x/y","annotations":{},"icons":[],"_meta":{}}],"nextCursor":"c"}"#,
    ),
    (
        "resources/read",
        r#"{"contents":[{"uri":"a:b","mimeType":"x/y","text":"t","_meta":{}},{"uri":"a:c","mimeType":"x/y","blob":"AAAA"}],"ttlMs":0,"cacheScope":"private"}"#,
    ),
    (
        "prompts/list",
        r#"{"prompts":[{"name":"p","title":"t","description":"d","arguments":[{"name":"a","title":"t","description":"d","required":true}],"icons":[],"_meta":{}},{"name":"q"}],"nextCursor":"c"}"#,
    ),
    (
        "prompts/get",
        r#"{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"t"}},{"role":"assistant","content":{"type":"resource","resource":{"uri":"a:b","text":"t"}}}],"_meta":{}}"#,
    ),
    ("completion/complete", r#"{"completion":{"values":["a","b"],"total":2,"hasMore":false},"_meta":{}}"#),
    (
        "tasks/get",
        r#"{"taskId":"t","status":"working","statusMessage":"m","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":1,"pollInterval":2,"_meta":{}}"#,
    ),
    (
        "tasks/list",
        r#"{"tasks":[{"taskId":"t","status":"completed","ttl":null}],"nextCursor":"c","_meta":{}}"#,
    ),
    ("ping", r#"{"_meta":{}}"#),
];

/// Members whose value belongs to the application and is not read.
pub const OPAQUE: [&str; 9] = [
    "inputSchema",
    "outputSchema",
    "annotations",
    "execution",
    "icons",
    "structuredContent",
    "_meta",
    "capabilities",
    "experimental",
];

/// `text` with one member twice, for each member that is not inside of an [`OPAQUE`] one: the second stands last, then
/// first, and its name is spelled plainly, then with an escape. Each with the member's name.
pub fn with_each_member_twice(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if let Some(members) = tree::members(text) {
        let members: Vec<(String, &str)> =
            members.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        for (at, (name, value)) in members.iter().enumerate() {
            let plain = name.trim_matches('"');
            for spelled in [name.clone(), escaped(plain)] {
                let mut twice = members.clone();
                twice.push((spelled, value));
                found.push((plain.to_owned(), object(&twice)));
                twice.rotate_right(1);
                found.push((plain.to_owned(), object(&twice)));
            }
            if !OPAQUE.contains(&plain) {
                found.extend(with_each_member_twice(value).into_iter().map(|(inner, changed)| {
                    let mut members = members.clone();
                    members[at].1 = &changed;
                    (inner, object(&members))
                }));
            }
        }
    } else if let Some(elements) = tree::elements(text) {
        for (at, element) in elements.iter().enumerate() {
            found.extend(with_each_member_twice(element).into_iter().map(|(inner, changed)| {
                let mut elements = elements.clone();
                elements[at] = &changed;
                (inner, format!("[{}]", elements.join(",")))
            }));
        }
    }
    found
}

/// The object of these members.
pub fn object<V: AsRef<str>>(members: &[(String, V)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("{name}:{}", value.as_ref())).collect();
    format!("{{{}}}", members.join(","))
}

/// The name as a token, its first character as an escape.
pub fn escaped(name: &str) -> String {
    let mut rest = name.chars();
    let first = rest.next().map_or(String::new(), |first| format!("\\u{:04X}", u32::from(first)));
    format!("\"{first}{}\"", rest.as_str())
}
