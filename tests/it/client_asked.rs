//! What a server asks of its client: in the legacy era by requests, in the modern one before it gives a result.

use barewire::bytes::{BufferFull, Sink};
use barewire::engine::client::{
    Answered, ClientEngine, ClientOptions, ClientOutcome, Incoming, Refusal, RequestError,
};
use barewire::mcp::{ClientCapabilities, ProtocolVersion, Versions};
use barewire::rpc::{ErrorCode, RequestId};

use crate::client_kit::{
    Host, HostClient, MODERN_META, NOW, ask, client, client_of, connected, connected_with, event, feed, line,
    sent, written, written_and,
};

const LEGACY: ProtocolVersion = ProtocolVersion::V2025_11_25;
const MODERN: ProtocolVersion = ProtocolVersion::V2026_07_28;

fn all(offered: &mut ClientCapabilities) {
    offered.insert(
        ClientCapabilities::ROOTS
            | ClientCapabilities::SAMPLING_TOOLS
            | ClientCapabilities::ELICITATION_FORM
            | ClientCapabilities::ELICITATION_URL,
    );
}

fn asked(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":"q\u0031","method":"{method}","params":{params}}}"#)
}

fn answer(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":"q\u0031","result":{result}}}"#)
}

fn refused(code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":"q\u0031","error":{{"code":{code},"message":"{message}"}}}}"#)
}

const MESSAGE: &str = r#"{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":9,"systemPrompt":"be"}"#;
const FORM: &str =
    r#"{"message":"sure?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}}}}"#;
const URL: &str = r#"{"mode":"url","message":"look","url":"https://x","elicitationId":"e"}"#;

