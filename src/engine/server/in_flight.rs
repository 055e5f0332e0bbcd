//! The calls that are answered later.

use core::fmt;

use heapless::Vec;

use super::{CallError, CallToken, Context};
use crate::mcp::{LoggingLevel, Method, ProtocolVersion};
use crate::rpc::RequestId;

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
    tokens: Tokens<ID>,
    /// The last progress that was reported; the next must be greater.
    pub(super) progress: i64,
    pub(super) method: Method,
    pub(super) version: ProtocolVersion,
    pub(super) log_level: Option<LoggingLevel>,
}

impl<const ID: usize> Entry<ID> {
    pub(super) fn id(&self) -> RequestId<'_> {
        self.tokens.id()
    }

    pub(super) fn progress_token(&self) -> Option<RequestId<'_>> {
        self.tokens.progress_token()
    }
}

/// The texts of a request's id and of its progress token, one behind the other. Many clients use one for both: then it
/// is kept once. Ids that are equal but spelled otherwise are not one: each is echoed as it was sent.
#[derive(Debug, Clone)]
struct Tokens<const ID: usize> {
    text: Vec<u8, ID>,
    id_len: u16,
    wants_progress: bool,
}

impl<const ID: usize> Tokens<ID> {
    fn new(id: RequestId<'_>, progress_token: Option<RequestId<'_>>) -> Option<Self> {
        let mut text = Vec::new();
        id.append_to(&mut text).ok()?;
        let id_len = u16::try_from(text.len()).ok()?;
        if let Some(token) = progress_token
            && !token.is_written_as(id)
        {
            token.append_to(&mut text).ok()?;
        }
        Some(Self {
            text,
            id_len,
            wants_progress: progress_token.is_some(),
        })
    }

    fn split(&self) -> (&[u8], &[u8]) {
        self.text
            .split_at_checked(usize::from(self.id_len))
            .unwrap_or((&self.text, &[]))
    }

    fn id(&self) -> RequestId<'_> {
        RequestId::from_appended(self.split().0)
    }

    fn progress_token(&self) -> Option<RequestId<'_>> {
        match self.split() {
            _ if !self.wants_progress => None,
            (id, []) => Some(RequestId::from_appended(id)),
            (_, token) => Some(RequestId::from_appended(token)),
        }
    }
}

/// How many bytes a call with these needs.
fn length(id: RequestId<'_>, progress_token: Option<RequestId<'_>>) -> usize {
    let token = progress_token.filter(|token| !token.is_written_as(id));
    id.text_len().saturating_add(token.map_or(0, RequestId::text_len))
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
        self.entries.iter().any(|entry| entry.id() == id)
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
        if length(id, progress_token) > ID {
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
        let tokens = Tokens::new(context.id, context.progress_token).ok_or(CallError::IdTooLong)?;
        let entry = Entry {
            token: CallToken(self.next),
            tokens,
            progress: progress.unwrap_or(i64::MIN),
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
        self.take_where(|entry| entry.id() == id)
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
