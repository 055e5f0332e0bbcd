//! What the application says of its tasks.

use barewire::engine::{AskError, Progress, Sent, TaskEnd, TaskToken};

use super::Session;
use super::ledger::Asker;
use super::settle::Cause;

impl<const N: usize, const BYTES: usize> Session<N, BYTES> {
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
        self.app.set_tasks(choice);
        let result = self.server.finish_task(token, end);
        assert_eq!(result.is_ok(), is_running, "{token:?}");
        self.ledger.task(token).expect("a task").has_ended = true;
        self.settle(&[], Cause::Nothing);
    }

    pub(super) fn describe_task(&mut self, at: usize) {
        if let Some((token, is_running)) = self.task_at(at) {
            let result = self.server.describe_task(token, "A text.");
            assert_eq!(result.is_ok(), is_running, "{token:?}");
        }
    }

    pub(super) fn task_progress(&mut self, at: usize, progress: i64) {
        let Some((token, is_running)) = self.task_at(at) else {
            return;
        };
        let progress = Progress::new(progress);
        let (lines, result) = self.written(|server, _, out| server.task_progress(token, progress, out));
        assert_eq!(result.is_ok(), is_running);
        let is_sent = matches!(result, Ok(Sent::To(_)));
        assert_eq!(lines.len(), usize::from(is_sent));
        self.settle(&lines, Cause::Task(token));
    }

    /// It asks the client of a legacy session at most one thing.
    pub(super) fn task_needs_input(&mut self, at: usize, script: &[u8]) {
        let Some((token, is_running)) = self.task_at(at) else {
            return;
        };
        let choice = script.first().copied().unwrap_or_default();
        self.app.set_tasks(choice);
        let (lines, result) = self.written(|server, app, out| server.task_needs_input(token, app, out));
        match result {
            Ok(sent) => {
                assert!(is_running, "{token:?} has ended");
                assert_eq!(lines.len(), usize::from(sent != Sent::Nothing));
                self.settle(&lines, Cause::Asked(Asker::Task(token)));
            }
            Err(error) => {
                assert_eq!(lines, []);
                assert_eq!(error == AskError::NotRunning, !is_running, "{token:?}: {error}");
                assert_eq!(error.to_string(), super::of_question(error));
            }
        }
    }
}
