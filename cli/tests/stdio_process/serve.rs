//! What the server answers to each line.

use crate::program::{Session, done, run, slow};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

fn initialized(id: &str, version: &str) -> String {
    let title = match version {
        "2024-11-05" | "2025-03-26" => "",
        _ => r#""title":"Barewire demo","#,
    };
    let completions = match version {
        "2024-11-05" => "",
        _ => r#""completions":{},"#,
    };
    let tasks = match version {
        "2025-11-25" => r#","tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}"#,
        _ => "",
    };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"{version}","capabilities":{{"logging":{{}},{completions}"prompts":{{}},"resources":{{"subscribe":true}},"tools":{{}}{tasks}}},"serverInfo":{{"name":"barewire-demo",{title}"version":"{}"}},"instructions":"A demo: every tool is safe to call."}}}}"#,
        env!("CARGO_PKG_VERSION")
    )
}

fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

/// A tool's result of one text, which is given as JSON.
fn result(id: &str, text: &str, is_error: bool) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{text}}}],"isError":{is_error}}}}}"#
    )
}

fn error(id: &str, code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}

#[test]
fn lines_and_their_exact_answers() {
    Session::serve(&[]).check(&[
        (
            "not-json",
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        ),
        (
            r#"{ "jsonrpc": "2.0", "id": 8, "method": "unknown" }"#,
            r#"{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"Method not found"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope","arguments":{}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"r","method":"resources/read","params":{"uri":"nope://x"}}"#,
            r#"{"jsonrpc":"2.0","id":"r","error":{"code":-32002,"message":"Resource not found"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a","b":1}}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"Invalid arguments for echo"}],"isError":true}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3}}}"#,
            r#"{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"5"}],"isError":false}}"#,
        ),
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, ""),
    ]);
}

