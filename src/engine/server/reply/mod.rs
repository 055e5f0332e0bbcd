//! What a handler answers with, a file for each kind of reply. Each writer puts its part straight into the output, inside
//! the result that the engine opens before the first part and closes behind the last.

mod completion;
mod prompt;
mod resource;
mod tool;

pub use completion::CompletionReply;
pub use prompt::{PromptReply, Role};
pub use resource::ResourceReply;
pub use tool::ToolReply;

use super::answer::{self, LEAST_ANSWER, Tail, Written};
use super::{CallError, CallToken, Context, Disposition, Progress, notify};
use crate::bytes::{Mark, Sink};
use crate::json::Writer;
use crate::mcp::{LoggingLevel, ProtocolVersion};
use crate::rpc::RequestId;

/// What all replies have: the line that is being written, and to what.
pub(in crate::engine::server) struct Line<'r, 'm> {
    json: Writer<'r, 'm>,
    id: RequestId<'r>,
    version: ProtocolVersion,
    progress_token: Option<RequestId<'r>>,
    progress: Option<i64>,
    log_level: Option<LoggingLevel>,
    /// Where the result starts; notifications stand before it.
    start: Mark,
    has_begun: bool,
    misuse: Option<&'static str>,
}

impl<'r, 'm> Line<'r, 'm> {
    fn new(out: &'r mut Sink<'m>, to: &To<'r>) -> Self {
        let start = out.mark();
        Self {
            json: Writer::new(out),
            id: to.id,
            version: to.version,
            progress_token: to.progress_token,
            progress: to.progress,
            log_level: to.log_level,
            start,
            has_begun: false,
            misuse: None,
        }
    }

    /// Opens the result, unless that was done.
    fn begin(&mut self, members: impl FnOnce(&mut Writer<'r, 'm>)) {
        if !self.has_begun {
            self.has_begun = true;
            answer::begin(&mut self.json, self.id, self.version);
            members(&mut self.json);
        }
    }

    fn progress(&mut self, progress: &Progress<'_>) -> bool {
        let Some(token) = self.progress_token else {
            return false;
        };
        if self.progress.is_some_and(|last| progress.progress <= last) {
            return false;
        }
        let version = self.version;
        let written = self.notify(|out| notify::progress(out, version, token, progress));
        if written {
            self.progress = Some(progress.progress);
        }
        written
    }

    fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: &str) -> bool {
        self.log_level.is_some_and(|least| level >= least)
            && self.notify(|out| notify::log(out, level, logger, data))
    }

    /// Writes a line before the result, if that leaves room for some answer: a notification may be lost, the answer not.
    fn notify(&mut self, write: impl FnOnce(&mut Sink<'m>) -> Written) -> bool {
        if self.has_begun {
            return false;
        }
        let least = LEAST_ANSWER.saturating_add(self.id.text_len());
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

/// What a reply answers.
#[derive(Clone, Copy)]
pub(super) struct To<'a> {
    pub(super) id: RequestId<'a>,
    pub(super) version: ProtocolVersion,
    pub(super) progress_token: Option<RequestId<'a>>,
    pub(super) progress: Option<i64>,
    pub(super) log_level: Option<LoggingLevel>,
}

impl<'a> To<'a> {
    pub(super) const fn request(context: &Context<'a>) -> Self {
        Self {
            id: context.id,
            version: context.version,
            progress_token: context.progress_token,
            progress: None,
            log_level: context.log_level,
        }
    }
}

/// A reply that was written, or why not.
pub(super) enum Finished {
    Written,
    /// It does not fit, and was taken back.
    TooLarge,
    /// The handler broke a rule of the reply, which was taken back.
    Misuse(&'static str),
}

/// What all replies are to the engine.
pub(in crate::engine::server) trait Reply<'r, 'm: 'r>: Sized {
    /// Closes what the reply has opened inside the result.
    fn close(&mut self);

    fn into_line(self) -> Line<'r, 'm>;

    /// Whether metadata are open behind that.
    fn is_meta_open(&self) -> bool {
        false
    }

    /// Makes the reply say that what ran has failed, if it can say so.
    fn fail_with(&mut self, text: &str) -> bool {
        let _ = text;
        false
    }

    /// The end of the reply, and of its line.
    fn finish(mut self, tail: &Tail<'_>) -> Finished {
        self.close();
        let is_meta_open = self.is_meta_open();
        let Line {
            mut json,
            start,
            misuse,
            ..
        } = self.into_line();
        match is_meta_open {
            true => tail.write_in_meta(&mut json),
            false => tail.write(&mut json),
        }
        let out = json.sink();
        if let Some(what) = misuse {
            out.rollback(start);
            return Finished::Misuse(what);
        }
        if out.is_full() {
            out.rollback(start);
            return Finished::TooLarge;
        }
        Finished::Written
    }

    /// Takes back what was written of the reply, and returns the last progress that was reported before it.
    fn take_back(self) -> Option<i64> {
        let mut line = self.into_line();
        let start = line.start;
        line.json.sink().rollback(start);
        line.progress
    }

    /// What a handler made of the reply.
    fn settle<'a>(mut self, outcome: Result<Disposition, CallError<'a>>, tail: &Tail<'_>) -> Settled<'a> {
        match outcome {
            Ok(Disposition::Done) => Settled::Finished(self.finish(tail)),
            Ok(Disposition::Deferred(token)) => Settled::Deferred(token, self.take_back()),
            Err(CallError::Failed(text)) if self.fail_with(text) => Settled::Finished(self.finish(tail)),
            Err(error) => {
                self.take_back();
                Settled::Refused(error)
            }
        }
    }
}

/// How a call of the handler ended.
pub(in crate::engine::server) enum Settled<'a> {
    Finished(Finished),
    /// With the last progress that was reported.
    Deferred(CallToken, Option<i64>),
    Refused(CallError<'a>),
}
