//! What a server tells without being asked.

use core::time::Duration;

use super::parts::{heard, is_modern, sends};
use super::send::Line;
use super::{
    Client, ClientHandler, ClientParts, Ended, IdSource, Incoming, Log, Outcome, Progress, RequestError,
    Ticket,
};
use crate::bytes::Sink;
use crate::engine::List;
use crate::json::{RawValue, Writer};
use crate::mcp::{ClientCapabilities, LoggingLevel, Method, Sender};
use crate::rpc::{Message, Notification, RequestId};

/// A notification of a subscription that is not open.
struct NotSubscribed;

impl<H: ClientHandler + ?Sized, C, const CALLS: usize, I: IdSource, P: ClientParts>
    Client<H, C, CALLS, I, P>
{
    /// One that is malformed, or belongs to nothing that is known, is handed on as it is.
    #[inline(never)]
    pub(super) fn notification<'a>(
        &mut self,
        notification: Notification<'a>,
        now: Duration,
    ) -> Incoming<'a, C> {
        let known = match heard::<P>(notification.method()) {
            Some(Method::Progress) if P::PROGRESS => self.progress(&notification, now),
            Some(Method::LogMessage) if P::LOGGING => log(&notification),
            Some(Method::ToolsListChanged) if P::SUBSCRIPTIONS => {
                self.list_changed(&notification, List::Tools)
            }
            Some(Method::ResourcesListChanged) if P::SUBSCRIPTIONS => {
                self.list_changed(&notification, List::Resources)
            }
            Some(Method::PromptsListChanged) if P::SUBSCRIPTIONS => {
                self.list_changed(&notification, List::Prompts)
            }
            Some(Method::ResourcesUpdated) if P::SUBSCRIPTIONS => self.resource_updated(&notification),
            Some(Method::SubscriptionsAcknowledged) if P::SUBSCRIPTIONS => self.acknowledged(&notification),
            Some(Method::Cancelled) if P::ASKING || P::SUBSCRIPTIONS => self.cancelled(&notification),
            _ => None,
        };
        known.unwrap_or(Incoming::Notification(notification))
    }

    #[inline(never)]
    fn progress<'a>(&mut self, notification: &Notification<'a>, now: Duration) -> Option<Incoming<'a, C>> {
        let params = notification.params()?;
        let [token, progress, total, message] = params
            .get_each(["progressToken", "progress", "total", "message"])
            .ok()?;
        let token = RequestId::of(token?)?;
        let ticket = self.pending.find(token)?.ticket;
        let entry = self.pending.get_mut(ticket)?;
        if !entry.wants_progress {
            return None;
        }
        let progress = progress?.as_number()?;
        entry.time.extend(now);
        Some(Incoming::Progress(Progress {
            ticket,
            progress,
            total: total.and_then(RawValue::as_number),
            message: message.and_then(RawValue::as_string),
        }))
    }

    /// In the modern era such a notification belongs to a subscription.
    fn subscription(&self, notification: &Notification<'_>) -> Result<Option<Ticket>, NotSubscribed> {
        if !self.version().is_some_and(is_modern::<P>) {
            return Ok(None);
        }
        let id = Message::Notification(*notification).subscription_id();
        let id = id.ok().flatten().and_then(RequestId::of).ok_or(NotSubscribed)?;
        match self.pending.find(id) {
            Some(entry) if entry.method == Some(Method::SubscriptionsListen) => Ok(Some(entry.ticket)),
            _ => Err(NotSubscribed),
        }
    }

    fn list_changed<'a>(&self, notification: &Notification<'a>, list: List) -> Option<Incoming<'a, C>> {
        let subscription = self.subscription(notification).ok()?;
        Some(Incoming::ListChanged { list, subscription })
    }

    fn resource_updated<'a>(&self, notification: &Notification<'a>) -> Option<Incoming<'a, C>> {
        let subscription = self.subscription(notification).ok()?;
        let uri = notification.params()?.get_once("uri").ok()??.as_string()?;
        Some(Incoming::ResourceUpdated { uri, subscription })
    }

    /// What is waited for is the acknowledgement; the response comes at the end of the subscription.
    fn acknowledged<'a>(&mut self, notification: &Notification<'a>) -> Option<Incoming<'a, C>> {
        let subscription = self.subscription(notification).ok()??;
        let notifications = notification.params()?.get_once("notifications").ok()??;
        let notifications = notifications.as_object()?;
        self.pending.get_mut(subscription)?.time.deadline = None;
        Some(Incoming::Acknowledged {
            subscription,
            notifications,
        })
    }

    /// In the modern era it ends a subscription; before, it is about a request of the server's.
    #[inline(never)]
    fn cancelled<'a>(&mut self, notification: &Notification<'a>) -> Option<Incoming<'a, C>> {
        let id = Message::Notification(*notification).request_id().ok()??;
        let id = RequestId::of(id)?;
        if !is_modern::<P>(self.version()?) {
            return P::ASKING.then_some(Incoming::Cancelled(id));
        }
        if !P::SUBSCRIPTIONS {
            return None;
        }
        let entry = self.pending.find(id)?;
        if entry.method != Some(Method::SubscriptionsListen) {
            return None;
        }
        let entry = self.pending.take_id(id)?;
        Some(Incoming::Ended(Ended {
            ticket: entry.ticket,
            method: entry.method,
            context: entry.context,
            outcome: Outcome::SubscriptionEnded,
        }))
    }

    /// Sends any notification; `params` writes the members of its params, if it has any.
    ///
    /// # Errors
    /// [`RequestError::NotConnected`], [`RequestError::NoRoom`]; [`RequestError::NotInRevision`] for one of MCP that the
    /// revision or the [parts](ClientParts) do not have, that only servers send, or that is a request.
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
                && sends::<P>(known)
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

    /// Tells that the directories have changed that the server may work in (until 2025-11-25).
    ///
    /// # Errors
    /// As [`notify`](Client::notify); [`RequestError::NotOffered`] where the client has not declared `roots.listChanged`.
    pub fn roots_changed(&mut self, out: &mut Sink<'_>) -> Result<(), RequestError> {
        if !self
            .handler
            .capabilities()
            .has(ClientCapabilities::ROOTS_LIST_CHANGED)
        {
            return Err(RequestError::NotOffered);
        }
        self.notify(Method::RootsListChanged.name(), out, |_| {})
    }
}

fn log<'a, C>(notification: &Notification<'a>) -> Option<Incoming<'a, C>> {
    let [level, logger, data] = notification
        .params()?
        .get_each(["level", "logger", "data"])
        .ok()?;
    Some(Incoming::Log(Log {
        level: LoggingLevel::from_name(level?.as_string()?)?,
        logger: logger.and_then(RawValue::as_string),
        data: data?,
    }))
}
