//! What a server does where the specification leaves a choice.

use core::num::NonZeroU32;
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
    /// Whether `rules` was set. An `Option<Rules>` would not be zero in memory: see [`Setting`].
    has_rules: bool,
    rules: Rules,
    question_timeout: Setting,
    pub(super) tasks: TaskOptions,
}

/// A time in milliseconds, where it is not the default. All of [`Options::DEFAULT`] is zero in memory, as all else of a
/// server before its first frame is: a server in a `static` costs no flash.
type Setting = Option<NonZeroU32>;

/// How long tasks are kept, how often they may be asked for, and what their ids are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct TaskOptions {
    pub(super) seed: u64,
    max_ttl: Setting,
    poll_interval: Setting,
}

impl TaskOptions {
    /// In milliseconds.
    pub(super) fn max_ttl(&self) -> u32 {
        self.max_ttl.map_or(300_000, NonZeroU32::get)
    }

    /// In milliseconds.
    pub(super) fn poll_interval(&self) -> u32 {
        self.poll_interval.map_or(1000, NonZeroU32::get)
    }
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
        has_rules: false,
        rules: Rules::STRICT,
        question_timeout: None,
        tasks: TaskOptions {
            seed: 0,
            max_ttl: None,
            poll_interval: None,
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
            question_timeout: setting(timeout),
            ..self
        }
    }

    /// From what the ids of tasks are made: with a seed that is drawn at random, those of another run are no ids of this
    /// one. Who knows one id can compute the others; a link has one peer, so an id keeps nobody out.
    pub const fn with_task_seed(mut self, seed: u64) -> Self {
        self.tasks.seed = seed;
        self
    }

    /// For what time a task is kept, from its start; a client may ask for less. Five minutes by default, a millisecond at
    /// least. The time is that of [`Server::tick`](super::Server::tick).
    pub const fn with_task_ttl(mut self, ttl: Duration) -> Self {
        self.tasks.max_ttl = setting(ttl);
        self
    }

    /// How long a client should wait before it asks for a task again; a second by default, a millisecond at least.
    pub const fn with_task_poll_interval(mut self, interval: Duration) -> Self {
        self.tasks.poll_interval = setting(interval);
        self
    }

    /// Leniencies of the classifier. By default `"params":null` counts as absent, as deployed clients mean it, and
    /// there are no others.
    pub const fn with_rules(self, rules: Rules) -> Self {
        Self {
            has_rules: true,
            rules,
            ..self
        }
    }

    pub(super) const fn rules(&self) -> Rules {
        match self.has_rules {
            true => self.rules,
            false => Rules::STRICT.with_null_params(true),
        }
    }

    /// In milliseconds.
    pub(super) fn question_timeout(&self) -> u32 {
        self.question_timeout.map_or(300_000, NonZeroU32::get)
    }
}

const fn setting(time: Duration) -> Setting {
    match NonZeroU32::new(short_milliseconds(time)) {
        None => Some(NonZeroU32::MIN),
        some => some,
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}
