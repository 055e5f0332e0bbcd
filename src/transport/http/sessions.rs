//! Legacy sessions.

/// Memory for a legacy session.
#[derive(Debug, Clone, Copy)]
pub struct SessionEntry {}

impl SessionEntry {
    /// An unused entry.
    pub const FREE: Self = Self {};
}
