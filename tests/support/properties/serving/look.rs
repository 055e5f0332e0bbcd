//! What each line must be, whatever it was written for.

use barewire::engine::TaskToken;

use super::super::super::application::Run;
use super::super::super::tree;
use super::Session;
use super::ledger::{Asker, Progress, State, Waits};
use super::lines::{Line, What, at, has};
use super::settle::Cause;

impl<const N: usize, const BYTES: usize> Session<N, BYTES> {
    pub(super) fn look_at(&mut self, line: &Line, cause: &mut Cause, runs: &[Run]) {
        match &line.what {
            What::Response(_) => self.look_at_response(line, cause),
            What::Request { id, .. } => self.look_at_question(line, *id, cause),
            What::Notification(method) => match method.as_str() {
                "notifications/progress" => self.look_at_progress(line, cause, runs),
                "notifications/cancelled" => self.look_at_cancellation(line, cause),
                "notifications/tasks/status" | "notifications/tasks" => {
                    self.look_at_task(line.at(&["params"]).unwrap_or("{}"));
                }
                _ => {}
            },
        }
        self.look_at_stream(line, cause);
    }

    fn look_at_response(&mut self, line: &Line, cause: &Cause) {
        let Some(result) = line.at(&["result"]) else {
            return;
        };
        if at(result, &["resultType"]) == Some("\"input_required\"") {
            let Cause::Request(received) = cause else {
                panic!("{line:?} is no answer to a request");
            };
            let requests = at(result, &["inputRequests"]).and_then(tree::members).unwrap_or_default();
            for (_, request) in requests {
                assert!(received.declared.allows(request, None), "{request} to {received:?}");
            }
        }
        let task = at(result, &["task"]).or_else(|| has(result, &["taskId"]).then_some(result));
        let tasks = at(result, &["tasks"]).and_then(tree::elements).unwrap_or_default();
        for task in tasks.into_iter().chain(task) {
            self.look_at_task(task);
        }
    }

    /// A request of the server's own: an id that was never used, what the client has declared, never in the modern era.
    fn look_at_question(&mut self, line: &Line, id: i64, cause: &Cause) {
        assert!(self.ledger.question(id).is_none(), "asked under a used id: {line:?}");
        assert!(
            !matches!(cause, Cause::Request(received) if received.is_modern),
            "a modern client is asked: {line:?}"
        );
        let (version, declared) = self.ledger.session.expect("a session");
        assert!(declared.allows(&line.text, Some(version)), "undeclared: {line:?}");
    }

    /// The token as it was sent, and more each time.
    fn look_at_progress(&mut self, line: &Line, cause: &mut Cause, runs: &[Run]) {
        let token = line.at(&["params", "progressToken"]).unwrap_or_default();
        let value: i64 = line.at(&["params", "progress"]).unwrap_or_default().parse().expect("an integer");
        let progress = self.progress_of(token, cause, runs);
        assert_eq!(progress.token.as_deref(), Some(token), "{line:?}");
        assert!(progress.last.is_none_or(|last| value > last), "{line:?} behind {progress:?}");
        progress.last = Some(value);
    }

    fn progress_of<'s>(&'s mut self, token: &str, cause: &'s mut Cause, runs: &[Run]) -> &'s mut Progress {
        if let Cause::Task(of) = cause {
            return &mut self.ledger.task(*of).expect("a task").progress;
        }
        let mut calls = self.ledger.calls.iter_mut();
        match cause {
            Cause::Request(received) => &mut received.progress,
            Cause::About(of) | Cause::Completed(of) => {
                let call =
                    calls.find(|call| matches!(call.waits, Waits::Application(token, _) if token == *of));
                &mut call.expect("a call").progress
            }
            _ => {
                let is_meant = |id: &String| runs.iter().any(|run| run.id == *id);
                let call =
                    calls.find(|call| is_meant(&call.id) && call.progress.token.as_deref() == Some(token));
                &mut call.unwrap_or_else(|| panic!("progress {token} of nothing")).progress
            }
        }
    }

    /// A question is given up: late, or nobody needs its answer.
    fn look_at_cancellation(&mut self, line: &Line, cause: &Cause) {
        assert!(matches!(cause, Cause::Due), "{line:?}: {cause:?}");
        let id = line.at(&["params", "requestId"]).and_then(|id| id.parse().ok());
        let now = self.now;
        let question = id.and_then(|id| self.ledger.question(id)).expect("a question");
        let (asker, is_late) = (question.asker.clone(), question.deadline <= now);
        let has_ended = match asker {
            Asker::Task(token) => self.ledger.task(token).is_some_and(|task| task.has_ended),
            _ => false,
        };
        let question = id.and_then(|id| self.ledger.question(id)).expect("a question");
        question.state = match question.state {
            State::Withdrawn => State::Over,
            State::Open if has_ended => State::Over,
            State::Open if is_late => State::Late,
            _ => panic!("{line:?}: {question:?}"),
        };
    }

    /// Final if and only if the task has ended, and then for good.
    fn look_at_task(&mut self, text: &str) {
        let id = at(text, &["taskId"]).expect("an id");
        let status = at(text, &["status"]).expect("a status").to_owned();
        let is_modern = has(text, &["ttlMs"]);
        let task = self.ledger.task_of_id(id).unwrap_or_else(|| panic!("unknown task {text}"));
        assert!(!task.is_forgotten, "a forgotten task: {text}");
        let is_final = ["\"completed\"", "\"failed\"", "\"cancelled\""].contains(&status.as_str());
        assert_eq!(is_final, task.has_ended, "{text}: {task:?}");
        let last = &mut task.states[usize::from(is_modern)];
        if is_final
            && let Some(last) = last.as_deref()
            && last.starts_with("final")
        {
            assert_eq!(last, format!("final {status}"), "{text}");
        }
        *last = Some(if is_final { format!("final {status}") } else { status });
        let requests = at(text, &["inputRequests"]).and_then(tree::members).unwrap_or_default();
        for (_, request) in requests {
            assert!(task.declared.allows(request, None), "{request} of {task:?}");
        }
    }

    /// The first line of a stream is its acknowledgement, and there is none behind its end.
    fn look_at_stream(&mut self, line: &Line, cause: &Cause) {
        let Some(id) = Self::stream_of(line) else {
            return;
        };
        let is_open = self.ledger.streams.iter().any(|stream| stream.id == id);
        if line.notifies_of("notifications/subscriptions/acknowledged") {
            let is_asked_for = matches!(cause, Cause::Request(received) if received.id == id);
            assert!(is_asked_for && !is_open, "{line:?}: {cause:?}");
        } else {
            assert!(is_open, "{line:?}: no such stream");
        }
    }

    /// Tasks, as the ledger has them, are as the server has them.
    pub(super) fn tasks_agree(&mut self) {
        let running: Vec<(TaskToken, bool)> =
            self.ledger.tasks.iter().map(|task| (task.token, !task.has_ended)).collect();
        for (token, is_running) in running {
            assert_eq!(self.server.is_task_running(token), is_running, "{token:?}");
        }
    }
}
