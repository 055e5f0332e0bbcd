//! Who says a message.

/// Who says a message of a prompt or of a conversation with a model.
///
/// ```
/// use barewire::mcp::Role;
///
/// assert_eq!([Role::User, Role::Assistant].map(Role::as_str), ["user", "assistant"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs, reason = "the names are the specification's")]
pub enum Role {
    User,
    Assistant,
}

impl Role {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}
