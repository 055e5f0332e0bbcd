//! `null` where a member may be absent, and progress tokens of every kind, as deployed peers send them.

use barewire::demo::{Demo, NoHost};
use barewire::engine::{CallError, Options, Progress};
use barewire::mcp::{InputRequest, Parameter, Prompt, PromptArgument, Tool, Type};
use barewire::rpc::Rules;

use crate::engine_kit::{
    App, Hosted, answer, call, error, initialize_with, json, modern, modern_of, modern_with, request, result,
    written,
};
use crate::engine_tasks::{call_of, server_of, start};

fn demo() -> Hosted<Demo<NoHost>> {
    Hosted::new(Demo::new(NoHost))
}

#[test]
fn params_that_are_null_are_absent_by_default() {
    let mut server = demo();
    for (method, wanted) in [
        ("ping", result("1", "")),
        ("tools/call", error("1", -32602, "Invalid params")),
        ("initialize", error("1", -32602, "Invalid params")),
        ("server/discover", error("1", -32602, "Invalid params")),
    ] {
        assert_eq!(answer(&mut server, &request("1", method, "null")), wanted, "{method}");
    }
    let list = answer(&mut server, &request("1", "tools/list", "null"));
    assert_eq!(list, answer(&mut server, &request("1", "tools/list", "")));
    // Nothing else is absent.
    for params in ["[]", "7", r#""""#, "false"] {
        assert_eq!(
            answer(&mut server, &request("1", "ping", params)),
            error("1", -32600, "Invalid Request"),
            "{params}"
        );
    }
    // In a batch too, and in a notification.
    answer(&mut server, &initialize_with("2025-03-26", "{}"));
    answer(&mut server, r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":null}"#);
    let batch = format!("[{},{}]", request("1", "ping", "null"), request("2", "ping", "null"));
    assert_eq!(answer(&mut server, &batch), result("1", "") + &result("2", ""));
    // Strict rules can be set.
    let strict = Options::DEFAULT.with_rules(Rules::STRICT);
    let mut server: Hosted<Demo<NoHost>> = Hosted::with_options(Demo::new(NoHost), strict);
    assert_eq!(answer(&mut server, &request("1", "ping", "null")), error("1", -32600, "Invalid Request"));
}

#[test]
fn optional_members_of_params_that_are_null_are_absent() {
    let mut server = demo();
    let completion =
        r#""ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":"f"}"#;
    for (method, plain, with_null) in [
        ("tools/list", "", r#""cursor":null"#),
        ("resources/list", "", r#""cursor":null"#),
        ("resources/templates/list", "", r#""cursor":null"#),
        ("prompts/list", "", r#""cursor":null"#),
        ("tasks/list", "", r#""cursor":null"#),
        ("tools/list", "", r#""cursor":null,"_meta":null"#),
        ("ping", "", r#""_meta":null"#),
        ("ping", "", r#""_meta":{"progressToken":null}"#),
        ("ping", "", r#""_meta":{"io.modelcontextprotocol/logLevel":null}"#),
        ("tools/call", r#""name":"measure""#, r#""name":"measure","arguments":null"#),
        ("tools/call", r#""name":"measure""#, r#""name":"measure","task":null"#),
        ("tools/call", r#""name":"measure""#, r#""name":"measure","arguments":{"unit":null}"#),
        ("tools/call", r#""name":"measure""#, r#""name":"measure","_meta":null"#),
        (
            "tools/call",
            r#""name":"measure""#,
            r#""name":"measure","requestState":null,"inputResponses":null"#,
        ),
        ("resources/read", r#""uri":"demo://readme""#, r#""uri":"demo://readme","_meta":null"#),
        (
            "prompts/get",
            r#""name":"greet","arguments":{"name":"a"}"#,
            r#""name":"greet","arguments":{"name":"a","language":null}"#,
        ),
        ("prompts/get", r#""name":"greet""#, r#""name":"greet","arguments":null"#),
        ("completion/complete", completion, &format!(r#"{completion},"context":null"#)),
        ("completion/complete", completion, &format!(r#"{completion},"context":{{"arguments":null}}"#)),
    ] {
        let wanted = answer(&mut server, &request("1", method, &format!("{{{plain}}}")));
        let found = answer(&mut server, &request("1", method, &format!("{{{with_null}}}")));
        assert_eq!(found, wanted, "{method} {with_null}");
        if with_null.contains("_meta") || method == "ping" || method == "tasks/list" {
            continue;
        }
        let wanted = answer(&mut server, &modern("1", method, plain));
        assert_eq!(answer(&mut server, &modern("1", method, with_null)), wanted, "{method} {with_null}");
    }
    // A modern request without a level logs nothing; so does one whose level is null.
    let line =
        modern_with("1", "tools/list", "", r#""io.modelcontextprotocol/logLevel":null,"progressToken":null"#);
    assert_eq!(answer(&mut server, &line), answer(&mut server, &modern("1", "tools/list", "")));
}

#[test]
fn wishes_of_a_stream_that_are_null_are_none() {
    let listen = |filter: &str| {
        let mut server = demo();
        let members = format!(r#""notifications":{{{filter}}}"#);
        answer(&mut server, &modern("1", "subscriptions/listen", &members))
    };
    let wanted = listen("");
    assert!(wanted.contains("acknowledged"));
    for name in
        ["toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions", "taskIds"]
    {
        assert_eq!(listen(&format!(r#""{name}":null"#)), wanted, "{name}");
    }
}

#[test]
fn a_task_that_is_null_is_not_asked_for() {
    let mut server = server_of::<4, 2>(App::of_tasks(), Options::DEFAULT);
    for tool in ["optional", "required", "never", "hasty"] {
        let wanted = answer(&mut server, &call_of("1", tool, ""));
        assert_eq!(answer(&mut server, &call_of("1", tool, r#""task":null"#)), wanted, "{tool}");
    }
    for task in ["7", "[]", r#""""#, "true", r#"{"ttl":"1"}"#] {
        // Of a tool that never is a task, too.
        for tool in ["optional", "required", "never"] {
            let line = call_of("1", tool, &format!(r#""task":{task}"#));
            assert_eq!(answer(&mut server, &line), error("1", -32602, "Invalid params"), "{tool} {task}");
        }
    }
}

#[test]
fn required_members_that_are_null_are_invalid() {
    let mut server = demo();
    for (method, members) in [
        ("initialize", r#""protocolVersion":null"#),
        ("tools/call", r#""name":null"#),
        ("prompts/get", r#""name":null"#),
        ("prompts/get", r#""name":"greet","arguments":{"name":null}"#),
        ("resources/read", r#""uri":null"#),
        ("resources/subscribe", r#""uri":null"#),
        ("resources/unsubscribe", r#""uri":null"#),
        ("logging/setLevel", r#""level":null"#),
        ("tasks/get", r#""taskId":null"#),
        ("tasks/result", r#""taskId":null"#),
        ("tasks/cancel", r#""taskId":null"#),
        ("completion/complete", r#""ref":null,"argument":{"name":"language","value":""}"#),
        (
            "completion/complete",
            r#""ref":{"type":"ref/prompt","name":null},"argument":{"name":"language","value":""}"#,
        ),
        ("completion/complete", r#""ref":{"type":"ref/prompt","name":"greet"},"argument":null"#),
        (
            "completion/complete",
            r#""ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":null}"#,
        ),
    ] {
        assert_eq!(
            answer(&mut server, &request("1", method, &format!("{{{members}}}"))),
            error("1", -32602, "Invalid params"),
            "{method} {members}"
        );
    }
    let listen = modern("1", "subscriptions/listen", r#""notifications":null"#);
    assert_eq!(answer(&mut server, &listen), error("1", -32602, "Invalid params"));
    let update = r#""taskId":"a","inputResponses":null"#;
    let capabilities = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
    let found = answer(&mut server, &modern_of("1", "tasks/update", update, capabilities));
    assert_eq!(json(&found)["error"]["code"], -32602);
    // Missing required arguments are an error of the tool.
    let line = request("1", "tools/call", r#"{"name":"add","arguments":{"a":1,"b":null}}"#);
    assert!(answer(&mut server, &line).contains("Invalid arguments for add"));
}

#[test]
fn modern_keys_that_are_null_make_a_message_modern_and_invalid() {
    let mut server = demo();
    let keys = [
        r#""io.modelcontextprotocol/protocolVersion":null"#,
        r#""io.modelcontextprotocol/clientCapabilities":null"#,
        r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":null"#,
        r#""io.modelcontextprotocol/protocolVersion":null,"io.modelcontextprotocol/clientCapabilities":{}"#,
    ];
    for key in keys {
        for method in ["tools/list", "ping", "initialize", "nope"] {
            let line =
                request("1", method, &format!(r#"{{"protocolVersion":"2025-11-25","_meta":{{{key}}}}}"#));
            assert_eq!(answer(&mut server, &line), error("1", -32602, "Invalid params"), "{method} {key}");
        }
    }
    assert_eq!(server.session(), None);
}

fn asking() -> App {
    App::of_tool(|_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).keep("s")))
}

#[test]
fn a_capability_that_is_null_is_not_declared() {
    for capabilities in [r#"{"roots":null}"#, r#"{"roots":null,"sampling":null}"#] {
        let mut server: Hosted<App> = Hosted::new(asking());
        let line = modern_of("1", "tools/call", r#""name":"t""#, capabilities);
        assert_eq!(json(&answer(&mut server, &line))["error"]["code"], -32021);
        answer(&mut server, &initialize_with("2025-11-25", capabilities));
        assert!(server.session().is_some());
        assert!(answer(&mut server, &call("1")).contains("Missing required client capability: roots"));
    }
    let mut server: Hosted<App> = Hosted::new(asking());
    answer(&mut server, &initialize_with("2025-11-25", "null"));
    assert!(server.session().is_some());
    assert!(answer(&mut server, &call("1")).contains("Missing required client capability: roots"));
}

/// A tool with a parameter of each kind, none of which is required.
fn optional() -> App {
    const INSIDE: &[Parameter<'_>] =
        &[Parameter::optional("inner", Type::Boolean), Parameter::required("must", Type::INTEGER)];
    const PARAMETERS: &[Parameter<'_>] = &[
        Parameter::optional("string", Type::STRING),
        Parameter::optional("choice", Type::Choice(&["a"])),
        Parameter::optional("integer", Type::INTEGER),
        Parameter::optional("number", Type::NUMBER),
        Parameter::optional("boolean", Type::Boolean),
        Parameter::optional("array", Type::array_of(&Type::INTEGER, 3)),
        Parameter::optional("object", Type::object_of(INSIDE)),
    ];
    App {
        tools: vec![Tool::new("t", "A tool.").with_parameters(PARAMETERS)],
        ..App::of_tool(|_, call, reply| {
            let given: Vec<&str> =
                PARAMETERS.iter().map(Parameter::name).filter(|name| call.value(name).is_some()).collect();
            Ok(reply.text(given.join(" ").as_str()))
        })
    }
}

#[test]
fn optional_arguments_that_are_null_are_not_given() {
    let mut server: Hosted<App> = Hosted::new(optional());
    let mut called = |arguments: &str| {
        let params = format!(r#"{{"name":"t","arguments":{arguments}}}"#);
        let line = json(&answer(&mut server, &request("1", "tools/call", &params)));
        line["result"]["content"][0]["text"].as_str().expect("text").to_owned()
    };
    for name in ["string", "choice", "integer", "number", "boolean", "array", "object"] {
        assert_eq!(called(&format!(r#"{{"{name}":null}}"#)), "", "{name}");
    }
    assert_eq!(called(r#"{"string":null,"integer":5,"boolean":false}"#), "integer boolean");
    assert_eq!(called(r#"{"object":{"inner":null,"must":1}}"#), "object");
    assert_eq!(called(r#"{"object":{"must":null}}"#), "Invalid arguments for t: must: must be an integer");
    assert_eq!(called(r#"{"array":[null]}"#), "Invalid arguments for t: array: must be an integer");
    assert_eq!(called(r#"{"string":null,"string":"a"}"#), "Invalid arguments for t: string: occurs twice");
    assert_eq!(called(r#"{"nope":null}"#), "Invalid arguments for t: nope: is not known");
}

#[test]
fn optional_arguments_of_a_prompt_that_are_null_are_not_given() {
    let mut server: Hosted<App> = Hosted::new(App {
        prompts: vec![
            Prompt::new("p")
                .with_arguments(const { &[PromptArgument::required("a"), PromptArgument::optional("b")] }),
        ],
        prompt: |_, get, reply| {
            if get.argument("b").is_some() {
                return Err(CallError::Internal);
            }
            Ok(reply.text(barewire::engine::Role::User, "x"))
        },
        ..App::new()
    });
    let mut got = |arguments: &str| {
        let params = format!(r#"{{"name":"p","arguments":{arguments}}}"#);
        json(&answer(&mut server, &request("1", "prompts/get", &params)))
    };
    assert!(got(r#"{"a":"1","b":null}"#).get("result").is_some());
    assert!(got(r#"{"a":"1","c":null}"#).get("result").is_some());
    assert_eq!(got(r#"{"a":null,"b":"1"}"#)["error"]["code"], -32602);
    assert_eq!(got(r#"{"a":"1","b":7}"#)["error"]["code"], -32602);
}

/// Every JSON string and number is a token, and goes back as it came.
const TOKENS: &[&str] = &[
    "1.0",
    "1e3",
    "1E+3",
    "-0",
    "0",
    "-0.0",
    "0.1e-7",
    "1234567890123456789012345678901234567890",
    "1e999",
    r#""""#,
    r#""1.0""#,
    r#""a\u0062\/\ud800""#,
    r#""ü😀""#,
];

fn with_token(id: &str, token: &str) -> String {
    request(id, "tools/call", &format!(r#"{{"name":"t","_meta":{{"progressToken":{token}}}}}"#))
}

fn progress(token: &str, value: i64) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{token},\"progress\":{value}}}}}\n"
    )
}

#[test]
fn a_progress_token_is_any_string_or_number() {
    for token in TOKENS {
        // In the call, and while it is deferred.
        let mut server: Hosted<App> = Hosted::new(App::of_tool(|log, _, mut reply| {
            reply.progress(Progress::new(1));
            let (token, outcome) = reply.defer()?;
            log.tokens.push(token);
            Ok(outcome)
        }));
        assert_eq!(answer(&mut server, &with_token("1", token)), progress(token, 1), "{token}");
        let call = server.handler().log.tokens[0];
        let (line, _) = written(&mut server, 512, |server, out| server.progress(call, Progress::new(2), out));
        assert_eq!(line, progress(token, 2), "{token}");
        let (lines, _) =
            written(&mut server, 512, |server, out| server.progress(call, Progress::new(3), out));
        assert_eq!(lines, progress(token, 3), "{token}");
        // Of a call that asks.
        let mut server: Hosted<App> = Hosted::new(App {
            resume: |_, _, mut reply| {
                reply.progress(Progress::new(2));
                Ok(reply.text("x"))
            },
            ..asking()
        });
        answer(&mut server, &initialize_with("2025-11-25", r#"{"roots":{}}"#));
        answer(&mut server, &with_token("1", token));
        let lines = answer(&mut server, r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#);
        assert!(lines.starts_with(&progress(token, 2)), "{token}: {lines}");
        // Of a task.
        let mut server = server_of::<4, 2>(App::of_tasks(), Options::DEFAULT);
        let line = call_of("1", "optional", &format!(r#""task":{{}},"_meta":{{"progressToken":{token}}}"#));
        answer(&mut server, &line);
        let task = server.handler().log.tasks[0];
        let (line, told) =
            written(&mut server, 512, |server, out| server.task_progress(task, Progress::new(1), out));
        assert_eq!(told, Ok(true), "{token}");
        assert!(line.contains(&format!(r#""progressToken":{token},"progress":1"#)), "{token}: {line}");
    }
    // Nothing else is one.
    let mut server: Hosted<App> = Hosted::new(asking());
    for token in ["true", "[]", "{}", "[1]"] {
        assert_eq!(
            answer(&mut server, &with_token("1", token)),
            error("1", -32602, "Invalid params"),
            "{token}"
        );
    }
    // An id stays what it is.
    for id in ["1.0", "1e3"] {
        assert!(answer(&mut server, &request(id, "ping", "")).contains(r#""id":null"#));
    }
}

#[test]
fn answers_of_a_wrong_kind_are_refused_rather_than_asked_for_again() {
    let mut server: Hosted<App> = Hosted::new(App {
        resume: |_, resumed, reply| {
            if resumed.answer("k").is_none() {
                return Ok(reply.ask("k", &InputRequest::Roots).keep("s"));
            }
            Ok(reply.text("x"))
        },
        ..asking()
    });
    let mut retry = |answers: &str| {
        let members = format!(r#""name":"t","requestState":"s","inputResponses":{answers}"#);
        answer(&mut server, &modern_of("1", "tools/call", &members, r#"{"roots":{}}"#))
    };
    for value in ["null", "[]", "7", r#""x""#, "true", "[{}]"] {
        for answers in [format!(r#"{{"k":{value}}}"#), format!(r#"{{"other":{{}},"\u006b":{value}}}"#)] {
            assert_eq!(retry(&answers), error("1", -32602, "Invalid params"), "{answers}");
        }
        if value != "null" {
            assert_eq!(retry(value), error("1", -32602, "Invalid params"), "{value}");
        }
        // Answers to nothing are ignored.
        let answers = format!(r#"{{"k":{{}},"other":{value}}}"#);
        assert!(retry(&answers).contains(r#""text":"x""#), "{answers}");
    }
    // A missing answer is asked for again.
    for answers in ["{}", r#"{"other":{}}"#, "null"] {
        assert!(retry(answers).contains("input_required"), "{answers}");
    }
    // A task's too.
    let app = App {
        task_questions: |_, _, questions| {
            questions.ask("k", &InputRequest::Roots);
        },
        ..App::of_tasks()
    };
    let capabilities = r#"{"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
    let mut server: Hosted<App> = Hosted::new(app);
    let started = answer(&mut server, &modern_of("1", "tools/call", r#""name":"optional""#, capabilities));
    let id = json(&started)["result"]["taskId"].as_str().expect("a task").to_owned();
    let token = server.handler().log.tasks[0];
    let _ = written(&mut server, 512, |server, out| server.task_needs_input(token, out));
    for answers in [r#"{"k":null}"#, r#"{"k":[]}"#, r#"{"k":7,"j":{}}"#, "null", "[]"] {
        let members = format!(r#""taskId":"{id}","inputResponses":{answers}"#);
        assert_eq!(
            answer(&mut server, &modern_of("2", "tasks/update", &members, capabilities)),
            error("2", -32602, "Invalid params"),
            "{answers}"
        );
    }
}

#[test]
fn a_legacy_task_needs_no_more_than_its_own_members() {
    // A member of the modern era means nothing to a legacy call, whatever its kind.
    let mut server = server_of::<4, 2>(App::of_tasks(), Options::DEFAULT);
    let (_, token) = start(&mut server, r#"{"ttl":null}"#);
    assert!(server.is_task_running(token));
    let line = call_of("1", "never", r#""requestState":7,"inputResponses":{"k":null}"#);
    assert!(answer(&mut server, &line).contains("direct"));
}
