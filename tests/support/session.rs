//! What a client and an application may do to a server, generated.

use super::application::WAYS;
use super::entropy::Entropy;
use super::generate;

/// One step of a session.
#[derive(Debug)]
pub enum Step {
    /// The client sends a frame, in so many pieces of a line that is too long when not whole.
    Frame {
        /// The frame.
        frame: Vec<u8>,
        /// Whether it is longer than the receiver's buffer.
        is_too_long: bool,
    },
    /// The client sends a batch of these elements.
    Batch(Vec<String>),
    /// The application answers the call that waits at this place.
    Complete(usize),
    /// It reports progress of that call.
    Progress(usize, i64),
    /// It logs about that call.
    Log(usize),
    /// A list has changed.
    ListChanged(usize),
    /// A resource has changed.
    ResourceUpdated(&'static str),
    /// All streams are ended.
    EndStreams,
    /// Another peer.
    Reset,
}

/// The next step.
pub fn step(entropy: &mut Entropy<'_>) -> Step {
    match entropy.below(32) {
        22..=24 => Step::Complete(entropy.below(4)),
        25 => Step::Progress(entropy.below(4), entropy.below(8) as i64),
        26 => Step::Log(entropy.below(4)),
        27 => Step::ListChanged(entropy.below(3)),
        28 => Step::ResourceUpdated(entropy.pick(&["demo://counter", "demo://square/3", "x:y"])),
        20 | 21 => Step::Batch((0..entropy.below(6)).map(|_| element(entropy)).collect()),
        29 => Step::EndStreams,
        30 => match entropy.once_in(4) {
            true => Step::Reset,
            false => generated_frame(entropy),
        },
        31 => generated_frame(entropy),
        _ => Step::Frame {
            frame: call(entropy),
            is_too_long: entropy.once_in(24),
        },
    }
}

/// An element of a batch that is answered at once or not at all.
fn element(entropy: &mut Entropy<'_>) -> String {
    match entropy.below(10) {
        0 | 1 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x/y\"}}",
            id(entropy)
        ),
        2 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"2025-03-26\"}}}}",
            id(entropy)
        ),
        3 => "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}".to_string(),
        4 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{}}}}", id(entropy)),
        5 => "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]".to_string(),
        6 => generate::value(entropy, 2),
        _ => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}}",
            id(entropy)
        ),
    }
}

/// Any message, or what is nearly one.
fn generated_frame(entropy: &mut Entropy<'_>) -> Step {
    let frame = match entropy.below(8) {
        0 => generate::deep(entropy),
        1 => {
            let frame = call(entropy);
            generate::damaged(entropy, frame)
        }
        _ => generate::message(entropy),
    };
    Step::Frame {
        frame,
        is_too_long: entropy.once_in(8),
    }
}

/// A request or a notification of MCP, well-formed but for a part now and then.
fn call(entropy: &mut Entropy<'_>) -> Vec<u8> {
    let (method, params) = method_and_params(entropy);
    let mut members = vec![
        ("\"jsonrpc\"".to_string(), "\"2.0\"".to_string()),
        ("\"method\"".to_string(), generate::spelt(entropy, method)),
    ];
    if !entropy.once_in(16) {
        members.push(("\"params\"".to_string(), with_meta(entropy, params)));
    }
    let is_notification = method.starts_with("notifications/");
    if is_notification == entropy.once_in(16) {
        members.push(("\"id\"".to_string(), id(entropy)));
    }
    let turn = entropy.below(members.len());
    members.rotate_left(turn);
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{name}:{value}"))
        .collect();
    format!("{{{}}}", members.join(",")).into_bytes()
}

/// Few ids, so that they meet each other.
fn id(entropy: &mut Entropy<'_>) -> String {
    match entropy.below(12) {
        8 => "\"a\"".to_string(),
        9 => "\"\\u0061\"".to_string(),
        10 => format!("\"{}\"", "i".repeat(entropy.below(300))),
        11 => generate::id(entropy),
        small => small.to_string(),
    }
}

