//! What a client does where the specification leaves a choice.

use core::time::Duration;

use crate::mcp::Versions;
use crate::rpc::Rules;

/// How a client behaves.
///
/// ```
/// use barewire::engine::client::Options;
/// use barewire::mcp::{ProtocolVersion, Versions};
/// use core::time::Duration;
///
/// const ONE_REVISION: Options = Options::DEFAULT
///     .with_versions(Versions::only(ProtocolVersion::V2025_06_18))
///     .with_timeout(Duration::from_secs(5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// `None` for all.
    versions: Option<Versions>,
    /// Zero for the default; so is that of the probe. All of [`Options::DEFAULT`] is zero in memory, as all else of a client
    /// before its handshake is: a client in a `static` costs no flash.
    timeout: Duration,
    probe_timeout: Duration,
    rules: Rules,
}

impl Options {
    /// All revisions, newest first; a minute for each request, five seconds for the probe.
    pub const DEFAULT: Self = Self {
        versions: None,
        timeout: Duration::ZERO,
        probe_timeout: Duration::ZERO,
        rules: Rules::STRICT,
    };

    /// Which revisions the client speaks. Without 2026-07-28 there is no probe; without all others no handshake.
    pub const fn with_versions(self, versions: Versions) -> Self {
        Self {
            versions: Some(versions),
            ..self
        }
    }

    /// How long a request waits that does not say so itself, a nanosecond at least; the handshake too.
    pub const fn with_timeout(self, timeout: Duration) -> Self {
        Self {
            timeout: at_least_something(timeout),
            ..self
        }
    }

    /// How long the probe for the modern era waits before the handshake of the legacy one is tried: some old servers do
    /// not answer what they do not know. A nanosecond at least.
    pub const fn with_probe_timeout(self, probe_timeout: Duration) -> Self {
        Self {
            probe_timeout: at_least_something(probe_timeout),
            ..self
        }
    }

    /// Which leniencies the classifier has. An error without an id counts as a response in any case.
    pub const fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    pub(super) fn versions(&self) -> Versions {
        self.versions.unwrap_or(Versions::ALL)
    }

    pub(super) const fn timeout(&self) -> Duration {
        if self.timeout.is_zero() {
            Duration::from_secs(60)
        } else {
            self.timeout
        }
    }

    pub(super) const fn probe_timeout(&self) -> Duration {
        if self.probe_timeout.is_zero() {
            Duration::from_secs(5)
        } else {
            self.probe_timeout
        }
    }

    pub(super) const fn rules(&self) -> Rules {
        self.rules.with_error_without_id(true)
    }
}

/// Zero stands for the default.
const fn at_least_something(time: Duration) -> Duration {
    if time.is_zero() {
        Duration::from_nanos(1)
    } else {
        time
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}
