//! What a handler answers with, a file for each kind of reply. Each writer puts its part straight into the output, inside
//! the result that the engine opens before the first part and closes after the last.

mod asking;
mod completion;
mod prompt;
mod questions;
mod resource;
mod tool;

pub(in crate::engine::server) use asking::{Answered, Asking, Way, can_ask, write_ping, write_request};
pub use completion::CompletionReply;
pub use prompt::PromptReply;
pub use questions::Questions;
pub use resource::ResourceReply;
pub use tool::ToolReply;

use super::answer::{self, LEAST_ANSWER, Tail, Written};
use super::{
    CallError, CallToken, Context, Disposition, Handler, NotKept, Parts, Progress, TaskToken, notify,
};
use crate::bytes::{Mark, Sink};
use crate::json::Writer;
use crate::mcp::{LoggingLevel, ProtocolVersion};

/// What all replies have: the line that is being written, and to what.
pub(in crate::engine::server) struct Line<'r, 'm> {
    json: Writer<'r, 'm>,
    /// What is answered. `None` for a value inside a line that somebody else writes.
    context: Option<&'r Context<'r>>,
    version: ProtocolVersion,
    /// The last progress that was reported.
    progress: Option<i64>,
    /// Where the result starts; notifications stand before it.
    start: Mark,
    has_begun: bool,
    misuse: Option<&'static str>,
    /// `None` where no questions are asked.
    asking: Option<&'r mut Asking<'r>>,
}

impl<'r, 'm> Line<'r, 'm> {
    fn new(
        out: &'r mut Sink<'m>,
        context: &'r Context<'r>,
        progress: Option<i64>,
        asking: Option<&'r mut Asking<'r>>,
    ) -> Self {
        let start = out.mark();
        Self {
            json: Writer::new(out),
            context: Some(context),
            version: context.version,
            progress,
            start,
            has_begun: false,
            misuse: None,
            asking,
        }
    }

    /// What is no line of its own, but a value inside one.
    fn inside(json: Writer<'r, 'm>, version: ProtocolVersion, asking: Option<&'r mut Asking<'r>>) -> Self {
        let (start, _) = json.mark();
        Self {
            json,
            context: None,
            version,
            progress: None,
            start,
            has_begun: false,
            misuse: None,
            asking,
        }
    }

    /// Opens the result, unless that was done.
    fn begin(&mut self, members: impl FnOnce(&mut Writer<'r, 'm>)) {
        if self.asking.as_ref().is_some_and(|asking| asking.has_asked) {
            self.misuse.get_or_insert("questions, and an answer");
        }
        if !self.has_begun {
            self.has_begun = true;
            match self.context {
                Some(context) => answer::begin(&mut self.json, &context.id, context.version),
                None => {
                    self.json.begin_object();
                }
            }
            members(&mut self.json);
        }
    }

    /// Takes back what was written of the result, and returns the last progress that was reported before it.
    fn take_back(&mut self) -> Option<i64> {
        let start = self.start;
        self.json.sink().rollback(start);
        self.progress
    }

    fn progress(&mut self, progress: &Progress<'_>) -> bool {
        let Some(token) = self.context.and_then(|context| context.progress_token) else {
            return false;
        };
        if self.progress.is_some_and(|last| progress.progress <= last) {
            return false;
        }
        let version = self.version;
        let written = self.notify(|out| notify::progress(out, version, token, progress, None));
        if written {
            self.progress = Some(progress.progress);
        }
        written
    }

    fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: &str) -> bool {
        let least = self.context.and_then(|context| context.log_level);
        least.is_some_and(|least| level >= least) && self.notify(|out| notify::log(out, level, logger, data))
    }

    /// Writes a line before the result, if that leaves room for some answer: a notification may be lost, the answer not.
    fn notify(&mut self, write: impl FnOnce(&mut Sink<'m>) -> Written) -> bool {
        let Some(context) = self.context.filter(|_| !self.has_begun) else {
            return false;
        };
        let least = LEAST_ANSWER.saturating_add(context.id.text_len());
        let start = self.start;
        let out = self.json.sink();
        let written = write(out) == Written::Yes && out.remaining() >= least;
        if !written {
            out.rollback(start);
        }
        self.start = out.mark();
        written
    }
}

