//! Threads: a failure to start one is an error, not a panic.

use core::hint::black_box;
use std::format;
use std::io;
use std::sync::mpsc;
use std::thread::{Builder, JoinHandle};
use std::vec::Vec;

/// Memory that must be left for each of many threads. Far more than one needs, and so much that allocators take it from the
/// system, and give it back at once.
const ROOM: usize = 33 << 20;

/// Starts a thread.
///
/// # Errors
/// The limits of the system, with a sentence.
pub(super) fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new().spawn(work).map_err(in_words)
}

/// [`spawn`] for one of many. A system that runs out of memory refuses the stack of one of them, but one that has got its
/// stack and nothing more aborts the process. So there must be [`ROOM`], and this returns when the thread runs.
///
/// # Errors
/// As [`spawn`].
pub(super) fn spawn_one_of_many(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut room = Vec::<u8>::new();
    room.try_reserve_exact(ROOM)
        .map_err(|error| in_words(error.into()))?;
    drop(black_box(room));
    let (runs, is_running) = mpsc::sync_channel(1);
    spawn(move || {
        // Somebody waits for it.
        let _ = runs.send(());
        work();
    })?;
    let _ = is_running.recv();
    Ok(())
}

fn in_words(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot start a thread: {error}"))
}
