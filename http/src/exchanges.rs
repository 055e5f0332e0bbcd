//! Responses that are not complete.

use std::task::Waker;
use std::time::Duration;

use barewire::engine::Channel;
use barewire::transport::http::{COMMENT, EVENT_END, EVENT_START, HttpReply, Line, ReplyBody, events};
use bytes::Bytes;
use tokio::time::Instant;

use crate::limits::HttpLimits;

/// A response that is not complete.
pub(crate) struct Exchange {
    reply: HttpReply,
    /// Bytes that were not sent.
    output: Vec<u8>,
    has_ended: bool,
    /// Time since which nothing was written, or since which the client does not read what was.
    since: Instant,
    waker: Option<Waker>,
}

impl Exchange {
    /// An exchange with the reply to its request, and the lines that came with it.
    pub(crate) fn new(reply: HttpReply, lines: &[u8], now: Instant) -> Self {
        let mut exchange =
            Self { reply, output: Vec::new(), has_ended: reply.ends(), since: now, waker: None };
        exchange.write(lines);
        exchange
    }

    fn write(&mut self, lines: &[u8]) {
        match self.reply.body() {
            ReplyBody::Json => self.output.extend_from_slice(lines.trim_ascii_end()),
            ReplyBody::Stream => {
                for line in events(lines) {
                    self.output.extend_from_slice(EVENT_START);
                    self.output.extend_from_slice(line);
                    self.output.extend_from_slice(EVENT_END);
                }
            }
            ReplyBody::Empty | ReplyBody::Later { .. } => {}
        }
    }

    /// The reply, once it is known.
    pub(crate) fn reply(&self) -> Option<HttpReply> {
        (!matches!(self.reply.body(), ReplyBody::Later { .. })).then_some(self.reply)
    }

    pub(crate) const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The bytes of a response that is complete.
    pub(crate) fn into_output(self) -> Bytes {
        self.output.into()
    }

    /// Has `waker` woken at the next change.
    pub(crate) fn wait(&mut self, waker: &Waker) {
        match &mut self.waker {
            Some(last) => last.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }

    /// Moment at which something is to be done if nothing happens before.
    fn deadline(&self, limits: &HttpLimits) -> Option<Instant> {
        match (self.has_ended, self.output.is_empty(), self.reply.body()) {
            (true, ..) | (_, true, ReplyBody::Later { may_stream: false }) => None,
            (_, true, _) => self.since.checked_add(limits.keep_alive),
            (_, false, _) => self.since.checked_add(limits.stall),
        }
    }
}

/// The responses that are not complete, by their channels.
pub(crate) struct Exchanges {
    places: Vec<Option<Exchange>>,
    free: Vec<u32>,
    most: usize,
    /// A lower bound of the deadlines.
    deadline: Option<Instant>,
    /// The tasks to wake, once nothing is locked.
    wakers: Vec<Waker>,
}

impl Exchanges {
    pub(crate) const fn new(most: usize) -> Self {
        Self { places: Vec::new(), free: Vec::new(), most, deadline: None, wakers: Vec::new() }
    }

    /// A channel for a request, or `None` if there are too many. It is free until there is an exchange.
    pub(crate) fn free_channel(&mut self) -> Option<Channel> {
        if self.free.is_empty() && self.places.len() < self.most {
            self.free.push(u32::try_from(self.places.len()).ok()?);
            self.places.push(None);
        }
        self.free.last().copied().map(Channel)
    }

    /// Opens an exchange on the channel that [`free_channel`](Self::free_channel) has just returned.
    pub(crate) fn open(&mut self, exchange: Exchange, limits: &HttpLimits) -> Option<Channel> {
        let place = self.free.pop()?;
        self.deadline = earliest(self.deadline, exchange.deadline(limits));
        *self.places.get_mut(place as usize)? = Some(exchange);
        Some(Channel(place))
    }

    pub(crate) fn get_mut(&mut self, channel: Channel) -> Option<&mut Exchange> {
        self.places.get_mut(channel.0 as usize)?.as_mut()
    }

    /// Removes an exchange, and frees its channel.
    pub(crate) fn remove(&mut self, channel: Channel) -> Option<Exchange> {
        let exchange = self.places.get_mut(channel.0 as usize)?.take()?;
        self.free.push(channel.0);
        Some(exchange)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.free.len() == self.places.len()
    }

