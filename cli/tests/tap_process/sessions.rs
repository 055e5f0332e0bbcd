//! Legal sessions have no faults, and faulty ones exactly the expected faults.

use serde_json::Value;

use crate::play::{faults, play_short, spelled};
use crate::tap::Tap;

type Session = (&'static str, &'static [&'static str]);

#[test]
fn legal_sessions_have_no_faults() {
    let sessions: &[Session] = &[
        (
            "a legacy request is cancelled, and its answer crosses",
            &[
                ">hello 0 2025-06-18",
                "<welcome 0 2025-06-18",
                ">tell notifications/initialized",
                ">ask 1 tools/list",
                ">cancel 1",
                "<result 1",
            ],
        ),
        (
            "a legacy request is cancelled, and has no answer",
            &[
                ">hello 0 2025-06-18",
                "<welcome 0 2025-06-18",
                ">ask 1 tools/list",
                ">cancel 1",
                ">ask 2 ping",
                "<result 2",
            ],
        ),
        (
            "a modern request is cancelled, and its id used again",
            &[">modern 1 tools/list", ">cancel 1", ">modern 1 tools/list", "<complete 1"],
        ),
        (
            "a modern request is cancelled, its id used again, and both are answered",
            &[">modern 1 tools/list", ">cancel 1", ">modern 1 tools/list", "<complete 1", "<complete 1"],
        ),
        (
            "the same id is cancelled three times",
            &[
                ">modern 1 tools/list",
                ">cancel 1",
                ">modern 1 tools/list",
                ">cancel 1",
                ">modern 1 tools/list",
                ">cancel 1",
                "<complete 1",
                "<complete 1",
                "<complete 1",
            ],
        ),
        (
            "a cancellation comes after the answer, or twice, or for an unknown id, or without one",
            &[
                ">ask 1 ping",
                "<result 1",
                ">cancel 1",
                ">cancel 1",
                ">cancel 7",
                ">tell notifications/cancelled",
            ],
        ),
        (
            "a client ends a subscription and uses its id again",
            &[
                ">modern 1 subscriptions/listen",
                "<event notifications/subscriptions/acknowledged 1",
                ">cancel 1",
                ">modern 1 subscriptions/listen",
                "<event notifications/subscriptions/acknowledged 1",
            ],
        ),
        (
            "a server ends a subscription by cancellation, and its id is used again",
            &[
                ">modern 1 subscriptions/listen",
                "<event notifications/subscriptions/acknowledged 1",
                "<cancel 1",
                ">modern 1 tools/list",
                "<complete 1",
            ],
        ),
        (
            "a server ends a subscription by cancellation and by its response",
            &[
                ">modern 1 subscriptions/listen",
                "<event notifications/subscriptions/acknowledged 1",
                "<cancel 1",
                "<complete 1",
            ],
        ),
        (
            "a server ends a subscription by its response",
            &[
                ">modern 1 subscriptions/listen",
                "<event notifications/subscriptions/acknowledged 1",
                "<complete 1",
            ],
        ),
        (
            "a server cancels its own request, and the answer crosses",
            &[
                ">hello 0 2025-06-18",
                "<welcome 0 2025-06-18",
                "<ask 5 roots/list",
                "<cancel 5",
                ">result 5",
                "<ask 6 roots/list",
                "<cancel 6",
            ],
        ),
        (
            "both sides use the same id",
            &[
                ">hello 1 2025-06-18",
                "<welcome 1 2025-06-18",
                "<ask 1 ping",
                ">ask 2 ping",
                "<ask 2 ping",
                ">result 2",
                ">result 1",
                "<result 2",
            ],
        ),
        (
            "a number and a string are two ids",
            &[">ask 1 ping", ">ask \"1\" ping", "<result \"1\"", "<result 1"],
        ),
        (
            "ids that are spelled in two ways",
            &[">ask -0 ping", "<result 0", ">ask \"a\" ping", "<result \"\\u0061\""],
        ),
        (
            "a modern id is used again after its answer",
            &[">modern 1 tools/list", "<complete 1", ">modern 1 tools/list", "<complete 1"],
        ),
        (
            "initialize has the id of the question for the era",
            &[">modern 1 server/discover", "<error 1 -32601", ">hello 1 2025-11-25", "<welcome 1 2025-11-25"],
        ),
        (
            "initialize is sent again with the same id",
            &[">hello 0 2025-11-25", "<error 0 -32602", ">hello 0 2024-11-05", "<welcome 0 2024-11-05"],
        ),
        (
            "a byte order mark at the start of both streams",
            &[
                ">\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                "<\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
            ],
        ),
        (
            "carriage returns and blank lines",
            &[
                ">",
                ">\r",
                "> \t",
                ">{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r",
                "<",
                "<\r",
                "<{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r",
            ],
        ),
        (
            "a server has no room for an id",
            &[
                ">ask \"a-very-long-id-a-very-long-id-a-very-long-id-a-very-long-id\" ping",
                ">tell notifications/initialized",
                "<error null -32603",
            ],
        ),
        (
            "an id is used again after an error that names none",
            &[">modern 1 tools/list", "<error null -32600", ">modern 1 tools/list", "<complete 1"],
        ),
        (
            "batches of 2025-03-26, answered in one line or in several",
            &[
                ">hello 0 2025-03-26",
                "<welcome 0 2025-03-26",
                r#">[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
                r#"<[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]"#,
                r#">[{"jsonrpc":"2.0","id":3,"method":"ping"}]"#,
                "<result 3",
            ],
        ),
        (
            "a modern subscription beside a legacy session",
            &[
                ">hello 0 2025-06-18",
                "<welcome 0 2025-06-18",
                ">modern \"s\" subscriptions/listen",
                "<event notifications/subscriptions/acknowledged \"s\"",
                "<event notifications/tools/list_changed \"s\"",
                ">modern 1 tools/list",
                "<complete 1",
                ">ask 2 tools/list",
                "<result 2",
            ],
        ),
        ("a server has a limit that this program does not have", &[">ask 1 ping", "<error null -32700"]),
        (
            "tasks of 2025-11-25 in both directions",
            &[
                ">hello 0 2025-11-25",
                "<welcome 0 2025-11-25",
                ">ask 1 tools/call",
                "<result 1",
                "<tell notifications/tasks/status",
                ">ask 2 tasks/get",
                "<result 2",
                ">ask 3 tasks/result",
                "<ask 1 elicitation/create",
                ">result 1",
                "<ask 2 tasks/get",
                ">result 2",
                ">tell notifications/tasks/status",
                ">ask 4 tasks/cancel",
                "<result 4",
                "<result 3",
            ],
        ),
        (
            "tasks of 2026-07-28",
            &[
                ">modern 1 tools/call",
                r#"<{"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"t"}}"#,
                ">modern 2 tasks/get",
                "<complete 2",
                "<event notifications/tasks 9",
                ">modern 3 tasks/update",
                "<complete 3",
                ">modern 4 tasks/cancel",
                "<complete 4",
            ],
        ),
        (
            "input is required, and the retry has another id",
            &[
                ">modern 1 tools/call",
                r#"<{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s"}}"#,
                ">modern 2 tools/call",
                "<complete 2",
            ],
        ),
        (
            "a revision that is not known yet",
            &[
                r#">{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}}"#,
                "<error 1 -32022",
            ],
        ),
        (
            "initialize is answered with the newest revision, as some servers do",
            &[
                ">hello 0 2026-07-28",
                "<welcome 0 2026-07-28",
                ">tell notifications/initialized",
                ">ask 1 ping",
                "<result 1",
            ],
        ),
        (
            "messages that are nested deeper than this program looks",
            &[
                ">deep 1 tools/call",
                "<result 1",
                ">ask 2 tools/call",
                "<deep-result 2",
                ">deep 3 tools/call",
                "<error 3 -32700",
            ],
        ),
        (
            "both sides ping before the session is open",
            &[
                "<ask 1 ping",
                ">result 1",
                ">ask 1 ping",
                "<result 1",
                ">hello 2 2025-06-18",
                "<welcome 2 2025-06-18",
            ],
        ),
        (
            "modern notifications of a client have no metadata",
            &[">modern 1 tools/call", "<complete 1", ">modern 2 tools/call", ">cancel 2"],
        ),
        (
            "a method that nobody knows, half a surrogate pair, null params",
            &[
                r#">{"jsonrpc":"2.0","id":"\ud83d","method":"x/y","params":null}"#,
                r#"<{"jsonrpc":"2.0","id":"\ud83d","error":{"code":-32601,"message":"\ude00"}}"#,
            ],
        ),
    ];
    let sessions: Vec<_> = sessions.iter().map(|(name, lines)| (*name, *lines, "")).collect();
    judge(&sessions);
}

#[test]
fn faulty_sessions_have_exactly_their_fault() {
    let sessions: &[(&str, &[&str], &str)] = &[
        ("an answer twice", &[">ask 1 ping", "<result 1", "<result 1"], "answered-twice 1"),
        ("a late answer twice", &[">ask 1 ping", ">cancel 1", "<result 1", "<result 1"], "answered-twice 1"),
        (
            "an answer to a cancelled request and one too many to its successor",
            &[
                ">modern 1 tools/list",
                ">cancel 1",
                ">modern 1 tools/list",
                "<complete 1",
                "<complete 1",
                "<complete 1",
            ],
            "answered-twice 1",
        ),
        ("an answer to an unknown id", &["<result 1"], "unknown-id 1"),
        (
            "an answer with another type of id",
            &[">ask 1 ping", "<result \"1\""],
            "unanswered 1, unknown-id 1",
        ),
        ("a client answers an unknown id", &[">result \"x\""], "unknown-id 1"),
        ("a client answers its own request", &[">ask 1 ping", ">result 1", "<result 1"], "unknown-id 1"),
        ("a client answers twice", &["<ask 1 ping", ">result 1", ">result 1"], "answered-twice 1"),
        (
            "an error for a notification",
            &[">tell notifications/initialized", "<error null -32601"],
            "reply-to-notification 1",
        ),
        (
            "an error for a notification, while a request waits",
            &[">ask 1 ping", ">tell notifications/initialized", "<error null -32601", "<result 1"],
            "reply-to-notification 1",
        ),
        ("a request that is never answered", &[">ask 1 ping", ">cancel 2"], "unanswered 1"),
        ("a request of the server is never answered", &["<ask 1 ping"], "unanswered 1"),
        ("a request without jsonrpc", &[">{\"id\":1,\"method\":\"ping\"}", "<error 1 -32600"], "invalid 1"),
        ("a response without jsonrpc", &[">ask 1 ping", "<{\"id\":1,\"result\":{}}"], "invalid 1"),
        (
            "a response with a result and an error",
            &[">ask 1 ping", r#"<{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}"#],
            "invalid 1",
        ),
        (
            "bytes that are not UTF-8",
            &[">ask 1 ping", r#"<{"jsonrpc":"2.0","id":1,"result":{"x":"ÿ"}}"#],
            "invalid 1",
        ),
        (
            "a raw control character",
            &[">ask 1 ping", "<{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"\u{1}\"}}"],
            "invalid 1",
        ),
        (
            "a byte order mark in the middle",
            &[
                ">ask 1 ping",
                "<result 1",
                "<\u{feff}{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}",
            ],
            "invalid 1",
        ),
        (
            "two byte order marks at the start",
            &["<\u{feff}\u{feff}{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}"],
            "invalid 1",
        ),
        (
            "an invalid request is corrected under the same id",
            &[
                ">{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":7}",
                "<error 1 -32600",
                ">ask 1 ping",
                "<result 1",
            ],
            "invalid 1",
        ),
        (
            "an invalid request is corrected before its answer",
            &[
                ">{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":7}",
                ">ask 1 ping",
                "<error 1 -32600",
                "<result 1",
            ],
            "invalid 1",
        ),
        (
            "an error without an id for each line that cannot be read",
            &[">{", "<error null -32700", ">[]", "<error null -32600"],
            "invalid 2",
        ),
        (
            "a batch of another revision",
            &[
                ">hello 0 2025-06-18",
                "<welcome 0 2025-06-18",
                r#">[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#,
            ],
            "invalid 1",
        ),
        (
            "a batch of another revision that the server answers",
            &[
                ">hello 0 2025-06-18",
                "<welcome 0 2025-06-18",
                r#">[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
                "<result 1",
                ">ask 3 ping",
                r#"<[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":3,"result":{}}]"#,
            ],
            "invalid 2",
        ),
        ("an empty batch", &[">hello 0 2025-03-26", "<welcome 0 2025-03-26", ">[]"], "invalid 1"),
        (
            "the id of a request that waits, answered once",
            &[">modern 1 tools/list", ">modern 1 tools/list", "<complete 1"],
            "id-in-use 1",
        ),
        (
            "the id of a request that waits, answered for each",
            &[">modern 1 tools/list", ">modern 1 tools/list", "<complete 1", "<error 1 -32600"],
            "id-in-use 1",
        ),
        (
            "a legacy id is used again after its answer",
            &[
                ">hello 0 2025-06-18",
                "<welcome 0 2025-06-18",
                ">ask 1 ping",
                "<result 1",
                ">ask 1 ping",
                "<result 1",
            ],
            "id-reused 1",
        ),
        (
            "a legacy id is used again after its cancellation",
            &[
                ">hello 0 2025-06-18",
                "<welcome 0 2025-06-18",
                ">ask 1 ping",
                ">cancel 1",
                ">ask 1 ping",
                "<result 1",
                "<result 1",
            ],
            "id-reused 1",
        ),
        (
            "the id of initialize is used again",
            &[">hello 0 2025-06-18", "<welcome 0 2025-06-18", ">ask 0 ping", "<result 0"],
            "id-reused 1",
        ),
        (
            "a server uses an id again",
            &[
                ">hello 0 2025-06-18",
                "<welcome 0 2025-06-18",
                "<ask 1 ping",
                ">result 1",
                "<ask 1 ping",
                ">result 1",
            ],
            "id-reused 1",
        ),
        (
            "initialize is cancelled",
            &[">hello 0 2025-06-18", ">cancel 0", "<welcome 0 2025-06-18"],
            "cancels-initialize 1",
        ),
        (
            "a modern server asks",
            &[">modern 1 server/discover", "<complete 1", "<ask 1 x/y", ">error 1 -32601"],
            "wrong-direction 1",
        ),
        (
            "a modern server asks what its revision does not have",
            &[">modern 1 server/discover", "<complete 1", "<ask 1 roots/list", ">error 1 -32601"],
            "not-in-revision 1",
        ),
        (
            "a server cancels a modern request of the client",
            &[">modern 1 tools/call", "<cancel 1", "<complete 1"],
            "wrong-direction 1",
        ),
        ("a request as a notification", &[">tell tools/list"], "wrong-kind 1"),
        ("a legacy result with resultType", &[">ask 1 tools/list", "<complete 1"], "has-result-type 1"),
        ("a modern result without resultType", &[">modern 1 tools/list", "<result 1"], "no-result-type 1"),
    ];
    judge(sessions);
}

/// Plays each session, and compares its faults with the expected ones.
fn judge(sessions: &[(&str, &[&str], &str)]) {
    let mut wrong = String::new();
    for (name, lines, expected) in sessions {
        let outcome = play_short(lines);
        let found = faults(&outcome);
        if found != *expected {
            wrong += &format!("{name}: \"{found}\", not \"{expected}\"\n{}\n", outcome.log);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_record_has_the_revision_of_its_request() {
    let unknown = r#">{"jsonrpc":"2.0","id":"u","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}}"#;
    let sessions: &[(&str, &[&str], &[&str])] = &[
        ("no session", &[">ask 1 ping", "<result 1"], &["", ""]),
        (
            "modern only",
            &[">modern 1 tools/list", "<complete 1", ">modern 2 ping", "<error 2 -32601"],
            &["2026-07-28"; 4],
        ),
        ("a revision that is not known", &[unknown, "<error \"u\" -32022"], &["2031-01-01"; 2]),
        (
            "both eras at the same time",
            &[
                ">hello 0 2026-07-28",
                "<welcome 0 2025-06-18",
                ">modern 1 tools/list",
                ">ask 2 tools/list",
                "<complete 1",
                "<result 2",
                ">modern 3 tools/list",
                ">cancel 3",
                "<complete 3",
                "<ask 1 ping",
                ">result 1",
                "<event notifications/tools/list_changed 9",
                "<tell notifications/tools/list_changed",
            ],
            &[
                "2026-07-28",
                "2025-06-18",
                "2026-07-28",
                "2025-06-18",
                "2026-07-28",
                "2025-06-18",
                "2026-07-28",
                "2025-06-18",
                "2026-07-28",
                "2025-06-18",
                "2025-06-18",
                "2026-07-28",
                "2025-06-18",
            ],
        ),
        (
            "each session its own",
            &[
                ">hello 0 2024-11-05",
                "<welcome 0 2024-11-05",
                ">ask 1 ping",
                ">hello 2 2025-11-25",
                "<welcome 2 2025-11-25",
                "<result 1",
            ],
            &["2024-11-05", "2024-11-05", "2024-11-05", "2025-11-25", "2025-11-25", "2024-11-05"],
        ),
    ];
    for (name, lines, expected) in sessions {
        let outcome = play_short(lines);
        let shown: Vec<String> = messages(&outcome.records())
            .map(|record| record["version"].as_str().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(shown, *expected, "{name}: {}", outcome.log);
    }
}

fn messages(records: &[Value]) -> impl Iterator<Item = &Value> {
    records.iter().filter(|record| record.get("bytes").is_some())
}

/// Sends `lines` at once to a server that reads them all and then writes `answers`.
fn play_many(lines: &[String], answers: &[String]) -> crate::tap::Outcome {
    let file = crate::tap::Temporary::new("answers");
    let spelled = |lines: &[String]| -> Vec<u8> {
        lines.iter().flat_map(|line| [&spelled(line)[1..], b"\n"].concat()).collect()
    };
    std::fs::write(&file.0, spelled(answers)).expect("room for the answers");
    let count = lines.len();
    let path = file.0.display();
    let script = format!("head -n {count} >/dev/null; cat '{path}'; cat >/dev/null");
    let mut tap = Tap::script(&["--json"], &script);
    tap.send(&spelled(lines));
    let size = spelled(answers).len();
    tap.read(size);
    tap.close()
}

/// More requests than the tables hold. Their lines fit the queue of the inspection, so all of them are inspected.
const MANY: usize = 17_000;

#[test]
fn many_cancelled_requests_leave_it_able_to_judge() {
    let mut lines = Vec::new();
    for id in 0..MANY {
        lines.push(format!(">ask {id} tools/call"));
        lines.push(format!(">cancel {id}"));
    }
    lines.push(">ask 50000 tools/call".to_owned());
    // Late answers to the oldest and the newest, the answer to the current one, and an unknown one.
    let answers = ["<result 0", "<result 16999", "<result 50000", "<result 50000", "<result 60000"];
    let outcome = play_many(&lines, &answers.map(str::to_owned));
    let records = outcome.records();
    assert_eq!(faults(&outcome), "answered-twice 1, unknown-id 1");
    assert!(records.iter().all(|record| record["kind"] != "untracked"));
    assert_eq!(outcome.stderr, "");
}

#[test]
fn a_full_table_is_reported_once_and_causes_no_fault() {
    let lines: Vec<String> = (0..MANY).map(|id| format!(">ask {id} tools/call")).collect();
    let mut answers: Vec<String> = (0..MANY).map(|id| format!("<result {id}")).collect();
    answers.push("<result 60000".to_owned());
    let outcome = play_many(&lines, &answers);
    let records = outcome.records();
    assert_eq!(faults(&outcome), "unknown-id 1");
    let said = records.iter().filter(|record| record["kind"] == "untracked").count();
    assert_eq!(said, 1);
    let summary = records.last().expect("a summary");
    assert_eq!(summary["client"]["untracked"], MANY - 16_384);
    assert_eq!(
        outcome.stderr,
        "barewire: client: too many requests wait for an answer; further ones are forwarded, and not matched with their \
         answers\n"
    );
}

#[test]
fn a_right_server_has_no_faults_whatever_the_client_writes() {
    let corpus = std::fs::read_to_string("../tests/corpus/messages.jsonl").expect("the corpus");
    let mut inputs = Vec::new();
    for line in corpus.lines() {
        let case: Value = serde_json::from_str(line).expect("JSON");
        let input = case["input"].as_str().unwrap_or_default();
        if !input.contains('\n') {
            inputs.extend_from_slice(input.as_bytes());
            inputs.push(b'\n');
        }
    }
    assert!(inputs.len() > 10_000);
    let mut tap = Tap::start(&[], &[crate::tap::BAREWIRE, "serve"]);
    tap.send(&inputs);
    let log = tap.close().log;
    let mut answers = log.lines().filter(|line| line.contains(" <- "));
    assert!(answers.clone().count() > 200);
    let fault = answers.find(|line| line.contains("!!") || line.contains("INVALID"));
    assert_eq!(fault, None);
}
