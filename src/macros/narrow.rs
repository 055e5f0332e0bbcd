//! Ranges of parameters: `#[arg(min = …, max = …)]`. All panics here are compile errors, since the tables are constants.

use crate::json::{Number, RawValue};
use crate::mcp::Type;

/// The type with a smaller range: of an integer, of the characters of a string, of the elements of a list.
///
/// ```
/// use barewire::macros::narrow;
/// use barewire::mcp::Type;
/// const LEVEL: Type<'_> = narrow(Type::integer_in(0, 255), None, Some(100));
/// assert_eq!(LEVEL, Type::integer_in(0, 100));
/// ```
///
/// ```compile_fail
/// # use barewire::macros::narrow;
/// # use barewire::mcp::Type;
/// const BEYOND: Type<'_> = narrow(Type::integer_in(0, 255), None, Some(1000));
/// ```
///
/// # Panics
/// If the range is empty or exceeds the type.
#[allow(clippy::panic, reason = "a compile error in a `const`")]
pub const fn narrow(ty: Type<'static>, min: Option<i64>, max: Option<i64>) -> Type<'static> {
    match ty {
        Type::Integer { minimum, maximum } => {
            let (minimum, maximum) = bounds(minimum, maximum, min, max);
            Type::Integer { minimum, maximum }
        }
        Type::String { min_length, max_length } => {
            let (minimum, maximum) = bounds(min_length as i64, max_length as i64, min, max);
            Type::String { min_length: minimum as u32, max_length: maximum as u32 }
        }
        Type::Array { items, min_items, max_items } => {
            let (minimum, maximum) = bounds(min_items as i64, max_items as i64, min, max);
            Type::Array { items, min_items: minimum as u32, max_items: maximum as u32 }
        }
        Type::Number { .. } => panic!("the bounds of a float must be literals"),
        _ => panic!("this type has no range: `min` and `max` are for numbers, texts and lists"),
    }
}

/// The bounds `min` and `max` in the range of a type.
const fn bounds(minimum: i64, maximum: i64, min: Option<i64>, max: Option<i64>) -> (i64, i64) {
    let min = match min {
        Some(min) => min,
        None => minimum,
    };
    let max = match max {
        Some(max) => max,
        None => maximum,
    };
    assert!(min >= minimum, "`min` is less than the type can be");
    assert!(max <= maximum, "`max` is greater than the type can be");
    assert!(min <= max, "`min` is greater than `max`");
    (min, max)
}

/// The type of a float with a range.
///
/// # Panics
/// If a bound is not a JSON number, or the type is not a number.
#[allow(clippy::panic, reason = "a compile error in a `const`")]
pub const fn narrow_number(
    ty: Type<'static>,
    min: Option<&'static str>,
    max: Option<&'static str>,
) -> Type<'static> {
    match ty {
        Type::Number { .. } => Type::Number { minimum: number(min), maximum: number(max) },
        _ => panic!("a range of floats is for a float"),
    }
}

#[allow(clippy::panic, reason = "a compile error in a `const`")]
const fn number(text: Option<&'static str>) -> Option<Number<'static>> {
    let Some(text) = text else {
        return None;
    };
    match RawValue::new(text.as_bytes()) {
        Ok(value) => value.as_number(),
        Err(_) => panic!("a bound is a decimal number"),
    }
}
