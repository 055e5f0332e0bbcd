//! A server with one fault, for programs that look for faults.
//!
//! ```sh
//! cargo run -q -p barewire-cli --example fault_server -- --list
//! cargo run -q -p barewire-cli --example fault_server -- id-as-string
//! cargo run -q -p barewire-cli --example fault_server -- silent:legacy:tools/list
//! ```
//!
//! The demo server answers, and the fault is put into its output. Without a name there is no fault.
//! `--list` prints each fault and the rows of `barewire check` that find it; `--good` prints the servers that are
//! unusual but conform to the specification.

use std::io::{self, BufRead, Write};
use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use barewire::bytes::Sink;
use barewire::demo::{Demo, NoHost};
use barewire::engine::{Frame, Heap, Origin, Sent, Server};
use serde_json::{Value, json};

/// A change of the lines of a server without fault, given the line of the client.
type Fault = fn(&Value, &mut Vec<String>);

/// The faults, each with the requirements that it breaks.
#[rustfmt::skip]
const FAULTS: &[(&str, &str, Fault)] = &[
    ("no-jsonrpc", "1", |_, out| edit(out, |message| { message.remove("jsonrpc"); })),
    ("answered-twice", "1.1", |request, out| if is(request, "ping") { let again = out.clone(); out.extend(again); }),
    ("request-with-id-null", "2", |request, out| if is(request, "notifications/initialized") {
        out.push(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.to_owned());
    }),
    ("notification-with-id", "3", |request, out| if is(request, "notifications/initialized") {
        out.push(r#"{"jsonrpc":"2.0","id":1,"method":"notifications/tools/list_changed"}"#.to_owned());
    }),
    ("answers-notifications", "4", |request, out| if is(request, "notifications/barewire/unknown") {
        out.push(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}"#.to_owned());
    }),
    ("own-id-twice", "5", |request, out| if is(request, "notifications/initialized") {
        out.push(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_owned());
        out.push(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_owned());
    }),
    ("id-as-string", "6", |request, out| if is(request, "ping") && request["params"].is_null() && request["id"].is_number() {
        edit(out, |message| { message["id"] = json!(message["id"].to_string()); });
    }),
    ("result-and-error", "7", |request, out| if is(request, "ping") && meta(request).is_none() {
        edit(out, |message| { message.entry("error").or_insert(json!({"code": 0, "message": "no error"})); });
    }),
    ("code-as-string", "8", |request, out| if is(request, "tools/list") && request["params"].is_array() {
        edit(out, |message| message["error"]["code"] = json!("-32600"));
    }),
    ("error-without-its-id", "9", |request, out| if request["method"].is_number() {
        edit(out, |message| message["id"] = Value::Null);
    }),
    ("id-as-number", "6", |request, out| if is(request, "tools/list") && request["id"].is_string() {
        edit(out, |message| if let Some(id) = message["id"].as_str().and_then(|id| id.parse::<u64>().ok()) { message["id"] = json!(id); });
    }),
    ("answers-nobody", "6", |request, out| if is(request, "prompts/list") {
        out.insert(0, r#"{"jsonrpc":"2.0","id":"nobody","error":{"code":-32603,"message":"Internal error"}}"#.to_owned());
    }),
    ("result-null", "10", |request, out| if is(request, "ping") && request["params"].is_null() {
        edit(out, |message| message["result"] = Value::Null);
    }),
    ("list-and-error", "7", |request, out| if is(request, "resources/list") {
        edit(out, |message| { if message.contains_key("result") { message.insert("error".to_owned(), json!({"code": 0, "message": "no error"})); } });
    }),
    ("takes-array-params", "11", |request, out| if request["params"].is_array() { succeed(request, out, &json!({"tools": []})); }),
    ("half-a-batch", "1.1 12", |request, out| if request.is_array() && out.len() > 1 { out.pop(); }),
    ("serves-batches-always", "13", |request, out| if request[0]["id"] == 920_001 {
        *out = vec![
            r#"{"jsonrpc":"2.0","id":920001,"result":{}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":920002,"result":{}}"#.to_owned(),
        ];
    }),
    ("refuses-unknown-members", "14", |request, out| if !request["barewire"].is_null() { fail(out, -32600); }),
    ("dies-of-bad-json", "15", |request, _| if request.is_null() { exit(1) }),
    ("wrong-code-for-bad-json", "15", |request, out| if request.is_null() {
        edit(out, |message| message["error"]["code"] = json!(-32603));
    }),
    ("pretty-printed", "16", |_, out| for line in out {
        let message: Value = serde_json::from_str(line).expect("a message");
        *line = serde_json::to_string_pretty(&message).expect("JSON");
    }),
    ("raw-control-character", "16", |request, out| if is(request, "initialize") {
        for line in out { *line = line.replacen("\"name\":\"", "\"name\":\"\u{1}", 1); }
    }),
    ("logs-to-stdout", "17", |request, out| if is(request, "initialize") { out.insert(0, "starting up".to_owned()); }),
    ("forgets-when-busy", "1.1 18", |request, out| if is_in_a_row(request, 15) { out.clear(); }),
    ("answers-responses", "19", |request, out| if !request["result"].is_null() && request["id"] == 987_654 {
        out.push(r#"{"jsonrpc":"2.0","id":987654,"error":{"code":-32600,"message":"Invalid Request"}}"#.to_owned());
    }),
    ("ignores-case", "20", |request, out| if is(request, "PING") { succeed(request, out, &json!({})); }),
    ("version-of-its-own", "21", |request, out| if version(request) == "2025-11-25" {
        edit_result(out, |result| result["protocolVersion"] = json!("1.0"));
    }),
    ("refuses-unknown-versions", "22", |request, out| if version(request) == "1999-12-31" { fail(out, -32602); }),
    ("no-server-version", "23", |request, out| if is(request, "initialize") {
        edit_result(out, |result| { result["serverInfo"] = json!({"name": "nobody"}); });
    }),
    ("asks-before-initialized", "26", |request, out| if is(request, "initialize") && meta(request).is_none() {
        out.push(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#.to_owned());
    }),
    ("ping-with-a-result", "27", |request, out| if is(request, "ping") {
        edit_result(out, |result| { result.insert("pong".to_owned(), json!(true)); });
    }),
    ("serves-what-it-does-not-declare", "29", |request, out| if is(request, "initialize") { hide_prompts(out); }),
    ("unknown-method-is-internal", "30", |request, out| if is(request, "barewire/unknown") {
        edit(out, |message| message["error"]["code"] = json!(-32603));
    }),
    ("wrong-code-for-broken-metadata", "31", |request, out| if request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].is_number() {
        edit(out, |message| message["error"]["code"] = json!(-32600));
    }),
    ("needs-client-info", "32", |request, out| if meta(request).is_some_and(|meta| !meta.contains_key("io.modelcontextprotocol/clientInfo")) {
        fail(out, -32602);
    }),
    ("hides-its-versions", "33", |request, out| if is(request, "server/discover") {
        edit(out, |message| { if let Some(error) = message.get_mut("error").and_then(Value::as_object_mut) { error.remove("data"); } });
    }),
    ("discovery-without-ttl", "35", |request, out| if is(request, "server/discover") {
        edit_result(out, |result| { result.remove("ttlMs"); });
    }),
    ("no-result-type", "36", |request, out| if meta(request).is_some() { edit_result(out, |result| { result.remove("resultType"); }); }),
    ("result-type-too-early", "36-L", |request, out| if meta(request).is_none() && is(request, "tools/list") {
        edit_result(out, |result| { result.insert("resultType".to_owned(), json!("complete")); });
    }),
    ("anonymous", "37", |request, out| if meta(request).is_some() { edit_result(out, |result| { result.remove("_meta"); }); }),
    ("still-pings", "39", |request, out| if is(request, "ping") && meta(request).is_some() { succeed(request, out, &json!({})); }),
    ("discovers-less-than-it-has", "40", |request, out| if is(request, "server/discover") { hide_prompts(out); }),
    ("asks-a-modern-client", "41", |request, out| if meta(request).is_some() && is(request, "tools/list") && request["id"].is_string() {
        out.push(json!({"jsonrpc": "2.0", "id": request["id"], "method": "roots/list"}).to_string());
    }),
    ("list-without-ttl", "51", |request, out| if meta(request).is_some() && is(request, "tools/list") {
        edit_result(out, |result| { result.remove("ttlMs"); });
    }),
    ("odd-cache-scope", "52", |request, out| if meta(request).is_some() && is(request, "tools/list") {
        edit_result(out, |result| { result["cacheScope"] = json!("shared"); });
    }),
    ("event-before-acknowledgement", "53", |request, out| if request["id"] == 940_001 {
        out.insert(0, r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":940001}}}"#.to_owned());
    }),
    ("acknowledges-everything", "54", |request, out| if request["id"] == 940_001 {
        edit(out, |message| message["params"]["notifications"]["promptsListChanged"] = json!(true));
    }),
    ("subscription-id-as-string", "56", |request, out| if request["id"] == 940_001 {
        edit(out, |message| message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] = json!("940001"));
    }),
    ("listens-to-nothing", "57", |request, out| if is(request, "subscriptions/listen") && request["params"]["notifications"].is_null() {
        succeed(request, out, &json!({}));
    }),
    ("answers-cancelled-subscriptions", "58", |request, out| if request["params"]["requestId"] == 940_001 {
        out.push(json!({"jsonrpc": "2.0", "id": 940_001, "result": modern_result()}).to_string());
    }),
    ("any-level-is-fine", "63", |request, out| if request["params"]["level"] == "loud" { succeed(request, out, &json!({})); }),
    ("progress-unasked", "64", |request, out| if is(request, "tools/list") {
        out.insert(0, r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#.to_owned());
    }),
    ("answers-cancellations", "66", |request, out| if request["params"]["requestId"] == 4711 {
        out.push(r#"{"jsonrpc":"2.0","id":4711,"error":{"code":-32602,"message":"Unknown request"}}"#.to_owned());
    }),
    ("pages-without-end", "69", |request, out| if request["params"]["cursor"] == "again" {
        succeed(request, out, &json!({"tools": [], "nextCursor": "again"}));
    } else if is(request, "tools/list") && meta(request).is_none() {
        edit_result(out, |result| { result.insert("nextCursor".to_owned(), json!("again")); });
    }),
    ("any-cursor-is-fine", "70", |request, out| if request["params"]["cursor"] == "barewire-check-no-such-cursor" {
        succeed(request, out, &json!({"tools": [], "resources": [], "resourceTemplates": [], "prompts": []}));
    }),
    ("unknown-tool-is-a-result", "71", |request, out| if request["params"]["name"] == "barewire-check-no-such-tool" {
        succeed(request, out, &json!({"content": [], "isError": true}));
    }),
    ("lists-nothing", "69", |request, out| if is(request, "prompts/list") { edit_result(out, |result| { result.remove("prompts"); }); }),
    ("lists-null", "69", |request, out| if is(request, "tools/list") { edit_result(out, |result| { result["tools"] = Value::Null; }); }),
    ("schema-without-type", "75", |request, out| if is(request, "tools/list") {
        edit_result(out, |result| result["tools"][0]["inputSchema"] = json!({}));
    }),
    ("unknown-prompt-is-internal", "77", |request, out| if is(request, "prompts/get") {
        edit(out, |message| message["error"]["code"] = json!(-32603));
    }),
    ("unknown-resource-is-internal", "78", |request, out| if is(request, "resources/read") && meta(request).is_none() {
        edit(out, |message| message["error"]["code"] = json!(-32603));
    }),
    ("legacy-code-in-2026-07-28", "78-M", |request, out| if is(request, "resources/read") && meta(request).is_some() {
        edit(out, |message| message["error"]["code"] = json!(-32002));
    }),
    ("completes-too-much", "79", |request, out| if request["params"]["ref"].is_object() {
        succeed(request, out, &json!({"completion": {"values": vec!["x"; 101]}}));
    }),
    ("code-of-its-own", "69 83", |request, out| if is(request, "prompts/list") && meta(request).is_some() { fail(out, -32050); }),
    // A second request after a first one of the modern era.
    ("no-way-back", "85", |request, out| if is(request, "initialize") && request["id"] == "800002" { fail(out, -32600); }),
    ("unknown-task-is-internal", "90", |request, out| if is(request, "tasks/cancel") && meta(request).is_none() {
        edit(out, |message| message["error"]["code"] = json!(-32603));
    }),
    ("legacy-code-for-tasks", "91", |request, out| if is(request, "tasks/get") && meta(request).is_some() {
        edit(out, |message| message["error"]["code"] = json!(-32002));
    }),
];

/// Era, method, and the requirements that are broken if the method is not answered.
const METHODS: &[(&str, &str, &str)] = &[
    ("legacy", "initialize", "1.1"),
    ("legacy", "ping", "1.1 6 14 18 20 27"),
    ("legacy", "server/discover", "1.1"),
    ("legacy", "tools/list", "1.1 11 69 70"),
    ("legacy", "tools/call", "1.1 71"),
    ("legacy", "resources/list", "1.1 11 69 70"),
    ("legacy", "resources/templates/list", "1.1 69 70"),
    ("legacy", "resources/read", "1.1 78"),
    ("legacy", "resources/subscribe", "1.1"),
    ("legacy", "resources/unsubscribe", "1.1"),
    ("legacy", "subscriptions/listen", "1.1"),
    ("legacy", "prompts/list", "1.1 11 69 70"),
    ("legacy", "prompts/get", "1.1 77"),
    ("legacy", "completion/complete", "1.1 79"),
    ("legacy", "logging/setLevel", "1.1 63"),
    ("legacy", "tasks/get", "1.1 90"),
    ("legacy", "tasks/result", "1.1 90"),
    ("legacy", "tasks/cancel", "1.1 90"),
    ("legacy", "tasks/list", "1.1 69"),
    ("legacy", "barewire/unknown", "1.1 18 30"),
    ("modern", "initialize", "1.1 39"),
    ("modern", "ping", "1.1 39"),
    ("modern", "server/discover", "1.1"),
    ("modern", "tools/list", "1.1 69 70"),
    ("modern", "tools/call", "1.1 71"),
    ("modern", "resources/list", "1.1 69 70"),
    ("modern", "resources/templates/list", "1.1 69 70"),
    ("modern", "resources/read", "1.1 78-M"),
    ("modern", "resources/subscribe", "1.1 39"),
    ("modern", "resources/unsubscribe", "1.1 39"),
    ("modern", "subscriptions/listen", "1.1 53 57"),
    ("modern", "prompts/list", "1.1 69 70"),
    ("modern", "prompts/get", "1.1 77"),
    ("modern", "completion/complete", "1.1 79"),
    ("modern", "logging/setLevel", "1.1 39"),
    ("modern", "tasks/get", "1.1 91"),
    ("modern", "tasks/update", "1.1"),
    ("modern", "tasks/cancel", "1.1"),
    ("modern", "tasks/result", "1.1 39"),
    ("modern", "tasks/list", "1.1 39"),
    ("modern", "barewire/unknown", "1.1 18 30"),
];

/// Delay of the answers of `late`, and of those to the first request, which may take longer. The server goes on
/// meanwhile.
const LATE: [Duration; 2] = [Duration::from_secs(4), Duration::from_secs(8)];

/// Servers without a fault.
const GOOD: &[&str] = &[
    "one-at-a-time",
    "",
    "odd",
    "odd-and-bare",
    "legacy-only",
    "legacy-only-and-silent-before",
    "modern-only",
];

fn hide_prompts(lines: &mut [String]) {
    edit_result(lines, |result| {
        if let Some(capabilities) = result["capabilities"].as_object_mut() {
            capabilities.remove("prompts");
        }
    });
}

/// The fault of a server that goes on after the end of its input.
const NEVER_ENDS: &str = "never-ends";

/// Faults of the process, which break everything, or the checker.
const PROCESS: &[&str] =
    &["exits-at-once", "hangs", "floods", "garbage", "one-endless-line", "reads-nothing-and-ends-output"];

fn is(request: &Value, method: &str) -> bool {
    request["method"] == method
}

/// Whether this is the request after that many others of a burst, with no other line in between.
fn is_in_a_row(request: &Value, number: u32) -> bool {
    static IN_A_ROW: AtomicU32 = AtomicU32::new(0);
    if (is(request, "ping") || is(request, "barewire/unknown")) && request["id"].is_string() {
        IN_A_ROW.fetch_add(1, Ordering::Relaxed) == number
    } else {
        IN_A_ROW.store(0, Ordering::Relaxed);
        false
    }
}

fn version(request: &Value) -> &str {
    request["params"]["protocolVersion"].as_str().unwrap_or_default()
}

fn meta(request: &Value) -> Option<&serde_json::Map<String, Value>> {
    request["params"]["_meta"]
        .as_object()
        .filter(|meta| meta.keys().any(|key| key.starts_with("io.modelcontextprotocol/")))
}

fn modern_result() -> Value {
    json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "demo", "version": "1"}}})
}

/// Changes each result.
fn edit_result(lines: &mut [String], change: impl Fn(&mut serde_json::Map<String, Value>)) {
    edit(lines, |message| {
        if let Some(result) = message.get_mut("result").and_then(Value::as_object_mut) {
            change(result);
        }
    });
}

/// Replaces the answer by a result.
fn succeed(request: &Value, lines: &mut [String], result: &Value) {
    let mut result = result.clone();
    if let (Some(_), Some(result)) = (meta(request), result.as_object_mut()) {
        for (name, value) in modern_result().as_object().into_iter().flatten() {
            result.insert(name.clone(), value.clone());
        }
    }
    edit(lines, |message| {
        message.remove("error");
        message.insert("result".to_owned(), result.clone());
    });
}

/// Replaces a result by an error.
fn fail(lines: &mut [String], code: i32) {
    edit(lines, |message| {
        if message.remove("result").is_some() {
            message.insert("error".to_owned(), json!({"code": code, "message": "No"}));
        }
    });
}

/// Changes each message.
fn edit(lines: &mut [String], change: impl Fn(&mut serde_json::Map<String, Value>)) {
    for line in lines {
        let mut message: Value = serde_json::from_str(line).expect("a message");
        if let Some(members) = message.as_object_mut() {
            change(members);
        }
        *line = message.to_string();
    }
}

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    if name == "--list" {
        for (name, rows, _) in FAULTS {
            println!("{name}\t{rows}");
        }
        println!("{NEVER_ENDS}\t92");
        for (era, method, rows) in METHODS {
            println!("silent:{era}:{method}\t{rows}");
            println!("late:{era}:{method}\t{rows}");
            println!("twice:{era}:{method}\t1.1");
        }
        return ExitCode::SUCCESS;
    }
    if name == "--good" {
        for name in GOOD {
            println!("{name}");
        }
        return ExitCode::SUCCESS;
    }
    process_fault(&name);
    let fault = FAULTS.iter().find(|(known, ..)| *known == name).map(|(.., fault)| *fault);
    let parts: Vec<&str> = name.splitn(3, ':').collect();
    let is_known = fault.is_some() || name == NEVER_ENDS || GOOD.contains(&name.as_str()) || parts.len() == 3;
    if !is_known {
        eprintln!("no such fault: {name}");
        return ExitCode::from(2);
    }
    let mut has_session = false;
    serve(|request, mut lines| {
        has_session |= is(request, "initialize") && is_of(request, "legacy");
        let mut delay = Duration::ZERO;
        match (parts.as_slice(), name.as_str()) {
            ([kind, era, method], _) if is(request, method) && is_of(request, era) => match *kind {
                "silent" => lines.clear(),
                "late" => {
                    delay = LATE[usize::from(is(request, "initialize") || is(request, "server/discover"))]
                }
                _ => lines = lines.iter().chain(&lines).cloned().collect(),
            },
            (_, "one-at-a-time") if is_quick(request) => sleep(Duration::from_millis(120)),
            (_, "odd" | "odd-and-bare") => {
                delay = odd(request, &mut lines, has_session, name == "odd-and-bare")
            }
            (_, "legacy-only" | "legacy-only-and-silent-before") if meta(request).is_some() => {
                fail_always(request, &mut lines, -32601);
                if name != "legacy-only" && !has_session {
                    lines.clear();
                }
            }
            (_, "modern-only") if is_of(request, "legacy") && request["method"].is_string() => {
                fail_always(request, &mut lines, if is(request, "initialize") { -32022 } else { -32602 });
            }
            _ => {
                if let Some(fault) = fault {
                    fault(request, &mut lines);
                }
            }
        }
        (lines, delay)
    });
    if name == NEVER_ENDS {
        sleep(Duration::from_secs(3600));
    }
    ExitCode::SUCCESS
}

