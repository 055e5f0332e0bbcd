//! Variables of a resource template as parameters.

use super::{InvalidArgument, Scratch};
use crate::engine::{CallError, ResourceRead};
use crate::json::JsonStr;
use crate::mcp::{PercentDecoded, UriTemplate};

/// A type of a variable of a resource template. A value that it cannot take is a resource that does not exist.
///
/// The value is percent-decoded, except for [`JsonStr`]. A decoded value may contain `/` and `..`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a variable of a resource template",
    label = "not a type of a variable",
    note = "variables are `&str`, `PercentDecoded`, `JsonStr` (as sent), integers, `String`, and `String` of heapless 0.9"
)]
pub trait Variable<'a>: Sized {
    /// Reads the value.
    ///
    /// # Errors
    /// [`InvalidArgument`] if the type cannot take the value.
    fn read_variable(value: PercentDecoded<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument>;
}

impl<'a> Variable<'a> for PercentDecoded<'a> {
    fn read_variable(value: PercentDecoded<'a>, _: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        Ok(value)
    }
}

impl<'a> Variable<'a> for JsonStr<'a> {
    fn read_variable(value: PercentDecoded<'a>, _: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        Ok(value.as_sent())
    }
}

impl<'a> Variable<'a> for &'a str {
    fn read_variable(value: PercentDecoded<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        scratch.decode_variable(value)
    }
}

impl<'a, const N: usize> Variable<'a> for heapless::String<N> {
    fn read_variable(value: PercentDecoded<'a>, _: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        let mut copy = Self::new();
        for character in value.chars() {
            copy.push(character).map_err(|_| InvalidArgument::TOO_LONG)?;
        }
        Ok(copy)
    }
}

#[cfg(feature = "std")]
impl<'a> Variable<'a> for std::string::String {
    fn read_variable(value: PercentDecoded<'a>, _: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        Ok(value.chars().collect())
    }
}

macro_rules! integers {
    ($($type:ident)*) => {
        $(
            impl<'a> Variable<'a> for $type {
                fn read_variable(value: PercentDecoded<'a>, _: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
                    integer(value).and_then(|integer| {
                        Self::try_from(integer).map_err(|_| InvalidArgument::OUT_OF_RANGE)
                    })
                }
            }
        )*
    };
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

/// A decimal number: digits, of which there is at least one, after at most one `-`.
fn integer(value: PercentDecoded<'_>) -> Result<i128, InvalidArgument> {
    let mut characters = value.chars();
    let mut next = characters.next();
    // Not `Peekable::next_if_eq`, which can panic.
    let is_negative = next == Some('-');
    if is_negative {
        next = characters.next();
    }
    let first = next.ok_or(InvalidArgument::UNFIT)?;
    // At most twenty digits, so neither product nor sum can overflow.
    let mut integer = 0_i128;
    for (count, character) in core::iter::once(first).chain(characters).enumerate() {
        let digit = character.to_digit(10).ok_or(InvalidArgument::UNFIT)?;
        if count >= 20 {
            return Err(InvalidArgument::OUT_OF_RANGE);
        }
        integer = integer.saturating_mul(10).saturating_add(i128::from(digit));
    }
    Ok(if is_negative { integer.saturating_neg() } else { integer })
}

/// Reads a variable of a URI.
///
/// # Errors
/// [`CallError::NotFound`] if the type cannot take the value.
pub fn variable<'a, T: Variable<'a>>(
    read: ResourceRead<'a>,
    template: UriTemplate<'_>,
    name: &str,
    scratch: &mut Scratch<'a>,
) -> Result<T, CallError<'static>> {
    let value = read.decoded(template, name).ok_or(CallError::NotFound)?;
    T::read_variable(value, scratch).map_err(|_| CallError::NotFound)
}
