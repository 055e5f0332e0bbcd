//! The sessions of `tests/transcripts`, line by line, byte for byte, against the demo server in memory.
//!
//! | line | meaning |
//! |---|---|
//! | `# …` | a comment; blank lines are skipped |
//! | `> …` | a line of the client |
//! | `< …` | a line of the server; those behind a `>` or a `!` are all that it writes to that |
//! | `! complete` | the oldest call of `slow` or `simulate` in flight is done |
//! | `! progress N OF TEXT` | it is so far; the text may be missing |
//! | `! log-for LEVEL TEXT` | it logs |
//! | `! log LEVEL TEXT` | the server logs |
//! | `! ask roots`, `! ping` | the server asks, outside of any call |
//! | `! tick MS` | so many milliseconds have passed since 1970 |
//! | `! describe TEXT` | the oldest task says what it is doing |
//! | `! task-progress N OF` | it is so far |
//! | `! finish` | it is done |
//! | `! changed URI`, `! list NAME` | a resource, or a list, has changed |
//! | `! end` | the server ends its streams |
//! | `! reset` | another client is on the line |
//! | `! room N` | from here on the output has so many bytes |
//!
//! What the tool `count` changes is told behind its answer, without a directive. `$VERSION` stands for the crate's.

use core::time::Duration;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use barewire::bytes::Sink;
use barewire::demo::{Demo, Host, NoHost};
use barewire::engine::{
    CallError, CallToken, Event, Fixed, Full, Handler, List, Progress, Server, TaskEnd, TaskToken,
};
use barewire::json::JsonStr;
use barewire::mcp::{Capabilities, InputRequest, LoggingLevel, Method, ProtocolVersion, Sender};

use crate::support::hosted::{Hosted, Status};

#[test]
fn a_session_of_2024_11_05() {
    play("2024-11-05.txt");
}

#[test]
fn a_session_of_2025_03_26() {
    play("2025-03-26.txt");
}

#[test]
fn a_session_of_2025_06_18() {
    play("2025-06-18.txt");
}

#[test]
fn a_session_of_2025_11_25() {
    play("2025-11-25.txt");
}

#[test]
fn a_session_of_2026_07_28() {
    play("2026-07-28.txt");
}

#[test]
fn both_eras_on_one_link() {
    play("dual-era.txt");
}

#[test]
fn an_unknown_revision() {
    play("unknown-revision.txt");
}

#[test]
fn every_transcript_has_a_test() {
    let mut names: Vec<String> = fs::read_dir(directory())
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort_unstable();
    let source = include_str!("transcripts.rs");
    for name in &names {
        assert!(source.contains(&format!("play(\"{name}\")")), "{name}");
    }
    assert_eq!(names.len(), 7);
}

#[test]
fn every_session_uses_every_method_of_its_revision() {
    // What it offers for its tables, and what it adds.
    let mut offered =
        Capabilities::TOOLS | Capabilities::RESOURCES | Capabilities::PROMPTS | Capabilities::TASKS;
    Demo::new(NoHost).capabilities(&mut offered);
    for version in ProtocolVersion::ALL {
        let text = read(&format!("{version}.txt"));
        let methods = Method::all()
            .filter(|method| method.is_in(version) && !method.is_notification())
            .filter(|method| method.sender() != Sender::Server && offered.offers(*method, version));
        for method in methods {
            // `tasks/get` and its like are the client's here: the server has no tasks of the client's.
            let senders = match method.sender() {
                Sender::Client => ">",
                Sender::Server => "<",
                Sender::Both if method == Method::Ping => "><",
                Sender::Both => ">",
            };
            let member = format!("\"method\":\"{}\"", method.name());
            for sender in senders.chars() {
                assert!(
                    text.lines().any(|line| line.starts_with(sender) && line.contains(&member)),
                    "{version} without {sender} {}",
                    method.name()
                );
            }
        }
        // The modern era has the questions inside its results.
        let questions = ["roots/list", "sampling/createMessage", "elicitation/create"];
        for question in questions.map(|name| format!("\"method\":\"{name}\"")) {
            let is_asked = text.lines().any(|line| line.starts_with('<') && line.contains(&question));
            let is_known = version >= ProtocolVersion::V2025_06_18 || !question.contains("elicitation");
            assert_eq!(is_asked, is_known, "{version}: {question}");
        }
    }
}