#[test]
fn each_request_is_answered_by_the_handler() {
    let cases = [
        ("ping", "{}", "{}", ""),
        ("roots/list", "{}", r#"{"roots":[{"uri":"file:///a","name":"a"},{"uri":"file:///b"}]}"#, "roots"),
        (
            "sampling/createMessage",
            MESSAGE,
            r#"{"role":"assistant","content":{"type":"text","text":"hello"},"model":"model","stopReason":"endTurn"}"#,
            r#"sampling of 1 messages, Some(9) tokens, Some("be")"#,
        ),
        ("elicitation/create", FORM, r#"{"action":"accept","content":{"yes":true}}"#, "elicit sure?"),
        ("elicitation/create", URL, r#"{"action":"accept"}"#, "elicit look"),
        ("x/known", "{}", r#"{"n":1}"#, "other x/known"),
    ];
    for (method, params, expected, noted) in cases {
        let mut client = connected_with(Host::offering(all), LEGACY);
        let (event, written) = feed(&mut client, &asked(method, params));
        assert_eq!(event, format!("request {method}: Done"));
        assert_eq!(line(&written), answer(expected));
        assert_eq!(client.app.asked.join(","), noted);
    }
}

#[test]
fn what_was_not_declared_is_refused() {
    let not_found = refused(-32601, "Method not found");
    let invalid = refused(-32602, "Invalid params");
    type Offer = fn(&mut ClientCapabilities);
    let nothing: Offer = |_| {};
    let form: Offer = |offered| offered.insert(ClientCapabilities::ELICITATION_FORM);
    let url: Offer = |offered| offered.insert(ClientCapabilities::ELICITATION_URL);
    let sampling: Offer = |offered| offered.insert(ClientCapabilities::SAMPLING);
    let cases = [
        (nothing, "roots/list", "{}", &not_found),
        (nothing, "sampling/createMessage", MESSAGE, &not_found),
        (nothing, "elicitation/create", FORM, &not_found),
        (nothing, "x/unknown", "{}", &not_found),
        (nothing, "tools/list", "{}", &not_found),
        (form, "elicitation/create", URL, &invalid),
        (url, "elicitation/create", FORM, &invalid),
        (all, "elicitation/create", r#"{"mode":"voice","message":"?"}"#, &invalid),
        (all, "elicitation/create", r#"{"mode":1,"message":"?"}"#, &invalid),
        (all, "elicitation/create", r#"{"message":1}"#, &invalid),
        (sampling, "sampling/createMessage", r#"{"messages":[],"maxTokens":1,"tools":[]}"#, &invalid),
        (sampling, "sampling/createMessage", r#"{"messages":[],"maxTokens":1,"toolChoice":{}}"#, &invalid),
    ];
    for (offer, method, params, expected) in cases {
        let mut client = connected_with(Host::offering(offer), LEGACY);
        let (event, written) = feed(&mut client, &asked(method, params));
        assert!(event.contains("Refused"), "{event}");
        assert_eq!(line(&written), expected, "{method} {params}");
        assert!(client.app.asked.iter().all(|asked| asked.starts_with("other")));
    }
    // Requests without params, where some are needed.
    for method in ["sampling/createMessage", "elicitation/create"] {
        let mut client = connected_with(Host::offering(all), LEGACY);
        let frame = format!(r#"{{"jsonrpc":"2.0","id":"q\u0031","method":"{method}"}}"#);
        assert_eq!(line(&feed(&mut client, &frame).1), invalid);
    }
    // The revision has no such method.
    let mut client = connected_with(Host::offering(all), ProtocolVersion::V2025_03_26);
    assert_eq!(line(&feed(&mut client, &asked("elicitation/create", FORM)).1), not_found);
    // In 2025-06-18 there is no mode: all are forms.
    let mut client = connected_with(Host::offering(form), ProtocolVersion::V2025_06_18);
    assert_eq!(
        line(&feed(&mut client, &asked("elicitation/create", URL)).1),
        answer(r#"{"action":"accept","content":{"yes":true}}"#)
    );
}

#[test]
fn a_handler_refuses_and_puts_off() {
    let mut host = Host::offering(all);
    host.refusal = Some(Refusal::REJECTED_BY_USER);
    let mut client = connected_with(host, LEGACY);
    let (event, written) = feed(&mut client, &asked("sampling/createMessage", MESSAGE));
    assert_eq!(event, "request sampling/createMessage: Refused(ErrorCode(-1))");
    assert_eq!(line(&written), refused(-1, "User rejected sampling request"));

    let mut host = Host::offering(all);
    host.later = true;
    let mut client = connected_with(host, LEGACY);
    for (method, params) in [
        ("elicitation/create", FORM),
        ("roots/list", "{}"),
        ("sampling/createMessage", MESSAGE),
        ("x/known", "{}"),
    ] {
        let (event, written) = feed(&mut client, &asked(method, params));
        assert_eq!(event, format!("request {method}: Later"));
        assert_eq!(written, "");
    }
    let id = RequestId::parse(br#""q\u0031""#).unwrap();
    let (text, answered) = written_and(&mut client, |client, out| {
        client.answer(id, out, |reply| {
            reply.json().name("action").string("decline");
            Ok(())
        })
    });
    assert_eq!(answered, Answered::Done);
    assert_eq!(line(&text), answer(r#"{"action":"decline"}"#));
    let (text, answered) =
        written_and(&mut client, |client, out| client.answer(id, out, |_| Err(Refusal::INTERNAL_ERROR)));
    assert_eq!(answered, Answered::Refused(ErrorCode::INTERNAL_ERROR));
    assert_eq!(line(&text), refused(-32603, "Internal error"));
}

#[test]
fn an_answer_that_does_not_fit_is_an_error_or_nothing() {
    let mut client = connected_with(Host::offering(all), LEGACY);
    let frame = asked("roots/list", "{}");
    let mut memory = [0; 90];
    let mut out = Sink::new(&mut memory);
    let Incoming::Request(_, answered) = client.handle_frame(frame.as_bytes(), NOW, &mut out) else {
        panic!("a request");
    };
    assert_eq!(answered, Answered::Refused(ErrorCode::INTERNAL_ERROR));
    assert_eq!(
        line(std::str::from_utf8(out.finish().unwrap()).unwrap()),
        refused(-32603, "Response too large")
    );
    let mut out = Sink::new(&mut memory[..60]);
    let Incoming::Request(_, answered) = client.handle_frame(frame.as_bytes(), NOW, &mut out) else {
        panic!("a request");
    };
    let needed = refused(-32603, "Response too large").len() + 1;
    assert_eq!(answered, Answered::NoRoom(BufferFull { needed }));
    assert_eq!(out.finish(), Ok(&b""[..]));
}

#[test]
fn replies_have_a_default_and_keep_the_last_word() {
    use barewire::engine::ClientHandler;
    use barewire::engine::client::{
        ClientAnswer, ClientElicitation, ClientSampling, ElicitReply, MessageReply,
    };
    use barewire::mcp::Implementation;

    struct Moody(u32);
    impl ClientHandler for Moody {
        fn info(&self) -> Implementation<'_> {
            Implementation::new("moody", "1")
        }

        fn capabilities(&self) -> ClientCapabilities {
            ClientCapabilities::SAMPLING | ClientCapabilities::ELICITATION_FORM
        }

        fn create_message(
            &mut self,
            _: ClientSampling<'_>,
            _: &mut MessageReply<'_, '_>,
        ) -> Result<ClientAnswer, Refusal> {
            Ok(ClientAnswer::Done)
        }

        fn elicit(
            &mut self,
            elicitation: ClientElicitation<'_>,
            reply: &mut ElicitReply<'_, '_>,
        ) -> Result<ClientAnswer, Refusal> {
            assert!(elicitation.schema().is_some() && elicitation.url().is_none());
            self.0 += 1;
            match self.0 {
                1 => {}
                2 => reply.decline(),
                3 => {
                    reply.accept(|_| {});
                    reply.cancel();
                }
                _ => {
                    reply.decline();
                    reply.accept(|content| {
                        content.name("n").integer(1);
                    });
                }
            }
            Ok(ClientAnswer::Done)
        }
    }
    let (mut engine, mut app) = (ClientEngine::new(), Moody(0));
    let mut client = engine.bind(&mut app);
    let mut memory = [0; 256];
    let mut out = Sink::new(&mut memory);
    client.initialize_with(LEGACY, NOW, &mut out).unwrap();
    let hello = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
    let _ = client.handle_frame(hello, NOW, &mut out);
    let mut written = |frame: String| {
        let mut memory = [0; 256];
        let mut out = Sink::new(&mut memory);
        let _ = client.handle_frame(frame.as_bytes(), NOW, &mut out);
        line(std::str::from_utf8(out.finish().unwrap()).unwrap()).to_owned()
    };
    for result in [
        r#"{"action":"cancel"}"#,
        r#"{"action":"decline"}"#,
        r#"{"action":"cancel"}"#,
        r#"{"action":"accept","content":{"n":1}}"#,
    ] {
        assert_eq!(written(asked("elicitation/create", FORM)), answer(result));
    }
    assert_eq!(written(asked("sampling/createMessage", MESSAGE)), refused(-32603, "Internal error"));
}

#[test]
fn before_and_outside_a_legacy_connection() {
    // While `initialize` is in flight a ping is answered.
    let mut client = client();
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(event(&mut client, ping), "request ping: Ignored");
    written(&mut client, |client, out| client.initialize_with(LEGACY, NOW, out).unwrap());
    let (event_text, text) = feed(&mut client, ping);
    assert_eq!(event_text, "request ping: Done");
    assert_eq!(line(&text), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    // The id is the server's: it does not end the client's own request of that id.
    assert!(client.is_connecting());
    // In the modern era nothing is written.
    let mut client = connected_with(Host::offering(all), MODERN);
    for method in ["ping", "roots/list", "elicitation/create", "x/known", "server/discover"] {
        assert_eq!(event(&mut client, &asked(method, FORM)), format!("request {method}: Ignored"));
    }
    let (text, answered) =
        written_and(&mut client, |client, out| client.answer(RequestId::from(1), out, |_| Ok(())));
    assert_eq!((text.as_str(), answered), ("", Answered::Ignored));
}

/// Only a legacy server sends requests, so its request during the probe is answered, and the probe goes on.
#[test]
fn a_request_during_the_probe_is_answered_by_a_client_that_speaks_legacy() {
    let rows = [
        ("ping", "request ping: Done", r#"{"jsonrpc":"2.0","id":"s","result":{}}"#),
        (
            "roots/list",
            "request roots/list: Done",
            r#"{"jsonrpc":"2.0","id":"s","result":{"roots":[{"uri":"file:///a","name":"a"},{"uri":"file:///b"}]}}"#,
        ),
        (
            "x",
            "request x: Refused(ErrorCode(-32601))",
            r#"{"jsonrpc":"2.0","id":"s","error":{"code":-32601,"message":"Method not found"}}"#,
        ),
    ];
    for (method, expected, answer) in rows {
        let request = format!(r#"{{"jsonrpc":"2.0","id":"s","method":"{method}"}}"#);
        let mut client = client_of(Host::offering(all), ClientOptions::DEFAULT);
        written(&mut client, |client, out| client.connect(NOW, out).unwrap());
        assert!(client.is_probing());
        for _ in 0..2 {
            let (event, text) = feed(&mut client, &request);
            assert_eq!((event.as_str(), line(&text)), (expected, answer));
        }
        assert!(client.is_probing());
        // A client that has only the modern era writes no response.
        let options = ClientOptions::DEFAULT.with_versions(Versions::MODERN);
        let mut client = client_of(Host::offering(all), options);
        written(&mut client, |client, out| client.connect(NOW, out).unwrap());
        assert_eq!(event(&mut client, &request), format!("request {method}: Ignored"));
    }
}

// The modern era.

const INPUT: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"\u006bey":{"method":"elicitation/create","params":{"message":"sure?","requestedSchema":{"type":"object"}}},"r":{"method":"roots\/list"},"s":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}},"requestState":"a\u0062\/c"}}"#;

/// A client that has called a tool, under the id 2.
fn calling(host: Host) -> HostClient {
    let mut client = connected_with(host, MODERN);
    sent(&mut client, |client, out| client.call_tool(ask(), "t", out, |_| {}));
    client
}

/// The retry after this answer.
fn retry(client: &mut HostClient, frame: &str) -> Result<String, RequestError> {
    let mut nothing = Sink::new(&mut []);
    let Incoming::Ended(ended) = client.handle_frame(frame.as_bytes(), NOW, &mut nothing) else {
        panic!("{frame}");
    };
    let ClientOutcome::InputRequired(input) = ended.outcome else {
        panic!("{frame}");
    };
    let (text, sent) = written_and(client, |client, out| {
        client.call_tool(ask().answering(input), "t", out, |arguments| {
            arguments.name("a").integer(1);
        })
    });
    match sent {
        Ok(_) => Ok(line(&text).to_owned()),
        Err(error) => {
            assert_eq!(text, "");
            Err(error)
        }
    }
}

#[test]
fn a_retry_answers_what_the_server_wants_to_know() {
    let mut client = calling(Host::offering(all));
    let meta = MODERN_META.replace(
        r#""io.modelcontextprotocol/clientCapabilities":{}"#,
        r#""io.modelcontextprotocol/clientCapabilities":{"sampling":{"tools":{}},"roots":{},"elicitation":{"form":{},"url":{}}}"#,
    );
    assert_eq!(
        retry(&mut client, INPUT).unwrap(),
        format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"t","arguments":{{"a":1}},"inputResponses":{{"\u006bey":{{"action":"accept","content":{{"yes":true}}}},"r":{{"roots":[{{"uri":"file:///a","name":"a"}},{{"uri":"file:///b"}}]}},"s":{{"role":"assistant","content":{{"type":"text","text":"hello"}},"model":"model","stopReason":"endTurn"}}}},"requestState":"a\u0062\/c",{meta}}}}}"#
        )
    );
    assert_eq!(
        event(&mut client, r#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[]}}"#),
        r#"tools/call c: result {"resultType":"complete","content":[]}"#
    );
}

#[test]
fn a_retry_has_what_the_answer_had() {
    let cases = [
        (r#""requestState":"""#, r#","requestState":"""#),
        (r#""inputRequests":{}"#, r#","inputResponses":{}"#),
        (r#""inputRequests":{},"requestState":"s""#, r#","inputResponses":{},"requestState":"s""#),
    ];
    for (members, expected) in cases {
        let mut client = calling(Host::default());
        let frame =
            format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"resultType":"input_required",{members}}}}}"#);
        assert_eq!(
            retry(&mut client, &frame).unwrap(),
            format!(
                r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"t","arguments":{{"a":1}}{expected},{MODERN_META}}}}}"#
            )
        );
    }
}

#[test]
fn what_the_client_cannot_answer_is_not_sent() {
    let undeclared = RequestError::Refused(Refusal::METHOD_NOT_FOUND);
    assert_eq!(retry(&mut calling(Host::default()), INPUT), Err(undeclared));
    let mut host = Host::offering(all);
    host.refusal = Some(Refusal::REJECTED_BY_USER);
    assert_eq!(retry(&mut calling(host), INPUT), Err(RequestError::Refused(Refusal::REJECTED_BY_USER)));
    let mut host = Host::offering(all);
    host.later = true;
    assert_eq!(retry(&mut calling(host), INPUT), Err(RequestError::Refused(Refusal::NOT_YET)));
    // A mode that was not declared, a method that is none of the three.
    let mut forms = calling(Host::offering(|offered| offered.insert(ClientCapabilities::ELICITATION_FORM)));
    let url = r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"url","message":"?","url":"https://x"}}}}}"#;
    assert_eq!(retry(&mut forms, url), Err(RequestError::Refused(Refusal::INVALID_PARAMS)));
    let other = url.replace("elicitation/create", "tools/list");
    assert_eq!(retry(&mut calling(Host::offering(all)), &other), Err(undeclared));
    assert_eq!(
        retry(&mut calling(Host::offering(all)), &url.replace("elicitation/create", "x")),
        Err(undeclared)
    );
}

