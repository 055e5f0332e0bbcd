//! What the application has to say between frames: late answers, progress, changes, log messages.

use super::answer::{self, Tail, Written};
use super::in_flight::{Entry, Head};
use super::reply::{Reply, Settled};
use super::subscriptions::Change;
use super::{
    CallError, CallToken, Context, Disposition, Event, Handler, List, NotInFlight, Parts, Progress,
    PromptReply, ResourceReply, Server, Status, ToolReply, notify,
};
use crate::bytes::Sink;
use crate::mcp::{Era, Feature, LoggingLevel, Method, Text};

impl<
    H: Handler + ?Sized,
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const ID: usize,
    const TEXT: usize,
    const TASKS: usize,
> Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>
{
    /// Answers a call of a tool that was deferred. `write` is as [`Handler::call_tool`], without another deferral.
    ///
    /// [`Status::More`] when there was no room for any answer: nothing was written, the call is still in flight.
    ///
    /// # Errors
    /// [`NotInFlight`] when it was answered or cancelled before: nothing is written.
    #[inline(never)]
    pub fn complete_tool<'e>(
        &mut self,
        token: CallToken,
        out: &mut Sink<'_>,
        write: impl FnOnce(&mut ToolReply<'_, '_>) -> Result<(), CallError<'e>>,
    ) -> Result<Status, NotInFlight> {
        let entry = self.deferred(token, Method::ToolsCall)?;
        let (context, progress) = (self.context_of(&entry.head), Some(entry.progress()));
        self.handler.take_failure();
        let mark = out.mark();
        let mut reply = ToolReply::new(out, &context, progress, None);
        let outcome = write(&mut reply).map(|()| Disposition::Done);
        let settled = reply.settle(outcome, &Tail::<_, P>::new(&self.handler, entry.head.version));
        let written = self.conclude(&context, settled, &[], out);
        let written = self.unless_failed(written, mark, &context.id, out);
        Ok(self.completed(token, written))
    }

    /// Answers a read of a resource that was deferred, under its URI; else as [`complete_tool`](Server::complete_tool).
    ///
    /// # Errors
    /// [`NotInFlight`].
    #[inline(never)]
    pub fn complete_read<'e>(
        &mut self,
        token: CallToken,
        uri: &str,
        out: &mut Sink<'_>,
        write: impl FnOnce(&mut ResourceReply<'_, '_>) -> Result<(), CallError<'e>>,
    ) -> Result<Status, NotInFlight> {
        let entry = self.deferred(token, Method::ResourcesRead)?;
        let (context, progress) = (self.context_of(&entry.head), Some(entry.progress()));
        let mut reply = ResourceReply::new(out, &context, progress, None, Text::Plain(uri));
        let outcome = write(&mut reply).map(|()| Disposition::Done);
        let settled = reply.settle(
            outcome,
            &Tail::<_, P>::cacheable(&self.handler, entry.head.version),
        );
        let written = match settled {
            // The params, which have the URI, are gone.
            Settled::Refused(CallError::NotFound) => {
                answer::resource_not_found(out, &entry.head.id(), entry.head.version, Text::Plain(uri))
            }
            settled => self.conclude(&context, settled, &[], out),
        };
        Ok(self.completed(token, written))
    }

    /// Answers a request for a prompt that was deferred; else as [`complete_tool`](Server::complete_tool).
    ///
    /// # Errors
    /// [`NotInFlight`].
    #[inline(never)]
    pub fn complete_prompt<'e>(
        &mut self,
        token: CallToken,
        out: &mut Sink<'_>,
        write: impl FnOnce(&mut PromptReply<'_, '_>) -> Result<(), CallError<'e>>,
    ) -> Result<Status, NotInFlight> {
        let entry = self.deferred(token, Method::PromptsGet)?;
        let (context, progress) = (self.context_of(&entry.head), Some(entry.progress()));
        let mut reply = PromptReply::new(out, &context, progress, None);
        let outcome = write(&mut reply).map(|()| Disposition::Done);
        let settled = reply.settle(outcome, &Tail::<_, P>::new(&self.handler, entry.head.version));
        let written = self.conclude(&context, settled, &[], out);
        Ok(self.completed(token, written))
    }

    /// The context of a kept call, with its current log level.
    pub(super) fn context_of<'a>(&self, head: &'a Head<ID>) -> Context<'a> {
        Context {
            log_level: self.log_level_of(head),
            ..Context::of(head)
        }
    }

    /// The least severe level that the client wants to see of a kept call: in the legacy era the session's current
    /// level, in the modern era the level of the request.
    fn log_level_of(&self, head: &Head<ID>) -> Option<LoggingLevel> {
        match head.version.era() {
            _ if !P::LOGGING => None,
            Era::Legacy => head.log_level.map(|_| self.session.log_level()),
            Era::Modern => head.log_level,
        }
    }

    /// A copy of the entry: the table is written to while the answer is.
    fn deferred(&self, token: CallToken, method: Method) -> Result<Entry<ID, TEXT>, NotInFlight> {
        self.calls
            .get(token)
            .filter(|entry| entry.head.method == method)
            .cloned()
            .ok_or(NotInFlight)
    }

    fn completed(&mut self, token: CallToken, written: Written) -> Status {
        match written {
            Written::Yes | Written::Instead => {
                self.calls.take(token);
                Status::Done
            }
            Written::No => {
                self.handler.event(Event::NoRoom);
                Status::More
            }
        }
    }

    /// Whether the call is still to be answered; it is not once it was cancelled.
    pub fn is_in_flight(&self, token: CallToken) -> bool {
        self.calls.get(token).is_some()
    }

    /// Reports the progress of a deferred call. False when nothing was written: the client did not ask for it, it is not
    /// greater than the last, or there is no room.
    ///
    /// # Errors
    /// [`NotInFlight`].
    pub fn progress(
        &mut self,
        token: CallToken,
        progress: &Progress<'_>,
        out: &mut Sink<'_>,
    ) -> Result<bool, NotInFlight> {
        let entry = self.calls.get_mut(token).ok_or(NotInFlight)?;
        let Some(progress_token) = entry.head.progress_token() else {
            return Ok(false);
        };
        if progress.progress <= entry.progress() {
            return Ok(false);
        }
        let written = notify::progress(out, entry.head.version, progress_token, progress, None);
        if written == Written::Yes {
            entry.set_progress(progress.progress);
        }
        Ok(written == Written::Yes)
    }

    /// Sends a log message about a deferred call. False when nothing was written: its client does not want the level, or
    /// there is no room.
    ///
    /// # Errors
    /// [`NotInFlight`].
    pub fn log_for(
        &mut self,
        token: CallToken,
        level: LoggingLevel,
        logger: Option<&str>,
        data: &str,
        out: &mut Sink<'_>,
    ) -> Result<bool, NotInFlight> {
        let entry = self.calls.get(token).ok_or(NotInFlight)?;
        if self.log_level_of(&entry.head).is_none_or(|least| level < least) {
            return Ok(false);
        }
        Ok(notify::log(out, level, logger, data) == Written::Yes)
    }

    /// Sends a log message to the legacy session, if its level is wanted. False when nothing was written.
    ///
    /// In the modern era log messages belong to a request: [`log_for`](Server::log_for), [`ToolReply::log`].
    pub fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: &str, out: &mut Sink<'_>) -> bool {
        self.session.version.is_some()
            && self.offered().logging
            && level >= self.session.log_level()
            && notify::log(out, level, logger, data) == Written::Yes
    }

    /// Tells whoever wants to know that a list has changed: the legacy session once its client is ready, and each stream
    /// that asked for it.
    ///
    /// On [`Status::More`] send the output and make the same call again, before any other.
    pub fn list_changed(&mut self, list: List, out: &mut Sink<'_>) -> Status {
        let offered = self.offered();
        let (method, is_offered) = match list {
            List::Tools => (Method::ToolsListChanged.name(), offered.tools_list_changed),
            List::Prompts => (Method::PromptsListChanged.name(), offered.prompts_list_changed),
            List::Resources => (
                Method::ResourcesListChanged.name(),
                offered.resources_list_changed,
            ),
        };
        let session = is_offered && self.session.is_ready;
        self.tell(method, Change::List(list), session, out)
    }

    /// Tells whoever watches it that a resource has changed. As [`list_changed`](Server::list_changed).
    pub fn resource_updated(&mut self, uri: &str, out: &mut Sink<'_>) -> Status {
        let session = self.session.is_ready && self.subscriptions.session_watches(uri);
        self.tell(
            Method::ResourcesUpdated.name(),
            Change::Resource(uri),
            session,
            out,
        )
    }

    /// One notification for the session, and one for each stream that wants it.
    fn tell(&mut self, method: &str, change: Change<'_>, session: bool, out: &mut Sink<'_>) -> Status {
        let uri = match change {
            Change::List(_) => None,
            Change::Resource(uri) => Some(uri),
        };
        loop {
            let before = out.len();
            let written = match self.session.told.checked_sub(1) {
                None if session => notify::changed(out, method, None, uri),
                None => Written::Yes,
                Some(at) => match self.subscriptions.stream(at) {
                    Some(stream) if self.subscriptions.wants(at, change) => {
                        notify::changed(out, method, Some(stream.id.as_id()), uri)
                    }
                    Some(_) => Written::Yes,
                    None => {
                        self.session.told = 0;
                        return Status::Done;
                    }
                },
            };
            if written == Written::No {
                if before > 0 {
                    return Status::More;
                }
                // It fits no output of this size.
                self.handler.event(Event::NoRoom);
            }
            self.session.told = self.session.told.saturating_add(1);
        }
    }

    /// Tells the client of a 2025-11-25 session that the user is done with the page of this id
    /// ([`Elicitation::url`](crate::mcp::Elicitation::url)). False when nothing was written: another revision, or no room.
    pub fn elicitation_complete(&mut self, id: &str, out: &mut Sink<'_>) -> bool {
        let mut version = self.session.version.into_iter();
        version.any(|version| version.has(Feature::ElicitationId))
            && notify::elicitation_complete(out, id) == Written::Yes
    }

    /// Ends all streams of `subscriptions/listen`, each with its response: before the link is closed, say. On
    /// [`Status::More`] send the output and call again.
    pub fn end_streams(&mut self, out: &mut Sink<'_>) -> Status {
        while let Some(stream) = self.subscriptions.first() {
            let id = stream.id.clone();
            let view = id.as_id();
            let (before, mark) = (out.len(), out.mark());
            let tail = Tail::<_, P>::of_subscription(&self.handler, &view);
            let written = answer::empty(out, &view, &tail);
            if written != Written::Yes && before > 0 {
                // The next output has room for all of it.
                out.rollback(mark);
                return Status::More;
            }
            self.check_room(written);
            self.subscriptions.close(id.as_id());
        }
        Status::Done
    }
}
