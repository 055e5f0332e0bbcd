//! Channels and sessions that are not writable, closed, or ended, and the exchanges of one session.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::{Address, Channel, Fixed, Frame, Full, List, Options, Origin, Sent, Server};
use barewire::mcp::{Capabilities, InputRequest};

use super::INITIALIZED;
use crate::engine_kit::{
    App, answer_text, call, cancel, error, given_up, initialize_with, modern, question, reply, request,
    result, text,
};

type Small = Server<Fixed<Full, 8, 4, 2, 512, 2>>;

/// Output of a call, and its receiver.
fn written(call: impl FnOnce(&mut Sink<'_>) -> Sent) -> (Sent, String) {
    let mut memory = [0; 2048];
    let mut out = Sink::new(&mut memory);
    let sent = call(&mut out);
    let text = out.finish().expect("whole lines").to_vec();
    (sent, String::from_utf8(text).expect("UTF-8"))
}

fn receive(server: &mut Small, app: &mut App, origin: Origin, line: &str) -> (Sent, String) {
    written(|out| server.receive(origin, &mut Frame::new(line.as_bytes()), app, out))
}

fn complete(server: &mut Small, app: &mut App, at: usize) -> (Sent, String) {
    let token = app.log.tokens[at];
    written(|out| {
        let sent = server.complete_tool(token, app, out, |content| Ok(content.text("done").done()));
        sent.expect("a call in flight")
    })
}

fn open(server: &mut Small, app: &mut App, origin: Origin) {
    let _ = receive(server, app, origin, &initialize_with("2025-11-25", r#"{"roots":{}}"#));
    let _ = receive(server, app, origin, INITIALIZED);
}

const fn to_request(channel: u32) -> Sent {
    Sent::To(Address::Request(Channel(channel)))
}

const NOTHING: (Sent, String) = (Sent::Nothing, String::new());

fn tools_changed(id: Option<u32>) -> String {
    let params = id.map_or(String::new(), |id| {
        format!(r#","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}"#)
    });
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"{params}}}\n")
}

fn changing() -> App {
    App { offers: |offered| offered.insert(Capabilities::TOOLS_LIST_CHANGED), ..App::deferring() }
}

#[test]
fn a_channel_that_is_not_writable_holds_nobody_up() {
    let (mut server, mut app) = (Small::with_storage(Fixed::new()), changing());
    let [slow, fast] = [0, 1].map(|place| Origin::stream(Channel(place.into()), place));
    for origin in [slow, fast] {
        open(&mut server, &mut app, origin);
        let filter = r#""notifications":{"toolsListChanged":true}"#;
        let _ = receive(&mut server, &mut app, origin, &modern("1", "subscriptions/listen", filter));
    }
    server.list_changed(List::Tools);
    let is_fast = |address| {
        matches!(address, Address::Session(1) | Address::Stream(Channel(1)) | Address::Request(Channel(1)))
    };
    let mut poll = |writable: &dyn Fn(Address) -> bool, server: &mut Small| {
        written(|out| server.poll(writable, &mut app, out))
    };
    for _ in 0..2 {
        let session = Sent::To(Address::Session(1));
        let stream = Sent::To(Address::Stream(Channel(1)));
        assert_eq!(poll(&is_fast, &mut server), (session, tools_changed(None)));
        assert_eq!(poll(&is_fast, &mut server), (stream, tools_changed(Some(1))));
        assert_eq!(poll(&is_fast, &mut server), NOTHING);
        server.list_changed(List::Tools);
    }
    // What the slow one has missed twice is one notification.
    let mut to = Vec::new();
    loop {
        match poll(&|_| true, &mut server) {
            (Sent::To(address), _) => to.push(address),
            (sent, _) => {
                assert_eq!(sent, Sent::Nothing);
                break;
            }
        }
    }
    assert_eq!(
        to,
        [Address::Session(0), Address::Stream(Channel(0)), Address::Session(1), Address::Stream(Channel(1))]
    );
}

#[test]
fn a_channel_that_is_closed_takes_nothing_of_the_other_with_it() {
    let (mut server, mut app) = (Small::with_storage(Fixed::new()), changing());
    let origins = [0, 1].map(|place| Origin::exchange_in(Channel(place.into()), place));
    for origin in origins {
        open(&mut server, &mut app, origin);
        for line in [
            call("1"),
            modern("2", "tools/call", r#""name":"t""#),
            modern("3", "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#),
        ] {
            let _ = receive(&mut server, &mut app, origin, &line);
        }
        let is_open = server.is_open(origin.channel());
        assert!(is_open);
    }
    assert_eq!((server.in_flight(), app.log.tokens.len()), (4, 4));
    server.closed(Channel(0), &mut app);
    // The modern call is cancelled and the stream ended; the call of the session goes on, without its channel.
    assert_eq!(app.log.cancelled, app.log.tokens[1..2]);
    assert!(!server.is_open(Channel(0)));
    assert!(server.is_open(Channel(1)));
    server.list_changed(List::Tools);
    let mut to = Vec::new();
    while let (Sent::To(address), _) = written(|out| server.poll(|_| true, &mut app, out)) {
        to.push(address);
    }
    let other = Address::Stream(Channel(1));
    assert_eq!(to, [Address::Session(0), Address::Session(1), other]);
    let orphan = complete(&mut server, &mut app, 0);
    assert_eq!(orphan, (Sent::To(Address::Session(0)), text("1", "done", false)));
    assert_eq!(complete(&mut server, &mut app, 2), (to_request(1), text("1", "done", false)));
    assert_eq!(complete(&mut server, &mut app, 3).0, to_request(1));
}

#[test]
fn all_requests_of_a_stream_end_with_it() {
    let (mut server, mut app) = (Small::with_storage(Fixed::new()), changing());
    let origins = [0, 1].map(|place| Origin::stream(Channel(place.into()), place));
    for origin in origins {
        open(&mut server, &mut app, origin);
        let _ = receive(&mut server, &mut app, origin, &call("1"));
    }
    server.closed(Channel(0), &mut app);
    assert_eq!(app.log.cancelled, app.log.tokens[..1]);
    assert_eq!(server.in_flight(), 1);
    // The next peer may use the id.
    assert_eq!(receive(&mut server, &mut app, origins[0], &call("1")).1, "");
    assert_eq!(server.in_flight(), 2);
}

#[test]
fn the_end_of_a_session_is_not_the_end_of_the_other() {
    let app = App::of_tasks();
    let mut app = App {
        call: |log, call, reply| {
            if call.may_be_task() {
                let (token, outcome) = reply.start_task()?;
                log.tasks.push(token);
                return Ok(outcome);
            }
            let (token, outcome) = reply.defer()?;
            log.tokens.push(token);
            Ok(outcome)
        },
        ..app
    };
    let mut server = Small::with_storage(Fixed::new());
    let origins = [0, 1].map(|place| Origin::stream(Channel(place.into()), place));
    for origin in origins {
        open(&mut server, &mut app, origin);
        for task in ["", r#","task":{}"#] {
            let line = request("1", "tools/call", &format!(r#"{{"name":"optional"{task}}}"#));
            // The second is another request.
            let line = if task.is_empty() { line } else { line.replace(r#""id":1"#, r#""id":2"#) };
            let _ = receive(&mut server, &mut app, origin, &line);
        }
    }
    app.log.events.clear();
    server.end_session(0, &mut app);
    assert_eq!(app.log.events, ["task forgotten", "cancelled"]);
    assert_eq!(app.log.cancelled, app.log.tokens[..1]);
    assert!(!server.is_task_running(app.log.tasks[0]));
    assert!(server.is_task_running(app.log.tasks[1]));
    assert_eq!(server.session(0), None);
    assert!(server.session(1).is_some());
    assert_eq!(complete(&mut server, &mut app, 1), (to_request(1), text("1", "done", false)));
    // Its place is free for another.
    open(&mut server, &mut app, origins[0]);
    assert!(server.session(0).is_some());
}

#[test]
fn exchanges_of_one_session_share_its_ids_and_those_of_another_do_not() {
    let (mut server, mut app) = (Small::with_storage(Fixed::new()), App::deferring());
    for place in [0, 1] {
        open(&mut server, &mut app, Origin::exchange_in(Channel(place.into()), place));
    }
    let exchange = |channel, session| Origin::exchange_in(Channel(channel), session);
    assert_eq!(receive(&mut server, &mut app, exchange(10, 0), &call("1")), NOTHING);
    assert_eq!(
        receive(&mut server, &mut app, exchange(11, 0), &call("1")),
        (to_request(11), error("1", -32600, "Request id in use"))
    );
    assert_eq!(receive(&mut server, &mut app, exchange(12, 1), &call("1")), NOTHING);
    // A modern request belongs to its exchange alone.
    let modern = modern("1", "tools/call", r#""name":"t""#);
    for channel in [13, 14] {
        let origin = Origin::exchange(Channel(channel));
        assert_eq!(receive(&mut server, &mut app, origin, &modern), NOTHING);
    }
    // Cancelled through another exchange of the session.
    assert_eq!(receive(&mut server, &mut app, exchange(15, 0), &cancel("1")), NOTHING);
    assert_eq!(app.log.cancelled, app.log.tokens[..1]);
    // An exchange that has lost its client cancels what is modern.
    server.closed(Channel(13), &mut app);
    server.closed(Channel(12), &mut app);
    assert_eq!(app.log.cancelled.len(), 2);
    assert_eq!(app.log.cancelled[1], app.log.tokens[2]);
    assert_eq!(complete(&mut server, &mut app, 1), (Sent::To(Address::Session(1)), text("1", "done", false)));
    assert_eq!(complete(&mut server, &mut app, 3).0, to_request(14));
    assert_eq!(server.in_flight(), 0);
}

/// An application that asks for the roots first.
fn asking() -> App {
    App {
        resume: |_, _, reply| Ok(reply.text("resumed")),
        ..App::of_tool(|_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).done()))
    }
}

#[test]
fn an_answer_through_another_exchange_goes_to_the_request_that_asked() {
    let exchange = |channel, session| Origin::exchange_in(Channel(channel), session);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#;
    let resumed = text("7", "resumed", false);
    // Whether the exchange of the request is closed meanwhile, and who gets the rest.
    for (is_closed, to) in [(false, to_request(10)), (true, Sent::To(Address::Session(0)))] {
        let (mut server, mut app) = (Small::with_storage(Fixed::new()), asking());
        open(&mut server, &mut app, exchange(0, 0));
        open(&mut server, &mut app, exchange(1, 1));
        assert_eq!(
            receive(&mut server, &mut app, exchange(10, 0), &call("7")),
            (to_request(10), question(1, "roots/list", ""))
        );
        if is_closed {
            server.closed(Channel(10), &mut app);
        }
        // The other session was not asked.
        assert_eq!(receive(&mut server, &mut app, exchange(11, 1), answer), NOTHING);
        assert_eq!(receive(&mut server, &mut app, exchange(12, 0), answer), (to, resumed.clone()));
    }
    // The end of its time is told where the answer goes.
    let (mut server, mut app) = (Small::with_storage(Fixed::new()), asking());
    open(&mut server, &mut app, exchange(0, 0));
    let _ = receive(&mut server, &mut app, exchange(10, 0), &call("7"));
    server.end_questions();
    for line in [given_up(1), resumed] {
        let found = written(|out| server.poll(|_| true, &mut app, out));
        assert_eq!(found, (to_request(10), line));
    }
}

/// An application that defers the call that it continues.
fn deferring_again() -> App {
    App {
        resume: |log, resumed, reply| {
            log.notes.push(answer_text(resumed.answer("k")));
            let (token, outcome) = reply.defer()?;
            log.tokens.push(token);
            Ok(outcome)
        },
        ..App::of_tool(|_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).done()))
    }
}

/// While the channel was not writable, the time of the input request is over.
#[test]
fn an_answer_that_comes_before_the_end_of_its_time_is_sent_is_an_answer() {
    let (mut server, mut app) = (Small::with_storage(Fixed::new()), deferring_again());
    let origin = Origin::stream(Channel(0), 0);
    open(&mut server, &mut app, origin);
    let _ = receive(&mut server, &mut app, origin, &call("7"));
    server.end_questions();
    assert_eq!(written(|out| server.poll(|_| false, &mut app, out)), NOTHING);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#;
    assert_eq!(receive(&mut server, &mut app, origin, answer), NOTHING);
    // Nothing is withdrawn, and the call goes on.
    assert_eq!(written(|out| server.poll(|_| true, &mut app, out)), NOTHING);
    assert_eq!(complete(&mut server, &mut app, 0), (to_request(0), text("7", "done", false)));
    assert_eq!(app.log.notes, [r#"{"roots":[]}"#]);
    assert!(app.log.answered.is_empty());
}

#[test]
fn no_answer_is_taken_once_the_end_of_its_time_is_sent() {
    for late in ["0", "1"] {
        let (mut server, mut app) = (Small::with_storage(Fixed::new()), deferring_again());
        let origin = Origin::stream(Channel(0), 0);
        open(&mut server, &mut app, origin);
        let _ = receive(&mut server, &mut app, origin, &call("7"));
        server.end_questions();
        assert_eq!(written(|out| server.poll(|_| true, &mut app, out)), (to_request(0), given_up(1)));
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{late},"result":{{"roots":[]}}}}"#);
        assert_eq!(receive(&mut server, &mut app, origin, &answer), NOTHING);
        assert_eq!(app.log.events.last().map(String::as_str), Some("response"), "{late}");
        assert_eq!(written(|out| server.poll(|_| true, &mut app, out)), NOTHING);
        assert_eq!(app.log.notes, ["timed out"], "{late}");
        assert_eq!(server.in_flight(), 1);
    }
}

#[test]
fn a_call_that_is_cancelled_between_the_end_of_its_time_and_its_answer_has_none() {
    let (mut server, mut app) = (Small::with_storage(Fixed::new()), deferring_again());
    let origin = Origin::stream(Channel(0), 0);
    open(&mut server, &mut app, origin);
    let _ = receive(&mut server, &mut app, origin, &call("7"));
    server.end_questions();
    let withdrawn = written(|out| server.poll(|_| true, &mut app, out));
    assert_eq!(withdrawn, (to_request(0), given_up(1)));
    assert_eq!(receive(&mut server, &mut app, origin, &cancel("7")), NOTHING);
    assert_eq!(written(|out| server.poll(|_| true, &mut app, out)), NOTHING);
    assert!(app.log.notes.is_empty() && app.log.answered.is_empty());
    assert!(!server.is_open(Channel(0)));
}

/// Over HTTP the elements of a batch may concern requests of other exchanges.
#[test]
fn each_element_of_a_batch_has_its_own_receiver() {
    let exchange = |channel| Origin::exchange_in(Channel(channel), 0);
    let (mut server, mut app) = (Small::with_storage(Fixed::new()), asking());
    let initialize = initialize_with("2025-03-26", r#"{"roots":{}}"#);
    for line in [initialize.as_str(), INITIALIZED] {
        let _ = receive(&mut server, &mut app, exchange(0), line);
    }
    // The ping of the server has the id 1.
    assert!(server.ping(0, &mut Sink::new(&mut [0; 64])).is_ok());
    let asked = receive(&mut server, &mut app, exchange(10), &call("7"));
    assert_eq!(asked, (to_request(10), question(2, "roots/list", "")));
    let batch =
        [reply("1", ""), request("8", "ping", ""), reply("2", r#""roots":[]"#), request("9", "ping", "")];
    let batch = format!("[{}]", batch.join(","));
    let mut frame = Frame::new(batch.as_bytes());
    for expected in [
        (to_request(11), result("8", "")),
        (to_request(10), text("7", "resumed", false)),
        (to_request(11), result("9", "")),
    ] {
        let found = written(|out| server.receive(exchange(11), &mut frame, &mut app, out));
        assert_eq!(found, expected);
    }
    assert!(frame.is_done());
}

#[test]
fn a_call_that_continues_names_the_origin_of_its_request() {
    let app = || App {
        resume: |log, resumed, reply| {
            log.notes.push(format!("{:?}", resumed.context().origin()));
            Ok(reply.text("resumed"))
        },
        ..asking()
    };
    let stream = Origin::stream(Channel(7), 1);
    let exchange = |channel| Origin::exchange_in(Channel(channel), 1);
    // Origins of the request and of the answer, whether the channel of the request is closed meanwhile, and the origin in the context.
    for (asked, answered, is_closed, expected) in [
        (stream, stream, false, stream),
        (exchange(7), exchange(8), false, exchange(7)),
        (exchange(7), exchange(8), true, Origin::exchange_in(Channel::CLOSED, 1)),
    ] {
        let (mut server, mut app) = (Small::with_storage(Fixed::new()), app());
        open(&mut server, &mut app, asked);
        let _ = receive(&mut server, &mut app, asked, &call("1"));
        if is_closed {
            server.closed(asked.channel(), &mut app);
        }
        let _ = receive(&mut server, &mut app, answered, &reply("1", r#""roots":[]"#));
        assert_eq!(app.log.notes, [format!("{expected:?}")]);
    }
}

/// The exchanges of these questions are closed, and their session has no standing stream: what is due for it is discarded.
#[test]
fn a_question_that_nobody_can_hear_of_does_not_keep_its_place() {
    let exchange = |channel| Origin::exchange_in(Channel(channel), 0);
    for is_cancelled in [false, true] {
        let options = Options::DEFAULT.with_question_timeout(Duration::from_secs(1));
        let mut server = Small::with_storage(Fixed::new()).with_options(options);
        let mut app = asking();
        server.set_time(Duration::ZERO, Duration::ZERO);
        open(&mut server, &mut app, exchange(1));
        // As many as there are places.
        for channel in 10..18 {
            let id = channel.to_string();
            let asked = receive(&mut server, &mut app, exchange(channel), &call(&id));
            assert_eq!(asked, (to_request(channel), question(channel - 9, "roots/list", "")));
            if is_cancelled {
                let cancelled = receive(&mut server, &mut app, exchange(2), &cancel(&id));
                assert_eq!(cancelled, NOTHING);
            }
            server.closed(Channel(channel), &mut app);
        }
        // The withdrawal of a question has gone with its exchange; any other waits for the end of its time.
        if !is_cancelled {
            server.set_time(Duration::from_secs(1), Duration::ZERO);
            let mut discarded = 0;
            while let Sent::To(to) = written(|out| server.poll(|_| true, &mut app, out)).0 {
                assert_eq!(to, Address::Session(0));
                discarded += 1;
            }
            // Each question is withdrawn, and its call is answered.
            assert_eq!(discarded, 16);
        }
        assert_eq!(
            receive(&mut server, &mut app, exchange(20), &call("20")),
            (to_request(20), question(9, "roots/list", ""))
        );
    }
}
