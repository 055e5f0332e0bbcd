//! What a server does where the specification leaves a choice.

use crate::rpc::Rules;

/// How a server behaves. The default is what a process on stdio does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Options {
    pub(super) lifecycle: Lifecycle,
    pub(super) restart: bool,
    pub(super) unreadable_id: UnreadableId,
    pub(super) rules: Rules,
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
