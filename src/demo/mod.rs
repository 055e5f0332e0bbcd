//! The reference server: one small tool, resource and prompt of each kind. `no_std`; used by the command line, the
//! examples and the tests.

mod add;
mod handler;
mod tables;

pub use handler::{Demo, Host, NoHost};
pub use tables::{COUNTER_URI, PROMPTS, RESOURCES, TEMPLATES, TOOLS};
