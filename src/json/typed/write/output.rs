//! The destination of a value, and the depth that is left for it.

use core::fmt::{self, Write};

use crate::json::typed::SerializeError;
use crate::json::{MAX_DEPTH, Writer};

/// The destination, and the first error.
pub(super) struct Output<'w, 's, 'm> {
    pub(super) json: &'w mut Writer<'s, 'm>,
    pub(super) failed: Option<SerializeError>,
}

impl Output<'_, '_, '_> {
    /// `result`, whose error is kept if it is the first.
    pub(super) fn noted<R>(&mut self, result: Result<R, SerializeError>) -> Result<R, SerializeError> {
        if let Err(error) = &result {
            self.failed.get_or_insert(*error);
        }
        result
    }

    /// Writes the text of `value` as a string.
    pub(super) fn display<T: fmt::Display + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        let mut result = Ok(());
        self.json.string_parts(|parts| result = write!(parts, "{value}"));
        result.map_err(|_| SerializeError::NotJson)
    }
}

/// Number of levels that a value may still nest. The stack is finite, and a type may have no end (a list of many
/// links).
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// Objects and arrays.
    levels: u8,
    /// Objects, arrays and wrappers that leave no trace in the text.
    calls: u16,
}

impl Room {
    pub(super) const NEW: Self = Self { levels: MAX_DEPTH, calls: 4 * MAX_DEPTH as u16 };

    pub(super) fn wrapped(self) -> Result<Self, SerializeError> {
        let calls = self.calls.checked_sub(1).ok_or(SerializeError::TooDeep)?;
        Ok(Self { calls, ..self })
    }

    pub(super) fn inside(self) -> Result<Self, SerializeError> {
        let levels = self.levels.checked_sub(1).ok_or(SerializeError::TooDeep)?;
        Ok(Self { levels, ..self.wrapped()? })
    }
}
