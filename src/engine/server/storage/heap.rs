//! Storage that grows, for hosts.

use core::marker::PhantomData;
use std::vec::Vec;

use super::{CallSlot, SessionSlot, Storage, StreamSlot, Tables, TaskSlot, Used, WatchSlot};
use crate::engine::server::{Full, Parts};

/// Storage on the heap: it grows as needed, up to limits that are fit for a host.
///
/// | what | limit |
/// |---|---|
/// | requests answered later | 1024 |
/// | `subscriptions/listen` streams; subscribed resources and tasks | 1024; 1024 |
/// | tasks | 1024 |
/// | bytes of ids, progress tokens, URIs and states | 4 MiB |
/// | bytes of one state | 16 KiB, more when there is room |
/// | legacy sessions | as given to [`Heap::with_sessions`], 1 by default |
#[derive(Debug)]
pub struct Heap<P: Parts = Full> {
    sessions: Vec<SessionSlot>,
    calls: Vec<CallSlot>,
    streams: Vec<StreamSlot>,
    watches: Vec<WatchSlot>,
    tasks: Vec<TaskSlot>,
    bytes: Vec<u8>,
    parts: PhantomData<fn() -> P>,
}

const MAX_CALLS: usize = 1024;
const MAX_STREAMS: usize = 1024;
const MAX_WATCHES: usize = 1024;
const MAX_TASKS: usize = 1024;
const MAX_BYTES: usize = 4 << 20;
/// Bytes that are free beside those of a frame: the state of an input request is not part of one.
const STATE_BYTES: usize = 16 << 10;

impl<P: Parts> Heap<P> {
    /// Storage for one legacy session. It allocates when the first frame comes.
    pub const fn new() -> Self {
        Self {
            sessions: Vec::new(),
            calls: Vec::new(),
            streams: Vec::new(),
            watches: Vec::new(),
            tasks: Vec::new(),
            bytes: Vec::new(),
            parts: PhantomData,
        }
    }

    /// Storage for this number of legacy sessions.
    pub fn with_sessions(count: u16) -> Self {
        Self { sessions: std::vec![SessionSlot::FREE; usize::from(count)], ..Self::new() }
    }
}

impl<P: Parts> Default for Heap<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Parts> Storage for Heap<P> {
    type Parts = P;

    fn tables(&mut self) -> Tables<'_> {
        Tables {
            sessions: &mut self.sessions,
            calls: &mut self.calls,
            streams: &mut self.streams,
            watches: &mut self.watches,
            tasks: &mut self.tasks,
            bytes: &mut self.bytes,
        }
    }

    fn reserve(&mut self, used: Used, bytes: usize) {
        grow(&mut self.sessions, 1, 1, SessionSlot::FREE);
        grow(&mut self.calls, used.calls.saturating_add(1), MAX_CALLS, CallSlot::FREE);
        grow(&mut self.streams, used.streams.saturating_add(1), MAX_STREAMS, StreamSlot::FREE);
        // A frame may subscribe to many resources; each takes at least four of its bytes.
        let watches = used.watches.saturating_add(bytes / 4).saturating_add(1);
        grow(&mut self.watches, watches, MAX_WATCHES, WatchSlot::FREE);
        grow(&mut self.tasks, used.tasks.saturating_add(1), MAX_TASKS, TaskSlot::FREE);
        grow(
            &mut self.bytes,
            (used.bytes as usize).saturating_add(bytes).saturating_add(STATE_BYTES),
            MAX_BYTES,
            0,
        );
    }
}

/// Grows by doubling, so that the cost of all growth is linear in what is kept.
fn grow<T: Clone>(table: &mut Vec<T>, needed: usize, limit: usize, free: T) {
    if needed > table.len() && table.len() < limit {
        let length = needed.max(table.len().saturating_mul(2)).min(limit);
        table.resize(length, free);
    }
}
