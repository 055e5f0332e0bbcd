//! What functions return: 0, a positive number for something that is no error, or a negative one for an error.

/// What a function returns.
pub type Status = i32;

/// Done.
pub const BAREWIRE_OK: Status = 0;
/// There is nothing: no such member, no answer owed, no line yet.
pub const BAREWIRE_NONE: Status = 1;
/// Output is to be sent first; then the same call again.
pub const BAREWIRE_MORE: Status = 2;
/// A tool's answer comes later. Only a tool returns this.
pub const BAREWIRE_DEFERRED: Status = 3;

/// A pointer is `NULL` that must not be: one with a length above 0, or one to a place for a result.
pub const BAREWIRE_ERROR_NULL: Status = -1;
/// A pointer to something other than bytes is not aligned for it.
pub const BAREWIRE_ERROR_ALIGNMENT: Status = -2;
/// A length that no object in memory can have.
pub const BAREWIRE_ERROR_LENGTH: Status = -3;
/// Memory that is written to overlaps memory that is read, or other memory that is written to.
pub const BAREWIRE_ERROR_OVERLAP: Status = -4;
/// The memory is too small.
pub const BAREWIRE_ERROR_TOO_SMALL: Status = -5;
/// A text is not UTF-8.
pub const BAREWIRE_ERROR_UTF8: Status = -6;
/// A text is not one JSON value.
pub const BAREWIRE_ERROR_JSON: Status = -7;
/// The value is of another kind.
pub const BAREWIRE_ERROR_KIND: Status = -8;
/// The number does not fit, or has a fraction where an integer is wanted.
pub const BAREWIRE_ERROR_RANGE: Status = -9;
/// The number has more decimals than were asked for.
pub const BAREWIRE_ERROR_INEXACT: Status = -10;
/// The member occurs twice: another parser may take the other one.
pub const BAREWIRE_ERROR_REPEATED: Status = -11;
/// The string has half a surrogate pair, which stands for no character.
pub const BAREWIRE_ERROR_SURROGATE: Status = -12;
/// A tool's name is not 1 to 128 of `A-Z a-z 0-9 _ - .`, or two tools have one.
pub const BAREWIRE_ERROR_TOOL_NAME: Status = -13;
/// A tool's schema is no JSON object with `"type":"object"`.
pub const BAREWIRE_ERROR_SCHEMA: Status = -14;
/// The memory holds no server or framer that was made by its `init`.
pub const BAREWIRE_ERROR_NOT_INITIALIZED: Status = -15;
/// The server is at work already: called by a tool, an interrupt or another thread.
pub const BAREWIRE_ERROR_IN_USE: Status = -16;
/// The call was answered or cancelled before.
pub const BAREWIRE_ERROR_NOT_IN_FLIGHT: Status = -17;
/// The table of calls that are answered later is full.
pub const BAREWIRE_ERROR_BUSY: Status = -18;
/// The id of the request, with its progress token, is too long to be kept.
pub const BAREWIRE_ERROR_ID_TOO_LONG: Status = -19;
/// A number that is none of the constants it stands for.
pub const BAREWIRE_ERROR_FLAGS: Status = -20;

/// What a function of this package comes to; the error is a [`Status`] other than `BAREWIRE_OK`.
pub(crate) type Result<T> = core::result::Result<T, Status>;

/// The status of what was done.
pub(crate) fn of(result: Result<()>) -> Status {
    match result {
        Ok(()) => BAREWIRE_OK,
        Err(status) => status,
    }
}
