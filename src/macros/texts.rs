//! Texts as arguments of tools and prompts.

use super::{Argument, InvalidArgument, Scratch};
use crate::engine::{CallError, PromptGet};
use crate::json::{JsonStr, RawValue};
use crate::mcp::Type;

/// A type of a prompt's argument, which is always a text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a prompt",
    label = "not a text",
    note = "arguments of prompts are `&str`, `JsonStr`, `String`, `String` of heapless 0.9, and `Option` of these"
)]
pub trait TextArgument<'a>: Sized {
    /// Reads the text.
    ///
    /// # Errors
    /// [`InvalidArgument`] if the text is too long, or has half a surrogate pair.
    fn read_text(text: JsonStr<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument>;
}

impl<'a> TextArgument<'a> for JsonStr<'a> {
    fn read_text(text: JsonStr<'a>, _: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        Ok(text)
    }
}

impl<'a> TextArgument<'a> for &'a str {
    fn read_text(text: JsonStr<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        scratch.decode(text)
    }
}

impl<'a, const N: usize> TextArgument<'a> for heapless::String<N> {
    fn read_text(text: JsonStr<'a>, _: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        let mut copy = Self::new();
        for character in text.chars() {
            let character = character.map_err(|_| InvalidArgument::SURROGATE)?;
            copy.push(character).map_err(|_| InvalidArgument::TOO_LONG)?;
        }
        Ok(copy)
    }
}

#[cfg(feature = "std")]
impl<'a> TextArgument<'a> for std::string::String {
    fn read_text(text: JsonStr<'a>, _: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
        if let Some(plain) = text.as_str() {
            return Ok(plain.into());
        }
        text.chars().collect::<Result<_, _>>().map_err(|_| InvalidArgument::SURROGATE)
    }
}

macro_rules! arguments {
    ($($(#[$cfg:meta])? ($($generics:tt)*) $type:ty: $schema:expr, $uses_scratch:expr;)*) => {
        $(
            $(#[$cfg])?
            impl<'a, $($generics)*> Argument<'a> for $type {
                const TYPE: Type<'static> = $schema;
                const USES_SCRATCH: bool = $uses_scratch;

                fn read(value: RawValue<'a>, scratch: &mut Scratch<'a>) -> Result<Self, InvalidArgument> {
                    Self::read_text(value.as_string().ok_or(InvalidArgument::UNFIT)?, scratch)
                }
            }
        )*
    };
}

arguments! {
    () JsonStr<'a>: Type::STRING, false;
    () &'a str: Type::STRING, true;
    // The bound is in characters, so a text of other than ASCII may fit the schema and still be too long.
    (const N: usize) heapless::String<N>: Type::string_of(0, if N < u32::MAX as usize { N as u32 } else { u32::MAX }), false;
    #[cfg(feature = "std")]
    () std::string::String: Type::STRING, false;
}

/// Reads an argument of a prompt that must be there.
///
/// # Errors
/// [`CallError::InvalidParams`] if it is absent or the type cannot take it.
pub fn required_text<'a, T: TextArgument<'a>>(
    get: PromptGet<'a>,
    name: &str,
    scratch: &mut Scratch<'a>,
) -> Result<T, CallError<'static>> {
    optional_text(get, name, scratch)?.ok_or(CallError::InvalidParams)
}

/// Reads an argument of a prompt that may be absent.
///
/// # Errors
/// [`CallError::InvalidParams`] if the type cannot take it.
pub fn optional_text<'a, T: TextArgument<'a>>(
    get: PromptGet<'a>,
    name: &str,
    scratch: &mut Scratch<'a>,
) -> Result<Option<T>, CallError<'static>> {
    let Some(text) = get.argument(name) else {
        return Ok(None);
    };
    T::read_text(text, scratch).map(Some).map_err(|_| CallError::InvalidParams)
}
