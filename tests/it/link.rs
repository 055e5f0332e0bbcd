//! The link gives the same bytes for every way in which the stream is cut, also when its loop is left at any point.

use barewire::demo::{Demo, NoHost};
use barewire::engine::{Address, Fixed, Full, List, Sent, Server};
use barewire::mcp::Capabilities;
use barewire::transport::Link;

use crate::engine_kit::{App, initialize, json, modern, request};

const SESSION: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}\n\
    \n\
    {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\r\n\
    {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n\
    garbage\n\
    {\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}},\"id\":\"long\"}\n\
    {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}";

fn link() -> Link<Demo<NoHost>, [u8; 128], [u8; 512]> {
    Link::new(Demo::new(NoHost), [0; 128], [0; 512])
}

/// Runs the session with reads of at most `read` bytes and writes of at most `write`.
fn run(read: usize, write: usize) -> Vec<u8> {
    let mut link = link();
    let mut input = SESSION;
    let mut sent = Vec::new();
    let mut ended = false;
    loop {
        let output = link.output();
        if !output.is_empty() {
            let count = output.len().min(write);
            sent.extend_from_slice(&output[..count]);
            link.sent(count);
        } else if ended {
            return sent;
        } else if input.is_empty() {
            ended = true;
            link.end_of_input();
        } else {
            let space = link.space();
            let count = space.len().min(read).min(input.len());
            space[..count].copy_from_slice(&input[..count]);
            input = &input[count..];
            link.received(count);
        }
    }
}

#[test]
fn any_cut_of_input_and_output_gives_the_same_bytes() {
    let whole = run(usize::MAX, usize::MAX);
    let lines: Vec<_> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), 5, "{}", String::from_utf8_lossy(&whole));
    assert!(lines[1].windows(12).any(|part| part == b"\"nextCursor\""));
    assert!(lines[2].ends_with(b"\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}\n"));
    assert!(
        lines[3]
            .ends_with(b"\"id\":\"long\",\"error\":{\"code\":-32700,\"message\":\"Message too long\"}}\n")
    );
    assert_eq!(lines[4], b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n");
    for read in [1, 2, 3, 7, 64, 1000] {
        for write in [1, 5, 100, 1000] {
            assert_eq!(run(read, write), whole, "reads of {read}, writes of {write}");
        }
    }
}

