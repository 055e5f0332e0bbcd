//! What a server wrote, against what it owes.

use std::collections::VecDeque;

use barewire::engine::{CallToken, TaskToken};

use super::super::super::application::{Later, Run, Seen};
use super::ledger::{Asker, Call, Declared, Progress, Question, State, Stream, Task, Waits};
use super::lines::{Line, What, at, has};
use super::{LEAST, Session};

/// A request that was received.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) id: String,
    pub(super) method: String,
    pub(super) text: String,
    pub(super) is_modern: bool,
    pub(super) declared: Declared,
    pub(super) progress: Progress,
}

/// What has made the server write.
#[derive(Debug)]
pub(super) enum Cause {
    Request(Received),
    /// The client's answer to this question.
    Answer(i64),
    /// The client has cancelled the call with this id.
    Cancelled(String),
    /// The application has answered this call.
    Completed(CallToken),
    /// It reports about this call.
    About(CallToken),
    /// It reports about this task.
    Task(TaskToken),
    Asked(Asker),
    /// It was due: time has passed, or something was said before.
    Due,
    /// Anything that is owed no answer.
    Nothing,
}

const META: &str = "_meta";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

impl Received {
    pub(super) fn of(text: &str, id: &str, method: &str) -> Self {
        let key = |name: &str| format!("io.modelcontextprotocol/{name}");
        let meta = |name: &str| at(text, &["params", META, name]);
        let capabilities = meta(&key("clientCapabilities"));
        let token = meta("progressToken").map(str::to_owned);
        Self {
            id: id.to_owned(),
            method: serde_json::from_str(method).unwrap_or_default(),
            text: text.to_owned(),
            is_modern: capabilities.is_some() || meta(&key("protocolVersion")).is_some(),
            declared: Declared::of(capabilities.unwrap_or("{}")),
            progress: Progress { token, last: None },
        }
    }
}

impl<const N: usize, const BYTES: usize> Session<N, BYTES> {
    /// Accounts for all that one output holds, and for what the application noted meanwhile.
    pub(super) fn settle(&mut self, lines: &[Line], mut cause: Cause) {
        let mut seen = std::mem::take(self.app.seen());
        self.maybe_restarted(lines, &cause, &mut seen);
        self.hear_of_tasks(&seen, &cause);
        let new_task = match &cause {
            Cause::Request(received) => self.maybe_new_task(lines, received, &seen.runs),
            _ => None,
        };
        for line in lines {
            self.look_at(line, &mut cause, &seen.runs);
        }
        if let (Some(token), Cause::Request(received)) = (new_task, &cause) {
            // A task reports under the token of its request, from where that was.
            self.ledger.task(token).expect("a task").progress = received.progress.clone();
        }
        let mut responses: Vec<&Line> = lines.iter().filter(|line| line.answered_id().is_some()).collect();
        // Where there is a next output, no answer may suffer from those before it.
        for line in responses.iter().skip(1) {
            assert!(!line.is_for_want_of_room(), "{line:?} behind {:?}", responses[0]);
        }
        let is_question = |line: &&Line| matches!(line.what, What::Request { .. });
        let mut questions: VecDeque<&Line> = lines.iter().filter(is_question).collect();
        let is_due = matches!(cause, Cause::Due);
        if is_due {
            assert!(responses.len() <= 1, "no output of its own: {lines:?}");
        }
        self.hear_of_answers(&seen, &cause);
        for run in &seen.runs {
            if matches!(&cause, Cause::Request(received) if received.id == run.id) {
                continue;
            }
            let waits = self.ledger.call(&run.id).map(|call| call.waits.clone());
            let Some(Waits::Client(question)) = waits else {
                panic!("{run:?} without a question: {waits:?}");
            };
            self.close_question(question, &cause);
            let call = self.take_call(&run.id).expect("the call is there");
            self.go_on(call, Some(run), &mut responses, &mut questions);
        }
        match cause {
            Cause::Request(received) => {
                self.answer(received, &seen.runs, lines, &mut responses, &mut questions)
            }
            Cause::Asked(asker) => {
                if let Some(line) = questions.pop_front() {
                    self.ask(line, asker);
                }
            }
            Cause::Completed(token) => {
                let waits = |call: &Call| matches!(call.waits, Waits::Application(of, _) if of == token);
                let at = self.ledger.calls.iter().position(waits).expect("the call waits");
                let call = self.ledger.calls.remove(at);
                self.go_on(call, None, &mut responses, &mut questions);
            }
            _ => {}
        }
        for line in responses {
            assert!(is_due, "{line:?} to nobody");
            self.end_of_waiting(line);
        }
        assert!(questions.is_empty(), "who asks {questions:?}?");
        self.drop_questions_of_ended_tasks();
    }

