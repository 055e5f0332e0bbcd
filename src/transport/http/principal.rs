//! Identity of an authorized client.

/// Number of the user or the program that a request was authorized for. It is the same in each request of that principal, and differs
/// from those of all others. Where it is a hash of a name, nobody must be able to choose a name with a given hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Principal(u64);

impl Principal {
    /// No principal: the endpoint has no authorization.
    pub const ANONYMOUS: Self = Self::new(0);

    /// The principal of this number; 0 is [`ANONYMOUS`](Self::ANONYMOUS).
    pub const fn new(number: u64) -> Self {
        Self(number)
    }
}
