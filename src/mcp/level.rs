//! The levels of log messages (RFC 5424; MCP logging).

use crate::json::JsonStr;

/// How severe a log message is, least first.
///
/// ```
/// use barewire::mcp::LoggingLevel;
///
/// assert!(LoggingLevel::Error > LoggingLevel::Warning);
/// assert_eq!(LoggingLevel::Notice.as_str(), "notice");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs, reason = "the names are the standard's")]
pub enum LoggingLevel {
    // So none is zero: see the session of a server.
    Debug = 1,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl LoggingLevel {
    /// All of them, least severe first.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    /// The level of that name.
    pub fn from_name(name: JsonStr<'_>) -> Option<Self> {
        Self::ALL.into_iter().find(|level| name == level.as_str())
    }
}
