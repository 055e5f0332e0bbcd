//! All errors of one use of a macro, so that the user sees them at once.

use proc_macro2::TokenStream;
use syn::{Error, Result};

/// The errors so far.
#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// The value, unless there is an error instead, which is kept.
    pub(crate) fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// The errors, if there are any.
    pub(crate) fn into_result(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }

    /// The errors as items that do not compile.
    pub(crate) fn into_tokens(self) -> Option<TokenStream> {
        self.0.map(Error::into_compile_error)
    }
}
