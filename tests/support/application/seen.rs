//! What the application notes down, for the test to ask.

use barewire::demo::Host;
use barewire::engine::{CallError, CallToken, Event, TaskToken};

/// Which of the three kinds of call a handler was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A tool.
    Tool,
    /// A resource.
    Read,
    /// A prompt.
    Prompt,
}

/// One run of a handler.
#[derive(Debug)]
pub struct Run {
    /// The id of its request, as it was written.
    pub id: String,
    /// What was asked.
    pub kind: Kind,
    /// What it has left for later; none if it has answered, asked or failed.
    pub later: Option<Later>,
}

/// What a handler leaves for later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    /// The answer.
    Answer(CallToken),
    /// A task.
    Task(TaskToken),
}

/// What happened since the test asked last.
#[derive(Debug, Default)]
pub struct Seen {
    /// What the run that goes on has left for later.
    pub later: Option<Later>,
    /// Runs of handlers, in order.
    pub runs: Vec<Run>,
    /// Calls of the demo's that wait for their answer.
    pub deferred: Vec<CallToken>,
    /// Calls that were cancelled.
    pub cancelled: Vec<CallToken>,
    /// Questions of the application's own that were answered, or timed out.
    pub answered: Vec<CallToken>,
    /// Tasks whose questions were answered, or timed out.
    pub task_answered: Vec<TaskToken>,
    /// Tasks that were cancelled.
    pub task_cancelled: Vec<TaskToken>,
    /// Tasks that were forgotten.
    pub task_forgotten: Vec<TaskToken>,
    /// Responses that nobody waited for.
    pub responses: usize,
    /// Lines for which there was no room.
    pub no_room: usize,
}

impl Host for Seen {
    fn start_slow(&mut self, token: CallToken, _: u32) -> Result<(), CallError<'static>> {
        self.deferred.push(token);
        self.later = Some(Later::Answer(token));
        Ok(())
    }

    fn start_task(&mut self, token: TaskToken, _: u32) -> Result<(), CallError<'static>> {
        self.later = Some(Later::Task(token));
        Ok(())
    }

    fn resource_changed(&mut self, _: &'static str) {}

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Cancelled(token) => {
                self.deferred.retain(|waiting| *waiting != token);
                self.cancelled.push(token);
            }
            Event::Answered(token, answer) => {
                let _ = (answer.elicited(), answer.sampled(), answer.roots());
                self.answered.push(token);
            }
            Event::TaskCancelled(token) => self.task_cancelled.push(token),
            Event::TaskForgotten(token) => self.task_forgotten.push(token),
            Event::Response(_) => self.responses += 1,
            Event::NoRoom => self.no_room += 1,
            _ => {}
        }
    }
}
