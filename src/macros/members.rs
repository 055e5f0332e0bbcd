//! The members of the arguments, and of structs inside them. `read` calls [`Argument::read`](super::Argument::read): as a parameter it
//! leaves the place of an error to the caller.

use super::InvalidArgument;
use crate::json::{Object, RawValue};

/// Reads a member that must be there.
///
/// # Errors
/// [`InvalidArgument`] with the place of the member.
pub fn required<'a, T>(
    members: Object<'a>,
    name: &'static str,
    read: impl FnOnce(RawValue<'a>) -> Result<T, InvalidArgument>,
) -> Result<T, InvalidArgument> {
    let value = value(members, name).ok_or(InvalidArgument::UNFIT)?;
    read(value).map_err(|error| error.at(value))
}

/// Reads a member that may be absent; `null` counts as absent.
///
/// # Errors
/// [`InvalidArgument`] with the place of the member.
pub fn optional<'a, T>(
    members: Object<'a>,
    name: &'static str,
    read: impl FnOnce(RawValue<'a>) -> Result<T, InvalidArgument>,
) -> Result<Option<T>, InvalidArgument> {
    match value(members, name) {
        Some(value) => read(value).map(Some).map_err(|error| error.at(value)),
        None => Ok(None),
    }
}

/// One body for all types. That no name occurs twice was checked against the schema.
fn value<'a>(members: Object<'a>, name: &str) -> Option<RawValue<'a>> {
    members.get_once(name).ok().flatten().and_then(RawValue::not_null)
}
