//! The application of a server with asynchronous tools.

use super::call::AsyncCall;
use super::peer::Peer;
use crate::engine::server::{CallError, Handler, ToolAnswer};

/// Way in which a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ToolMode {
    /// By [`Handler::call_tool`], at once.
    Sync,
    /// Asynchronously, alone: by [`AsyncHandler::call_async`].
    Exclusive,
    /// Asynchronously. A host runs several such tools at the same time, by [`AsyncHandler::call_shared`]; a device runs one at a time, by
    /// [`AsyncHandler::call_async`].
    Shared,
}

/// Application with asynchronous tools. Everything that is not such a tool is served by the [`Handler`], but for its tables: lists, the
/// handshake and `server/discover` are served from [`TABLES`](AsyncHandler::TABLES).
///
/// While a tool runs, the application is lent to it. Calls, reads and prompts wait until the tool is done; a completion gets the error
/// `Server busy`, and so does a synchronous tool whose question a legacy client answers then. Events are not reported to the application,
/// and tasks get errors. An asynchronous tool cannot become a task.
///
/// See [`AsyncLink`](crate::transport::AsyncLink) for an example.
// The futures are those of the implementation, which a caller with a concrete type may require to be `Send`.
#[allow(async_fn_in_trait, reason = "a caller with a concrete type knows whether its futures are `Send`")]
pub trait AsyncHandler: Handler {
    /// A handler that has the tables only: info, instructions, capabilities, tools, resources, templates, prompts.
    type Tables: Handler + Send;

    /// The tables.
    const TABLES: Self::Tables;

    /// The way in which the tool in this place of the table runs.
    fn mode(tool: usize) -> ToolMode {
        let _ = tool;
        ToolMode::Exclusive
    }

    /// Calls an asynchronous tool, with arguments that fit its parameters. The future is dropped when the client cancels the call.
    ///
    /// The answer may borrow from the application and from the arguments.
    async fn call_async(&mut self, call: AsyncCall<'_>, peer: &Peer<'_>) -> impl ToolAnswer;

    /// Calls a tool of [`ToolMode::Shared`]. Only hosts call it.
    async fn call_shared(&self, call: AsyncCall<'_>, peer: &Peer<'_>) -> impl ToolAnswer {
        let _ = (call, peer);
        Err::<&str, _>(CallError::NotFound)
    }
}
