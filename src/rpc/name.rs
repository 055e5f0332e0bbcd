//! The names of the envelope, and how they are told.

use crate::json::JsonStr;

/// A name of a member, after unescaping.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    /// Any other.
    Unknown,
}

impl Name {
    pub(super) const COUNT: usize = 7;

    /// Which one a name is; with its quotes.
    pub(super) fn of(quoted: &[u8]) -> Self {
        let [_, name @ .., _] = quoted else {
            return Self::Unknown;
        };
        let mut word = Word::EMPTY;
        let mut steps = JsonStr::from_valid(name).steps();
        while let Some(character) = steps.next()
            && word != Word::LONG
        {
            // No name of the envelope has a character outside ASCII.
            word.push(u8::try_from(character).unwrap_or(0xFF));
        }
        word.name()
    }
}

/// A name, unescaped, as one word: its bytes behind a 1 that marks the first, the last one lowest. Longer ones than any of
/// the envelope's are all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word(u64);

impl Word {
    pub(super) const EMPTY: Self = Self(1);
    const LONG: Self = Self(u64::MAX);
    const JSONRPC: Self = Self::of(b"jsonrpc");
    const ID: Self = Self::of(b"id");
    const METHOD: Self = Self::of(b"method");
    const PARAMS: Self = Self::of(b"params");
    const RESULT: Self = Self::of(b"result");
    const ERROR: Self = Self::of(b"error");

    /// Of a name without escapes.
    pub(super) const fn of(name: &[u8]) -> Self {
        let mut word = Self::EMPTY;
        let mut rest = name;
        while let Some((byte, others)) = rest.split_first() {
            word.push(*byte);
            rest = others;
        }
        word
    }

    pub(super) const fn push(&mut self, byte: u8) {
        self.0 = match self.0 >> 56 {
            0 => (self.0 << 8) | byte as u64,
            _ => u64::MAX,
        };
    }

    pub(super) const fn name(self) -> Name {
        match self {
            Self::JSONRPC => Name::Jsonrpc,
            Self::ID => Name::Id,
            Self::METHOD => Name::Method,
            Self::PARAMS => Name::Params,
            Self::RESULT => Name::Result,
            Self::ERROR => Name::Error,
            _ => Name::Unknown,
        }
    }
}
