//! Questions of jobs on threads: one source for both eras, and no thread that waits for ever.

use std::io::{self, BufRead, BufReader, Lines, PipeReader, PipeWriter, Write};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use barewire::engine::{
    Answer, CallError, Fixed, Full, Handler, Heap, Options, Outcome, Resumed, ResumedReply, Server, Storage,
    ToolCall, ToolReply,
};
use barewire::mcp::{ElicitAction, Elicitation, Implementation, InputRequest, Schema, Tool};
use barewire::transport::{Job, Jobs, Limits, Stdio, jobs};
use serde_json::Value;

use crate::engine_kit::{cancel, error, given_up, initialize_with, json, modern_of, question, request, text};

const NAME: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#);

const TOOLS: &[Tool<'_>] = &[
    Tool::new("greet", "Asks for two names."),
    Tool::new("both", "Asks two questions at a time."),
    Tool::new("roots", "Asks for the roots."),
    Tool::new("panic", "Panics with the answer."),
    Tool::new("deaf", "Does not care for the error."),
    Tool::new("sync", "Asks without a job, and defers the call that continues to one."),
];

pub(crate) struct Asker {
    jobs: Jobs,
    /// Number of jobs that have begun.
    begun: Arc<AtomicU32>,
}

/// The name in the answer, or what the answer is instead.
fn name(answer: Answer<'_>) -> String {
    match (answer.elicited(), answer) {
        (Some(elicited), _) if elicited.action == ElicitAction::Accept => {
            let content = elicited.content.get("name");
            content.and_then(|name| name.as_string()).map_or("nobody".into(), |name| name.to_string())
        }
        (Some(_), _) => "declined".into(),
        (None, Answer::Error(error)) => error.message().to_string(),
        (None, Answer::Malformed) => "malformed".into(),
        (None, Answer::TimedOut) => "late".into(),
        (None, Answer::Result(_)) => "odd".into(),
    }
}

fn form(message: &str) -> InputRequest<'_> {
    Elicitation::form(message, NAME).into()
}

type Answered = Result<String, CallError<'static>>;

fn work(tool: &str) -> fn(&Job<'_>) -> Answered {
    match tool {
        "greet" => |job| {
            let first = job.ask("first", &form("First?"), name)?;
            let second = job.ask("second", &form("Second?"), name)?;
            Ok(format!("{first} and {second}"))
        },
        "both" => |job| {
            let (first, second) = thread::scope(|scope| {
                let first = scope.spawn(|| job.ask("first", &form("First?"), name));
                let second = job.ask("second", &form("First?"), name);
                (first.join().expect("no panic"), second)
            });
            Ok(format!("{} and {}", first?, second?))
        },
        "roots" => |job| {
            let count = |answer: Answer<'_>| answer.roots().map_or(0, |roots| roots.iter().count());
            Ok(job.ask("roots", &InputRequest::Roots, count)?.to_string())
        },
        "panic" => |job| {
            job.ask("first", &form("First?"), |_| panic!("on purpose"))?;
            Ok("not reached".into())
        },
        "deaf" => |job| {
            let first = job.ask("first", &form("First?"), name);
            let second = job.ask("second", &form("Second?"), name);
            Ok(format!("{first:?} {second:?}"))
        },
        _ => |job| job.ask("second", &form("Second?"), name),
    }
}

impl Asker {
    /// Its jobs are those of this queue.
    pub(crate) fn new(jobs: Jobs) -> Self {
        Self { jobs, begun: Arc::default() }
    }

    fn start(&self, tool: &str, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        let (token, outcome) = reply.defer()?;
        let (work, begun) = (work(tool), Arc::clone(&self.begun));
        self.jobs.answer(token, move |job| {
            begun.fetch_add(1, Ordering::Relaxed);
            work(job)
        });
        Ok(outcome)
    }
}

impl Handler for Asker {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("asker", "1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match call.name_in(TOOLS) {
            "sync" => Ok(reply.ask("first", &form("First?")).keep("by hand")),
            tool => self.start(tool, reply),
        }
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match reply {
            ResumedReply::Tool(reply) if call.is("sync") && call.state() == "by hand" => {
                self.start("sync", reply)
            }
            _ => Err(CallError::InvalidParams),
        }
    }
}

