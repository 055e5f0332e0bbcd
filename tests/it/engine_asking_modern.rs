//! Questions to a modern client: results that ask for input, and the request that comes again.

use barewire::demo::{Demo, NoHost};
use barewire::engine::{CallError, Role};
use barewire::mcp::{Elicitation, InputRequest, Prompt, Resource, Sampling, SamplingMessage, Schema};
use serde_json::{Value, json};

use crate::engine_kit::{
    App, Hosted, answer, answer_text, error, initialize_with, json, modern_of, question, reply, request,
};

const ALL: &str = r#"{"elicitation":{},"sampling":{},"roots":{}}"#;
const FORM: Schema<'_> = Schema::new(r#"{"type":"object","properties":{}}"#);

/// Asks three things at once; answers with the state and what came, and asks for what did not.
fn asking() -> App {
    App {
        resume: |log, resumed, reply| {
            let answers = ["f", "s", "r"].map(|key| answer_text(resumed.answer(key)));
            log.notes.push(format!("{} | {}", resumed.state().as_escaped(), answers.join(" | ")));
            if resumed.state() == "forged" {
                return Err(CallError::InvalidParams);
            }
            let form = Elicitation::form("Sure?", FORM).into();
            let questions = match (resumed.answer("f"), resumed.answer("r")) {
                (None, None) => reply.ask("f", &form).ask("r", &InputRequest::Roots),
                (None, Some(_)) => reply.ask("f", &form),
                (Some(_), None) => reply.ask("r", &InputRequest::Roots),
                (Some(_), Some(_)) => return Ok(reply.text(resumed.state())),
            };
            Ok(questions.keep("again"))
        },
        ..App::of_tool(|_, _, reply| {
            let messages = [SamplingMessage::user("hi")];
            let questions = reply
                .ask("f", &Elicitation::form("Sure?", FORM).into())
                .ask("s", &Sampling::new(&messages, 5).into())
                .ask("r", &InputRequest::Roots);
            Ok(questions.keep("first"))
        })
    }
}

fn server() -> Hosted<App> {
    Hosted::new(asking())
}

/// A call of the tool `t` with these members besides.
fn call_with(id: &str, members: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    modern_of(id, "tools/call", &format!(r#""name":"t"{comma}{members}"#), ALL)
}

#[test]
fn all_questions_are_asked_at_once_and_in_their_order() {
    let mut server = server();
    assert_eq!(
        answer(&mut server, &call_with("1", "")),
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"#,
            r#""f":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}},"#,
            r#""s":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":5}},"#,
            r#""r":{"method":"roots/list"}},"requestState":"first","#,
            r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"app","version":"1"}}}}"#,
            "\n"
        )
    );
}

