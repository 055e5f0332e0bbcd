//! Requests that ask, wait or are about tasks, without a fault: so that sessions get far.

use super::super::entropy::Entropy;
use super::frames::{ALL, CAPABILITIES, Params, cursor, id, quoted};

/// A request with this id, of a kind that asks, waits or becomes a task, without a fault.
pub(super) fn plain_call(entropy: &mut Entropy<'_>, id: &str) -> String {
    match entropy.once_in(3) {
        true => task_call(entropy, id),
        false => conversation_call(entropy, id),
    }
}

/// A request that may be answered with a question, or a task.
pub(super) fn conversation_call(entropy: &mut Entropy<'_>, id: &str) -> String {
    let (method, params) = conversation(entropy);
    plain(entropy, id, method, params)
}

/// A request about a task.
pub(super) fn task_call(entropy: &mut Entropy<'_>, id: &str) -> String {
    let (method, params) = task_method(entropy);
    plain(entropy, id, method, params)
}

/// A stream of what happens to tasks.
pub(super) fn listen_to_tasks(entropy: &mut Entropy<'_>) -> String {
    let id = id(entropy);
    let filter = "{\"taskIds\":[\"$T0\",\"$T1\"]}".to_string();
    let meta = format!("{{{}}}", modern_meta(ALL));
    let params = vec![("notifications", filter), ("_meta", meta)];
    message(&id, "subscriptions/listen", &params)
}

/// With the metadata of either era.
fn plain(entropy: &mut Entropy<'_>, id: &str, method: &str, mut params: Params) -> String {
    let mut meta = Vec::new();
    if entropy.once_in(2) {
        meta.push(modern_meta(entropy.pick(CAPABILITIES)));
    }
    if entropy.once_in(2) {
        meta.push("\"progressToken\":\"p$N\"".to_string());
    }
    if !meta.is_empty() {
        params.push(("_meta", format!("{{{}}}", meta.join(","))));
    }
    message(id, method, &params)
}

fn modern_meta(capabilities: &str) -> String {
    format!(
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
         \"io.modelcontextprotocol/clientCapabilities\":{capabilities}"
    )
}

fn message(id: &str, method: &str, params: &Params) -> String {
    let members: Vec<String> = params.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    let params = members.join(",");
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{{params}}}}}")
}

/// Calls that may ask, and are made again with answers.
pub(super) fn conversation(entropy: &mut Entropy<'_>) -> (&'static str, Params) {
    let (method, mut params) = match entropy.below(8) {
        0 | 1 => {
            let (tool, arguments) = entropy.pick(&[
                ("set_limit", "{\"max\":5}"),
                ("summarize", "{\"text\":\"a\"}"),
                ("list_roots", "{}"),
                ("simulate", "{}"),
                ("must", "{}"),
            ]);
            let arguments = ("arguments", arguments.to_string());
            ("tools/call", vec![("name", quoted(tool)), arguments])
        }
        2 => ("prompts/get", vec![("name", quoted("do"))]),
        3 => ("resources/read", vec![("uri", quoted("do:x"))]),
        _ => ("tools/call", vec![("name", quoted("do"))]),
    };
    if entropy.once_in(2) {
        let task = entropy.pick(&["{}", "{}", "{}", "{\"ttl\":50}", "{\"ttl\":null}", "{\"ttl\":-1}", "7"]);
        params.push(("task", task.to_string()));
    }
    if entropy.once_in(4) {
        let state = entropy.pick(&["\"s\"", "\"5\"", "\"\\ud800\"", "7"]);
        params.push(("requestState", state.to_string()));
    }
    if entropy.once_in(4) {
        let answers = entropy.pick(&[
            "{\"k\":{\"action\":\"accept\",\"content\":{\"yes\":true}}}",
            "{\"sure\":{\"action\":\"accept\",\"content\":{\"yes\":true}}}",
            "{\"k\":7,\"other\":{}}",
            "{\"summary\":{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"t\"},\"model\":\"m\"}}",
            "{}",
            "[]",
        ]);
        params.push(("inputResponses", answers.to_string()));
    }
    (method, params)
}

/// What can be said of a task.
pub(super) fn task_method(entropy: &mut Entropy<'_>) -> (&'static str, Params) {
    let task =
        entropy.pick(&["\"$T0\"", "\"$T0\"", "\"$T0\"", "\"$T1\"", "\"$T1\"", "\"$T2\"", "\"unknown\"", "7"]);
    let mut params = vec![("taskId", task.to_string())];
    let method = entropy.pick(&[
        "tasks/get",
        "tasks/result",
        "tasks/cancel",
        "tasks/update",
        "tasks/list",
        "tasks/result",
    ]);
    match method {
        "tasks/update" => {
            let answers = entropy.pick(&["{\"k\":{\"action\":\"accept\"}}", "{}", "7"]);
            params.push(("inputResponses", answers.to_string()));
        }
        "tasks/list" => params = cursor(entropy),
        _ => {}
    }
    (method, params)
}
