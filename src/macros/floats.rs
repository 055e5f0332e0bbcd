//! Floats as arguments. Only a tool that has one links the code that reads it.

use super::{Argument, InvalidArgument, Scratch};
use crate::json::RawValue;
use crate::mcp::Type;

impl<'a> Argument<'a> for f64 {
    const TYPE: Type<'static> = Type::NUMBER;

    fn read(value: RawValue<'a>, _: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        let float = value.as_number().ok_or(InvalidArgument::UNFIT)?.to_f64();
        float.is_finite().then_some(float).ok_or(InvalidArgument::OUT_OF_RANGE)
    }
}

impl<'a> Argument<'a> for f32 {
    const TYPE: Type<'static> = Type::NUMBER;

    fn read(value: RawValue<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        #[allow(clippy::cast_possible_truncation, reason = "the nearest float is wanted")]
        let float = f64::read(value, scratch)? as Self;
        float.is_finite().then_some(float).ok_or(InvalidArgument::OUT_OF_RANGE)
    }
}
