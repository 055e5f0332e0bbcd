//! Questions in little room, and questions that a handler takes back.

use barewire::bytes::Sink;
use barewire::engine::{CallError, Fixed, LegacyOnly, ModernOnly, Server, ToolsOnly};
use barewire::mcp::{Elicitation, InputRequest, Schema};

use crate::engine_asking::tick_all;
use crate::engine_kit::{
    App, Hosted, answer, answer_in, call, error, given_up, initialize_with, json, modern_of, question, reply,
    text, tick,
};

const ALL: &str = r#"{"elicitation":{},"roots":{}}"#;
const FORM_TEXT: &str =
    r#"{"type":"object","properties":{"yes":{"type":"boolean"},"why":{"type":"string"}}}"#;
const FORM: Schema<'_> = Schema::new(FORM_TEXT);

const LONG: &str = "a text that is as long as the question that came before it, or even longer than that";

fn asking() -> App {
    App {
        resume: |_, _, reply| Ok(reply.text(LONG)),
        ..App::of_tool(|_, _, reply| {
            let request = Elicitation::form("Really? It cannot be undone.", FORM).into();
            Ok(reply.ask("k", &request).done())
        })
    }
}

fn session(app: App) -> Hosted<App> {
    let mut server: Hosted<App> = Hosted::new(app);
    let _ = tick(&mut server, 512, 1000);
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    server
}

#[test]
fn a_question_is_whole_or_replaced_in_every_room() {
    let whole = question(
        1,
        "elicitation/create",
        &format!(r#"{{"message":"Really? It cannot be undone.","requestedSchema":{}}}"#, FORM_TEXT),
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
        assert_eq!(answer(&mut server, &reply("1", "")).is_empty(), room >= whole.len());
        let found = answer_in(&mut server, room, &modern);
        if room >= whole_modern.len() {
            assert_eq!(found, whole_modern, "{room}");
        } else {
            assert!(found.contains(" too large"), "{room} {found}");
        }
    }
}

#[test]
fn a_timeout_in_every_room() {
    for room in 96..=256 {
        let mut server = session(asking());
        answer(&mut server, &call("7"));
        let lines = tick_all(&mut server, room, 301_000);
        // The request is withdrawn first; then comes the answer, whole if it fits.
        let found = json(lines.strip_prefix(&given_up(1)).expect("a withdrawal"));
        assert_eq!(found["id"], 7, "{room}");
        let is_result = found["result"]["content"][0]["text"] == LONG;
        assert_eq!(is_result, room >= text("7", LONG, false).len(), "{room}");
    }
}

#[test]
fn a_handler_may_change_its_mind() {
    let mut server = session(App::of_tool(|_, _, reply| {
        let _ = reply.ask("k", &InputRequest::Roots).keep("s");
        Err(CallError::Failed("on second thoughts"))
    }));
    assert_eq!(answer(&mut server, &call("1")), text("1", "on second thoughts", true));
    let modern = modern_of("1", "tools/call", r#""name":"t""#, ALL);
    let found = json(&answer(&mut server, &modern));
    assert_eq!(found["result"]["content"][0]["text"], "on second thoughts");
    assert_eq!(found["result"]["resultType"], "complete");
    // And any error of the protocol.
    let mut server = session(App::of_tool(|_, _, reply| {
        let _ = reply.ask("k", &InputRequest::Roots).done();
        Err(CallError::InvalidParams)
    }));
    assert_eq!(answer(&mut server, &call("1")), error("1", -32602, "Invalid params"));
    // A client that cannot be asked gets that error too.
    let mut server: Hosted<App> = Hosted::new(App::of_tool(|_, _, reply| {
        let _ = reply.ask("k", &InputRequest::Roots).keep("s");
        Err(CallError::Failed("no roots"))
    }));
    assert_eq!(answer(&mut server, &call("1")), text("1", "no roots", true));
    assert!(server.handler().log.events.is_empty());
}

#[test]
fn a_server_without_that_part_asks_nothing() {
    let app = || App::of_tool(|_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).done()));
    let mut server = Hosted::of(Server::with_storage(Fixed::<ToolsOnly>::new()), app());
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
    let mut server = Hosted::of(Server::with_storage(Fixed::<LegacyOnly>::new()), app());
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    assert_eq!(answer(&mut server, &call("1")), question(1, "roots/list", ""));
    let mut server = Hosted::of(Server::with_storage(Fixed::<ModernOnly>::new()), app());
    let found = answer(&mut server, &modern_of("1", "tools/call", r#""name":"t""#, ALL));
    assert!(found.contains("input_required"));
    assert!(server.ping(&mut Sink::new(&mut [0; 96])).is_err());
}
