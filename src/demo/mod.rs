//! The reference server: one small tool, resource and prompt of each kind. `no_std`; used by the command line, the
//! examples and the tests.

mod add;
mod handler;
mod shared;
mod tables;

/// The public corpus: messages and streams with the verdict and the answer of each, one JSON object per line.
///
/// `tests/corpus/README.md` in the repository describes its members. A program that does not use the constant does not
/// contain the text.
pub const CORPUS: &str = include_str!("../../tests/corpus/messages.jsonl");

pub use handler::{Demo, Host, NoHost};
pub use shared::{add, add_integers, echo};
pub use tables::{ADD, COUNTER_URI, ECHO, PROMPTS, RESOURCES, TEMPLATES, TOOLS};
