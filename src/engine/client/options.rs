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
    pub(super) versions: Versions,
    pub(super) timeout: Duration,
    pub(super) probe_timeout: Duration,
    pub(super) rules: Rules,
}

impl Options {
    /// All revisions, newest first; a minute for each request, five seconds for the probe.
    pub const DEFAULT: Self = Self {
        versions: Versions::ALL,
        timeout: Duration::from_secs(60),
        probe_timeout: Duration::from_secs(5),
        rules: Rules::STRICT.with_error_without_id(true),
    };

    /// Which revisions the client speaks. Without 2026-07-28 there is no probe; without all others no handshake.
    pub const fn with_versions(self, versions: Versions) -> Self {
        Self { versions, ..self }
    }

    /// How long a request waits that does not say so itself; the handshake too.
    pub const fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// How long the probe for the modern era waits before the handshake of the legacy one is tried: some old servers do
    /// not answer what they do not know.
    pub const fn with_probe_timeout(self, probe_timeout: Duration) -> Self {
        Self {
            probe_timeout,
            ..self
        }
    }

    /// Which leniencies the classifier has. An error without an id counts as a response in any case.
    pub const fn with_rules(self, rules: Rules) -> Self {
        Self {
            rules: rules.with_error_without_id(true),
            ..self
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}
