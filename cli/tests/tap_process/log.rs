//! The log of a conversation.

use crate::play::{play, told};
use crate::tap::{BAREWIRE, Tap};

const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

#[test]
fn each_fault_has_its_name() {
    let modern_list = format!(r#">{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{MODERN}}}}}"#);
    let modern_progress = format!(
        r#">{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":1,"progress":1,{MODERN}}}}}"#
    );
    let modern_ping = format!(r#">{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{{MODERN}}}}}"#);
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "nothing wrong",
            &[
                r#">{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
                r#"<{"jsonrpc":"2.0","id":1,"result":{}}"#,
                r#">{"jsonrpc":"2.0","id":"1","method":"ping"}"#,
                r#"<{"jsonrpc":"2.0","id":"\u0031","result":{}}"#,
            ],
            &["request 1", "result 1", "request \"1\"", "result \"1\""],
        ),
        (
            "unknown id",
            &[r#">{"jsonrpc":"2.0","id":1,"method":"ping"}"#, r#"<{"jsonrpc":"2.0","id":"1","result":{}}"#],
            &["request 1", "result \"1\" unknown-id", "unanswered 1"],
        ),
        (
            "answered twice",
            &[
                r#">{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
                r#"<{"jsonrpc":"2.0","id":1,"result":{}}"#,
                r#"<{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}"#,
            ],
            &["request 1", "result 1", "error 1 answered-twice"],
        ),
        (
            "reply to a notification",
            &[
                r#">{"jsonrpc":"2.0","method":"notifications/nope"}"#,
                r#"<{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"x"}}"#,
            ],
            &["notification", "error reply-to-notification"],
        ),
        (
            "an error for what could not be read is none",
            &[
                r#">{"jsonrpc":"2.0","method":"notifications/nope"}"#,
                ">{",
                r#"<{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}"#,
            ],
            &["notification", "invalid", "error"],
        ),
        (
            "an error without a cause",
            &[r#"<{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"x"}}"#],
            &["error unknown-id"],
        ),
        (
            "ids",
            &[
                r#">{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
                r#">{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
                r#"<{"jsonrpc":"2.0","id":1,"result":{}}"#,
                r#">{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
                r#"<{"jsonrpc":"2.0","id":1,"result":{}}"#,
            ],
            &["request 1", "request 1 id-in-use", "result 1", "request 1 id-reused", "result 1"],
        ),
        (
            "a call that was cancelled",
            &[
                r#">{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#,
                r#">{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}"#,
                r#">{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
                r#">{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
                r#"<{"jsonrpc":"2.0","id":1,"result":{}}"#,
            ],
            &["request 1", "request 2", "notification 1", "notification 2", "result 1"],
        ),
        (
            "no protocol at all",
            &["<Listening on port 3000", "<[]", r#"<{"jsonrpc":"2.0","id":1}"#],
            &["invalid", "invalid", "invalid 1"],
        ),
        (
            "what is refused may still be answered",
            &[
                r#">{"jsonrpc":"2.0","id":5,"method":"ping","params":7}"#,
                r#"<{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"x"}}"#,
            ],
            &["invalid 5", "error 5"],
        ),
        (
            "directions",
            &[
                r#"<{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
                r#">{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}"#,
                r#"<{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
                r#">{"jsonrpc":"2.0","id":2,"result":{}}"#,
                r#">{"jsonrpc":"2.0","id":7,"method":"notifications/initialized"}"#,
            ],
            &[
                "request 1 wrong-direction",
                "error 1",
                "request 2",
                "result 2",
                "request 7 wrong-kind",
                "unanswered 7",
            ],
        ),
        (
            "results of the wrong era",
            &[
                r#">{"jsonrpc":"2.0","id":0,"method":"tools/list"}"#,
                r#"<{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","tools":[]}}"#,
                &modern_list,
                r#"<{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#,
            ],
            &["request 0", "result 0 has-result-type", "request 1", "result 1 no-result-type"],
        ),
        ("directions of the modern era", &[&modern_progress], &["notification wrong-direction"]),
        (
            "a method of the wrong era",
            &[&modern_ping, r#"<{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}"#],
            &["request 1 not-in-revision", "error 1"],
        ),
        (
            "a batch where there are batches",
            &[
                r#">[{"jsonrpc":"2.0","id":9,"method":"ping"}]"#,
                r#">{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
                r#"<{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}"#,
                r#"> [{"jsonrpc":"2.0","id":1,"method":"ping"}, 3, {"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
                r#"<{"jsonrpc":"2.0","id":2,"result":{}}"#,
                r#"<[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":4,"result":{}}]"#,
                ">[]",
            ],
            &[
                "invalid",
                "request 0",
                "result 0",
                "request 1",
                "invalid",
                "request 2",
                "result 2",
                "result 1",
                "result 4 unknown-id",
                "invalid",
            ],
        ),
        (
            "a session has its revision",
            &[
                r#">{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
                r#"<{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}"#,
                r#"<{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}"#,
            ],
            &["request 0", "result 0", "request 1 not-in-revision", "unanswered 1"],
        ),
    ];
    for (name, lines, expected) in cases {
        let records = play(lines).records();
        assert_eq!(told(&records), *expected, "{name}");
    }
}

#[test]
fn a_record_has_every_known_field() {
    let records = play(&[
        r#">{"jsonrpc":"2.0","id":"a","method":"tools\/call","params":{"name":"slow"}}"#,
        r#"<{"jsonrpc":"2.0","id":"a","result":{"content":[],"isError":true}}"#,
        r#">{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x:y"}}"#,
        r#"<{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"not \"there\""}}"#,
        "<{\"jsonrpc\":\"2.0\",\"id\":3,}",
    ])
    .records();
    let call = &records[0];
    assert_eq!(call["from"], "client");
    assert_eq!(call["method"], "tools/call");
    assert_eq!(call["target"], "slow");
    assert_eq!(call["bytes"], 74);
    let answer = &records[1];
    assert_eq!(answer["from"], "server");
    assert_eq!(answer["target"], "slow");
    assert_eq!(answer["tool_failed"], true);
    let took = answer["time"].as_f64().expect("a time") - call["time"].as_f64().expect("a time");
    let latency = answer["latency"].as_f64().expect("a latency");
    assert!((took - latency).abs() < 1e-4, "{took} {latency}");
    let error = &records[3];
    assert_eq!((error["code"].as_i64(), error["message"].as_str()), (Some(-32002), Some("not \"there\"")));
    let invalid = &records[4];
    assert_eq!(invalid["reason"], "not-json");
    assert_eq!(invalid["why"], "-32700 not-json, unexpected byte at byte 24");
    assert_eq!(invalid["begins"], "{\"jsonrpc\":\"2.0\",\"id\":3,}");
    let summary = records.last().expect("a summary");
    assert_eq!(summary["client"]["messages"], 2);
    assert_eq!(summary["server"]["messages"], 3);
    assert_eq!(summary["methods"]["tools/call"]["answered"], 1);
    assert_eq!(summary["exit"], "exit status: 0");
}

#[test]
fn without_a_file_the_log_goes_to_standard_error_without_colours() {
    let mut child = std::process::Command::new(BAREWIRE)
        .args(["tap", "--", BAREWIRE, "serve"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program");
    let mut stdin = child.stdin.take().expect("a pipe");
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\x1b[31m\"}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\u001b[31m\"}\n";
    std::io::Write::write_all(&mut stdin, line).expect("somebody reads");
    drop(stdin);
    let output = child.wait_with_output().expect("an end");
    let log = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(!log.contains('\x1b'), "{log:?}");
    assert!(log.contains("-> request 1 \\u001b[31m, 46 B\n"), "{log}");
    assert!(log.contains("-- faults: 1 invalid\n"), "{log}");
}

/// Output of the program on a terminal, if the program `script` can make one.
fn on_a_terminal(no_color: &str) -> Option<String> {
    let command = format!("'{BAREWIRE}' tap -- true");
    let output = std::process::Command::new("script")
        .args(["-q", "-e", "-c", &command, "/dev/null"])
        .env("NO_COLOR", no_color)
        .env("TERM", "xterm")
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.contains("no faults").then_some(text)
}

#[test]
fn a_terminal_has_colours_unless_they_are_disabled() {
    let Some(coloured) = on_a_terminal("") else {
        println!("skipped: needs the program script");
        return;
    };
    assert!(coloured.contains("\x1b[32m-- no faults\x1b[0m"), "{coloured:?}");
    let plain = on_a_terminal("1").expect("the same program");
    assert!(!plain.contains('\x1b'), "{plain:?}");
}

#[test]
fn colours_can_be_forced_without_a_terminal() {
    let output = std::process::Command::new(BAREWIRE)
        .args(["tap", "--", "true"])
        .env("CLICOLOR_FORCE", "1")
        .env("NO_COLOR", "")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the program");
    let log = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(log.contains("\x1b[32m-- no faults\x1b[0m"), "{log:?}");
}

#[test]
fn the_plain_log_marks_an_answer_after_its_cancellation() {
    let mut tap =
        Tap::script(&[], "read -r a; read -r b; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'");
    tap.send(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    tap.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
    let log = tap.wait().log;
    assert!(log.contains(" ms, after its cancellation\n"), "{log}");
    assert!(log.ends_with("-- no faults\n"), "{log}");
}
