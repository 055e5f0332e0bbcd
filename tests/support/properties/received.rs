//! Views of what a peer has sent (results, answers, capabilities) against serde_json's members.

use barewire::bytes::Sink;
use barewire::json::{JsonStr, Object, RawValue, Writer};
use barewire::mcp::{
    Capabilities, ClientCapabilities, ElicitAction, Elicited, ListResult, ProtocolVersion, Roots, Sampled,
    Task, ToolResult,
};

use crate::support::entropy::Entropy;
use crate::support::slow::all;
use crate::support::tree::{self, at, elements, members};
use crate::support::{decimal, generate, strings};

/// `text`, if it is an object, taken for each of them.
pub(super) fn shows_what_is_there(text: &str) {
    let Some(object) = RawValue::new(text.as_bytes()).ok().and_then(RawValue::as_object) else {
        return;
    };
    let text = tree::value(text.as_bytes()).expect("accepted");
    results(object, text);
    tasks(object, text);
    answers(object, text);
    offered(object, text);
    client(object, text);
}

fn string(token: Option<&str>) -> Option<&str> {
    token.filter(|token| token.starts_with('"'))
}

fn is_object(token: Option<&str>) -> bool {
    token.is_some_and(|token| token.starts_with('{'))
}

/// The members of these names, none of them twice.
fn once<'a>(text: &'a str, names: [&str; 2]) -> Option<[Option<&'a str>; 2]> {
    let members = members(text)?;
    let found = names.map(|name| all(&members, name));
    let is_clear = found.iter().all(|found| found.len() < 2);
    is_clear.then(|| found.map(|found| found.first().copied()))
}

fn token(string: Option<JsonStr<'_>>) -> Option<String> {
    string.map(|string| format!("{string:?}"))
}

fn same(found: Option<JsonStr<'_>>, expected: Option<&str>) {
    assert_eq!(token(found).as_deref(), expected);
}

/// The text of a block, if that is what it is.
fn text_of_block(block: &str) -> Option<&str> {
    let is_text = string(at(block, &["type"])).is_some_and(|kind| strings::is(kind, "text"));
    string(at(block, &["text"])).filter(|_| is_text)
}

fn objects<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let list = at(text, &[name]).and_then(elements).unwrap_or_default();
    list.into_iter().filter(|entry| entry.starts_with('{')).collect()
}

fn results(object: Object<'_>, text: &str) {
    let result = ToolResult::of(object);
    assert_eq!(result.is_error(), at(text, &["isError"]) == Some("true"));
    let expected = objects(text, "content");
    assert_eq!(result.content().count(), expected.len());
    for (block, expected) in result.content().zip(expected) {
        same(block.kind(), string(at(expected, &["type"])));
        same(block.text(), text_of_block(expected));
    }
    let structured = result.structured_content().map(RawValue::as_json);
    assert_eq!(structured, at(text, &["structuredContent"]));
    let page = ListResult::of(object);
    for name in ["content", "tasks"] {
        let entries: Vec<&str> = page.entries(name).map(|entry| entry.as_value().as_json()).collect();
        assert_eq!(entries, objects(text, name));
    }
    same(page.next_cursor(), string(at(text, &["nextCursor"])));
}

fn tasks(object: Object<'_>, text: &str) {
    let task = Task::of(object);
    same(task.id(), string(at(text, &["taskId"])));
    let status = string(at(text, &["status"]));
    let known = ["working", "input_required", "completed", "failed", "cancelled"];
    let expected = known.into_iter().find(|name| status.is_some_and(|status| strings::is(status, name)));
    assert_eq!(task.status().map(|status| status.as_str()), expected);
    let interval = at(text, &["pollInterval"]).or_else(|| at(text, &["pollIntervalMs"]));
    let expected = interval
        .filter(|token| token.starts_with(|first: char| first == '-' || first.is_ascii_digit()))
        .and_then(|number| u64::try_from(decimal::integer(number).ok()?).ok());
    assert_eq!(task.poll_interval(), expected, "{text}");
}

fn answers(object: Object<'_>, text: &str) {
    let actions = [
        ("accept", ElicitAction::Accept),
        ("decline", ElicitAction::Decline),
        ("cancel", ElicitAction::Cancel),
    ];
    let expected = once(text, ["action", "content"]).and_then(|[action, content]| {
        let action = string(action)?;
        let (_, action) = actions.into_iter().find(|(name, _)| strings::is(action, name))?;
        match content {
            Some(content) if action == ElicitAction::Accept => {
                let is_read = content.starts_with('{') && !tree::repeats(content);
                is_read.then_some((action, content))
            }
            _ => Some((action, "{}")),
        }
    });
    let found = Elicited::of(object);
    let found = found.map(|elicited| (elicited.action, elicited.content.as_value().as_json()));
    assert_eq!(found, expected, "{text}");

    let sampled = Sampled::of(object);
    let model = once(text, ["model", "stopReason"]);
    let content = once(text, ["content", "model"]).zip(model).and_then(|([content, _], _)| content);
    let content = content.filter(|content| content.starts_with(['{', '[']) && !tree::repeats(content));
    assert_eq!(sampled.map(|sampled| sampled.content.as_json()), content, "{text}");
    if let (Some(sampled), Some(content)) = (sampled, content) {
        same(sampled.model, string(at(text, &["model"])));
        same(sampled.stop_reason, string(at(text, &["stopReason"])));
        // A block whose type or text is there twice is none.
        let block = |block| text_of_block(block).filter(|_| once(block, ["type", "text"]).is_some());
        let blocks = elements(content).unwrap_or_else(|| vec![content]);
        same(sampled.text(), blocks.into_iter().find_map(block));
    }

    let list = once(text, ["roots", "roots"]).and_then(|[roots, _]| roots);
    let list = list.filter(|list| list.starts_with('[') && !tree::repeats(list));
    let expected = list.map(|list| {
        let roots = elements(list).expect("an array").into_iter();
        let root = |root| {
            let [uri, name] = once(root, ["uri", "name"])?;
            Some((string(uri)?.to_owned(), string(name).map(str::to_owned)))
        };
        roots.filter_map(root).collect::<Vec<_>>()
    });
    let found = Roots::of(object).map(|roots| {
        let roots = roots.iter().map(|root| (format!("{:?}", root.uri), token(root.name)));
        roots.collect::<Vec<_>>()
    });
    assert_eq!(found, expected, "{text}");
}

