//! Integers as arguments.

use super::{Argument, InvalidArgument, Scratch};
use crate::json::RawValue;
use crate::mcp::Type;

macro_rules! integers {
    ($($type:ident: $minimum:expr, $maximum:expr;)*) => {
        $(
            impl<'a> Argument<'a> for $type {
                const TYPE: Type<'static> = Type::integer_in($minimum, $maximum);

                fn read(value: RawValue<'a>, _: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
                    integer(value).and_then(|integer| {
                        Self::try_from(integer).map_err(|_| InvalidArgument::UNFIT)
                    })
                }
            }
        )*
    };
}

// A schema has integers up to `i64::MAX`, so the larger values of `u64` are refused.
integers! {
    i8: i8::MIN as i64, i8::MAX as i64;
    i16: i16::MIN as i64, i16::MAX as i64;
    i32: i32::MIN as i64, i32::MAX as i64;
    i64: i64::MIN, i64::MAX;
    isize: isize::MIN as i64, isize::MAX as i64;
    u8: 0, u8::MAX as i64;
    u16: 0, u16::MAX as i64;
    u32: 0, u32::MAX as i64;
    u64: 0, i64::MAX;
    usize: 0, if usize::BITS < 64 { usize::MAX as i64 } else { i64::MAX };
}

/// One body for all integers.
fn integer(value: RawValue<'_>) -> Result<i64, InvalidArgument> {
    let number = value.as_number().ok_or(InvalidArgument::UNFIT)?;
    number.to_i64().map_err(|_| InvalidArgument::UNFIT)
}