fn directory() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "transcripts"].iter().collect()
}

fn read(name: &str) -> String {
    fs::read_to_string(directory().join(name)).expect("a transcript")
}

/// What the demo's machine remembers.
#[derive(Default)]
struct Desk {
    slow: VecDeque<CallToken>,
    tasks: VecDeque<TaskToken>,
    changed: Vec<&'static str>,
}

struct SharedDesk(Rc<RefCell<Desk>>);

impl Host for SharedDesk {
    fn start_slow(&mut self, token: CallToken, _: u32) -> Result<(), CallError<'static>> {
        self.0.borrow_mut().slow.push_back(token);
        Ok(())
    }

    fn start_task(&mut self, token: TaskToken, _: u32) -> Result<(), CallError<'static>> {
        self.0.borrow_mut().tasks.push_back(token);
        Ok(())
    }

    fn resource_changed(&mut self, uri: &'static str) {
        self.0.borrow_mut().changed.push(uri);
    }

    fn event(&mut self, event: Event<'_>) {
        let mut desk = self.0.borrow_mut();
        match event {
            Event::Cancelled(token) => desk.slow.retain(|waiting| *waiting != token),
            Event::TaskCancelled(token) | Event::TaskForgotten(token) => {
                desk.tasks.retain(|running| *running != token);
            }
            _ => {}
        }
    }
}

type DemoServer = Hosted<Demo<SharedDesk>, Fixed<Full, 4, 4>>;

struct Stage {
    server: DemoServer,
    desk: Rc<RefCell<Desk>>,
    room: usize,
    written: Vec<u8>,
}

impl Stage {
    fn new() -> Self {
        let desk = Rc::new(RefCell::new(Desk::default()));
        Self {
            server: Hosted::of(Server::with_storage(Fixed::new()), Demo::new(SharedDesk(Rc::clone(&desk)))),
            desk,
            room: 4096,
            written: Vec::new(),
        }
    }

