//! Sending a request.

use core::time::Duration;

use super::bound::BoundClient;
use super::engine::ClientEngine;
use super::error::RequestError;
use super::handler::ClientHandler;
use super::ids::IdSource;
use super::line::Line;
use super::parts::{ClientParts, is_modern, sends};
use super::pending::{Entry, Ticket, Time};
use super::request_options::{RequestOptions, Terms, Timeout};
use super::respond::write_input;
use super::storage::{ClientStorage, IdOf};
use crate::bytes::Sink;
use crate::json::Writer;
use crate::mcp::{Chapter, ClientCapabilities, Feature, Method, ProtocolVersion, Sender};

impl<S: ClientStorage, H: ClientHandler + ?Sized> BoundClient<'_, S, H> {
    /// Sends any request; `params` writes the members of its params, without `_meta`.
    ///
    /// If the revision has it, `_meta` with the client's version, capabilities and name is added to this and every other
    /// request. If progress is requested, the progress token is the id of the request. Empty params are left out.
    ///
    /// The ticket names the request until [`Incoming::Ended`](super::Incoming::Ended) returns it, or until the request is
    /// [cancelled](ClientEngine::cancel). Linear in the capacity of the storage, and in the length of the line.
    ///
    /// # Errors
    /// [`RequestError`]; then nothing was written. A method of MCP is checked against the revision and the capabilities of
    /// the server; any other method is not.
    pub fn request(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        method: &str,
        out: &mut Sink<'_>,
        params: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        let known = Method::all().find(|known| known.name() == method);
        if known.is_some_and(|known| !sends::<S::Parts>(known)) {
            return Err(RequestError::NotInRevision);
        }
        self.send_named(options, known, method, out, params)
    }

    /// Sends a request of MCP; `params` writes the members of its params, but for `_meta`, `task` and those of a retry.
    pub(super) fn send(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        method: Method,
        out: &mut Sink<'_>,
        params: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        if !sends::<S::Parts>(method) {
            return Err(RequestError::NotInRevision);
        }
        self.send_named(options, Some(method), method.name(), out, params)
    }

    /// Compiled for each kind of params, and therefore short.
    fn send_named(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        method: Option<Method>,
        name: &str,
        out: &mut Sink<'_>,
        params: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        let (version, id) = self.admit(&options.terms, method)?;
        let mut line = Line::request::<S::Ids>(out, &id, name);
        params(&mut line.json);
        self.conclude(options, method, version, id, line)
    }

    /// Ends the line and keeps the request.
    fn conclude(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        method: Option<Method>,
        version: ProtocolVersion,
        id: IdOf<S>,
        mut line: Line<'_, '_>,
    ) -> Result<Ticket, RequestError> {
        match self.write_rest(&options.terms, version, &id, &mut line.json) {
            Ok(()) => line.finish()?,
            Err(error) => {
                line.take_back();
                return Err(error);
            }
        }
        Ok(self.keep(options, method, version, id))
    }

    /// Checks whether the request may be sent. Returns the revision and the id.
    fn admit(
        &mut self,
        terms: &Terms<'_>,
        method: Option<Method>,
    ) -> Result<(ProtocolVersion, IdOf<S>), RequestError> {
        let version = self.version().ok_or(RequestError::NotConnected)?;
        if let Some(method) = method {
            if !method.is_in(version) || method.sender() == Sender::Server || method.is_notification() {
                return Err(RequestError::NotInRevision);
            }
            // Only the handshake itself sends these.
            if matches!(method, Method::Initialize | Method::ServerDiscover) {
                return Err(RequestError::AlreadyConnected);
            }
            if !terms.is_forced && !self.is_offered(method, version) {
                return Err(RequestError::NotOffered);
            }
        }
        if terms.task.is_some() {
            if !S::Parts::TASKS || method != Some(Method::ToolsCall) || !version.has(Feature::Tasks) {
                return Err(RequestError::NotInRevision);
            }
            if !terms.is_forced && !self.offered.has_task_calls(version) {
                return Err(RequestError::NotOffered);
            }
        }
        if terms.input.is_some() && !(S::Parts::ASKING && is_modern::<S::Parts>(version)) {
            return Err(RequestError::NotInRevision);
        }
        if self.storage.pending().is_full() {
            return Err(RequestError::TableFull);
        }
        let id = self.fresh_id(terms.now).ok_or(RequestError::NoId)?;
        Ok((version, id))
    }

    fn is_offered(&self, method: Method, version: ProtocolVersion) -> bool {
        match method.chapter() {
            Chapter::Tasks if !S::Parts::TASKS => false,
            Chapter::Tasks if is_modern::<S::Parts>(version) => {
                self.offered.offers(method, version) && self.takes_tasks()
            }
            // The oldest revision has no capability for it.
            Chapter::Completion if !version.has(Feature::CompletionsCapability) => true,
            _ => self.offered.offers(method, version),
        }
    }

    /// Whether the application declares the tasks extension.
    fn takes_tasks(&self) -> bool {
        self.app.capabilities().has(ClientCapabilities::TASKS_EXTENSION)
    }

    /// Writes the members after the method's own params.
    fn write_rest(
        &mut self,
        terms: &Terms<'_>,
        version: ProtocolVersion,
        id: &IdOf<S>,
        json: &mut Writer<'_, '_>,
    ) -> Result<(), RequestError> {
        if let Some(task) = terms.task.filter(|_| S::Parts::TASKS) {
            json.name("task").begin_object();
            if let Some(ttl) = task.ttl {
                json.name("ttl").unsigned(ttl);
            }
            json.end_object();
        }
        if S::Parts::ASKING
            && let Some(input) = &terms.input
        {
            write_input(self.app, version, input, json).map_err(RequestError::Refused)?;
        }
        let token = (S::Parts::PROGRESS && terms.wants_progress).then_some(id);
        self.write_meta(json, version, terms.log_level, token);
        Ok(())
    }

    fn keep(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        method: Option<Method>,
        version: ProtocolVersion,
        id: IdOf<S>,
    ) -> Ticket {
        let RequestOptions { terms, context } = options;
        let ticket = Ticket(self.next_ticket);
        self.next_ticket = self.next_ticket.wrapping_add(1);
        let may_be_task = S::Parts::TASKS
            && method == Some(Method::ToolsCall)
            && match is_modern::<S::Parts>(version) {
                true => self.takes_tasks(),
                false => terms.task.is_some(),
            };
        let timeout = match terms.timeout {
            Timeout::Default => Some(self.options.timeout()),
            Timeout::Never => None,
            Timeout::After(timeout) => Some(timeout),
        };
        let longest = terms.longest.filter(|_| S::Parts::PROGRESS);
        let at = |timeout| terms.now.saturating_add(timeout);
        let time = Time {
            deadline: timeout.map(|timeout| at(longest.map_or(timeout, |longest| timeout.min(longest)))),
            extension: timeout.zip(longest.map(at)),
        };
        let entry = Entry {
            ticket,
            id,
            context,
            method,
            wants_progress: S::Parts::PROGRESS && terms.wants_progress,
            may_be_task,
            time,
        };
        // There is room: `admit` has checked.
        let _ = self.storage.pending_mut().push(entry);
        ticket
    }
}

impl<S: ClientStorage> ClientEngine<S> {
    /// Returns an id that is not in flight. Tries one more id than there can be in flight.
    fn fresh_id(&mut self, now: Duration) -> Option<IdOf<S>> {
        for _ in 0..self.storage.pending().capacity().saturating_add(1) {
            let id = self.ids.next_id(now);
            // The handshake is complete, so its ids are free.
            let is_in_flight = S::Ids::with_id(&id, |id| self.entry_of(id).is_some());
            if !is_in_flight {
                return Some(id);
            }
        }
        None
    }
}
