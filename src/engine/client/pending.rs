//! Table of the requests in flight.

use core::mem::swap;
use core::time::Duration;

use heapless::VecView;

use super::ids::IdSource;
use crate::mcp::Method;
use crate::rpc::RequestId;

/// Name of a request of the client until it ends. Never used twice, up to 2^32 requests.
///
/// It tells apart several requests in flight, at a cost of four bytes each.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{ClientEngine, Incoming, Plain, RequestOptions};
/// use barewire::mcp::{Implementation, ProtocolVersion};
/// use core::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let now = Duration::ZERO;
/// let (mut engine, mut app) = (ClientEngine::new(), Plain(Implementation::new("probe", "1.0")));
/// let mut client = engine.bind(&mut app);
/// let mut memory = [0; 512];
/// # client.initialize_with(ProtocolVersion::V2025_11_25, now, &mut Sink::new(&mut memory))?;
/// # let line = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;
/// # client.handle_frame(line, now, &mut Sink::new(&mut memory));
/// // Once connected:
/// let first = client.ping(RequestOptions::at(now), &mut Sink::new(&mut memory))?;
/// let second = client.ping(RequestOptions::at(now), &mut Sink::new(&mut memory))?;
/// let line = br#"{"jsonrpc":"2.0","id":3,"result":{}}"#;
/// let Incoming::Ended(ended) = client.handle_frame(line, now, &mut Sink::new(&mut memory)) else { unreachable!() };
/// assert!(ended.ticket == second && ended.ticket != first);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Ticket(pub(super) u32);

/// A request in flight.
#[derive(Debug)]
pub struct Entry<C, Id> {
    pub(super) ticket: Ticket,
    pub(super) id: Id,
    pub(super) context: C,
    /// `None` for a method that is not part of MCP.
    pub(super) method: Option<Method>,
    pub(super) wants_progress: bool,
    /// Whether the result may be a task.
    pub(super) may_be_task: bool,
    pub(super) time: Time,
}

/// Deadline of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time {
    pub(super) deadline: Option<Duration>,
    /// Timeout that restarts with each progress notification, and the latest deadline.
    pub(super) extension: Option<(Duration, Duration)>,
}

impl Time {
    /// Extends the deadline after a progress notification.
    pub(super) fn extend(&mut self, now: Duration) {
        if let (Some(deadline), Some((timeout, latest))) = (&mut self.deadline, self.extension) {
            *deadline = now.saturating_add(timeout).min(latest).max(*deadline);
        }
    }
}

/// The requests in flight, in any order.
pub(super) type Pending<C, Id> = VecView<Entry<C, Id>>;

/// Whether a kept id is `id`: the same type and the same value.
pub(super) fn is<I: IdSource>(kept: &I::Id, id: RequestId<'_>) -> bool {
    I::with_id(kept, |kept| kept == id)
}

/// Removes the first entry that is wanted. (`swap_remove` of `heapless` has a panic path.)
pub(super) fn take<C, Id>(
    pending: &mut Pending<C, Id>,
    wanted: impl Fn(&Entry<C, Id>) -> bool,
) -> Option<Entry<C, Id>> {
    let at = pending.iter().position(wanted)?;
    if let Some((last, others)) = pending.split_last_mut()
        && let Some(place) = others.get_mut(at)
    {
        swap(place, last);
    }
    pending.pop()
}
