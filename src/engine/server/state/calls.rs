//! Requests that are not answered yet: of the client, deferred by the application or waiting for an answer of the client; and of the
//! server.

use core::mem::replace;

use super::State;
use crate::bytes::Wide;
use crate::engine::server::channel::Scope;
use crate::engine::server::storage::{Arena, CallSlot, CallState, Span, Texts, Version};
use crate::engine::server::{CallToken, Context, Decimal, NotKept, Origin, Parts};
use crate::json::{RawValue, Writer};
use crate::rpc::RequestId;

/// The id of a request of the client.
pub(in crate::engine::server) fn id_of<'t>(texts: Texts<'t>, call: &CallSlot) -> RequestId<'t> {
    RequestId::from_appended(split(texts, call).0)
}

/// The progress token of a request of the client.
pub(in crate::engine::server) fn progress_token_of<'t>(
    texts: Texts<'t>,
    call: &CallSlot,
) -> Option<RawValue<'t>> {
    match split(texts, call) {
        _ if !call.wants_progress => None,
        (id, []) => Some(RawValue::from_valid(id)),
        (_, token) => Some(RawValue::from_valid(token)),
    }
}

fn split<'t>(texts: Texts<'t>, call: &CallSlot) -> (&'t [u8], &'t [u8]) {
    let text = texts.get(call.ids);
    text.split_at_checked(call.id_len as usize).unwrap_or((text, &[]))
}

/// Bytes that the progress token takes besides the id: none if they are equal.
fn token_len(id: RequestId<'_>, progress_token: Option<RawValue<'_>>) -> usize {
    let is_id = |token: &RawValue<'_>| RequestId::of(*token).is_some_and(|token| token.is_written_as(id));
    progress_token.filter(|token| !is_id(token)).map_or(0, |token| token.as_bytes().len())
}

/// Appends id and progress token. The length of the id, and the place of both.
fn keep_ids(
    arena: &mut Arena<'_>,
    id: RequestId<'_>,
    progress_token: Option<RawValue<'_>>,
) -> Option<(u32, Span)> {
    let token = progress_token.filter(|_| token_len(id, progress_token) > 0);
    let mut id_len = 0;
    let ids = arena.append(|sink| {
        id.write(&mut Writer::new(sink));
        id_len = sink.len();
        if let Some(token) = token {
            sink.write(token.as_bytes());
        }
    })?;
    Some((u32::try_from(id_len).ok()?, ids))
}

