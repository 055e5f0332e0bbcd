//! Bytes that wait to be written to a process.

use core::time::Duration;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

/// Small messages share a chunk up to this size, so that a flood of them takes little more memory than their bytes.
const CHUNK: usize = 1 << 16;

/// Whole lines, and the number of their bytes that answer requests of the process.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    pub(super) answers: usize,
}

/// A queue between the senders and the thread that writes.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    chunks: VecDeque<Chunk>,
    /// Number of bytes that wait in the queue.
    bytes: usize,
    /// Number of bytes of answers not yet written.
    answers: usize,
    /// Number of chunks written.
    written: u64,
    is_closed: bool,
}

impl Outbox {
    /// Adds whole lines. A closed outbox drops them.
    pub(super) fn push(&self, bytes: &[u8], answers: usize) {
        let mut state = self.lock();
        if state.is_closed || bytes.is_empty() {
            return;
        }
        state.bytes = state.bytes.saturating_add(bytes.len());
        state.answers = state.answers.saturating_add(answers);
        match state.chunks.back_mut() {
            Some(last) if last.bytes.len().saturating_add(bytes.len()) <= CHUNK => {
                last.bytes.extend_from_slice(bytes);
                last.answers = last.answers.saturating_add(answers);
            }
            _ => state.chunks.push_back(Chunk { bytes: bytes.to_vec(), answers }),
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits for the next chunk. Returns `None` when the outbox is closed and empty.
    pub(super) fn take(&self) -> Option<Chunk> {
        let mut state = self.lock();
        loop {
            if let Some(chunk) = state.chunks.pop_front() {
                state.bytes = state.bytes.saturating_sub(chunk.bytes.len());
                return Some(chunk);
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records that a chunk was written, with this number of bytes of answers.
    pub(super) fn written(&self, answers: usize) {
        let mut state = self.lock();
        state.answers = state.answers.saturating_sub(answers);
        state.written = state.written.wrapping_add(1);
        drop(state);
        self.changed.notify_all();
    }

    /// Number of bytes that wait for the process to read what was taken before them.
    pub(super) fn waiting(&self) -> usize {
        self.lock().bytes
    }

    pub(super) fn answers(&self) -> usize {
        self.lock().answers
    }

    /// Waits until a chunk is written, and returns whether one was.
    pub(super) fn moves_within(&self, longest: Duration) -> bool {
        let state = self.lock();
        let before = state.written;
        let waited = self
            .changed
            .wait_timeout_while(state, longest, |state| state.written == before && !state.is_closed);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.written != before
    }

    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Closes the outbox and drops what nobody will read.
    pub(super) fn fail(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        (state.bytes, state.answers) = (0, 0);
        state.chunks.clear();
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
