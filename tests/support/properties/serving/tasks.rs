//! What the application says of its tasks.

use barewire::engine::{AskError, Progress, Status, TaskEnd, TaskToken};

use super::Session;
use super::ledger::{Asker, Waits};
use super::settle::Cause;

impl<const N: usize, const ID: usize, const TEXT: usize> Session<'_, N, ID, TEXT> {
    /// One of the latest tasks, also of those that have ended, and whether it runs.
    fn task_at(&self, at: usize) -> Option<(TaskToken, bool)> {
        let task = self.ledger.tasks.iter().rev().nth(at)?;
        Some((task.token, !task.has_ended))
    }

    /// It ends once; whoever waits for that is answered.
    pub(super) fn finish_task(&mut self, at: usize, end: TaskEnd, script: &[u8]) {
        let Some((token, is_running)) = self.task_at(at) else {
            return;
        };
        let choice = script.first().copied().unwrap_or_default();
        self.server.handler_mut().set_tasks(choice);
        if !is_running {
            let (lines, result) = self.written(|server, out| server.finish_task(token, end, out));
            assert!(lines.is_empty() && result.is_err(), "{token:?} ends twice");
            return;
        }
        self.ledger.task(token).expect("a task").has_ended = true;
        self.rounds(
            |server, out| server.finish_task(token, end, out).expect("the task runs"),
            || Cause::Task(token),
        );
        let mut waits = self.ledger.calls.iter().map(|call| &call.waits);
        assert!(
            waits.all(|waits| *waits != Waits::Task(token)),
            "{:?}",
            self.ledger
        );
    }

    pub(super) fn describe_task(&mut self, at: usize) {
        let Some((token, is_running)) = self.task_at(at) else {
            return;
        };
        if !is_running {
            let (lines, result) = self.written(|server, out| server.describe_task(token, "text", out));
            assert!(lines.is_empty() && result.is_err());
            return;
        }
        self.rounds(
            |server, out| {
                server
                    .describe_task(token, "A text.", out)
                    .expect("the task runs")
            },
            || Cause::Task(token),
        );
    }

    pub(super) fn task_progress(&mut self, at: usize, progress: i64) {
        let Some((token, is_running)) = self.task_at(at) else {
            return;
        };
        let progress = Progress::new(progress);
        let (lines, result) = self.written(|server, out| server.task_progress(token, &progress, out));
        assert_eq!(result.is_ok(), is_running);
        assert_eq!(lines.len(), usize::from(result == Ok(true)));
        self.settle(&lines, Cause::Task(token));
    }

    /// It asks the client of a legacy session at most one thing.
    pub(super) fn task_needs_input(&mut self, at: usize, script: &[u8]) {
        let Some((token, is_running)) = self.task_at(at) else {
            return;
        };
        let choice = script.first().copied().unwrap_or_default();
        self.server.handler_mut().set_tasks(choice);
        loop {
            let (lines, result) = self.written(|server, out| server.task_needs_input(token, out));
            let status = match result {
                Ok(status) => status,
                Err(error) => {
                    assert_eq!(lines, []);
                    assert_eq!(error == AskError::NotRunning, !is_running, "{token:?}: {error}");
                    assert_eq!(error.to_string(), super::of_question(error));
                    return;
                }
            };
            assert!(is_running, "{token:?} has ended");
            self.settle(&lines, Cause::Asked(Asker::Task(token)));
            if status == Status::Done {
                return;
            }
            assert!(!lines.is_empty(), "nothing to send, and not done");
        }
    }
}
