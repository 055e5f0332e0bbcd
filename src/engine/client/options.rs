//! Settings of a client where the specification leaves a choice.

use core::time::Duration;

use crate::mcp::Versions;
use crate::rpc::Rules;

/// Settings of a client: its revisions, timeouts and leniencies.
///
/// ```
/// use barewire::engine::client::ClientOptions;
/// use barewire::mcp::{ProtocolVersion, Versions};
/// use core::time::Duration;
///
/// const ONE_REVISION: ClientOptions = ClientOptions::DEFAULT
///     .with_versions(Versions::only(ProtocolVersion::V2025_06_18))
///     .with_timeout(Duration::from_secs(5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClientOptions {
    /// `None` for all revisions.
    versions: Option<Versions>,
    /// Zero for the default, as for the probe: [`ClientOptions::DEFAULT`] is zero in memory, like all other state of a
    /// client before its handshake, so a client in a `static` costs no flash.
    timeout: Duration,
    probe_timeout: Duration,
    rules: Rules,
}

impl ClientOptions {
    /// All revisions, newest first; a minute for each request, five seconds for the probe.
    pub const DEFAULT: Self =
        Self { versions: None, timeout: Duration::ZERO, probe_timeout: Duration::ZERO, rules: Rules::STRICT };

    /// Sets the revisions that the client speaks. Without 2026-07-28 there is no probe; without the others no handshake.
    pub const fn with_versions(mut self, versions: Versions) -> Self {
        self.versions = Some(versions);
        self
    }

    /// Sets the timeout of the handshake, and of each request without a timeout of its own. At least a nanosecond.
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = at_least_a_nanosecond(timeout);
        self
    }

    /// Sets the timeout of the probe for the modern era, after which the client tries the legacy handshake: some old servers
    /// do not answer unknown methods. At least a nanosecond.
    pub const fn with_probe_timeout(mut self, probe_timeout: Duration) -> Self {
        self.probe_timeout = at_least_a_nanosecond(probe_timeout);
        self
    }

    /// Sets the leniencies of the classifier. An error without an id counts as a response in any case.
    pub const fn with_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    pub(super) fn versions(&self) -> Versions {
        self.versions.unwrap_or(Versions::ALL)
    }

    pub(super) const fn timeout(&self) -> Duration {
        or_seconds(self.timeout, 60)
    }

    pub(super) const fn probe_timeout(&self) -> Duration {
        or_seconds(self.probe_timeout, 5)
    }

    pub(super) const fn rules(&self) -> Rules {
        self.rules.with_error_without_id(true)
    }
}

/// Zero stands for the default.
const fn at_least_a_nanosecond(time: Duration) -> Duration {
    if time.is_zero() { Duration::from_nanos(1) } else { time }
}

const fn or_seconds(time: Duration, default: u64) -> Duration {
    if time.is_zero() { Duration::from_secs(default) } else { time }
}
