//! Values that asynchronous tools return. Their types are checked elsewhere; here a type that cannot be an answer counts as `()`, so that the
//! compiler reports it only once.

use crate::engine::ToolAnswer;

/// A value that a tool has returned: `Returned(value).answer()`, with both traits in scope.
#[derive(Debug)]
pub struct Returned<T>(pub T);

/// A value that is an answer. The compiler tries this trait first.
pub trait AnAnswer {
    /// The type of the value.
    type Answer: ToolAnswer;

    /// The value.
    fn answer(self) -> Self::Answer;
}

impl<T: ToolAnswer> AnAnswer for Returned<T> {
    type Answer = T;

    #[inline(always)]
    fn answer(self) -> T {
        self.0
    }
}

/// Any value. The compiler tries the trait of a reference last.
pub trait NoAnswer {
    /// Nothing: the program does not compile.
    fn answer(&self) {}
}

impl<T> NoAnswer for Returned<T> {}