/// A server on a thread, with one thread for jobs.
struct Session {
    input: Option<PipeWriter>,
    lines: Receiver<String>,
    serving: JoinHandle<io::Result<()>>,
    begun: Weak<AtomicU32>,
}

fn read(lines: Lines<BufReader<PipeReader>>) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in lines {
            if sender.send(line.expect("UTF-8")).is_err() {
                return;
            }
        }
    });
    receiver
}

impl Session {
    fn serving<S: Storage + Send + 'static, A: Handler + Send + 'static>(
        server: Server<S>,
        app: impl FnOnce(Jobs, Arc<AtomicU32>) -> A,
    ) -> Self {
        let (jobs, queue) = jobs();
        let begun = Arc::new(AtomicU32::new(0));
        let (reader, input) = io::pipe().expect("a pipe");
        let (output, writer) = io::pipe().expect("a pipe");
        let kept = Arc::downgrade(&begun);
        let app = app(jobs, begun);
        let limits = Limits { drain: Duration::from_secs(10), ..Limits::DEFAULT };
        let stdio = Stdio::with_server(server).with_limits(limits).with_jobs(queue, 1);
        let serving = thread::spawn(move || stdio.serve_on(app, reader, writer));
        Self { input: Some(input), lines: read(BufReader::new(output).lines()), serving, begun: kept }
    }

