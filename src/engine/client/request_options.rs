//! Options of a single request, besides its method and params.

use core::time::Duration;

use super::input::InputRequired;
use crate::mcp::LoggingLevel;

/// Options of a request: when it is sent, its timeout, and a context that the caller gets back when it ends.
///
/// ```
/// use barewire::engine::client::RequestOptions;
/// use core::time::Duration;
///
/// let now = Duration::from_secs(10);
/// let options = RequestOptions::at(now)
///     .with_timeout(Duration::from_secs(30))
///     .with_progress()
///     .with_context("the reading of the sensor");
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RequestOptions<'a, C = ()> {
    pub(super) terms: Terms<'a>,
    pub(super) context: C,
}

/// The options without the context.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms<'a> {
    pub(super) now: Duration,
    pub(super) timeout: Timeout,
    /// Longest wait with extensions by progress.
    pub(super) longest: Option<Duration>,
    pub(super) wants_progress: bool,
    pub(super) log_level: Option<LoggingLevel>,
    pub(super) task: Option<TaskRequest>,
    pub(super) is_forced: bool,
    pub(super) input: Option<InputRequired<'a>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Timeout {
    /// That of the client's options.
    Default,
    Never,
    After(Duration),
}

/// The call may become a task (2025-11-25).
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskRequest {
    pub(super) ttl: Option<u64>,
}

impl RequestOptions<'_> {
    /// Options of a request that is sent at `now`, the time since any fixed point, which must be the same for all calls of
    /// a client. Without a clock, pass zero: then nothing times out.
    pub const fn at(now: Duration) -> Self {
        Self {
            terms: Terms {
                now,
                timeout: Timeout::Default,
                longest: None,
                wants_progress: false,
                log_level: None,
                task: None,
                is_forced: false,
                input: None,
            },
            context: (),
        }
    }
}

impl<'a, C> RequestOptions<'a, C> {
    /// Sets the context that the caller gets back when the request ends.
    pub fn with_context<D>(self, context: D) -> RequestOptions<'a, D> {
        RequestOptions { terms: self.terms, context }
    }

    /// Sets the timeout of the response.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.terms.timeout = Timeout::After(timeout);
        self
    }

    /// Waits for the response without a timeout.
    pub fn without_timeout(mut self) -> Self {
        self.terms.timeout = Timeout::Never;
        self
    }

    /// Restarts the timeout with each progress notification, up to a total wait of `longest`.
    pub fn extended_by_progress(mut self, longest: Duration) -> Self {
        self.terms.longest = Some(longest);
        self.with_progress()
    }

    /// Requests progress notifications.
    pub fn with_progress(mut self) -> Self {
        self.terms.wants_progress = true;
        self
    }

    /// Requests log messages about this request, from `level` on (2026-07-28; in earlier revisions
    /// [`set_level`](super::BoundClient::set_level) applies to all requests).
    pub fn with_log_level(mut self, level: LoggingLevel) -> Self {
        self.terms.log_level = Some(level);
        self
    }

    /// Requests a task instead of a result, kept for `ttl` milliseconds if given: for `tools/call` in 2025-11-25. (With
    /// the extension of 2026-07-28 the server decides.)
    pub fn as_task(mut self, ttl: Option<u64>) -> Self {
        self.terms.task = Some(TaskRequest { ttl });
        self
    }

    /// Sends the request even if the server has not declared the capability.
    pub fn even_if_not_offered(mut self) -> Self {
        self.terms.is_forced = true;
        self
    }

    /// Makes the request the retry of one that ended with [`ClientOutcome::InputRequired`](super::ClientOutcome::InputRequired): pass
    /// the same params again. The application answers the input requests while the retry is written, and the server's
    /// state is sent back unchanged.
    pub fn answering(mut self, input: InputRequired<'a>) -> Self {
        self.terms.input = Some(input);
        self
    }
}