    /// The response to a stream that was ended, or to what waits for a task that has ended.
    fn end_of_waiting(&mut self, line: &Line) {
        let is_it = |id: &str| self.is_answer(line, id);
        let ledger = &self.ledger;
        let is_over = |call: &Call| match call.waits {
            Waits::Task(token) => ledger.tasks.iter().any(|task| task.token == token && task.has_ended),
            _ => false,
        };
        if let Some(at) = ledger.calls.iter().position(|call| is_it(&call.id) && is_over(call)) {
            self.ledger.calls.remove(at);
            return;
        }
        let mut streams = ledger.streams.iter();
        let at = streams.position(|stream| is_it(&stream.id) && stream.is_ending);
        self.ledger.streams.remove(at.unwrap_or_else(|| panic!("{line:?} to nobody")));
    }

    /// Whether it answers this request, if only with `null` where the id has no room.
    fn is_answer(&self, line: &Line, id: &str) -> bool {
        let answered = line.answered_id();
        answered == Some(id) || (answered == Some("null") && LEAST + id.len() > self.room)
    }

    /// A call is answered, or kept.
    fn go_on(
        &mut self,
        call: Call,
        run: Option<&Run>,
        responses: &mut Vec<&Line>,
        questions: &mut VecDeque<&Line>,
    ) {
        if let Some(at) = responses.iter().position(|line| self.is_answer(line, &call.id)) {
            responses.remove(at);
            return;
        }
        let run = run.unwrap_or_else(|| panic!("{call:?} is lost"));
        let waits = match run.later {
            Some(Later::Answer(token)) if self.server.is_in_flight(token) => {
                Waits::Application(token, run.kind)
            }
            _ => {
                let question = questions.pop_front().unwrap_or_else(|| panic!("{call:?} is lost"));
                Waits::Client(self.ask(question, Asker::Call(call.id.clone())))
            }
        };
        self.ledger.calls.push(Call { waits, ..call });
    }

    /// The request is answered, kept, or a stream.
    fn answer(
        &mut self,
        received: Received,
        runs: &[Run],
        lines: &[Line],
        responses: &mut Vec<&Line>,
        questions: &mut VecDeque<&Line>,
    ) {
        assert!(runs.len() <= 1, "ran twice: {runs:?}");
        let call = Call { id: received.id, waits: Waits::Client(0), progress: received.progress };
        let is_answered = !responses.is_empty();
        let acknowledged = "notifications/subscriptions/acknowledged";
        match received.method.as_str() {
            "subscriptions/listen" if !is_answered => {
                let [line] = lines else {
                    panic!("a stream without an acknowledgement: {lines:?}");
                };
                assert!(line.notifies_of(acknowledged), "{line:?}");
                self.ledger.streams.push(Stream { id: call.id, is_ending: false });
            }
            "tasks/result" if !is_answered => {
                let id = at(&received.text, &["params", "taskId"]).unwrap_or_default();
                let task = self.ledger.task_of_id(id).expect("a task");
                assert!(!task.has_ended, "waits for the end of a task that has ended");
                let waits = Waits::Task(task.token);
                self.ledger.calls.push(Call { waits, ..call });
            }
            _ => self.go_on(call, runs.first(), responses, questions),
        }
    }

    /// A question, with its id.
    fn ask(&mut self, line: &Line, asker: Asker) -> i64 {
        let What::Request { id, .. } = line.what else {
            panic!("{line:?} is no question");
        };
        self.ledger.questions.push(Question {
            id,
            asker,
            deadline: self.now + self.patience,
            state: State::Open,
        });
        id
    }

    fn take_call(&mut self, id: &str) -> Option<Call> {
        let at = self.ledger.calls.iter().position(|call| call.id == id)?;
        Some(self.ledger.calls.remove(at))
    }

    /// A question is over: answered now, or late.
    fn close_question(&mut self, id: i64, cause: &Cause) {
        let question = self.ledger.question(id).expect("a question");
        let is_late = matches!(cause, Cause::Due) && question.state == State::Late;
        let is_answered = matches!(cause, Cause::Answer(answered) if *answered == id) && question.is_open();
        assert!(is_late || is_answered, "{question:?}: {cause:?}");
        question.state = State::Over;
    }

