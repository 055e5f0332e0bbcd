//! What is too long, too deep, too large or too much is answered, and the next line works.

use crate::program::{Session, done, slow};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

fn error(id: &str, code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}

#[test]
fn a_line_longer_than_the_input_is_answered_as_far_as_its_id_is_known() {
    let mut session = Session::serve(&["--max-input", "100"]);
    let long = "a".repeat(200);
    let too_long = |id| error(id, -32700, "Message too long");
    let rows = [
        // As the official clients write it: `id` last.
        (
            format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"text":"{long}"}},"id":7}}"#),
            too_long("7"),
        ),
        (
            format!(
                r#"{{"method":"x","params":{{"id":1,"t":"\"}},{long}"}},"i\u0064" : "a\u0062" , "jsonrpc":"2.0"}}"#
            ),
            too_long(r#""a\u0062""#),
        ),
        (format!(r#"{{"jsonrpc":"2.0","id":7,"method":"x","params":{{"text":"{long}"}}}}"#), too_long("7")),
        (format!(r#"{{"jsonrpc":"2.0","id":7,"method":"x","result":"{long}"}}"#), too_long("7")),
        // Notifications and responses.
        (
            format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"text":"{long}","id":7}}}}"#
            ),
            String::new(),
        ),
        (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"text":"{long}"}}}}"#), String::new()),
        (format!(r#"{{"jsonrpc":"2.0","error":{{"code":1,"message":"{long}"}},"id":null}}"#), String::new()),
        // Anything else.
        (long.clone(), too_long("null")),
        (format!(r#"["{long}",{{"id":7,"method":"x"}}]"#), too_long("null")),
        (format!(r#"{{"id":7,"text":"{long}"}}"#), too_long("null")),
        (format!(r#"{{"jsonrpc":"2.0","id":1.5,"method":"{long}"}}"#), too_long("null")),
        (format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{long}","id":8}}"#), too_long("null")),
    ];
    for (line, expected) in &rows {
        session.check(&[(line, expected)]);
    }
    // Its newline does not count.
    let fits = format!("{PING}{}", " ".repeat(100 - PING.len()));
    session.check(&[(&fits, PONG), (&format!("{fits} "), &too_long("1"))]);
}

#[test]
fn a_message_nested_too_deep_is_answered_as_far_as_its_id_is_known() {
    let mut session = Session::serve(&[]);
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let too_deep = |id| error(id, -32700, "Message too deep");
    // The envelope and the params are two levels of the 128.
    let (most, more) = (nested(126), nested(127));
    let objects = format!("{}7{}", r#"{"id":"#.repeat(200), "}".repeat(200));
    let rows = [
        (
            format!(r#"{{"jsonrpc":"2.0","method":"ping","params":{{"a":{most}}},"id":7}}"#),
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#.to_string(),
        ),
        (format!(r#"{{"jsonrpc":"2.0","method":"ping","params":{{"a":{more}}},"id":7}}"#), too_deep("7")),
        (format!(r#"{{"jsonrpc":"2.0","method":"ping","params":{objects},"id":"x"}}"#), too_deep(r#""x""#)),
        (format!(r#"{{"jsonrpc":"2.0","method":"ping","params":{{"a":{more}}}}}"#), String::new()),
        (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{objects}}}"#), String::new()),
        (nested(129), too_deep("null")),
        ("[".repeat(100_000), too_deep("null")),
        (PING.to_string(), PONG.to_string()),
    ];
    for (line, expected) in &rows {
        session.check(&[(line, expected)]);
    }
}

#[test]
fn a_line_of_twenty_megabytes_is_refused_and_the_next_one_is_served() {
    let mut session = Session::serve(&[]);
    let text = "b".repeat(20 << 20);
    let line = format!(
        r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}}},"id":"last"}}"#
    );
    assert_eq!(session.ask(&line), error(r#""last""#, -32700, "Message too long"));
    session.check(&[(PING, PONG)]);
}

#[test]
fn a_line_of_fifteen_megabytes_is_served() {
    let mut session = Session::serve(&[]);
    let text = "c".repeat(15 << 20);
    let line = format!(
        r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}}},"id":1}}"#
    );
    let expected = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}"#
    );
    assert!(session.ask(&line) == expected, "a text of {} bytes", text.len());
}

#[test]
fn a_result_fits_the_output_to_the_byte_or_is_a_tool_error() {
    let text = "d".repeat(200);
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}}}}}"#
    );
    let whole = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}"#
    );
    let too_large = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Result too large"}],"isError":true}}"#;
    let limit = whole.len() + 1;
    for (limit, expected) in [(limit, whole.as_str()), (limit - 1, too_large)] {
        let mut session = Session::serve(&["--max-output", &limit.to_string()]);
        session.check(&[(&line, expected), (PING, PONG)]);
    }
}

