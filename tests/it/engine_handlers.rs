//! What a handler comes with, and what errors of the engines look like.

use barewire::bytes::{BufferFull, Sink};
use barewire::engine::client::{Answered, ClientEngine, Incoming, Refusal, RequestError};
use barewire::engine::{
    AskError, CallError, CallToken, ClientHandler, Handler, NotInFlight, Outcome, PromptGet, PromptReply,
    ResourceRead, ResourceReply, ToolCall, ToolReply,
};
use barewire::mcp::{
    Capabilities, ClientCapabilities, Implementation, InputRequest, Prompt, ProtocolVersion, Resource, Tool,
};

use crate::client_kit::NOW;
use crate::engine_kit::{App, Hosted, answer, error, json, modern_of, request, text, written};

/// Asks in every method that may ask, and has no method to go on with.
struct Forgetful;

impl Handler for Forgetful {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("forgetful", "1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        const { &[Tool::new("t", "A tool.")] }
    }

    fn resources(&self) -> &[Resource<'_>] {
        const { &[Resource::new("r:", "r")] }
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        const { &[Prompt::new("p")] }
    }

    fn call_tool<'a>(&mut self, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        Ok(reply.ask("roots", &InputRequest::Roots).done())
    }

    fn read_resource<'a>(
        &mut self,
        _: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(reply.ask("roots", &InputRequest::Roots).done())
    }

    fn get_prompt<'a>(
        &mut self,
        _: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(reply.ask("roots", &InputRequest::Roots).done())
    }
}

#[test]
fn a_tool_sees_all_of_the_params() {
    let app = App::of_tool(|log, call, reply| {
        let params = call.context().params().expect("it was called by name");
        log.notes.push(params.as_value().to_string());
        Ok(reply.text(""))
    });
    let mut server: Hosted<App> = Hosted::new(app);
    let params = r#"{"x":{"y":[1]},"name":"t","arguments":{}}"#;
    answer(&mut server, &request("1", "tools/call", params));
    assert_eq!(server.handler().log.notes, [params]);
}