#[test]
fn an_application_may_write_the_retry_itself() {
    let mut client = calling(Host::default());
    let mut nothing = Sink::new(&mut []);
    let Incoming::Ended(ended) = client.handle_frame(INPUT.as_bytes(), NOW, &mut nothing) else {
        panic!("an end");
    };
    let ClientOutcome::InputRequired(input) = ended.outcome else {
        panic!("input");
    };
    let text = sent(&mut client, |client, out| {
        client.request(ask(), "tools/call", out, |params| {
            params.name("name").string("t");
            params.name("inputResponses").begin_object();
            for request in input.requests() {
                params.json_name(request.key).begin_object();
                params.name("action").string("decline").end_object();
            }
            params.end_object();
            input.write_state(params);
        })
    });
    assert_eq!(
        text,
        format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"t","inputResponses":{{"\u006bey":{{"action":"decline"}},"r":{{"action":"decline"}},"s":{{"action":"decline"}}}},"requestState":"a\u0062\/c",{MODERN_META}}}}}"#
        )
    );
}

#[test]
fn a_retry_belongs_to_the_modern_era() {
    let mut client = calling(Host::default());
    let mut nothing = Sink::new(&mut []);
    let frame = r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"s"}}"#;
    let Incoming::Ended(ended) = client.handle_frame(frame.as_bytes(), NOW, &mut nothing) else {
        panic!("an end");
    };
    let ClientOutcome::InputRequired(input) = ended.outcome else {
        panic!("input");
    };
    let mut legacy = connected(LEGACY);
    assert_eq!(
        crate::client_kit::unsent(&mut legacy, |client, out| client.call_tool(
            ask().answering(input),
            "t",
            out,
            |_| {}
        )),
        RequestError::NotInRevision
    );
}
