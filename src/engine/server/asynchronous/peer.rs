//! The client of a call, as an asynchronous tool sees it.

use core::fmt;
use core::future::poll_fn;
use core::task::{Poll, Waker};

use super::call::Started;
use super::question::Question;
use super::shared::Shared;
use crate::engine::server::ask::refusal;
use crate::engine::server::reply::can_ask;
use crate::engine::server::{Answer, AskError, CallError, CallToken, List, Progress};
use crate::json::{Object, RawValue};
use crate::mcp::{ClientCapabilities, Feature, InputRequest, LoggingLevel, ProtocolVersion};

/// The part of a loop that a running tool uses.
pub(crate) trait Desk {
    /// Reports progress as soon as the output is free.
    fn progress(&mut self, progress: Progress<'static>);

    /// Writes a log message, or wakes `waker` when there may be room for it.
    fn log(&mut self, waker: &Waker, level: LoggingLevel, logger: Option<&str>, data: &str) -> Poll<bool>;

    /// Sends a question to a legacy client, or wakes `waker` when there may be room for it.
    fn ask(&mut self, waker: &Waker, request: &InputRequest<'_>) -> Poll<Result<CallToken, AskError>>;

    /// Takes the answer to a question of a legacy client, or wakes `waker` when it comes.
    fn take_answer(&mut self, waker: &Waker, token: CallToken, take: &mut dyn FnMut(Answer<'_>)) -> Poll<()>;

    /// Gives up a question to a legacy client.
    fn withdraw(&mut self, token: CallToken);

    /// Ends the call with a question to a modern client, or wakes `waker` when there may be room for it. The tool is dropped then.
    fn ask_with_result(&mut self, waker: &Waker, question: &Question<'_>);

    fn list_changed(&mut self, list: List);

    fn resource_updated(&mut self, uri: &str);
}

#[cfg(feature = "std")]
pub(crate) type DynDesk<'a> = dyn Desk + Send + 'a;
#[cfg(not(feature = "std"))]
pub(crate) type DynDesk<'a> = dyn Desk + 'a;

/// The client of a call, for the tool that runs: progress, log messages, questions, changes.
///
/// With the feature `std` a peer can be used from another thread, so that a future that holds it can be sent to one.
pub struct Peer<'a> {
    desk: &'a Shared<DynDesk<'a>>,
    version: ProtocolVersion,
    client: ClientCapabilities,
    wants_progress: bool,
    /// Answers of a modern client, of this round and of earlier ones.
    answers: [Object<'a>; 2],
}

impl<'a> Peer<'a> {
    pub(crate) fn new(desk: &'a Shared<DynDesk<'a>>, started: &Started, frame: &'a [u8]) -> Self {
        let Started { version, client, wants_progress, .. } = *started;
        Self { desk, version, client, wants_progress, answers: started.answers(frame) }
    }

    /// Revision of the request.
    pub const fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// The client's capabilities, as [`Context::client`](crate::engine::Context::client) has them.
    pub const fn client(&self) -> ClientCapabilities {
        self.client
    }

    /// Whether the client wants to hear of progress.
    pub const fn wants_progress(&self) -> bool {
        self.wants_progress
    }

    /// Reports progress, if the client wants it: an integer, or a [`Progress`]. It is written when the output is free; of several reports
    /// until then, only the last is.
    pub fn progress(&self, progress: impl Into<Progress<'static>>) {
        if self.wants_progress {
            self.desk.with(|desk| desk.progress(progress.into()));
        }
    }

    /// Sends a log message, if the client wants its level. Waits until the output is free. False if nothing was written.
    pub fn log(&self, level: LoggingLevel, logger: Option<&str>, data: &str) -> impl Future<Output = bool> {
        poll_fn(move |context| {
            let written = self.desk.with(|desk| desk.log(context.waker(), level, logger, data));
            written.unwrap_or_else(|| {
                // In use by another thread, for a moment.
                context.waker().wake_by_ref();
                Poll::Pending
            })
        })
    }

    /// Asks the client, its user or its model. `key` names the question: each question of a call has another one. `read` makes a value of the
    /// answer, which lies in the input; it cannot use the peer.
    ///
    /// A legacy client gets the question as a request, and the tool waits for the answer. To a modern client the question is the result of
    /// the call: **the tool is dropped, and runs again from its start** when the client makes the call again, with this answer and those of
    /// earlier questions at hand. So one source serves both eras, if everything before a question may run more than once: ask first, then
    /// act.
    ///
    /// Answers are input like any other. Those of earlier questions travel through a modern client, who can change them.
    ///
    /// # Errors
    /// [`CallError::MissingCapability`] when the client has not declared what the question needs, [`CallError::Busy`] when there is no slot for
    /// it, [`CallError::InvalidParams`] for an answer of a modern client that is not an object.
    pub fn ask<T>(
        &self,
        key: &str,
        request: &InputRequest<'_>,
        read: impl FnOnce(Answer<'_>) -> T,
    ) -> impl Future<Output = Result<T, CallError<'static>>> {
        let mut asked = Asked { peer: self, token: None };
        let mut read = Some(read);
        poll_fn(move |context| asked.poll(context.waker(), key, request, &mut read))
    }

    /// Tells all clients that a list has changed, if the server offers that.
    pub fn list_changed(&self, list: List) {
        self.desk.with(|desk| desk.list_changed(list));
    }

    /// Tells the clients that watch this resource that it has changed.
    pub fn resource_updated(&self, uri: &str) {
        self.desk.with(|desk| desk.resource_updated(uri));
    }
}

/// A question that is asked.
struct Asked<'p, 'a> {
    peer: &'p Peer<'a>,
    /// Of the question to a legacy client that is not answered.
    token: Option<CallToken>,
}

impl Asked<'_, '_> {
    fn poll<T>(
        &mut self,
        waker: &Waker,
        key: &str,
        request: &InputRequest<'_>,
        read: &mut Option<impl FnOnce(Answer<'_>) -> T>,
    ) -> Poll<Result<T, CallError<'static>>> {
        let Peer { desk, version, client, answers, .. } = self.peer;
        if self.token.is_none() && !can_ask(request, *version, *client) {
            return Poll::Ready(Err(CallError::MissingCapability(request.needs())));
        }
        let mut result = None;
        let mut take = |answer: Answer<'_>| result = read.take().map(|read| read(answer));
        if version.has(Feature::ResultType) {
            let [new, old] = answers;
            match new.get(key).or_else(|| old.get(key)).map(RawValue::as_object) {
                Some(Some(answer)) => take(Answer::Result(answer)),
                Some(None) => return Poll::Ready(Err(CallError::InvalidParams)),
                None => {
                    let question = Question { key, request, version: *version, answers: *answers };
                    let asked = desk.with(|desk| desk.ask_with_result(waker, &question));
                    asked.unwrap_or_else(|| waker.wake_by_ref());
                }
            }
        } else {
            let step = desk.with(|desk| {
                let token = match self.token {
                    Some(token) => token,
                    None => match desk.ask(waker, request) {
                        Poll::Ready(Ok(token)) => *self.token.insert(token),
                        Poll::Ready(Err(error)) => return Err(error),
                        Poll::Pending => return Ok(()),
                    },
                };
                if desk.take_answer(waker, token, &mut take).is_ready() {
                    self.token = None;
                }
                Ok(())
            });
            match step {
                Some(Ok(())) => {}
                Some(Err(error)) => return Poll::Ready(Err(refusal(error, request.needs()))),
                None => waker.wake_by_ref(),
            }
        }
        result.map_or(Poll::Pending, |result| Poll::Ready(Ok(result)))
    }
}

impl Drop for Asked<'_, '_> {
    fn drop(&mut self) {
        if let Some(token) = self.token {
            self.peer.desk.with(|desk| desk.withdraw(token));
        }
    }
}

impl fmt::Debug for Peer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer")
            .field("version", &self.version)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}
