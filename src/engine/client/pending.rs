//! The requests that wait for their responses.

use core::time::Duration;

use heapless::Vec;

use super::IdSource;
use crate::engine::table;
use crate::mcp::Method;
use crate::rpc::RequestId;

/// Names a request of the client's until it ends. Never used twice, up to 2^32 requests.
///
/// Where several requests are under way, it tells what has ended; what it costs is four bytes.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{Ask, Client, Incoming, Plain};
/// use barewire::mcp::{Implementation, ProtocolVersion};
/// use core::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let now = Duration::ZERO;
/// let mut client: Client<Plain> = Client::new(Plain(Implementation::new("probe", "1.0")));
/// let mut memory = [0; 512];
/// # client.initialize_with(ProtocolVersion::V2025_11_25, now, &mut Sink::new(&mut memory))?;
/// # let line = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;
/// # client.handle_frame(line, now, &mut Sink::new(&mut memory));
/// // Once connected:
/// let first = client.ping(Ask::at(now), &mut Sink::new(&mut memory))?;
/// let second = client.ping(Ask::at(now), &mut Sink::new(&mut memory))?;
/// let line = br#"{"jsonrpc":"2.0","id":3,"result":{}}"#;
/// let Incoming::Ended(ended) = client.handle_frame(line, now, &mut Sink::new(&mut memory)) else { unreachable!() };
/// assert!(ended.ticket == second && ended.ticket != first);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Ticket(u32);

/// What is kept of a request.
#[derive(Debug)]
pub(super) struct Entry<C, Id> {
    pub(super) ticket: Ticket,
    pub(super) id: Id,
    pub(super) context: C,
    /// `None` for one that is not of MCP.
    pub(super) method: Option<Method>,
    pub(super) wants_progress: bool,
    /// It may be answered with a task.
    pub(super) may_be_task: bool,
    pub(super) time: Time,
}

/// How long a request waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time {
    pub(super) deadline: Option<Duration>,
    /// What each progress adds to the time that it comes at, and the latest deadline that makes.
    pub(super) extension: Option<(Duration, Duration)>,
}

impl Time {
    /// Progress came.
    pub(super) fn extend(&mut self, now: Duration) {
        if let (Some(deadline), Some((timeout, latest))) = (&mut self.deadline, self.extension) {
            *deadline = now.saturating_add(timeout).min(latest).max(*deadline);
        }
    }
}

/// A fixed table of them.
#[derive(Debug)]
pub(super) struct Pending<C, const CALLS: usize, I: IdSource> {
    entries: Vec<Entry<C, I::Id>, CALLS>,
    next: u32,
}

impl<C, const CALLS: usize, I: IdSource> Pending<C, CALLS, I> {
    pub(super) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            next: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.entries.is_full()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry<C, I::Id>> {
        self.entries.iter()
    }

    pub(super) fn next_ticket(&mut self) -> Ticket {
        let ticket = Ticket(self.next);
        self.next = self.next.wrapping_add(1);
        ticket
    }

    /// There must be room.
    pub(super) fn insert(&mut self, entry: Entry<C, I::Id>) {
        // Whoever inserts has asked before.
        let _ = self.entries.push(entry);
    }

    pub(super) fn get(&self, ticket: Ticket) -> Option<&Entry<C, I::Id>> {
        self.entries.iter().find(|entry| entry.ticket == ticket)
    }

    pub(super) fn get_mut(&mut self, ticket: Ticket) -> Option<&mut Entry<C, I::Id>> {
        self.entries.iter_mut().find(|entry| entry.ticket == ticket)
    }

    pub(super) fn find(&self, id: RequestId<'_>) -> Option<&Entry<C, I::Id>> {
        self.entries.iter().find(|entry| is::<I>(&entry.id, id))
    }

    pub(super) fn take(&mut self, ticket: Ticket) -> Option<Entry<C, I::Id>> {
        self.take_where(|entry| entry.ticket == ticket)
    }

    pub(super) fn take_id(&mut self, id: RequestId<'_>) -> Option<Entry<C, I::Id>> {
        self.take_where(|entry| is::<I>(&entry.id, id))
    }

    pub(super) fn pop(&mut self) -> Option<Entry<C, I::Id>> {
        self.entries.pop()
    }

    fn take_where(&mut self, wanted: impl Fn(&Entry<C, I::Id>) -> bool) -> Option<Entry<C, I::Id>> {
        // The order of the table does not matter.
        table::take(&mut self.entries, wanted)
    }
}

/// Whether a kept id is this one: the same type and the same value.
pub(super) fn is<I: IdSource>(kept: &I::Id, id: RequestId<'_>) -> bool {
    I::with_id(kept, |kept| kept == id)
}