    /// Lets the server write into an output of this room, and takes what it wrote.
    fn write<R>(&mut self, call: impl FnOnce(&mut DemoServer, &mut Sink<'_>) -> R) -> R {
        let mut memory = vec![0; self.room];
        let mut out = Sink::new(&mut memory);
        let result = call(&mut self.server, &mut out);
        self.written.extend(out.finish().expect("whole lines"));
        result
    }

    /// The same for what may take several rounds.
    fn write_all(&mut self, mut call: impl FnMut(&mut DemoServer, &mut Sink<'_>) -> Status) {
        while self.write(&mut call) == Status::More {}
    }

    fn line(&mut self, line: &str) {
        self.write_all(|server, out| server.handle_frame(line.as_bytes(), out));
        let changed = std::mem::take(&mut self.desk.borrow_mut().changed);
        for uri in changed {
            self.write_all(|server, out| server.resource_updated(uri, out));
        }
    }

    fn directive(&mut self, directive: &str) {
        let (name, rest) = directive.split_once(' ').unwrap_or((directive, ""));
        let oldest = self.desk.borrow().slow.front().copied();
        let task = self.desk.borrow().tasks.front().copied();
        if let Some(task) = task {
            return self.task_directive(task, name, rest);
        }
        match (name, oldest) {
            ("complete", Some(token)) => {
                self.desk.borrow_mut().slow.pop_front();
                let completed = self.write(|server, out| {
                    server.complete_tool(token, out, |content| Ok(content.text("done").done()))
                });
                assert_eq!(completed, Ok(Status::Done));
            }
            ("progress", Some(token)) => {
                let mut words = rest.splitn(3, ' ');
                let mut number = || words.next().and_then(|word| word.parse::<i64>().ok()).expect("a number");
                let progress = Progress::new(number()).of(number());
                let progress = match words.next() {
                    Some(message) => progress.with_message(message),
                    None => progress,
                };
                let known = self.write(|server, out| server.progress(token, progress, out));
                assert!(known.is_ok());
            }
            ("log-for", Some(token)) => {
                let (level, text) = level_and_text(rest);
                let known = self.write(|server, out| server.log_for(token, level, None, text, out));
                assert!(known.is_ok());
            }
            // Nothing is in flight.
            ("complete", None) => assert_eq!(self.server.in_flight(), 0),
            ("ask", _) => {
                assert_eq!(rest, "roots");
                let token = self.write(|server, out| server.ask(&InputRequest::Roots, out));
                assert!(token.is_ok());
            }
            ("ping", _) => assert!(self.write(|server, out| server.ping(out)).is_ok()),
            ("tick", _) => self.tick(rest),
            ("log", _) => {
                let (level, text) = level_and_text(rest);
                self.write(|server, out| server.log(level, None, text, out));
            }
            ("changed", _) => self.write_all(|server, out| server.resource_updated(rest, out)),
            ("list", _) => {
                let list = match rest {
                    "tools" => List::Tools,
                    "resources" => List::Resources,
                    "prompts" => List::Prompts,
                    other => panic!("no such list: {other}"),
                };
                self.write_all(|server, out| server.list_changed(list, out));
            }
            ("end", _) => self.write_all(DemoServer::end_streams),
            ("reset", _) => self.server.reset(),
            ("room", _) => self.room = rest.parse().expect("a number"),
            _ => panic!("no such directive here: {directive}"),
        }
    }

    fn tick(&mut self, now: &str) {
        let now = now.parse().expect("a number");
        self.write_all(|server, out| server.tick(Duration::from_millis(now), out));
    }

    /// While a task runs: what is said of it.
    fn task_directive(&mut self, task: TaskToken, name: &str, rest: &str) {
        let done = |status: Result<Status, _>| status.expect("a task that runs");
        match name {
            "describe" => {
                // The engine takes texts from flash.
                let text = String::leak(rest.to_string());
                self.write_all(|server, out| done(server.describe_task(task, text, out)));
            }
            "task-progress" => {
                let (progress, total) = rest.split_once(' ').expect("two numbers");
                let progress = Progress::new(progress.parse::<i64>().expect("a number"));
                let progress = progress.of(total.parse::<i64>().expect("a number"));
                assert!(self.write(|server, out| server.task_progress(task, progress, out)).is_ok());
            }
            "finish" => {
                self.desk.borrow_mut().tasks.pop_front();
                self.write_all(|server, out| done(server.finish_task(task, TaskEnd::Completed, out)));
            }
            "tick" => self.tick(rest),
            _ => panic!("no such directive while a task runs: {name}"),
        }
    }
}

fn level_and_text(rest: &str) -> (LoggingLevel, &str) {
    let (level, text) = rest.split_once(' ').expect("a level and a text");
    let level = JsonStr::from_escaped(level).and_then(LoggingLevel::from_name);
    (level.expect("a level"), text)
}

/// Plays the client's part, and compares the server's.
fn play(name: &str) {
    let text = read(name).replace("$VERSION", env!("CARGO_PKG_VERSION"));
    let mut stage = Stage::new();
    let mut differences = Vec::new();
    let mut steps = 0;
    let mut lines = text.lines().zip(1..).peekable();
    while let Some((line, number)) = lines.next() {
        match line.split_at_checked(2) {
            _ if line.is_empty() || line.starts_with('#') => continue,
            Some(("> ", message)) => stage.line(message),
            Some(("! ", directive)) => stage.directive(directive),
            _ => panic!("{name}:{number}: {line}"),
        }
        steps += 1;
        let mut expected = String::new();
        while let Some((answer, _)) = lines.next_if(|(line, _)| line.starts_with("< ")) {
            expected += &answer[2..];
            expected += "\n";
        }
        let found = String::from_utf8(std::mem::take(&mut stage.written)).expect("UTF-8");
        if found != expected {
            differences.push(format!("{name}:{number}: {line}\nexpected {expected}\nfound    {found}"));
        }
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
    assert!(steps >= 5 && text.matches("\n< ").count() >= 5, "{name} is cut");
}
