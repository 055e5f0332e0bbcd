//! What goes with a request besides its method and its params.

use core::time::Duration;

use super::InputRequired;
use crate::mcp::LoggingLevel;

/// What goes with a request: when it is sent, how long it waits, and what the caller wants to know again at its end.
///
/// ```
/// use barewire::engine::client::Ask;
/// use core::time::Duration;
///
/// let now = Duration::from_secs(10);
/// let ask = Ask::at(now)
///     .with_timeout(Duration::from_secs(30))
///     .with_progress()
///     .with_context("the reading of the sensor");
/// # let _ = ask;
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a, C = ()> {
    pub(super) now: Duration,
    pub(super) timeout: Timeout,
    pub(super) most: Option<Duration>,
    pub(super) context: C,
    pub(super) wants_progress: bool,
    pub(super) log_level: Option<LoggingLevel>,
    pub(super) task: Option<TaskAsked>,
    pub(super) is_forced: bool,
    pub(super) input: Option<InputRequired<'a>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Timeout {
    /// The options'.
    Default,
    Never,
    After(Duration),
}

/// The call may become a task (2025-11-25).
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskAsked {
    pub(super) ttl: Option<u64>,
}

impl Ask<'_> {
    /// A request that is sent now: the time since any fixed point, the same for all of a client's calls. Where there is
    /// no clock, zero: then nothing times out.
    pub const fn at(now: Duration) -> Self {
        Self {
            now,
            timeout: Timeout::Default,
            most: None,
            context: (),
            wants_progress: false,
            log_level: None,
            task: None,
            is_forced: false,
            input: None,
        }
    }
}

impl<'a, C> Ask<'a, C> {
    /// With what the caller wants to have again when the request ends.
    pub fn with_context<D>(self, context: D) -> Ask<'a, D> {
        Ask {
            now: self.now,
            timeout: self.timeout,
            most: self.most,
            context,
            wants_progress: self.wants_progress,
            log_level: self.log_level,
            task: self.task,
            is_forced: self.is_forced,
            input: self.input,
        }
    }

    /// Waits so long for the response.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Timeout::After(timeout);
        self
    }

    /// Waits without an end.
    pub fn without_timeout(mut self) -> Self {
        self.timeout = Timeout::Never;
        self
    }

    /// Each progress starts the time anew; but the request waits so long at most.
    pub fn extended_by_progress(mut self, most: Duration) -> Self {
        self.most = Some(most);
        self.with_progress()
    }

    /// Asks the server to tell how far it is.
    pub fn with_progress(mut self) -> Self {
        self.wants_progress = true;
        self
    }

    /// Asks for log messages about this request, from that level on (2026-07-28; before, `set_level` is for all).
    pub fn with_log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    /// Asks for a task instead of a result, kept for so many milliseconds if that is said: for `tools/call` in
    /// 2025-11-25. (With the extension of 2026-07-28 it is the server that decides.)
    pub fn as_task(mut self, ttl: Option<u64>) -> Self {
        self.task = Some(TaskAsked { ttl });
        self
    }

    /// Sends the request even where the server has not declared that it offers it.
    pub fn even_if_not_offered(mut self) -> Self {
        self.is_forced = true;
        self
    }

    /// Makes the request the retry of one that ended with [`Outcome::InputRequired`](super::Outcome::InputRequired): give
    /// the same params again. The client's handler answers what the server wants to know, and the server's state goes
    /// back as it came.
    pub fn answering(self, input: InputRequired<'a>) -> Self {
        Ask {
            input: Some(input),
            ..self
        }
    }
}
