//! A handler that breaks a rule of its reply: an internal error on the wire, and an event that says which.

use barewire::engine::{CallError, Disposition, Full, Role, Server};
use barewire::json::{Object, RawValue};
use barewire::mcp::{Prompt, Resource};

use crate::engine_kit::{App, answer, call, error, modern, request, written};

fn meta() -> Object<'static> {
    RawValue::new(br#"{"com.example/a":1}"#)
        .ok()
        .and_then(RawValue::as_object)
        .expect("an object")
}

/// What is wrong, and a tool that does it.
fn wrongs() -> Vec<(&'static str, App)> {
    vec![
        (
            "content behind structured content or metadata",
            App::of_tool(|_, _, reply| {
                reply.structured(|json| {
                    json.begin_object().end_object();
                });
                reply.text("late");
                Ok(Disposition::Done)
            }),
        ),
        (
            "content behind structured content or metadata",
            App::of_tool(|_, _, reply| {
                reply.meta(meta()).image("image/png", b"late");
                Ok(Disposition::Done)
            }),
        ),
        (
            "content behind structured content or metadata",
            App::of_tool(|_, _, reply| {
                for _ in 0..2 {
                    reply.structured(|json| {
                        json.begin_object().end_object();
                    });
                }
                Ok(Disposition::Done)
            }),
        ),
        (
            "an error behind structured content or metadata",
            App::of_tool(|_, _, reply| {
                reply.meta(meta()).set_error();
                Ok(Disposition::Done)
            }),
        ),
        (
            "structured content behind metadata",
            App::of_tool(|_, _, reply| {
                reply.meta(meta()).structured(|json| {
                    json.begin_object().end_object();
                });
                Ok(Disposition::Done)
            }),
        ),
        (
            "structured content that is no JSON object",
            App::of_tool(|_, _, reply| {
                reply.structured(|json| {
                    json.integer(7);
                });
                Ok(Disposition::Done)
            }),
        ),
        (
            "structured content that is no JSON object",
            App::of_tool(|_, _, reply| {
                reply.structured(|json| {
                    json.begin_object();
                });
                Ok(Disposition::Done)
            }),
        ),
        (
            "metadata twice",
            App::of_tool(|_, _, reply| {
                reply.meta(meta()).meta(meta());
                Ok(Disposition::Done)
            }),
        ),
        (
            "a deferral without this call's token",
            App::of_tool(|log, call, _| {
                let token = call.context().defer()?;
                log.tokens.push(token);
                Ok(Disposition::Deferred(if log.tokens.len() == 2 {
                    log.tokens[0]
                } else {
                    token
                }))
            }),
        ),
    ]
}

#[test]
fn a_tool_that_breaks_a_rule_is_an_internal_error() {
    for (what, app) in wrongs() {
        let mut server: Server<App> = Server::new(app);
        let internal = |id| error(id, -32603, "Internal error");
        // The first call of a deferring tool is sound.
        if what.starts_with("a deferral") {
            assert_eq!(answer(&mut server, &call("0")), "");
        }
        let found = [
            answer(&mut server, &call("1")),
            answer(&mut server, &modern("2", "tools/call", r#""name":"t""#)),
        ];
        let misuses: Vec<&String> = server
            .handler()
            .log
            .events
            .iter()
            .filter(|event| event.starts_with("misuse"))
            .collect();
        assert_eq!(found[0], internal("1"), "{what}");
        assert!(misuses.iter().all(|event| event.contains("misuse")), "{what}");
        assert_eq!(misuses[0], &format!("misuse: {what}"));
        if !what.starts_with("a deferral") {
            assert_eq!(found[1], internal("2"), "{what}");
            assert_eq!(misuses.len(), 2);
        }
    }
}

#[test]
fn a_failure_wins_over_what_was_written_wrongly() {
    let mut server: Server<App> = Server::new(App::of_tool(|_, _, reply| {
        reply.meta(meta()).text("late");
        Err(CallError::Failed("no"))
    }));
    assert_eq!(
        answer(&mut server, &call("1")),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}}\n"
    );
    assert!(server.handler().log.events.is_empty());
}

#[test]
fn a_description_stands_before_the_messages() {
    let mut server: Server<App> = Server::new(App {
        prompts: vec![Prompt::new("p")],
        prompt: |_, _, reply| {
            reply.text(Role::User, "x").description("late");
            Ok(Disposition::Done)
        },
        ..App::new()
    });
    assert_eq!(
        answer(&mut server, &request("1", "prompts/get", r#"{"name":"p"}"#)),
        error("1", -32603, "Internal error")
    );
    assert_eq!(
        server.handler().log.events,
        ["misuse: a description behind messages"]
    );
}

#[test]
fn a_late_reply_has_the_same_rules() {
    let mut server: Server<App> = Server::new(App::deferring());
    answer(&mut server, &call("1"));
    let token = server.handler().log.tokens[0];
    let (line, _) = written(&mut server, 512, |server, out| {
        server.complete_tool(token, out, |reply| {
            reply.meta(meta()).text("late");
            Ok(())
        })
    });
    assert_eq!(line, error("1", -32603, "Internal error"));
    assert_eq!(server.in_flight(), 0);
}

#[test]
fn a_deferral_that_was_not_possible_is_misuse() {
    let mut server: Server<App, Full, 1> = Server::new(App {
        resources: vec![Resource::new("r:", "r")],
        read: |log, _, _| Ok(Disposition::Deferred(log.tokens[0])),
        ..App::deferring()
    });
    assert_eq!(answer(&mut server, &call("1")), "");
    assert_eq!(
        answer(&mut server, &request("2", "resources/read", r#"{"uri":"r:"}"#)),
        error("2", -32603, "Internal error")
    );
    assert_eq!(
        server.handler().log.events,
        ["misuse: a deferral without this call's token"]
    );
    assert_eq!(server.in_flight(), 1);
}
