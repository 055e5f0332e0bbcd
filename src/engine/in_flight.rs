//! The calls that are answered later.

use core::fmt;

use heapless::Vec;

use super::{CallError, CallToken, Context};
use crate::mcp::{LoggingLevel, Method, ProtocolVersion};
use crate::rpc::{RequestId, StoredId};

/// A token whose call was completed or cancelled before, or is of another kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct NotInFlight;

impl fmt::Display for NotInFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call is not in flight")
    }
}

impl core::error::Error for NotInFlight {}

/// What is kept of a call until its answer.
#[derive(Debug, Clone)]
pub(super) struct Entry<const ID: usize> {
    pub(super) token: CallToken,
    pub(super) id: StoredId<ID>,
    pub(super) progress_token: Option<StoredId<ID>>,
    /// The last progress that was reported; the next must be greater.
    pub(super) progress: Option<i64>,
    pub(super) method: Method,
    pub(super) version: ProtocolVersion,
    pub(super) log_level: Option<LoggingLevel>,
}

/// A fixed table of them.
#[derive(Debug)]
pub(super) struct InFlight<const CALLS: usize, const ID: usize> {
    entries: Vec<Entry<ID>, CALLS>,
    next: u32,
}

impl<const CALLS: usize, const ID: usize> InFlight<CALLS, ID> {
    pub(super) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            next: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn contains(&self, id: RequestId<'_>) -> bool {
        self.entries.iter().any(|entry| entry.id.view() == id)
    }

    /// The token that a call with this id would get, or why it could not be kept.
    pub(super) fn offer(
        &self,
        id: RequestId<'_>,
        progress_token: Option<RequestId<'_>>,
    ) -> Result<CallToken, CallError<'static>> {
        if self.entries.is_full() {
            return Err(CallError::Busy);
        }
        if id.text_len() > ID || progress_token.is_some_and(|token| token.text_len() > ID) {
            return Err(CallError::IdTooLong);
        }
        Ok(CallToken(self.next))
    }

    /// Keeps the call under the token that it was offered.
    pub(super) fn insert(
        &mut self,
        context: &Context<'_>,
        progress: Option<i64>,
    ) -> Result<(), CallError<'static>> {
        let id = StoredId::new(context.id).map_err(|_| CallError::IdTooLong)?;
        let progress_token = match context.progress_token.map(StoredId::new) {
            Some(Ok(token)) => Some(token),
            Some(Err(_)) => return Err(CallError::IdTooLong),
            None => None,
        };
        let entry = Entry {
            token: CallToken(self.next),
            id,
            progress_token,
            progress,
            method: context.method,
            version: context.version,
            log_level: context.log_level,
        };
        self.entries.push(entry).map_err(|_| CallError::Busy)?;
        self.next = self.next.wrapping_add(1);
        Ok(())
    }

    /// Any of them.
    pub(super) fn pop(&mut self) -> Option<CallToken> {
        self.entries.pop().map(|entry| entry.token)
    }

    pub(super) fn get(&self, token: CallToken) -> Option<&Entry<ID>> {
        self.entries.iter().find(|entry| entry.token == token)
    }

    pub(super) fn get_mut(&mut self, token: CallToken) -> Option<&mut Entry<ID>> {
        self.entries.iter_mut().find(|entry| entry.token == token)
    }

    pub(super) fn take(&mut self, token: CallToken) -> Option<Entry<ID>> {
        self.take_where(|entry| entry.token == token)
    }

    pub(super) fn take_id(&mut self, id: RequestId<'_>) -> Option<Entry<ID>> {
        self.take_where(|entry| entry.id.view() == id)
    }

    fn take_where(&mut self, wanted: impl Fn(&Entry<ID>) -> bool) -> Option<Entry<ID>> {
        let at = self.entries.iter().position(wanted)?;
        // The order of the table does not matter; `swap_remove` would bring a panic path.
        let last = self.entries.pop()?;
        match self.entries.get_mut(at) {
            Some(place) => Some(core::mem::replace(place, last)),
            None => Some(last),
        }
    }
}
