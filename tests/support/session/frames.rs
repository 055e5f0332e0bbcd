//! Frames of a client: requests and notifications of both eras, and answers to the server's questions.

use super::super::application::WAYS;
use super::super::entropy::Entropy;
use super::super::generate;
use super::plain::{conversation, plain_call, task_method};

pub(super) const ALL: &str = "{\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{},\"roots\":{},\
      \"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}";

/// What clients say that they can do.
pub(super) const CAPABILITIES: &[&str] = &[
    ALL,
    ALL,
    ALL,
    ALL,
    "{}",
    "{\"elicitation\":{}}",
    "{\"elicitation\":{\"url\":{}},\"roots\":{}}",
    "{\"sampling\":{},\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}",
];

/// How a session begins: with nothing, or with a handshake.
pub fn handshake(entropy: &mut Entropy<'_>) -> Vec<String> {
    let version = entropy.pick(&[
        "2025-11-25",
        "2025-11-25",
        "2025-11-25",
        "",
        "2025-03-26",
        "2025-06-18",
        "2024-11-05",
        "2025-11-25",
    ]);
    if version.is_empty() {
        return Vec::new();
    }
    let capabilities = entropy.pick(CAPABILITIES);
    let initialize = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"$N\",\"method\":\"initialize\",\"params\":\
         {{\"protocolVersion\":\"{version}\",\"capabilities\":{capabilities}}}}}"
    );
    let initialized = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
    vec![initialize, initialized.to_string()]
}

