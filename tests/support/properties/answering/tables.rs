//! The tables of the specification and of the demo, written out.

use barewire::demo;
use serde_json::{Value, json};

use crate::support::declarations::{Declared, Member};

pub(super) const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
pub(super) const LATEST: &str = "2025-11-25";
pub(super) const MODERN: &str = "2026-07-28";

/// What makes params those of a modern request.
pub(super) const MODERN_META: &str = ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
     \"io.modelcontextprotocol/clientCapabilities\":{}}";

pub(super) const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// A method that lists, the member that has the entries, and their names.
type List = (&'static str, &'static str, fn() -> Vec<String>);

pub(super) const LISTS: [List; 4] = [
    ("tools/list", "tools", || demo::TOOLS.iter().map(|tool| tool.name().to_owned()).collect()),
    ("resources/list", "resources", || names(&["readme", "pixel", "counter"])),
    ("resources/templates/list", "resourceTemplates", || names(&["square"])),
    ("prompts/list", "prompts", || names(&["greet"])),
];

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The requests that a client may make in a revision, of what the demo offers.
pub(super) fn methods(revision: &str) -> Vec<&'static str> {
    let mut methods = vec![
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
    ];
    match revision == MODERN {
        true => methods.extend(["server/discover", "tasks/get", "tasks/cancel", "tasks/update"]),
        false => methods.extend(["initialize", "ping", "logging/setLevel"]),
    }
    if revision == LATEST {
        methods.extend(["tasks/get", "tasks/cancel", "tasks/result", "tasks/list"]);
    }
    methods
}

pub(super) const INSTRUCTIONS: &str = "A demo: every tool is safe to call.";

pub(super) fn info(revision: &str) -> Value {
    let mut info = json!({"name": "barewire-demo"});
    if revision >= "2025-06-18" {
        info["title"] = json!("Barewire demo");
    }
    info
}

pub(super) fn capabilities_of(revision: &str) -> Value {
    let mut all = json!({"logging": {}, "prompts": {}, "resources": {}, "tools": {}});
    if revision >= "2025-03-26" {
        all["completions"] = json!({});
    }
    match revision {
        LATEST => all["tasks"] = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}),
        MODERN => all["extensions"] = json!({"io.modelcontextprotocol/tasks": {}}),
        _ => {}
    }
    all
}

/// The tools that are called, and what they take.
pub(super) fn tools() -> Vec<(&'static str, Vec<Member>)> {
    let member = |name, ty, is_required| Member { name, ty, is_required };
    let number = || Declared::Number(None, None);
    let ms = || member("ms", Declared::Integer(0, 600_000), false);
    vec![
        ("echo", vec![member("text", Declared::String(0, u32::MAX), true)]),
        ("add", vec![member("a", number(), true), member("b", number(), true)]),
        ("slow", vec![ms()]),
        ("measure", vec![member("unit", Declared::Choice(vec!["celsius", "kelvin"]), false)]),
        ("pixel", vec![]),
        ("count", vec![]),
        ("simulate", vec![ms()]),
    ]
}