    /// `initialize` starts afresh where that is allowed. Every deferred call is heard of once when it is cancelled, and
    /// nothing else is.
    fn maybe_restarted(&mut self, lines: &[Line], cause: &Cause, seen: &mut Seen) {
        let mut cancelled: Vec<CallToken> = Vec::new();
        let deferred = self.ledger.deferred();
        let tokens = |id: Option<&String>| -> Vec<CallToken> {
            let wanted = deferred.iter().filter(|(.., of)| id.is_none_or(|id| id == of));
            wanted.map(|(token, ..)| *token).collect()
        };
        match cause {
            Cause::Request(received)
                if lines.iter().any(|line| line.at(&["result", "protocolVersion"]).is_some()) =>
            {
                if self.is_restartable {
                    cancelled = tokens(None);
                    let own = self.ledger.own_questions();
                    assert!(own.iter().all(|token| seen.answered.contains(token)), "{own:?}");
                    seen.answered.retain(|token| !own.contains(token));
                    self.ledger.reset();
                }
                let capabilities = at(&received.text, &["params", "capabilities"]).unwrap_or("{}");
                let version = self.server.session(0).expect("a session");
                self.ledger.session = Some((version, Declared::of(capabilities)));
            }
            Cause::Cancelled(id) => cancelled = tokens(Some(id)),
            _ => {}
        }
        let (mut heard, mut expected) = (seen.cancelled.clone(), cancelled);
        heard.sort_by_key(|token| format!("{token:?}"));
        expected.sort_by_key(|token| format!("{token:?}"));
        assert_eq!(heard, expected, "cancelled by {cause:?}");
    }

    fn hear_of_tasks(&mut self, seen: &Seen, cause: &Cause) {
        let now = self.now;
        for token in &seen.task_cancelled {
            let task = self.ledger.task(*token).expect("a task");
            assert!(!task.has_ended && matches!(cause, Cause::Request(_)), "{task:?}: {cause:?}");
            task.has_ended = true;
        }
        for token in &seen.task_forgotten {
            // A task that the client was never told of is none.
            let Some(task) = self.ledger.task(*token) else {
                continue;
            };
            let is_over = matches!(cause, Cause::Due) && task.end_of_life <= now;
            let makes_room = matches!(cause, Cause::Request(_)) && task.has_ended;
            assert!(is_over || makes_room, "{task:?} is forgotten by {cause:?}");
            task.has_ended = true;
            task.is_forgotten = true;
        }
    }

    /// The application hears of the answers to its own questions, and to those of its tasks.
    fn hear_of_answers(&mut self, seen: &Seen, cause: &Cause) {
        let own = seen.answered.iter().map(|token| Asker::Application(*token));
        let is_update = matches!(cause, Cause::Request(received) if received.method == "tasks/update");
        if is_update {
            // A task of the legacy era may be answered by a modern client.
            let is_answered =
                |asker: &Asker| matches!(asker, Asker::Task(token) if seen.task_answered.contains(token));
            self.ledger.withdraw(is_answered);
        }
        let of_tasks = seen.task_answered.iter().filter(|_| !is_update);
        for asker in own.chain(of_tasks.map(|token| Asker::Task(*token))) {
            let mut questions = self.ledger.questions.iter();
            let is_meant = |question: &&Question| match cause {
                Cause::Answer(id) => question.id == *id,
                _ => question.state == State::Late,
            };
            let question = questions.find(|question| question.asker == asker && is_meant(question));
            let id = question.unwrap_or_else(|| panic!("{asker:?} has asked nothing")).id;
            self.close_question(id, cause);
        }
    }

    /// What is registered of a task that has just begun.
    fn maybe_new_task(&mut self, lines: &[Line], received: &Received, runs: &[Run]) -> Option<TaskToken> {
        let Some(Later::Task(token)) = runs.first().and_then(|run| run.later) else {
            return None;
        };
        let mut created = lines.iter().filter(|line| line.answered_id().is_some()).filter_map(|line| {
            let legacy = line.at(&["result", "task"]);
            legacy.or_else(|| line.at(&["result"]).filter(|result| has(result, &["taskId"])))
        });
        let task = created.next()?;
        let ttl = at(task, &["ttlMs"]).or_else(|| at(task, &["ttl"])).unwrap_or_default();
        let ttl: u64 = ttl.parse().expect("a number");
        let legacy = self.ledger.session.map(|(_, declared)| declared).unwrap_or_default();
        self.ledger.tasks.push(Task {
            token,
            id: at(task, &["taskId"]).unwrap_or_default().to_owned(),
            end_of_life: self.now.saturating_add(ttl),
            has_ended: false,
            is_forgotten: false,
            states: [None, None],
            progress: Progress::default(),
            declared: if received.is_modern { received.declared } else { legacy },
        });
        Some(token)
    }

    fn drop_questions_of_ended_tasks(&mut self) {
        let ended = self.ledger.tasks.iter().filter(|task| task.has_ended);
        let ended: Vec<TaskToken> = ended.map(|task| task.token).collect();
        self.ledger.withdraw(|asker| matches!(asker, Asker::Task(token) if ended.contains(token)));
    }

    /// The stream of a notification, if it belongs to one.
    pub(super) fn stream_of(line: &Line) -> Option<&str> {
        line.at(&["params", META, SUBSCRIPTION])
    }
}
