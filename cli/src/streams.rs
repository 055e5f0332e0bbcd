//! The standard streams. Any process that shares one may set it non-blocking: these wait, and nothing is lost.

use std::io::{self, ErrorKind, StderrLock, StdinLock, StdoutLock};

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

/// The outcome of writing to standard output, which may be closed before its end.
///
/// # Errors
/// A sentence.
pub(crate) fn written(outcome: io::Result<()>) -> Result<(), String> {
    match outcome {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot write: {error}")),
        _ => Ok(()),
    }
}
