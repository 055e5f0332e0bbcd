//! What the passing of time comes to.

use core::time::Duration;

use super::send::write_cancelled;
use super::{Client, ClientHandler, ClientParts, Ended, IdSource, Incoming, Outcome};
use crate::bytes::Sink;

impl<H: ClientHandler + ?Sized, C, const CALLS: usize, I: IdSource, P: ClientParts>
    Client<H, C, CALLS, I, P>
{
    /// When something times out next, if anything does: [`expire`](Client::expire) has nothing to do before.
    pub fn next_deadline(&self) -> Option<Duration> {
        let mut next = self.handshake.deadline();
        for deadline in self.pending.iter().filter_map(|entry| entry.time.deadline) {
            next = Some(next.map_or(deadline, |next| next.min(deadline)));
        }
        next
    }

    /// Lets time pass: ends one request whose deadline has come and writes its cancellation, or goes on with a handshake
    /// that got no answer. `None` when nothing is left to do.
    ///
    /// Call it until it says `None`, sending the output between. [`Incoming::NoRoom`]: nothing was done, send the output
    /// and call again. Where not even an empty output holds a cancellation, the request ends without one.
    // A function of its own, so that what it needs is off the stack of what its caller does with the event.
    #[inline(never)]
    pub fn expire(&mut self, now: Duration, out: &mut Sink<'_>) -> Option<Incoming<'static, C>> {
        if self.handshake.deadline().is_some_and(|deadline| deadline <= now) {
            return Some(self.handshake_timed_out(now, out));
        }
        let is_late = |deadline: Duration| deadline <= now;
        let late = self
            .pending
            .iter()
            .find(|entry| entry.time.deadline.is_some_and(is_late))?;
        let ticket = late.ticket;
        let is_empty = out.is_empty();
        let written = I::with_id(&late.id, |id| write_cancelled(out, id, Some("timeout")));
        if written.is_err() && !is_empty {
            return Some(Incoming::NoRoom);
        }
        let entry = self.pending.take(ticket)?;
        Some(Incoming::Ended(Ended {
            ticket,
            method: entry.method,
            context: entry.context,
            outcome: Outcome::TimedOut,
        }))
    }
}
