//! Tasks of the extension of 2026-07-28: the server makes them, if the client takes them.

use core::time::Duration;

use barewire::engine::{
    AskError, CallError, Fixed, Full, NotInFlight, Options, Progress, Server, TaskEnd, TaskToken, ToolContent,
};
use barewire::mcp::{Elicitation, InputRequest, Schema};
use barewire::rpc::ErrorCode;
use serde_json::{Value, json};

use crate::engine_kit::{
    App, Hosted, Replied, Status, answer, answer_in, answer_text, cancel, error, given_up, initialize_with,
    json, modern_of, reply, request, written,
};

const EXTENSION: &str = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
const ALL: &str = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{},"roots":{}}"#;

type Tasks<const S: usize = 2> = Hosted<App, Fixed<Full, 4, S>>;

fn server() -> Tasks {
    server_of(App::of_tasks())
}

fn server_of<const S: usize>(app: App) -> Tasks<S> {
    Hosted::of(Server::with_storage(Fixed::new()), app)
}

fn call_as(id: &str, tool: &str, capabilities: &str) -> String {
    modern_of(id, "tools/call", &format!(r#""name":"{tool}""#), capabilities)
}

fn start<const S: usize>(server: &mut Tasks<S>) -> (String, TaskToken) {
    let found = json(&answer(server, &call_as("1", "optional", ALL)));
    let id = found["result"]["taskId"].as_str().expect("a task").to_string();
    (id, *server.handler().log.tasks.last().expect("a token"))
}

fn about(method: &str, task: &str, members: &str) -> String {
    modern_of("2", method, &format!(r#""taskId":"{task}"{members}"#), ALL)
}

fn get<const S: usize>(server: &mut Tasks<S>, task: &str) -> Value {
    json(&answer(server, &about("tasks/get", task, "")))
}

fn finish<const S: usize>(
    server: &mut Tasks<S>,
    token: TaskToken,
    end: TaskEnd,
) -> (String, Result<Status, NotInFlight>) {
    written(server, 4096, |server, out| server.finish_task(token, end, out))
}

#[test]
fn which_calls_become_tasks() {
    let refused = r#"{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#;
    for (tool, capabilities, wanted) in [
        ("optional", "{}", "direct"),
        ("optional", EXTENSION, "task"),
        ("required", "{}", refused),
        ("required", EXTENSION, "task"),
        ("never", "{}", "direct"),
        ("never", EXTENSION, "direct"),
        ("hasty", "{}", "direct"),
        ("hasty", EXTENSION, "direct"),
        // What is no declaration.
        ("optional", r#"{"extensions":{"io.modelcontextprotocol/tasks":true}}"#, "direct"),
        ("optional", r#"{"extensions":{"io.modelcontextprotocol/Tasks":{}}}"#, "direct"),
        ("optional", r#"{"tasks":{},"extensions":{}}"#, "direct"),
        ("required", r#"{"extensions":[]}"#, refused),
    ] {
        let mut server = server();
        let found = json(&answer(&mut server, &call_as("1", tool, capabilities)));
        let row = format!("{tool} {capabilities}");
        if wanted == refused {
            assert_eq!(found["error"]["code"], -32021, "{row}");
            assert_eq!(found["error"]["data"].to_string(), refused, "{row}");
        } else if wanted == "task" {
            assert_eq!(found["result"]["resultType"], "task", "{row}");
        } else {
            assert_eq!(found["result"]["resultType"], "complete", "{row}");
            assert_eq!(found["result"]["content"][0]["text"], wanted, "{row}");
        }
        assert_eq!(server.handler().log.tasks.is_empty(), wanted != "task", "{row}");
    }
    // What one request declares, the next one does not.
    let mut server = server();
    answer(&mut server, &call_as("1", "optional", EXTENSION));
    let found = json(&answer(&mut server, &call_as("1", "optional", "{}")));
    assert_eq!(found["result"]["resultType"], "complete");
    // The parameter of 2025-11-25 means nothing.
    for task in ["{}", r#"{"ttl":-1}"#, "7"] {
        let members = format!(r#""name":"never","task":{task}"#);
        let found = json(&answer(&mut server, &modern_of("1", "tools/call", &members, EXTENSION)));
        assert_eq!(found["result"]["content"][0]["text"], "direct", "{task}");
    }
}

#[test]
fn a_task_byte_for_byte() {
    let options = Options::DEFAULT
        .with_task_ttl(Duration::from_millis(7000))
        .with_task_poll_interval(Duration::from_millis(50));
    let mut server: Tasks = Hosted::with_options(App::of_tasks(), options);
    let task = concat!(
        r#""taskId":"e220a8397b1dcdaf","status":"working","createdAt":"1970-01-01T00:00:00.000Z","#,
        r#""lastUpdatedAt":"1970-01-01T00:00:00.000Z","ttlMs":7000,"pollIntervalMs":50,"#,
        r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"app","version":"1"}}"#
    );
    assert_eq!(
        answer(&mut server, &call_as("1", "optional", ALL)),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"resultType\":\"task\",{task}}}}}\n")
    );
    assert_eq!(
        answer(&mut server, &about("tasks/get", "e220a8397b1dcdaf", "")),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"resultType\":\"complete\",{task}}}}}\n")
    );
    assert_eq!(server.next_deadline(), Some(Duration::from_millis(7000)));
}

#[test]
fn what_each_end_is() {
    /// How the task ends, what its status is then, what it has come to, and whose it is.
    type Row = (TaskEnd, &'static str, Value, fn() -> App);
    let rows: [Row; 4] = [
        (
            TaskEnd::Completed,
            "completed",
            json!({"result": {"content": [{"type": "text", "text": "the result"}], "isError": false}}),
            App::of_tasks,
        ),
        // A tool's own failure is a result like any other.
        (
            TaskEnd::ToolError,
            "completed",
            json!({"result": {"content": [{"type": "text", "text": "too hot"}], "isError": true}}),
            || App { task_result: |_, _, _| Err(CallError::Failed("too hot")), ..App::of_tasks() },
        ),
        (
            TaskEnd::ToolError,
            "completed",
            json!({"result": {"content": [{"type": "text", "text": "a"}], "isError": true, "structuredContent": {"b": 1}, "_meta": {"c": 2}}}),
            || App {
                task_result: |_, _, content| {
                    let meta = barewire::json::RawValue::new(br#"{"c":2}"#).expect("JSON");
                    let content = content.set_error().structured_with(|json| {
                        json.begin_object().name("b").integer(1).end_object();
                    });
                    Ok(content.meta(meta.as_object().expect("an object")).done())
                },
                ..App::of_tasks()
            },
        ),
        (TaskEnd::Error, "failed", json!({"error": {"code": -7, "message": "broken", "data": [1]}}), || {
            App {
                task_result: |_, _, content| {
                    // What was written before is taken back.
                    let _ = content.text("half");
                    Err(CallError::Refused {
                        code: ErrorCode(-7),
                        message: "broken",
                        data: barewire::json::RawValue::new(b"[1]").ok(),
                    })
                },
                ..App::of_tasks()
            }
        }),
    ];
    for (end, status, wanted, app) in rows {
        let mut server: Tasks = server_of(app());
        let (id, token) = start(&mut server);
        assert_eq!(finish(&mut server, token, end), (String::new(), Ok(Status::Done)));
        for _ in 0..2 {
            let found = get(&mut server, &id)["result"].clone();
            assert_eq!(found["resultType"], "complete");
            assert_eq!(found["status"], status);
            for member in ["result", "error"] {
                let (mut found, mut wanted) = (found.get(member).cloned(), wanted.get(member).cloned());
                if let (Some(found), Some(wanted)) = (&mut found, &mut wanted)
                    && wanted.get("structuredContent").is_some()
                {
                    // The text is that of the structured content.
                    found["content"] = Value::Null;
                    wanted["content"] = Value::Null;
                }
                assert_eq!(found, wanted, "{status} {member}");
            }
            assert!(found.get("inputRequests").is_none());
        }
        assert_eq!(finish(&mut server, token, end).1, Err(NotInFlight));
    }
}

/// The codes and the data of the revision included.
#[test]
fn the_error_of_a_task_is_that_of_a_call() {
    type Result = fn(&mut crate::engine_kit::Log, TaskToken, ToolContent<'_, '_>) -> Replied<'static>;
    let rows: [(Value, Result); 2] = [
        (json!({"code": -32603, "message": "Internal error"}), |_, _, _| {
            Err(CallError::Refused {
                code: ErrorCode::URL_ELICITATION_REQUIRED,
                message: "Go there first",
                data: None,
            })
        }),
        (
            json!({
                "code": -32021,
                "message": "Missing required client capability",
                "data": {"requiredCapabilities": {"roots": {}}}
            }),
            |_, _, _| Err(CallError::MissingCapability(InputRequest::Roots.needs())),
        ),
    ];
    for (wanted, task_result) in rows {
        let mut server: Tasks = server_of(App { task_result, ..App::of_tasks() });
        let (id, token) = start(&mut server);
        let _ = finish(&mut server, token, TaskEnd::Error);
        assert_eq!(get(&mut server, &id)["result"]["error"], wanted);
    }
}

#[test]
fn tasks_are_for_clients_that_take_them() {
    let mut server = server();
    let (id, token) = start(&mut server);
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let members = format!(r#""taskId":"{id}","inputResponses":{{}}"#);
        let found = json(&answer(&mut server, &modern_of("1", method, &members, "{}")));
        assert_eq!(found["error"]["code"], -32021, "{method}");
        // Even what is no task.
        let found = json(&answer(&mut server, &modern_of("1", method, "", r#"{"roots":{}}"#)));
        assert_eq!(found["error"]["code"], -32021, "{method}");
        for wrong in ["x", "", &id[1..]] {
            assert_eq!(
                answer(&mut server, &about(method, wrong, r#","inputResponses":{}"#)),
                error("2", -32602, "Unknown task"),
                "{method}"
            );
        }
        for members in ["", r#""taskId":7"#, r#""taskId":null"#, r#""taskId":"a","taskId":"a""#] {
            assert_eq!(
                answer(&mut server, &modern_of("2", method, members, ALL)),
                error("2", -32602, "Invalid params"),
                "{method} {members}"
            );
        }
    }
    for method in ["tasks/result", "tasks/list"] {
        assert_eq!(answer(&mut server, &about(method, &id, "")), error("2", -32601, "Method not found"));
    }
    assert!(server.is_task_running(token));
}

#[test]
fn a_cancelled_task_is_over_and_saying_so_twice_does_no_harm() {
    let mut server = server();
    let (id, token) = start(&mut server);
    // The call is over, and its id means nothing.
    assert_eq!(answer(&mut server, &cancel("1")), "");
    assert!(server.is_task_running(token));
    for _ in 0..2 {
        let found = json(&answer(&mut server, &about("tasks/cancel", &id, "")))["result"].clone();
        let meta = json!({"io.modelcontextprotocol/serverInfo": {"name": "app", "version": "1"}});
        assert_eq!(found, json!({"resultType": "complete", "_meta": meta}));
    }
    assert_eq!(server.handler().log.events, ["task cancelled"]);
    let found = get(&mut server, &id)["result"].clone();
    assert_eq!(found["status"], "cancelled");
    assert!(found.get("result").is_none() && found.get("error").is_none());
    assert_eq!(finish(&mut server, token, TaskEnd::Completed).1, Err(NotInFlight));
    // What has ended otherwise stays as it is.
    let (id, token) = start(&mut server);
    assert_eq!(finish(&mut server, token, TaskEnd::Completed).1, Ok(Status::Done));
    answer(&mut server, &about("tasks/cancel", &id, ""));
    assert_eq!(get(&mut server, &id)["result"]["status"], "completed");
}

#[test]
fn a_full_table_lets_the_tool_answer_at_once() {
    let mut server = server();
    let (first, first_token) = start(&mut server);
    start(&mut server);
    let direct = |server: &mut Tasks| {
        let found = json(&answer(server, &call_as("1", "optional", ALL)));
        found["result"]["resultType"] == "complete"
    };
    assert!(direct(&mut server));
    assert_eq!(answer(&mut server, &call_as("1", "required", ALL)), error("1", -32603, "Server busy"));
    assert_eq!(finish(&mut server, first_token, TaskEnd::Completed).1, Ok(Status::Done));
    assert!(direct(&mut server));
    // Once the client has got the result there is room.
    assert!(get(&mut server, &first)["result"].get("result").is_some());
    start(&mut server);
    assert_eq!(get(&mut server, &first)["error"]["message"], "Unknown task");
    assert!(direct(&mut server));
}

#[test]
fn a_modern_task_reports_no_progress_behind_its_response() {
    let mut server = server();
    let line = request(
        "1",
        "tools/call",
        r#"{"name":"optional","_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}"#,
    );
    answer(&mut server, &line);
    let token = server.handler().log.tasks[0];
    let reported =
        written(&mut server, 512, |server, out| server.task_progress(token, Progress::new(1), out));
    assert_eq!(reported, (String::new(), Ok(false)));
}

fn listen<const S: usize>(server: &mut Tasks<S>, id: &str, tasks: &[&str], capabilities: &str) -> Value {
    let members = format!(r#""notifications":{{"taskIds":{}}}"#, json!(tasks));
    json(&answer(server, &modern_of(id, "subscriptions/listen", &members, capabilities)))
}

#[test]
fn streams_are_told_of_the_tasks_that_they_watch() {
    let mut server: Tasks<8> = server_of(App::of_tasks());
    let (first, first_token) = start(&mut server);
    let (second, second_token) = start(&mut server);
    let accepted = |found: &Value| found["params"]["notifications"].clone();
    let found = listen(&mut server, r#""a""#, &[&first, "nope", &second, &first], ALL);
    assert_eq!(accepted(&found)["taskIds"][0], first.as_str());
    assert_eq!(accepted(&found)["taskIds"][1], second.as_str());
    let found = listen(&mut server, "7", &[&first], ALL);
    assert_eq!(accepted(&found), json!({"taskIds": [first]}));
    let found = listen(&mut server, "8", &[], ALL);
    assert_eq!(accepted(&found), json!({"taskIds": []}));
    // Not without the extension.
    let found = listen(&mut server, "9", &[&first], "{}");
    assert_eq!(found["error"]["code"], -32021);
    let describe = |server: &mut Tasks<8>, token| {
        let (lines, status) = written(server, 4096, |server, out| server.describe_task(token, "busy", out));
        assert_eq!(status, Ok(Status::Done));
        lines
    };
    let told = |lines: &str| -> Vec<Value> {
        lines
            .lines()
            .map(|line| {
                let line = json(&format!("{line}\n"));
                assert_eq!(line["method"], "notifications/tasks");
                let params = &line["params"];
                json!([
                    params["_meta"]["io.modelcontextprotocol/subscriptionId"],
                    params["taskId"],
                    params["status"],
                    params["statusMessage"]
                ])
            })
            .collect()
    };
    assert_eq!(
        told(&describe(&mut server, first_token)),
        [json!(["a", first, "working", "busy"]), json!([7, first, "working", "busy"])]
    );
    assert_eq!(told(&describe(&mut server, second_token)), [json!(["a", second, "working", "busy"])]);
    // A stream that was ended hears nothing more; the result is told too.
    answer(&mut server, &cancel(r#""a""#));
    let (lines, _) = finish(&mut server, first_token, TaskEnd::Completed);
    assert_eq!(told(&lines), [json!([7, first, "completed", "busy"])]);
    assert!(lines.contains(r#""result":{"content":[{"type":"text","text":"the result"}],"isError":false}"#));
    assert_eq!(finish(&mut server, second_token, TaskEnd::Completed).0, "");
}

#[test]
fn a_notification_that_does_not_fit_waits_for_the_next_output_or_is_lost() {
    let mut server: Tasks<8> = server_of(App::of_tasks());
    let (task, token) = start(&mut server);
    listen(&mut server, "7", &[&task], ALL);
    listen(&mut server, "8", &[&task], ALL);
    let (whole, _) = written(&mut server, 4096, |server, out| server.describe_task(token, "busy", out));
    let one = whole.len() / 2;
    let (lines, status) = written(&mut server, one, |server, out| server.describe_task(token, "busy", out));
    assert_eq!((lines.as_str(), status), (&whole[..one], Ok(Status::More)));
    let (lines, status) = written(&mut server, one, |server, out| server.describe_task(token, "busy", out));
    assert_eq!((lines.as_str(), status), (&whole[one..], Ok(Status::Done)));
    server.handler_mut().log.events.clear();
    let (lines, status) =
        written(&mut server, one - 1, |server, out| server.describe_task(token, "busy", out));
    assert_eq!((lines.as_str(), status), ("", Ok(Status::Done)));
    assert_eq!(server.handler().log.events, ["no room", "no room"]);
    // The task itself is as it was.
    assert_eq!(get(&mut server, &task)["result"]["statusMessage"], "busy");
}

const FORM: Schema<'_> = Schema::new(r#"{"type":"object","properties":{}}"#);

fn asking() -> App {
    App {
        task_questions: |log, _, questions| {
            questions.ask("f", &Elicitation::form("Sure?", FORM).into());
            // Until it is answered.
            if log.notes.is_empty() {
                questions.ask("r", &InputRequest::Roots);
            }
        },
        task_answered: |log, _, answers| {
            let answers = ["f", "r"].map(|key| answer_text(answers.get(key)));
            log.notes.push(answers.join(" | "));
        },
        ..App::of_tasks()
    }
}

#[test]
fn a_task_asks_when_it_is_looked_at() {
    let mut server: Tasks = server_of(asking());
    let (id, token) = start(&mut server);
    listen(&mut server, "7", &[&id], ALL);
    let update = |server: &mut Tasks, responses: &str| {
        let members = format!(r#","inputResponses":{responses}"#);
        answer(server, &about("tasks/update", &id, &members))
    };
    // A task that does not ask takes no answers.
    assert!(update(&mut server, r#"{"f":{}}"#).contains(r#""resultType":"complete""#));
    assert!(server.handler().log.notes.is_empty());
    let wanted = json!({
        "f": {"method": "elicitation/create", "params": {"message": "Sure?", "requestedSchema": {"type": "object", "properties": {}}}},
        "r": {"method": "roots/list"},
    });
    let needs = |server: &mut Tasks| {
        let (lines, status) = written(server, 4096, |server, out| server.task_needs_input(token, out));
        assert_eq!(status, Ok(Status::Done));
        json(&lines)["params"].clone()
    };
    let told = needs(&mut server);
    assert_eq!((&told["status"], &told["inputRequests"]), (&json!("input_required"), &wanted));
    for _ in 0..2 {
        let found = get(&mut server, &id)["result"].clone();
        assert_eq!(found["status"], "input_required");
        assert_eq!(found["inputRequests"], wanted);
        assert_eq!(found["resultType"], "complete");
    }
    // Malformed answers are no answers.
    for responses in ["null", "[]", "7", r#"{},"inputResponses":{}"#] {
        assert_eq!(update(&mut server, responses), error("2", -32602, "Invalid params"), "{responses}");
    }
    assert_eq!(answer(&mut server, &about("tasks/update", &id, "")), error("2", -32602, "Invalid params"));
    assert_eq!(get(&mut server, &id)["result"]["status"], "input_required");
    let taken = |server: &mut Tasks, responses: &str| {
        let found = json(&update(server, responses));
        let meta = json!({"io.modelcontextprotocol/serverInfo": {"name": "app", "version": "1"}});
        assert_eq!(found["result"], json!({"resultType": "complete", "_meta": meta}));
        get(server, &id)["result"].clone()
    };
    // What answers none of them changes nothing.
    for responses in ["{}", r#"{"x":{"action":"accept"},"F":{}}"#] {
        let found = taken(&mut server, responses);
        assert_eq!(found["status"], "input_required", "{responses}");
        assert_eq!(found["inputRequests"], wanted);
        assert!(server.handler().log.notes.is_empty());
    }
    // Some of them, and some that nobody asked for: it waits for the rest.
    let found = taken(&mut server, r#"{"r":{"roots":[]},"x":{}}"#);
    assert_eq!(server.handler().log.notes, [r#"nothing | {"roots":[]}"#]);
    assert_eq!(found["status"], "input_required");
    assert_eq!(found["inputRequests"], json!({"f": wanted["f"]}));
    // The one that is left.
    let found = taken(&mut server, r#"{"f":{"action":"decline"},"r":7}"#);
    assert_eq!(
        server.handler().log.notes,
        [r#"nothing | {"roots":[]}"#, r#"{"action":"decline"} | nothing"#]
    );
    assert_eq!(found["status"], "working");
    assert!(found.get("inputRequests").is_none());
    // A task that has ended takes none.
    needs(&mut server);
    answer(&mut server, &about("tasks/cancel", &id, ""));
    update(&mut server, r#"{"f":{}}"#);
    assert_eq!(server.handler().log.notes.len(), 2);
}

#[test]
fn a_task_whose_client_cannot_be_asked_is_told_so() {
    let mut server: Tasks = server_of(asking());
    for capabilities in [EXTENSION, r#"{"extensions":{"io.modelcontextprotocol/tasks":{}},"roots":{}}"#] {
        answer(&mut server, &call_as("1", "optional", capabilities));
        let token = *server.handler().log.tasks.last().expect("a token");
        let asked = written(&mut server, 512, |server, out| server.task_needs_input(token, out));
        assert_eq!(asked, (String::new(), Err(AskError::MissingCapability)));
        assert!(server.is_task_running(token));
    }
    // Nor one that asks nothing.
    let mut server = self::server();
    let (id, token) = start(&mut server);
    let asked = written(&mut server, 512, |server, out| server.task_needs_input(token, out));
    assert_eq!(asked, (String::new(), Err(AskError::NothingAsked)));
    assert_eq!(get(&mut server, &id)["result"]["status"], "working");
}

#[test]
fn what_has_no_room_is_an_error_and_the_task_goes_on() {
    let mut server = server();
    let (id, token) = start(&mut server);
    let working = answer(&mut server, &about("tasks/get", &id, "")).len();
    assert_eq!(finish(&mut server, token, TaskEnd::Completed).1, Ok(Status::Done));
    let whole = answer(&mut server, &about("tasks/get", &id, ""));
    assert!(whole.len() > working);
    let mut again = self::server();
    let (id, token) = start(&mut again);
    assert_eq!(finish(&mut again, token, TaskEnd::Completed).1, Ok(Status::Done));
    for room in [96, working] {
        let found = answer_in(&mut again, room, &about("tasks/get", &id, ""));
        assert_eq!(found, error("2", -32603, "Response too large"), "{room}");
    }
    // Where there is room for it, the client learns that the task has ended.
    let found = json(&answer_in(&mut again, whole.len() - 1, &about("tasks/get", &id, "")));
    assert_eq!(found["result"]["status"], "completed");
    assert_eq!(found["result"]["error"], json!({"code": -32603, "message": "Response too large"}));
    // It counts as fetched only now.
    let (_, second) = start(&mut again);
    let third = json(&answer(&mut again, &call_as("1", "optional", ALL)));
    assert_eq!(third["result"]["content"][0]["text"], "direct");
    assert_eq!(answer_in(&mut again, whole.len(), &about("tasks/get", &id, "")), whole);
    start(&mut again);
    assert!(again.is_task_running(second));
}

#[test]
fn a_task_that_asks_in_one_era_is_answered_once_in_either() {
    let mut server: Tasks = server_of(asking());
    answer(&mut server, &initialize_with("2025-11-25", r#"{"elicitation":{},"roots":{}}"#));
    answer(&mut server, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let line = request("1", "tools/call", r#"{"name":"optional","task":{}}"#);
    let found = json(&answer(&mut server, &line));
    let id = found["result"]["task"]["taskId"].as_str().expect("a task").to_string();
    let token = server.handler().log.tasks[0];
    let (lines, status) = written(&mut server, 4096, |server, out| server.task_needs_input(token, out));
    assert_eq!((lines.lines().count(), status), (2, Ok(Status::Done)));
    let lines =
        answer(&mut server, &about("tasks/update", &id, r#","inputResponses":{"f":{"action":"cancel"}}"#));
    assert!(lines.ends_with(&given_up(1)), "{lines}");
    assert_eq!(answer(&mut server, &reply("1", "")), "");
    assert_eq!(server.handler().log.notes, [r#"{"action":"cancel"} | nothing"#]);
}

#[test]
fn a_task_is_known_in_both_eras() {
    let mut server = server();
    answer(&mut server, &initialize_with("2025-11-25", "{}"));
    answer(&mut server, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let (id, token) = start(&mut server);
    let legacy = |method: &str| request("5", method, &format!(r#"{{"taskId":"{id}"}}"#));
    let found = json(&answer(&mut server, &legacy("tasks/get")));
    assert_eq!((&found["result"]["ttl"], &found["result"]["status"]), (&json!(300_000), &json!("working")));
    assert!(found["result"].get("resultType").is_none());
    // The legacy session hears nothing of it, but may wait for it.
    assert_eq!(answer(&mut server, &legacy("tasks/result")), "");
    let (lines, _) = finish(&mut server, token, TaskEnd::ToolError);
    let meta = json!({"io.modelcontextprotocol/related-task": {"taskId": id}});
    assert_eq!(json(&lines)["result"]["_meta"], meta);
    let found = json(&answer(&mut server, &legacy("tasks/get")));
    assert_eq!(found["result"]["status"], "failed");
    assert_eq!(get(&mut server, &id)["result"]["status"], "completed");
}
