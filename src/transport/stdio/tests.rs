//! The loop with threads: the order of what is written, and what is left when work panics or is not wanted any more.

mod panics;
mod time;

use core::time::Duration;
use std::borrow::ToOwned;
use std::io::{self, Write};
use std::string::{String, ToString};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;
use std::vec::Vec;

use super::{Limits, Stdio};
use crate::demo::{Demo, Host};
use crate::engine::{
    CallError, CallToken, Event, Fixed, Full, Handler, Outcome, Server, TaskEnd, TaskToken, ToolCall,
    ToolReply,
};
use crate::mcp::{Implementation, Schema, Tool};
use crate::transport::{Jobs, jobs};

struct Machine(Jobs);

impl Host for Machine {
    fn start_slow(&mut self, token: CallToken, ms: u32) -> Result<(), CallError<'static>> {
        self.0.run(token, move |job| {
            job.sleep(Duration::from_millis(u64::from(ms)));
            |result| Ok(result.text("done").done())
        });
        Ok(())
    }

    fn start_task(&mut self, token: TaskToken, ms: u32) -> Result<(), CallError<'static>> {
        // It does not look whether it is still wanted.
        self.0.run_task(token, move |_| {
            thread::sleep(Duration::from_millis(u64::from(ms)));
            TaskEnd::Completed
        });
        Ok(())
    }

    fn resource_changed(&mut self, uri: &'static str) {
        self.0.resource_updated(uri);
    }
}

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;

/// What a session writes after the answer to `initialize`.
fn served(input: &str) -> String {
    served_after(INITIALIZE, input)
}

fn served_after(initialize: &str, input: &str) -> String {
    let (jobs, queue) = jobs();
    let output = Output::default();
    Stdio::new()
        .with_jobs(queue, 1)
        .serve_on(Demo::new(Machine(jobs)), [initialize, "\n", input].concat().as_bytes(), output.clone())
        .unwrap();
    after_initialize(&output)
}

fn after_initialize(output: &Output) -> String {
    let written = output.0.lock().unwrap().clone();
    let written = String::from_utf8(written).unwrap();
    let (_, rest) = written.split_once('\n').unwrap_or_default();
    rest.to_owned()
}

const COUNT: &str =
    r#"{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"count","arguments":{}}}"#;
const COUNTED: &str =
    r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"N"}],"isError":false}}"#;
const SUBSCRIBE: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"resources/subscribe","params":{"uri":"demo://counter"}}"#;
const SUBSCRIBED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
const UPDATED: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"demo://counter"}}"#;

#[test]
fn a_change_is_told_after_its_answer_and_before_the_next_frame() {
    let (count, counted) =
        (|id: &str| COUNT.replace("ID", id), |id: &str, n: &str| COUNTED.replace("ID", id).replace('N', n));
    // Often, since a thread might come in between.
    for _ in 0..200 {
        let input = [&count("1"), SUBSCRIBE, &count("2"), &count("3"), ""].join("\n");
        let output =
            [&counted("1", "1"), SUBSCRIBED, &counted("2", "2"), UPDATED, &counted("3", "3"), UPDATED, ""]
                .join("\n");
        assert_eq!(served(&input), output);
    }
}

/// Milliseconds within the minute of a member that is a time.
fn time_of(line: &str, name: &str) -> u32 {
    let (_, rest) = line.split_once(name).unwrap();
    let (_, time) = rest.split_once('T').unwrap();
    time["07:30:".len().."07:30:49.066".len()].replace('.', "").parse().unwrap()
}

