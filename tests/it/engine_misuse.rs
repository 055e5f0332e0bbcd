//! A handler that breaks a rule of its reply: an internal error on the wire, and an event that says which.

use core::cell::Cell;

use std::collections::BTreeMap;

use barewire::engine::{CallError, Event, Handler, Outcome, ToolCall, ToolReply};
use barewire::json::{Object, RawValue, Writer};
use barewire::mcp::{Implementation, InputRequest, Tool};
use barewire::rpc::ErrorCode;

use crate::engine_kit::{App, Hosted, Replied, answer, call, error, initialize_with, modern, text, written};

fn meta() -> Object<'static> {
    RawValue::new(br#"{"com.example/a":1}"#).ok().and_then(RawValue::as_object).expect("an object")
}

fn empty_object(json: &mut Writer<'_, '_>) {
    json.begin_object().end_object();
}

/// A rule, and a tool that breaks it.
fn wrongs() -> Vec<(&'static str, App)> {
    vec![
        (
            "content after structured content or metadata",
            App::of_tool(|_, _, reply| {
                let content = reply.content().structured_with(empty_object);
                Ok(content.text("late").done())
            }),
        ),
        (
            "content after structured content or metadata",
            App::of_tool(|_, _, reply| {
                let content = reply.content().meta(meta());
                Ok(content.image("image/png", b"late").done())
            }),
        ),
        (
            "content after structured content or metadata",
            App::of_tool(|_, _, reply| {
                let content = reply.content().structured_with(empty_object);
                Ok(content.structured_with(empty_object).done())
            }),
        ),
        (
            "an error after structured content or metadata",
            App::of_tool(|_, _, reply| Ok(reply.content().meta(meta()).set_error().done())),
        ),
        (
            "structured content after metadata",
            App::of_tool(|_, _, reply| Ok(reply.content().meta(meta()).structured_with(empty_object).done())),
        ),
        (
            "structured content that is not a JSON object",
            App::of_tool(|_, _, reply| {
                Ok(reply.structured_with(|json| {
                    json.integer(7);
                }))
            }),
        ),
        (
            "structured content that is not a JSON object",
            App::of_tool(|_, _, reply| {
                Ok(reply.structured_with(|json| {
                    json.begin_object();
                }))
            }),
        ),
        (
            "structured content that is not a JSON object",
            App::of_tool(|_, _, reply| Ok(reply.structured(&["no", "object"]))),
        ),
        (
            "structured content that has no JSON form",
            App::of_tool(|_, _, reply| {
                Ok(reply.content().text("first").structured(&BTreeMap::from([(1, 2)])).done())
            }),
        ),
        ("metadata twice", App::of_tool(|_, _, reply| Ok(reply.content().meta(meta()).meta(meta()).done()))),
    ]
}

