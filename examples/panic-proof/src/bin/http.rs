//! Streamable HTTP without its syntax: access, headers, sessions, streams, batches.
#![no_std]
#![no_main]

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::demo::{Demo, Host};
use barewire::engine::{
    CallError, CallToken, Channel, Fixed, Full, List, Outcome, Server, ToolCall, ToolReply,
};
use barewire::transport::http::{
    Access, BearerToken, Endpoint, Head, HttpReply, Line, SessionEntry, admit, events,
};
use panic_proof::keep;

/// A machine without floats, which bring panics.
struct Machine;

impl Host for Machine {
    fn start_slow(&mut self, _: CallToken, _: u32) -> Result<(), CallError<'static>> {
        Err(CallError::Busy)
    }

    fn resource_changed(&mut self, _: &'static str) {}

    fn add<'a>(&mut self, call: &ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        barewire::demo::add_integers(call, reply)
    }
}

/// A head whose content nobody knows.
struct Unknown<'a> {
    texts: &'a [&'a str],
    values: &'a [(&'a str, &'a [u8])],
}

impl Unknown<'_> {
    fn text(&self, place: usize) -> &str {
        self.texts.get(place).copied().unwrap_or_default()
    }
}

impl Head for Unknown<'_> {
    fn method(&self) -> &str {
        self.text(0)
    }

    fn path(&self) -> &str {
        self.text(1)
    }

    fn authority(&self) -> Option<&str> {
        self.texts.get(2).copied()
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let named = self.values.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, value)| *value)
    }
}

const ACCESS: Access<'_> = Access::LOCAL.with_names(&["board.local"]).with_cors(&["https://example.com"]);

fn random(id: &mut [u8; 16]) {
    keep(id);
}

static mut ENDPOINT: Endpoint<Fixed<Full, 4, 2, 2, 512, 2>, [SessionEntry; 2]> =
    Endpoint::with_sessions(Server::with_storage(Fixed::new()), [SessionEntry::FREE; 2])
        .with_random(random)
        .with_idle_timeout(Duration::from_secs(60));

fn keep_reply(reply: HttpReply) {
    reply.fields(|name, value| {
        keep(name);
        for part in value.parts() {
            keep(part);
        }
    });
    keep(reply);
}

fn keep_line(line: Option<Line>) {
    if let Some(line) = line {
        keep_reply(line.reply());
        keep(line);
    }
}

/// # Safety
/// Never called twice at a time; all of the memory is valid.
#[unsafe(no_mangle)]
unsafe fn entry(texts: &[&str], values: &[(&str, &[u8])], body: &[u8], memory: &mut [u8], count: usize) {
    // SAFETY: by the caller's promise.
    let endpoint = unsafe { &mut *(&raw mut ENDPOINT) };
    let mut app = Demo::new(Machine);
    let head = Unknown { texts, values };
    let channel = Channel(count as u32);
    let token = BearerToken::new("secret");
    ACCESS.cors_fields(&head, |name, value| keep((name, value.as_str())));
    ACCESS.preflight_fields(&head, |name, value| keep((name, value.as_str())));
    let admitted = match admit(&ACCESS, &token, &head, endpoint.offers_sessions()) {
        Ok(admitted) => admitted,
        Err(denial) => {
            denial.fields(|name, value| keep((name, value.as_str())));
            return keep((denial.status(), denial.body()));
        }
    };
    let time = Duration::from_secs(count as u64);
    endpoint.set_time(time, time, &mut app);
    let mut out = Sink::new(memory);
    keep_reply(endpoint.receive(channel, &head, &admitted, body, &mut app, &mut out));
    for event in events(out.finish().unwrap_or_default()) {
        keep(event);
    }
    keep_reply(endpoint.open_stream(channel, &admitted));
    keep_reply(endpoint.end_session(&admitted, &mut app));
    endpoint.server().list_changed(List::Tools);
    keep_line(endpoint.poll(|channel| keep_is(channel), &mut app, &mut out));
    keep_reply(endpoint.receive_oversized(&admitted, None, &mut app, &mut out));
    endpoint.closed(channel, &mut app);
    keep((endpoint.is_open(channel), endpoint.has_ended(), endpoint.next_deadline()));
}

/// An answer that nobody knows.
fn keep_is(channel: Channel) -> bool {
    core::hint::black_box(channel.0) == 1
}
