//! Deadlines depend on elapsed time, the time of day is only shown, and no thread wakes before a deadline.

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::io::{self, PipeWriter, Write};
use std::string::String;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::{INITIALIZE, Machine, Output, after_initialize};
use crate::demo::Demo;
use crate::transport::{Stdio, jobs};

const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const RESULT: &str =
    r#"{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"e220a8397b1dcdaf"}}"#;

fn simulate(ms: u32, ttl: u32) -> String {
    std::format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"simulate","arguments":{{"ms":{ms}}},"task":{{"ttl":{ttl}}}}}}}"#
    )
}

/// A server whose input stays open.
struct Open {
    input: PipeWriter,
    output: Output,
    serving: JoinHandle<io::Result<()>>,
}

impl Open {
    fn new(time_of_day: fn() -> Duration, lines: &[&str]) -> Self {
        let (jobs, queue) = jobs();
        let output = Output::default();
        let app = Demo::new(Machine(jobs));
        let (reader, input) = io::pipe().unwrap();
        let stdio = Stdio { time_of_day, ..Stdio::new().with_jobs(queue, 1) };
        let written = output.clone();
        let serving = thread::spawn(move || stdio.serve_on(app, reader, written));
        let mut open = Self { input, output, serving };
        open.send(&[INITIALIZE, READY]);
        open.send(lines);
        open
    }

    fn send(&mut self, lines: &[&str]) {
        for line in lines {
            writeln!(self.input, "{line}").unwrap();
        }
    }

    /// The output, once it has this number of lines.
    fn lines(&self, count: usize) -> String {
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            let written = after_initialize(&self.output);
            if written.lines().count() >= count {
                return written;
            }
            assert!(Instant::now() < end, "{written}");
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn close(self) {
        drop(self.input);
        self.serving.join().unwrap().unwrap();
    }
}

#[test]
fn a_clock_that_is_set_ends_no_task() {
    /// A time of day that is an hour later at each call.
    fn jumping() -> Duration {
        static HOURS: AtomicU64 = AtomicU64::new(0);
        Duration::from_secs(3600 * HOURS.fetch_add(1, Ordering::Relaxed))
    }
    let open = Open::new(jumping, &[&simulate(30, 60_000), RESULT]);
    let written = open.lines(3);
    assert!(written.contains(r#""id":2,"result":{"content":[{"type":"text","text":"done"}]"#), "{written}");
    assert!(written.contains(r#""status":"completed""#), "{written}");
    open.close();
}

#[test]
fn a_clock_that_is_set_back_ends_no_task_either_and_extends_none() {
    fn falling() -> Duration {
        static HOURS: AtomicU64 = AtomicU64::new(1_000_000);
        Duration::from_secs(3600 * HOURS.fetch_sub(1, Ordering::Relaxed))
    }
    let open = Open::new(falling, &[&simulate(30_000, 60), RESULT]);
    let written = open.lines(2);
    assert!(written.contains(r#""id":2,"error":{"code":-32602"#), "{written}");
    open.close();
}

#[test]
fn a_task_shows_the_time_of_day() {
    let open = Open::new(|| Duration::from_secs(1_000_000_000), &[&simulate(1, 60_000)]);
    let written = open.lines(1);
    assert!(written.contains(r#""createdAt":"2001-09-09T01:46:40.000Z""#), "{written}");
    open.close();
}

#[test]
fn a_deadline_passes_without_any_input() {
    let start = Instant::now();
    let open = Open::new(|| Duration::ZERO, &[&simulate(20_000, 50), RESULT]);
    let written = open.lines(2);
    assert!(written.contains(r#""id":2,"error":{"code":-32602"#), "{written}");
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(50), "{took:?}");
    // The work does not check whether it was cancelled.
    drop(open);
}

#[test]
fn nothing_wakes_while_nothing_is_due() {
    static LOOKS: AtomicU64 = AtomicU64::new(0);
    fn counted() -> Duration {
        LOOKS.fetch_add(1, Ordering::Relaxed);
        Duration::ZERO
    }
    let mut open = Open::new(counted, &[&simulate(1, 60_000), RESULT]);
    open.lines(3);
    open.send(&[r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#]);
    open.lines(4);
    let before = LOOKS.load(Ordering::Relaxed);
    thread::sleep(Duration::from_millis(1300));
    assert_eq!(LOOKS.load(Ordering::Relaxed), before);
    open.close();
}