#[test]
fn a_reset_forgets_what_was_received_and_what_was_not_sent() {
    let mut link = link();
    let half = br#"{"jsonrpc":"2.0","id":1,"#;
    link.space()[..half.len()].copy_from_slice(half);
    link.received(half.len());
    assert!(link.output().is_empty());
    link.reset();
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n";
    link.space()[..line.len()].copy_from_slice(line);
    link.received(line.len());
    assert!(link.output().starts_with(br#"{"jsonrpc":"2.0","id":2,"result""#));
    link.reset();
    assert!(link.output().is_empty());
}

#[test]
fn the_end_of_the_input_loses_nothing_that_was_received() {
    let mut link = link();
    let lines = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}";
    for ask_before_the_end in [false, true] {
        link.space()[..lines.len()].copy_from_slice(lines);
        link.received(lines.len());
        if ask_before_the_end {
            assert!(!link.output().is_empty());
        }
        link.end_of_input();
        for id in ["1", "2"] {
            let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
            assert_eq!(link.output(), expected.as_bytes());
            link.sent(expected.len());
        }
        assert!(link.output().is_empty());
    }
}

#[test]
fn the_application_writes_only_between_lines() {
    let mut link = link();
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\"}}\n";
    link.space()[..line.len()].copy_from_slice(line);
    link.received(line.len());
    let length = link.output().len();
    let say = |link: &mut Link<Demo<NoHost>, [u8; 128], [u8; 512]>| {
        link.write(|server, app, out| {
            let sent = server.log(0, barewire::mcp::LoggingLevel::Error, None, "hot", app, out);
            assert_eq!(sent, Sent::To(Address::Session(0)));
            out.len()
        })
    };
    assert_eq!(say(&mut link), None);
    link.sent(length);
    let length = say(&mut link);
    assert_eq!(length, Some(link.output().len()));
    assert!(link.output().ends_with(b"\"data\":\"hot\"}}\n"));
}

/// A link with room for one answer, and not for the notifications of a change to all receivers.
type Wide = Link<App, [u8; 1024], [u8; 512], Fixed<Full, 4, 4>>;

/// Receives a line.
fn receive(link: &mut Wide, line: &str) {
    let line = format!("{line}\n");
    link.space()[..line.len()].copy_from_slice(line.as_bytes());
    link.received(line.len());
}

/// Sends all output of the link.
fn send(link: &mut Wide) -> String {
    let mut sent = String::new();
    loop {
        let output = link.output();
        if output.is_empty() {
            return sent;
        }
        sent += std::str::from_utf8(output).expect("UTF-8");
        let count = output.len();
        link.sent(count);
    }
}

#[test]
fn a_cancelled_task_between_two_notifications_of_a_change_repeats_none() {
    let app = App {
        offers: |offered| offered.insert(Capabilities::TOOLS_LIST_CHANGED | Capabilities::TASKS),
        ..App::of_tasks()
    };
    let server = Server::with_storage(Fixed::new());
    let mut link: Wide = Link::with_server(server, app, [0; 1024], [0; 512]);
    receive(&mut link, &initialize("2025-11-25"));
    receive(&mut link, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    send(&mut link);
    receive(&mut link, &request("1", "tools/call", r#"{"name":"optional","task":{}}"#));
    let started = json(&send(&mut link));
    let task = started["result"]["task"]["taskId"].to_string();
    for id in ["11", "12", "13", "14"] {
        let filter = r#""notifications":{"toolsListChanged":true}"#;
        receive(&mut link, &modern(id, "subscriptions/listen", filter));
        send(&mut link);
    }

    // Received, and not served yet, when the list changes, and when only a part of the notifications is sent.
    let cancel = request("2", "tasks/cancel", &format!(r#"{{"taskId":{task}}}"#));
    link.server_mut().list_changed(List::Tools);
    receive(&mut link, &cancel);
    let first = link.output().len();
    let mut sent = String::from_utf8(link.output().to_vec()).expect("UTF-8");
    link.sent(first);
    sent += &send(&mut link);
    let heard = |id: &str| {
        let lines = sent.lines().filter(|line| line.contains("tools/list_changed"));
        lines.filter(|line| line.contains(id)).count()
    };
    // The session, and each stream.
    assert_eq!(heard(""), 5, "{sent}");
    assert_eq!(["11", "12", "13", "14"].map(heard), [1, 1, 1, 1], "{sent}");
    assert_eq!(sent.lines().filter(|line| line.contains(r#""id":2,"#)).count(), 1, "{sent}");
}

#[cfg(feature = "embedded-io-v0_7")]
mod blocking {
    use super::{SESSION, link, run};
    use core::convert::Infallible;
    use embedded_io_v0_7::{ErrorType, Read, Write};

    struct Wire<'a> {
        input: &'a [u8],
        output: Vec<u8>,
        /// What was written since the last flush: nothing may be left before a read.
        unflushed: usize,
    }

    impl ErrorType for Wire<'_> {
        type Error = Infallible;
    }

    impl Read for Wire<'_> {
        fn read(&mut self, memory: &mut [u8]) -> Result<usize, Infallible> {
            assert_eq!(self.unflushed, 0, "output is flushed before each read");
            let count = memory.len().min(self.input.len()).min(9);
            memory[..count].copy_from_slice(&self.input[..count]);
            self.input = &self.input[count..];
            Ok(count)
        }
    }

    impl Write for Wire<'_> {
        fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
            let count = bytes.len().min(11);
            self.output.extend_from_slice(&bytes[..count]);
            self.unflushed += count;
            Ok(count)
        }

        fn flush(&mut self) -> Result<(), Infallible> {
            self.unflushed = 0;
            Ok(())
        }
    }

    /// Reads that fail: the link goes on where it was.
    struct Faulty<'a> {
        wire: Wire<'a>,
        reads: u32,
    }

    #[derive(Debug)]
    struct Overrun;

    impl core::fmt::Display for Overrun {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            f.write_str("overrun")
        }
    }

    impl core::error::Error for Overrun {}

    impl embedded_io_v0_7::Error for Overrun {
        fn kind(&self) -> embedded_io_v0_7::ErrorKind {
            embedded_io_v0_7::ErrorKind::Other
        }
    }

    impl ErrorType for Faulty<'_> {
        type Error = Overrun;
    }

    impl Read for Faulty<'_> {
        fn read(&mut self, memory: &mut [u8]) -> Result<usize, Overrun> {
            self.reads += 1;
            match self.reads.is_multiple_of(3) {
                true => Err(Overrun),
                false => self.wire.read(memory).map_err(|never| match never {}),
            }
        }
    }

    impl Write for Faulty<'_> {
        fn write(&mut self, bytes: &[u8]) -> Result<usize, Overrun> {
            self.wire.write(bytes).map_err(|never| match never {})
        }

        fn flush(&mut self) -> Result<(), Overrun> {
            self.wire.flush().map_err(|never| match never {})
        }
    }

    fn faulty(input: &[u8]) -> Faulty<'_> {
        let wire = Wire { input, output: Vec::new(), unflushed: 0 };
        Faulty { wire, reads: 0 }
    }

    #[test]
    fn an_error_loses_nothing() {
        let (mut link, mut io) = (link(), faulty(SESSION));
        let mut errors = 0;
        while link.run(&mut io).is_err() {
            errors += 1;
        }
        assert!(errors > 10, "only {errors} errors");
        assert_eq!(io.wire.output, run(usize::MAX, usize::MAX));
    }

    #[test]
    fn an_error_that_lost_bytes_drops_one_line() {
        let line = |id: u8| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        let answer = |id: u8| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
        // The third read fails, in the first line.
        let input = [line(1), line(2), line(3)].concat();
        let (mut link, mut io) = (link(), faulty(input.as_bytes()));
        let mut errors = 0;
        while link.run(&mut io).is_err() {
            errors += 1;
            if errors == 1 {
                link.lost();
            }
        }
        assert_eq!(String::from_utf8_lossy(&io.wire.output), answer(2) + &answer(3));
    }

    #[test]
    fn the_blocking_loop_serves_until_the_input_ends() {
        let mut wire = Wire { input: SESSION, output: Vec::new(), unflushed: 0 };
        link().run(&mut wire).unwrap();
        assert_eq!(wire.output, run(usize::MAX, usize::MAX));
        assert_eq!(wire.unflushed, 0);
    }
}

