//! The line of a reply.

use super::{AskFault, Asking};
use crate::bytes::{Mark, Sink};
use crate::engine::server::answer::{self, LEAST_ANSWER, Written};
use crate::engine::server::outcome::{Made, Outcome};
use crate::engine::server::{CallError, CallToken, Context, Decimal, NotKept, Progress, notify};
use crate::json::{AsText, Writer};
use crate::mcp::{LoggingLevel, ProtocolVersion};
use crate::rpc::{ErrorCode, begin};

/// State of a reply that the engine needs after the handler has consumed the writer.
#[derive(Debug)]
pub(in crate::engine::server) struct Draft {
    /// Start of the line: after what was reported before the reply.
    pub(in crate::engine::server) start: Mark,
    /// The last progress that was reported.
    pub(in crate::engine::server) progress: Option<Decimal>,
    /// Revision that the reply is written in.
    pub(super) version: ProtocolVersion,
    /// Part of a tool's result that is open.
    pub(in crate::engine::server) part: Part,
    /// A tool's result says that the tool has failed.
    pub(super) is_error: bool,
    /// The object that is open has members.
    pub(in crate::engine::server) has_members: bool,
    /// Rule that the handler has broken.
    pub(in crate::engine::server) misuse: Option<&'static str>,
    /// Reason why the client could not be asked.
    pub(in crate::engine::server) fault: Option<AskFault>,
    /// Length of what is kept of a question to a legacy client, in the free memory of the arena.
    pub(in crate::engine::server) kept: usize,
    /// Progress was refused, which a host reports.
    #[cfg(feature = "std")]
    pub(in crate::engine::server) has_refused: bool,
    /// The outcome that the writer has made.
    made: Option<Outcome>,
}

impl Draft {
    pub(in crate::engine::server) const fn new(
        out: &Sink<'_>,
        version: ProtocolVersion,
        progress: Option<Decimal>,
    ) -> Self {
        Self {
            start: out.mark(),
            progress,
            version,
            part: Part::Content,
            is_error: false,
            has_members: true,
            misuse: None,
            fault: None,
            kept: 0,
            #[cfg(feature = "std")]
            has_refused: false,
            made: None,
        }
    }

    /// Makes the outcome of the reply.
    pub(super) const fn make(&mut self, made: Made) -> Outcome {
        self.made = Some(Outcome(made));
        Outcome(made)
    }

    /// Whether the writer has made an answer, and nothing that goes on after it.
    pub(in crate::engine::server) const fn is_answer(&self) -> bool {
        matches!(self.made, Some(Outcome(Made::Result | Made::ToolError)))
    }

    /// Rule that the handler has broken when it returns this outcome, which may be that of another call.
    pub(in crate::engine::server) fn misuse_of(&self, outcome: Outcome) -> Option<&'static str> {
        match self.made == Some(outcome) {
            true => self.misuse,
            false => Some("an outcome of another call"),
        }
    }
}

/// Part of a tool's result that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::server) enum Part {
    Content,
    /// `content` and `isError` are written.
    Sealed,
    /// `_meta` is open.
    Meta,
}

/// A reply while it is written: the writers of all kinds of replies wrap one.
pub(in crate::engine::server) struct Line<'r, 'm> {
    pub(super) json: Writer<'r, 'm>,
    pub(super) draft: &'r mut Draft,
    /// `None` for the result of a task, which is a member of another result.
    pub(super) request: Option<&'r Context<'r>>,
    /// `None` where the client cannot be asked.
    pub(super) asking: Option<&'r mut Asking<'r>>,
}

impl<'r, 'm> Line<'r, 'm> {
    /// The reply to a request.
    pub(in crate::engine::server) fn new(
        out: &'r mut Sink<'m>,
        request: &'r Context<'r>,
        draft: &'r mut Draft,
        asking: Option<&'r mut Asking<'r>>,
    ) -> Self {
        Self { json: Writer::new(out), draft, request: Some(request), asking }
    }

    /// The result of a task, as a member of another result.
    pub(in crate::engine::server) const fn inside(json: Writer<'r, 'm>, draft: &'r mut Draft) -> Self {
        Self { json, draft, request: None, asking: None }
    }

    /// Opens the result.
    pub(super) fn begin(&mut self) {
        match self.request {
            Some(request) => answer::begin(&mut self.json, &request.id, self.draft.version),
            None => {
                self.json.begin_object();
            }
        }
    }

    /// Opens the result and an array in it.
    pub(super) fn begin_member(&mut self, name: &str) {
        self.begin();
        self.json.name(name).begin_array();
    }

    /// Drops what was written of the result.
    pub(super) fn restart(&mut self) {
        let start = self.draft.start;
        self.json.sink().rollback(start);
        self.json.restart();
        self.draft.misuse = None;
        self.draft.part = Part::Content;
        self.draft.is_error = false;
        self.draft.has_members = true;
    }

    /// Takes the token under which the call is answered later.
    pub(super) fn defer(self) -> Result<(CallToken, Outcome), CallError<'static>> {
        let deferral = self.request.map_or(Err(NotKept::Busy), |request| request.deferral);
        let token = deferral.map_err(NotKept::to_call_error)?;
        Ok((token, self.draft.make(Made::Deferred(token))))
    }

    /// Writes a protocol error with a text made at run time.
    pub(super) fn refuse(mut self, code: ErrorCode, message: impl AsText) -> Outcome {
        let Some(request) = self.request else {
            self.draft.misuse = Some("a protocol error in the result of a task");
            return self.draft.make(Made::Error);
        };
        let error = CallError::Refused { code, message: "", data: None };
        let (code, ..) = error.in_version(self.draft.version);
        let json = &mut self.json;
        begin(json);
        json.name("id");
        request.id.write(json);
        json.name("error").begin_object();
        json.name("code").integer(code.0);
        json.name("message").string(message);
        json.end_object();
        answer::end_line(json);
        self.draft.make(Made::Error)
    }

    /// Reports progress, before the reply. False if nothing was written.
    pub(super) fn progress(&mut self, progress: &Progress<'_>) -> bool {
        let Some(token) = self.request.and_then(|request| request.progress_token) else {
            return false;
        };
        if self.draft.progress.is_some_and(|last| !progress.progress.exceeds(last)) {
            #[cfg(feature = "std")]
            {
                self.draft.has_refused = true;
            }
            return false;
        }
        let version = self.draft.version;
        let written = self.notify(|out| notify::progress(out, version, token, progress, None));
        if written {
            self.draft.progress = Some(progress.progress);
        }
        written
    }

    /// Logs a message, before the reply. False if nothing was written.
    pub(super) fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: impl AsText) -> bool {
        let least = self.request.and_then(|request| request.log_level);
        least.is_some_and(|least| level >= least) && self.notify(|out| notify::log(out, level, logger, data))
    }

    /// Writes a notification if it leaves room for an error response.
    fn notify(&mut self, write: impl FnOnce(&mut Sink<'m>) -> Written) -> bool {
        let Some(request) = self.request else {
            return false;
        };
        let least = LEAST_ANSWER.saturating_add(request.id.text_len());
        let start = self.draft.start;
        let out = self.json.sink();
        let written = write(out) == Written::Yes && out.remaining() >= least;
        if !written {
            out.rollback(start);
        }
        self.draft.start = out.mark();
        written
    }
}
