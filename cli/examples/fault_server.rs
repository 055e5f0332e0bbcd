//! A server with one fault, for programs that look for faults.
//!
//! ```sh
//! cargo run -q --features std --example fault_server -- --list
//! cargo run -q --features std --example fault_server -- id-as-string
//! ```
//!
//! It is the demo server, between whose messages and the streams the fault is made. Without a name it has none.

use std::io::{self, BufRead, Write};
use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use barewire::bytes::Sink;
use barewire::demo::{Demo, NoHost};
use barewire::engine::{Full, Server, Status};
use serde_json::{Value, json};

/// What each fault is made of: the line of the client, and the lines of a server without fault, to be changed.
type Fault = fn(&Value, &mut Vec<String>);

/// Each with the number of the requirement that it breaks.
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
    ("result-null", "10", |request, out| if is(request, "notifications/initialized") {
        out.push(r#"{"jsonrpc":"2.0","id":"nobody's","result":null}"#.to_owned());
    }),
    ("takes-array-params", "11", |request, out| if request["params"].is_array() { succeed(out, &json!({"tools": []})); }),
    ("half-a-batch", "12", |request, out| if request.is_array() && out.len() > 1 { out.pop(); }),
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
    ("forgets-when-busy", "18", |request, out| if is_in_a_row(request, 15) { out.clear(); }),
    ("answers-responses", "19", |request, out| if !request["result"].is_null() && request["id"] == 987_654 {
        out.push(r#"{"jsonrpc":"2.0","id":987654,"error":{"code":-32600,"message":"Invalid Request"}}"#.to_owned());
    }),
    ("ignores-case", "20", |request, out| if is(request, "PING") { succeed(out, &json!({})); }),
    ("version-of-its-own", "21", |request, out| if version(request) == "2025-11-25" {
        edit_result(out, |result| result["protocolVersion"] = json!("1.0"));
    }),
    ("refuses-unknown-versions", "22", |request, out| if version(request) == "1999-12-31" { fail(out, -32602); }),
    ("no-server-version", "23", |request, out| if is(request, "initialize") {
        edit_result(out, |result| { result["serverInfo"] = json!({"name": "nobody"}); });
    }),
    ("talks-before-initialized", "26", |request, out| if is(request, "initialize") && meta(request).is_none() {
        out.push(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_owned());
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
    ("result-type-too-early", "36 L", |request, out| if meta(request).is_none() && is(request, "tools/list") {
        edit_result(out, |result| { result.insert("resultType".to_owned(), json!("complete")); });
    }),
    ("anonymous", "37", |request, out| if meta(request).is_some() { edit_result(out, |result| { result.remove("_meta"); }); }),
    ("still-pings", "39", |request, out| if is(request, "ping") && meta(request).is_some() { succeed(out, &modern_result()); }),
    ("discovers-less-than-it-has", "40", |request, out| if is(request, "server/discover") { hide_prompts(out); }),
    ("asks-a-modern-client", "41", |request, out| if meta(request).is_some() && is(request, "tools/list") {
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
        succeed(out, &modern_result());
    }),
    ("answers-cancelled-subscriptions", "58", |request, out| if request["params"]["requestId"] == 940_001 {
        out.push(json!({"jsonrpc": "2.0", "id": 940_001, "result": modern_result()}).to_string());
    }),
    ("any-level-is-fine", "63", |request, out| if request["params"]["level"] == "loud" { succeed(out, &json!({})); }),
    ("progress-unasked", "64", |request, out| if is(request, "tools/list") {
        out.insert(0, r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#.to_owned());
    }),
    ("answers-cancellations", "66", |request, out| if request["params"]["requestId"] == 4711 {
        out.push(r#"{"jsonrpc":"2.0","id":4711,"error":{"code":-32602,"message":"Unknown request"}}"#.to_owned());
    }),
    ("pages-without-end", "69", |request, out| if request["params"]["cursor"] == "again" {
        succeed(out, &json!({"tools": [], "nextCursor": "again"}));
    } else if is(request, "tools/list") && meta(request).is_none() {
        edit_result(out, |result| { result.insert("nextCursor".to_owned(), json!("again")); });
    }),
    ("any-cursor-is-fine", "70", |request, out| if request["params"]["cursor"] == "barewire-check-no-such-cursor" {
        succeed(out, &json!({"tools": []}));
    }),
    ("unknown-tool-is-a-result", "71", |request, out| if request["params"]["name"] == "barewire-check-no-such-tool" {
        succeed(out, &json!({"content": [], "isError": true}));
    }),
    ("schema-without-type", "75", |request, out| if is(request, "tools/list") {
        edit_result(out, |result| result["tools"][0]["inputSchema"] = json!({}));
    }),
    ("unknown-prompt-is-internal", "77", |request, out| if is(request, "prompts/get") {
        edit(out, |message| message["error"]["code"] = json!(-32603));
    }),
    ("unknown-resource-is-internal", "78", |request, out| if is(request, "resources/read") && meta(request).is_none() {
        edit(out, |message| message["error"]["code"] = json!(-32603));
    }),
    ("legacy-code-in-2026-07-28", "78 M", |request, out| if is(request, "resources/read") && meta(request).is_some() {
        edit(out, |message| message["error"]["code"] = json!(-32002));
    }),
    ("code-of-its-own", "83", |request, out| if is(request, "prompts/list") && meta(request).is_some() { fail(out, -32050); }),
    // A second request, where the first was of the modern era.
    ("no-way-back", "85", |request, out| if is(request, "initialize") && request["id"] == "c2" { fail(out, -32600); }),
];

fn hide_prompts(lines: &mut [String]) {
    edit_result(lines, |result| {
        if let Some(capabilities) = result["capabilities"].as_object_mut() {
            capabilities.remove("prompts");
        }
    });
}

/// What happens at the end of the input.
const NEVER_ENDS: &str = "never-ends";

/// Faults of the process, which break everything, or the checker.
const PROCESS: &[&str] = &[
    "exits-at-once",
    "hangs",
    "floods",
    "garbage",
    "one-endless-line",
    "reads-nothing-and-ends-output",
];

fn is(request: &Value, method: &str) -> bool {
    request["method"] == method
}

/// Whether it is the ping that comes after so many others of the checker, without anything else in between.
fn is_in_a_row(request: &Value, number: u32) -> bool {
    static IN_A_ROW: AtomicU32 = AtomicU32::new(0);
    if is(request, "ping") && request["id"].is_string() {
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
    json!({"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "demo", "version": "1"}}})
}

/// Changes each result.
fn edit_result(lines: &mut [String], change: impl Fn(&mut serde_json::Map<String, Value>)) {
    edit(lines, |message| {
        if let Some(result) = message.get_mut("result").and_then(Value::as_object_mut) {
            change(result);
        }
    });
}

/// Puts a result in the place of whatever it was.
fn succeed(lines: &mut [String], result: &Value) {
    edit(lines, |message| {
        message.remove("error");
        message.insert("result".to_owned(), result.clone());
    });
}

/// Puts an error in the place of a result.
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
        for (name, number, _) in FAULTS {
            println!("{name}\t{number}");
        }
        println!("{NEVER_ENDS}\t92");
        return ExitCode::SUCCESS;
    }
    process_fault(&name);
    let fault = FAULTS
        .iter()
        .find(|(known, ..)| *known == name)
        .map(|(.., fault)| *fault);
    if fault.is_none() && name != NEVER_ENDS && !name.is_empty() {
        eprintln!("no such fault: {name}");
        return ExitCode::from(2);
    }
    serve(fault.unwrap_or(|_, _| {}));
    if name == NEVER_ENDS {
        sleep(Duration::from_secs(3600));
    }
    ExitCode::SUCCESS
}

type Demonstration = Server<Demo<NoHost>, Full, 16, 64, 256, 64, 4>;

fn serve(fault: Fault) {
    let mut server = Demonstration::new(Demo::new(NoHost));
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let request = serde_json::from_slice(&line).unwrap_or_default();
        let mut out: Vec<String> = answers(&mut server, line.trim_ascii_end());
        fault(&request, &mut out);
        for text in out {
            // A client that has gone is the end.
            if writeln!(output, "{text}").and_then(|()| output.flush()).is_err() {
                return;
            }
        }
        line.clear();
    }
}

/// What the server without fault answers.
fn answers(server: &mut Demonstration, frame: &[u8]) -> Vec<String> {
    let mut memory = Vec::new();
    let mut out = Sink::growable(&mut memory, 1 << 20);
    let mut status = server.handle_frame(frame, &mut out);
    while status == Status::More {
        status = server.handle_frame(frame, &mut out);
    }
    String::from_utf8_lossy(&memory)
        .lines()
        .map(str::to_owned)
        .collect()
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
