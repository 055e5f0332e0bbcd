//! Limits of a server on stdio.

use core::time::Duration;

/// Limits of the length of lines, and of the time for calls in flight at the end of the input.
///
/// ```
/// use barewire::transport::Limits;
/// use std::time::Duration;
///
/// /// Short lines, and no time for calls in flight at the end.
/// const TIGHT: Limits = Limits { max_input: 64 << 10, max_output: 64 << 10, drain: Duration::ZERO };
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest line that is read, its newline not counted.
    pub max_input: usize,
    /// The longest line that is written; less than [`MIN_OUTPUT`](crate::engine::MIN_OUTPUT) counts as that.
    pub max_output: usize,
    /// Time that the calls in flight may take at the end of the input.
    pub drain: Duration,
}

impl Limits {
    /// 16 MiB each way, 10 seconds. Memory grows only as far as lines are long.
    pub const DEFAULT: Self =
        Self { max_input: 16 << 20, max_output: 16 << 20, drain: Duration::from_secs(10) };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
