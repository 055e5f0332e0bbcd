//! Options of a server, for what the specification leaves open.

use core::num::NonZeroU32;
use core::time::Duration;

use super::time::short_milliseconds;
use crate::rpc::Rules;

/// Behaviour of a server where the specification leaves a choice. The default suits a process on stdio.
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
    /// Whether `rules` was set. `None` of an `Option<Rules>` would not be zero in memory: see [`Setting`].
    has_rules: bool,
    rules: Rules,
    question_timeout: Setting,
    pub(super) tasks: TaskOptions,
}

/// A time in milliseconds; `None` is the default. So [`Options::DEFAULT`] is all zeros in memory: options in a `static` cost no flash.
type Setting = Option<NonZeroU32>;

/// Options of tasks: time to live, poll interval, seed of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct TaskOptions {
    pub(super) seed: u64,
    max_ttl: Setting,
    poll_interval: Setting,
}

impl TaskOptions {
    /// Longest time to live, in milliseconds.
    pub(super) fn max_ttl(&self) -> u32 {
        self.max_ttl.map_or(300_000, NonZeroU32::get)
    }

    /// Poll interval, in milliseconds.
    pub(super) fn poll_interval(&self) -> u32 {
        self.poll_interval.map_or(1000, NonZeroU32::get)
    }
}

/// Handling of a legacy client's requests before `initialize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Lifecycle {
    /// Requests are served before `initialize` too, as a server of 2025-11-25 does. Subscriptions of a client are kept from then on, but it
    /// is notified only of changes after it has sent `notifications/initialized`.
    #[default]
    Lenient,
    /// Before `initialize` only `ping` is served.
    Strict,
}

/// Form of an error response to a request whose id cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum UnreadableId {
    /// `"id":null`, as JSON-RPC 2.0 requires.
    #[default]
    Null,
    /// No `id`, as MCP 2025-11-25 and later require.
    Omit,
    /// No error response, as in most SDKs on stdio: for noisy lines.
    Silent,
}

impl Options {
    /// The default options.
    pub const DEFAULT: Self = Self {
        lifecycle: Lifecycle::Lenient,
        restart: false,
        unreadable_id: UnreadableId::Null,
        has_rules: false,
        rules: Rules::STRICT,
        question_timeout: None,
        tasks: TaskOptions { seed: 0, max_ttl: None, poll_interval: None },
    };

    /// Sets whether a legacy client must send `initialize` first.
    pub const fn with_lifecycle(self, lifecycle: Lifecycle) -> Self {
        Self { lifecycle, ..self }
    }

    /// Sets whether each `initialize` starts a new session, for links that outlive a peer (a serial line, a TCP port): earlier calls in
    /// flight and subscriptions are forgotten. A modern client sends no `initialize`, so it starts nothing anew. By default a second
    /// `initialize` is refused.
    pub const fn with_restart(self, restart: bool) -> Self {
        Self { restart, ..self }
    }

    /// Sets the form of an error response to a request whose id cannot be read.
    pub const fn with_unreadable_id(self, unreadable_id: UnreadableId) -> Self {
        Self { unreadable_id, ..self }
    }

    /// Sets the time after which an input request times out: five minutes by default, at least a millisecond. It is measured with the
    /// time given to [`Server::set_time`](super::Server::set_time).
    pub const fn with_question_timeout(self, timeout: Duration) -> Self {
        Self { question_timeout: setting(timeout), ..self }
    }

    /// Sets the seed of task ids. With a random seed, ids of another run are unknown in this one. Such ids are not secret: anyone who
    /// knows one can compute the others. A profile with [`Parts::TASK_RANDOM`](super::Parts::TASK_RANDOM) has random ids instead.
    pub const fn with_task_seed(mut self, seed: u64) -> Self {
        self.tasks.seed = seed;
        self
    }

    /// Sets the longest time to live of a task, counted from its start: five minutes by default, at least a millisecond. A client may
    /// request a shorter one. It is measured with the time given to [`Server::set_time`](super::Server::set_time).
    pub const fn with_task_ttl(mut self, ttl: Duration) -> Self {
        self.tasks.max_ttl = setting(ttl);
        self
    }

    /// Sets the time that a client should wait between two polls of a task: a second by default, at least a millisecond.
    pub const fn with_task_poll_interval(mut self, interval: Duration) -> Self {
        self.tasks.poll_interval = setting(interval);
        self
    }

    /// Sets the leniencies of the classifier. The default has one: `"params":null` counts as absent, since deployed clients send it.
    pub const fn with_rules(self, rules: Rules) -> Self {
        Self { has_rules: true, rules, ..self }
    }

    pub(super) const fn rules(&self) -> Rules {
        match self.has_rules {
            true => self.rules,
            false => Rules::STRICT.with_null_params(true),
        }
    }

    /// Time after which an input request times out, in milliseconds.
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
