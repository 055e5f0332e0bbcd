//! `barewire classify`: kinds, codes, exit statuses.

use std::fs;
use std::path::PathBuf;

use crate::program::{Outcome, Session, run};

/// A message, its kind, its code, and its line for people.
const MESSAGES: &[(&str, &str, Option<i32>, &str)] = &[
    (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, "request", None, "request id=1 method=tools/list"),
    (
        r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#,
        "notification",
        None,
        "notification method=notifications/progress",
    ),
    (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "response", None, "response id=1 result"),
    (
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        "response",
        None,
        "response id=null error=-32700",
    ),
    (r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#, "request", None, "request id=1 method=x"),
    (r#"{"jsonrpc":"2.0","id":"7","method":""}"#, "request", None, r#"request id="7" method="""#),
    (
        r#"{"jsonrpc":"2.0","id":"a\u001bb","method":"\u001b[2J"}"#,
        "request",
        None,
        r#"request id="a\u001bb" method=\u001b[2J"#,
    ),
    (
        r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#,
        "invalid",
        Some(-32600),
        "invalid -32600 invalid-id at byte 22",
    ),
    (
        r#"{"jsonrpc":"2.0","id":true,"method":"x"}"#,
        "invalid",
        Some(-32600),
        "invalid -32600 invalid-id at byte 22",
    ),
    (
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#,
        "invalid",
        Some(-32600),
        "invalid -32600 result-and-error",
    ),
    (r#"[{"jsonrpc":"2.0","id":1,"method":"x"}]"#, "invalid", Some(-32600), "invalid -32600 batch"),
    (
        r#"{"jsonrpc":"2.0","id":1.0,"method":"x"}"#,
        "invalid",
        Some(-32600),
        "invalid -32600 invalid-id at byte 22",
    ),
    (
        r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[]}"#,
        "invalid",
        Some(-32600),
        "invalid -32600 params-not-an-object at byte 46",
    ),
    (
        r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
        "invalid",
        Some(-32600),
        "invalid -32600 result-not-an-object at byte 33",
    ),
    (
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}"#,
        "invalid",
        Some(-32600),
        "invalid -32600 invalid-error-code at byte 32",
    ),
    ("42", "invalid", Some(-32600), "invalid -32600 not-an-object"),
    ("{}", "invalid", Some(-32600), "invalid -32600 missing-version"),
    (r#"{"jsonrpc":"2.0"}"#, "invalid", Some(-32600), "invalid -32600 not-a-message"),
];

/// What is no JSON: the words behind the reason are for people and may change.
const NOT_JSON: &[&str] = &["not-json", r#"{"a":01}"#, "{}x", "{", " \u{FEFF}{}", "[1,]"];

fn lines_of(outcome: &Outcome) -> Vec<&str> {
    outcome.stdout.lines().collect()
}

fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(line).expect("JSON")
}

/// A file with this content, below the build's own directory.
fn file(name: &str, content: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).expect("a file");
    path.to_str().expect("UTF-8").to_string()
}

#[test]
fn lines_for_people() {
    let input: Vec<&str> = MESSAGES.iter().map(|(message, ..)| *message).collect();
    let outcome = run(&["classify"], (input.join("\n") + "\n").as_bytes());
    let expected: Vec<&str> = MESSAGES.iter().map(|(.., line)| *line).collect();
    assert_eq!(lines_of(&outcome), expected);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""));
}