impl<P: Parts> State<'_, P> {
    /// All of them. Without a slot there are none: what looks for something in them is then not linked.
    pub(in crate::engine::server) fn calls(&self) -> &[CallSlot] {
        match P::CALLS {
            true => &self.calls,
            false => &[],
        }
    }

    /// Number of requests that the application is to answer.
    pub(in crate::engine::server) fn deferred(&self) -> usize {
        let waiting = self.calls().iter();
        waiting.filter(|call| matches!(call.state, CallState::Deferred | CallState::AwaitsTask(_))).count()
    }

    /// The request of the client with this id.
    pub(in crate::engine::server) fn find_call(&self, scope: Scope, id: RequestId<'_>) -> Option<usize> {
        let texts = self.arena.texts();
        self.calls()
            .iter()
            .position(|call| call.scope == scope && call.is_of_client() && id_of(texts, call) == id)
    }

    /// The request that the application is to answer.
    pub(in crate::engine::server) fn find_deferred(&self, token: CallToken) -> Option<usize> {
        self.calls().iter().position(|call| call.state == CallState::Deferred && call.token == token)
    }

    /// The request of the server that this client answers with the id `question`.
    pub(in crate::engine::server) fn find_question(&self, origin: Origin, question: i64) -> Option<usize> {
        self.calls().iter().position(|call| {
            call.is_question() && i64::from(call.question) == question && Self::belongs(call, origin)
        })
    }

    /// Bytes of id and progress token together.
    pub(in crate::engine::server) fn ids_len(context: &Context<'_>) -> usize {
        let token = token_len(context.id, context.progress_token);
        context.id.text_len().saturating_add(token)
    }

    /// The token of a call that is deferred now, or why it cannot be.
    pub(in crate::engine::server) fn offer(&self, context: &Context<'_>) -> Result<CallToken, NotKept> {
        if !P::CALLS {
            return Err(NotKept::Busy);
        }
        // First the texts that do not fit.
        let free = self.arena.free();
        let free = free.checked_sub(context.id.text_len()).ok_or(NotKept::IdTooLong)?;
        if token_len(context.id, context.progress_token) > free {
            return Err(NotKept::ProgressTokenTooLong);
        }
        match self.calls.is_full() {
            true => Err(NotKept::Busy),
            false => Ok(CallToken(self.core.next_call)),
        }
    }

    /// Never offers the token again, also where the call is not kept: the application may have begun work for it.
    pub(in crate::engine::server) fn spend(&mut self, offered: Result<CallToken, NotKept>) {
        if offered == Ok(CallToken(self.core.next_call)) {
            self.core.next_call = self.core.next_call.wrapping_add(1);
        }
    }

    /// Id of the next request of the server. Never used twice, up to 2^32 requests.
    pub(in crate::engine::server) const fn next_question(&self) -> u32 {
        match self.core.last_question.wrapping_add(1) {
            0 => 1,
            next => next,
        }
    }

    /// Keeps a request of the client.
    pub(in crate::engine::server) fn insert_call(
        &mut self,
        context: &Context<'_>,
        state: CallState,
        progress: Option<Decimal>,
    ) -> Result<&mut CallSlot, NotKept> {
        if !P::CALLS || self.calls.is_full() {
            return Err(NotKept::Busy);
        }
        // No progress is reported for `tasks/result`.
        let progress_token = context.progress_token.filter(|_| !matches!(state, CallState::AwaitsTask(_)));
        let (id_len, ids) =
            keep_ids(&mut self.arena, context.id, progress_token).ok_or(match context.id.text_len() {
                length if length > self.arena.free() => NotKept::IdTooLong,
                _ => NotKept::ProgressTokenTooLong,
            })?;
        let mut call = CallSlot::FREE;
        call.set_progress(progress);
        let call = CallSlot {
            state,
            token: CallToken(self.core.next_call),
            ids,
            id_len,
            wants_progress: progress_token.is_some(),
            scope: context.origin.scope(context.is_modern()),
            channel: Some(context.origin.channel()),
            session: context.origin.session().filter(|_| !context.is_modern()),
            method: context.method,
            version: Version::new(context.version),
            log_level: context.log_level,
            ..call
        };
        self.core.next_call = self.core.next_call.wrapping_add(1);
        self.push_call(call)
    }

    /// Keeps a request of the server, which got the [next number](Self::next_question), as [`await_answer`](Self::await_answer) has it.
    pub(in crate::engine::server) fn insert_question(
        &mut self,
        call: CallSlot,
        state: CallState,
        kept: Span,
    ) -> Result<CallToken, NotKept> {
        if !P::CALLS {
            return Err(NotKept::Busy);
        }
        let token = CallToken(self.core.next_call);
        self.push_call(CallSlot { token, ..call })?;
        self.core.next_call = self.core.next_call.wrapping_add(1);
        self.await_answer(self.calls.len().saturating_sub(1), state, kept);
        Ok(token)
    }

    fn push_call(&mut self, call: CallSlot) -> Result<&mut CallSlot, NotKept> {
        self.calls.push(call).ok_or(NotKept::Busy)?;
        self.calls.last_mut().ok_or(NotKept::Busy)
    }

    /// Makes this slot wait for the client's answer to the request with the next number. `kept`, key and state of the question, replaces
    /// what was kept of an earlier one.
    pub(in crate::engine::server) fn await_answer(&mut self, place: usize, state: CallState, kept: Span) {
        let question = self.next_question();
        let timeout = u64::from(self.core.options.question_timeout());
        let deadline = self.core.now.saturating_add(timeout);
        let Some(call) = self.calls.get_mut(place) else {
            return;
        };
        let replaced = call.kept;
        call.state = state;
        call.kept = kept;
        call.question = question;
        call.deadline = Wide::new(deadline);
        call.due = 0;
        self.core.last_question = question;
        self.core.wake_at(deadline);
        self.forget(replaced);
    }

    /// Makes the application answer this call later, which was waiting for the client's answer.
    pub(in crate::engine::server) fn defer(
        &mut self,
        place: usize,
        token: CallToken,
        progress: Option<Decimal>,
    ) {
        let Some(call) = self.calls.get_mut(place) else {
            return;
        };
        call.state = CallState::Deferred;
        call.token = token;
        // The answer may have come when the question was already to be withdrawn.
        call.question = 0;
        call.due = 0;
        call.set_progress(progress);
        let kept = replace(&mut call.kept, Span::EMPTY);
        self.forget(kept);
    }

    /// Frees a slot.
    pub(in crate::engine::server) fn remove_call(&mut self, place: usize) {
        self.forget_texts(place);
        self.calls.remove(place);
    }

    /// Removes the texts of a slot.
    fn forget_texts(&mut self, place: usize) {
        if let Some(call) = self.calls.get_mut(place) {
            let ids = replace(&mut call.ids, Span::EMPTY);
            call.id_len = 0;
            self.forget(ids);
        }
        if let Some(call) = self.calls.get_mut(place) {
            let kept = replace(&mut call.kept, Span::EMPTY);
            self.forget(kept);
        }
    }

    /// Withdraws an input request: `notifications/cancelled` is due, unless it is sent, and nothing else is left of the call.
    pub(in crate::engine::server) fn withdraw(&mut self, place: usize) {
        self.forget_texts(place);
        let due = self.core.now_due();
        if let Some(call) = self.calls.get_mut(place) {
            call.state = CallState::Withdrawn;
            call.due = due;
            if call.question == 0 {
                self.calls.remove(place);
            }
        }
    }
}
