//! The names of the envelope, and how they are told.

use crate::json::JsonStr;

/// A name of a member, after unescaping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// None of the following.
    Unknown,
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
}

impl Name {
    pub(super) const COUNT: usize = 7;

    /// Which one a name is; with its quotes.
    pub(super) fn of(quoted: &[u8]) -> Self {
        let [_, escaped @ .., _] = quoted else {
            return Self::Unknown;
        };
        match Self::of_plain(escaped) {
            Self::Unknown if escaped.len() > 2 => Self::of_escaped(escaped),
            name => name,
        }
    }

    fn of_escaped(escaped: &[u8]) -> Self {
        let mut short = Short::EMPTY;
        let mut steps = JsonStr::from_valid(escaped).steps();
        while !short.is_too_long()
            && let Some(character) = steps.next()
        {
            // No name of the envelope has a character outside ASCII.
            short.push(u8::try_from(character).unwrap_or(0xFF));
        }
        short.name()
    }

    /// Of one without escapes.
    pub(super) const fn of_plain(name: &[u8]) -> Self {
        match name {
            b"jsonrpc" => Self::Jsonrpc,
            b"id" => Self::Id,
            b"method" => Self::Method,
            b"params" => Self::Params,
            b"result" => Self::Result,
            b"error" => Self::Error,
            _ => Self::Unknown,
        }
    }
}

/// The bytes of a name as they are unescaped, as many as the longest of the envelope has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Short {
    bytes: [u8; 7],
    length: u8,
}

impl Short {
    pub(super) const EMPTY: Self = Self {
        bytes: [0; 7],
        length: 0,
    };

    pub(super) fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(usize::from(self.length)) {
            *place = byte;
        }
        self.length = self.length.saturating_add(1);
    }

    fn is_too_long(&self) -> bool {
        usize::from(self.length) > self.bytes.len()
    }

    pub(super) fn name(&self) -> Name {
        Name::of_plain(self.bytes.get(..usize::from(self.length)).unwrap_or_default())
    }
}
