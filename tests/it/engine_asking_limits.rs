//! Questions in little room, and questions that a handler asks in the wrong way.

use barewire::bytes::Sink;
use barewire::engine::{CallError, Disposition, Server, Status};
use barewire::mcp::{Elicitation, InputRequest, Prompt, Resource, Schema};

use crate::engine_kit::{
    App, answer, answer_in, call, error, initialize_with, json, modern_of, modern_with, question, reply,
    request, text, tick, written,
};

const ALL: &str = r#"{"elicitation":{},"roots":{}}"#;
const FORM_TEXT: &str =
    r#"{"type":"object","properties":{"yes":{"type":"boolean"},"why":{"type":"string"}}}"#;
const FORM: Schema<'_> = Schema::new(FORM_TEXT);

const LONG: &str = "a text that is as long as the question that came before it, or even longer than that";

fn asking() -> App {
    App {
        resume: |_, _, reply| {
            reply
                .text("a text that is as long as the question that came before it, or even longer than that");
            Ok(Disposition::Done)
        },
        ..App::of_tool(|_, _, reply| {
            reply.ask(
                "k",
                &Elicitation::form("Really? It cannot be undone.", FORM).into(),
            );
            Ok(Disposition::Asked)
        })
    }
}

fn session(app: App) -> Server<App> {
    let mut server: Server<App> = Server::new(app);
    let _ = tick(&mut server, 512, 1000);
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    server
}