#[test]
fn the_request_that_comes_again_brings_answers_and_the_state() {
    let mut server = server();
    let found = answer(
        &mut server,
        &call_with(
            "2",
            r#""requestState":"first","inputResponses":{"x":{"y":[1]},"r":{"roots":[]},"f":{"action":"accept","content":{}},"s":{"role":"assistant"}}"#,
        ),
    );
    let result = &json(&found)["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["content"], json!([{"type": "text", "text": "first"}]));
    assert_eq!(
        server.handler().log.notes,
        [r#"first | {"action":"accept","content":{}} | {"role":"assistant"} | {"roots":[]}"#]
    );
}

#[test]
fn what_is_missing_is_asked_again_and_what_is_unknown_is_ignored() {
    let mut server = server();
    let cases = [
        ("", json!(["f", "r"])),
        (r#","inputResponses":{}"#, json!(["f", "r"])),
        (r#","inputResponses":{"other":{},"F":{}}"#, json!(["f", "r"])),
        (r#","inputResponses":{"f":{}}"#, json!(["r"])),
        (r#","inputResponses":{"r":{},"s":{}}"#, json!(["f"])),
        // A key is compared after unescaping.
        (r#","inputResponses":{"\u0066":{}}"#, json!(["r"])),
    ];
    for (members, wanted) in cases {
        let found = answer(&mut server, &call_with("1", &format!(r#""requestState":"first"{members}"#)));
        let result = json(&found)["result"].clone();
        let asked: Vec<Value> =
            result["inputRequests"].as_object().expect("questions").keys().map(|key| json!(key)).collect();
        assert_eq!(json!(asked), wanted, "{members}");
        assert_eq!(result["requestState"], "again", "{members}");
        assert_eq!(result["resultType"], "input_required", "{members}");
    }
}

#[test]
fn answers_without_a_state_continue_a_call_with_an_empty_one() {
    let mut server = server();
    for members in
        [r#""inputResponses":{"f":{},"r":{}}"#, r#""requestState":null,"inputResponses":{"f":{},"r":{}}"#]
    {
        let found = answer(&mut server, &call_with("1", members));
        assert_eq!(json(&found)["result"]["content"][0]["text"], "", "{members}");
    }
    // Missing answers are asked for again.
    let found = answer(&mut server, &call_with("1", r#""inputResponses":{}"#));
    assert_eq!(json(&found)["result"]["requestState"], "again");
    assert!(server.handler().log.notes.iter().all(|note| note.starts_with(" | ")));
}

#[test]
fn malformed_members_are_invalid_params() {
    let mut server = server();
    for members in [
        r#""requestState":7"#,
        r#""requestState":{}"#,
        r#""requestState":["first"]"#,
        r#""requestState":"a","requestState":"a""#,
        r#""requestState":"a","request\u0053tate":"b""#,
        r#""inputResponses":[]"#,
        r#""inputResponses":"{}""#,
        r#""requestState":"first","inputResponses":7"#,
        // An answer is an object.
        r#""requestState":"first","inputResponses":{"f":null}"#,
        r#""requestState":"first","inputResponses":{"f":{},"r":"x"}"#,
        r#""requestState":"first","inputResponses":{},"inputResponses":{}"#,
        // What the handler does not take for its own.
        r#""requestState":"forged""#,
        r#""requestState":"forged","inputResponses":{"f":{},"r":{}}"#,
    ] {
        assert_eq!(
            answer(&mut server, &call_with("1", members)),
            error("1", -32602, "Invalid params"),
            "{members}"
        );
    }
    // Names are case-sensitive.
    let found = answer(&mut server, &call_with("1", r#""RequestState":7,"requeststate":7"#));
    assert_eq!(json(&found)["result"]["requestState"], "first");
}

#[test]
fn a_state_is_handed_on_as_it_came() {
    // Whatever it is, the handler sees it, and here echoes it.
    let states = [
        r"",
        r"\u0066irst",
        r#"\"quotes\" and \\ and \/"#,
        r"\u0000\n\t",
        "ü€😀\u{7f}",
        r"\ud83d\ude00",
        "'; DROP TABLE state; --",
        "{{{{[[[[",
    ];
    let mut server = server();
    for state in states {
        let members = format!(r#""requestState":"{state}","inputResponses":{{"f":{{}},"r":{{}}}}"#);
        let found = answer(&mut server, &call_with("1", &members));
        let wanted: Value = serde_json::from_str(&format!("\"{state}\"")).expect("JSON");
        assert_eq!(json(&found)["result"]["content"][0]["text"], wanted, "{state}");
    }
    // Half a surrogate pair cannot be decoded, and is no reason to fail.
    let members = r#""requestState":"a\ud800","inputResponses":{"f":{},"r":{}}"#;
    let found = answer(&mut server, &call_with("1", members));
    assert!(found.contains(r#""text":"a\ud800""#), "{found}");
    // It may be as long as the frame.
    let long = "s".repeat(20_000);
    let members = format!(r#""requestState":"{long}","inputResponses":{{"f":{{}},"r":{{}}}}"#);
    let found = answer(&mut server, &call_with("1", &members));
    assert_eq!(json(&found)["result"]["content"][0]["text"], long.as_str());
}

/// A client may spell the state in another way than it got it.
#[test]
fn the_demo_reads_its_state_after_unescaping() {
    let mut server: Hosted<Demo<NoHost>> = Hosted::new(Demo::new(NoHost));
    for (state, limit) in [
        ("5", Some(5)),
        (r"\u0036", Some(6)),
        (r"1\u003000", Some(1000)),
        ("1001", None),
        ("65536", None),
        ("-1", None),
        (r"5\ud800", None),
        (r"5\u0000", None),
        ("", None),
    ] {
        let members = format!(
            r#""name":"set_limit","arguments":{{"max":9}},"requestState":"{state}","inputResponses":{{"sure":{{"action":"accept","content":{{"yes":true}}}}}}"#
        );
        let found = answer(&mut server, &modern_of("1", "tools/call", &members, ALL));
        match limit {
            Some(limit) => {
                assert_eq!(json(&found)["result"]["isError"], false, "{state}: {found}");
                assert_eq!(server.handler().limit(), limit, "{state}");
            }
            None => assert_eq!(found, error("1", -32602, "Invalid params"), "{state}"),
        }
    }
}

#[test]
fn a_request_that_comes_again_is_judged_like_any_other() {
    let mut server = server();
    let retry = |name: &str, meta: &str| {
        modern_of(
            "1",
            "tools/call",
            &format!(r#""name":"{name}","requestState":"first","inputResponses":{{"f":{{}}}}"#),
            meta,
        )
    };
    assert_eq!(answer(&mut server, &retry("u", ALL)), error("1", -32602, "Unknown tool"));
    // What is asked again needs the capability again.
    let found = json(&answer(&mut server, &retry("t", r#"{"elicitation":{}}"#)));
    assert_eq!(found["error"]["code"], -32021);
    assert_eq!(found["error"]["data"]["requiredCapabilities"], json!({"roots": {}}));
    // Arguments are checked again.
    let found = answer(&mut server, &call_with("1", r#""requestState":"first","arguments":{"x":1}"#));
    assert_eq!(json(&found)["result"]["isError"], true);
    assert_eq!(server.handler().log.notes.len(), 1);
    // A tool that asks nothing takes no state.
    let mut plain: Hosted<App> = Hosted::new(App::of_tool(|_, _, reply| Ok(reply.text("x"))));
    assert_eq!(
        answer(&mut plain, &call_with("1", r#""requestState":"""#)),
        error("1", -32602, "Invalid params")
    );
}

#[test]
fn the_other_methods_take_no_notice_of_it() {
    let mut server = server();
    for method in ["tools/list", "server/discover"] {
        let plain = answer(&mut server, &modern_of("1", method, "", ALL));
        let members = r#""requestState":7,"inputResponses":[]"#;
        assert_eq!(answer(&mut server, &modern_of("1", method, members, ALL)), plain);
    }
    // Nor does a legacy call.
    let mut server: Hosted<App> = Hosted::new(asking());
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    let line = request("1", "tools/call", r#"{"name":"t","requestState":7,"inputResponses":[]}"#);
    let form = r#"{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}"#;
    assert_eq!(answer(&mut server, &line), question(1, "elicitation/create", form));
}

#[test]
fn a_response_answers_no_modern_question() {
    let mut server = server();
    let first = answer(&mut server, &call_with("1", ""));
    assert!(first.contains("input_required"));
    for id in ["1", "0", r#""f""#] {
        assert_eq!(answer(&mut server, &reply(id, r#""action":"accept""#)), "");
    }
    assert_eq!(server.handler().log.events, ["response"; 3]);
    // The id of the first request is free again.
    assert_eq!(answer(&mut server, &call_with("1", "")), first);
}

#[test]
fn both_eras_ask_on_one_link() {
    let mut server = server();
    answer(&mut server, &initialize_with("2025-11-25", r#"{"roots":{},"sampling":{},"elicitation":{}}"#));
    let legacy = request("1", "tools/call", r#"{"name":"t"}"#);
    assert!(answer(&mut server, &legacy).contains(r#""id":1,"method":"elicitation/create""#));
    let modern = answer(&mut server, &call_with("2", ""));
    assert!(modern.contains(r#""id":2,"result":{"resultType":"input_required""#));
    // The legacy answer goes to the legacy call, which is asked on.
    assert_eq!(answer(&mut server, &reply("1", r#""action":"decline""#)), question(2, "roots/list", ""));
}

#[test]
fn resources_and_prompts_ask_in_their_results() {
    let app = || App {
        resources: vec![Resource::new("r:1", "r")],
        prompts: vec![Prompt::new("p")],
        read: |_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).keep("of a read")),
        prompt: |_, _, reply| {
            let questions = reply.ask("k", &InputRequest::Roots);
            Ok(questions.keep_with(|json| {
                json.integer(-7);
            }))
        },
        resume_read: |_, resumed, reply| {
            if resumed.answer("k").is_none() {
                return Err(CallError::NotFound);
            }
            assert_eq!(resumed.state(), *"of a read");
            Ok(reply.text(None, "read"))
        },
        resume_prompt: |_, resumed, reply| {
            assert_eq!(resumed.state(), *"-7");
            Ok(reply.text(Role::User, "got"))
        },
        ..App::new()
    };
    let mut server: Hosted<App> = Hosted::new(app());
    let ask = |server: &mut Hosted<App>, method: &str, members: &str| {
        json(&answer(server, &modern_of("1", method, members, r#"{"roots":{}}"#)))
    };
    let wanted = json!({"k": {"method": "roots/list"}});
    let found = ask(&mut server, "resources/read", r#""uri":"r:1""#);
    assert_eq!(found["result"]["inputRequests"], wanted);
    assert_eq!(found["result"]["requestState"], "of a read");
    // A result that asks is never cached.
    assert!(found["result"].get("ttlMs").is_none() && found["result"].get("cacheScope").is_none());
    let found = ask(
        &mut server,
        "resources/read",
        r#""uri":"r:1","requestState":"of a read","inputResponses":{"k":{}}"#,
    );
    assert_eq!(found["result"]["contents"], json!([{"uri": "r:1", "text": "read"}]));
    let found = ask(&mut server, "resources/read", r#""uri":"r:1","requestState":"of a read""#);
    assert_eq!(found["error"]["code"], -32602);
    assert_eq!(found["error"]["data"], json!({"uri": "r:1"}));
    let found = ask(&mut server, "prompts/get", r#""name":"p""#);
    assert_eq!(found["result"]["inputRequests"], wanted);
    assert_eq!(found["result"]["requestState"], "-7");
    let found = ask(
        &mut server,
        "prompts/get",
        r#""name":"p","requestState":"-7","inputResponses":{"k":{"roots":[]}}"#,
    );
    assert_eq!(found["result"]["messages"][0]["content"]["text"], "got");
    // Malformed, or not declared.
    for (method, members) in [("resources/read", r#""uri":"r:1""#), ("prompts/get", r#""name":"p""#)] {
        let found = ask(&mut server, method, &format!(r#"{members},"requestState":1"#));
        assert_eq!(found["error"]["code"], -32602, "{method}");
        let found = answer(&mut server, &modern_of("1", method, members, "{}"));
        assert_eq!(json(&found)["error"]["code"], -32021, "{method}");
    }
}
