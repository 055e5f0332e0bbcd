//! Content of a tool's answer.

use serde::Serialize;

use super::text_types::text_types;
use crate::engine::ToolContent;
use crate::json::JsonStr;
use crate::mcp::{Parameter, Resource};

/// A part of a tool's answer: no, one or several blocks of content.
///
/// Implemented for texts, numbers, `bool`, [`Image`], [`Audio`], [`ResourceLink`], [`Structured`], structs with `#[derive(barewire::Output)]`,
/// tuples, arrays, `Option` and lists of these; `()` has no block. Floats that are not finite are the text `null`. Structured content is the
/// last part of an answer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be content of a tool's answer",
    label = "not an answer of a tool",
    note = "answers are `()`, texts, numbers, `bool`, `Image`, `Audio`, `ResourceLink` and `Structured` of `barewire::macros`, \
            structs with `#[derive(barewire::Output)]`, tuples, arrays and `Option`s of these, and `Result`s"
)]
pub trait IntoContent {
    /// The members of the structured content, if that is known from the type. A tool that answers with the type declares them as its
    /// output schema.
    const OUTPUT: Option<&'static [Parameter<'static>]> = None;

    /// Adds the blocks.
    fn add_to<'r, 'm>(self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm>;
}

/// An image. It is encoded as base64 while it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image<'a> {
    /// The media type, `image/png` for example.
    pub mime_type: &'a str,
    /// The encoded image.
    pub bytes: &'a [u8],
}

/// Audio. It is encoded as base64 while it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audio<'a> {
    /// The media type, `audio/wav` for example.
    pub mime_type: &'a str,
    /// The encoded sound.
    pub bytes: &'a [u8],
}

/// A link to a resource.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResourceLink<'a>(pub Resource<'a>);

/// Structured content of a type that serde writes as a JSON object. A client that does not know structured content gets it as text.
///
/// `#[derive(barewire::Output)]` needs no serde and declares the output schema; with this type, `#[tool(output_schema = …)]` does.
///
/// A value that is not an object is an internal error, and so is one that JSON cannot represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structured<T>(pub T);

impl IntoContent for () {
    fn add_to<'r, 'm>(self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
        content
    }
}

macro_rules! texts {
    ($($(#[$cfg:meta])? ($($generics:tt)*) $type:ty;)*) => {
        $(
            $(#[$cfg])?
            impl<$($generics)*> IntoContent for $type {
                fn add_to<'r, 'm>(self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
                    content.text(self)
                }
            }
        )*
    };
}

text_types! { texts }

macro_rules! floats {
    ($($type:ident)*) => {
        $(
            impl IntoContent for $type {
                fn add_to<'r, 'm>(self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
                    content.text_with(|json| {
                        json.double(self.into());
                    })
                }
            }
        )*
    };
}

floats! { f32 f64 }

impl IntoContent for Image<'_> {
    fn add_to<'r, 'm>(self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
        content.image(self.mime_type, self.bytes)
    }
}

impl IntoContent for Audio<'_> {
    fn add_to<'r, 'm>(self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
        content.audio(self.mime_type, self.bytes)
    }
}

impl IntoContent for ResourceLink<'_> {
    fn add_to<'r, 'm>(self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
        content.resource_link(&self.0)
    }
}

impl<T: Serialize> IntoContent for Structured<T> {
    fn add_to<'r, 'm>(self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
        content.structured(&self.0)
    }
}

impl<T: IntoContent> IntoContent for Option<T> {
    fn add_to<'r, 'm>(self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
        match self {
            Some(part) => part.add_to(content),
            None => content,
        }
    }
}

macro_rules! lists {
    ($($(#[$cfg:meta])? ($($generics:tt)*) $type:ty;)*) => {
        $(
            $(#[$cfg])?
            impl<T: IntoContent, $($generics)*> IntoContent for $type {
                fn add_to<'r, 'm>(self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
                    self.into_iter().fold(content, |content, part| part.add_to(content))
                }
            }
        )*
    };
}

lists! {
    (const N: usize) [T; N];
    (const N: usize) heapless::Vec<T, N>;
    #[cfg(feature = "std")]
    () std::vec::Vec<T>;
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {
        $(
            impl<$($name: IntoContent),*> IntoContent for ($($name,)*) {
                const OUTPUT: Option<&'static [Parameter<'static>]> = last(&[$($name::OUTPUT),*]);

                #[allow(non_snake_case, reason = "a part is named after its type")]
                fn add_to<'r, 'm>(self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
                    let ($($name,)*) = self;
                    $(let content = $name.add_to(content);)*
                    content
                }
            }
        )*
    };
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}

/// The output of a tuple: that of the last part.
const fn last(
    mut outputs: &[Option<&'static [Parameter<'static>]>],
) -> Option<&'static [Parameter<'static>]> {
    while let [output, rest @ ..] = outputs {
        if rest.is_empty() {
            return *output;
        }
        assert!(output.is_none(), "structured content is the last part of an answer");
        outputs = rest;
    }
    None
}
