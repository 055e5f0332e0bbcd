//! Where a server can live, and what it can be made of.

use std::sync::Mutex;

use barewire::bytes::Sink;
use barewire::demo::{Demo, NoHost};
use barewire::engine::{Handler, Server, Status};
use barewire::mcp::Implementation;

use crate::engine_kit::{App, answer, call, request, result, text};

static SERVER: Mutex<Server<Demo<NoHost>, 8>> = Mutex::new(Server::new(Demo::new(NoHost)));

#[test]
fn in_static_memory() {
    let mut memory = [0; 128];
    let mut out = Sink::new(&mut memory);
    let status = SERVER
        .lock()
        .expect("the lock")
        .handle_frame(request("1", "ping", "").as_bytes(), &mut out);
    assert_eq!(status, Status::Done);
    assert_eq!(out.finish(), Ok(result("1", "").as_bytes()));
}

#[test]
fn behind_a_reference_to_any_handler() {
    let mut server: Server<App> = Server::new(App::of_tool(|_, _, reply| {
        reply.text("x");
        Ok(barewire::engine::Disposition::Done)
    }));
    let any: &mut Server<dyn Handler> = &mut server;
    let mut memory = [0; 256];
    let mut out = Sink::new(&mut memory);
    assert_eq!(any.handle_frame(call("1").as_bytes(), &mut out), Status::Done);
    assert_eq!(out.finish(), Ok(text("1", "x", false).as_bytes()));
    assert_eq!(any.handler().info(), Implementation::new("app", "1"));
}

#[test]
fn of_a_borrowed_handler() {
    let mut app = App::of_tool(|log, _, reply| {
        log.notes.push("called".to_string());
        reply.text("x");
        Ok(barewire::engine::Disposition::Done)
    });
    {
        let handler: &mut dyn Handler = &mut app;
        let mut server: Server<&mut dyn Handler> = Server::new(handler);
        let mut memory = [0; 256];
        let mut out = Sink::new(&mut memory);
        assert_eq!(server.handle_frame(call("1").as_bytes(), &mut out), Status::Done);
        assert_eq!(out.finish(), Ok(text("1", "x", false).as_bytes()));
    }
    {
        let mut server: Server<&mut App> = Server::new(&mut app);
        assert_eq!(answer(&mut server, &call("2")), text("2", "x", false));
        server.handler_mut().log.notes.push("reached".to_string());
    }
    assert_eq!(app.log.notes, ["called", "called", "reached"]);
}

/// A handler needs nothing but a name.
struct Nameplate;

impl Handler for Nameplate {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("n", "0")
    }
}

#[test]
fn of_a_handler_that_offers_nothing() {
    let mut server: Server<Nameplate> = Server::new(Nameplate);
    assert_eq!(
        answer(
            &mut server,
            &request("1", "initialize", r#"{"protocolVersion":"2025-11-25"}"#)
        ),
        result(
            "1",
            r#""protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"n","version":"0"}"#
        )
    );
    assert_eq!(answer(&mut server, &request("1", "ping", "")), result("1", ""));
    for method in [
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
    ] {
        assert_eq!(
            answer(&mut server, &request("1", method, "")),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}\n",
            "{method}"
        );
    }
}

/// Without its buffers, and without a handler's own state. Pointers and lengths take twice as much on 64 bits.
#[test]
fn with_eight_calls_in_less_than_a_kibibyte() {
    let bound = if usize::BITS == 32 { 1024 } else { 1152 };
    assert!(size_of::<Server<Nameplate, 8>>() < bound);
}
