//! Starting threads: a failure is an error, not a panic.

use std::io;
use std::thread::{Builder, JoinHandle};

/// Starts a thread.
///
/// # Errors
/// The system refuses another thread.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let started = Builder::new().spawn(work);
    let error = |error: io::Error| io::Error::new(error.kind(), format!("cannot start a thread: {error}"));
    started.map_err(error)
}
