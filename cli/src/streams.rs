//! The standard streams. Any process that shares one may set it non-blocking: these wait, and nothing is lost.

use std::io::{self, StderrLock, StdinLock, StdoutLock};

use barewire::transport::Ready;

/// Standard input.
pub(crate) fn input() -> Ready<StdinLock<'static>> {
    Ready::new(io::stdin().lock())
}

/// Standard output.
pub(crate) fn output() -> Ready<StdoutLock<'static>> {
    Ready::new(io::stdout().lock())
}

/// Standard error.
pub(crate) fn diagnostics() -> Ready<StderrLock<'static>> {
    Ready::new(io::stderr().lock())
}
