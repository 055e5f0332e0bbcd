//! What the application says between frames, and how a session ends.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::{AskError, CallError, CallToken, List, NotInFlight, Origin, Progress, Role, Sent};
use barewire::mcp::LoggingLevel;

use super::super::super::application::{ASK, BEGIN_TASK, DEFER, Kind, question};
use super::super::super::session::Step;
use super::ledger::{Asker, Declared};
use super::lines::Line;
use super::settle::Cause;
use super::{Session, Tested};

impl<const N: usize, const BYTES: usize> Session<N, BYTES> {
    /// What is no frame.
    pub(super) fn act(&mut self, step: &Step, script: &[u8]) {
        match *step {
            Step::Complete(at) => self.complete(at, script),
            Step::Progress(at, progress) => self.about(at, |server, token, out| {
                let _ = server.progress(token, Progress::new(progress), out);
            }),
            Step::Log(at) => self.about(at, |server, token, out| {
                let _ = server.log_for(token, LoggingLevel::Error, None, "text", out);
            }),
            Step::Ask(choice) => self.application_asks(choice),
            Step::FinishTask(at, end) => self.finish_task(at, end, script),
            Step::DescribeTask(at) => self.describe_task(at),
            Step::TaskProgress(at, progress) => self.task_progress(at, progress),
            Step::TaskNeedsInput(at) => self.task_needs_input(at, script),
            Step::Tick(milliseconds) => self.tick(milliseconds),
            Step::ListChanged(which) => {
                let list = [List::Tools, List::Resources, List::Prompts][which];
                self.server.list_changed(list);
            }
            Step::ResourceUpdated(uri) => self.server.resource_updated(uri),
            Step::EndStreams => self.end_streams(),
            _ => {
                self.server.reset(Origin::ONLY, &mut self.app);
                self.peer_is_gone();
            }
        }
    }

    /// The application hears that nothing goes on.
    fn peer_is_gone(&mut self) {
        let seen = std::mem::take(self.app.seen());
        let deferred = self.ledger.deferred();
        assert_eq!(seen.cancelled.len(), deferred.len(), "{seen:?}");
        assert!(deferred.iter().all(|(token, ..)| seen.cancelled.contains(token)));
        let own = self.ledger.own_questions();
        assert_eq!(seen.answered.len(), own.len(), "{seen:?}");
        assert!(own.iter().all(|token| seen.answered.contains(token)));
        assert_eq!(seen.task_forgotten.len(), self.ledger.kept_tasks(), "{seen:?}");
        assert!(seen.runs.is_empty() && seen.task_answered.is_empty(), "{seen:?}");
        self.ledger.reset();
    }

    /// A deferred call is answered, once.
    fn complete(&mut self, at: usize, script: &[u8]) {
        let Some((token, kind, _)) = self.ledger.deferred().into_iter().nth(at) else {
            return;
        };
        let choice = script.first().copied().unwrap_or_default();
        let text = "t".repeat(usize::from(script.get(1).copied().unwrap_or_default()) * 3);
        let wrong = match kind {
            Kind::Tool => Kind::Prompt,
            Kind::Read => Kind::Tool,
            Kind::Prompt => Kind::Read,
        };
        let (lines, result) = self.complete_as(token, wrong, choice, &text);
        assert!(lines.is_empty() && result.is_err(), "answered as another kind");
        let (lines, result) = self.complete_as(token, kind, choice, &text);
        assert!(matches!(result, Ok(Sent::To(_))), "{result:?}");
        self.settle(&lines, Cause::Completed(token));
        let (lines, result) = self.complete_as(token, kind, choice, &text);
        assert!(lines.is_empty() && result.is_err(), "answered twice");
    }

    fn complete_as(
        &mut self,
        token: CallToken,
        kind: Kind,
        choice: u8,
        text: &str,
    ) -> (Vec<Line>, Result<Sent, NotInFlight>) {
        let error = match choice % 8 {
            1 => Some(CallError::Failed(text)),
            2 => Some(CallError::Internal),
            3 => Some(CallError::NotFound),
            4 => Some(CallError::Busy),
            _ => None,
        };
        let is_failure = choice % 8 == 5;
        self.written(|server, app, out| match kind {
            Kind::Tool => server.complete_tool(token, app, out, |content| {
                let content = content.text(text);
                let outcome = match is_failure {
                    true => content.fail(text),
                    false => content.done(),
                };
                error.map_or(Ok(outcome), Err)
            }),
            Kind::Read => server.complete_read(token, "do:x", app, out, |contents| {
                let outcome = contents.text(None, text).done();
                error.map_or(Ok(outcome), Err)
            }),
            Kind::Prompt => server.complete_prompt(token, None, app, out, |messages| {
                let outcome = messages.text(Role::User, text).done();
                error.map_or(Ok(outcome), Err)
            }),
        })
    }