#[cfg(feature = "embedded-io-async-v0_7")]
mod asynchronous {
    use super::{SESSION, link, run};
    use core::convert::Infallible;
    use core::future::{Future, poll_fn};
    use core::pin::pin;
    use core::task::{Context, Poll, Waker};
    use embedded_io_async_v0_7::{ErrorType, Read, Write};

    /// Calls are pending at random, so that the future is dropped at each of its awaits.
    struct Wire<'a> {
        input: &'a [u8],
        output: Vec<u8>,
        random: u32,
    }

    impl Wire<'_> {
        async fn wait(&mut self) {
            poll_fn(|_| {
                self.random = self.random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if self.random >> 31 == 0 { Poll::Pending } else { Poll::Ready(()) }
            })
            .await;
        }
    }

    impl ErrorType for Wire<'_> {
        type Error = Infallible;
    }

    impl Read for Wire<'_> {
        async fn read(&mut self, memory: &mut [u8]) -> Result<usize, Infallible> {
            self.wait().await;
            let count = memory.len().min(self.input.len()).min(5);
            memory[..count].copy_from_slice(&self.input[..count]);
            self.input = &self.input[count..];
            Ok(count)
        }
    }

    impl Write for Wire<'_> {
        async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
            self.wait().await;
            let count = bytes.len().min(7);
            self.output.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        async fn flush(&mut self) -> Result<(), Infallible> {
            self.wait().await;
            Ok(())
        }
    }

    #[test]
    fn a_future_that_is_dropped_at_every_await_loses_nothing() {
        let mut wire = Wire { input: SESSION, output: Vec::new(), random: 1 };
        let mut link = link();
        let mut context = Context::from_waker(Waker::noop());
        let mut dropped = 0;
        loop {
            let future = pin!(link.run_async(&mut wire));
            if future.poll(&mut context).is_ready() {
                break;
            }
            dropped += 1;
            assert!(dropped < 100_000, "the loop makes no progress");
        }
        assert_eq!(wire.output, run(usize::MAX, usize::MAX));
        assert!(dropped > 100, "only {dropped} times");
    }
}
