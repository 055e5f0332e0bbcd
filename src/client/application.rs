//! The application of a blocking client: its name, and the caller's handler of input requests.

use core::time::Duration;
use std::boxed::Box;
use std::string::String;
use std::time::Instant;

use crate::engine::client::{
    ClientAnswer, ClientElicitation, ClientHandler, ClientSampling, ElicitReply, MessageReply, Refusal,
    ResultReply, RootsReply,
};
use crate::mcp::{ClientCapabilities, Implementation};
use crate::rpc::Request;

/// Handler of the caller.
pub(super) type CallersHandler = Box<dyn ClientHandler + Send>;

/// Name, handler, and the time that the handler has taken.
pub(super) struct Application {
    /// Name and version. `None` for those of the handler.
    name: Option<(String, String)>,
    handler: Option<CallersHandler>,
    taken: Duration,
}

impl Application {
    pub(super) const fn new(name: Option<(String, String)>, handler: Option<CallersHandler>) -> Self {
        Self { name, handler, taken: Duration::ZERO }
    }

    /// Returns the time that the handler has taken since the last call.
    pub(super) fn take_time(&mut self) -> Duration {
        core::mem::take(&mut self.taken)
    }

    pub(super) const fn has_taken_time(&self) -> bool {
        !self.taken.is_zero()
    }

    /// Calls the handler and measures its time. A deferred answer becomes a refusal: there is no call to give it later.
    fn ask(
        &mut self,
        work: impl FnOnce(&mut CallersHandler) -> Result<ClientAnswer, Refusal>,
    ) -> Result<ClientAnswer, Refusal> {
        let handler = self.handler.as_mut().ok_or(Refusal::METHOD_NOT_FOUND)?;
        let start = Instant::now();
        let answer = work(handler);
        self.taken = self.taken.saturating_add(start.elapsed());
        match answer? {
            ClientAnswer::Done => Ok(ClientAnswer::Done),
            ClientAnswer::Later => Err(Refusal::NOT_YET),
        }
    }
}

impl ClientHandler for Application {
    fn info(&self) -> Implementation<'_> {
        match (&self.name, &self.handler) {
            (Some((name, version)), _) => Implementation::new(name, version),
            (None, Some(handler)) => handler.info(),
            (None, None) => Implementation::new("barewire", env!("CARGO_PKG_VERSION")),
        }
    }

    /// Capabilities of the handler, without the extension for tasks: the client cannot follow a task.
    fn capabilities(&self) -> ClientCapabilities {
        let capabilities = self.handler.as_ref().map(|handler| handler.capabilities());
        capabilities.unwrap_or(ClientCapabilities::NONE).without(ClientCapabilities::TASKS_EXTENSION)
    }

    fn list_roots(&mut self, reply: &mut RootsReply<'_, '_>) -> Result<ClientAnswer, Refusal> {
        self.ask(|handler| handler.list_roots(reply))
    }

    fn create_message(
        &mut self,
        sampling: ClientSampling<'_>,
        reply: &mut MessageReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        self.ask(|handler| handler.create_message(sampling, reply))
    }

    fn elicit(
        &mut self,
        elicitation: ClientElicitation<'_>,
        reply: &mut ElicitReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        self.ask(|handler| handler.elicit(elicitation, reply))
    }

    fn other_request(
        &mut self,
        request: Request<'_>,
        reply: &mut ResultReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        self.ask(|handler| handler.other_request(request, reply))
    }
}
