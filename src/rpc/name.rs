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
    pub(super) fn of_plain(name: &[u8]) -> Self {
        const NAMES: [(&[u8], Name); 6] = [
            (b"jsonrpc", Name::Jsonrpc),
            (b"id", Name::Id),
            (b"method", Name::Method),
            (b"params", Name::Params),
            (b"result", Name::Result),
            (b"error", Name::Error),
        ];
        let known = NAMES.iter().find(|(known, _)| *known == name);
        known.map_or(Self::Unknown, |(_, name)| *name)
    }
}

/// The bytes of a name as they are unescaped, as many as the longest of the envelope has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Short {
    bytes: [u8; 7],
    length: u8,
}

impl Short {
    pub(super) const EMPTY: Self = Self { bytes: [0; 7], length: 0 };

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

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn a_name_is_what_it_stands_for_and_nothing_longer_or_shorter() {
        let rows = [
            (r#""jsonrpc""#, Name::Jsonrpc),
            (r#""\u006asonrpc""#, Name::Jsonrpc),
            (r#""\u006asonrp""#, Name::Unknown),
            (r#""\u006asonrpcs""#, Name::Unknown),
            (r#""id""#, Name::Id),
            (r#""\u0069\u0064""#, Name::Id),
            (r#""i\u0064s""#, Name::Unknown),
            (r#""i\u0164""#, Name::Unknown),
            (r#""id\u0000""#, Name::Unknown),
            (r#""method""#, Name::Method),
            (r#""m\u0065thod""#, Name::Method),
            (r#""param\u0073""#, Name::Params),
            (r#""r\u0065sult""#, Name::Result),
            (r#""err\u006Fr""#, Name::Error),
            (r#""err\u006Frs""#, Name::Unknown),
            (r#""""#, Name::Unknown),
            (r#""\n""#, Name::Unknown),
            (r#""\ud83d\ude00id""#, Name::Unknown),
        ];
        for (quoted, name) in rows {
            assert_eq!(Name::of(quoted.as_bytes()), name, "{quoted}");
        }
    }
}
