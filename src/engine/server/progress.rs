//! How far a call is.

/// How far a call is. Each report must be greater than the one before (MCP progress).
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
    /// So much is done.
    pub const fn new(progress: i64) -> Self {
        Self {
            progress,
            total: None,
            message: None,
        }
    }

    /// Of so much.
    pub const fn of(self, total: i64) -> Self {
        Self {
            total: Some(total),
            ..self
        }
    }

    /// What is being done (2025-03-26 and later).
    pub const fn with_message(self, message: &'a str) -> Self {
        Self {
            message: Some(message),
            ..self
        }
    }
}
