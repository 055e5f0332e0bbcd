//! The body of a response.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use barewire::engine::Channel;
use barewire::transport::http::HttpReply;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::hub::{Hub, Output};

/// The body of a response: a message, or a stream of events.
///
/// A stream that is dropped before its end is a client that is gone: a modern request is cancelled.
#[derive(Debug)]
pub struct Body(Content);

#[derive(Debug)]
enum Content {
    /// Empty once it is sent.
    Bytes(Bytes),
    Stream(Open),
    Ended,
}

impl Body {
    pub(crate) const fn empty() -> Self {
        Self::bytes(Bytes::new())
    }

    pub(crate) const fn bytes(bytes: Bytes) -> Self {
        Self(Content::Bytes(bytes))
    }

    pub(crate) const fn stream(open: Open) -> Self {
        Self(Content::Stream(open))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match &mut self.0 {
            Content::Bytes(bytes) => std::mem::take(bytes),
            Content::Ended => return Poll::Ready(None),
            Content::Stream(open) => match open.take_output(context) {
                Output::Pending => return Poll::Pending,
                Output::Bytes(bytes, is_last) => {
                    if is_last {
                        self.0 = Content::Ended;
                    }
                    bytes
                }
            },
        };
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Content::Bytes(bytes) => bytes.is_empty(),
            Content::Stream(_) => false,
            Content::Ended => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Bytes(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Content::Stream(_) => SizeHint::default(),
            Content::Ended => SizeHint::with_exact(0),
        }
    }
}

/// A response that is not complete. Dropped before its end, its client is gone.
pub(crate) struct Open {
    hub: Arc<Hub>,
    /// `None` after the end.
    channel: Option<Channel>,
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Open({:?})", self.channel)
    }
}

impl Open {
    pub(crate) const fn new(hub: Arc<Hub>, channel: Channel) -> Self {
        Self { hub, channel: Some(channel) }
    }

    /// The reply, once it is known.
    pub(crate) fn poll_reply(&self, context: &Context<'_>) -> Poll<HttpReply> {
        let reply = self.channel.and_then(|channel| self.hub.reply(channel, context.waker()));
        reply.map_or(Poll::Pending, Poll::Ready)
    }

    /// The next bytes.
    pub(crate) fn take_output(&mut self, context: &Context<'_>) -> Output {
        let Some(channel) = self.channel else {
            return Output::Bytes(Bytes::new(), true);
        };
        let output = self.hub.take_output(channel, context.waker());
        if let Output::Bytes(_, true) = output {
            self.channel = None;
        }
        output
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(channel) = self.channel {
            self.hub.closed(channel);
        }
    }
}
