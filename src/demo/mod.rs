//! The reference server: one small tool, resource and prompt of each kind. `no_std`; the command line, the examples and the tests use
//! it.

mod add;
mod handler;
mod shared;
mod tables;

/// The public corpus: messages and streams with their verdicts and answers, one JSON object per line.
///
/// `tests/corpus/README.md` in the repository describes its members. Only programs that use the constant contain the text.
pub const CORPUS: &str = include_str!("../../tests/corpus/messages.jsonl");

pub use handler::{Demo, Host, NoHost};
pub use shared::{add, add_integers, echo};
pub use tables::{ADD, COUNTER_URI, ECHO, PROMPTS, RESOURCES, TEMPLATES, TOOLS};
