//! Questions whose answers go to the method of the tool, the resource or the prompt that has asked.

use barewire::engine::{Answer, CallError, Outcome, PromptReply, ResourceReply, Resumed, Role, ToolReply};
use barewire::mcp::InputRequest;

use crate::kit::{answers, request};

struct App;

#[barewire::server(name = "app", version = "1")]
impl App {
    /// Asks, and keeps a state.
    #[tool(resume = opened)]
    fn open(&self, reply: ToolReply<'_, '_>, door: u8) -> Outcome {
        reply.ask("roots", &InputRequest::Roots).keep(&door.to_string())
    }

    fn opened<'a>(&mut self, call: Resumed<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        let door: u8 = call.state().to_string().parse().map_err(|_| CallError::InvalidParams)?;
        Ok(reply.text(format_args!("opened {door} for {}", first(call))))
    }

    /// Asks without a state.
    #[tool(name = "close-all", resume = closed)]
    fn close(&self, reply: ToolReply<'_, '_>) -> Outcome {
        reply.ask("roots", &InputRequest::Roots).done()
    }

    fn closed(&self, call: Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        assert!(call.state().is_empty());
        reply.text(format_args!("closed for {}", first(call)))
    }

    /// Never asks.
    #[tool]
    fn count(&self) -> u8 {
        2
    }

    /// A page.
    #[resource("app://page", resume = resumed_page)]
    fn page(&self, reply: ResourceReply<'_, '_>) -> Outcome {
        reply.ask("roots", &InputRequest::Roots).done()
    }

    fn resumed_page(&self, call: Resumed<'_>, reply: ResourceReply<'_, '_>) -> Outcome {
        reply.text(None, format_args!("page of {}", first(call)))
    }

    /// A room.
    #[resource("app://{room}", resume = resumed_room)]
    fn room(&self, reply: ResourceReply<'_, '_>) -> Outcome {
        reply.ask("roots", &InputRequest::Roots).done()
    }

    fn resumed_room(&self, call: Resumed<'_>, reply: ResourceReply<'_, '_>) -> Outcome {
        reply.text(None, format_args!("{} of {}", call.subject(), first(call)))
    }

    /// Greets.
    #[prompt(resume = greeted)]
    fn greet(&self, reply: PromptReply<'_, '_>) -> Outcome {
        reply.ask("roots", &InputRequest::Roots).done()
    }

    fn greeted(&self, call: Resumed<'_>, reply: PromptReply<'_, '_>) -> Outcome {
        reply.messages().text(Role::User, format_args!("hi {}", first(call))).done()
    }
}

fn first(call: Resumed<'_>) -> String {
    let roots = call.answer("roots").and_then(Answer::roots);
    roots.and_then(|roots| Some(roots.iter().next()?.uri.to_string())).unwrap_or_default()
}

/// A modern request, with these members besides.
fn modern(method: &str, members: &str) -> String {
    const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}}"#;
    request(&mut App, method, &format!("{{{members},{META}}}"))
}

const ANSWERS: &str = r#""inputResponses":{"roots":{"roots":[{"uri":"file:///a"}]}}"#;

#[test]
fn answers_go_to_the_method_of_what_has_asked() {
    let open = r#""name":"open","arguments":{"door":7}"#;
    assert!(modern("tools/call", open).contains(r#""requestState":"7""#));
    let cases = [
        ("tools/call", format!(r#"{open},{ANSWERS},"requestState":"7""#), "opened 7 for file:///a"),
        ("tools/call", format!(r#""name":"clos\u0065-all",{ANSWERS}"#), "closed for file:///a"),
        ("resources/read", format!(r#""uri":"app://page",{ANSWERS}"#), "page of file:///a"),
        ("resources/read", format!(r#""uri":"app://attic",{ANSWERS}"#), "app://attic of file:///a"),
        ("prompts/get", format!(r#""name":"greet",{ANSWERS}"#), "hi file:///a"),
    ];
    for (method, members, text) in cases {
        let found = modern(method, &members);
        assert!(found.contains(&format!(r#""text":"{text}""#)), "{found}");
    }
}

#[test]
fn answers_to_what_never_asks_are_refused() {
    for state in ["", r#","requestState":"7""#] {
        let found = modern("tools/call", &format!(r#""name":"count",{ANSWERS}{state}"#));
        assert_eq!(found, r#""error":{"code":-32602,"message":"Invalid params"}"#);
    }
}

#[test]
fn a_legacy_answer_finds_its_method() {
    let lines = answers(
        &mut App,
        &[
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"close-all"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///b"}]}}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"app://attic"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"roots":[{"uri":"file:///b"}]}}"#,
        ],
    );
    assert!(lines[3].contains(r#""text":"closed for file:///b""#), "{lines:?}");
    assert!(lines[5].contains(r#""text":"app://attic of file:///b""#), "{lines:?}");
}
