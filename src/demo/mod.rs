//! The reference server: one small tool, resource and prompt of each kind. `no_std`; used by the command line, the
//! examples and the tests.

mod add;
mod handler;
mod shared;
mod tables;

pub use handler::{Demo, Host, NoHost};
pub use shared::{add, add_integers, echo};
pub use tables::{ADD, COUNTER_URI, ECHO, PROMPTS, RESOURCES, TEMPLATES, TOOLS};