#[test]
fn a_question_is_whole_or_replaced_in_every_room() {
    let whole = question(
        1,
        "elicitation/create",
        &format!(
            r#"{{"message":"Really? It cannot be undone.","requestedSchema":{}}}"#,
            FORM_TEXT
        ),
    );
    let modern = modern_of(r#""m""#, "tools/call", r#""name":"t""#, ALL);
    let whole_modern = answer(&mut session(asking()), &modern);
    assert!(whole_modern.contains("input_required") && whole_modern.len() < 512);
    for room in 96..=512 {
        let mut server = session(asking());
        let found = answer_in(&mut server, room, &call("7"));
        if room >= whole.len() {
            assert_eq!(found, whole, "{room}");
            // Now the answer has to do with the same room.
            let found = answer_in(&mut server, room, &reply("1", ""));
            assert_eq!(found, text("7", LONG, false), "{room}");
        } else {
            assert!(found.contains(" too large"), "{room} {found}");
            assert_eq!(json(&found)["id"], 7, "{room}");
            // It is not in flight, and the next question has the first id.
            assert_eq!(server.next_deadline(), None);
            assert_eq!(answer(&mut server, &call("7")), whole, "{room}");
        }
        assert_eq!(
            answer(&mut server, &reply("1", "")).is_empty(),
            room >= whole.len()
        );
        let found = answer_in(&mut server, room, &modern);
        if room >= whole_modern.len() {
            assert_eq!(found, whole_modern, "{room}");
        } else {
            assert!(found.contains(" too large"), "{room} {found}");
        }
    }
}

#[test]
fn a_timeout_and_a_cancellation_in_every_room() {
    for room in 96..=256 {
        let mut server = session(asking());
        answer(&mut server, &call("7"));
        let (lines, status) = tick(&mut server, room, 301_000);
        assert_eq!(status, Status::Done, "{room}");
        // The answer comes first, and whole if it can be.
        let first = json(&format!("{}\n", lines.lines().next().expect("a line")));
        assert_eq!(first["id"], 7, "{room}");
        let is_result = first["result"]["content"][0]["text"] == LONG;
        assert_eq!(is_result, room >= text("7", LONG, false).len(), "{room}");
        assert!(lines.lines().count() <= 2, "{room}");
    }
}

/// What a handler may do wrong, and what is said of it.
#[test]
fn a_handler_that_breaks_the_rules_of_asking() {
    let cases: [(&str, App, &str); 12] = [
        (
            "nothing asked",
            App::of_tool(|_, _, _| Ok(Disposition::Asked)),
            "no question was asked",
        ),
        (
            "an answer, and no question",
            App::of_tool(|_, _, reply| {
                reply.text("x");
                Ok(Disposition::Asked)
            }),
            "no question was asked",
        ),
        (
            "a question, and done",
            App::of_tool(|_, _, reply| {
                reply.ask("k", &InputRequest::Roots);
                Ok(Disposition::Done)
            }),
            "questions, and an answer",
        ),
        (
            "a question, an answer, and done",
            App::of_tool(|_, _, reply| {
                reply.ask("k", &InputRequest::Roots).text("x");
                Ok(Disposition::Done)
            }),
            "questions, and an answer",
        ),
        (
            "a question, an answer, and asked",
            App::of_tool(|_, _, reply| {
                reply.ask("k", &InputRequest::Roots).text("x");
                Ok(Disposition::Asked)
            }),
            "questions, and an answer",
        ),
        (
            "a question, structured content, and asked",
            App::of_tool(|_, _, reply| {
                reply.ask("k", &InputRequest::Roots).structured(|json| {
                    json.begin_object().end_object();
                });
                Ok(Disposition::Asked)
            }),
            "questions, and an answer",
        ),
        (
            "an answer, then a question",
            App::of_tool(|_, _, reply| {
                reply.text("x").ask("k", &InputRequest::Roots);
                Ok(Disposition::Asked)
            }),
            "a question where none can be asked",
        ),
        (
            "an answer, a question, and done",
            App::of_tool(|_, _, reply| {
                reply.text("x").ask("k", &InputRequest::Roots);
                Ok(Disposition::Done)
            }),
            "a question where none can be asked",
        ),
        (
            "a state without a question",
            App::of_tool(|_, _, reply| {
                reply.keep("s");
                Ok(Disposition::Asked)
            }),
            "a state without a question",
        ),
        (
            "a state, and done",
            App::of_tool(|_, _, reply| {
                reply.keep("s").text("x");
                Ok(Disposition::Done)
            }),
            "a state without a question",
        ),
        (
            "two states",
            App::of_tool(|_, _, reply| {
                reply.ask("k", &InputRequest::Roots).keep("s").keep("s");
                Ok(Disposition::Asked)
            }),
            "a state without a question",
        ),
        (
            "a question behind the state",
            App::of_tool(|_, _, reply| {
                reply
                    .ask("k", &InputRequest::Roots)
                    .keep("s")
                    .ask("l", &InputRequest::Roots);
                Ok(Disposition::Asked)
            }),
            "a question where none can be asked",
        ),
    ];
    for (name, app, misuse) in cases {
        let mut server = session(app);
        for line in [call("1"), modern_of("1", "tools/call", r#""name":"t""#, ALL)] {
            server.handler_mut().log.events.clear();
            assert_eq!(
                answer(&mut server, &line),
                error("1", -32603, "Internal error"),
                "{name}"
            );
            assert_eq!(
                server.handler().log.events,
                [format!("misuse: {misuse}")],
                "{name}"
            );
            assert_eq!(server.next_deadline(), None, "{name}");
        }
    }
}

#[test]
fn a_handler_may_change_its_mind() {
    let mut server = session(App::of_tool(|_, _, reply| {
        reply.ask("k", &InputRequest::Roots).keep("s");
        Err(CallError::Failed("on second thoughts"))
    }));
    assert_eq!(
        answer(&mut server, &call("1")),
        text("1", "on second thoughts", true)
    );
    let modern = modern_of("1", "tools/call", r#""name":"t""#, ALL);
    let found = json(&answer(&mut server, &modern));
    assert_eq!(found["result"]["content"][0]["text"], "on second thoughts");
    assert_eq!(found["result"]["resultType"], "complete");
    let mut server = session(App::of_tool(|_, _, reply| {
        reply.ask("k", &InputRequest::Roots);
        reply.fail(&["on ", "second thoughts"]).text("and more");
        Ok(Disposition::Done)
    }));
    assert!(answer(&mut server, &call("1")).contains(r#""text":"on second thoughts"},"#));
    let mut server = session(App::of_tool(|log, call, reply| {
        reply.ask("k", &InputRequest::Roots);
        let token = call.context().defer()?;
        log.tokens.push(token);
        Ok(Disposition::Deferred(token))
    }));
    assert_eq!(answer(&mut server, &call("1")), "");
    assert_eq!(server.in_flight(), 1);
    assert_eq!(answer(&mut server, &reply("1", "")), "");
    // And any error of the protocol.
    let mut server = session(App::of_tool(|_, _, reply| {
        reply.ask("k", &InputRequest::Roots);
        Err(CallError::InvalidParams)
    }));
    assert_eq!(
        answer(&mut server, &call("1")),
        error("1", -32602, "Invalid params")
    );
    // What the client cannot be asked is no error if another answer is found.
    let mut server: Server<App> = Server::new(App::of_tool(|_, _, reply| {
        reply.ask("k", &InputRequest::Roots).keep("s");
        reply.fail(&["no roots"]);
        Ok(Disposition::Done)
    }));
    assert_eq!(answer(&mut server, &call("1")), text("1", "no roots", true));
    assert!(server.handler().log.events.is_empty());
}

#[test]
fn resources_and_prompts_are_held_to_the_same_rules() {
    let mut server = session(App {
        resources: vec![Resource::new("r:1", "r")],
        prompts: vec![Prompt::new("p")],
        read: |_, _, reply| {
            reply.ask("k", &InputRequest::Roots).text(None, "x");
            Ok(Disposition::Asked)
        },
        prompt: |_, _, reply| {
            reply.ask("k", &InputRequest::Roots);
            reply.text(barewire::engine::Role::User, "x");
            Ok(Disposition::Asked)
        },
        ..App::new()
    });
    for (method, members) in [
        ("resources/read", r#""uri":"r:1""#),
        ("prompts/get", r#""name":"p""#),
    ] {
        let legacy = request("1", method, &format!("{{{members}}}"));
        for line in [legacy, modern_of("1", method, members, ALL)] {
            server.handler_mut().log.events.clear();
            assert_eq!(answer(&mut server, &line), error("1", -32603, "Internal error"));
            assert_eq!(server.handler().log.events, ["misuse: questions, and an answer"]);
        }
    }
}

#[test]
fn a_late_answer_asks_nothing() {
    let mut server = session(App::deferring());
    answer(&mut server, &call("1"));
    answer(
        &mut server,
        &modern_with(r#""m""#, "tools/call", r#""name":"t""#, ""),
    );
    for (at, id) in [(0, "1"), (1, r#""m""#)] {
        let token = server.handler().log.tokens[at];
        server.handler_mut().log.events.clear();
        let (line, completed) = written(&mut server, 512, |server, out| {
            server.complete_tool(token, out, |reply| {
                reply.ask("k", &InputRequest::Roots);
                Ok(())
            })
        });
        assert_eq!(line, error(id, -32603, "Internal error"));
        assert_eq!(completed, Ok(Status::Done));
        assert_eq!(
            server.handler().log.events,
            ["misuse: a question where none can be asked"]
        );
    }
}

#[test]
fn a_server_without_that_part_asks_nothing() {
    let app = || {
        App::of_tool(|_, _, reply| {
            reply.ask("k", &InputRequest::Roots);
            Ok(Disposition::Asked)
        })
    };
    let mut server: Server<App, barewire::engine::ToolsOnly> = Server::new(app());
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    for line in [call("1"), modern_of("1", "tools/call", r#""name":"t""#, ALL)] {
        assert_eq!(answer(&mut server, &line), error("1", -32603, "Internal error"));
    }
    let mut memory = [0; 256];
    let mut out = Sink::new(&mut memory);
    assert!(server.ping(&mut out).is_err());
    assert!(server.ask(&InputRequest::Roots, &mut out).is_err());
    assert!(out.is_empty());
    // Built for one era, it asks in that.
    let mut server: Server<App, barewire::engine::LegacyOnly> = Server::new(app());
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    assert_eq!(answer(&mut server, &call("1")), question(1, "roots/list", ""));
    let mut server: Server<App, barewire::engine::ModernOnly> = Server::new(app());
    let found = answer(&mut server, &modern_of("1", "tools/call", r#""name":"t""#, ALL));
    assert!(found.contains("input_required"));
    assert!(server.ping(&mut Sink::new(&mut [0; 96])).is_err());
}

#[test]
fn who_asks_what_the_client_cannot_answer_may_answer_after_all() {
    let app = App::of_tool(|_, _, reply| {
        reply.ask("k", &InputRequest::Roots).keep("s").text("after all");
        Ok(Disposition::Done)
    });
    let mut server: Server<App> = Server::new(app);
    answer(&mut server, &initialize_with("2025-11-25", "{}"));
    assert_eq!(answer(&mut server, &call("1")), text("1", "after all", false));
    let modern = modern_of("2", "tools/call", r#""name":"t""#, "{}");
    assert_eq!(
        json(&answer(&mut server, &modern))["result"]["content"][0]["text"],
        "after all"
    );
}
