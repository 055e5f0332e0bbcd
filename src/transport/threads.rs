//! Threads: a failure to start one is an error, not a panic.

use std::format;
use std::io;
use std::thread::{Builder, JoinHandle};

/// Starts a thread.
///
/// # Errors
/// The limits of the system, with a sentence.
pub(super) fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new()
        .spawn(work)
        .map_err(|error| io::Error::new(error.kind(), format!("cannot start a thread: {error}")))
}