fn is_quick(request: &Value) -> bool {
    ["ping", "server/discover", "barewire/unknown"].iter().any(|method| is(request, method))
}

fn is_of(request: &Value, era: &str) -> bool {
    meta(request).is_some() == (era == "modern")
}

/// Replaces the answer by an error.
fn fail_always(request: &Value, lines: &mut Vec<String>, code: i32) {
    lines.clear();
    if request["id"].is_string() || request["id"].is_number() {
        lines.push(
            json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": "No"}})
                .to_string(),
        );
    }
}

/// Behaviour that the specification allows and few servers have: late answers and answers out of order, unsolicited
/// messages, unknown members, white space, escapes, unusual error texts. Returns the time to wait.
fn odd(request: &Value, lines: &mut Vec<String>, has_session: bool, is_bare: bool) -> Duration {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    if is_bare {
        edit_result(lines, |result| {
            if let Some(capabilities) = result.get_mut("capabilities") {
                *capabilities = json!({"experimental": {"x": {}}});
            }
        });
        let chapters =
            ["tools/", "resources/", "prompts/", "completion/", "logging/", "tasks/", "subscriptions/"];
        let method = request["method"].as_str().unwrap_or_default();
        if chapters.iter().any(|chapter| method.starts_with(chapter)) {
            fail_always(request, lines, -32601);
        }
    }
    // A line that is not a request need not be answered.
    if request.is_null() || request["method"].is_number() {
        lines.clear();
    }
    let is_acknowledgement = is(request, "subscriptions/listen");
    edit(lines, |message| {
        message.insert("barewire".to_owned(), json!([{"method": "ping"}]));
        if let Some(error) = message.get_mut("error") {
            error["message"] = json!("不\u{1F600}\u{202e}\n");
            error["more"] = json!(null);
        }
        if let Some(result) = message.get_mut("result").and_then(Value::as_object_mut)
            && !result.is_empty()
        {
            result.insert("x-odd".to_owned(), json!(1.5e300));
        }
    });
    if !is_acknowledgement {
        for line in lines.iter_mut() {
            *line = spaced(line);
        }
    }
    let log = r#" {"\u006dethod":"notifications\/message","params":{"level":"info","data":null},"jsonrpc":"2\u002e0"}"#;
    lines.insert(0, log.to_owned());
    lines.push(String::new());
    if has_session && (is(request, "initialize") || count.is_multiple_of(7)) {
        lines.insert(
            0,
            format!(
                r#"{{"params":{{}},"method":"p\u0069ng","id":98765432109876543210{count},"jsonrpc":"2.0"}}"#
            ),
        );
    }
    if has_session && is(request, "notifications/initialized") {
        lines.push(r#"{"jsonrpc":"2.0","id":"\u0061","method":"roots/list"}"#.to_owned());
    }
    if is(request, "tools/list") {
        return Duration::from_millis(700);
    }
    // A later request is answered first.
    Duration::from_millis([30, 0, 15][count as usize % 3])
}

/// The same message with white space between its tokens, its first members spelled with escapes, and their order
/// reversed.
fn spaced(line: &str) -> String {
    let message: Value = serde_json::from_str(line).expect("a message");
    let members = message.as_object().into_iter().flatten().rev();
    let members: Vec<String> = members
        .map(|(name, value)| {
            let (first, rest) = name.split_at(1);
            let value = match value.as_str() {
                // An id, or the version.
                Some(text) if !text.is_empty() && text.is_ascii() && !text.contains(['"', '\\']) => {
                    format!("\"\\u{:04x}{}\"", text.as_bytes()[0], &text[1..])
                }
                _ => value.to_string(),
            };
            format!("\t\"\\u{:04x}{rest}\" :  {value} ", first.as_bytes()[0])
        })
        .collect();
    format!("  {{ {} }}\t\r", members.join(","))
}

/// The demo server and its application.
type Demonstration = (Server<Heap>, Demo<NoHost>);

/// `change` gets each line of the client and the answers to it, and returns the output and its delay.
fn serve(mut change: impl FnMut(&Value, Vec<String>) -> (Vec<String>, Duration)) {
    let mut server = (Server::with_storage(Heap::new()), Demo::new(NoHost));
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let request = serde_json::from_slice(&line).unwrap_or_default();
        let (lines, delay) = change(&request, answers(&mut server, line.trim_ascii_end()));
        if delay.is_zero() {
            write(&lines);
        } else {
            thread::spawn(move || {
                sleep(delay);
                write(&lines);
            });
        }
        line.clear();
    }
}

