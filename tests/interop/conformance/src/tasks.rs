//! Tools that become tasks: what each task does, and its result.

use std::collections::HashMap;
use std::time::Duration;

use barewire::engine::{
    Answers, CallError, Outcome, TaskEnd, TaskHandler, TaskQuestions, TaskToken, ToolContent, ToolReply,
};
use barewire::mcp::Elicitation;
use barewire_http::Handle;

use crate::samples::CONFIRM;

/// What a task does.
pub(crate) enum Work {
    /// It computes, and has this result.
    Result(String),
    /// It fails, as a tool does.
    ToolError,
    /// It fails with a protocol error.
    Error,
    /// It waits for the answers to these questions: pairs of a key and a message.
    Questions(Vec<(&'static str, String)>),
}

impl Work {
    const fn end(&self) -> TaskEnd {
        match self {
            Self::Result(_) | Self::Questions(_) => TaskEnd::Completed,
            Self::ToolError => TaskEnd::ToolError,
            Self::Error => TaskEnd::Error,
        }
    }
}

/// All tasks that the server remembers.
pub(crate) struct Tasks {
    handle: Handle,
    works: HashMap<TaskToken, Work>,
}

impl Tasks {
    pub(crate) fn new(handle: Handle) -> Self {
        Self { handle, works: HashMap::new() }
    }

    /// Answers a call with a task that ends after this time, or asks at once.
    pub(crate) fn start(
        &mut self,
        reply: ToolReply<'_, '_>,
        time: Duration,
        work: Work,
    ) -> Result<Outcome, CallError<'static>> {
        let (task, outcome) = reply.start_task()?;
        if let Work::Questions(_) = work {
            self.handle.task_needs_input(task);
        } else {
            let (handle, end) = (self.handle.clone(), work.end());
            tokio::spawn(async move {
                tokio::time::sleep(time).await;
                // If the client has cancelled the task, nothing happens.
                handle.finish_task(task, end);
            });
        }
        self.works.insert(task, work);
        Ok(outcome)
    }

    pub(crate) fn forget(&mut self, task: TaskToken) {
        self.works.remove(&task);
    }
}

impl TaskHandler for Tasks {
    fn task_result<'a>(
        &mut self,
        task: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match self.works.get(&task) {
            Some(Work::Result(text)) => Ok(content.text(text).done()),
            Some(Work::ToolError) => Err(CallError::Failed("The job failed, as it always does.")),
            Some(Work::Questions(_)) => Ok(content.text("All questions were answered.").done()),
            Some(Work::Error) | None => Err(CallError::Internal),
        }
    }

    fn task_questions(&mut self, task: TaskToken, questions: &mut TaskQuestions<'_, '_>) {
        if let Some(Work::Questions(open)) = self.works.get(&task) {
            for (key, message) in open {
                questions.ask(key, &Elicitation::form(message, CONFIRM).into());
            }
        }
    }

    fn task_answered(&mut self, task: TaskToken, answers: Answers<'_>) {
        if let Some(Work::Questions(open)) = self.works.get_mut(&task) {
            open.retain(|(key, _)| answers.get(key).is_none());
            match open.is_empty() {
                true => self.handle.finish_task(task, TaskEnd::Completed),
                // The client finds the others in the task.
                false => self.handle.task_needs_input(task),
            }
        }
    }
}
