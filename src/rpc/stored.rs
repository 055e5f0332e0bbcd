//! A classified message that outlives its frame.

use core::fmt;

use heapless::Vec;

use super::message::Span;
use super::{Message, Notification, Request, Response};

/// A copy of a message in at most `N` bytes, its views ready: from an interrupt to a task, say.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use barewire::rpc::{Stored, classify};
///
/// let stored: Stored<64> = {
///     let line = *br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
///     let message = classify(&line).map_err(|rejection| rejection.to_string())?;
///     Stored::new(&message)?
/// };
/// assert!(stored.view().method().is_some_and(|method| method == "ping"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Stored<const N: usize> {
    frame: Vec<u8, N>,
    parts: Parts,
}

#[derive(Clone, Copy)]
enum Parts {
    Request { id: Span, method: Span, params: Span },
    Notification { method: Span, params: Span },
    Response { id: Span, body: Span, is_error: bool },
}

/// A message that is longer than the memory for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct MessageTooLong;

impl fmt::Display for MessageTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the message is too long to be kept")
    }
}

impl core::error::Error for MessageTooLong {}

impl<const N: usize> Stored<N> {
    /// Copies the frame of `message`. Nothing is parsed again.
    ///
    /// # Errors
    /// [`MessageTooLong`] when the frame has more than `N` bytes.
    pub fn new(message: &Message<'_>) -> Result<Self, MessageTooLong> {
        let mut frame = Vec::new();
        frame.extend_from_slice(message.frame()).map_err(|_| MessageTooLong)?;
        let parts = match *message {
            Message::Request(Request { id, method, params, .. }) => Parts::Request { id, method, params },
            Message::Notification(Notification { method, params, .. }) => {
                Parts::Notification { method, params }
            }
            Message::Response(Response { id, body, is_error, .. }) => Parts::Response { id, body, is_error },
        };
        Ok(Self { frame, parts })
    }

    /// The message.
    pub fn view(&self) -> Message<'_> {
        let frame = self.frame.as_slice();
        match self.parts {
            Parts::Request { id, method, params } => Message::Request(Request { frame, id, method, params }),
            Parts::Notification { method, params } => {
                Message::Notification(Notification { frame, method, params })
            }
            Parts::Response { id, body, is_error } => {
                Message::Response(Response { frame, id, body, is_error })
            }
        }
    }
}

impl<const N: usize> fmt::Debug for Stored<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stored").field(&self.view()).finish()
    }
}