/// A request or a notification of MCP, well-formed but for a part now and then.
pub(super) fn call(entropy: &mut Entropy<'_>) -> String {
    let id = id(entropy);
    if entropy.once_in(3) {
        return plain_call(entropy, &id);
    }
    let (method, params) = method_and_params(entropy);
    let mut members = vec![
        ("\"jsonrpc\"".to_string(), "\"2.0\"".to_string()),
        ("\"method\"".to_string(), generate::spelt(entropy, method)),
    ];
    if !entropy.once_in(16) {
        members.push(("\"params\"".to_string(), with_meta(entropy, params, &id)));
    }
    let is_notification = method.starts_with("notifications/");
    if is_notification == entropy.once_in(16) {
        members.push(("\"id\"".to_string(), id));
    }
    let turn = entropy.below(members.len());
    members.rotate_left(turn);
    let members: Vec<String> = members.iter().map(|(name, value)| format!("{name}:{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// The client's answer to a question, of the right kind or a wrong one, or nearly an answer.
pub(super) fn answer(entropy: &mut Entropy<'_>) -> String {
    let id = entropy.pick(&["$Q0", "$Q0", "$Q0", "$Q1", "$Q2", "\"$Q0\"", "0", "null"]);
    let content = entropy.pick(&[
        "\"result\":{\"action\":\"accept\",\"content\":{\"yes\":true}}",
        "\"result\":{\"action\":\"decline\"}",
        "\"result\":{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"t\"},\"model\":\"m\"}",
        "\"result\":{\"roots\":[{\"uri\":\"file:///a\"},1]}",
        "\"result\":{}",
        "\"error\":{\"code\":-1,\"message\":\"rejected\"}",
        "\"result\":7",
        "\"error\":{\"code\":\"x\"}",
        "\"result\":{},\"error\":{\"code\":1,\"message\":\"both\"}",
    ]);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{content}}}")
}

/// Few ids, so that they meet each other.
pub(super) fn id(entropy: &mut Entropy<'_>) -> String {
    match entropy.below(16) {
        8 => "\"a\"".to_string(),
        9 => "\"\\u0061\"".to_string(),
        10 => format!("\"{}\"", "i".repeat(entropy.below(300))),
        11 => generate::id(entropy),
        12 | 13 => "$N".to_string(),
        14 => format!("\"{}\"", "i".repeat(entropy.below(30))),
        small => small.to_string(),
    }
}

/// The members of the params, those of `_meta` not among them.
pub(super) type Params = Vec<(&'static str, String)>;

pub(super) fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn method_and_params(entropy: &mut Entropy<'_>) -> (&'static str, Params) {
    match entropy.below(32) {
        0 => {
            let version =
                entropy.pick(&["2025-11-25", "2024-11-05", "2025-03-26", "2025-06-18", "2026-07-28", "1"]);
            let capabilities = entropy.pick(CAPABILITIES).to_string();
            let params = vec![("protocolVersion", quoted(version)), ("capabilities", capabilities)];
            ("initialize", params)
        }
        1 => ("ping", Vec::new()),
        2 => ("server/discover", Vec::new()),
        3 => ("tools/list", cursor(entropy)),
        4 => ("resources/list", cursor(entropy)),
        5 => ("resources/templates/list", cursor(entropy)),
        6 => ("prompts/list", cursor(entropy)),
        7 => {
            let arguments = ("arguments", format!("{{\"ms\":{}}}", entropy.below(9)));
            ("tools/call", vec![("name", quoted("slow")), arguments])
        }
        8 | 9 => {
            let way = entropy.pick(WAYS);
            let arguments = ("arguments", format!("{{\"how\":\"{way}\"}}"));
            ("tools/call", vec![("name", quoted("behave")), arguments])
        }
        10 => demo_tool(entropy),
        11 => {
            let uri = entropy.pick(&[
                "demo://readme",
                "demo:\\/\\/pixel.png",
                "demo://square/12",
                "demo://square/x",
                "x",
            ]);
            ("resources/read", vec![("uri", quoted(uri))])
        }
        12 => ("resources/subscribe", vec![("uri", quoted("demo://counter"))]),
        13 => ("resources/unsubscribe", vec![("uri", quoted("demo://counter"))]),
        14 | 15 => {
            let filter = entropy.pick(&[
                "{}",
                "{\"toolsListChanged\":true,\"taskIds\":[\"$T0\"]}",
                "{\"taskIds\":[\"$T1\",\"$T0\",\"$T0\",\"unknown\"]}",
                "{\"toolsListChanged\":true,\"promptsListChanged\":false,\"resourcesListChanged\":true}",
                "{\"resourceSubscriptions\":[\"demo://counter\",\"x:y\",\"demo://counter\"]}",
                "{\"resourceSubscriptions\":[1]}",
                "[]",
            ]);
            ("subscriptions/listen", vec![("notifications", filter.to_string())])
        }
        16 => ("prompts/get", vec![("name", quoted("greet")), ("arguments", generate::arguments(entropy))]),
        17 => (
            "completion/complete",
            vec![
                ("ref", "{\"type\":\"ref/prompt\",\"name\":\"greet\"}".to_string()),
                ("argument", "{\"name\":\"language\",\"value\":\"\\u0066\"}".to_string()),
            ],
        ),
        18 => {
            let level = entropy.pick(&["debug", "error", "emergency", "loud"]);
            ("logging/setLevel", vec![("level", quoted(level))])
        }
        19 | 20 => {
            let id = match entropy.once_in(3) {
                true => id(entropy),
                false => entropy.pick(&["$C0", "$C1"]).to_string(),
            };
            ("notifications/cancelled", vec![("requestId", id)])
        }
        21 => ("notifications/initialized", Vec::new()),
        22 => (entropy.pick(&["x", "roots/list", "notifications/x", "sampling/createMessage"]), Vec::new()),
        23..=26 => task_method(entropy),
        _ => conversation(entropy),
    }
}

fn demo_tool(entropy: &mut Entropy<'_>) -> (&'static str, Params) {
    let tool = entropy.pick(&["echo", "add", "measure", "pixel", "count", "none"]);
    let arguments = match entropy.below(6) {
        0 => "{\"text\":\"\\ud83d\\ude00\\ud800\"}".to_string(),
        1 => "{\"a\":1,\"b\":2.5}".to_string(),
        2 => "null".to_string(),
        3 => "{}".to_string(),
        _ => generate::value(entropy, 2),
    };
    ("tools/call", vec![("name", quoted(tool)), ("arguments", arguments)])
}

pub(super) fn cursor(entropy: &mut Entropy<'_>) -> Params {
    match entropy.below(4) {
        0 => vec![("cursor", format!("\"{}\"", entropy.below(9)))],
        1 => vec![("cursor", generate::value(entropy, 1))],
        _ => Vec::new(),
    }
}

/// With the metadata of either era, or nearly.
fn with_meta(entropy: &mut Entropy<'_>, params: Params, id: &str) -> String {
    let mut members: Vec<String> = params.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    let mut meta = Vec::new();
    if entropy.once_in(2) {
        let version = entropy.pick(&["\"2026-07-28\"", "\"2026-07-28\"", "\"2025-11-25\"", "1"]);
        meta.push(format!("\"io.modelcontextprotocol/protocolVersion\":{version}"));
        if !entropy.once_in(8) {
            let capabilities = entropy.pick(CAPABILITIES);
            meta.push(format!("\"io.modelcontextprotocol/clientCapabilities\":{capabilities}"));
        }
        if entropy.once_in(4) {
            meta.push("\"io.modelcontextprotocol/logLevel\":\"info\"".to_string());
        }
    }
    match entropy.below(6) {
        0 | 1 => meta.push("\"progressToken\":\"p$N\"".to_string()),
        2 => meta.push(format!("\"progressToken\":{id}")),
        _ => {}
    }
    if !meta.is_empty() {
        members.push(format!("\"_meta\":{{{}}}", meta.join(",")));
    }
    format!("{{{}}}", members.join(","))
}
