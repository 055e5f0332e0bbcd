//! Everything that a server keeps, as views.

mod calls;
mod streams;
mod tasks;

use core::marker::PhantomData;

#[cfg(feature = "seal")]
use super::Seal;
use super::storage::{
    Arena, CallSlot, Due, SessionPhase, SessionSlot, Span, Storage, StreamSlot, Table, TaskSlot, Used,
    WatchSlot, Watched,
};
use super::{Address, Options, Origin, Parts};
use crate::mcp::ProtocolVersion;

pub(super) use calls::{id_of, progress_token_of};
pub(super) use streams::place_of;

/// State of a server other than its tables.
#[derive(Debug, Clone)]
pub(super) struct Core {
    pub(super) options: Options,
    #[cfg(feature = "seal")]
    pub(super) seal: Option<Seal>,
    /// Monotonic time in milliseconds, as set by the caller.
    pub(super) now: u64,
    /// Time of day in milliseconds since 1970, as set by the caller.
    pub(super) time_of_day: u64,
    /// Whether the caller has set the time.
    pub(super) has_time: bool,
    pub(super) next_call: u32,
    pub(super) next_task: u32,
    pub(super) next_stream: u32,
    pub(super) last_question: u32,
    /// Number of the last line that came due.
    last_due: Due,
    /// A line may be due.
    pub(super) has_due: bool,
    /// A lower bound of the next deadline, or [`NEVER`].
    pub(super) deadline: u64,
    /// A deadline was over when it was set.
    pub(super) is_late: bool,
}

/// No deadline. Zero, so that a server in a `static` takes no flash.
pub(super) const NEVER: u64 = 0;

impl Core {
    pub(super) const fn new() -> Self {
        Self {
            options: Options::DEFAULT,
            #[cfg(feature = "seal")]
            seal: None,
            now: 0,
            time_of_day: 0,
            has_time: false,
            next_call: 0,
            next_task: 0,
            next_stream: 0,
            last_question: 0,
            last_due: 0,
            has_due: false,
            deadline: NEVER,
            is_late: false,
        }
    }

    /// Number of a line that comes due now.
    pub(super) const fn now_due(&mut self) -> Due {
        self.has_due = true;
        self.last_due = self.last_due.wrapping_add(1);
        if self.last_due == 0 {
            self.last_due = 1;
        }
        self.last_due
    }

    /// Marks a line as due, unless it is already: a line keeps its place in the order.
    pub(super) const fn mark(&mut self, due: &mut Due) {
        if *due == 0 {
            *due = self.now_due();
        }
    }

    /// The seal, and the time of day at which a state expires that is sealed now.
    #[cfg(feature = "seal")]
    pub(super) fn seal(&self) -> Option<(Seal, u64)> {
        let until = self.time_of_day.saturating_add(u64::from(self.options.question_timeout()));
        self.seal.map(|seal| (seal, until))
    }

    /// Wakes `poll` at this time.
    pub(super) fn wake_at(&mut self, time: u64) {
        if time <= self.now {
            self.is_late = true;
        } else if self.deadline == NEVER || time < self.deadline {
            self.deadline = time;
        }
    }

    /// Whether a deadline is over.
    pub(super) const fn is_late(&self) -> bool {
        self.is_late || self.deadline != NEVER && self.deadline <= self.now
    }
}

/// Views of everything that a server keeps. `P` removes what the server is not built with.
pub(super) struct State<'a, P> {
    pub(super) core: &'a mut Core,
    pub(super) sessions: &'a mut [SessionSlot],
    pub(super) calls: Table<'a, CallSlot>,
    pub(super) streams: Table<'a, StreamSlot>,
    pub(super) watches: Table<'a, WatchSlot>,
    pub(super) tasks: Table<'a, TaskSlot>,
    pub(super) arena: Arena<'a>,
    parts: PhantomData<P>,
}

impl<'a, P: Parts> State<'a, P> {
    // Inlined on 64 bits, where the views are then built in place.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub(super) fn new<S: Storage<Parts = P>>(
        core: &'a mut Core,
        used: &'a mut Used,
        storage: &'a mut S,
    ) -> Self {
        let tables = storage.tables();
        Self {
            core,
            sessions: tables.sessions,
            calls: Table::new(tables.calls, &mut used.calls),
            streams: Table::new(tables.streams, &mut used.streams),
            watches: Table::new(tables.watches, &mut used.watches),
            tasks: Table::new(tables.tasks, &mut used.tasks),
            arena: Arena::new(tables.bytes, &mut used.bytes),
            parts: PhantomData,
        }
    }

    /// The session of a frame, if the storage has a place for it.
    pub(super) fn session(&self, place: Option<u16>) -> Option<&SessionSlot> {
        self.sessions.get(usize::from(place?))
    }

    pub(super) fn session_mut(&mut self, place: Option<u16>) -> Option<&mut SessionSlot> {
        self.sessions.get_mut(usize::from(place?))
    }

    /// State of the session of a frame.
    pub(super) fn phase(&self, place: Option<u16>) -> SessionPhase {
        self.session(place).map_or(SessionPhase::Closed, |session| session.phase)
    }

    /// The revision of the session of a frame, once it is negotiated.
    pub(super) fn version(&self, place: Option<u16>) -> Option<ProtocolVersion> {
        self.phase(place).version()
    }

    /// Removes a text from the arena.
    pub(super) fn forget(&mut self, removed: Span) {
        if removed.is_empty() {
            return;
        }
        self.arena.remove(removed);
        for call in self.calls.iter_mut() {
            call.ids.close_gap(removed);
            call.kept.close_gap(removed);
        }
        if P::SUBSCRIPTIONS {
            for stream in self.streams.iter_mut() {
                stream.id.close_gap(removed);
            }
            for watch in self.watches.iter_mut() {
                if let Watched::Resource(uri) = &mut watch.watched {
                    uri.close_gap(removed);
                }
            }
        }
        if P::TASKS {
            for task in self.tasks.iter_mut() {
                task.texts.close_gap(removed);
            }
        }
    }

    /// Address of what belongs to this call: its channel, or its session once the channel was closed.
    pub(super) fn address_of(call: &CallSlot) -> Option<Address> {
        match call.channel {
            Some(channel) => Some(Address::Request(channel)),
            None => call.session.map(Address::Session),
        }
    }

    /// Whether a frame from here continues this call's conversation: the client's response to a question must come from the
    /// session, or the channel, that was asked.
    fn belongs(call: &CallSlot, origin: Origin) -> bool {
        match call.session {
            Some(session) => origin.session() == Some(session),
            None => call.channel == Some(origin.channel()),
        }
    }
}
