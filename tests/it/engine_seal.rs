//! State that travels through a modern client, sealed: what it cannot change, replay elsewhere or keep for ever.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::{Channel, Fixed, Frame, Full, Options, Origin, Principal, Role, Seal, Server};
use barewire::json::{RawValue, Writer};
use barewire::mcp::{Elicitation, InputRequest, Prompt, Resource, Sampling, SamplingMessage, Schema, Tool};
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};

use crate::engine_kit::{App, initialize_with, json, modern_of, request};

const KEY: [u8; 32] = {
    let mut key = [0; 32];
    let mut place = 0;
    while place < 32 {
        key[place] = place as u8;
        place += 1;
    }
    key
};
const ALL: &str = r#"{"elicitation":{},"sampling":{},"roots":{}}"#;
const FORM: Schema<'_> = Schema::new(r#"{"type":"object","properties":{}}"#);
const REFUSED: &str = "Invalid request state";

/// Two tools, a resource and a prompt: each asks with its name as state, and answers with the state.
fn asking() -> App {
    App {
        tools: vec![Tool::new("t", "Asks."), Tool::new("u", "Asks too.")],
        resources: vec![Resource::new("r:1", "r"), Resource::new("t", "The resource.")],
        prompts: vec![Prompt::new("t"), Prompt::new("p")],
        call: |_, call, reply| {
            if call.is("u") {
                return Ok(reply.ask("k", &InputRequest::Roots).done());
            }
            let messages = [SamplingMessage::user("hi")];
            let questions = reply.ask("f", &Elicitation::form("Sure?", FORM).into());
            let questions = questions.ask("s", &Sampling::new(&messages, 5).into());
            Ok(questions.ask("r", &InputRequest::Roots).keep("first é"))
        },
        read: |_, _, reply| {
            Ok(reply.ask("k", &InputRequest::Roots).keep_with(|json| {
                json.begin_object().name("a\n").integer(-7).end_object();
            }))
        },
        prompt: |_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).keep("of a prompt")),
        resume: |log, resumed, reply| {
            log.notes.push(resumed.state().to_string());
            match resumed.answer("again").is_some() {
                true => Ok(reply.ask("more", &InputRequest::Roots).keep("second")),
                false => Ok(reply.text(resumed.state())),
            }
        },
        resume_read: |log, resumed, reply| {
            log.notes.push(resumed.state().to_string());
            Ok(reply.text(None, "read"))
        },
        resume_prompt: |log, resumed, reply| {
            log.notes.push(resumed.state().to_string());
            Ok(reply.text(Role::User, "got"))
        },
        ..App::new()
    }
}

struct Sealed {
    server: Server<Fixed<Full, 4, 2, 2, 1024, 2>>,
    app: App,
}

impl Sealed {
    fn new() -> Self {
        Self::with_key(KEY)
    }

    fn with_key(key: [u8; 32]) -> Self {
        Self { server: Server::with_storage(Fixed::new()).with_seal(Seal::new(key)), app: asking() }
    }

    fn at(&mut self, milliseconds: u64) {
        self.server.set_time(Duration::ZERO, Duration::from_millis(milliseconds));
    }

    fn send(&mut self, origin: Origin, line: &str) -> Value {
        let mut memory = [0; 4096];
        let mut out = Sink::new(&mut memory);
        let sent = self.server.receive(origin, &mut Frame::new(line.as_bytes()), &mut self.app, &mut out);
        assert!(sent.fitted());
        json(std::str::from_utf8(out.finish().expect("a line")).expect("UTF-8"))
    }

    /// The state of the questions of a request with these params.
    fn ask(&mut self, origin: Origin, method: &str, members: &str) -> String {
        let found = self.send(origin, &modern_of("1", method, members, ALL));
        found["result"]["requestState"].as_str().expect("a state").to_owned()
    }

    /// Makes the request again, with this state.
    fn retry(&mut self, origin: Origin, method: &str, members: &str, state: &str) -> Value {
        self.retry_raw(origin, method, members, &Value::from(state).to_string())
    }

