//! Values that can be the text of a JSON string.

use core::fmt;
#[cfg(feature = "std")]
use std::{borrow::Cow, boxed::Box, string::String, sync::Arc};

use super::Writer;
use crate::json::JsonStr;

/// Value that can be the text of a JSON string: a string, a number, a `bool`, a `char`, `format_args!`, or strings that are joined.
///
/// [`Writer::string`] and the replies of the engine take such values. Only [`fmt::Arguments`] and floats link the formatting code of
/// `core`, which is about a kilobyte of flash; so there is no implementation for all of [`fmt::Display`]. A [`JsonStr`] is
/// written without the escapes that it does not need; half a surrogate pair stays the escape that it was. `String`, `Cow<str>`, `Box`
/// and `Arc` are texts with the feature `std`.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::json::{AsText, Writer};
///
/// fn written(text: impl AsText) -> String {
///     let mut memory = [0; 64];
///     let mut sink = Sink::new(&mut memory);
///     Writer::new(&mut sink).string(text);
///     String::from_utf8_lossy(sink.finish().unwrap_or_default()).into_owned()
/// }
/// assert_eq!(written("a\"b"), r#""a\"b""#);
/// assert_eq!(written(-7), r#""-7""#);
/// assert_eq!(written(["pin ", "4"]), r#""pin 4""#);
/// assert_eq!(written(format_args!("{:?}", Some(4))), r#""Some(4)""#);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a text",
    label = "not a text",
    note = "a value that implements `Display` is written by `format_args!(\"{{value}}\")`"
)]
pub trait AsText {
    /// Writes the text inside a string that is open.
    #[doc(hidden)]
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>);

    /// Writes the whole string.
    #[doc(hidden)]
    fn write_string(&self, json: &mut Writer<'_, '_>) {
        json.string_parts(|string| self.write_inside(string));
    }
}

/// The inside of a string that is being written.
#[derive(Debug)]
pub struct Escaped<'w, 's, 'm>(pub(super) &'w mut Writer<'s, 'm>);

impl Escaped<'_, '_, '_> {
    /// Plain text, which is escaped.
    pub(crate) fn plain(&mut self, text: &str) {
        self.0.escaped(text);
    }

    /// A string as it was received, escapes and all.
    pub(crate) fn json(&mut self, string: JsonStr<'_>) {
        self.0.put(string.as_escaped_bytes());
    }

    /// A string that was received, without the escapes that it does not need: characters as UTF-8. Half a surrogate pair,
    /// which no UTF-8 can hold, stays the escape that it was.
    fn decoded(&mut self, string: JsonStr<'_>) {
        if !string.has_escapes() {
            return self.json(string);
        }
        let mut steps = string.steps();
        // Characters that stand for themselves are written in runs.
        let mut run_start = steps.remaining();
        loop {
            let start = steps.remaining();
            let Some(code_point) = steps.next() else {
                return self.json(string.between(run_start, start));
            };
            let as_sent = string.between(start, steps.remaining());
            if as_sent.has_escapes() {
                self.json(string.between(run_start, start));
                match char::from_u32(code_point) {
                    Some(character) => self.plain(character.encode_utf8(&mut [0; 4])),
                    None => self.json(as_sent),
                }
                run_start = steps.remaining();
            }
        }
    }

    fn integer(&mut self, is_negative: bool, size: u64) {
        self.0.inside().decimal(is_negative, size);
    }
}

impl fmt::Write for Escaped<'_, '_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.escaped(text);
        Ok(())
    }
}

impl AsText for str {
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
        string.plain(self);
    }

    #[inline(always)]
    fn write_string(&self, json: &mut Writer<'_, '_>) {
        json.plain(self);
    }
}

/// Pieces, joined.
impl AsText for [&str] {
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
        for piece in self {
            string.plain(piece);
        }
    }
}

/// Pieces, joined.
impl<const N: usize> AsText for [&str; N] {
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
        self.as_slice().write_inside(string);
    }
}

impl AsText for JsonStr<'_> {
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
        string.decoded(*self);
    }
}

impl AsText for fmt::Arguments<'_> {
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
        // The writer itself never fails.
        let _ = fmt::Write::write_fmt(string, *self);
    }
}

impl AsText for bool {
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
        string.plain(if *self { "true" } else { "false" });
    }
}

impl AsText for char {
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
        string.plain(self.encode_utf8(&mut [0; 4]));
    }
}

macro_rules! integers {
    (signed: $($signed:ty)*; unsigned: $($unsigned:ty)*; large: $($large:ty)*) => {
        $(impl AsText for $signed {
            fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
                string.integer(*self < 0, self.unsigned_abs() as u64);
            }
        })*
        $(impl AsText for $unsigned {
            fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
                string.integer(false, *self as u64);
            }
        })*
        $(impl AsText for $large {
            fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
                format_args!("{self}").write_inside(string);
            }
        })*
    };
}

integers! {
    signed: i8 i16 i32 i64 isize;
    unsigned: u8 u16 u32 u64 usize;
    large: i128 u128 f32 f64
}

/// Pointers and owned strings: the text is that of their target.
macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty;)*) => {$(
        impl<$($generics)*> AsText for $pointer {
            fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
                (**self).write_inside(string);
            }

            // Inlined: else each kind of pointer has a copy of the function.
            #[inline(always)]
            fn write_string(&self, json: &mut Writer<'_, '_>) {
                (**self).write_string(json);
            }
        }
    )*};
}

pointers! {
    [T: AsText + ?Sized] &T;
    [L: heapless::LenType, const N: usize] heapless::String<N, L>;
}

#[cfg(feature = "std")]
pointers! {
    [] String;
    [] Cow<'_, str>;
    [T: AsText + ?Sized] Box<T>;
    [T: AsText + ?Sized] Arc<T>;
}