    fn with<S: Storage + Send + 'static>(server: Server<S>) -> Self {
        Self::serving(server, |jobs, begun| Asker { jobs, begun })
    }

    /// Without a handshake.
    fn new() -> Self {
        Self::with(Server::with_storage(Heap::<Full>::new()))
    }

    fn shaken(mut self, version: &str, capabilities: &str) -> Self {
        self.send(&initialize_with(version, capabilities));
        self.line();
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        self
    }

    fn legacy(version: &str) -> Self {
        Self::new().shaken(version, r#"{"elicitation":{},"roots":{}}"#)
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("an open input");
        writeln!(input, "{line}").expect("it is read");
    }

    /// The next line, with its newline.
    fn line(&mut self) -> String {
        self.lines.recv_timeout(Duration::from_secs(20)).expect("a line") + "\n"
    }

    fn call(&mut self, id: &str, tool: &str) {
        self.send(&request(id, "tools/call", &format!(r#"{{"name":"{tool}"}}"#)));
    }

    fn modern(&mut self, tool: &str, members: &str) -> String {
        let members = format!(r#""name":"{tool}"{members}"#);
        self.send(&modern_of("1", "tools/call", &members, r#"{"elicitation":{}}"#));
        self.line()
    }

    fn accept(&mut self, id: u32, name: &str) {
        let result = format!(r#"{{"action":"accept","content":{{"name":"{name}"}}}}"#);
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
    }

    /// The answer to a ping comes next.
    fn assert_silent(&mut self) {
        self.send(r#"{"jsonrpc":"2.0","id":"silent","method":"ping"}"#);
        assert_eq!(self.line(), "{\"jsonrpc\":\"2.0\",\"id\":\"silent\",\"result\":{}}\n");
    }

    fn begun(&self) -> u32 {
        self.begun.upgrade().map_or(0, |begun| begun.load(Ordering::Relaxed))
    }

    /// Ends the input; the lines that come then. No thread is left.
    fn end(mut self) -> Vec<String> {
        drop(self.input.take());
        let lines = self.lines.iter().map(|line| line + "\n").collect();
        self.serving.join().expect("no panic").expect("no error");
        assert_free(&self.begun);
        lines
    }
}

/// The application and all of its work are gone.
fn assert_free(begun: &Weak<AtomicU32>) {
    let end = Instant::now() + Duration::from_secs(20);
    while begun.strong_count() > 0 {
        assert!(Instant::now() < end, "a thread waits");
        thread::sleep(Duration::from_millis(1));
    }
}

fn asked(id: u32, message: &str) -> String {
    let schema = r#"{"type":"object","properties":{"name":{"type":"string"}}}"#;
    question(id, "elicitation/create", &format!(r#"{{"message":"{message}","requestedSchema":{schema}}}"#))
}

fn said(content: &str) -> String {
    text("1", content, false)
}

#[test]
fn a_legacy_client_is_sent_requests_and_the_thread_waits() {
    for version in ["2025-06-18", "2025-11-25"] {
        let mut session = Session::legacy(version);
        session.call("1", "greet");
        assert_eq!(session.line(), asked(1, "First?"));
        session.assert_silent();
        session.accept(1, "Ada");
        assert_eq!(session.line(), asked(2, "Second?"));
        // Once.
        session.accept(1, "Eve");
        session.assert_silent();
        session.accept(2, r"B\u006fb");
        assert_eq!(session.line(), said("Ada and Bob"));
        session.accept(2, "Eve");
        session.assert_silent();
        assert_eq!(session.begun(), 1);
        assert_eq!(session.end(), [""; 0]);
    }
    for version in ["2024-11-05", "2025-03-26"] {
        let mut session = Session::legacy(version);
        session.call("1", "roots");
        assert_eq!(session.line(), question(1, "roots/list", ""));
        session
            .send(r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}}"#);
        assert_eq!(session.line(), said("2"));
    }
}

#[test]
fn answers_of_each_kind_are_read() {
    let mut session = Session::legacy("2025-11-25");
    for (answer, read) in [
        (r#""result":{"action":"decline"}"#, "declined"),
        (r#""error":{"code":-1,"message":"no user"}"#, "no user"),
        (r#""result":5"#, "malformed"),
        (r#""result":{"action":"accept","action":"accept"}"#, "malformed"),
        (r#""result":{}"#, "odd"),
    ] {
        session.call("1", "greet");
        for _ in 0..2 {
            let question = json(&session.line());
            session.send(&format!(r#"{{"jsonrpc":"2.0","id":{},{answer}}}"#, question["id"]));
        }
        assert_eq!(session.line(), said(&format!("{read} and {read}")));
    }
}

#[test]
fn two_threads_of_a_job_may_ask_at_a_time() {
    let mut session = Session::legacy("2025-11-25");
    session.call("1", "both");
    assert_eq!([session.line(), session.line()], [asked(1, "First?"), asked(2, "First?")]);
    session.accept(2, "Ada");
    session.accept(1, "Ada");
    assert_eq!(session.line(), said("Ada and Ada"));
}

fn accepted(name: &str) -> String {
    format!(r#"{{"action":"accept","content":{{"name":"{name}"}}}}"#)
}

fn again(answers: &str, state: &Value) -> String {
    format!(r#","inputResponses":{{{answers}}},"requestState":{state}"#)
}

#[test]
fn a_modern_client_makes_the_call_again_and_the_job_runs_again() {
    let mut session = Session::new();
    let first = json(&session.modern("greet", ""))["result"].clone();
    assert_eq!(first["resultType"], "input_required");
    assert_eq!(first["inputRequests"]["first"]["method"], "elicitation/create");
    assert_eq!(first["inputRequests"]["first"]["params"]["message"], "First?");
    assert_eq!(first["requestState"], "barewire-job{}");
    let answer = format!(r#""first":{}"#, accepted(r#"A\u0064\ud83d\ude00\"a"#));
    let second = json(&session.modern("greet", &again(&answer, &first["requestState"])))["result"].clone();
    assert_eq!(second["inputRequests"]["second"]["params"]["message"], "Second?");
    let answer = format!(r#""second":{}"#, accepted("Bob"));
    let last = json(&session.modern("greet", &again(&answer, &second["requestState"])))["result"].clone();
    assert_eq!(last["content"][0]["text"], "Ad\u{1f600}\"a and Bob");
    assert_eq!(session.begun(), 3);
    // All answers at once do as well, and one that is given again replaces the earlier one.
    let both = format!(r#""first":{},"second":{}"#, accepted("Ada"), accepted("Bob"));
    let state = Value::from(r#"barewire-job{"fir\u0073t":{"action":"decline"}}"#);
    assert!(session.modern("greet", &again(&both, &state)).contains("Ada and Bob"));
    session.assert_silent();
    assert_eq!(session.end(), [""; 0]);
}

#[test]
fn a_state_that_is_made_up_is_refused() {
    let mut session = Session::new();
    let invalid = error("1", -32602, "Invalid params");
    let deep = format!("barewire-job{{\"first\":{}{}}}", "[".repeat(200), "]".repeat(200));
    for state in [
        "",
        "x",
        "barewire-job",
        "barewire-job[]",
        "barewire-job{} {}",
        r#"barewire-job{"first":1,"first":2}"#,
        r#"barewire-job{"first":5}"#,
        r#"barewire-job{"first":"\ud8"}"#,
        &deep,
        "by hand",
    ] {
        assert_eq!(session.modern("greet", &again("", &Value::from(state))), invalid, "{state}");
    }
    let half = r#","requestState":"barewire-job{\"first\":{\"a\":\"\ud800\"}}""#;
    assert_eq!(session.modern("greet", half), invalid);
    let state = Value::from("barewire-job{}");
    assert_eq!(session.modern("greet", &again(r#""first":[]"#, &state)), invalid);
    assert_eq!(session.modern("greet", &again(r#""x":{"y":1,"y":2}"#, &state)), invalid);
    let unknown = session.modern("nope", &again("", &state));
    assert_eq!(unknown, error("1", -32602, "Unknown tool"));
    // A tool that asks by its reply is called again too, and asks again.
    let fresh = session.modern("sync", &again("", &state));
    assert!(fresh.contains(r#""requestState":"by hand""#), "{fresh}");
    session.assert_silent();
}

#[test]
fn a_client_that_cannot_be_asked_gets_an_error() {
    let missing = text("1", "Missing required client capability: elicitation", true);
    let mut session = Session::new().shaken("2025-11-25", r#"{"roots":{}}"#);
    session.call("1", "greet");
    assert_eq!(session.line(), missing);
    // Elicitation came with 2025-06-18.
    let mut session = Session::legacy("2025-03-26");
    session.call("1", "greet");
    assert_eq!(session.line(), missing);
    // Without a session.
    let mut session = Session::new();
    session.call("1", "greet");
    assert_eq!(session.line(), missing);
    session.send(&modern_of("1", "tools/call", r#""name":"greet""#, "{}"));
    let refused = session.line();
    assert!(refused.contains(r#""error":{"code":-32021,"#), "{refused}");
}

#[test]
fn without_a_slot_for_the_question_the_server_is_busy() {
    let server = Server::with_storage(Fixed::<Full, 1>::new());
    let mut session = Session::with(server).shaken("2025-11-25", r#"{"elicitation":{}}"#);
    session.call("1", "greet");
    assert_eq!(session.line(), error("1", -32603, "Server busy"));
    session.assert_silent();
}

#[test]
fn a_question_times_out() {
    let options = Options::DEFAULT.with_question_timeout(Duration::from_millis(30));
    let server = Server::with_storage(Heap::<Full>::new()).with_options(options);
    let mut session = Session::with(server).shaken("2025-11-25", r#"{"elicitation":{}}"#);
    session.call("1", "greet");
    for (id, message) in [(1, "First?"), (2, "Second?")] {
        assert_eq!([session.line(), session.line()], [asked(id, message), given_up(id)]);
        session.accept(id, "Ada");
    }
    assert_eq!(session.line(), said("late and late"));
}

#[test]
fn a_cancelled_call_ends_the_wait_and_gets_no_answer() {
    let mut session = Session::legacy("2025-11-25");
    // The one thread is free for the next call each time.
    for round in 0..20 {
        let id = 2 * round + 1;
        session.call("1", "deaf");
        assert_eq!(session.line(), asked(id, "First?"));
        session.send(&cancel("1"));
        assert_eq!(session.line(), given_up(id));
        session.accept(id, "Ada");
        session.assert_silent();
        session.call("2", "roots");
        assert_eq!(session.line(), question(id + 1, "roots/list", ""));
        session.send(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"roots":[]}}}}"#, id + 1));
        assert_eq!(session.line(), text("2", "0", false));
    }
    assert_eq!(session.end(), [""; 0]);
}

#[test]
fn the_end_of_the_input_ends_the_wait() {
    let mut session = Session::legacy("2025-11-25");
    session.call("1", "greet");
    assert_eq!(session.line(), asked(1, "First?"));
    // Nobody answers then, and nobody can be asked.
    let missing = text("1", "Missing required client capability: elicitation", true);
    assert_eq!(session.end(), [given_up(1), missing]);
}

#[test]
fn a_closed_output_ends_the_wait() {
    let mut session = Session::legacy("2025-11-25");
    session.call("1", "greet");
    assert_eq!(session.line(), asked(1, "First?"));
    let Session { mut input, lines, serving, begun } = session;
    // The thread that reads the output ends with the next line.
    drop(lines);
    let end = Instant::now() + Duration::from_secs(20);
    while !serving.is_finished() {
        assert!(Instant::now() < end, "the server does not end");
        let input = input.as_mut().expect("an open input");
        let _ = writeln!(input, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#);
        thread::sleep(Duration::from_millis(1));
    }
    serving.join().expect("no panic").expect("no error");
    assert_free(&begun);
}

#[test]
fn a_panic_with_the_answer_fails_the_call_alone() {
    let mut session = Session::legacy("2025-11-25");
    let internal = error("1", -32603, "Internal error");
    for id in 1..4 {
        session.call("1", "panic");
        assert_eq!(session.line(), asked(id, "First?"));
        session.accept(id, "Ada");
        assert_eq!(session.line(), internal);
    }
    let answer = format!(r#""first":{}"#, accepted("Ada"));
    assert_eq!(session.modern("panic", &again(&answer, &Value::from("barewire-job{}"))), internal);
    session.assert_silent();
    assert_eq!(session.end(), [""; 0]);
}

#[test]
fn a_job_that_ignores_the_end_of_its_call_answers_nothing() {
    let mut session = Session::new();
    for _ in 0..20 {
        let asked = session.modern("deaf", "");
        assert!(asked.contains(r#""inputRequests":{"first":"#), "{asked}");
        session.assert_silent();
    }
    assert_eq!(session.end(), [""; 0]);
}

#[test]
fn a_job_that_resume_has_started_asks_a_legacy_client_only() {
    let mut session = Session::legacy("2025-11-25");
    session.call("1", "sync");
    assert_eq!(session.line(), asked(1, "First?"));
    session.accept(1, "Ada");
    assert_eq!(session.line(), asked(2, "Second?"));
    session.accept(2, "Bob");
    assert_eq!(session.line(), said("Bob"));
    let answer = format!(r#""first":{}"#, accepted("Ada"));
    let found = session.modern("sync", &again(&answer, &Value::from("by hand")));
    assert_eq!(found, error("1", -32603, "Internal error"));
}

#[cfg(feature = "macros")]
mod made {
    //! A server made by the macro.

    use super::*;

    struct Greeter {
        jobs: Jobs,
        begun: Arc<AtomicU32>,
    }

    #[barewire::server(name = "greeter", version = "1")]
    impl Greeter {
        /// Greets.
        #[tool]
        fn greet(&self, reply: ToolReply<'_, '_>, greeting: String) -> Result<Outcome, CallError<'static>> {
            let (token, outcome) = reply.defer()?;
            self.begun.fetch_add(1, Ordering::Relaxed);
            self.jobs.answer(token, move |job| -> Answered {
                let name = job.ask("first", &form("First?"), name)?;
                Ok(format!("{greeting}, {name}"))
            });
            Ok(outcome)
        }
    }

    #[test]
    fn its_jobs_ask_in_both_eras() {
        let server = Server::with_storage(Heap::<Full>::new());
        let session = Session::serving(server, |jobs, begun| Greeter { jobs, begun });
        let mut session = session.shaken("2025-11-25", r#"{"elicitation":{}}"#);
        session.send(&request("1", "tools/call", r#"{"name":"greet","arguments":{"greeting":"Hello"}}"#));
        assert_eq!(session.line(), asked(1, "First?"));
        session.accept(1, "Ada");
        assert_eq!(session.line(), said("Hello, Ada"));
        let arguments = r#","arguments":{"greeting":"Bye"}"#;
        let asked = json(&session.modern("greet", arguments))["result"].clone();
        let answer = format!(r#""first":{}"#, accepted("Bob"));
        let again = again(&answer, &asked["requestState"]);
        let answer = json(&session.modern("greet", &format!("{arguments}{again}")))["result"].clone();
        assert_eq!(answer["content"][0]["text"], "Bye, Bob");
        assert_eq!(session.begun(), 3);
        assert_eq!(session.end(), [""; 0]);
    }
}