#[test]
fn a_call_says_which_tool_of_the_table_it_is_for() {
    let app = App {
        tools: ["a", "b", "c"].map(|name| Tool::new(name, "A tool.")).to_vec(),
        call: |log, call, reply| {
            log.notes.push(call.index().to_string());
            let names = ["a", "b", "c"].map(|name| Tool::new(name, "A tool."));
            assert_eq!(call.name(), *call.name_in(&names));
            Ok(reply.text(""))
        },
        ..App::new()
    };
    let mut server: Hosted<App> = Hosted::new(app);
    for name in ["c", "\\u0061", "b"] {
        let params = format!(r#"{{"name":"{name}","arguments":{{}}}}"#);
        answer(&mut server, &request("1", "tools/call", &params));
    }
    assert_eq!(server.handler().log.notes, ["2", "0", "1"]);
}

#[test]
fn what_was_asked_in_vain_is_refused() {
    let mut server: Hosted<Forgetful> = Hosted::new(Forgetful);
    for (method, params) in [
        ("tools/call", r#""name":"t""#),
        ("resources/read", r#""uri":"r:""#),
        ("prompts/get", r#""name":"p""#),
    ] {
        let first = modern_of("1", method, params, r#"{"roots":{}}"#);
        assert_eq!(json(&answer(&mut server, &first))["result"]["resultType"], "input_required", "{method}");
        let second = modern_of(
            "2",
            method,
            &format!(r#"{params},"requestState":"","inputResponses":{{"roots":{{"roots":[]}}}}"#),
            r#"{"roots":{}}"#,
        );
        let refused = error("2", -32602, "Invalid params");
        assert_eq!(answer(&mut server, &second), refused, "{method}");
    }
}

#[test]
fn instructions_and_completions_are_offered() {
    let mut server: Hosted<App> = Hosted::new(App {
        instructions: Some("read this"),
        offers: |offered| offered.insert(Capabilities::COMPLETIONS),
        ..App::new()
    });
    let hello = request("1", "initialize", r#"{"protocolVersion":"2025-11-25"}"#);
    let found = json(&answer(&mut server, &hello));
    assert_eq!(found["result"]["instructions"], "read this");
    assert_eq!(found["result"]["capabilities"]["completions"], serde_json::json!({}));
    let completion = r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}"#;
    assert_eq!(
        answer(&mut server, &request("2", "completion/complete", completion)),
        error("2", -32602, "Unknown prompt")
    );
}

/// The number of a token, kept where a token cannot be: in a register, or in C.
#[test]
fn a_token_is_rebuilt_from_its_number() {
    let mut server: Hosted<App> = Hosted::new(App::deferring());
    let call = request("1", "tools/call", r#"{"name":"t"}"#);
    assert_eq!(answer(&mut server, &call), "");
    let bits = server.handler().log.tokens[0].to_bits();
    let (line, done) = written(&mut server, 1024, |server, out| {
        server.complete_tool(CallToken::from_bits(bits), out, |result| Ok(result.text("late").done()))
    });
    assert_eq!(line, text("1", "late", false));
    assert!(done.is_ok());
}

/// It offers what it has no method for.
struct Bluffer;

impl ClientHandler for Bluffer {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("bluffer", "1")
    }

    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::ROOTS | ClientCapabilities::SAMPLING | ClientCapabilities::ELICITATION_FORM
    }
}

#[test]
fn a_client_without_a_method_for_it_refuses() {
    let (mut engine, mut host) = (ClientEngine::new(), Bluffer);
    let mut client = engine.bind(&mut host);
    let mut memory = [0; 1024];
    let mut out = Sink::new(&mut memory);
    client.initialize_with(ProtocolVersion::V2025_11_25, NOW, &mut out).expect("room");
    let asked = std::str::from_utf8(out.finish().expect("room")).expect("text");
    let asked: serde_json::Value = serde_json::from_str(asked).expect("JSON");
    assert_eq!(asked["params"]["clientInfo"]["name"], "bluffer");
    assert_eq!(asked["params"]["capabilities"]["roots"], serde_json::json!({}));
    let hello = format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"protocolVersion":"2025-11-25","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#,
        asked["id"]
    );
    let mut out = Sink::new(&mut memory);
    assert!(matches!(client.handle_frame(hello.as_bytes(), NOW, &mut out), Incoming::Connected(_)));
    for (method, params) in [
        ("roots/list", "{}"),
        (
            "sampling/createMessage",
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":9}"#,
        ),
        ("elicitation/create", r#"{"message":"sure?","requestedSchema":{"type":"object","properties":{}}}"#),
        ("of/an/extension", "{}"),
    ] {
        let frame = request(r#""q""#, method, params);
        let mut out = Sink::new(&mut memory);
        let Incoming::Request(_, answered) = client.handle_frame(frame.as_bytes(), NOW, &mut out) else {
            panic!("a request: {method}");
        };
        assert_eq!(answered, Answered::Refused(Refusal::METHOD_NOT_FOUND.code), "{method}");
        assert_eq!(out.finish(), Ok(error(r#""q""#, -32601, "Method not found").as_bytes()), "{method}");
    }
}

#[test]
fn errors() {
    let refusal = Refusal::METHOD_NOT_FOUND;
    let rows = [
        (NotInFlight.to_string(), "the call is not in flight"),
        (AskError::NotRunning.to_string(), "the task has ended"),
        (AskError::NoSession.to_string(), "no session whose client can be asked"),
        (AskError::MissingCapability.to_string(), "the client has not declared the capability"),
        (AskError::NothingAsked.to_string(), "nothing was asked"),
        (AskError::TooLong.to_string(), "key and state of the question do not fit the storage"),
        (AskError::Busy.to_string(), "the table of calls in flight is full"),
        (AskError::NoRoom.to_string(), "no room in the output"),
        (RequestError::NotConnected.to_string(), "the handshake is not complete"),
        (RequestError::AlreadyConnected.to_string(), "the handshake has already begun"),
        (RequestError::TableFull.to_string(), "too many requests are in flight"),
        (RequestError::from(BufferFull { needed: 9 }).to_string(), "output does not fit, 9 bytes are needed"),
        (RequestError::NotInRevision.to_string(), "the protocol revision has no such message"),
        (RequestError::NotOffered.to_string(), "the server does not offer this"),
        (RequestError::NoId.to_string(), "the id source returns only ids in flight"),
        (RequestError::Refused(refusal).to_string(), "the input request is refused: -32601 Method not found"),
        (RequestError::NotInFlight.to_string(), "the request is not in flight"),
    ];
    for (found, text) in rows {
        assert_eq!(found, text);
    }
}
