//! While a tool awaits, everything else is served: in order, for every cut of the stream, and each request is answered once.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use barewire::engine::List;
use barewire::transport::{AsyncLink, Change, Outside};

use crate::async_kit::Do::{Bytes, Open, Yield};
use crate::async_kit::{Device, Do, Io, block_on, failed, line, ping, pong, progress, said, slow, tool};
use crate::engine_kit::{cancel, initialize, modern, request};

struct Served {
    lines: Vec<String>,
    calls: u32,
    dropped: u32,
}

/// Serves the script with an input of this size.
fn serve_in<const INPUT: usize>(script: &[Do], is_slow: bool) -> Served {
    let (gate, dropped) = (Cell::new(false), Cell::new(0));
    let mut io = Io::new(script, &gate, is_slow);
    let device = Device { gate: &gate, dropped: &dropped, calls: 0 };
    let mut link = AsyncLink::new(device, [0; INPUT], [0; 512]);
    block_on(link.run_async(&mut io), 100_000).expect("it ends").expect("no error");
    assert_eq!(link.server_mut().in_flight(), 0);
    Served { lines: io.lines(), calls: link.app().calls, dropped: dropped.get() }
}

fn serve(script: &[Do], is_slow: bool) -> Served {
    serve_in::<512>(script, is_slow)
}

fn busy(id: &str) -> String {
    failed(id, -32603, "Server busy")
}

#[test]
fn pings_are_answered_while_a_tool_waits() {
    for is_slow in [false, true] {
        let script = [
            line(slow("1")),
            Yield,
            line(ping("2")),
            Yield,
            line(ping("3") + "\n" + &ping("4")),
            Yield,
            Open,
            Yield,
            line(ping("5")),
        ];
        let served = serve(&script, is_slow);
        assert_eq!(
            served.lines,
            [progress("1"), pong("2"), pong("3"), pong("4"), said("1", "hello"), pong("5")]
        );
        assert_eq!((served.calls, served.dropped), (1, 0));
    }
}

#[test]
fn any_cut_of_the_input_gives_the_same_lines() {
    let all = [slow("1"), ping("2"), String::new(), ping("3")].join("\n") + "\n";
    for size in 1..all.len() {
        let pieces = all.as_bytes().chunks(size);
        let mut script: Vec<Do> =
            pieces.flat_map(|piece| [Bytes(String::from_utf8(piece.to_vec()).unwrap()), Yield]).collect();
        script.extend([Yield, Open, Yield, line(ping("4"))]);
        let served = serve(&script, size % 2 == 0);
        assert_eq!(
            served.lines,
            [progress("1"), pong("2"), pong("3"), said("1", "hello"), pong("4")],
            "{size}"
        );
    }
}

#[test]
fn a_cancellation_drops_the_tool_and_nothing_is_answered() {
    for is_slow in [false, true] {
        let script = [line(slow("1")), Yield, line(cancel("1")), Yield, line(ping("3")), Open];
        let served = serve(&script, is_slow);
        assert_eq!(served.lines, [progress("1"), pong("3")]);
        assert_eq!((served.calls, served.dropped), (1, 1));
    }
}

#[test]
fn a_second_call_waits_and_pings_overtake_it() {
    let script = [
        line(slow("1")),
        Yield,
        line(slow("2") + "\n" + &ping("3")),
        Yield,
        line(ping("4")),
        Open,
        Yield,
        Yield,
        line(ping("5")),
    ];
    let served = serve(&script, false);
    let expected = [
        progress("1"),
        pong("3"),
        pong("4"),
        said("1", "hello"),
        progress("2"),
        said("2", "hello"),
        pong("5"),
    ];
    assert_eq!(served.lines, expected);
}

