//! Requests that are served aside: by a server of their own, on another thread, while their own server goes on.

use crate::bytes::Sink;
use crate::engine::server::storage::{CallSlot, Heap, SessionSlot, Storage};
use crate::engine::server::{CallToken, Server};

impl<S: Storage> Server<S> {
    /// A server for one request that is deferred here: it has the sessions, the time and the options, but nothing else that is kept. Panics of
    /// the application are caught, and its faults are reported.
    pub(crate) fn aside(&mut self) -> Server<Heap<S::Parts>> {
        let state = self.state();
        let mut storage = Heap::with_sessions(u16::try_from(state.sessions.len()).unwrap_or(u16::MAX));
        for (to, from) in storage.tables().sessions.iter_mut().zip(state.sessions.iter()) {
            // Changes that are due stay here.
            *to = SessionSlot { lists: SessionSlot::FREE.lists, ..*from };
        }
        let mut core = state.core.clone();
        core.has_due = false;
        // A question or a deferred call of the request has its number from there, and no other has it here.
        state.core.last_question = state.next_question();
        state.core.next_call = state.core.next_call.wrapping_add(1);
        let mut aside = Server::with_storage(storage);
        *aside.state().core = core;
        aside.guard_against(self.fault_report());
        aside
    }

    /// Ends a request that was served aside: writes its lines, and keeps it if it has asked, or was deferred. `None` if it was cancelled;
    /// false if it cannot be kept: then nothing is written, and the request is forgotten.
    pub(crate) fn rejoin(
        &mut self,
        token: CallToken,
        aside: &mut Server<Heap<S::Parts>>,
        lines: &[u8],
        out: &mut Sink<'_>,
    ) -> Option<bool> {
        let mut state = self.state();
        let place = state.find_deferred(token)?;
        state.remove_call(place);
        let aside = aside.state();
        let Some(call) = aside.calls().first() else {
            out.write(lines);
            return Some(true);
        };
        let texts = aside.arena.texts();
        let [ids, kept] = [call.ids, call.kept].map(|span| texts.get(span));
        self.reserve(ids.len().saturating_add(kept.len()));
        let mut state = self.state();
        if state.arena.free() < ids.len().saturating_add(kept.len()) || state.calls.is_full() {
            return Some(false);
        }
        let [ids, kept] = [ids, kept].map(|text| state.arena.append(|sink| sink.write(text)));
        let (Some(ids), Some(kept)) = (ids, kept) else {
            return Some(false);
        };
        let is_kept = state.calls.push(CallSlot { ids, kept, ..*call }).is_some();
        if is_kept && call.is_question() {
            state.core.wake_at(call.deadline.get());
        }
        out.write(lines);
        Some(is_kept)
    }
}