#[test]
fn json_has_kind_and_code_first() {
    for (message, kind, code, _) in MESSAGES {
        let outcome = run(&["classify", "--json"], message.as_bytes());
        let code_text = code.map_or("null".to_string(), |code| code.to_string());
        let head = format!(r#"{{"kind":"{kind}","error_code":{code_text}"#);
        assert!(outcome.stdout.starts_with(&head), "{message}: {}", outcome.stdout);
        assert_eq!(outcome.code, Some(i32::from(code.is_some())), "{message}");
        let value = json(&outcome.stdout);
        let sent = json(message);
        if code.is_none() {
            assert_eq!(value.get("method"), sent.get("method"), "{message}");
            assert_eq!(value.get("id"), sent.get("id"), "{message}");
        } else {
            assert!(value["reason"].is_string(), "{message}");
        }
    }
    for message in NOT_JSON {
        let outcome = run(&["classify", "--json", "--whole"], message.as_bytes());
        let head = r#"{"kind":"invalid","error_code":-32700,"line":1,"reason":"not-json","#;
        assert!(outcome.stdout.starts_with(head), "{message}: {}", outcome.stdout);
        assert_eq!(outcome.code, Some(1), "{message}");
    }
}

#[test]
fn a_whole_text_is_one_message() {
    let spread = "\n{\n  \"jsonrpc\": \"2.0\",\r\n  \"id\": 1,\n  \"method\": \"x\"\n}\n\n";
    let outcome = run(&["classify", "--whole"], spread.as_bytes());
    assert_eq!(outcome.stdout, "request id=1 method=x\n");
    assert_eq!(outcome.code, Some(0));

    let two = "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"y\"}\n";
    let outcome = run(&["classify", "--whole"], two.as_bytes());
    assert!(outcome.stdout.starts_with("invalid -32700 not-json"), "{}", outcome.stdout);
    assert_eq!((lines_of(&outcome).len(), outcome.code), (1, Some(1)));
    let outcome = run(&["classify"], two.as_bytes());
    assert_eq!(outcome.stdout, "notification method=x\nnotification method=y\n");
    assert_eq!(outcome.code, Some(0));

    for (message, _, code, line) in MESSAGES {
        let outcome = run(&["classify", "--whole"], message.as_bytes());
        assert_eq!(outcome.stdout, format!("{line}\n"), "{message}");
        assert_eq!(outcome.code, Some(i32::from(code.is_some())), "{message}");
    }
}

#[test]
fn an_empty_text_is_invalid_as_a_whole_and_skipped_as_lines() {
    for text in ["", "\n", "  \r\n\n\t"] {
        let whole = run(&["classify", "--whole", "--json"], text.as_bytes());
        let head = r#"{"kind":"invalid","error_code":-32700"#;
        assert!(whole.stdout.starts_with(head), "{text:?}: {}", whole.stdout);
        assert_eq!((lines_of(&whole).len(), whole.code), (1, Some(1)), "{text:?}");
        let lines = run(&["classify", "--json"], text.as_bytes());
        assert_eq!((lines.stdout.as_str(), lines.code), ("", Some(0)), "{text:?}");
    }
}

#[test]
fn a_byte_order_mark_is_dropped_before_the_first_line_and_before_a_whole_text() {
    let text = "\u{FEFF}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}";
    let marked = file("marked.json", text.as_bytes());
    for form in [&["classify"][..], &["classify", "--whole"]] {
        let outcome = run(form, text.as_bytes());
        assert_eq!((outcome.stdout.as_str(), outcome.code), ("request id=1 method=x\n", Some(0)), "{form:?}");
        // At the start of each file.
        let outcome = run(&[form, &[&marked, "-", &marked]].concat(), text.as_bytes());
        assert_eq!((lines_of(&outcome).len(), outcome.code), (3, Some(0)), "{}", outcome.stdout);
        // Only one mark is dropped, and only at the start.
        for text in [format!("\u{FEFF}{text}"), format!("\n{text}\n")] {
            let outcome = run(form, text.as_bytes());
            assert!(outcome.stdout.starts_with("invalid -32700 not-json"), "{}", outcome.stdout);
            assert_eq!(outcome.code, Some(1));
        }
    }
    // A mark alone is not a line, and with `--whole` an empty text.
    let outcome = run(&["classify"], "\u{FEFF}\n".as_bytes());
    assert_eq!((outcome.stdout.as_str(), outcome.code), ("", Some(0)));
    let outcome = run(&["classify", "--whole"], "\u{FEFF}".as_bytes());
    assert!(outcome.stdout.starts_with("invalid -32700 not-json"), "{}", outcome.stdout);
    assert_eq!((lines_of(&outcome).len(), outcome.code), (1, Some(1)));
}

#[test]
fn json_has_the_line_and_tells_a_result_from_an_error() {
    let long = "9".repeat(30);
    for (message, expected) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#,
            r#"{"kind":"request","error_code":null,"line":1,"id":1,"method":"x"}"#,
        ),
        (
            r#"{"method":"a/b","jsonrpc":"2.0"}"#,
            r#"{"kind":"notification","error_code":null,"line":1,"method":"a/b"}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","result":{"code":7}}"#,
            r#"{"kind":"response","error_code":null,"line":1,"id":"a","outcome":"result"}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"error":{"message":"m","code":-32601}}"#,
            r#"{"kind":"response","error_code":null,"line":1,"id":2,"outcome":"error","code":-32601}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":0,"message":""}}"#,
            r#"{"kind":"response","error_code":null,"line":1,"id":null,"outcome":"error","code":0}"#,
        ),
        (
            &format!(r#"{{"jsonrpc":"2.0","id":3,"error":{{"code":-{long},"message":"m"}}}}"#),
            &format!(
                r#"{{"kind":"response","error_code":null,"line":1,"id":3,"outcome":"error","code":-{long}}}"#
            ),
        ),
        ("[]", r#"{"kind":"invalid","error_code":-32600,"line":1,"reason":"batch","offset":0}"#),
        ("{}", r#"{"kind":"invalid","error_code":-32600,"line":1,"reason":"missing-version"}"#),
    ] {
        for form in [&["classify", "--json"][..], &["classify", "--json", "--whole"]] {
            let outcome = run(form, message.as_bytes());
            assert_eq!(outcome.stdout, format!("{expected}\n"), "{form:?}");
        }
    }
}

#[test]
fn blank_lines_are_counted() {
    let long = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{}\"}}", "m".repeat(17 << 20));
    let notification = r#"{"jsonrpc":"2.0","method":"x"}"#;
    let text = format!("\r\n{notification}\r\n \t\n\n[]\n{long}\n{notification}\n\n{{");
    let outcome = run(&["classify", "--json"], text.as_bytes());
    let lines: Vec<u64> =
        lines_of(&outcome).into_iter().map(|line| json(line)["line"].as_u64().expect("a number")).collect();
    assert_eq!(lines, [2, 5, 6, 7, 9]);
    let outcome = run(&["classify", "-n"], text.as_bytes());
    let expected = [
        "2: notification method=x",
        "5: invalid -32600 batch",
        "6: invalid -32700 too-long",
        "7: notification method=x",
        "9: invalid -32700 not-json, ",
    ];
    assert_eq!(lines_of(&outcome).len(), expected.len(), "{}", outcome.stdout);
    for (line, expected) in lines_of(&outcome).into_iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}");
    }
}