    /// The channels of the exchanges that have not ended.
    pub(crate) fn open_channels(&self) -> Vec<Channel> {
        let is_open = |place: &Option<Exchange>| place.as_ref().is_some_and(|exchange| !exchange.has_ended);
        let places = (0..).zip(&self.places);
        places.filter(|(_, place)| is_open(place)).map(|(number, _)| Channel(number)).collect()
    }

    /// Takes the bytes to send, and whether they are the last ones; then the exchange is removed. If there are none, `waker` is woken when there
    /// are, and at the end.
    pub(crate) fn take_output(
        &mut self,
        channel: Channel,
        now: Instant,
        waker: &Waker,
        limits: &HttpLimits,
    ) -> (Vec<u8>, bool) {
        let Some(exchange) = self.get_mut(channel) else {
            return (Vec::new(), true);
        };
        if exchange.has_ended {
            let output = std::mem::take(&mut exchange.output);
            self.remove(channel);
            return (output, true);
        }
        if exchange.output.is_empty() {
            exchange.wait(waker);
            return (Vec::new(), false);
        }
        let output = std::mem::take(&mut exchange.output);
        exchange.since = now;
        let deadline = exchange.deadline(limits);
        self.deadline = earliest(self.deadline, deadline);
        (output, false)
    }

    /// Whether an exchange has room for further lines. Lines for one that has none are dropped, so it counts as writable.
    pub(crate) fn is_writable(&self, channel: Channel, limits: &HttpLimits) -> bool {
        let exchange = self.places.get(channel.0 as usize).and_then(Option::as_ref);
        exchange.is_none_or(|exchange| exchange.output.len() < limits.queue)
    }

    /// Adds the lines of `line` to their exchange.
    pub(crate) fn deliver(&mut self, line: Line, text: &[u8], now: Instant) {
        let Some(exchange) = self.places.get_mut(line.channel().0 as usize).and_then(Option::as_mut) else {
            return;
        };
        if exchange.has_ended {
            return;
        }
        if exchange.reply().is_none() {
            exchange.reply = line.reply();
        }
        if exchange.output.is_empty() {
            exchange.since = now;
        }
        exchange.write(text);
        exchange.has_ended |= line.ends();
        self.wakers.extend(exchange.waker.take());
    }

    /// Ends an exchange without a further line. What was not sent is dropped if its client does not read.
    pub(crate) fn end(&mut self, channel: Channel, reads: bool) {
        if let Some(exchange) = self.places.get_mut(channel.0 as usize).and_then(Option::as_mut) {
            exchange.has_ended = true;
            if exchange.reply().is_none() {
                exchange.reply = HttpReply::STREAM;
            }
            if !reads {
                exchange.output = Vec::new();
            }
            self.wakers.extend(exchange.waker.take());
        }
    }

    /// Moment at which [`keep_alive`](Self::keep_alive) is to be called.
    pub(crate) const fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Writes comments into quiet streams. Returns the channels of those whose clients do not read.
    pub(crate) fn keep_alive(&mut self, now: Instant, limits: &HttpLimits) -> Vec<Channel> {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return Vec::new();
        }
        let mut stalled = Vec::new();
        let mut next = None;
        for (number, exchange) in (0..).zip(&mut self.places) {
            let Some(exchange) = exchange else {
                continue;
            };
            if exchange.deadline(limits).is_some_and(|deadline| deadline <= now) {
                if !exchange.output.is_empty() {
                    stalled.push(Channel(number));
                    continue;
                }
                if exchange.reply().is_none() {
                    exchange.reply = HttpReply::STREAM;
                }
                exchange.output.extend_from_slice(COMMENT);
                exchange.since = now;
                self.wakers.extend(exchange.waker.take());
            }
            next = earliest(next, exchange.deadline(limits));
        }
        // Not for every exchange by itself, if there are many.
        let granule = limits.keep_alive.min(Duration::from_secs(16)) / 16;
        self.deadline = next.map(|next| next.max(now + granule));
        stalled
    }

    /// The tasks to wake.
    pub(crate) fn take_wakers(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.wakers)
    }
}

/// The earlier of two moments.
pub(crate) fn earliest(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
