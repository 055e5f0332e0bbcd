//! Types of structured content.

use super::Argument;
use crate::json::{JsonStr, Writer};
use crate::mcp::{Parameter, Tool, Type};

/// A type inside structured content: its schema, and how it is written.
///
/// Implemented for `bool`, integers, floats, texts, lists and references. `#[derive(barewire::Output)]` implements it for enums and
/// structs, and makes a struct an answer of a tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a member of structured content",
    label = "not a type of an output",
    note = "outputs are `bool`, integers, floats, texts, lists, enums and structs with `#[derive(barewire::Output)]`, \
            and `Option` of these as the type of a field"
)]
pub trait Output {
    /// Type in the schema of the tool.
    const TYPE: Type<'static>;

    /// Writes the value.
    fn write(&self, json: &mut Writer<'_, '_>);
}

macro_rules! outputs {
    ($($(#[$cfg:meta])? ($($generics:tt)*) $type:ty: $schema:expr, $self:ident, $json:ident => $written:expr;)*) => {
        $(
            $(#[$cfg])?
            impl<$($generics)*> Output for $type {
                const TYPE: Type<'static> = $schema;

                fn write(&$self, $json: &mut Writer<'_, '_>) {
                    $written;
                }
            }
        )*
    };
}

outputs! {
    () bool: Type::Boolean, self, json => json.boolean(*self);
    () str: Type::STRING, self, json => json.string(self);
    () JsonStr<'_>: Type::STRING, self, json => json.json_string(*self);
    (const N: usize) heapless::String<N>: Type::STRING, self, json => json.string(self);
    #[cfg(feature = "std")]
    () std::string::String: Type::STRING, self, json => json.string(self);
    #[cfg(feature = "std")]
    () std::borrow::Cow<'_, str>: Type::STRING, self, json => json.string(self);
    () isize: <Self as Argument<'_>>::TYPE, self, json => json.integer(*self as i64);
    () usize: <Self as Argument<'_>>::TYPE, self, json => json.unsigned(*self as u64);
    (T: Output + ?Sized) &T: T::TYPE, self, json => T::write(self, json);
    (T: Output) [T]: list::<T>(), self, json => write_list(self, json);
    (T: Output, const N: usize) [T; N]: list::<T>(), self, json => write_list(self, json);
    (T: Output, const N: usize) heapless::Vec<T, N>: list::<T>(), self, json => write_list(self, json);
    #[cfg(feature = "std")]
    (T: Output) std::vec::Vec<T>: list::<T>(), self, json => write_list(self, json);
}

macro_rules! numbers {
    ($write:ident: $($type:ident)*) => {
        outputs! {
            $(() $type: <Self as Argument<'_>>::TYPE, self, json => json.$write((*self).into());)*
        }
    };
}

numbers! { integer: i8 i16 i32 i64 }
numbers! { unsigned: u8 u16 u32 u64 }
numbers! { double: f32 f64 }

const fn list<T: Output>() -> Type<'static> {
    Type::Array { items: &T::TYPE, min_items: 0, max_items: u32::MAX }
}

fn write_list<T: Output>(elements: &[T], json: &mut Writer<'_, '_>) {
    json.begin_array();
    for element in elements {
        element.write(json);
    }
    json.end_array();
}

/// The members of an object type.
pub const fn members(ty: Type<'static>) -> Option<&'static [Parameter<'static>]> {
    match ty {
        Type::Object { parameters, .. } => Some(parameters),
        _ => None,
    }
}

/// The tool with the members of its structured content, if it has such.
pub const fn with_output<'a>(tool: Tool<'a>, output: Option<&'a [Parameter<'a>]>) -> Tool<'a> {
    match output {
        Some(members) => tool.with_output(members),
        None => tool,
    }
}
