//! Limits of memory and time.

use std::time::Duration;

/// Limits of memory and time of a server over HTTP.
///
/// ```
/// use barewire_http::HttpLimits;
///
/// /// Short requests only.
/// const TIGHT: HttpLimits = HttpLimits { body: 64 << 10, ..HttpLimits::DEFAULT };
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    /// Bytes of the body of a request; a longer one gets the status 413.
    pub body: usize,
    /// Bytes of all bodies that are being received at the same time; beyond that, requests get the status 503.
    pub bodies: usize,
    /// Time from the head of a request to the end of its body; a slower request gets the status 408.
    pub body_time: Duration,
    /// Bytes of a message that is written.
    pub output: usize,
    /// Responses that are not complete at the same time: deferred calls and streams. Beyond that, requests get the status 503.
    pub exchanges: usize,
    /// Bytes that wait for a client that reads slowly. Changes then wait in the tables of the server, which keep one of each kind; progress and
    /// log messages are dropped. One answer may be longer.
    pub queue: usize,
    /// Time without a message after which a stream gets a comment, so that proxies keep it open and dead clients are noticed.
    pub keep_alive: Duration,
    /// Time after which a stream ends whose client does not read.
    pub stall: Duration,
    /// Time after which a legacy session ends that nothing uses.
    pub idle: Duration,
    /// Time that calls may take after [`Mcp::shutdown`](crate::Mcp::shutdown).
    pub drain: Duration,
}

impl HttpLimits {
    /// Bodies of 4 MiB, 64 MiB in all, 30 seconds; messages of 16 MiB; 2048 exchanges, 64 KiB for a slow client; comments every
    /// 15 seconds; a minute without reading; sessions idle for half an hour; 10 seconds to drain.
    pub const DEFAULT: Self = Self {
        body: 4 << 20,
        bodies: 64 << 20,
        body_time: Duration::from_secs(30),
        output: 16 << 20,
        exchanges: 2048,
        queue: 64 << 10,
        keep_alive: Duration::from_secs(15),
        stall: Duration::from_secs(60),
        idle: Duration::from_secs(30 * 60),
        drain: Duration::from_secs(10),
    };
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
