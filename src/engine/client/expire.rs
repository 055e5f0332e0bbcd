//! Timeouts.

use core::time::Duration;

use super::bound::BoundClient;
use super::event::{ClientOutcome, Ended, Incoming};
use super::handler::ClientHandler;
use super::ids::IdSource;
use super::line::write_cancelled;
use super::storage::ClientStorage;
use crate::bytes::Sink;

impl<S: ClientStorage, H: ClientHandler + ?Sized> BoundClient<'_, S, H> {
    /// Handles one timeout: ends a request and writes its cancellation, or continues a handshake without a response.
    ///
    /// Call it until it returns `None`, and send the output after each call. After [`Incoming::NoRoom`] nothing has changed:
    /// send the output and call again. If not even an empty output can hold a cancellation, the request ends without one.
    // Not inlined: 88 bytes less stack in the client of the footprint.
    #[inline(never)]
    pub fn expire(&mut self, now: Duration, out: &mut Sink<'_>) -> Option<Incoming<'static, S::Context>> {
        let is_late = |deadline: Duration| deadline <= now;
        if self.handshake.deadline().is_some_and(is_late) {
            return Some(self.handshake_timed_out(now, out));
        }
        let mut pending = self.storage.pending().iter();
        let late = pending.find(|entry| entry.time.deadline.is_some_and(is_late))?;
        let (ticket, is_empty) = (late.ticket, out.is_empty());
        let written = S::Ids::with_id(&late.id, |id| write_cancelled(out, id, Some("timeout")));
        if let Err(full) = written
            && !is_empty
        {
            return Some(Incoming::NoRoom(full));
        }
        let entry = self.take(ticket)?;
        Some(Incoming::Ended(Ended::of(entry, ClientOutcome::TimedOut)))
    }
}