    fn retry_raw(&mut self, origin: Origin, method: &str, members: &str, state: &str) -> Value {
        let members = format!(r#"{members},"requestState":{state},"inputResponses":{{"f":{{}}}}"#);
        self.send(origin, &modern_of("1", method, &members, ALL))
    }
}

/// That a state was refused, and that no handler has seen it.
#[track_caller]
fn assert_refused(server: &Sealed, found: &Value) {
    assert_eq!(*found, json!({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":REFUSED}}));
    assert_eq!(server.app.log.notes, [""; 0]);
}

/// Requests that ask, and the states that they keep.
const KINDS: [(&str, &str, &str); 4] = [
    ("tools/call", r#""name":"t""#, "first é"),
    ("tools/call", r#""name":"u""#, ""),
    ("resources/read", r#""uri":"r:1""#, r#"{"a\n":-7}"#),
    ("prompts/get", r#""name":"p""#, "of a prompt"),
];

#[test]
fn every_kind_of_question_comes_back() {
    for (method, members, state) in KINDS {
        let mut server = Sealed::new();
        let sealed = server.ask(Origin::ONLY, method, members);
        assert_eq!(sealed.strip_prefix(state).map(str::len), Some(33), "{sealed}");
        let found = server.retry(Origin::ONLY, method, members, &sealed);
        assert!(found["result"].is_object(), "{found}");
        assert_eq!(server.app.log.notes, [state]);
    }
    // A call may ask more than once.
    let mut server = Sealed::new();
    let first = Value::from(server.ask(Origin::ONLY, "tools/call", r#""name":"t""#));
    let members = format!(r#""name":"t","requestState":{first},"inputResponses":{{"again":{{}}}}"#);
    let second = server.ask(Origin::ONLY, "tools/call", &members);
    let found = server.retry(Origin::ONLY, "tools/call", r#""name":"t""#, &second);
    assert_eq!(found["result"]["content"][0]["text"], "second");
}

/// Computed with another implementation of HMAC.
#[test]
fn a_seal_is_an_hmac() {
    let mut server = Sealed::new();
    let sealed = server.ask(Origin::ONLY, "tools/call", r#""name":"t""#);
    assert_eq!(sealed, "first é.-yZaiDDV5R30tVDmP-CFRwAAAAAABJPg");
    let mut memory = [0; 64];
    let mut out = Sink::new(&mut memory);
    let peer = Origin::exchange_in(Channel(1), 1).of(Principal::new(5));
    Seal::new(KEY).write(&mut Writer::new(&mut out), "search", peer, Duration::from_secs(1), "page 2");
    assert_eq!(out.finish(), Ok(br#""page 2.HpB29ZCDAwQ2YMy3QEuwSwAAAAAAAAPo""#.as_slice()));
}

#[test]
fn a_changed_state_is_refused() {
    for (method, members, state) in KINDS {
        let mut server = Sealed::new();
        let sealed: Vec<char> = server.ask(Origin::ONLY, method, members).chars().collect();
        let mut forged: Vec<String> =
            vec![String::new(), state.to_owned(), format!("{state}."), ".".repeat(33)];
        for place in 0..sealed.len() {
            forged.push(sealed[..place].iter().collect());
            forged.push(sealed[place + 1..].iter().collect());
            for character in ['A', 'B', '=', '.', '\u{e9}', '\u{1f600}', '\0'] {
                let mut changed = sealed.clone();
                changed[place] = character;
                if changed != sealed {
                    forged.push(changed.iter().collect());
                }
                let mut longer = sealed.clone();
                longer.insert(place, character);
                if longer != sealed {
                    forged.push(longer.iter().collect());
                }
            }
        }
        for forged in forged {
            let found = server.retry(Origin::ONLY, method, members, &forged);
            assert_refused(&server, &found);
        }
        let found = server.retry_raw(Origin::ONLY, method, members, r#""\ud800""#);
        assert_refused(&server, &found);
    }
}

#[test]
fn every_bit_of_a_seal_counts() {
    let mut server = Sealed::new();
    let sealed = server.ask(Origin::ONLY, "tools/call", r#""name":"u""#);
    for place in 0..sealed.len() {
        for bit in 0..7 {
            let mut changed = sealed.clone().into_bytes();
            changed[place] ^= 1 << bit;
            let changed = String::from_utf8(changed).expect("ASCII");
            let found = server.retry(Origin::ONLY, "tools/call", r#""name":"u""#, &changed);
            assert_refused(&server, &found);
        }
    }
}

#[test]
fn a_foreign_state_is_refused() {
    let peers = [
        Origin::ONLY,
        Origin::stream(Channel(1), 1),
        Origin::exchange(Channel(2)),
        Origin::exchange(Channel(3)).of(Principal::new(1)),
        Origin::exchange(Channel(4)).of(Principal::new(1 << 32)),
    ];
    let requests = [
        ("tools/call", r#""name":"t""#),
        ("tools/call", r#""name":"u""#),
        ("resources/read", r#""uri":"t""#),
        ("resources/read", r#""uri":"r:1""#),
        ("prompts/get", r#""name":"t""#),
        ("prompts/get", r#""name":"p""#),
    ];
    for owner in peers {
        for (method, members) in requests {
            let mut server = Sealed::new();
            let sealed = server.ask(owner, method, members);
            for other in peers {
                for (other_method, other_members) in requests {
                    if (other, other_method, other_members) != (owner, method, members) {
                        let found = server.retry(other, other_method, other_members, &sealed);
                        assert_refused(&server, &found);
                    }
                }
            }
            let mut other = Sealed::with_key([9; 32]);
            let found = other.retry(owner, method, members, &sealed);
            assert_refused(&other, &found);
            // Another server with the key continues the call.
            let mut other = Sealed::new();
            assert!(other.retry(owner, method, members, &sealed)["result"].is_object());
        }
    }
    // A principal has the same state on each of its channels, and in each of its sessions.
    let mut server = Sealed::new();
    let sealed = server.ask(peers[3], "tools/call", r#""name":"t""#);
    let elsewhere = Origin::exchange_in(Channel(9), 1).of(Principal::new(1));
    assert!(server.retry(elsewhere, "tools/call", r#""name":"t""#, &sealed)["result"].is_object());
}

#[test]
fn a_state_expires() {
    const DAY: u64 = 1_800_000_000_000;
    for (milliseconds, is_fresh) in [(0, true), (299_999, true), (300_000, false), (u64::MAX - DAY, false)] {
        let mut server = Sealed::new();
        server.at(DAY);
        let sealed = server.ask(Origin::ONLY, "tools/call", r#""name":"t""#);
        server.at(DAY + milliseconds);
        let found = server.retry(Origin::ONLY, "tools/call", r#""name":"t""#, &sealed);
        match is_fresh {
            true => assert!(found["result"].is_object()),
            false => assert_refused(&server, &found),
        }
    }
    let mut server = Sealed::new();
    server.server =
        server.server.with_options(Options::DEFAULT.with_question_timeout(Duration::from_millis(10)));
    let sealed = server.ask(Origin::ONLY, "tools/call", r#""name":"t""#);
    server.at(10);
    let found = server.retry(Origin::ONLY, "tools/call", r#""name":"t""#, &sealed);
    assert_refused(&server, &found);
}

/// A legacy client never sees the state. Answers without a state are answers to an empty one, which would be sealed.
#[test]
fn all_else_stays_as_it_is() {
    let mut server = Sealed::new();
    server.send(Origin::ONLY, &initialize_with("2025-11-25", ALL));
    let asked = server.send(Origin::ONLY, &request("7", "tools/call", r#"{"name":"t"}"#));
    assert_eq!(asked["method"], "elicitation/create");
    assert!(!asked.to_string().contains("first"));
    let answered = server.send(Origin::ONLY, r#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}"#);
    assert_eq!(answered["result"]["content"][0]["text"], "first é");

    let members = r#""name":"t","inputResponses":{"f":{}}"#;
    let found = server.send(Origin::ONLY, &modern_of("1", "tools/call", members, ALL));
    assert_eq!(found["error"]["message"], REFUSED);
    assert_eq!(format!("{:?}", Seal::new(KEY)), "Seal { .. }");
}

/// A state and its seal fit together, or there is an error.
#[test]
fn a_sealed_state_is_whole_or_not_sent() {
    let mut server = Sealed::new();
    let line = modern_of("1", "tools/call", r#""name":"u""#, ALL);
    for room in 200..300 {
        let mut memory = vec![0; room];
        let mut out = Sink::new(&mut memory);
        let _ =
            server.server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut server.app, &mut out);
        let found = json(std::str::from_utf8(out.finish().expect("a line")).expect("UTF-8"));
        match found["result"]["requestState"].as_str() {
            Some(state) => assert_eq!(state.len(), 33, "{room}"),
            None => assert_eq!(found["error"]["message"], "Response too large", "{room}"),
        }
    }
}

fn sealed_text(state: &str, peer: Origin) -> String {
    let mut memory = vec![0; state.len() * 6 + 64];
    let mut out = Sink::new(&mut memory);
    Seal::new(KEY).write(&mut Writer::new(&mut out), "cursor", peer, Duration::from_secs(60), state);
    String::from_utf8(out.finish().expect("room").to_vec()).expect("UTF-8")
}

fn opened(sealed: &str, peer: Origin) -> Option<String> {
    let sealed = RawValue::new(sealed.as_bytes()).expect("JSON").as_string().expect("a string");
    let state = Seal::new(KEY).open("cursor", peer, Duration::from_secs(59), sealed);
    state.map(|state| state.to_string())
}

proptest! {
    /// Any state comes back, with any escapes, and a seal is of one state only.
    #[test]
    fn any_state_comes_back(state: String, other: String, principal in any::<u64>()) {
        let peer = Origin::exchange(Channel(1)).of(Principal::new(principal));
        let sealed = sealed_text(&state, peer);
        prop_assert_eq!(opened(&sealed, peer), Some(state.clone()));
        let text: String = serde_json::from_str(&sealed).expect("a string");
        let escaped: String = text.encode_utf16().map(|unit| format!(r"\u{unit:04X}")).collect();
        prop_assert_eq!(opened(&format!("\"{escaped}\""), peer), Some(state.clone()));
        if state != other {
            let forged = Value::from(text.replacen(&state, &other, 1));
            let moved = Value::from([other.as_str(), &text[state.len()..]].concat());
            prop_assert!(opened(&moved.to_string(), peer).is_none());
            let is_changed = forged.as_str() != Some(&*text);
            prop_assert!(!is_changed || opened(&forged.to_string(), peer).is_none());
        }
        let stranger = peer.of(Principal::new(principal ^ 1));
        prop_assert!(opened(&sealed, stranger).is_none());
    }
}
