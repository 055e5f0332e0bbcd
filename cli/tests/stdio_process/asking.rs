//! Questions to the client and tasks, over pipes.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::program::Session;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"t","version":"1"}}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn session() -> Session {
    let mut session = Session::serve(&[]);
    session.ask(INITIALIZE);
    session.send(READY);
    session
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).expect("JSON")
}

fn request(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn call(id: u32, tool: &str, arguments: &Value) -> String {
    request(id, "tools/call", &json!({"name": tool, "arguments": arguments}))
}

fn reply(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

#[test]
fn a_legacy_client_answers_for_its_user_its_model_and_itself() {
    let mut session = session();
    let rows = [
        (
            "set_limit",
            json!({"max": 12}),
            "elicitation/create",
            json!({"action": "accept", "content": {"yes": true}}),
            json!(["12"]),
        ),
        (
            "summarize",
            json!({"text": "Long,\n\"quoted\" 😀 text."}),
            "sampling/createMessage",
            json!({"role": "assistant", "content": {"type": "text", "text": "Short 😀."}, "model": "m"}),
            json!(["Short 😀."]),
        ),
        (
            "list_roots",
            json!({}),
            "roots/list",
            json!({"roots": [{"uri": "file:///a"}, {"uri": "file:///b", "name": "B"}]}),
            json!(["file:///a", "file:///b"]),
        ),
    ];
    let mut ids = Vec::new();
    for (tool, arguments, method, answer, texts) in rows {
        let question = parsed(&session.ask(&call(7, tool, &arguments)));
        assert_eq!(question["method"], method);
        assert!(!ids.contains(&question["id"]), "an id twice");
        ids.push(question["id"].clone());
        // Others are served meanwhile.
        session.assert_silent(method);
        let found = parsed(&session.ask(&reply(&question["id"], &answer)));
        assert_eq!(found["id"], 7);
        let content = found["result"]["content"].as_array().expect("content").iter();
        let content: Vec<&Value> = content.map(|block| &block["text"]).collect();
        assert_eq!(json!(content), texts, "{tool}");
        // Once.
        session.send(&reply(&question["id"], &answer));
        session.assert_silent("an answer too many");
    }
    let outcome = session.close();
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", ""));
}

fn modern(id: u32, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
    });
    request(id, method, &params)
}

#[test]
fn a_modern_client_answers_with_the_request_made_again() {
    let mut session = Session::serve(&[]);
    let params = json!({"name": "set_limit", "arguments": {"max": 12}});
    let found = parsed(&session.ask(&modern(1, "tools/call", params.clone())));
    assert_eq!(found["result"]["resultType"], "input_required");
    let mut again = params;
    again["requestState"] = found["result"]["requestState"].clone();
    again["inputResponses"] = json!({"sure": {"action": "accept", "content": {"yes": true}}});
    let found = parsed(&session.ask(&modern(2, "tools/call", again)));
    assert_eq!(found["result"]["content"][0]["text"], "12");
    session.assert_silent("the answer");
}