fn write(lines: &[String]) {
    let mut output = io::stdout().lock();
    for line in lines {
        // The client has closed its end.
        if writeln!(output, "{line}").and_then(|()| output.flush()).is_err() {
            exit(0);
        }
    }
}

/// Answers of the server without fault.
fn answers((server, app): &mut Demonstration, frame: &[u8]) -> Vec<String> {
    let mut memory = Vec::new();
    let mut out = Sink::growable(&mut memory, 1 << 20);
    let mut frame = Frame::new(frame);
    while !frame.is_done() {
        let _ = server.receive(Origin::ONLY, &mut frame, app, &mut out);
    }
    while let Sent::To(_) = server.poll(|_| true, app, &mut out) {}
    String::from_utf8_lossy(&memory).lines().map(str::to_owned).collect()
}

fn process_fault(name: &str) {
    if !PROCESS.contains(&name) {
        return;
    }
    let mut output = io::stdout().lock();
    let endless: &[u8] = match name {
        "exits-at-once" => exit(0),
        "hangs" => loop {
            sleep(Duration::from_secs(3600));
        },
        "reads-nothing-and-ends-output" => exit(3),
        "floods" => b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n",
        "garbage" => b"\xff\0{[\"\n}\x1b[2J{\"\n",
        _ => b"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    };
    let block = endless.repeat(1000);
    while output.write_all(&block).is_ok() {}
    exit(0)
}
