//! Errors of other types in a handler: `?` makes them texts.

use std::error::Error;
use std::fmt;

use barewire::engine::CallError;
use barewire::mcp::{Capabilities, Prompt, Resource, Role};

use crate::engine_kit::{App, Hosted, answer, error, request, text, written};

/// An error with a source.
#[derive(Debug)]
struct Layered(&'static str, Option<Box<Layered>>);

impl fmt::Display for Layered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for Layered {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.1.as_deref().map(|source| source as &dyn Error)
    }
}

fn layered(texts: &[&'static str]) -> Layered {
    let (first, others) = texts.split_first().expect("at least one");
    Layered(first, (!others.is_empty()).then(|| Box::new(layered(others))))
}

#[test]
fn an_error_brings_its_sources_unless_its_text_names_them() {
    for (texts, expected) in [
        (&["no settings"][..], "no settings"),
        (&["no settings", "cannot open a.toml", "denied"], "no settings: cannot open a.toml: denied"),
        (&["no settings: denied", "denied"], "no settings: denied"),
        (&["no settings", "", "denied"], "no settings: denied"),
    ] {
        assert_eq!(CallError::from(layered(texts)), CallError::Other(expected.to_owned()));
    }
}

#[test]
fn a_tool_fails_with_the_text_and_everything_else_is_an_internal_error_with_it() {
    let app = App {
        resources: vec![Resource::new("r:1", "r")],
        prompts: vec![Prompt::new("p")],
        offers: |offered| offered.insert(Capabilities::COMPLETIONS),
        read: |_, _, reply| Ok(reply.text(None, &String::from_utf8(vec![0xFF])?)),
        prompt: |_, _, reply| Ok(reply.text(Role::User, &String::from_utf8(vec![0xFF])?)),
        complete: |_, _, reply| Ok(reply.all([String::from_utf8(vec![0xFF])?.as_str()])),
        ..App::of_tool(|_, _, reply| Ok(reply.text("\"x\"".parse::<u8>()?.to_string())))
    };
    let mut server = Hosted::new(app);
    let called = answer(&mut server, &request("1", "tools/call", r#"{"name":"t"}"#));
    assert_eq!(called, text("1", "invalid digit found in string", true));
    for (method, params) in [
        ("resources/read", r#"{"uri":"r:1"}"#),
        ("prompts/get", r#"{"name":"p"}"#),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}"#,
        ),
    ] {
        let failed = error("1", -32603, "invalid utf-8 sequence of 1 bytes from index 0");
        assert_eq!(answer(&mut server, &request("1", method, params)), failed);
    }
}

#[test]
fn a_late_answer_fails_with_the_text_too() {
    let mut server = Hosted::new(App::deferring());
    answer(&mut server, &request("1", "tools/call", r#"{"name":"t"}"#));
    let token = server.handler().log.tokens[0];
    let (line, _) = written(&mut server, 512, |server, out| {
        server.complete_tool(token, out, |_| Err(layered(&["late", "slow"]).into()))
    });
    assert_eq!(line, text("1", "late: slow", true));
}