    fn about(&mut self, at: usize, call: impl FnOnce(&mut Tested<N, BYTES>, CallToken, &mut Sink<'_>)) {
        if let Some((token, ..)) = self.ledger.deferred().get(at).cloned() {
            let (lines, ()) = self.written(|server, _, out| call(server, token, out));
            assert!(lines.len() <= 1);
            self.settle(&lines, Cause::About(token));
        }
    }

    /// One request, or an error and nothing.
    fn application_asks(&mut self, choice: Option<u8>) {
        let (lines, result) = self.written(|server, _, out| match choice {
            Some(choice) => server.ask(0, &question(choice), out),
            None => server.ping(0, out),
        });
        match result {
            Ok(token) => {
                assert_eq!(lines.len(), 1);
                self.settle(&lines, Cause::Asked(Asker::Application(token)));
                assert_eq!(
                    self.ledger.questions.last().map(|last| &last.asker),
                    Some(&Asker::Application(token))
                );
            }
            Err(error) => {
                assert_eq!(lines, []);
                assert_eq!(error.to_string(), super::of_question(error));
                assert!(error != AskError::Busy || self.ledger.taken() == N || !self.is_settled);
            }
        }
    }

    /// Time passes.
    pub(super) fn tick(&mut self, milliseconds: u64) {
        self.now = self.now.saturating_add(milliseconds);
        if !self.has_time {
            self.has_time = true;
            self.ledger.begin_time(self.now);
        }
        let now = Duration::from_millis(self.now);
        self.server.set_time(now, now);
    }

    /// Each stream gets its one response.
    fn end_streams(&mut self) {
        self.server.end_streams();
        for stream in &mut self.ledger.streams {
            stream.is_ending = true;
        }
    }

    /// Writes all that is due.
    fn send_all(&mut self) {
        self.send(u8::MAX);
        self.ledger.is_settled(self.now);
    }

    /// All that is owed is given, and then every table is empty.
    pub(super) fn end(&mut self) {
        self.app.follow(&[]);
        self.send_all();
        if self.room % 4 == 3 {
            self.client_is_gone();
        }
        while !self.ledger.calls.is_empty() || self.server.next_deadline().is_some() {
            while !self.ledger.deferred().is_empty() {
                self.complete(0, &[]);
            }
            self.tick(1 << 60);
            self.send_all();
        }
        self.end_streams();
        self.send_all();
        assert_eq!(self.server.in_flight(), 0);
        assert_eq!(self.ledger.kept_tasks(), 0);
        if !self.is_strict || self.server.session(0).is_some() {
            self.every_table_is_empty();
        }
    }

    /// Nobody waits for its answers.
    fn client_is_gone(&mut self) {
        let now = self.now;
        for question in &mut self.ledger.questions {
            question.deadline = question.deadline.min(now);
        }
        if let Some((_, declared)) = &mut self.ledger.session {
            *declared = Declared::of("{}");
        }
        // Whoever asks again does not get far.
        let again: Vec<u8> = (0..16).flat_map(|at| [ASK + at % 4, 0]).collect();
        self.app.follow(&again);
        self.server.end_questions();
        self.send_all();
        self.app.follow(&[]);
        assert!(!self.ledger.questions.iter().any(|question| question.is_open()));
    }

    /// Each has its places again.
    fn every_table_is_empty(&mut self) {
        let modern = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
             \"io.modelcontextprotocol/clientCapabilities\":\
             {\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}";
        // The one that sessions subscribe to.
        self.request("0", "resources/unsubscribe", "\"uri\":\"demo://counter\"", &[]);
        // All bytes are free: a text that needs them all is kept.
        let longest = format!("\"{}\"", "i".repeat(BYTES - 2));
        self.request(&longest, "tools/call", "\"name\":\"do\"", &[DEFER]);
        assert_eq!(self.ledger.calls.len(), 1, "there are {BYTES} bytes");
        self.complete(0, &[]);
        // What is written here has 300 bytes at most.
        let has_room = self.room >= 320;
        for place in (0..N).filter(|_| has_room) {
            self.request(
                &place.to_string(),
                "tools/call",
                &format!("\"name\":\"do\",{modern}"),
                &[BEGIN_TASK],
            );
            assert_eq!(self.ledger.kept_tasks(), place + 1, "there are places for {N} tasks");
        }
        for place in (0..N).filter(|_| has_room) {
            let uri = ["demo://counter", "demo://readme"][place % 2];
            let filter = format!("\"notifications\":{{\"resourceSubscriptions\":[\"{uri}\"]}}");
            self.request(&place.to_string(), "subscriptions/listen", &format!("{filter},{modern}"), &[]);
            assert_eq!(self.ledger.streams.len(), place + 1, "there are places for {N} streams");
            let acknowledged = self.transcript.last().is_some_and(|written| written.contains(uri));
            assert!(acknowledged, "there are places for {N} resources");
        }
        for place in 0..=N {
            self.request(&(N + place).to_string(), "tools/call", "\"name\":\"do\"", &[DEFER]);
            assert_eq!(self.ledger.calls.len(), N.min(place + 1), "there are places for {N} calls");
        }
    }

    fn request(&mut self, id: &str, method: &str, params: &str, script: &[u8]) {
        self.app.follow(script);
        let frame =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{{params}}}}}");
        self.frame(frame.as_bytes());
    }
}
