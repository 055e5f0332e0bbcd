//! What the application says between frames, and how a session ends.

use core::time::Duration;

use barewire::engine::{AskError, CallError, CallToken, List, Progress, Status};
use barewire::mcp::LoggingLevel;

use super::super::super::application::{ASK, BEGIN_TASK, DEFER, Kind, question};
use super::super::super::session::Step;
use super::ledger::{Asker, Declared, Waits};
use super::lines::Line;
use super::settle::Cause;
use super::{Session, Tested};

impl<const N: usize, const ID: usize, const TEXT: usize> Session<'_, N, ID, TEXT> {
    /// What is no frame.
    pub(super) fn act(&mut self, step: &Step, script: &[u8]) {
        match *step {
            Step::Complete(at) => self.complete(at, script),
            Step::Progress(at, progress) => self.about(at, |server, token, out| {
                let _ = server.progress(token, &Progress::new(progress), out);
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
                self.tell(|server, out| server.list_changed(list, out));
            }
            Step::ResourceUpdated(uri) => self.tell(|server, out| server.resource_updated(uri, out)),
            Step::EndStreams => self.end_streams(),
            _ => {
                self.server.reset();
                self.peer_is_gone();
            }
        }
    }

    /// The application hears that nothing goes on.
    fn peer_is_gone(&mut self) {
        let seen = std::mem::take(self.server.handler_mut().seen());
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
        assert_eq!(result, Ok(Status::Done));
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
    ) -> (Vec<Line>, Result<Status, barewire::engine::NotInFlight>) {
        let error = match choice % 8 {
            1 => Some(CallError::Failed(text)),
            2 => Some(CallError::Internal),
            3 => Some(CallError::NotFound),
            4 => Some(CallError::Busy),
            _ => None,
        };
        let asks = choice % 8 == 5;
        let progress = Progress::new(i64::from(choice));
        self.written(|server, out| match kind {
            Kind::Tool => server.complete_tool(token, out, |reply| {
                reply.progress(&progress);
                if asks {
                    reply.ask("k", &question(choice));
                }
                reply.text(text);
                error.map_or(Ok(()), Err)
            }),
            Kind::Read => server.complete_read(token, "do:x", out, |reply| {
                reply.progress(&progress);
                reply.text(None, text);
                error.map_or(Ok(()), Err)
            }),
            Kind::Prompt => server.complete_prompt(token, out, |reply| {
                reply.progress(&progress);
                reply.text(barewire::engine::Role::User, text);
                error.map_or(Ok(()), Err)
            }),
        })
    }

    fn about(
        &mut self,
        at: usize,
        call: impl FnOnce(&mut Tested<'_, N, ID, TEXT>, CallToken, &mut barewire::bytes::Sink<'_>),
    ) {
        if let Some((token, ..)) = self.ledger.deferred().get(at).cloned() {
            let (lines, ()) = self.written(|server, out| call(server, token, out));
            assert!(lines.len() <= 1);
            self.settle(&lines, Cause::About(token));
        }
    }

    /// One request, or an error and nothing.
    fn application_asks(&mut self, choice: Option<u8>) {
        let (lines, result) = self.written(|server, out| match choice {
            Some(choice) => server.ask(&question(choice), out),
            None => server.ping(out),
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
                assert!(error != AskError::Busy || self.ledger.taken() == N);
            }
        }
    }

    /// Time passes: what is late is given up, and then nothing is late any more.
    pub(super) fn tick(&mut self, milliseconds: u64) {
        self.now = self.now.saturating_add(milliseconds);
        let now = self.now;
        if !self.has_time {
            self.has_time = true;
            self.ledger.begin_time(now);
        }
        self.rounds(
            |server, out| server.tick(Duration::from_millis(now), out),
            || Cause::Time,
        );
        let late = |deadline: u64| deadline <= now;
        for question in &self.ledger.questions {
            assert!(
                !question.is_open || !late(question.deadline),
                "not given up: {question:?}"
            );
        }
        for task in &self.ledger.tasks {
            assert!(
                task.is_forgotten || !late(task.end_of_life),
                "not forgotten: {task:?}"
            );
        }
        let waits = self.ledger.calls.iter().filter_map(|call| match call.waits {
            Waits::Task(token) => Some(token),
            _ => None,
        });
        for token in waits {
            let is_running = self
                .ledger
                .tasks
                .iter()
                .any(|task| task.token == token && !task.has_ended);
            assert!(is_running, "nobody is told of the end of {token:?}");
        }
    }

    /// Calls until it is done.
    pub(super) fn rounds(
        &mut self,
        mut call: impl FnMut(&mut Tested<'_, N, ID, TEXT>, &mut barewire::bytes::Sink<'_>) -> Status,
        cause: impl Fn() -> Cause,
    ) {
        loop {
            let (lines, status) = self.written(&mut call);
            self.settle(&lines, cause());
            if status == Status::Done {
                return;
            }
            assert!(!lines.is_empty(), "nothing to send, and not done");
        }
    }

    /// Every receiver is told at most once.
    fn tell(
        &mut self,
        mut call: impl FnMut(&mut Tested<'_, N, ID, TEXT>, &mut barewire::bytes::Sink<'_>) -> Status,
    ) {
        let mut all = Vec::new();
        loop {
            let (lines, status) = self.written(&mut call);
            self.settle(&lines, Cause::Nothing);
            assert!(!lines.is_empty() || status == Status::Done);
            all.extend(lines.into_iter().map(|line| line.text));
            if status == Status::Done {
                break;
            }
        }
        assert!(all.len() <= 1 + self.ledger.streams.len());
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "told twice");
    }

    /// Each stream gets its one response.
    fn end_streams(&mut self) {
        let mut found = Vec::new();
        loop {
            let (lines, status) = self.written(|server, out| server.end_streams(out));
            for (at, line) in lines.iter().enumerate() {
                assert!(at == 0 || !line.is_for_want_of_room(), "{lines:?}");
                found.push(line.answered_id().expect("a response").to_owned());
            }
            if status == Status::Done {
                break;
            }
        }
        let mut expected = std::mem::take(&mut self.ledger.streams);
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
        self.settle(&[], Cause::Nothing);
    }

    /// All that is owed is given, and then every table is empty.
    pub(super) fn end(&mut self) {
        self.server.handler_mut().follow(&[]);
        if self.room % 4 == 3 {
            self.client_is_gone();
        }
        while !self.ledger.calls.is_empty() || self.server.next_deadline().is_some() {
            while !self.ledger.deferred().is_empty() {
                self.complete(0, &[]);
            }
            self.tick(1 << 60);
        }
        self.end_streams();
        assert_eq!(self.server.in_flight(), 0);
        assert_eq!(self.ledger.kept_tasks(), 0);
        if !self.is_strict || self.server.session().is_some() {
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
        self.server.handler_mut().follow(&again);
        self.rounds(|server, out| server.end_questions(out), || Cause::Time);
        self.server.handler_mut().follow(&[]);
        assert!(self.ledger.questions.iter().all(|question| !question.is_open));
    }

    /// Each has its places again.
    fn every_table_is_empty(&mut self) {
        let modern = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
             \"io.modelcontextprotocol/clientCapabilities\":\
             {\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}";
        // What is written here has 300 bytes at most.
        let has_room = self.room >= 320;
        for place in (0..N).filter(|_| has_room) {
            self.request(
                place,
                "tools/call",
                &format!("\"name\":\"do\",{modern}"),
                &[BEGIN_TASK],
            );
            assert_eq!(
                self.ledger.kept_tasks(),
                place + 1,
                "there are places for {N} tasks"
            );
        }
        // The one that sessions subscribe to.
        self.request(0, "resources/unsubscribe", "\"uri\":\"demo://counter\"", &[]);
        for place in (0..N).filter(|_| has_room) {
            let uri = ["demo://counter", "demo://readme"][place % 2];
            let filter = format!("\"notifications\":{{\"resourceSubscriptions\":[\"{uri}\"]}}");
            self.request(place, "subscriptions/listen", &format!("{filter},{modern}"), &[]);
            assert_eq!(
                self.ledger.streams.len(),
                place + 1,
                "there are places for {N} streams"
            );
            let acknowledged = self
                .transcript
                .last()
                .is_some_and(|written| written.contains(uri));
            assert!(acknowledged, "there are places for {N} resources");
        }
        for place in 0..=N {
            self.request(N + place, "tools/call", "\"name\":\"do\"", &[DEFER]);
            assert_eq!(
                self.ledger.calls.len(),
                N.min(place + 1),
                "there are places for {N} calls"
            );
        }
    }

    fn request(&mut self, id: usize, method: &str, params: &str, script: &[u8]) {
        self.server.handler_mut().follow(script);
        let frame =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{{params}}}}}");
        self.frame(frame.as_bytes());
    }
}