/// What any member of this name declares, since a client may have it twice.
fn declared<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let all = all(&members(text).expect("an object"), name);
    all.into_iter().filter(|value| value.starts_with('{')).collect()
}

fn offered(object: Object<'_>, text: &str) {
    let found = Capabilities::from_object(object);
    let is_there = |path: &[&str]| (1..=path.len()).all(|length| is_object(at(text, &path[..length])));
    let has = |name| is_there(&[name]);
    let sets = |name, flag| has(name) && at(text, &[name, flag]) == Some("true");
    type C = Capabilities;
    let expected = [
        (C::TOOLS, has("tools")),
        (C::TOOLS_LIST_CHANGED, sets("tools", "listChanged")),
        (C::RESOURCES, has("resources")),
        (C::RESOURCES_SUBSCRIBE, sets("resources", "subscribe")),
        (C::RESOURCES_LIST_CHANGED, sets("resources", "listChanged")),
        (C::PROMPTS, has("prompts")),
        (C::PROMPTS_LIST_CHANGED, sets("prompts", "listChanged")),
        (C::COMPLETIONS, has("completions")),
        (C::LOGGING, has("logging")),
        (C::TASKS_CORE, has("tasks")),
        (C::TASKS_LIST, is_there(&["tasks", "list"])),
        (C::TASKS_CANCEL, is_there(&["tasks", "cancel"])),
        (C::TASKS_CALL, is_there(&["tasks", "requests", "tools", "call"])),
        (C::TASKS_EXTENSION, is_there(&["extensions", "io.modelcontextprotocol/tasks"])),
    ];
    for (capability, expected) in expected {
        assert_eq!(found.has(capability), expected, "{capability:?} of {text}");
    }
}

/// What a revision can say of a client's capabilities is read back as it was meant, and no more than that.
fn client(object: Object<'_>, text: &str) {
    let found = ClientCapabilities::from_object(object);
    let has = |name| !declared(text, name).is_empty();
    assert_eq!(
        (found.has(ClientCapabilities::SAMPLING), found.has(ClientCapabilities::ROOTS)),
        (has("sampling"), has("roots")),
        "{text}"
    );
    let page = |value: &&str| is_object(at(value, &["url"]));
    let form = |value: &&str| is_object(at(value, &["form"])) || !page(value);
    assert_eq!(
        found.has(ClientCapabilities::ELICITATION_URL),
        declared(text, "elicitation").iter().any(page),
        "{text}"
    );
    assert_eq!(
        found.has(ClientCapabilities::ELICITATION_FORM),
        declared(text, "elicitation").iter().any(form),
        "{text}"
    );
    for version in ProtocolVersion::ALL {
        let written = |capabilities: &ClientCapabilities| {
            let mut memory = [0; 1024];
            let mut sink = Sink::new(&mut memory);
            capabilities.write(&mut Writer::new(&mut sink), version);
            sink.finish().expect("room").to_vec()
        };
        let first = written(&found);
        let read = RawValue::new(&first).expect("valid").as_object().expect("an object");
        let read = ClientCapabilities::from_object(read);
        assert!(found.has(read), "{text} in {version}");
        assert_eq!(written(&read), first, "{text} in {version}");
    }
}

/// An object with members that mean something in a result or among capabilities, of the kind that they should be, or
/// nearly.
pub(super) fn object(entropy: &mut Entropy<'_>, depth: usize) -> String {
    const NAMES: [&str; 32] = [
        "content",
        "isError",
        "structuredContent",
        "type",
        "text",
        "nextCursor",
        "tasks",
        "taskId",
        "status",
        "pollInterval",
        "pollIntervalMs",
        "action",
        "model",
        "stopReason",
        "roots",
        "uri",
        "name",
        "tools",
        "listChanged",
        "resources",
        "subscribe",
        "prompts",
        "completions",
        "logging",
        "extensions",
        "io.modelcontextprotocol/tasks",
        "sampling",
        "elicitation",
        "form",
        "url",
        "requests",
        "call",
    ];
    const STRINGS: [&str; 8] = ["text", "accept", "decline", "cancel", "working", "completed", "x", ""];
    let members: Vec<String> = (0..entropy.below(5))
        .map(|_| {
            let name = entropy.pick(&NAMES);
            let value = match entropy.below(if depth == 0 { 4 } else { 8 }) {
                0 => {
                    let text = entropy.pick(&STRINGS);
                    generate::spelt(entropy, text)
                }
                1 => entropy.pick(&["true", "false", "null"]).to_owned(),
                2 => entropy.pick(&["{}", "[]"]).to_owned(),
                3 => generate::number(entropy),
                4 | 5 => {
                    let entries: Vec<String> =
                        (0..entropy.below(3)).map(|_| object(entropy, depth - 1)).collect();
                    format!("[{}]", entries.join(","))
                }
                _ => object(entropy, depth - 1),
            };
            format!("{}:{value}", generate::spelt(entropy, name))
        })
        .collect();
    format!("{{{}}}", members.join(","))
}
