//! Tools, resources and prompts as methods: the types that [`#[barewire::server]`](macro@crate::server) builds on.
//!
//! The attribute turns an `impl` block into a [`Handler`](crate::Handler). This module has the traits of its parameters and answers, and
//! the answers that are more than a text: [`Image`], [`Audio`], [`ResourceLink`], [`Structured`], [`Failed`], [`Refused`].

// From the bottom up: a file uses only files above it in this list.
mod path;

mod invalid;
mod scratch;
mod text_types;

mod argument;
mod floats;
mod integers;
mod lists;
mod texts;
mod variable;

mod default;
mod members;
mod narrow;
mod output;

mod content;
mod failure;

mod either;
mod explain;
mod invalid_call;
mod prompt;
mod resource;
mod returned;
mod tool;

pub use crate::engine::ToolAnswer;
pub use argument::Argument;
pub use content::{Audio, Image, IntoContent, ResourceLink, Structured};
#[doc(hidden)]
pub use default::{TextDefault, fitting, json};
#[doc(hidden)]
pub use either::Either;
#[doc(hidden)]
pub use explain::{explain, has_parts, have_details};
pub use failure::{Failed, Failure, Refused};
pub use invalid::InvalidArgument;
#[doc(hidden)]
pub use invalid_call::InvalidCall;
#[doc(hidden)]
pub use members::{optional, required};
#[doc(hidden)]
pub use narrow::{narrow, narrow_number};
pub use output::Output;
#[doc(hidden)]
pub use output::{members, with_output};
pub use prompt::{IntoMessages, PromptAnswer};
pub use resource::ResourceAnswer;
#[doc(hidden)]
pub use returned::{AnAnswer, NoAnswer, Returned};
pub use scratch::Scratch;
pub use texts::TextArgument;
#[doc(hidden)]
pub use texts::{optional_text, required_text};
pub use tool::Finished;
pub use variable::Variable;
#[doc(hidden)]
pub use variable::variable;
