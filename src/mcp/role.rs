//! The roles in a conversation.

use super::named_enum::named_enum;

named_enum! {
    /// The speaker of a message in a prompt or in a conversation with a model.
    ///
    /// ```
    /// use barewire::mcp::Role;
    ///
    /// assert_eq!([Role::User, Role::Assistant].map(Role::as_str), ["user", "assistant"]);
    /// ```
    #[allow(missing_docs, reason = "the names are those of the specification")]
    Role {
        User => "user",
        Assistant => "assistant",
    }
}
