//! A line of the server against what is expected.

use serde_json::{Map, Value};

use super::model::{Content, Expected};
use crate::support::tree::{self, at};
use crate::support::{slow, strings};

pub(super) fn is(output: &str, expected: &Expected, frame: &str) {
    match expected {
        Expected::Nothing => assert_eq!(output, "", "to {frame}"),
        Expected::Line(line) => assert_eq!(output, line, "to {frame}"),
        Expected::Anything(id) => {
            let line = one_line(output, id, frame);
            assert!(at(line, &["result"]).is_some() != at(line, &["error"]).is_some());
        }
        Expected::Result(id, is_modern, content) => {
            let line = one_line(output, id, frame);
            let result = at(line, &["result"]).unwrap_or_else(|| panic!("{line} to {frame}"));
            let members = without_tail(result, *is_modern, frame);
            says(&members, line, content, frame);
        }
    }
}

/// The only line, which answers this id.
fn one_line<'o>(output: &'o str, id: &str, frame: &str) -> &'o str {
    let line = output.strip_suffix('\n').unwrap_or_else(|| panic!("{output} to {frame}"));
    assert!(!line.contains('\n'), "{output} to {frame}");
    assert_eq!(at(line, &["id"]), Some(id), "{line} to {frame}");
    line
}

/// The members of a result but those that all results of its era have.
fn without_tail<'a>(result: &'a str, is_modern: bool, frame: &str) -> Vec<tree::Member<'a>> {
    let members = tree::members(result).expect("an object");
    let info = at(result, &["_meta", "io.modelcontextprotocol/serverInfo", "name"]);
    let kind = at(result, &["resultType"]);
    let expected = is_modern.then_some(("\"barewire-demo\"", "\"complete\""));
    assert_eq!(info.zip(kind), expected, "{result} to {frame}");
    let cache = (at(result, &["ttlMs"]), at(result, &["cacheScope"]));
    assert!(matches!(cache, (None, None) | (Some("0"), Some("\"private\""))), "{result} to {frame}");
    assert!(is_modern || cache.0.is_none());
    let tail = ["resultType", "_meta", "ttlMs", "cacheScope"];
    let is_own = |(name, _): &tree::Member<'_>| !tail.iter().any(|of_tail| strings::is(name, of_tail));
    members.into_iter().filter(is_own).collect()
}

fn says(members: &[tree::Member<'_>], line: &str, content: &Content, frame: &str) {
    match content {
        Content::Exactly(expected) => {
            let mut found: Map<String, Value> = members
                .iter()
                .map(|(name, value)| {
                    let name = serde_json::from_str(name).expect("a name");
                    (name, serde_json::from_str(value).expect("a value"))
                })
                .collect();
            if let Some(Value::Object(info)) = found.get_mut("serverInfo") {
                assert!(info.remove("version").is_some());
            }
            assert_eq!(Value::Object(found), *expected, "{line} to {frame}");
        }
        Content::Names(member, expected) => {
            assert_eq!(names(line, member), *expected, "{line} to {frame}");
            assert!(slow::all(members, "nextCursor").is_empty(), "there is room for all: {line}");
        }
        Content::Text(text, is_error) => {
            let block = only_block(line, "content", frame);
            let found = at(block, &["text"]).expect("a text");
            assert!(strings::is(found, text), "{line} to {frame}");
            assert_eq!(at(line, &["result", "isError"]), Some(if *is_error { "true" } else { "false" }));
        }
        Content::Echo(token) => {
            let found = at(only_block(line, "content", frame), &["text"]).expect("a text");
            assert_eq!(strings::units(found), strings::units(token), "{line} to {frame}");
            assert_eq!(at(line, &["result", "isError"]), Some("false"));
        }
        Content::Read(uri, text) => {
            let contents = only_block(line, "contents", frame);
            assert_eq!(at(contents, &["uri"]), Some(uri.as_str()), "{line} to {frame}");
            assert!(
                at(contents, &["text"]).is_some_and(|found| strings::is(found, text)),
                "{line} to {frame}"
            );
        }
        Content::Free => {}
    }
}

fn only_block<'l>(line: &'l str, member: &str, frame: &str) -> &'l str {
    let blocks = at(line, &["result", member]).and_then(tree::elements);
    match blocks.unwrap_or_default()[..] {
        [block] => block,
        _ => panic!("{line} to {frame}"),
    }
}

/// The names of the entries in this member of the result.
pub(super) fn names(line: &str, member: &str) -> Vec<String> {
    let entries = at(line, &["result", member]).and_then(tree::elements);
    let name = |entry: &str| serde_json::from_str(at(entry, &["name"]).expect("a name")).expect("a string");
    entries.expect("a list").into_iter().map(name).collect()
}