impl<'r, 'm: 'r> Line<'r, 'm> {
    /// The end of the result, and of the line.
    fn finish(&mut self, tail: &Tail<'_, impl Handler + ?Sized, impl Parts>, is_meta_open: bool) -> Finished {
        match is_meta_open {
            true => tail.write_in_meta(&mut self.json),
            false => tail.write(&mut self.json),
        }
        if let Some(what) = self.misuse {
            self.take_back();
            return Finished::Misuse(what);
        }
        match answer::is_whole(self.json.sink(), self.start) {
            true => Finished::Written,
            false => Finished::TooLarge,
        }
    }

    /// What a handler made of a reply that is not to be finished.
    fn settle<'a>(
        &mut self,
        outcome: Result<Disposition, CallError<'a>>,
        tail: &Tail<'_, impl Handler + ?Sized, impl Parts>,
    ) -> Settled<'a> {
        match outcome {
            Ok(Disposition::Asked) => self.finish_asking(tail),
            Ok(Disposition::Deferred(token)) => Settled::Deferred(token, self.take_back()),
            Ok(Disposition::Task(token)) => Settled::Task(token, self.take_back()),
            // Whose end was written before.
            Ok(Disposition::Done) => Settled::Finished(Finished::Written),
            Err(error) => {
                self.take_back();
                Settled::Refused(error)
            }
        }
    }
}

/// A reply that was written, or why not.
pub(super) enum Finished {
    Written,
    /// It does not fit, and something short took its place.
    Instead,
    /// It does not fit, and was taken back.
    TooLarge,
    /// The handler broke a rule of the reply, which was taken back.
    Misuse(&'static str),
    /// The reply asks, but there is no room for the texts that must be kept. It was rolled back.
    NotKept(NotKept),
}

/// What all replies are to the engine. What is the same for all of them is a matter of [`Line`], so that it is linked once.
pub(in crate::engine::server) trait Reply<'r, 'm: 'r> {
    /// Closes what the reply has opened inside the result.
    fn close(&mut self);

    fn line(&mut self) -> &mut Line<'r, 'm>;

    /// Whether metadata are open after that.
    fn is_meta_open(&self) -> bool {
        false
    }

    /// Makes the reply say that what ran has failed, if it can say so.
    fn fail_with(&mut self, text: &str) -> bool {
        let _ = text;
        false
    }

    /// Puts something short in the place of a reply that has no room, if there is something.
    fn shorten(&mut self) -> bool {
        false
    }

    /// The end of the reply, and of its line.
    fn finish(&mut self, tail: &Tail<'_, impl Handler + ?Sized, impl Parts>) -> Finished {
        let mut is_short = false;
        loop {
            self.close();
            let is_meta_open = self.is_meta_open();
            match self.line().finish(tail, is_meta_open) {
                Finished::TooLarge if !is_short && self.shorten() => is_short = true,
                Finished::Written if is_short => return Finished::Instead,
                finished => return finished,
            }
        }
    }

    /// What a handler made of the reply.
    fn settle<'a>(
        &mut self,
        outcome: Result<Disposition, CallError<'a>>,
        tail: &Tail<'_, impl Handler + ?Sized, impl Parts>,
    ) -> Settled<'a> {
        match outcome {
            Ok(Disposition::Done) => Settled::Finished(self.finish(tail)),
            Err(CallError::Failed(text)) if self.fail_with(text) => Settled::Failed(self.finish(tail)),
            outcome => self.line().settle(outcome, tail),
        }
    }
}

/// How a call of the handler ended.
pub(in crate::engine::server) enum Settled<'a> {
    Finished(Finished),
    /// The reply says that the tool has failed.
    Failed(Finished),
    /// With the last progress that was reported.
    Deferred(CallToken, Option<i64>),
    /// The call is to go on as this task, with the last progress that was reported.
    Task(TaskToken, Option<i64>),
    /// A legacy client was asked; the call is to be kept.
    Asked {
        /// How much of the memory of the questions is used.
        kept: usize,
        progress: Option<i64>,
    },
    Refused(CallError<'a>),
}