/// Milliseconds since 1970, of a time as it is written.
fn milliseconds(text: &Value) -> u128 {
    let text = text.as_str().expect("a time");
    let number = |range: std::ops::Range<usize>| text[range].parse::<i64>().expect("a number");
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    // Days since 1970, by the count of the leap years before.
    let leap = |year: i64| year / 4 - year / 100 + year / 400;
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let lengths = [31, 28 + i64::from(is_leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let months: i64 = lengths.iter().take(usize::try_from(month - 1).expect("a month")).sum();
    let days = (year - 1970) * 365 + leap(year - 1) - leap(1969) + months + day - 1;
    let seconds = ((days * 24 + number(11..13)) * 60 + number(14..16)) * 60 + number(17..19);
    assert_eq!((&text[19..20], &text[23..]), (".", "Z"), "{text}");
    u128::try_from(seconds * 1000 + number(20..23)).expect("after 1970")
}

fn now() -> u128 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("a clock that is right").as_millis()
}

#[test]
fn a_task_of_a_legacy_client() {
    let mut session = session();
    let before = now();
    let params = json!({
        "name": "simulate",
        "arguments": {"ms": 300},
        "task": {"ttl": 60000},
        "_meta": {"progressToken": "p"},
    });
    let found = parsed(&session.ask(&request(1, "tools/call", &params)));
    let task = found["result"]["task"].clone();
    assert_eq!((&task["status"], &task["ttl"]), (&json!("working"), &json!(60000)));
    let created = milliseconds(&task["createdAt"]);
    // The engine is told the time with each line.
    assert!(before <= created && created <= now(), "{before} {created}");
    let about = json!({"taskId": task["taskId"]});
    session.send(&request(2, "tasks/result", &about));
    let mut steps = Vec::new();
    let result = loop {
        let line = parsed(&session.line());
        if line.get("id").is_some() {
            break line;
        }
        assert_eq!(line["method"], "notifications/progress");
        let related = &line["params"]["_meta"]["io.modelcontextprotocol/related-task"];
        assert_eq!(*related, about);
        steps.push(line["params"]["progress"].as_i64().expect("a number"));
    };
    assert!(!steps.is_empty() && steps.is_sorted_by(|a, b| a < b), "{steps:?}");
    assert_eq!(result["id"], 2);
    assert_eq!(result["result"]["content"], json!([{"type": "text", "text": "done"}]));
    let status = parsed(&session.line());
    assert_eq!(status["method"], "notifications/tasks/status");
    assert_eq!(status["params"]["status"], "completed");
    let updated = milliseconds(&status["params"]["lastUpdatedAt"]);
    assert!(created <= updated && updated <= now());
    let listed = parsed(&session.ask(&request(3, "tasks/list", &json!({}))));
    assert_eq!(listed["result"]["tasks"][0]["taskId"], task["taskId"]);
    assert_eq!(listed["result"]["tasks"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_task_of_a_modern_client_that_listens_and_one_that_is_cancelled() {
    let mut session = Session::serve(&[]);
    let start = |session: &mut Session, id: u32, ms: u32| {
        let params = json!({"name": "simulate", "arguments": {"ms": ms}});
        let found = parsed(&session.ask(&modern(id, "tools/call", params)));
        assert_eq!(found["result"]["resultType"], "task");
        found["result"]["taskId"].clone()
    };
    let task = start(&mut session, 1, 400);
    let listening = json!({"notifications": {"taskIds": [task]}});
    let found = parsed(&session.ask(&modern(2, "subscriptions/listen", listening)));
    assert_eq!(found["params"]["notifications"]["taskIds"], json!([task]));
    let told = parsed(&session.line());
    assert_eq!(told["method"], "notifications/tasks");
    assert_eq!(told["params"]["status"], "completed");
    assert_eq!(told["params"]["result"]["content"][0]["text"], "done");
    let other = start(&mut session, 3, 600_000);
    assert_ne!(task, other);
    let found = parsed(&session.ask(&modern(4, "tasks/cancel", json!({"taskId": other}))));
    assert_eq!(found["result"]["resultType"], "complete");
    let found = parsed(&session.ask(&modern(5, "tasks/get", json!({"taskId": other}))));
    assert_eq!(found["result"]["status"], "cancelled");
}

#[test]
fn the_end_of_the_input_answers_a_call_that_waits_for_its_client() {
    let start = Instant::now();
    let mut session = session();
    let question = parsed(&session.ask(&call(7, "list_roots", &json!({}))));
    assert_eq!(question["method"], "roots/list");
    let outcome = session.close();
    // The client cannot answer any more, so the server does not even wait for the drain time.
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let lines: Vec<Value> = outcome.stdout.lines().map(parsed).collect();
    let [given_up, answer] = lines.as_slice() else {
        panic!("{}", outcome.stdout);
    };
    assert_eq!(answer["id"], 7);
    assert!(answer["result"]["content"].is_array(), "{answer}");
    assert_eq!(given_up["method"], "notifications/cancelled");
    assert_eq!(given_up["params"]["requestId"], question["id"]);
}

#[test]
fn the_end_of_the_input_waits_for_no_task_but_for_its_result_if_that_is_wanted() {
    let task = json!({"name": "simulate", "arguments": {"ms": 600_000}, "task": {}});
    let start = Instant::now();
    let mut session = session();
    session.ask(&request(1, "tools/call", &task));
    let outcome = session.close();
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
    let mut session = self::session();
    let short = json!({"name": "simulate", "arguments": {"ms": 300}, "task": {}});
    let found = parsed(&session.ask(&request(1, "tools/call", &short)));
    session.send(&request(2, "tasks/result", &json!({"taskId": found["result"]["task"]["taskId"]})));
    let outcome = session.close();
    let first = parsed(outcome.stdout.lines().next().expect("a line"));
    assert_eq!((&first["id"], &first["result"]["isError"]), (&json!(2), &json!(false)));
}