/// The members of the params, those of `_meta` not among them.
type Params = Vec<(&'static str, String)>;

fn method_and_params(entropy: &mut Entropy<'_>) -> (&'static str, Params) {
    let quoted = |text: &str| format!("\"{text}\"");
    match entropy.below(24) {
        0 => {
            let version = entropy.pick(&[
                "2024-11-05",
                "2025-03-26",
                "2025-06-18",
                "2025-11-25",
                "2026-07-28",
                "1",
            ]);
            ("initialize", vec![("protocolVersion", quoted(version))])
        }
        1 => ("ping", Vec::new()),
        2 => ("server/discover", Vec::new()),
        3 => ("tools/list", cursor(entropy)),
        4 => ("resources/list", cursor(entropy)),
        5 => ("resources/templates/list", cursor(entropy)),
        6 => ("prompts/list", cursor(entropy)),
        7..=9 => {
            let arguments = ("arguments", format!("{{\"ms\":{}}}", entropy.below(9)));
            ("tools/call", vec![("name", quoted("slow")), arguments])
        }
        10 | 11 => {
            let way = entropy.pick(WAYS);
            let arguments = ("arguments", format!("{{\"how\":\"{way}\"}}"));
            ("tools/call", vec![("name", quoted("behave")), arguments])
        }
        12 | 13 => {
            let tool = entropy.pick(&["echo", "add", "measure", "pixel", "count", "none"]);
            let arguments = match entropy.below(6) {
                0 => "{\"text\":\"\\ud83d\\ude00\\ud800\"}".to_string(),
                1 => "{\"a\":1,\"b\":2.5}".to_string(),
                2 => "null".to_string(),
                3 => "{}".to_string(),
                _ => generate::value(entropy, 2),
            };
            (
                "tools/call",
                vec![("name", quoted(tool)), ("arguments", arguments)],
            )
        }
        14 => {
            let uri = entropy.pick(&[
                "demo://readme",
                "demo:\\/\\/pixel.png",
                "demo://square/12",
                "demo://square/x",
                "x",
            ]);
            ("resources/read", vec![("uri", quoted(uri))])
        }
        15 => ("resources/subscribe", vec![("uri", quoted("demo://counter"))]),
        16 => ("resources/unsubscribe", vec![("uri", quoted("demo://counter"))]),
        17 => {
            let filter = entropy.pick(&[
                "{}",
                "{\"toolsListChanged\":true}",
                "{\"toolsListChanged\":true,\"promptsListChanged\":false,\"resourcesListChanged\":true}",
                "{\"resourceSubscriptions\":[\"demo://counter\",\"x:y\",\"demo://counter\"]}",
                "{\"resourceSubscriptions\":[1]}",
                "[]",
            ]);
            (
                "subscriptions/listen",
                vec![("notifications", filter.to_string())],
            )
        }
        18 => (
            "prompts/get",
            vec![
                ("name", quoted("greet")),
                ("arguments", generate::arguments(entropy)),
            ],
        ),
        19 => (
            "completion/complete",
            vec![
                ("ref", "{\"type\":\"ref/prompt\",\"name\":\"greet\"}".to_string()),
                (
                    "argument",
                    "{\"name\":\"language\",\"value\":\"\\u0066\"}".to_string(),
                ),
            ],
        ),
        20 => {
            let level = entropy.pick(&["debug", "error", "emergency", "loud"]);
            ("logging/setLevel", vec![("level", quoted(level))])
        }
        21 => ("notifications/cancelled", vec![("requestId", id(entropy))]),
        22 => ("notifications/initialized", Vec::new()),
        _ => (
            entropy.pick(&["tasks/get", "x", "roots/list", "notifications/x"]),
            Vec::new(),
        ),
    }
}

fn cursor(entropy: &mut Entropy<'_>) -> Params {
    match entropy.below(4) {
        0 => vec![("cursor", format!("\"{}\"", entropy.below(9)))],
        1 => vec![("cursor", generate::value(entropy, 1))],
        _ => Vec::new(),
    }
}

/// With the metadata of either era, or nearly.
fn with_meta(entropy: &mut Entropy<'_>, params: Params) -> String {
    let mut members: Vec<String> = params
        .iter()
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    let mut meta = Vec::new();
    if entropy.once_in(2) {
        let version = entropy.pick(&["\"2026-07-28\"", "\"2026-07-28\"", "\"2025-11-25\"", "1"]);
        meta.push(format!("\"io.modelcontextprotocol/protocolVersion\":{version}"));
        if !entropy.once_in(8) {
            meta.push("\"io.modelcontextprotocol/clientCapabilities\":{}".to_string());
        }
        if entropy.once_in(4) {
            meta.push("\"io.modelcontextprotocol/logLevel\":\"info\"".to_string());
        }
    }
    if entropy.once_in(3) {
        meta.push(format!("\"progressToken\":{}", id(entropy)));
    }
    if !meta.is_empty() {
        members.push(format!("\"_meta\":{{{}}}", meta.join(",")));
    }
    format!("{{{}}}", members.join(","))
}