#[test]
fn requests_that_need_the_application_wait_in_their_order() {
    let script = [
        line(slow("1")),
        Yield,
        line(request("2", "resources/read", r#"{"uri":"r:1"}"#) + "\n" + &tool("3", "sync")),
        line(tool("4", "quick") + "\n" + &ping("5")),
        line(request("6", "tools/list", "{}")),
        Yield,
        Open,
        Yield,
        Yield,
    ];
    let served = serve_in::<1024>(&script, false);
    let lines: Vec<&str> = served.lines.iter().map(String::as_str).collect();
    assert_eq!(lines[..2], [progress("1"), pong("5")]);
    assert!(lines[2].starts_with(r#"{"jsonrpc":"2.0","id":6,"result":{"tools":[{"name":"slow""#));
    assert_eq!(lines[3], said("1", "hello"));
    assert_eq!(
        lines[4],
        r#"{"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"r:1","text":"content"}]}}"#
    );
    assert_eq!(lines[5..], [said("3", "sync"), said("4", "quick")]);
    // A completion cannot wait.
    let complete = r#"{"ref":{"type":"ref/resource","uri":"r:1"},"argument":{"name":"a","value":"b"}}"#;
    let script = [line(slow("1")), Yield, line(request("2", "completion/complete", complete)), Yield, Open];
    assert_eq!(serve(&script, false).lines, [progress("1"), busy("2"), said("1", "hello")]);
}

#[test]
fn a_call_that_is_cancelled_while_it_waits_never_begins() {
    let script = [
        line(slow("1")),
        Yield,
        line(slow("2")),
        line(cancel("2")),
        // The same id again is another call.
        line(tool("2", "quick")),
        Yield,
        Open,
        Yield,
        line(ping("5")),
    ];
    let served = serve(&script, false);
    assert_eq!(served.lines, [progress("1"), said("1", "hello"), said("2", "quick"), pong("5")]);
    assert_eq!((served.calls, served.dropped), (2, 0));
}

#[test]
fn calls_without_a_slot_or_without_room_are_refused() {
    // Four slots: one for the tool.
    let mut script = vec![line(tool("1", "slow")), Yield];
    script.extend(["2", "3", "4", "5"].map(|id| line(tool(id, "quick"))));
    script.extend([Yield, Open, Yield]);
    let served = serve_in::<1024>(&script, false);
    let answered = ["2", "3", "4"].map(|id| said(id, "quick"));
    assert_eq!(served.lines[..3], [progress("1"), busy("5"), said("1", "none")]);
    assert_eq!(served.lines[3..], answered);
    // The last that came makes room, so that pings and cancellations get through.
    let script = [
        line(slow("1")),
        Yield,
        line(slow("2")),
        line(slow("3")),
        line(ping("5")),
        line(cancel("1")),
        Yield,
        Open,
        Yield,
        Yield,
    ];
    let served = serve_in::<400>(&script, false);
    let expected = [progress("1"), busy("3"), pong("5"), progress("2"), said("2", "hello")];
    assert_eq!(served.lines, expected);
    assert_eq!((served.calls, served.dropped), (2, 1));
}

#[test]
fn a_line_longer_than_the_rest_waits_for_the_tool() {
    let long = request("2", "ping", &format!(r#"{{"x":"{}"}}"#, "y".repeat(200)));
    let script = [line(slow("1")), Yield, line(&long), line(ping("3"))];
    let too_long = failed("2", -32700, "Message too long");
    for (lines, second) in
        [(serve_outside::<300>(&script, false), pong("2")), (serve_outside::<200>(&script, false), too_long)]
    {
        assert_eq!(lines, [progress("1"), said("1", "hello"), second, pong("3")]);
    }
}

#[test]
fn the_end_of_the_input_waits_for_the_tool_and_its_queue() {
    let script = [line(slow("1")), line(tool("2", "sync")), Bytes(tool("3", "quick")), Open];
    let served = serve(&script, false);
    assert_eq!(served.lines, [progress("1"), said("1", "hello"), said("2", "sync"), said("3", "quick")]);
    let served = serve(&[Open, Yield, Bytes(slow("1"))], false);
    assert_eq!(served.lines, [progress("1"), said("1", "hello")]);
}

#[test]
fn errors_and_long_answers_are_answers() {
    let script = [line(tool("1", "refused")), Yield, line(tool("2", "long")), Yield, line(ping("3"))];
    let served = serve(&script, false);
    let too_large = said("2", "Result too large").replace("false", "true");
    assert_eq!(served.lines, [failed("1", -32602, "Invalid params"), too_large, pong("3")]);
    let unknown = request("1", "tools/call", r#"{"name":"slow","arguments":{"v":1}}"#);
    let served = serve(&[line(unknown)], false);
    assert!(served.lines[0].contains("Invalid arguments for slow: v: "));
    assert_eq!(served.calls, 0);
}

#[test]
fn log_messages_and_changes_are_written_in_order() {
    for is_slow in [false, true] {
        let subscribe = request("1", "resources/subscribe", r#"{"uri":"r:1"}"#);
        let script = [
            line(initialize("2025-11-25")),
            line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            line(subscribe),
            line(tool("2", "chatty")),
            line(ping("3")),
            Yield,
            Yield,
            Yield,
        ];
        let served = serve(&script, is_slow);
        let of = |method: &str| {
            let place = served.lines.iter().position(|line| line.contains(method));
            place.unwrap_or_else(|| panic!("{method}: {:#?}", served.lines))
        };
        let places =
            [of(r#""data":"one""#), of(r#""data":"two""#), of("resources/updated"), of(r#""text":"said""#)];
        assert!(places.is_sorted(), "{:#?}", served.lines);
        assert!(of(r#""id":3,"#) > 0);
        assert_eq!(served.lines.len(), 7, "{:#?}", served.lines);
    }
}

#[test]
fn elements_of_a_batch_wait_for_a_tool_of_the_batch() {
    let batch = |elements: &[String]| line(format!("[{}]", elements.join(",")));
    let script = [
        line(initialize("2025-03-26")),
        batch(&[slow("1"), ping("2"), slow("3"), ping("4"), tool("5", "sync")]),
        Yield,
        // Elements of a batch do not wait.
        batch(&[ping("6"), tool("7", "quick"), ping("8")]),
        Yield,
        Open,
        Yield,
        line(ping("9")),
    ];
    for is_slow in [false, true] {
        let served = serve_in::<1024>(&script, is_slow);
        let expected = [
            progress("1"),
            pong("6"),
            busy("7"),
            pong("8"),
            said("1", "hello"),
            pong("2"),
            progress("3"),
            said("3", "hello"),
            pong("4"),
            said("5", "sync"),
            pong("9"),
        ];
        assert_eq!(served.lines[1..], expected, "{:#?}", served.lines);
    }
}

#[test]
fn modern_calls_run_and_are_cancelled_too() {
    let call = |id: &str| modern(id, "tools/call", r#""name":"slow""#);
    let served = serve(&[line(call("1")), Yield, line(cancel("1")), Yield, line(call("2")), Open], false);
    assert_eq!(served.lines.len(), 1);
    assert!(served.lines[0].starts_with(r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete""#));
    assert_eq!((served.calls, served.dropped), (2, 1));
}

#[test]
fn a_dropped_run_loses_nothing_and_answers_nothing_twice() {
    let script = [
        line(ping("0")),
        Yield,
        line(slow("1")),
        Yield,
        line(ping("2")),
        line(tool("3", "quick")),
        Yield,
        line(ping("4")),
        Open,
        Yield,
        line(ping("5")),
        line(slow("6")),
        Yield,
    ];
    let batch = [
        line(initialize("2025-03-26")),
        line(format!("[{},{},{},{}]", ping("0"), slow("1"), ping("2"), tool("3", "quick"))),
        Yield,
        line(format!("[{},{}]", ping("4"), ping("5"))),
        Open,
        Yield,
        line(slow("6")),
    ];
    for script in [&script[..], &batch] {
        for is_slow in [false, true] {
            for polls in 1..if is_slow { 400 } else { 25 } {
                let (gate, dropped) = (Cell::new(false), Cell::new(0));
                let mut io = Io::new(script, &gate, is_slow);
                let device = Device { gate: &gate, dropped: &dropped, calls: 0 };
                let mut link = AsyncLink::new(device, [0; 1024], [0; 512]);
                if block_on(link.run_async(&mut io), polls).is_none() {
                    let _ = block_on(link.run_async(&mut io), 100_000).expect("it ends");
                }
                let lines = io.lines();
                for id in 0..=6 {
                    let count = lines.iter().filter(|line| line.contains(&format!("\"id\":{id},"))).count();
                    assert_eq!(count, 1, "{id} after {polls}: {lines:#?}");
                }
                assert_eq!(link.server_mut().in_flight(), 0);
            }
        }
    }
}

#[test]
fn an_abandoned_call_gets_an_error_and_a_cancelled_one_nothing() {
    let (gate, dropped) = (Cell::new(false), Cell::new(0));
    let mut io = Io::new(&[line(slow("1")), Yield, line(ping("2"))], &gate, false);
    io.script.extend(vec![Yield; 50]);
    let device = Device { gate: &gate, dropped: &dropped, calls: 0 };
    let mut link = AsyncLink::new(device, [0; 512], [0; 512]);
    assert!(block_on(link.run_async(&mut io), 5).is_none());
    assert_eq!(dropped.get(), 1);
    io.script.clear();
    let _ = block_on(link.run_async(&mut io), 5);
    assert_eq!(io.lines(), [progress("1"), pong("2"), failed("1", -32603, "Internal error")]);
    // A new session does not concern the old one.
    let mut io = Io::new(&[line(slow("1"))], &gate, false);
    io.script.extend(vec![Yield; 50]);
    assert!(block_on(link.run_async(&mut io), 5).is_none());
    link.reset();
    io.script = [line(ping("1"))].into();
    let _ = block_on(link.run_async(&mut io), 5);
    assert_eq!(io.lines(), [progress("1"), pong("1")]);
}

struct World<'a> {
    now: Cell<u64>,
    is_noisy: bool,
    gate: &'a Cell<bool>,
}

impl Outside for World<'_> {
    fn now(&self) -> Option<Duration> {
        Some(Duration::from_millis(self.now.get()))
    }

    /// Each poll takes a millisecond; then something changes.
    async fn wait(&self, _: Option<Duration>) -> Change<'_> {
        poll_fn(|_| {
            self.now.set(self.now.get() + 1);
            match self.now.get() {
                3 => Poll::Ready(Change::List(List::Tools)),
                5 => Poll::Ready(Change::Resource("r:1")),
                9 if self.is_noisy => Poll::Ready(Change::Lost),
                20 => {
                    self.gate.set(true);
                    Poll::Ready(Change::Nothing)
                }
                _ => Poll::Pending,
            }
        })
        .await
    }
}

/// Serves the script, with changes from outside.
fn serve_outside<const INPUT: usize>(script: &[Do], is_noisy: bool) -> Vec<String> {
    let (gate, dropped) = (Cell::new(false), Cell::new(0));
    let mut io = Io::new(script, &gate, false);
    let device = Device { gate: &gate, dropped: &dropped, calls: 0 };
    let mut link = AsyncLink::new(device, [0; INPUT], [0; 512]);
    let world = World { now: Cell::new(0), is_noisy, gate: &gate };
    block_on(link.run_async_with(&mut io, &world), 1000).expect("it ends").expect("no error");
    io.lines()
}

#[test]
fn changes_from_outside_are_told_while_a_tool_waits() {
    let listen = modern(
        r#""s""#,
        "subscriptions/listen",
        r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["r:1"]}"#,
    );
    let mut script = vec![line(listen), line(slow("1"))];
    script.extend(vec![Yield; 5]);
    script.push(Bytes(r#"{"jsonrpc":"2.0","id":9,"met"#.into()));
    script.extend(vec![Yield; 5]);
    script.push(Bytes("ing\"}\n".to_string() + &ping("2") + "\n"));
    script.extend(vec![Yield; 20]);
    let lines = serve_outside::<512>(&script, true);
    let expected = ["acknowledged", "p1", "tools/list_changed", "resources/updated", "\"id\":2", "hello"];
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, part) in lines.iter().zip(expected) {
        assert!(line.contains(part), "{lines:#?}");
    }
}
