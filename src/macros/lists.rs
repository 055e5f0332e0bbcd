//! Lists as arguments.

use super::{Argument, InvalidArgument, Scratch};
use crate::json::RawValue;
use crate::mcp::Type;

/// A capacity as a bound of the schema.
const fn bound(capacity: usize) -> u32 {
    if capacity < u32::MAX as usize { capacity as u32 } else { u32::MAX }
}

/// Reads the elements one after another.
fn elements<'a, T: Argument<'a>>(
    value: RawValue<'a>,
    scratch: &mut Scratch<'a>,
    mut take: impl FnMut(T) -> Result<(), InvalidArgument>,
) -> Result<(), InvalidArgument> {
    let array = value.as_array().ok_or(InvalidArgument::UNFIT)?;
    for element in array.elements() {
        take(T::read(element, scratch).map_err(|error| error.at(element))?)?;
    }
    Ok(())
}

impl<'a, T: Argument<'a>, const N: usize> Argument<'a> for heapless::Vec<T, N> {
    const TYPE: Type<'static> = Type::Array { items: &T::TYPE, min_items: 0, max_items: bound(N) };
    const USES_SCRATCH: bool = T::USES_SCRATCH;

    fn read(value: RawValue<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        let mut list = Self::new();
        elements(value, scratch, |element| list.push(element).map_err(|_| InvalidArgument::UNFIT))?;
        Ok(list)
    }
}

impl<'a, T: Argument<'a>, const N: usize> Argument<'a> for [T; N] {
    const TYPE: Type<'static> = Type::Array { items: &T::TYPE, min_items: bound(N), max_items: bound(N) };
    const USES_SCRATCH: bool = T::USES_SCRATCH;

    fn read(value: RawValue<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        let list = heapless::Vec::<T, N>::read(value, scratch)?;
        list.into_array().map_err(|_| InvalidArgument::UNFIT)
    }
}

#[cfg(feature = "std")]
impl<'a, T: Argument<'a>> Argument<'a> for std::vec::Vec<T> {
    const TYPE: Type<'static> = Type::Array { items: &T::TYPE, min_items: 0, max_items: u32::MAX };
    const USES_SCRATCH: bool = T::USES_SCRATCH;

    fn read(value: RawValue<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        let mut list = Self::new();
        elements(value, scratch, |element| {
            list.push(element);
            Ok(())
        })?;
        Ok(list)
    }
}