#[test]
fn sums_are_exact_or_as_ecmascript_prints_them() {
    let mut session = Session::serve(&[]);
    let cases = [
        ("0.1", "0.2", "0.30000000000000004"),
        ("9007199254740993", "2", "9007199254740995"),
        ("9223372036854775806", "1", "9223372036854775807"),
        ("9223372036854775807", "1", "9223372036854776000"),
        ("-9223372036854775808", "-1", "-9223372036854776000"),
        ("1.5", "2", "3.5"),
        ("1.0", "2", "3"),
        ("5e20", "5e20", "1e+21"),
        ("1e-7", "0", "1e-7"),
        ("-0.0", "-0.0", "0"),
        ("-0", "-0", "0"),
        ("0e99999999999999999999", "7", "7"),
    ];
    for (a, b, sum) in cases {
        let line = call("1", "add", &format!(r#"{{"a":{a},"b":{b}}}"#));
        assert_eq!(session.ask(&line), result("1", &format!("\"{sum}\""), false), "{a} + {b}");
    }
}

#[test]
fn what_is_no_finite_number_is_not_added() {
    let mut session = Session::serve(&[]);
    let invalid = result("1", r#""Invalid arguments for add""#, true);
    for value in ["1e400", "-1e400", r#""2""#, "true", "null", "[]", "{}"] {
        for arguments in [format!(r#"{{"a":{value},"b":1}}"#), format!(r#"{{"a":1,"b":{value}}}"#)] {
            assert_eq!(session.ask(&call("1", "add", &arguments)), invalid, "{arguments}");
        }
    }
    for arguments in
        [r#"{}"#, r#"{"a":1}"#, r#"{"a":1,"b":2,"c":3}"#, r#"{"a":1,"b":2,"a":1}"#, r#"{"A":1,"b":2}"#]
    {
        assert_eq!(session.ask(&call("1", "add", arguments)), invalid, "{arguments}");
    }
    assert_eq!(
        session.ask(&call("1", "add", r#"{"a":1e308,"b":1e308}"#)),
        result("1", r#""Result is not a finite number""#, true)
    );
    assert_eq!(session.ask(&call("1", "add", r#"{"a":NaN,"b":1}"#)), error("null", -32700, "Parse error"));
}

#[test]
fn texts_come_back_as_they_are() {
    let mut session = Session::serve(&[]);
    let cases = [
        (r#""a""#, r#""a""#),
        (r#""""#, r#""""#),
        (r#""\ud83d\ude00""#, "\"\u{1F600}\""),
        (r#""\u00e9\u0041""#, "\"\u{e9}A\""),
        (r#""\ud800x""#, r#""\ud800x""#),
        (r#""\uDE00\ud83d""#, r#""\uDE00\ud83d""#),
        (r#""\"\\\/\b\f\n\r\t\u0000\u001f""#, r#""\"\\/\b\f\n\r\t\u0000\u001f""#),
        ("\"\u{7f}\u{2028}\u{fffd}\"", "\"\u{7f}\u{2028}\u{fffd}\""),
    ];
    for (sent, expected) in cases {
        let line = call("1", "echo", &format!(r#"{{"text":{sent}}}"#));
        assert_eq!(session.ask(&line), result("1", expected, false), "{sent}");
    }
    let invalid = result("1", r#""Invalid arguments for echo""#, true);
    for arguments in [
        r#"{}"#,
        r#"{"text":1}"#,
        r#"{"text":null}"#,
        r#"{"text":"a","text":"a"}"#,
        r#"{"text":"a","t\u0065xt":"a"}"#,
        r#"{"text":["a"]}"#,
    ] {
        assert_eq!(session.ask(&call("1", "echo", arguments)), invalid, "{arguments}");
    }
}

#[test]
fn names_are_compared_after_unescaping() {
    Session::serve(&[]).check(&[
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"ec\u0068o","arguments":{"te\u0078t":"x"}}}"#,
            &result("1", r#""x""#, false),
        ),
        (
            r#"{"\u006asonrpc":"\u0032.0","i\u0064":1,"m\u0065thod":"p\u0069ng"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"Tools/call"}"#,
            &error("1", -32601, "Method not found"),
        ),
    ]);
}

#[test]
fn ids_are_echoed_byte_for_byte() {
    let mut session = Session::serve(&[]);
    for id in [
        "7",
        "-7",
        "0",
        "-0",
        "12345678901234567890",
        "123456789012345678901234567890",
        r#""7""#,
        r#""""#,
        r#""a\u0062\/""#,
        r#""\ud800""#,
        "\"\u{1F600}\"",
        r#""123e4567-e89b-12d3-a456-426614174000""#,
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let pong = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert_eq!(session.ask(&line), pong);
        let line = format!(r#"{{"jsonrpc":"2.0","method":"x","id":{id}}}"#);
        assert_eq!(session.ask(&line), error(id, -32601, "Method not found"));
    }
}

/// The rows of the table of standard messages that concern what cannot be read, or is no message.
#[test]
fn what_is_no_message_is_answered_once_or_not_at_all() {
    let invalid = |id| error(id, -32600, "Invalid Request");
    let parse = error("null", -32700, "Parse error");
    let mut session = Session::serve(&[]);
    session.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}\n");
    assert_eq!(session.line(), parse);
    session.check(&[
        ("{", &parse),
        ("{}x", &parse),
        (r#"{"a":01}"#, &parse),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}}"#, &parse),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}"#, &parse),
        ("\u{FEFF}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", &parse),
        ("", ""),
        (" \t ", ""),
        ("\r", ""),
        ("42", &invalid("null")),
        ("null", &invalid("null")),
        (r#""ping""#, &invalid("null")),
        ("{}", &invalid("null")),
        ("[]", &invalid("null")),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, &invalid("null")),
        (r#"{"id":5,"method":"ping"}"#, &invalid("5")),
        (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, &invalid(r#""a""#)),
        (r#"{"jsonrpc":2.0,"id":5,"method":"ping"}"#, &invalid("5")),
        (r#"{"jsonrpc":"2.0","id":5}"#, &invalid("5")),
        (r#"{"jsonrpc":"2.0","id":5,"method":7}"#, &invalid("5")),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, &invalid("null")),
        (r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#, &invalid("null")),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, &invalid("null")),
        (r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}"#, &invalid("null")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}"#, &invalid("1")),
        // Meant as notifications.
        (r#"{"jsonrpc":"2.0","method":"ping","params":[]}"#, ""),
        (r#"{"jsonrpc":"2.0","method":"ping","params":7}"#, ""),
        // Look like responses.
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, ""),
        (r#"{"jsonrpc":"2.0","id":1,"result":3}"#, ""),
        (r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}"#, ""),
        (r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#, ""),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#, ""),
        (r#"{"id":1,"result":{}}"#, ""),
        // With a `method`, `result` and `error` do not count.
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{},"error":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ),
    ]);
}

#[test]
fn params_that_are_no_object_are_refused_and_null_counts_as_absent() {
    let pong = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let invalid = error("1", -32600, "Invalid Request");
    Session::serve(&[]).check(&[
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}"#, pong),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#, pong),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, &invalid),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"a"}"#, &invalid),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":7}"#, &invalid),
        (r#"{"jsonrpc":"2.0","id":1,"method":"nope","params":[]}"#, &invalid),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}"#,
            &error("1", -32602, "Invalid params"),
        ),
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":null}"#, ""),
    ]);
}

#[test]
fn params_without_what_the_method_needs_are_invalid() {
    let mut session = Session::serve(&[]);
    let cases: &[(&str, &[&str])] = &[
        (
            "initialize",
            &["{}", r#"{"protocolVersion":1}"#, r#"{"protocolVersion":"a","protocolVersion":"a"}"#],
        ),
        (
            "tools/call",
            &[
                "{}",
                r#"{"name":7}"#,
                r#"{"name":null}"#,
                r#"{"name":"echo","name":"echo","arguments":{"text":"a"}}"#,
                r#"{"name":"echo","arguments":[]}"#,
                r#"{"name":"echo","arguments":"a"}"#,
                r#"{"name":"echo","arguments":{},"arguments":{}}"#,
                r#"{"name":"echo","_meta":7}"#,
                r#"{"name":"echo","_meta":{},"_meta":{}}"#,
                r#"{"name":"echo","_meta":{"progressToken":true}}"#,
            ],
        ),
        ("resources/read", &["{}", r#"{"uri":7}"#, r#"{"uri":"demo://readme","uri":"demo://readme"}"#]),
        ("resources/subscribe", &["{}", r#"{"uri":null}"#]),
        ("resources/unsubscribe", &["{}", r#"{"uri":[]}"#]),
        (
            "prompts/get",
            &[
                "{}",
                r#"{"name":7}"#,
                r#"{"name":"greet"}"#,
                r#"{"name":"greet","arguments":{"language":"german"}}"#,
                r#"{"name":"greet","arguments":{"name":7}}"#,
                r#"{"name":"greet","arguments":{"name":"a","name":"b"}}"#,
                r#"{"name":"greet","arguments":[]}"#,
            ],
        ),
        (
            "completion/complete",
            &[
                "{}",
                r#"{"ref":{"type":"ref/prompt","name":"greet"}}"#,
                r#"{"ref":{"type":"ref/prompt"},"argument":{"name":"language","value":""}}"#,
                r#"{"ref":{"type":"ref/tool","name":"greet"},"argument":{"name":"language","value":""}}"#,
                r#"{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":7}}"#,
            ],
        ),
        ("logging/setLevel", &["{}", r#"{"level":"loud"}"#, r#"{"level":1}"#, r#"{"level":"Debug"}"#]),
        ("tools/list", &[r#"{"cursor":"1","cursor":"1"}"#]),
        ("server/discover", &["{}"]),
        ("subscriptions/listen", &["{}", r#"{"notifications":{}}"#]),
    ];
    for (method, all) in cases {
        for params in *all {
            let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
            assert_eq!(session.ask(&line), error("1", -32602, "Invalid params"), "{line}");
        }
    }
}

#[test]
fn what_is_null_is_absent_and_what_is_ambiguous_is_refused() {
    let mut session = Session::serve(&[]);
    let plain = session.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    for params in ["null", r#"{"cursor":null}"#, r#"{"_meta":null}"#, r#"{"_meta":{"progressToken":1.0}}"#] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{params}}}"#);
        assert_eq!(session.ask(&line), plain, "{line}");
    }
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"elicitation":{}}}}"#;
    assert_eq!(session.ask(twice), error("1", -32602, "Invalid params"));
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;
    for answers in [
        r#"{"sure":null}"#,
        r#"{"sure":[]}"#,
        r#"{"sure":{"action":"accept"},"s\u0075re":{"action":"decline"}}"#,
        r#"{"sure":{"action":"accept","content":{"yes":true,"yes":false}}}"#,
    ] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"set_limit","arguments":{{"max":5}},"requestState":"5","inputResponses":{answers},{meta}}}}}"#
        );
        assert_eq!(session.ask(&line), error("1", -32602, "Invalid params"), "{line}");
    }
}

#[test]
fn what_does_not_exist_has_its_own_error() {
    let mut session = Session::serve(&[]);
    for cursor in [r#""""#, r#""0""#, r#""10""#, r#""01""#, r#""+1""#, r#""-1""#, r#""x""#, "1", "{}"] {
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"cursor":{cursor}}}}}"#);
        assert_eq!(session.ask(&line), error("1", -32602, "Invalid cursor"), "{line}");
    }
    session.check(&[
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Echo"}}"#,
            &error("1", -32602, "Unknown tool"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"nope"}}"#,
            &error("1", -32602, "Unknown prompt"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"a","value":""}}}"#,
            &error("1", -32602, "Unknown prompt"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"nope://{x}"},"argument":{"name":"x","value":""}}}"#,
            &error("1", -32602, "Invalid params"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"nope://x"}}"#,
            &error("1", -32002, "Resource not found"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"nope:\/\/x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Resource not found","data":{"uri":"nope:\/\/x"}}}"#,
        ),
    ]);
}

#[test]
fn arguments_that_are_null_or_absent_are_none() {
    Session::serve(&[]).check(&[
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":null}}"#,
            &result("1", r#""1""#, false),
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count"}}"#,
            &result("2", r#""2""#, false),
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":null}}"#,
            &result("3", r#""Invalid arguments for echo""#, true),
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"count","arguments":{"x":1}}}"#,
            &result("4", r#""Invalid arguments for count: x: is not known""#, true),
        ),
    ]);
}

#[test]
fn initialize_answers_the_requested_revision_or_the_newest_of_its_era() {
    let cases = [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2031-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ];
    for (requested, answered) in cases {
        let mut session = Session::serve(&[]);
        // All that is needed is the version.
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":"i","method":"initialize","params":{{"protocolVersion":"{requested}"}}}}"#
        );
        assert_eq!(session.ask(&line), initialized(r#""i""#, answered), "{requested}");
    }
}

#[test]
fn a_second_initialize_is_refused_and_the_session_goes_on() {
    let mut session = Session::serve(&[]);
    session.check(&[
        // Served before the handshake too.
        (r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#, r#"{"jsonrpc":"2.0","id":9,"result":{}}"#),
        (&call("9", "echo", r#"{"text":"early"}"#), &result("9", r#""early""#, false)),
        (INITIALIZE, &initialized("0", "2025-11-25")),
        (INITIALIZE, &error("0", -32600, "Already initialized")),
        (&call("1", "echo", r#"{"text":"late"}"#), &result("1", r#""late""#, false)),
    ]);
}

#[test]
fn only_notification_methods_have_effects_without_an_id() {
    Session::serve(&[]).check(&[
        (
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"count"}}"#,
            "",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"count","arguments":[]}}"#,
            "",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#,
            "",
        ),
        (r#"{"jsonrpc":"2.0","method":"logging/setLevel","params":{"level":"loud"}}"#, ""),
        (r#"{"jsonrpc":"2.0","method":"nope"}"#, ""),
        (r#"{"jsonrpc":"2.0","method":""}"#, ""),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#, ""),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}"#,
            "",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
            "",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":[]}}"#,
            "",
        ),
        // The tool did not run, and no session was opened.
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"demo://counter"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"demo://counter","mimeType":"text/plain","text":"0"}]}}"#,
        ),
        (INITIALIZE, &initialized("0", "2025-11-25")),
        // A notification's method is no request's.
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"notifications/initialized"}"#,
            &error("2", -32601, "Method not found"),
        ),
    ]);
}

#[test]
fn a_change_is_told_between_the_answer_that_made_it_and_the_next_one() {
    let updated =
        r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"demo://counter"}}"#;
    let input = [
        INITIALIZE,
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"demo://counter"}}"#,
        &call("2", "count", "{}"),
        r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#,
        &call("4", "count", "{}"),
    ]
    .join("\n");
    let expected = [
        &initialized("0", "2025-11-25"),
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        &result("2", r#""1""#, false),
        updated,
        r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
        &result("4", r#""2""#, false),
        updated,
        "",
    ]
    .join("\n");
    let outcome = run(&["serve"], input.as_bytes());
    assert_eq!(outcome.stdout, expected);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_change_is_told_while_every_thread_is_busy() {
    let mut session = Session::serve(&[]);
    session.ask(INITIALIZE);
    session.ask(
        r#"{"jsonrpc":"2.0","id":"s","method":"resources/subscribe","params":{"uri":"demo://counter"}}"#,
    );
    for id in 0..100 {
        session.send(&slow(&id.to_string(), 600_000));
    }
    assert_eq!(session.ask(&call(r#""c""#, "count", "{}")), result(r#""c""#, r#""1""#, false));
    assert!(session.line().contains("notifications/resources/updated"));
}

#[test]
fn a_byte_order_mark_at_the_start_carriage_returns_and_blank_lines_are_no_fault() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let pong = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    let input = format!("\u{FEFF}{ping}\r\n\r\n\n  \n\t{ping} \r\n");
    let outcome = run(&["serve"], input.as_bytes());
    assert_eq!(outcome.stdout, pong.repeat(2));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
}

#[test]
fn the_log_goes_to_stderr_alone_and_only_as_far_as_it_is_wanted() {
    let lines = [
        "not-json",
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        INITIALIZE,
        &slow("2", 100_000),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
        r#"{"jsonrpc":"2.0","method":"a\u001b[31mb\n"}"#,
        "",
    ]
    .join("\n");
    let stdout = format!("{}\n{}\n", error("null", -32700, "Parse error"), initialized("0", "2025-11-25"));
    let marks = [
        ("debug", "debug notification notifications/initialized"),
        ("info", "info initialized 2025-11-25"),
        ("info", "info a call was cancelled"),
        ("warning", "warning invalid message: -32700 not-json"),
        ("warning", "warning response to unknown request id 1"),
    ];
    let levels = ["debug", "info", "warning", "off"];
    for (at, level) in levels.iter().enumerate() {
        let outcome = run(&["serve", "--log", level], lines.as_bytes());
        assert_eq!(outcome.stdout, stdout, "{level}");
        assert_eq!(outcome.code, Some(0));
        for (of, mark) in marks {
            let wanted = levels.iter().position(|known| *known == of).expect("a level") >= at;
            assert_eq!(outcome.stderr.contains(mark), wanted, "{level}: {mark}\n{}", outcome.stderr);
        }
        // What a peer sends must not steer a terminal.
        assert!(!outcome.stderr.contains('\u{1b}'), "{}", outcome.stderr);
        let lines = outcome.stderr.lines().count();
        assert_eq!(lines, [6, 4, 2, 0][at], "{level}\n{}", outcome.stderr);
    }
}

#[test]
fn help_and_usage() {
    for command in ["serve", "classify"] {
        let outcome = run(&[command, "--help"], b"");
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{command}");
        assert!(outcome.stdout.contains(&format!("Usage: barewire {command}")));
    }
    let outcome = run(&["serve", "--help"], b"");
    for option in ["--log", "--max-input", "--max-output", "--drain"] {
        assert!(outcome.stdout.contains(option), "{option}");
    }
    let outcome = run(&["--help"], b"");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    assert!(outcome.stdout.contains("serve") && outcome.stdout.contains("classify"));
    let outcome = run(&["--version"], b"");
    assert_eq!(outcome.stdout, format!("barewire {}\n", env!("CARGO_PKG_VERSION")));
    let wrong: [&[&str]; 10] = [
        &[],
        &["nope"],
        &["serve", "--nope"],
        &["serve", "--log", "loud"],
        &["serve", "--max-input", "x"],
        &["serve", "--max-input", "0"],
        &["serve", "--max-output", "-1"],
        &["serve", "--max-output", "95"],
        &["serve", "--drain", "1s"],
        &["serve", "--max-input", "4294967296"],
    ];
    for arguments in wrong {
        let outcome = run(arguments, b"");
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(!outcome.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_slow_call_is_answered_late() {
    let mut session = Session::serve(&[]);
    assert_eq!(session.ask(&slow("5", 30)), done("5"));
}
