//! Tasks of 2025-11-25: calls that a client asks to be one, what becomes of them, and who hears of it.

use core::time::Duration;

use barewire::engine::{
    Address, AskError, CallError, Channel, Fixed, Frame, Full, NotInFlight, Options, Origin, Progress, Sent,
    Server, TaskEnd, TaskToken,
};
use barewire::mcp::InputRequest;
use barewire::rpc::ErrorCode;
use serde_json::{Value, json};

use crate::engine_kit::{
    App, Hosted, Shared, Status, answer, answer_in, cancel, error, initialize, initialize_with, json,
    request, result, text, written,
};

pub(crate) const ALL: &str = r#"{"elicitation":{},"roots":{}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

pub(crate) type Tasks<const C: usize, const N: usize> = Hosted<App, Fixed<Full, C, 2, N>>;

pub(crate) fn server_of<const C: usize, const N: usize>(app: App, options: Options) -> Tasks<C, N> {
    let server = Server::with_storage(Fixed::new()).with_options(options);
    let mut server = Hosted::of(server, app);
    tick(&mut server, 0);
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    answer(&mut server, READY);
    server
}

fn server() -> Tasks<4, 2> {
    server_of(App::of_tasks(), Options::DEFAULT)
}

/// A call of this tool, with these members besides.
pub(crate) fn call_of(id: &str, tool: &str, members: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    request(id, "tools/call", &format!(r#"{{"name":"{tool}"{comma}{members}}}"#))
}

/// Starts a task, and returns its id and its token.
pub(crate) fn start<const C: usize, const N: usize>(
    server: &mut Tasks<C, N>,
    task: &str,
) -> (String, TaskToken) {
    let line = call_of(r#""start""#, "optional", &format!(r#""task":{task}"#));
    let found = json(&answer(server, &line));
    let id = found["result"]["task"]["taskId"].as_str().expect("a task").to_string();
    let token = *server.handler().log.tasks.last().expect("a token");
    (id, token)
}

pub(crate) fn about(id: &str, method: &str, task: &str) -> String {
    request(id, method, &format!(r#"{{"taskId":"{task}"}}"#))
}

pub(crate) fn get<const C: usize, const N: usize>(server: &mut Tasks<C, N>, task: &str) -> Value {
    json(&answer(server, &about(r#""get""#, "tasks/get", task)))
}

pub(crate) fn finish<const C: usize, const N: usize>(
    server: &mut Tasks<C, N>,
    room: usize,
    token: TaskToken,
    end: TaskEnd,
) -> (String, Result<Status, NotInFlight>) {
    written(server, room, |server, out| server.finish_task(token, end, out))
}

pub(crate) fn tick<const C: usize, const N: usize>(server: &mut Tasks<C, N>, now: u64) -> String {
    let mut all = String::new();
    loop {
        let (lines, status) =
            written(server, 512, |server, out| server.tick(Duration::from_millis(now), out));
        all += &lines;
        if status == Status::Done {
            return all;
        }
    }
}

/// What is told of a task's state.
pub(crate) fn status_line(task: &str, status: &str, message: &str, updated: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks/status\",\"params\":{{\"taskId\":\"{task}\",\"status\":\"{status}\",{message}\"createdAt\":\"1970-01-01T00:00:00.000Z\",\"lastUpdatedAt\":\"{updated}\",\"ttl\":300000,\"pollInterval\":1000}}}}\n"
    )
}

pub(crate) const EPOCH: &str = "1970-01-01T00:00:00.000Z";

/// The result of a task, as `tasks/result` answers it.
fn task_text(id: &str, task: &str, text: &str, is_error: bool) -> String {
    result(
        id,
        &format!(
            r#""content":[{{"type":"text","text":"{text}"}}],"isError":{is_error},"_meta":{{"io.modelcontextprotocol/related-task":{{"taskId":"{task}"}}}}"#
        ),
    )
}

/// The time of day is shown, and nothing else depends on it.
#[test]
fn the_time_of_day_may_be_set_while_a_task_runs() {
    let mut server = server();
    let at = |server: &mut Tasks<4, 2>, now: u64, day: u64| {
        let (now, day) = (Duration::from_millis(now), Duration::from_millis(day));
        let _ = written(server, 512, |server, out| server.tick_at(now, day, out));
    };
    let hour = 3_600_000;
    at(&mut server, 5_000, 10 * hour);
    let (task, _) = start(&mut server, "{}");
    for (now, day, expected) in [
        // A step forward, one back, and the end of its five minutes.
        (6_000, 20 * hour, Some(1)),
        (7_500, 0, Some(1)),
        (304_999, 30 * hour, Some(1)),
        (305_000, hour, None),
    ] {
        at(&mut server, now, day);
        let found = get(&mut server, &task);
        let created = found["result"]["createdAt"].as_str();
        assert_eq!(created, expected.map(|_| "1970-01-01T10:00:00.000Z"), "at {now}: {found}");
    }
}

#[test]
fn which_calls_become_tasks() {
    let not_found = |message: &str| error("1", -32601, message);
    let rows = [
        // The tool, what is asked for, and what comes: nothing for a task.
        ("optional", "", text("1", "direct", false)),
        ("optional", r#""task":{}"#, String::new()),
        ("required", "", not_found("Task required")),
        ("required", r#""task":{}"#, String::new()),
        ("never", "", text("1", "direct", false)),
        ("never", r#""task":{}"#, not_found("Task not supported")),
        ("hasty", "", text("1", "direct", false)),
        // Whoever asks for a task takes nothing else.
        ("hasty", r#""task":{}"#, error("1", -32603, "Internal error")),
        ("none", r#""task":{}"#, error("1", -32602, "Unknown tool")),
    ];
    for (tool, members, wanted) in rows {
        let mut server = server();
        let found = answer(&mut server, &call_of("1", tool, members));
        if wanted.is_empty() {
            assert_eq!(json(&found)["result"]["task"]["status"], "working", "{tool} {members}");
            assert_eq!(server.handler().log.tasks.len(), 1);
        } else {
            assert_eq!(found, wanted, "{tool} {members}");
            assert!(server.handler().log.tasks.is_empty());
        }
    }
}

#[test]
fn other_revisions_know_no_such_thing() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let mut server = Hosted::new(App::of_tasks());
        answer(&mut server, &initialize(version));
        assert_eq!(
            answer(&mut server, &call_of("1", "optional", r#""task":{}"#)),
            text("1", "direct", false),
            "{version}"
        );
        assert_eq!(
            answer(&mut server, &call_of("1", "optional", r#""task":7"#)),
            text("1", "direct", false),
            "{version}"
        );
        // What is a task only is out of their reach.
        assert_eq!(
            answer(&mut server, &call_of("1", "required", "")),
            error("1", -32601, "Task required"),
            "{version}"
        );
        for method in ["tasks/get", "tasks/result", "tasks/cancel", "tasks/list", "tasks/update"] {
            assert_eq!(
                answer(&mut server, &about("1", method, "x")),
                error("1", -32601, "Method not found"),
                "{version} {method}"
            );
        }
    }
    // Nor does a server that does not offer them.
    let mut server = Hosted::new(App { offers: |_| {}, ..App::of_tasks() });
    answer(&mut server, &initialize("2025-11-25"));
    assert_eq!(answer(&mut server, &call_of("1", "optional", r#""task":{}"#)), text("1", "direct", false));
    assert_eq!(answer(&mut server, &call_of("1", "required", "")), text("1", "direct", false));
    assert_eq!(answer(&mut server, &request("1", "tasks/list", "")), error("1", -32601, "Method not found"));
}

#[test]
fn a_task_byte_for_byte() {
    let mut server = server();
    let task = r#""taskId":"e220a8397b1dcdaf","status":"working","createdAt":"1970-01-01T00:00:00.000Z","lastUpdatedAt":"1970-01-01T00:00:00.000Z","ttl":300000,"pollInterval":1000"#;
    assert_eq!(
        answer(&mut server, &call_of("1", "optional", r#""task":{}"#)),
        result("1", &format!(r#""task":{{{task}}}"#))
    );
    let id = "e220a8397b1dcdaf";
    assert_eq!(answer(&mut server, &about("2", "tasks/get", id)), result("2", task));
    assert_eq!(
        answer(&mut server, &request("3", "tasks/list", "")),
        result("3", &format!(r#""tasks":[{{{task}}}]"#))
    );
}

#[test]
fn time_to_live() {
    // What is asked for, and what is granted of at most 5000; nothing for a refusal.
    let rows = [
        ("{}", Some(5000)),
        (r#"{"ttl":null}"#, Some(5000)),
        (r#"{"ttl":1}"#, Some(1)),
        (r#"{"ttl":4999}"#, Some(4999)),
        (r#"{"ttl":5000}"#, Some(5000)),
        (r#"{"ttl":5001}"#, Some(5000)),
        (r#"{"ttl":4294967296}"#, Some(5000)),
        (r#"{"ttl":9223372036854775807}"#, Some(5000)),
        (r#"{"ttl":9223372036854775808}"#, Some(5000)),
        (r#"{"ttl":100000000000000000000}"#, Some(5000)),
        (r#"{"ttl":0}"#, Some(0)),
        (r#"{"ttl":-0}"#, Some(0)),
        (r#"{"other":1}"#, Some(5000)),
        (r#"{"ttl":-1}"#, None),
        (r#"{"ttl":-9223372036854775809}"#, None),
        (r#"{"ttl":1.5}"#, None),
        (r#"{"ttl":"1"}"#, None),
        (r#"{"ttl":true}"#, None),
        (r#"{"ttl":[]}"#, None),
        (r#"{"ttl":1,"ttl":1}"#, None),
        ("true", None),
        ("[]", None),
        (r#""x""#, None),
        (r#"{},"task":{}"#, None),
    ];
    for (task, granted) in rows {
        let options = Options::DEFAULT
            .with_task_ttl(Duration::from_millis(5000))
            .with_task_poll_interval(Duration::from_millis(70));
        let mut server: Tasks<4, 2> = server_of(App::of_tasks(), options);
        let found = answer(&mut server, &call_of("1", "optional", &format!(r#""task":{task}"#)));
        match granted {
            Some(ttl) => {
                let found = json(&found)["result"]["task"].clone();
                assert_eq!(found["ttl"], ttl, "{task}");
                assert_eq!(found["pollInterval"], 70, "{task}");
                // One without any time to live is forgotten as soon as it is answered.
                let deadline = Some(Duration::from_millis(ttl)).filter(|_| ttl > 0);
                assert_eq!(server.next_deadline(), deadline, "{task}");
            }
            None => {
                assert_eq!(found, error("1", -32602, "Invalid params"), "{task}");
                assert!(server.handler().log.tasks.is_empty(), "{task}");
            }
        }
    }
}

#[test]
fn no_time_of_the_options_is_shorter_than_a_millisecond() {
    let options = Options::DEFAULT.with_task_ttl(Duration::ZERO).with_task_poll_interval(Duration::ZERO);
    let mut server: Tasks<4, 2> = server_of(App::of_tasks(), options);
    let found = answer(&mut server, &call_of("1", "optional", r#""task":{}"#));
    let task = &json(&found)["result"]["task"];
    assert_eq!((&task["ttl"], &task["pollInterval"]), (&1.into(), &1.into()));
}

#[test]
fn a_task_is_forgotten_when_its_time_is_over_running_or_not() {
    let mut server = server();
    tick(&mut server, 1000);
    let (running, running_token) = start(&mut server, r#"{"ttl":500}"#);
    let (ended, ended_token) = start(&mut server, r#"{"ttl":600}"#);
    assert_eq!(finish(&mut server, 512, ended_token, TaskEnd::Completed).1, Ok(Status::Done));
    assert_eq!(server.next_deadline(), Some(Duration::from_millis(1500)));
    answer(&mut server, &about("7", "tasks/result", &running));
    assert_eq!(tick(&mut server, 1499), "");
    assert_eq!(get(&mut server, &running)["result"]["status"], "working");
    // Whoever waits for it is told.
    assert_eq!(tick(&mut server, 1500), error("7", -32602, "Unknown task"));
    assert!(!server.is_task_running(running_token));
    assert_eq!(get(&mut server, &running)["error"]["message"], "Unknown task");
    assert_eq!(
        finish(&mut server, 512, running_token, TaskEnd::Completed),
        (String::new(), Err(NotInFlight))
    );
    assert_eq!(get(&mut server, &ended)["result"]["status"], "completed");
    assert_eq!(tick(&mut server, 1600), "");
    assert_eq!(get(&mut server, &ended)["error"]["code"], -32602);
    assert_eq!(server.next_deadline(), None);
    let forgotten = |event: &&String| *event == "task forgotten";
    assert_eq!(server.handler().log.events.iter().filter(forgotten).count(), 2);
}

#[test]
fn the_states_of_a_task_and_what_each_end_is() {
    /// How the task ends, what its status is then, and whose it is.
    type Row = (TaskEnd, &'static str, fn() -> App);
    let rows: [Row; 3] = [
        (TaskEnd::Completed, "completed", App::of_tasks),
        (TaskEnd::ToolError, "failed", || App {
            task_result: |_, _, _| Err(CallError::Failed("too hot")),
            ..App::of_tasks()
        }),
        (TaskEnd::Error, "failed", || App {
            task_result: |_, _, _| {
                Err(CallError::Refused { code: ErrorCode(-7), message: "broken", data: None })
            },
            ..App::of_tasks()
        }),
    ];
    for (end, status, app) in rows {
        let mut server: Tasks<4, 2> = server_of(app(), Options::DEFAULT);
        let (id, token) = start(&mut server, "{}");
        assert!(server.is_task_running(token));
        tick(&mut server, 250);
        let told = written(&mut server, 512, |server, out| server.describe_task(token, "busy", out));
        let moved = "1970-01-01T00:00:00.250Z";
        let working = status_line(&id, "working", r#""statusMessage":"busy","#, moved);
        assert_eq!(told, (working, Ok(Status::Done)));
        let told = status_line(&id, status, r#""statusMessage":"busy","#, moved);
        assert_eq!(finish(&mut server, 512, token, end), (told, Ok(Status::Done)));
        assert!(!server.is_task_running(token));
        assert_eq!(get(&mut server, &id)["result"]["status"], status);
        let wanted = match end {
            TaskEnd::Completed => task_text("9", &id, "the result", false),
            TaskEnd::ToolError => task_text("9", &id, "too hot", true),
            TaskEnd::Error => error("9", -7, "broken"),
        };
        // As often as it is asked for.
        for _ in 0..2 {
            assert_eq!(answer(&mut server, &about("9", "tasks/result", &id)), wanted);
        }
        // What has ended stays so.
        for other in [TaskEnd::Completed, TaskEnd::ToolError, TaskEnd::Error] {
            assert_eq!(finish(&mut server, 512, token, other), (String::new(), Err(NotInFlight)));
        }
        assert_eq!(
            written(&mut server, 512, |server, out| server.describe_task(token, "no", out)),
            (String::new(), Err(NotInFlight))
        );
        assert_eq!(
            written(&mut server, 512, |server, out| server.task_needs_input(token, out)),
            (String::new(), Err(AskError::NotRunning))
        );
        assert_eq!(
            written(&mut server, 512, |server, out| { server.task_progress(token, Progress::new(1), out) }),
            (String::new(), Err(NotInFlight))
        );
        assert_eq!(
            answer(&mut server, &about("9", "tasks/cancel", &id)),
            error("9", -32602, "Task has ended")
        );
        assert_eq!(get(&mut server, &id)["result"]["status"], status);
    }
}

#[test]
fn ids_that_are_none() {
    let mut server = server();
    let (id, _) = start(&mut server, "{}");
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        for wrong in ["", "0", "nope", &id[1..], &id.to_uppercase(), &format!("{id} ")] {
            assert_eq!(
                answer(&mut server, &about("1", method, wrong)),
                error("1", -32602, "Unknown task"),
                "{method} {wrong}"
            );
        }
        for params in ["", "{}", r#"{"taskId":null}"#, r#"{"taskId":7}"#, r#"{"taskID":"x"}"#] {
            assert_eq!(
                answer(&mut server, &request("1", method, params)),
                error("1", -32602, "Invalid params"),
                "{method} {params}"
            );
        }
        let twice = format!(r#"{{"taskId":"{id}","taskId":"{id}"}}"#);
        assert_eq!(answer(&mut server, &request("1", method, &twice)), error("1", -32602, "Invalid params"));
    }
    // An id is compared after unescaping.
    let escaped = format!(r"\u00{:02x}{}", id.as_bytes()[0], &id[1..]);
    assert_eq!(get(&mut server, &escaped)["result"]["taskId"], id.as_str());
}

#[test]
fn ids_are_unique_and_depend_on_the_seed() {
    let mut all = std::collections::BTreeSet::new();
    for seed in [0, 1, u64::MAX] {
        let mut server: Tasks<4, 2> = server_of(App::of_tasks(), Options::DEFAULT.with_task_seed(seed));
        for _ in 0..200 {
            let (id, token) = start(&mut server, "{}");
            assert_eq!(id.len(), 16);
            assert!(id.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase()));
            assert!(all.insert(id.clone()), "{id} twice");
            assert_eq!(finish(&mut server, 512, token, TaskEnd::Completed).1, Ok(Status::Done));
            answer(&mut server, &about("1", "tasks/result", &id));
        }
    }
    assert_eq!(all.len(), 600);
}

#[test]
fn a_cancelled_task_is_over() {
    let mut server = server();
    let (id, token) = start(&mut server, "{}");
    answer(&mut server, &about("7", "tasks/result", &id));
    server.handler_mut().log.events.clear();
    tick(&mut server, 10);
    let cancelled = answer(&mut server, &about("8", "tasks/cancel", &id));
    let lines: Vec<&str> = cancelled.lines().collect();
    let first = json(&format!("{}\n", lines[0]));
    assert_eq!((&first["id"], &first["result"]["status"]), (&json!(8), &json!("cancelled")));
    assert_eq!(first["result"]["lastUpdatedAt"], "1970-01-01T00:00:00.010Z");
    assert_eq!(format!("{}\n", lines[1]), error("7", -32602, "Task cancelled"));
    assert_eq!(format!("{}\n", lines[2]), status_line(&id, "cancelled", "", "1970-01-01T00:00:00.010Z"));
    assert_eq!(lines.len(), 3);
    assert_eq!(server.handler().log.events, ["task cancelled"]);
    assert!(!server.is_task_running(token));
    // Once; and nothing else can happen to it.
    assert_eq!(answer(&mut server, &about("9", "tasks/cancel", &id)), error("9", -32602, "Task has ended"));
    assert_eq!(finish(&mut server, 512, token, TaskEnd::Completed), (String::new(), Err(NotInFlight)));
    assert_eq!(get(&mut server, &id)["result"]["status"], "cancelled");
    assert_eq!(answer(&mut server, &about("9", "tasks/result", &id)), error("9", -32602, "Task cancelled"));
    assert_eq!(server.handler().log.events, ["task cancelled"]);
}

#[test]
fn a_notification_cancels_no_task_but_who_waits_for_one() {
    let mut server = server();
    let (id, token) = start(&mut server, "{}");
    // The call was answered: its id means nothing any more.
    assert_eq!(answer(&mut server, &cancel(r#""start""#)), "");
    assert!(server.is_task_running(token));
    answer(&mut server, &about("7", "tasks/result", &id));
    answer(&mut server, &about("8", "tasks/result", &id));
    assert_eq!(answer(&mut server, &request("7", "ping", "")), error("7", -32600, "Request id in use"));
    assert_eq!(answer(&mut server, &cancel("7")), "");
    // The application never had that call.
    assert!(server.handler().log.cancelled.is_empty());
    let (lines, _) = finish(&mut server, 4096, token, TaskEnd::Completed);
    assert!(lines.starts_with(&task_text("8", &id, "the result", false)), "{lines}");
    assert!(!lines.contains("\"id\":7"));
}

#[test]
fn all_who_wait_for_a_result_get_it_whole_in_any_room() {
    let whole = task_text("1", "e220a8397b1dcdaf", "the result", false).len();
    for room in [96, 120, whole, whole + 1, 300, 2 * whole, 1000] {
        let mut server = server();
        let (id, token) = start(&mut server, "{}");
        for waiting in 1..=4 {
            let line = about(&waiting.to_string(), "tasks/result", &id);
            assert_eq!(answer(&mut server, &line), "");
        }
        assert_eq!(answer(&mut server, &about("5", "tasks/result", &id)), error("5", -32603, "Server busy"));
        let mut lines = String::new();
        loop {
            let (some, status) = finish(&mut server, room, token, TaskEnd::Completed);
            assert!(some.len() <= room);
            lines += &some;
            if status == Ok(Status::Done) {
                break;
            }
            assert_eq!(status, Ok(Status::More));
        }
        let mut ids: Vec<i64> = lines
            .lines()
            .map(|line| json(&format!("{line}\n")))
            .filter(|line| line.get("id").is_some())
            .map(|line| {
                let is_whole = line["result"]["content"][0]["text"] == "the result";
                assert_eq!(is_whole, room >= whole, "{room} {line}");
                line["id"].as_i64().expect("an id")
            })
            .collect();
        ids.sort_unstable();
        assert_eq!(ids, [1, 2, 3, 4], "{room}");
        assert_eq!(finish(&mut server, room, token, TaskEnd::Completed).1, Err(NotInFlight));
    }
}

/// Two parsers must never disagree on which one counts.
#[test]
fn a_result_names_its_task_once_whatever_the_application_says() {
    let app = App {
        task_result: |_, _, content| {
            let meta = br#"{"a":1,"io.modelcontextprotocol/related\u002dtask":{"taskId":"another"}}"#;
            let meta = barewire::json::RawValue::new(meta).expect("JSON");
            Ok(content.meta(meta.as_object().expect("an object")).done())
        },
        ..App::of_tasks()
    };
    let mut server: Tasks<4, 2> = server_of(app, Options::DEFAULT);
    let (id, token) = start(&mut server, "{}");
    let _ = finish(&mut server, 512, token, TaskEnd::Completed);
    assert_eq!(
        answer(&mut server, &about("1", "tasks/result", &id)),
        result(
            "1",
            &format!(
                r#""content":[],"isError":false,"_meta":{{"a":1,"io.modelcontextprotocol/related-task":{{"taskId":"{id}"}}}}"#
            )
        )
    );
}

#[test]
fn what_takes_the_place_of_a_result_without_room_names_the_task_too() {
    let app = App {
        task_result: |_, _, content| Ok(content.text("x".repeat(5000).as_str()).done()),
        ..App::of_tasks()
    };
    let mut server: Tasks<4, 2> = server_of(app, Options::DEFAULT);
    let (id, token) = start(&mut server, "{}");
    let (_, status) = finish(&mut server, 512, token, TaskEnd::Completed);
    assert_eq!(status, Ok(Status::Done));
    assert_eq!(
        answer_in(&mut server, 512, &about("9", "tasks/result", &id)),
        task_text("9", &id, "Result too large", true)
    );
}

#[test]
fn a_cancelled_task_tells_who_waits_as_soon_as_there_is_room() {
    let mut server = server();
    let (id, _) = start(&mut server, "{}");
    for waiting in 1..=3 {
        answer(&mut server, &about(&waiting.to_string(), "tasks/result", &id));
    }
    let line = about("8", "tasks/cancel", &id);
    let room = json_len(&answer(&mut server_with(&id), &line)) + 80;
    let found = answer_in(&mut server, room, &line);
    for waiting in 1..=3 {
        assert!(found.contains(&error(&waiting.to_string(), -32602, "Task cancelled")), "{found}");
    }
    assert_eq!(found.matches("Task cancelled").count(), 3);
}

fn server_with(id: &str) -> Tasks<4, 2> {
    let mut server = server();
    assert_eq!(start(&mut server, "{}").0, id);
    server
}

/// The length of the first line.
fn json_len(lines: &str) -> usize {
    lines.lines().next().map_or(0, |line| line.len() + 1)
}

#[test]
fn a_list_of_tasks_is_paged_by_the_room() {
    let mut server: Tasks<4, 8> = server_of(App::of_tasks(), Options::DEFAULT);
    let ids: Vec<String> = (0..8).map(|_| start(&mut server, "{}").0).collect();
    for room in [330, 600, 4096] {
        let mut found = Vec::new();
        let mut cursor = String::new();
        loop {
            let line = request("1", "tasks/list", &format!("{{{cursor}}}"));
            let page = json(&answer_in(&mut server, room, &line))["result"].clone();
            let tasks = page["tasks"].as_array().expect("tasks");
            assert!(!tasks.is_empty());
            found.extend(tasks.iter().map(|task| task["taskId"].as_str().expect("an id").to_string()));
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!(r#""cursor":"{next}""#),
                None => break,
            }
        }
        assert_eq!(found, ids, "{room}");
    }
    for cursor in [r#""x""#, r#""8""#, r#""""#, "1"] {
        let line = request("1", "tasks/list", &format!(r#"{{"cursor":{cursor}}}"#));
        assert_eq!(answer(&mut server, &line), error("1", -32602, "Invalid cursor"), "{cursor}");
    }
    let mut server = self::server();
    assert_eq!(answer(&mut server, &request("1", "tasks/list", "")), result("1", r#""tasks":[]"#));
}

#[test]
fn a_full_table_makes_room_of_what_was_fetched_and_of_nothing_else() {
    let mut server = server();
    let (first, first_token) = start(&mut server, "{}");
    let (second, second_token) = start(&mut server, "{}");
    let busy = error("1", -32603, "Server busy");
    let another = call_of("1", "optional", r#""task":{}"#);
    assert_eq!(answer(&mut server, &another), busy);
    // Without a task the tool can still be called.
    assert_eq!(answer(&mut server, &call_of("1", "optional", "")), text("1", "direct", false));
    assert_eq!(finish(&mut server, 512, first_token, TaskEnd::Completed).1, Ok(Status::Done));
    assert_eq!(answer(&mut server, &another), busy);
    get(&mut server, &first);
    assert_eq!(answer(&mut server, &another), busy);
    answer(&mut server, &about("2", "tasks/result", &first));
    server.handler_mut().log.events.clear();
    let (third, _) = start(&mut server, "{}");
    assert_eq!(server.handler().log.events, ["task forgotten"]);
    assert_eq!(get(&mut server, &first)["error"]["message"], "Unknown task");
    for id in [&second, &third] {
        assert_eq!(get(&mut server, id)["result"]["status"], "working");
    }
    // A cancelled task has no result to wait for.
    answer(&mut server, &about("2", "tasks/cancel", &second));
    assert_eq!(get(&mut server, &second)["result"]["status"], "cancelled");
    let (fourth, _) = start(&mut server, "{}");
    assert_eq!(get(&mut server, &second)["error"]["message"], "Unknown task");
    assert_eq!(get(&mut server, &fourth)["result"]["status"], "working");
    assert!(!server.is_task_running(second_token));
}

#[test]
fn a_call_that_fails_before_it_is_a_task_fails_as_an_error() {
    let app = |call: for<'a> fn(
        &mut crate::engine_kit::Log,
        barewire::engine::ToolCall<'a>,
        barewire::engine::ToolReply<'_, '_>,
    ) -> crate::engine_kit::Replied<'a>| App { call, ..App::of_tasks() };
    let task = call_of("1", "optional", r#""task":{}"#);
    let mut server: Tasks<4, 2> =
        server_of(app(|_, _, _| Err(CallError::Failed("too hot"))), Options::DEFAULT);
    assert_eq!(answer(&mut server, &task), error("1", -32603, "too hot"));
    let mut server: Tasks<4, 2> = server_of(app(|_, _, reply| Ok(reply.defer()?.1)), Options::DEFAULT);
    assert_eq!(answer(&mut server, &task), error("1", -32603, "Internal error"));
    assert_eq!(server.in_flight(), 0);
    let mut server: Tasks<4, 2> =
        server_of(app(|_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).done())), Options::DEFAULT);
    assert_eq!(answer(&mut server, &task), error("1", -32603, "Internal error"));
    assert_eq!(server.next_deadline(), None);
    let mut server: Tasks<4, 2> = server_of(
        app(|_, _, _| Err(CallError::MissingCapability(InputRequest::Roots.needs()))),
        Options::DEFAULT,
    );
    let found = json(&answer(&mut server, &task));
    assert_eq!(found["error"]["code"], -32603, "{found}");
    assert_eq!(found["error"]["data"], json!({"requiredCapabilities": {"roots": {}}}));
    // Arguments that do not fit.
    let mut server = self::server();
    let line = call_of("1", "optional", r#""task":{},"arguments":{"x":1}"#);
    assert_eq!(answer(&mut server, &line), error("1", -32602, "Invalid params"));
}

#[test]
fn a_task_that_has_no_room_to_be_told_is_none() {
    let mut server = server();
    let line = call_of("1", "optional", r#""task":{}"#);
    let whole = answer(&mut self::server(), &line).len();
    for room in 96..whole {
        server.handler_mut().log.events.clear();
        let found = answer_in(&mut server, room, &line);
        assert_eq!(found, error("1", -32603, "Response too large"), "{room}");
        assert_eq!(server.handler().log.events, ["task forgotten"]);
        let token = *server.handler().log.tasks.last().expect("a token");
        assert!(!server.is_task_running(token));
    }
    assert_eq!(answer(&mut server, &request("1", "tasks/list", "")), result("1", r#""tasks":[]"#));
}

#[test]
fn progress_of_a_task() {
    let mut server = server();
    let line = call_of("1", "optional", r#""task":{},"_meta":{"progressToken":"p"}"#);
    let id =
        json(&answer(&mut server, &line))["result"]["task"]["taskId"].as_str().expect("an id").to_string();
    let token = server.handler().log.tasks[0];
    let report = |server: &mut Tasks<4, 2>, token, progress: i64| {
        written(server, 512, |server, out| server.task_progress(token, Progress::new(progress).of(10), out))
    };
    let told = |progress: i64| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":\"p\",\"progress\":{progress},\"total\":10,\"_meta\":{{\"io.modelcontextprotocol/related-task\":{{\"taskId\":\"{id}\"}}}}}}}}\n"
        )
    };
    assert_eq!(report(&mut server, token, 1), (told(1), Ok(true)));
    assert_eq!(report(&mut server, token, 1), (String::new(), Ok(false)));
    assert_eq!(report(&mut server, token, 0), (String::new(), Ok(false)));
    let (none, reported) =
        written(&mut server, 20, |server, out| server.task_progress(token, Progress::new(2).of(10), out));
    assert_eq!((none.as_str(), reported), ("", Ok(false)));
    assert_eq!(report(&mut server, token, 2), (told(2), Ok(true)));
    assert_eq!(finish(&mut server, 512, token, TaskEnd::Completed).1, Ok(Status::Done));
    assert_eq!(report(&mut server, token, 3), (String::new(), Err(NotInFlight)));
    // Nobody asked.
    let (_, token) = start(&mut server, "{}");
    assert_eq!(report(&mut server, token, 1), (String::new(), Ok(false)));
}

#[test]
fn another_peer_knows_nothing_of_the_tasks_before() {
    let mut server = server();
    let (id, token) = start(&mut server, "{}");
    answer(&mut server, &about("7", "tasks/result", &id));
    server.handler_mut().log.events.clear();
    server.reset();
    assert_eq!(server.handler().log.events, ["task forgotten"]);
    assert!(!server.is_task_running(token));
    assert_eq!(tick(&mut server, 300_000), "");
    assert_eq!(server.next_deadline(), None);
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    assert_eq!(get(&mut server, &id)["error"]["message"], "Unknown task");
    assert_eq!(finish(&mut server, 512, token, TaskEnd::Completed), (String::new(), Err(NotInFlight)));
    // Its successor has another id.
    assert_ne!(start(&mut server, "{}").0, id);
}

#[test]
fn before_it_is_ready_a_client_hears_nothing_of_its_tasks() {
    // Without a handshake too a task is one of 2025-11-25.
    let mut server: Tasks<4, 2> = Hosted::of(Server::new(), App::of_tasks());
    let (id, token) = start(&mut server, "{}");
    assert_eq!(finish(&mut server, 512, token, TaskEnd::Completed), (String::new(), Ok(Status::Done)));
    assert_eq!(
        answer(&mut server, &about("1", "tasks/result", &id)),
        task_text("1", &id, "the result", false)
    );
}

/// A handler may have begun the task when it fails: that must not end the task of somebody else.
#[test]
fn a_token_that_was_taken_in_vain_is_not_given_again() {
    let app = App::of_tasks();
    let begin = app.call;
    let mut server: Tasks<4, 2> = server_of(
        App {
            call: |log, _, reply| {
                let (token, _) = reply.start_task()?;
                log.tasks.push(token);
                Err(CallError::Failed("no"))
            },
            ..app
        },
        Options::DEFAULT,
    );
    answer(&mut server, &call_of("1", "optional", r#""task":{}"#));
    server.handler_mut().call = begin;
    let (_, token) = start(&mut server, "{}");
    let in_vain = server.handler().log.tasks[0];
    assert_ne!(in_vain, token);
    assert!(!server.is_task_running(in_vain));
    assert!(server.is_task_running(token));
}

/// Over HTTP: the first session is that of another client.
#[test]
fn a_task_without_a_session_reports_to_nobody() {
    let app = App {
        task_questions: |_, _, questions| {
            let _ = questions.ask("k", &InputRequest::Roots);
        },
        ..App::of_tasks()
    };
    let mut server = Hosted::of(Server::with_storage(Fixed::<Shared, 4, 2, 2>::new()), app);
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    answer(&mut server, READY);
    let line = call_of("1", "optional", r#""task":{},"_meta":{"progressToken":"p"}"#);
    let (_, sent) = written(&mut server, 512, |Hosted { server, app, .. }, out| {
        let origin = Origin::exchange(Channel(2));
        server.receive(origin, &mut Frame::new(line.as_bytes()), app, out)
    });
    assert_eq!(sent, Sent::To(Address::Request(Channel(2))));
    let token = server.handler().log.tasks[0];
    let reported =
        written(&mut server, 512, |server, out| server.server.task_progress(token, Progress::new(1), out));
    assert_eq!(reported, (String::new(), Ok(Sent::Nothing)));
    let asked = written(&mut server, 512, |server, out| server.task_needs_input(token, out));
    assert_eq!(asked, (String::new(), Err(AskError::NoSession)));
    let finished =
        written(&mut server, 512, |server, out| server.finish_task(token, TaskEnd::Completed, out));
    assert_eq!(finished, (String::new(), Ok(Status::Done)));
}