#[test]
fn the_file_is_named_where_there_are_several_or_with_n() {
    let notification = "\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n";
    let a = file("named-a.jsonl", notification.as_bytes());
    let b = file("named-b.jsonl", notification.as_bytes());
    let seen = "notification method=x";
    for (arguments, expected) in [
        (&[a.as_str()][..], format!("{seen}\n")),
        (&["-n", &a], format!("{a}:2: {seen}\n")),
        (&["-n"], format!("2: {seen}\n")),
        (&["-n", "-"], format!("2: {seen}\n")),
        (&[&a, &b], format!("{a}:2: {seen}\n{b}:2: {seen}\n")),
        (&["-n", "-", &b], format!("-:2: {seen}\n{b}:2: {seen}\n")),
        (&["--whole", "-n", &a], format!("{a}:1: {seen}\n")),
        (&["--whole", &a, "-"], format!("{a}:1: {seen}\n-:1: {seen}\n")),
    ] {
        let outcome = run(&[&["classify"], arguments].concat(), notification.as_bytes());
        assert_eq!(outcome.stdout, expected, "{arguments:?}");
        assert_eq!(outcome.code, Some(0));
    }
    let quoted = |name: &str| serde_json::Value::from(name);
    let line = |file: &str, line: u64| {
        format!("{{\"kind\":\"notification\",\"error_code\":null,{file}\"line\":{line},\"method\":\"x\"}}\n")
    };
    for (arguments, expected) in [
        (&["--json", &a][..], line("", 2)),
        (&["--json", "-n", &a], line("", 2)),
        (&["--json", &a, "-"], line(&format!("\"file\":{},", quoted(&a)), 2) + &line("\"file\":\"-\",", 2)),
        (
            &["--json", "--whole", &b, &a],
            line(&format!("\"file\":{},", quoted(&b)), 1) + &line(&format!("\"file\":{},", quoted(&a)), 1),
        ),
    ] {
        let outcome = run(&[&["classify"], arguments].concat(), notification.as_bytes());
        assert_eq!(outcome.stdout, expected, "{arguments:?}");
    }
}