#[test]
fn the_end_of_a_task_has_its_own_time() {
    const INPUT: &str = concat!(
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"simulate","arguments":{"ms":60},"task":{}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"e220a8397b1dcdaf"}}"#,
        "\n",
    );
    let output = served(INPUT);
    let [_, result, told] = output.lines().collect::<Vec<_>>()[..] else {
        panic!("{output}");
    };
    assert!(result.contains(r#""id":2"#) && told.contains("notifications/tasks/status"), "{output}");
    let [created, updated] = ["createdAt", "lastUpdatedAt"].map(|name| time_of(told, name));
    let took = (updated + 60_000 - created) % 60_000;
    assert!((60..30_000).contains(&took), "{took} ms: {told}");
}

#[test]
fn a_call_that_waits_for_a_task_beyond_its_time_ends_the_loop() {
    const INPUT: &str = concat!(
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"simulate","arguments":{"ms":20000},"task":{"ttl":1000}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"e220a8397b1dcdaf"}}"#,
        "\n",
    );
    let start = Instant::now();
    let output = served(INPUT);
    assert!(output.contains(r#""id":2,"error":{"code":-32602"#), "{output}");
    let took = start.elapsed();
    assert!(took < Limits::DEFAULT.drain - Duration::from_secs(2), "{took:?}");
}

/// A tool whose work, or whose reply, panics when it is told so.
struct Careless {
    jobs: Jobs,
    ran: Arc<Mutex<usize>>,
}

impl Handler for Careless {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("careless", "1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        const { &[Tool::new("work", "Works.").with_schema(Schema::new(r#"{"type":"object"}"#))] }
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let (token, outcome) = reply.defer()?;
        let (in_work, in_reply) = (call.boolean("work"), call.boolean("reply"));
        let ran = Arc::clone(&self.ran);
        self.jobs.run(token, move |job| {
            *ran.lock().unwrap() += 1;
            job.sleep(Duration::from_millis(20));
            assert!(in_work.is_none(), "told to");
            move |result| {
                let result = result.text("half");
                assert!(in_reply.is_none(), "told to");
                Ok(result.done())
            }
        });
        Ok(outcome)
    }
}

/// What is written to this input, how often work ran, and whether the handler is gone afterwards.
fn careless(input: &str) -> (String, usize, bool) {
    let (jobs, queue) = jobs();
    let ran = Arc::new(Mutex::new(0));
    let handler = Careless { jobs, ran: Arc::clone(&ran) };
    let output = Output::default();
    Stdio::with_server(Server::with_storage(Fixed::<Full, 40>::new()))
        .with_jobs(queue, 1)
        .serve_on(handler, input.as_bytes(), output.clone())
        .unwrap();
    let written = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    let count = *ran.lock().unwrap();
    // A thread may still be on its way out.
    let gone = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(10));
        Arc::strong_count(&ran) == 1
    });
    (written, count, gone)
}

fn work(id: usize, arguments: &str) -> String {
    std::format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"work","arguments":{arguments}}}}}"#
    ) + "\n"
}

#[test]
fn work_and_replies_that_panic_are_answered_and_the_threads_go_on() {
    let input = [work(1, r#"{"work":true}"#), work(2, r#"{"reply":true}"#), work(3, "{}")].concat();
    let (written, _, gone) = careless(&input);
    let internal = |id| {
        std::format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"Internal error"}}}}"#)
    };
    let half =
        r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"half"}],"isError":false}}"#;
    assert_eq!(written, [&internal(1), &internal(2), half, ""].join("\n"));
    assert!(gone, "the threads keep the server");
}

#[test]
fn cancelled_work_that_waits_for_a_thread_is_left_out() {
    let mut input = String::new();
    for id in 0..30 {
        input += &work(id, "{}");
        input += &std::format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        );
        input += "\n";
    }
    input += &work(99, "{}");
    let (written, ran, _) = careless(&input);
    assert_eq!(written.lines().count(), 1, "{written}");
    assert!(ran <= 3, "{ran} pieces of work ran");
}

/// The first call keeps the only thread busy; each other leaves work behind, which owns a count.
#[test]
fn cancelled_work_is_forgotten_while_every_thread_is_busy() {
    struct Busy {
        jobs: Jobs,
        count: Arc<()>,
        most: Arc<Mutex<usize>>,
    }

    impl Handler for Busy {
        fn info(&self) -> Implementation<'_> {
            Implementation::new("busy", "1")
        }

        fn tools(&self) -> &[Tool<'_>] {
            const { &[Tool::new("work", "Works.")] }
        }

        fn call_tool<'a>(
            &mut self,
            _: ToolCall<'a>,
            reply: ToolReply<'_, '_>,
        ) -> Result<Outcome, CallError<'a>> {
            let (token, outcome) = reply.defer()?;
            let count = Arc::clone(&self.count);
            self.jobs.run(token, move |job| {
                while Arc::strong_count(&count) > 0 && job.sleep(Duration::from_millis(100)) {}
                |result| Ok(result.done())
            });
            let mut most = self.most.lock().unwrap();
            *most = Arc::strong_count(&self.count).max(*most);
            Ok(outcome)
        }
    }

    let mut input = work(0, "{}");
    for id in 1..2000 {
        input += &work(id, "{}");
        input += &std::format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        );
        input += "\n";
    }
    let (jobs, queue) = jobs();
    let most = Arc::new(Mutex::new(0));
    let handler = Busy { jobs, count: Arc::new(()), most: Arc::clone(&most) };
    Stdio::with_server(Server::new())
        .with_limits(Limits { drain: Duration::ZERO, ..Limits::DEFAULT })
        .with_jobs(queue, 1)
        .serve_on(handler, input.as_bytes(), Output::default())
        .unwrap();
    let most = *most.lock().unwrap();
    // Twice the calls and tasks that there can be, the handler's own, and that of the busy thread.
    assert!((4..=2 * (4 + 2) + 3).contains(&most), "{most} pieces of work at a time");
}

#[test]
fn an_output_that_is_too_small_for_any_answer_is_not_taken() {
    let output = Output::default();
    let (jobs, _queue) = jobs();
    Stdio::new()
        .with_limits(Limits { max_output: 1, ..Limits::DEFAULT })
        .serve_on(
            Demo::new(Machine(jobs)),
            &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"[..],
            output.clone(),
        )
        .unwrap();
    let written = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    assert!(written.contains("Response too large"), "{written}");
}

