//! Members that occur twice where the server or its handler reads them: two parsers must never disagree on which one
//! counts. A request with one is refused; a client's response with one is an invalid answer, and the call goes on.

use barewire::demo::{Demo, NoHost};
use barewire::engine::{Answer, Fixed, ModernOnly, Server};
use barewire::mcp::{InputRequest, Prompt, PromptArgument, Schema, Tool};

use crate::engine_kit::{
    App, Hosted, answer, answer_text, call, error, initialize_with, json, modern_of, reply, request, text,
};
use crate::engine_tasks::{call_of, server_of, start};

const ALL: &str = r#"{"elicitation":{},"roots":{},"sampling":{}}"#;

/// Asks for `k`, and reports the answer, as it came and in each view.
fn asking() -> App {
    App {
        resume: |_, resumed, reply| {
            let answer = resumed.answer("k");
            let views = [
                answer.and_then(Answer::elicited).is_some(),
                answer.and_then(Answer::sampled).is_some(),
                answer.and_then(Answer::roots).is_some(),
            ];
            Ok(reply.text(format!("{} {views:?}", answer_text(answer)).as_str()))
        },
        ..App::of_tool(|_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).keep("s")))
    }
}

/// Answers in which a member occurs twice, with the view in which the handler would read them.
const AMBIGUOUS: &[(&str, &str)] = &[
    ("the action", r#""action":"accept","action":"decline""#),
    ("the action, escaped", r#""action":"accept","\u0061ction":"decline""#),
    ("the content", r#""action":"accept","content":{},"content":{}"#),
    ("a member of the content", r#""action":"accept","content":{"a":1,"a":2}"#),
    ("a member of the content, escaped", r#""action":"accept","content":{"a":1,"b":0,"\u0061":2}"#),
    ("half a surrogate pair, spelled twice", r#""action":"accept","content":{"\ud800":1,"\uD800":2}"#),
    ("nested in the content", r#""action":"accept","content":{"x":[{"y":{"a":1,"a":2}}]}"#),
    (
        "behind nested objects of the same names",
        r#""action":"accept","content":{"a":{"b":{"a":1},"c":{"b":1}},"b":1,"a":2}"#,
    ),
    ("the roots", r#""roots":[],"roots":[]"#),
    ("the URI of a root", r#""roots":[{"uri":"file:///a"},{"uri":"file:///b","uri":"file:///c"}]"#),
    ("the name of a root", r#""roots":[{"uri":"file:///a","name":"a","name":"b"}]"#),
    ("the content of a message", r#""content":{"type":"text","text":"a"},"content":{}"#),
    ("the model", r#""content":{},"model":"a","model":"b""#),
    ("a text of the model", r#""content":{"type":"text","text":"a","text":"b"}"#),
    (
        "a text of one block",
        r#""content":[{"type":"text","text":"a"},{"type":"text","text":"a","te\u0078t":"b"}]"#,
    ),
];

/// Answers in which none does.
const PLAIN: &[&str] = &[
    r#""action":"accept","content":{"a":1,"A":2,"":3,"a ":4}"#,
    r#""action":"accept","content":{"a":{"a":{"a":"a"}},"b":["a","a",{"a":1},{"a":1}]}"#,
    r#""action":"accept","content":{"a":"\"a\":1,\"a\":2","b":"\\"}"#,
    r#""roots":[{"uri":"file:///a","name":"a"},{"uri":"file:///a","name":"a"}]"#,
    r#""content":[{"type":"text","text":"a"},{"type":"text","text":"a"}],"model":"m""#,
];

#[test]
fn a_response_with_a_repeated_member_is_an_invalid_answer() {
    let mut server: Hosted<App> = Hosted::new(asking());
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    let mut id = 0;
    let mut answered = |members: &str| {
        id += 1;
        answer(&mut server, &call("1"));
        answer(&mut server, &reply(&id.to_string(), members))
    };
    for (name, members) in AMBIGUOUS {
        let wanted = text("1", "malformed [false, false, false]", false);
        assert_eq!(answered(members), wanted, "{name}");
    }
    for members in PLAIN {
        let line = json(&answered(members));
        let shown = line["result"]["content"][0]["text"].as_str().expect("text");
        assert!(shown.starts_with(&format!("{{{members}}} ")) && shown.contains("true"), "{shown}");
    }
}

#[test]
fn the_application_and_its_tasks_hear_of_an_invalid_answer() {
    let mut server: Hosted<App> = Hosted::new(asking());
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    answer(&mut server, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let mut memory = [0; 1024];
    let asked = server.ask(&InputRequest::Roots, &mut barewire::bytes::Sink::new(&mut memory));
    assert!(asked.is_ok());
    answer(&mut server, &reply("1", r#""roots":[],"roots":[]"#));
    assert_eq!(server.handler().log.events.last().map(String::as_str), Some("answered malformed"));

    let app = App {
        task_questions: |_, _, questions| {
            questions.ask("k", &InputRequest::Roots);
        },
        task_answered: |log, _, answers| log.notes.push(answer_text(answers.get("k"))),
        ..App::of_tasks()
    };
    let mut server = server_of::<4, 2>(app, barewire::engine::Options::DEFAULT);
    let (_, token) = start(&mut server, "{}");
    let asked = server.task_needs_input(token, &mut barewire::bytes::Sink::new(&mut memory));
    assert!(asked.is_ok());
    answer(&mut server, &reply("1", r#""roots":[],"roots":[]"#));
    assert_eq!(server.handler().log.notes, ["malformed"]);
}

#[test]
fn a_retry_with_a_repeated_member_is_refused_before_the_handler_runs() {
    let mut server: Hosted<App> = Hosted::new(asking());
    let mut retry = |answers: &str| {
        let members = format!(r#""name":"t","requestState":"s","inputResponses":{answers}"#);
        answer(&mut server, &modern_of("1", "tools/call", &members, ALL))
    };
    let invalid = error("1", -32602, "Invalid params");
    for answers in [
        r#"{"k":{"roots":[]},"k":{"roots":[]}}"#,
        r#"{"k":{},"other":{},"\u006b":{}}"#,
        // Also a key that the handler does not ask for: another of its questions may be called so.
        r#"{"k":{},"other":{},"other":{}}"#,
    ] {
        assert_eq!(retry(answers), invalid, "{answers}");
    }
    for (name, members) in AMBIGUOUS {
        assert_eq!(retry(&format!(r#"{{"k":{{{members}}}}}"#)), invalid, "{name}");
    }
    for members in PLAIN {
        let line = json(&retry(&format!(r#"{{"j":{{{members}}},"k":{{{members}}}}}"#)));
        assert_eq!(line["result"]["isError"], false, "{members}");
    }
}

#[test]
fn an_update_of_a_task_with_a_repeated_member_is_refused() {
    let app = App {
        task_questions: |_, _, questions| {
            questions.ask("k", &InputRequest::Roots);
        },
        task_answered: |log, _, answers| log.notes.push(answer_text(answers.get("k"))),
        ..App::of_tasks()
    };
    let capabilities = r#"{"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
    let mut server: Hosted<App> = Hosted::new(app);
    let started = answer(&mut server, &modern_of("1", "tools/call", r#""name":"optional""#, capabilities));
    let id = json(&started)["result"]["taskId"].as_str().expect("a task").to_owned();
    let token = server.handler().log.tasks[0];
    let asked = server.task_needs_input(token, &mut barewire::bytes::Sink::new(&mut [0; 1024]));
    assert!(asked.is_ok());
    let mut update = |answers: &str| {
        let members = format!(r#""taskId":"{id}","inputResponses":{answers}"#);
        answer(&mut server, &modern_of("2", "tasks/update", &members, capabilities))
    };
    for answers in [
        r#"{"k":{"roots":[]},"k":{"roots":[]}}"#,
        r#"{"k":{"roots":[],"roots":[]}}"#,
        r#"{"k":{"roots":[{"uri":"a","uri":"b"}]}}"#,
    ] {
        assert_eq!(update(answers), error("2", -32602, "Invalid params"), "{answers}");
    }
    assert!(json(&update(r#"{"k":{"roots":[]}}"#)).get("result").is_some());
    assert_eq!(server.handler().log.notes, [r#"{"roots":[]}"#]);
}

/// Capabilities of a client in which one is declared twice.
const CAPABILITIES: &[&str] = &[
    r#"{"roots":{},"roots":{}}"#,
    r#"{"roots":{},"ro\u006fts":{}}"#,
    r#"{"sampling":{},"elicitation":{},"sampling":null}"#,
    r#"{"elicitation":{"form":{},"form":{}}}"#,
    r#"{"elicitation":{"url":{},"url":null}}"#,
    r#"{"roots":{"listChanged":true,"listChanged":false}}"#,
    r#"{"tasks":{"requests":{"sampling":{"createMessage":{},"createMessage":{}}}}}"#,
    r#"{"extensions":{"io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/tasks":{}}}"#,
    // The handler gets the whole object.
    r#"{"experimental":{"x":{"a":1,"a":2}}}"#,
];

#[test]
fn a_client_capability_that_is_declared_twice_is_refused() {
    for capabilities in CAPABILITIES {
        let mut server: Hosted<App> = Hosted::new(asking());
        assert_eq!(
            answer(&mut server, &initialize_with("2025-11-25", capabilities)),
            error(r#""init""#, -32602, "Invalid params"),
            "{capabilities}"
        );
        assert_eq!(server.session(), None);
        for (method, members) in
            [("tools/call", r#""name":"t""#), ("tools/list", ""), ("server/discover", ""), ("x", "")]
        {
            assert_eq!(
                answer(&mut server, &modern_of("1", method, members, capabilities)),
                error("1", -32602, "Invalid params"),
                "{method} {capabilities}"
            );
        }
    }
}

/// Each member of the params that a method reads, twice.
#[test]
fn params_that_are_read_occur_once() {
    let mut server: Hosted<Demo<NoHost>> = Hosted::new(Demo::new(NoHost));
    let completion =
        r#""ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":""}"#;
    let context = |context: &str| format!(r#"{completion},"context":{context}"#);
    for (method, members) in [
        ("initialize", r#""protocolVersion":"2025-11-25","protocolVersion":"2025-11-25""#.to_owned()),
        ("initialize", r#""protocolVersion":"2025-11-25","capabilities":{},"capabilities":{}"#.to_owned()),
        ("ping", r#""_meta":{},"_meta":{}"#.to_owned()),
        ("ping", r#""_meta":{"progressToken":1,"progressToken":1}"#.to_owned()),
        ("tools/list", r#""cursor":"1","cursor":"1""#.to_owned()),
        ("tools/list", r#""cursor":null,"cursor":null"#.to_owned()),
        ("tools/call", r#""name":"measure","name":"measure""#.to_owned()),
        ("tools/call", r#""name":"measure","arguments":{},"arguments":null"#.to_owned()),
        ("tools/call", r#""name":"simulate","task":{},"task":{}"#.to_owned()),
        ("tools/call", r#""name":"simulate","task":{"ttl":1,"ttl":1}"#.to_owned()),
        ("resources/read", r#""uri":"demo://readme","uri":"demo://readme""#.to_owned()),
        ("resources/subscribe", r#""uri":"demo://counter","uri":"demo://counter""#.to_owned()),
        ("resources/unsubscribe", r#""uri":"demo://counter","uri":"demo://counter""#.to_owned()),
        ("prompts/get", r#""name":"greet","name":"greet","arguments":{"name":"a"}"#.to_owned()),
        ("prompts/get", r#""name":"greet","arguments":{"name":"a","name":"b"}"#.to_owned()),
        (
            "prompts/get",
            r#""name":"greet","arguments":{"name":"a","language":"a","langu\u0061ge":"b"}"#.to_owned(),
        ),
        // Not declared, but handed on.
        ("prompts/get", r#""name":"greet","arguments":{"name":"a","x":"a","x":"b"}"#.to_owned()),
        ("logging/setLevel", r#""level":"info","level":"info""#.to_owned()),
        ("tasks/get", r#""taskId":"a","taskId":"a""#.to_owned()),
        ("completion/complete", context(r#"{"arguments":{},"arguments":{}}"#)),
        ("completion/complete", context(r#"{"arguments":{"a":"1","a":"2"}}"#)),
        ("completion/complete", context(r#"{"arguments":{"a":"1","b":"2","\u0061":"2"}}"#)),
        ("completion/complete", completion.replace(r#""value":"""#, r#""value":"","value":"""#)),
        ("completion/complete", completion.replace(r#""name":"greet""#, r#""name":"greet","name":"greet""#)),
    ] {
        assert_eq!(
            answer(&mut server, &request("1", method, &format!("{{{members}}}"))),
            error("1", -32602, "Invalid params"),
            "{method} {members}"
        );
    }
    // Members that nobody reads may occur any number of times.
    let line = request("1", "ping", r#"{"x":1,"x":2,"_meta":{"y":1,"y":2}}"#);
    assert_eq!(answer(&mut server, &line), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
}

#[test]
fn a_server_of_the_modern_era_reads_the_requested_version_once() {
    let mut server = Hosted::of(Server::with_storage(Fixed::<ModernOnly>::new()), asking());
    let line = request("1", "initialize", r#"{"protocolVersion":"a","protocolVersion":"b"}"#);
    assert_eq!(answer(&mut server, &line), error("1", -32602, "Invalid params"));
}

/// The handler reads undeclared arguments: one that occurs twice counts as absent.
#[test]
fn an_argument_that_is_not_declared_is_read_once_or_not_at_all() {
    let open = Tool::new("t", "A tool.").with_open_parameters(&[]);
    let own = Tool::new("t", "A tool.").with_schema(Schema::new(r#"{"type":"object"}"#));
    for tool in [open, own] {
        let mut server: Hosted<App> = Hosted::new(App {
            tools: vec![tool],
            ..App::of_tool(|_, call, reply| {
                Ok(reply.text(call.value("x").map_or("none", |value| value.as_json())))
            })
        });
        let mut answered = |arguments: &str| {
            let params = format!(r#"{{"name":"t","arguments":{arguments}}}"#);
            answer(&mut server, &request("1", "tools/call", &params))
        };
        for (arguments, read) in [
            (r#"{"x":1}"#, "1"),
            (r#"{"x":1,"x":2}"#, "none"),
            (r#"{"x":1,"y":2,"\u0078":3}"#, "none"),
            (r#"{"x":1,"y":2,"y":3}"#, "1"),
            (r#"{"x":{"x":1},"y":{"x":2}}"#, r#"{\"x\":1}"#),
        ] {
            assert_eq!(answered(arguments), text("1", read, false), "{arguments}");
        }
    }
}

/// The time is linear in the length of the answers.
#[test]
fn many_names_are_refused_where_they_cannot_be_compared() {
    let mut server: Hosted<App> = Hosted::new(asking());
    let names = |count: usize| {
        let names: Vec<String> = (0..count).map(|at| format!(r#""n{at}":"x""#)).collect();
        names.join(",")
    };
    let mut retry = |count: usize| {
        let content = names(count);
        let members = format!(
            r#""name":"t","requestState":"s","inputResponses":{{"k":{{"action":"accept","content":{{{content}}}}}}}"#
        );
        json(&answer(&mut server, &modern_of("1", "tools/call", &members, ALL)))
    };
    assert_eq!(retry(50)["result"]["isError"], false);
    assert_eq!(retry(200)["error"]["code"], -32602);
    assert_eq!(retry(100_000)["error"]["code"], -32602);
}

#[test]
fn the_demo_changes_nothing_on_an_ambiguous_answer() {
    let mut server: Hosted<Demo<NoHost>> = Hosted::new(Demo::new(NoHost));
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    let ask = r#"{"name":"set_limit","arguments":{"max":5}}"#;
    answer(&mut server, &request("1", "tools/call", ask));
    let ambiguous = r#""action":"accept","content":{"yes":true,"yes":false}"#;
    assert_eq!(answer(&mut server, &reply("1", ambiguous)), text("1", "The limit stays as it is.", false));
    let before = server.handler().limit();
    let members = format!(
        r#""name":"set_limit","arguments":{{"max":5}},"requestState":"5","inputResponses":{{"sure":{{{ambiguous}}}}}"#
    );
    assert_eq!(
        answer(&mut server, &modern_of("2", "tools/call", &members, ALL)),
        error("2", -32602, "Invalid params")
    );
    assert_eq!(server.handler().limit(), before);
}

/// The modern era does not read this member: tasks are requested in another way there.
#[test]
fn a_task_that_is_asked_for_twice_is_refused_in_the_revision_that_reads_it() {
    let mut server = server_of::<4, 2>(App::of_tasks(), barewire::engine::Options::DEFAULT);
    let line = call_of("1", "optional", r#""task":{},"task":{}"#);
    assert_eq!(answer(&mut server, &line), error("1", -32602, "Invalid params"));
}

#[test]
fn a_prompt_that_asks_for_nothing_still_reads_each_argument_once() {
    let mut server: Hosted<App> = Hosted::new(App {
        prompts: vec![Prompt::new("p").with_arguments(const { &[PromptArgument::optional("n")] })],
        prompt: |_, get, reply| {
            let text = get.argument("n").map_or_else(|| "none".to_owned(), |text| text.to_string());
            Ok(reply.text(barewire::engine::Role::User, text.as_str()))
        },
        ..App::new()
    });
    let mut got = |arguments: &str| {
        let params = format!(r#"{{"name":"p","arguments":{arguments}}}"#);
        json(&answer(&mut server, &request("1", "prompts/get", &params)))
    };
    assert_eq!(got(r#"{"n":"a","n":"b"}"#)["error"]["code"], -32602);
    assert_eq!(got(r#"{"n":"a","N":"b"}"#)["result"]["messages"][0]["content"]["text"], "a");
}