#[test]
fn a_tool_that_breaks_a_rule_is_an_internal_error() {
    for (what, app) in wrongs() {
        let mut server: Hosted<App> = Hosted::new(app);
        for (id, line) in [("1", call("1")), ("2", modern("2", "tools/call", r#""name":"t""#))] {
            server.handler_mut().log.events.clear();
            assert_eq!(answer(&mut server, &line), error(id, -32603, "Internal error"), "{what}");
            assert_eq!(server.handler().log.events, [format!("misuse: {what}")]);
        }
    }
}

#[test]
fn a_failure_wins_over_what_was_written_wrongly() {
    let mut server: Hosted<App> = Hosted::new(App::of_tool(|_, _, reply| {
        let _ = reply.content().meta(meta()).text("late");
        Err(CallError::Failed("no"))
    }));
    assert_eq!(answer(&mut server, &call("1")), text("1", "no", true));
    let mut server: Hosted<App> =
        Hosted::new(App::of_tool(|_, _, reply| Ok(reply.content().meta(meta()).text("late").fail("no"))));
    assert_eq!(answer(&mut server, &call("1")), text("1", "no", true));
    assert!(server.handler().log.events.is_empty());
}

#[test]
fn a_late_reply_has_the_same_rules() {
    let mut server: Hosted<App> = Hosted::new(App::deferring());
    answer(&mut server, &call("1"));
    let token = server.handler().log.tokens[0];
    let (line, _) = written(&mut server, 512, |server, out| {
        server.complete_tool(token, out, |result| Ok(result.meta(meta()).text("late").done()))
    });
    assert_eq!(line, error("1", -32603, "Internal error"));
    assert_eq!(server.in_flight(), 0);
}

/// Answers the first call in its own way, and claims the same outcome for each later one.
struct Stale {
    make: fn(ToolReply<'_, '_>) -> Replied<'static>,
    outcome: Option<Outcome>,
    events: Vec<&'static str>,
}

impl Handler for Stale {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("app", "1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        const { &[Tool::new("t", "A tool.")] }
    }

    fn call_tool<'a>(&mut self, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Replied<'a> {
        if let Some(outcome) = self.outcome {
            return Ok(outcome);
        }
        let outcome = (self.make)(reply)?;
        self.outcome = Some(outcome);
        Ok(outcome)
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Misuse(what) = event {
            self.events.push(what);
        }
    }
}

#[test]
fn an_outcome_of_another_call_is_misuse() {
    let makes: [fn(ToolReply<'_, '_>) -> Replied<'static>; 5] = [
        |reply| Ok(reply.text("x")),
        |reply| Ok(reply.fail("x")),
        |reply| Ok(reply.refuse(ErrorCode(7), format_args!("x"))),
        |reply| Ok(reply.ask("k", &InputRequest::Roots).done()),
        |reply| Ok(reply.defer()?.1),
    ];
    for make in makes {
        let mut server = Hosted::new(Stale { make, outcome: None, events: Vec::new() });
        answer(&mut server, &initialize_with("2025-11-25", r#"{"roots":{}}"#));
        answer(&mut server, &call("1"));
        let before = server.in_flight();
        for (id, line) in [("2", call("2")), ("3", modern("3", "tools/call", r#""name":"t""#))] {
            server.handler_mut().events.clear();
            assert_eq!(answer(&mut server, &line), error(id, -32603, "Internal error"));
            assert_eq!(server.handler().events, ["an outcome of another call"]);
        }
        assert_eq!(server.in_flight(), before);
    }
}

#[test]
fn a_late_outcome_of_another_call_is_misuse() {
    let mut server: Hosted<App> = Hosted::new(App::deferring());
    let mut kept = None;
    for (id, expected) in [("1", text("1", "x", false)), ("2", error("2", -32603, "Internal error"))] {
        answer(&mut server, &call(id));
        let token = server.handler().log.tokens.last().copied().expect("a token");
        let (line, _) =
            written(&mut server, 512, |server, out| {
                server.complete_tool(token, out, |result| {
                    Ok(*kept.get_or_insert_with(|| result.text("x").done()))
                })
            });
        assert_eq!(line, expected);
        assert_eq!(server.in_flight(), 0);
    }
}

/// Work may go on under a token that was handed out, so no other call gets it.
#[test]
fn a_call_that_defers_and_claims_another_outcome_uses_up_its_token() {
    thread_local!(static KEPT: Cell<Option<Outcome>> = const { Cell::new(None) });
    let mut server: Hosted<App> = Hosted::new(App::of_tool(|log, _, reply| {
        if log.notes.is_empty() {
            log.notes.push("answered".to_owned());
            let outcome = reply.text("x");
            KEPT.set(Some(outcome));
            return Ok(outcome);
        }
        let (token, outcome) = reply.defer()?;
        log.tokens.push(token);
        Ok(KEPT.take().unwrap_or(outcome))
    }));
    assert_eq!(answer(&mut server, &call("1")), text("1", "x", false));
    assert_eq!(answer(&mut server, &call("2")), error("2", -32603, "Internal error"));
    assert_eq!(answer(&mut server, &call("3")), "");
    let [in_vain, token] = server.handler().log.tokens[..] else {
        panic!("two tokens");
    };
    assert!(!server.is_in_flight(in_vain));
    assert!(server.is_in_flight(token));
}
