//! The control fields of MCP, as values: session and revision.

use super::head::{FieldFault, Head};
use crate::json::JsonStr;
use crate::mcp::{Era, ProtocolVersion};

/// The field `Mcp-Session-Id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionField {
    Absent,
    /// In the form of the ids of this endpoint.
    Id(SessionId),
    /// In another form: an unknown session.
    Foreign,
}

/// Id of a legacy session: 128 random bits. On the wire it has 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SessionId(pub(crate) u128);

/// Number of digits of a session id.
pub(crate) const ID_DIGITS: usize = 32;

impl SessionId {
    /// The id with these digits, in lower case.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        match text.len() == ID_DIGITS && text.bytes().all(is_digit) {
            true => u128::from_str_radix(text, 16).ok().map(Self),
            false => None,
        }
    }

    /// The digits of the id.
    pub(crate) fn digits(self) -> [u8; ID_DIGITS] {
        let mut digits = [b'0'; ID_DIGITS];
        let mut rest = self.0;
        for place in digits.iter_mut().rev() {
            let digit = (rest & 0xF) as u8;
            *place =
                if digit < 10 { b'0'.wrapping_add(digit) } else { b'a'.wrapping_sub(10).wrapping_add(digit) };
            rest >>= 4;
        }
        digits
    }
}

impl SessionField {
    /// Reads the field.
    ///
    /// # Errors
    /// The field occurs twice.
    pub(crate) fn of(head: &impl Head) -> Result<Self, FieldFault> {
        match head.once("mcp-session-id") {
            Ok(None) => Ok(Self::Absent),
            Ok(Some(text)) => Ok(SessionId::parse(text).map_or(Self::Foreign, Self::Id)),
            Err(FieldFault::NotText) => Ok(Self::Foreign),
            Err(FieldFault::Repeated) => Err(FieldFault::Repeated),
        }
    }
}

/// The field `MCP-Protocol-Version`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VersionField {
    Absent,
    Known(ProtocolVersion),
    /// Any other value.
    Unknown,
    /// The field occurs twice.
    Repeated,
}

/// Name of the field with the revision.
pub(crate) const VERSION: &str = "mcp-protocol-version";

impl VersionField {
    /// Reads the field.
    pub(crate) fn of(head: &impl Head) -> Self {
        match head.once(VERSION) {
            Ok(None) => Self::Absent,
            Ok(Some(text)) => JsonStr::from_escaped(text)
                .and_then(ProtocolVersion::from_name)
                .map_or(Self::Unknown, Self::Known),
            Err(FieldFault::NotText) => Self::Unknown,
            Err(FieldFault::Repeated) => Self::Repeated,
        }
    }

    /// The field names a revision, and not a legacy one.
    pub(crate) fn is_modern(self) -> bool {
        match self {
            Self::Absent => false,
            Self::Known(version) => version.era() == Era::Modern,
            Self::Unknown | Self::Repeated => true,
        }
    }
}
