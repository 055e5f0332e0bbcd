//! Types of a tool's arguments.

use super::{InvalidArgument, Scratch};
use crate::json::RawValue;
use crate::mcp::Type;

/// A type of a tool's argument: its schema, and how it is read from a value that fits the schema.
///
/// Implemented for `bool`, integers, floats, `&str`, [`JsonStr`](crate::json::JsonStr),
/// texts and lists of `heapless`,
/// arrays, and with `std` for `String` and `Vec`. `#[derive(barewire::Argument)]` implements it for enums and structs.
///
/// By hand, for a type that the schema alone cannot describe:
///
/// ```
/// use barewire::json::RawValue;
/// use barewire::macros::{Argument, InvalidArgument, Scratch};
/// use barewire::mcp::Type;
///
/// struct Even(i64);
///
/// impl<'a> Argument<'a> for Even {
///     const TYPE: Type<'static> = Type::integer_in(0, 100);
///
///     fn read(value: RawValue<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
///         match i64::read(value, scratch)? {
///             even if even % 2 == 0 => Ok(Self(even)),
///             _ => Err(InvalidArgument::new("must be even")),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "not a type of an argument",
    note = "arguments are `bool`, integers, floats, `&str`, `JsonStr`, arrays, `String` and `Vec` of heapless 0.9, \
            `String` and `Vec` with the feature `std`, enums and structs with `#[derive(barewire::Argument)]`, and `Option` of these"
)]
pub trait Argument<'a>: Sized {
    /// Type in the schema of the tool. The engine checks the value against it before [`read`](Argument::read).
    const TYPE: Type<'static>;

    /// Whether a value may borrow from the scratch.
    const USES_SCRATCH: bool = false;

    /// Reads the value.
    ///
    /// # Errors
    /// [`InvalidArgument`] if the value fits the schema, but not the type: a text that is too long, for example.
    fn read(value: RawValue<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument>;
}

impl<'a> Argument<'a> for bool {
    const TYPE: Type<'static> = Type::Boolean;

    fn read(value: RawValue<'a>, _: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        value.as_bool().ok_or(InvalidArgument::UNFIT)
    }
}
