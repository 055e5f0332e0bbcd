//! What a server does where the specification leaves a choice.

use core::time::Duration;

use super::time::short_milliseconds;
use crate::rpc::Rules;

/// How a server behaves. The default is what a process on stdio does.
///
/// ```
/// use barewire::engine::{Options, UnreadableId};
/// use core::time::Duration;
///
/// /// On a noisy serial line, where clients come and go.
/// const SERIAL: Options = Options::DEFAULT
///     .with_restart(true)
///     .with_unreadable_id(UnreadableId::Silent)
///     .with_question_timeout(Duration::from_secs(60));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Options {
    pub(super) lifecycle: Lifecycle,
    pub(super) restart: bool,
    pub(super) unreadable_id: UnreadableId,
    pub(super) rules: Rules,
    /// In milliseconds.
    pub(super) question_timeout: u32,
    pub(super) tasks: TaskOptions,
}

/// How long tasks are kept, how often they may be asked for, and what their ids are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct TaskOptions {
    pub(super) seed: u64,
    /// In milliseconds, as the other.
    pub(super) max_ttl: u32,
    pub(super) poll_interval: u32,
}

/// Whether a legacy client must say `initialize` first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Lifecycle {
    /// Requests are served before `initialize` too, as by a 2025-11-25 server.
    #[default]
    Lenient,
    /// Before `initialize` only `ping` is served.
    Strict,
}

/// What an error says whose request has no readable id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum UnreadableId {
    /// `"id":null`, as JSON-RPC 2.0 has it.
    #[default]
    Null,
    /// No `id`, as MCP 2025-11-25 and later have it.
    Omit,
    /// No error at all, as most SDKs do on stdio: for noisy lines.
    Silent,
}

impl Options {
    /// The default.
    pub const DEFAULT: Self = Self {
        lifecycle: Lifecycle::Lenient,
        restart: false,
        unreadable_id: UnreadableId::Null,
        rules: Rules::STRICT,
        question_timeout: 300_000,
        tasks: TaskOptions {
            seed: 0,
            max_ttl: 300_000,
            poll_interval: 1000,
        },
    };

    /// Whether a legacy client must say `initialize` first.
    pub const fn with_lifecycle(self, lifecycle: Lifecycle) -> Self {
        Self { lifecycle, ..self }
    }

    /// Whether `initialize` starts afresh, for links that outlive a peer (a serial line, a TCP port): calls in flight and
    /// subscriptions of before are forgotten. Else a second one is refused.
    pub const fn with_restart(self, restart: bool) -> Self {
        Self { restart, ..self }
    }

    /// What an error says whose request has no readable id.
    pub const fn with_unreadable_id(self, unreadable_id: UnreadableId) -> Self {
        Self {
            unreadable_id,
            ..self
        }
    }

    /// After what time a question to the client is given up; five minutes by default, a millisecond at
    /// least. The time is that of [`Server::tick`](super::Server::tick).
    pub const fn with_question_timeout(self, timeout: Duration) -> Self {
        Self {
            question_timeout: short_milliseconds(timeout),
            ..self
        }
    }

    /// From what the ids of tasks are made: with a seed that is drawn at random, those of another run are no ids of this
    /// one. Who knows one id can compute the others; a link has one peer, so an id keeps nobody out.
    pub const fn with_task_seed(mut self, seed: u64) -> Self {
        self.tasks.seed = seed;
        self
    }

    /// For what time a task is kept, from its start; a client may ask for less. Five minutes by default. The
    /// time is that of [`Server::tick`](super::Server::tick).
    pub const fn with_task_ttl(mut self, ttl: Duration) -> Self {
        self.tasks.max_ttl = short_milliseconds(ttl);
        self
    }

    /// How long a client should wait before it asks for a task again; a second by default.
    pub const fn with_task_poll_interval(mut self, interval: Duration) -> Self {
        self.tasks.poll_interval = short_milliseconds(interval);
        self
    }

    /// Which leniencies the classifier has.
    pub const fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}
