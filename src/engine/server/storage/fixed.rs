//! Storage of a fixed size, for devices.

use core::marker::PhantomData;

use super::{CallSlot, SessionSlot, Storage, StreamSlot, Tables, TaskSlot, WatchSlot};
use crate::engine::server::{Full, Parts};

/// Storage of a fixed size, without a heap; `const`, so that it can be in a `static`.
///
/// | parameter | capacity | if it is full |
/// |---|---|---|
/// | `P` | [`Parts`] of the protocol that the server is built with | |
/// | `CALLS` | requests answered later, of which input requests and requests of the application's own; 0 saves more than a kilobyte of flash | `Server busy` |
/// | `SUBSCRIPTIONS` | `subscriptions/listen` streams, and as many subscribed resources and tasks; 0 leaves subscriptions out | `Server busy` |
/// | `TASKS` | tasks; one whose result was fetched makes room; 0 leaves tasks out | `Server busy` |
/// | `BYTES` | texts of all of these together: ids, progress tokens, URIs, states | an error that names the text |
/// | `SESSIONS` | legacy sessions: one for each stream | `Server busy` for `initialize` and `resources/subscribe`; other requests are served as without a session |
///
/// ```
/// use barewire::engine::{Fixed, Server, ToolsOnly};
///
/// // Tools only; two calls may be answered later, whose ids and progress tokens have 64 bytes in all.
/// static SERVER: std::sync::Mutex<Server<Fixed<ToolsOnly, 2, 0, 0, 64>>> =
///     std::sync::Mutex::new(Server::with_storage(Fixed::new()));
/// ```
#[derive(Debug)]
pub struct Fixed<
    P: Parts = Full,
    const CALLS: usize = 4,
    const SUBSCRIPTIONS: usize = 2,
    const TASKS: usize = 2,
    const BYTES: usize = 512,
    const SESSIONS: usize = 1,
> {
    sessions: [SessionSlot; SESSIONS],
    calls: [CallSlot; CALLS],
    streams: [StreamSlot; SUBSCRIPTIONS],
    watches: [WatchSlot; SUBSCRIPTIONS],
    tasks: [TaskSlot; TASKS],
    bytes: [u8; BYTES],
    parts: PhantomData<fn() -> P>,
}

impl<
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const TASKS: usize,
    const BYTES: usize,
    const SESSIONS: usize,
> Fixed<P, CALLS, SUBSCRIPTIONS, TASKS, BYTES, SESSIONS>
{
    /// Empty storage. At least the profile must be named, as in `Fixed::<Full>::new()`; the capacities then have their defaults.
    pub const fn new() -> Self {
        const { assert!(BYTES <= u32::MAX as usize && SESSIONS <= u16::MAX as usize) };
        Self {
            sessions: [SessionSlot::FREE; SESSIONS],
            calls: [CallSlot::FREE; CALLS],
            streams: [StreamSlot::FREE; SUBSCRIPTIONS],
            watches: [WatchSlot::FREE; SUBSCRIPTIONS],
            tasks: [TaskSlot::FREE; TASKS],
            bytes: [0; BYTES],
            parts: PhantomData,
        }
    }
}

impl<
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const TASKS: usize,
    const BYTES: usize,
    const SESSIONS: usize,
> Default for Fixed<P, CALLS, SUBSCRIPTIONS, TASKS, BYTES, SESSIONS>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const TASKS: usize,
    const BYTES: usize,
    const SESSIONS: usize,
> Storage for Fixed<P, CALLS, SUBSCRIPTIONS, TASKS, BYTES, SESSIONS>
{
    type Parts = Holding<P, CALLS, SUBSCRIPTIONS, TASKS>;

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
}

/// The parts `P`, without the code for tables that have no slot.
#[derive(Debug, Clone, Copy)]
pub struct Holding<P, const CALLS: usize, const SUBSCRIPTIONS: usize, const TASKS: usize>(
    PhantomData<fn() -> P>,
);

impl<P: Parts, const CALLS: usize, const SUBSCRIPTIONS: usize, const TASKS: usize> Parts
    for Holding<P, CALLS, SUBSCRIPTIONS, TASKS>
{
    const LEGACY: bool = P::LEGACY;
    const MODERN: bool = P::MODERN;
    const RESOURCES: bool = P::RESOURCES;
    const PROMPTS: bool = P::PROMPTS;
    const COMPLETIONS: bool = P::COMPLETIONS;
    const LOGGING: bool = P::LOGGING;
    const SUBSCRIPTIONS: bool = P::SUBSCRIPTIONS && SUBSCRIPTIONS > 0;
    const ASKING: bool = P::ASKING;
    const TASKS: bool = P::TASKS && TASKS > 0;
    const TASK_RANDOM: Option<fn(&mut [u8; 16])> = P::TASK_RANDOM;
    const CALLS: bool = P::CALLS && CALLS > 0;
}
