//! Progress of a call or a task.

/// Progress of a call or a task. Each report must be greater than the one before (MCP progress).
///
/// ```
/// use barewire::engine::Progress;
///
/// const HALF: Progress<'_> = Progress::new(50).of(100).with_message("halfway");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Progress<'a> {
    pub(super) progress: i64,
    pub(super) total: Option<i64>,
    pub(super) message: Option<&'a str>,
}

impl<'a> Progress<'a> {
    /// Progress so far, in any unit.
    pub const fn new(progress: i64) -> Self {
        Self { progress, total: None, message: None }
    }

    /// Adds the total, in the same unit.
    pub const fn of(self, total: i64) -> Self {
        Self { total: Some(total), ..self }
    }

    /// Adds a message that describes the current step (2025-03-26 and later).
    pub const fn with_message(self, message: &'a str) -> Self {
        Self { message: Some(message), ..self }
    }

    /// The progress that can be kept, and its message.
    #[cfg(feature = "std")]
    pub(crate) const fn without_message(self) -> (Progress<'static>, Option<&'a str>) {
        let Self { progress, total, message } = self;
        (Progress { progress, total, message: None }, message)
    }
}
