//! Starting threads: a failure is an error, not a panic.

use core::hint::black_box;
use std::format;
use std::io;
use std::sync::mpsc;
use std::thread::{Builder, JoinHandle};
use std::vec::Vec;

/// Memory that must be available before each thread of a pool is started. It is far more than a thread needs:
/// allocators take a block of this size from the system, and give it back at once.
const ROOM: usize = 33 << 20;

/// Starts a thread.
///
/// # Errors
/// The system refuses another thread.
pub(super) fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new().spawn(work).map_err(in_words)
}

/// [`spawn`] for a thread of a pool. When memory runs out, the system usually refuses the stack of a thread; but a
/// thread that has got its stack and nothing more aborts the process. So this function requires [`ROOM`], and returns
/// once the thread runs.
///
/// # Errors
/// As [`spawn`].
pub(super) fn spawn_one_of_many(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut room = Vec::<u8>::new();
    room.try_reserve_exact(ROOM).map_err(|error| in_words(error.into()))?;
    drop(black_box(room));
    let (runs, is_running) = mpsc::sync_channel(1);
    spawn(move || {
        // The receiver is waiting.
        let _ = runs.send(());
        work();
    })?;
    let _ = is_running.recv();
    Ok(())
}

pub(super) fn in_words(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot start a thread: {error}"))
}
