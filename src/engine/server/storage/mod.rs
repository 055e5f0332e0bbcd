//! Memory of a server: tables with named capacities, and one array of bytes for the texts in them.

mod arena;
mod fixed;
#[cfg(feature = "std")]
mod heap;
mod slots;
mod table;

pub(super) use arena::{Arena, Span, Texts};
pub use fixed::Fixed;
#[cfg(feature = "std")]
pub use heap::Heap;
pub use slots::{CallSlot, SessionSlot, StreamSlot, TaskSlot, WatchSlot};
pub(super) use slots::{CallState, Due, SessionPhase, TaskState, Version, Watched, Watcher};
pub(super) use table::Table;

use super::Parts;

/// Memory of a [`Server`](super::Server): [`Fixed`] or, with the feature `std`, `Heap`.
///
/// It lends its tables as slices, so the code of the server does not depend on the capacities. An application may write its own
/// storage, for example one over memory that a boot loader has set aside.
pub trait Storage {
    /// Parts of the protocol that a server of this storage is built with.
    type Parts: Parts;

    /// All tables. The lengths are the capacities.
    fn tables(&mut self) -> Tables<'_>;

    /// Called before work that may keep something: a storage that can grow makes room for at least one slot more than are used of each
    /// table, and for `bytes` more bytes than are used and a state of an input request, as far as its limits allow.
    fn reserve(&mut self, used: Used, bytes: usize) {
        let _ = (used, bytes);
    }
}

/// The tables of a [`Storage`].
#[derive(Debug)]
pub struct Tables<'a> {
    /// Legacy sessions: one for each stream, or for each session over HTTP.
    pub sessions: &'a mut [SessionSlot],
    /// Requests that are not answered yet, of the client and of the server.
    pub calls: &'a mut [CallSlot],
    /// Streams of `subscriptions/listen`.
    pub streams: &'a mut [StreamSlot],
    /// Resources and tasks that a session or a stream has subscribed to.
    pub watches: &'a mut [WatchSlot],
    /// Tasks.
    pub tasks: &'a mut [TaskSlot],
    /// Texts of the slots: ids, progress tokens, URIs, states.
    pub bytes: &'a mut [u8],
}

/// Number of slots and bytes in use.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    /// In the table of calls.
    pub calls: usize,
    /// In the table of streams.
    pub streams: usize,
    /// In the table of watches.
    pub watches: usize,
    /// In the table of tasks.
    pub tasks: usize,
    /// Bytes of texts.
    pub bytes: u32,
}

impl Used {
    pub(super) const NONE: Self = Self { calls: 0, streams: 0, watches: 0, tasks: 0, bytes: 0 };
}