#[test]
fn an_answer_without_room_is_an_error_with_the_id_or_without_it() {
    // The least that a server can use.
    let mut session = Session::serve(&["--max-output", "96"]);
    let too_large = error("1", -32603, "Response too large");
    let long_id = format!("\"{}\"", "e".repeat(200));
    session.check(&[
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"demo://readme"}}"#,
            &too_large,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, &too_large),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"greet","arguments":{"name":"f"}}}"#,
            &too_large,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
            &too_large,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pixel"}}"#,
            &too_large,
        ),
        (
            &format!(r#"{{"jsonrpc":"2.0","id":{long_id},"method":"tools/list"}}"#),
            &error("null", -32603, "Response too large"),
        ),
        (
            &format!(r#"{{"jsonrpc":"2.0","id":{long_id},"method":"nope"}}"#),
            &error("null", -32601, "Method not found"),
        ),
        (PING, PONG),
    ]);
}

#[test]
fn a_list_is_paged_by_the_room_in_the_output() {
    let mut session = Session::serve(&["--max-output", "500"]);
    let mut names = Vec::new();
    let mut params = String::new();
    let mut pages = 0;
    loop {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list"{params}}}"#);
        let answer = session.ask(&line);
        assert!(answer.len() < 500, "{answer}");
        let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
        let tools = answer["result"]["tools"].as_array().expect("tools");
        assert!(!tools.is_empty(), "an empty page");
        names.extend(tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_string()));
        pages += 1;
        match answer["result"]["nextCursor"].as_str() {
            Some(cursor) => params = format!(r#","params":{{"cursor":"{cursor}"}}"#),
            None => break,
        }
    }
    assert_eq!(
        names,
        [
            "echo",
            "add",
            "slow",
            "measure",
            "pixel",
            "count",
            "set_limit",
            "summarize",
            "list_roots",
            "simulate"
        ]
    );
    assert!(pages > 1);
}

#[test]
fn calls_in_flight_have_a_limit_and_one_id_each() {
    let mut session = Session::serve(&[]);
    for id in 0..1024 {
        session.send(&slow(&id.to_string(), 600_000));
    }
    session.check(&[
        (&slow("1024", 600_000), &error("1024", -32603, "Server busy")),
        (&slow("5", 0), &error("5", -32600, "Request id in use")),
        // Another request may not have it either.
        (r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#, &error("5", -32600, "Request id in use")),
        (r#"{"jsonrpc":"2.0","id":"5","method":"ping"}"#, r#"{"jsonrpc":"2.0","id":"5","result":{}}"#),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#, ""),
        (r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#, r#"{"jsonrpc":"2.0","id":5,"result":{}}"#),
    ]);
}

#[test]
fn an_id_must_be_short_only_if_it_is_kept() {
    let mut session = Session::serve(&[]);
    // Longer than all texts that the storage keeps.
    let long = format!("\"{}\"", "g".repeat(5 << 20));
    session.check(&[
        (&slow(&long, 0), &error(&long, -32603, "Request id too long")),
        (
            &format!(r#"{{"jsonrpc":"2.0","id":{long},"method":"ping"}}"#),
            &format!(r#"{{"jsonrpc":"2.0","id":{long},"result":{{}}}}"#),
        ),
    ]);
    let short = format!("\"{}\"", "g".repeat(200));
    assert_eq!(session.ask(&slow(&short, 0)), done(&short));
}
