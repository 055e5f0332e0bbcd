//! The client of a call, as an asynchronous tool sees it.

use core::fmt;
use core::future::poll_fn;
use core::task::{Poll, Waker};

use super::call::Started;
use super::shared::Shared;
use crate::engine::server::{List, Progress};
use crate::mcp::{ClientCapabilities, LoggingLevel, ProtocolVersion};

/// The part of a loop that a running tool uses.
pub(crate) trait Desk {
    /// Reports progress as soon as the output is free.
    fn progress(&mut self, progress: Progress<'static>);

    /// Writes a log message, or wakes `waker` when there may be room for it.
    fn log(&mut self, waker: &Waker, level: LoggingLevel, logger: Option<&str>, data: &str) -> Poll<bool>;

    fn list_changed(&mut self, list: List);

    fn resource_updated(&mut self, uri: &str);
}

#[cfg(feature = "std")]
pub(crate) type DynDesk<'a> = dyn Desk + Send + 'a;
#[cfg(not(feature = "std"))]
pub(crate) type DynDesk<'a> = dyn Desk + 'a;

/// The client of a call, for the tool that runs: progress, log messages, changes.
///
/// With the feature `std` a peer can be used from another thread, so that a future that holds it can be sent to one.
pub struct Peer<'a> {
    desk: &'a Shared<DynDesk<'a>>,
    version: ProtocolVersion,
    client: ClientCapabilities,
    wants_progress: bool,
}

impl<'a> Peer<'a> {
    pub(crate) const fn new(desk: &'a Shared<DynDesk<'a>>, started: &Started) -> Self {
        let Started { version, client, wants_progress, .. } = *started;
        Self { desk, version, client, wants_progress }
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

    /// Tells all clients that a list has changed, if the server offers that.
    pub fn list_changed(&self, list: List) {
        self.desk.with(|desk| desk.list_changed(list));
    }

    /// Tells the clients that watch this resource that it has changed.
    pub fn resource_updated(&self, uri: &str) {
        self.desk.with(|desk| desk.resource_updated(uri));
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