#[test]
fn a_call_whose_question_is_open_at_the_end_is_answered() {
    let initialize = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}}"#;
    let call =
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list_roots","arguments":{}}}"#;
    let written = served_after(initialize, call);
    let [question, given_up, answer] = written.lines().collect::<Vec<_>>()[..] else {
        panic!("{written}");
    };
    assert!(question.contains(r#""id":1,"method":"roots/list""#), "{written}");
    assert!(answer.contains(r#""id":7,"result""#), "{written}");
    assert!(given_up.contains("notifications/cancelled"), "{written}");
}

#[test]
fn a_change_waits_for_no_thread_of_the_pool() {
    let slow =
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"slow","arguments":{"ms":100}}}"#;
    let done =
        r#"{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"done"}],"isError":false}}"#;
    let input = [SUBSCRIBE, slow, &COUNT.replace("ID", "1")].join("\n");
    let counted = COUNTED.replace("ID", "1").replace('N', "1");
    assert_eq!(served(&input), [SUBSCRIBED, &counted, UPDATED, done, ""].join("\n"));
}

#[test]
fn a_change_from_elsewhere_is_told_at_once() {
    let (jobs, queue) = jobs();
    let output = Output::default();
    let app = Demo::new(Machine(jobs.clone()));
    let (reader, mut writer) = io::pipe().unwrap();
    let serving = {
        let output = output.clone();
        thread::spawn(move || Stdio::new().with_jobs(queue, 1).serve_on(app, reader, output))
    };
    let wait_for = |text: &str| {
        let end = Instant::now() + Duration::from_secs(10);
        while after_initialize(&output) != text {
            assert!(Instant::now() < end, "{:?}", after_initialize(&output));
            thread::sleep(Duration::from_millis(1));
        }
    };
    writeln!(writer, "{INITIALIZE}\n{SUBSCRIBE}").unwrap();
    wait_for(&[SUBSCRIBED, "\n"].concat());
    jobs.resource_updated("demo://counter");
    wait_for(&[SUBSCRIBED, "\n", UPDATED, "\n"].concat());
    drop(writer);
    serving.join().unwrap().unwrap();
}

#[test]
fn an_input_that_panics_ends_the_loop_with_an_error() {
    struct Broken;

    impl io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("told to")
        }
    }

    let (jobs, queue) = jobs();
    let stdio = Stdio::new().with_jobs(queue, 1);
    let outcome = stdio.serve_on(Demo::new(Machine(jobs)), Broken, Output::default());
    assert_eq!(outcome.unwrap_err().to_string(), "the input has panicked");
}

#[test]
fn an_application_may_borrow() {
    struct Counter<'a>(&'a mut usize);

    impl Handler for Counter<'_> {
        fn info(&self) -> Implementation<'_> {
            Implementation::new("counter", "1")
        }

        fn event(&mut self, _: Event<'_>) {
            *self.0 += 1;
        }
    }

    let mut count = 0;
    let input = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n".repeat(3);
    let outcome = Stdio::new().serve_on(Counter(&mut count), input.as_bytes(), io::sink());
    outcome.unwrap();
    assert_eq!(count, 3);
}

/// A handler whose tool works until it is cancelled, and then returns a reply that cannot be dropped without a panic.
struct Patient(Jobs);

impl Handler for Patient {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("patient", "1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        const { &[Tool::new("work", "Works.")] }
    }

    fn call_tool<'a>(&mut self, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        struct Fragile;

        impl Drop for Fragile {
            fn drop(&mut self) {
                panic!("told to");
            }
        }

        let (token, outcome) = reply.defer()?;
        self.0.run(token, |job| {
            assert!(!job.sleep(Duration::MAX) && job.is_cancelled());
            let fragile = Fragile;
            move |result| {
                let _kept = &fragile;
                Ok(result.done())
            }
        });
        Ok(outcome)
    }
}

#[test]
fn a_cancellation_wakes_work_and_the_reply_is_dropped() {
    let (jobs, queue) = jobs();
    let (reader, mut input) = io::pipe().unwrap();
    let output = Output::default();
    let serving = {
        let (stdio, output) = (Stdio::new().with_jobs(queue, 1), output.clone());
        thread::spawn(move || stdio.serve_on(Patient(jobs), reader, output))
    };
    for id in 0..3 {
        input.write_all(work(id, "{}").as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(20));
        let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":ID}}"#;
        writeln!(input, "{}", cancelled.replace("ID", &id.to_string())).unwrap();
    }
    thread::sleep(Duration::from_millis(20));
    writeln!(input, r#"{{"jsonrpc":"2.0","id":9,"method":"ping"}}"#).unwrap();
    drop(input);
    serving.join().unwrap().unwrap();
    let written = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    assert_eq!(written, "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n");
}
