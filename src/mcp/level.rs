//! The levels of log messages (RFC 5424; MCP logging).

use super::named_enum::named_enum;

named_enum! {
    /// The severity of a log message, from the least to the most severe.
    ///
    /// ```
    /// use barewire::mcp::LoggingLevel;
    ///
    /// assert!(LoggingLevel::Error > LoggingLevel::Warning);
    /// assert_eq!(LoggingLevel::Notice.as_str(), "notice");
    /// ```
    #[derive(PartialOrd, Ord)]
    #[allow(missing_docs, reason = "the names are those of the standard")]
    LoggingLevel {
        // No level is zero, so that a session can keep an optional one in a byte.
        Debug = 1 => "debug",
        Info => "info",
        Notice => "notice",
        Warning => "warning",
        Error => "error",
        Critical => "critical",
        Alert => "alert",
        Emergency => "emergency",
    }
}
