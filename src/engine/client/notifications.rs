//! Notifications, in both directions.

use core::time::Duration;

use super::bound::BoundClient;
use super::engine::ClientEngine;
use super::error::RequestError;
use super::event::{ClientOutcome, ClientProgress, Ended, EventOf, Incoming, Log};
use super::handler::ClientHandler;
use super::line::Line;
use super::parts::{ClientParts, known_notification, sends};
use super::pending::Ticket;
use super::storage::ClientStorage;
use crate::bytes::Sink;
use crate::engine::List;
use crate::json::{RawValue, Writer};
use crate::mcp::{ClientCapabilities, LoggingLevel, Method, Sender};
use crate::rpc::{Message, Notification, RequestId};

/// A notification about a subscription that is not open.
struct NotSubscribed;

impl<S: ClientStorage> ClientEngine<S> {
    /// Handles a notification. A malformed one, or one about nothing in flight, is passed on unchanged.
    pub(super) fn notification<'f>(
        &mut self,
        notification: Notification<'f>,
        now: Duration,
    ) -> EventOf<'f, S> {
        match known_notification::<S::Parts>(notification.method()) {
            Some(method) => self.known_notification(method, notification, now),
            None => Incoming::Notification(notification),
        }
    }

    // Not inlined: 176 bytes less stack in the client of the footprint.
    #[inline(never)]
    fn known_notification<'f>(
        &mut self,
        method: Method,
        notification: Notification<'f>,
        now: Duration,
    ) -> EventOf<'f, S> {
        let known = match method {
            Method::Progress if S::Parts::PROGRESS => self.progress(&notification, now),
            Method::LogMessage if S::Parts::LOGGING => log(&notification),
            Method::Cancelled if S::Parts::ASKING || S::Parts::SUBSCRIPTIONS => self.cancelled(&notification),
            _ if !S::Parts::SUBSCRIPTIONS => None,
            Method::ResourcesUpdated => self.resource_updated(&notification),
            Method::SubscriptionsAcknowledged => self.acknowledged(&notification),
            _ => self.list_changed(&notification, method),
        };
        known.unwrap_or(Incoming::Notification(notification))
    }

    fn progress<'f>(&mut self, notification: &Notification<'f>, now: Duration) -> Option<EventOf<'f, S>> {
        let params = notification.params()?;
        let [token, progress, total, message] =
            params.get_each(["progressToken", "progress", "total", "message"]).ok()?;
        let ticket = self.entry_of(RequestId::of(token?)?)?.ticket;
        let entry = self.entry_mut(ticket).filter(|entry| entry.wants_progress)?;
        let progress = progress?.as_number()?;
        entry.time.extend(now);
        Some(Incoming::Progress(ClientProgress {
            ticket,
            progress,
            total: total.and_then(RawValue::as_number),
            message: message.and_then(RawValue::as_string),
        }))
    }

    /// The subscription that a notification belongs to: one in 2026-07-28, none in earlier revisions.
    fn subscription(&self, notification: &Notification<'_>) -> Result<Option<Ticket>, NotSubscribed> {
        if !self.is_modern() {
            return Ok(None);
        }
        let id = Message::Notification(*notification).subscription_id();
        let id = id.ok().flatten().and_then(RequestId::of).ok_or(NotSubscribed)?;
        match self.entry_of(id) {
            Some(entry) if entry.method == Some(Method::SubscriptionsListen) => Ok(Some(entry.ticket)),
            _ => Err(NotSubscribed),
        }
    }

    fn list_changed<'f>(&self, notification: &Notification<'f>, method: Method) -> Option<EventOf<'f, S>> {
        let list = match method {
            Method::ToolsListChanged => List::Tools,
            Method::ResourcesListChanged => List::Resources,
            Method::PromptsListChanged => List::Prompts,
            _ => return None,
        };
        let subscription = self.subscription(notification).ok()?;
        Some(Incoming::ListChanged { list, subscription })
    }

    fn resource_updated<'f>(&self, notification: &Notification<'f>) -> Option<EventOf<'f, S>> {
        let subscription = self.subscription(notification).ok()?;
        let uri = notification.params()?.get_once("uri").ok()??.as_string()?;
        Some(Incoming::ResourceUpdated { uri, subscription })
    }

    /// Handles an acknowledgement, which meets the deadline of its request; the response comes at the end of the
    /// subscription.
    fn acknowledged<'f>(&mut self, notification: &Notification<'f>) -> Option<EventOf<'f, S>> {
        let subscription = self.subscription(notification).ok()??;
        let notifications = notification.params()?.get_once("notifications").ok()??;
        let notifications = notifications.as_object()?;
        self.entry_mut(subscription)?.time.deadline = None;
        Some(Incoming::Acknowledged { subscription, notifications })
    }

    /// Handles a cancellation: of a subscription in 2026-07-28, of a request of the server in earlier revisions.
    fn cancelled<'f>(&mut self, notification: &Notification<'f>) -> Option<EventOf<'f, S>> {
        let id = Message::Notification(*notification).request_id().ok()??;
        let id = RequestId::of(id)?;
        self.version()?;
        if !self.is_modern() {
            return S::Parts::ASKING.then_some(Incoming::Cancelled(id));
        }
        if !S::Parts::SUBSCRIPTIONS || self.entry_of(id)?.method != Some(Method::SubscriptionsListen) {
            return None;
        }
        let entry = self.take_id(id)?;
        Some(Incoming::Ended(Ended::of(entry, ClientOutcome::SubscriptionEnded)))
    }

    /// Sends any notification; `params` writes the members of its params, if it has any.
    ///
    /// # Errors
    /// [`RequestError::NotConnected`], [`RequestError::NoRoom`]; [`RequestError::NotInRevision`] for an MCP method that the
    /// revision or the [parts](super::ClientParts) do not have, that only servers send, or that is a request.
    pub fn notify(
        &mut self,
        method: &str,
        out: &mut Sink<'_>,
        params: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<(), RequestError> {
        let version = self.version().ok_or(RequestError::NotConnected)?;
        let known = Method::all().find(|known| known.name() == method);
        let is_sent = |known: Method| {
            known.is_notification()
                && sends::<S::Parts>(known)
                && known.is_in(version)
                && known.sender_in(version) != Sender::Server
        };
        if known.is_some_and(|known| !is_sent(known)) {
            return Err(RequestError::NotInRevision);
        }
        let mut line = Line::notification(out, method);
        params(&mut line.json);
        Ok(line.finish()?)
    }
}

impl<S: ClientStorage, H: ClientHandler + ?Sized> BoundClient<'_, S, H> {
    /// Notifies the server that the directories it may work in have changed (until 2025-11-25).
    ///
    /// # Errors
    /// As [`notify`](ClientEngine::notify); [`RequestError::NotOffered`] if the application does not declare
    /// `roots.listChanged`.
    pub fn roots_changed(&mut self, out: &mut Sink<'_>) -> Result<(), RequestError> {
        if !self.app.capabilities().has(ClientCapabilities::ROOTS_LIST_CHANGED) {
            return Err(RequestError::NotOffered);
        }
        self.notify(Method::RootsListChanged.name(), out, |_| {})
    }
}

fn log<'f, C>(notification: &Notification<'f>) -> Option<Incoming<'f, C>> {
    let [level, logger, data] = notification.params()?.get_each(["level", "logger", "data"]).ok()?;
    Some(Incoming::Log(Log {
        level: LoggingLevel::from_name(level?.as_string()?)?,
        logger: logger.and_then(RawValue::as_string),
        data: data?,
    }))
}