#[test]
fn carriage_returns_and_blank_lines_are_skipped_and_a_last_line_needs_no_newline() {
    let text = "\r\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\r\n \t\n\n{\"jsonrpc\":\"2.0\",\"method\":\"y\"}";
    let outcome = run(&["classify"], text.as_bytes());
    assert_eq!(outcome.stdout, "notification method=x\nnotification method=y\n");
    assert_eq!(outcome.code, Some(0));
}

#[test]
fn bytes_that_are_not_utf8_are_not_json() {
    let outcome = run(
        &["classify", "--json"],
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xC3\x28\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"y\"}\n",
    );
    let lines = lines_of(&outcome);
    assert!(lines[0].starts_with(r#"{"kind":"invalid","error_code":-32700"#), "{lines:?}");
    assert_eq!(lines[1], r#"{"kind":"notification","error_code":null,"line":2,"method":"y"}"#);
    assert_eq!((lines.len(), outcome.code), (2, Some(1)));
}

#[test]
fn leniencies_are_opted_into() {
    let lenient = [
        r#"{"jsonrpc":"2.0","id":1,"method":"x","params":null}"#,
        r#"{"jsonrpc":"2.0","method":"x","params":[]}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#,
    ];
    let still_invalid = [
        r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"x","params":false}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#,
    ];
    let input = [lenient.as_slice(), still_invalid.as_slice()].concat().join("\n");
    let outcome = run(&["classify"], input.as_bytes());
    assert!(lines_of(&outcome).iter().all(|line| line.starts_with("invalid -32600 ")));
    let outcome = run(&["classify", "--lenient"], input.as_bytes());
    let kinds: Vec<&str> =
        lines_of(&outcome).into_iter().map(|line| line.split(' ').next().expect("a word")).collect();
    assert_eq!(kinds, ["request", "notification", "response", "invalid", "invalid", "invalid", "invalid"]);
    assert_eq!(outcome.code, Some(1));
    let outcome = run(&["classify", "--lenient"], lenient.join("\n").as_bytes());
    assert_eq!(outcome.code, Some(0));
}

#[test]
fn files_are_read_in_their_order_and_a_dash_is_standard_input() {
    let a = file("a.jsonl", b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n");
    let b = file("b.jsonl", b"{\"jsonrpc\":\"2.0\",\"method\":\"b\"}");
    let outcome = run(&["classify", &b, "-", &a], b"{\"jsonrpc\":\"2.0\",\"method\":\"c\"}");
    assert_eq!(
        outcome.stdout,
        format!("{b}:1: notification method=b\n-:1: notification method=c\n{a}:1: notification method=a\n")
    );
    assert_eq!(outcome.code, Some(0));
    let outcome = run(&["classify", "--whole", &a, &b], b"");
    assert_eq!((lines_of(&outcome).len(), outcome.code), (2, Some(0)));
}

#[test]
fn an_unreadable_input_is_reported_in_one_sentence() {
    let good = file("good.jsonl", b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\nnot-json\n");
    let missing = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("there-is-no-such-file");
    let missing = missing.to_str().expect("UTF-8");
    let directory = env!("CARGO_TARGET_TMPDIR");
    for unreadable in [missing, directory] {
        let outcome = run(&["classify", &good, unreadable], b"");
        assert_eq!(outcome.code, Some(2), "{unreadable}");
        // What was found before is shown.
        assert_eq!(lines_of(&outcome).len(), 2);
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].starts_with(&format!("barewire: cannot read {unreadable}: ")), "{lines:?}");
    }
    let outcome = run(&["classify", "--nope"], b"");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
}

#[test]
fn a_line_longer_than_the_buffer_is_one_invalid_message() {
    let mut input = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}\n", "m".repeat(17 << 20));
    input += "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n";
    let outcome = run(&["classify"], input.as_bytes());
    assert_eq!(outcome.stdout, "invalid -32700 too-long\nnotification method=x\n");
    assert_eq!(outcome.code, Some(1));
}

#[test]
fn each_line_is_shown_before_the_next_one_is_waited_for() {
    let mut session = Session::start(&["classify"]);
    for method in ["a", "b"] {
        let shown = session.ask(&format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#));
        assert_eq!(shown, format!("notification method={method}"));
    }
    let outcome = session.close();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
}
