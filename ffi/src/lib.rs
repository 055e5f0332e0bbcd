//! barewire for C: a static library. Its documentation for users is the header, `include/barewire.h`.
//!
//! | module | what it has |
//! |---|---|
//! | `border` | pointers and lengths of C, checked, as slices and references; the texts that go both ways |
//! | `status` | what functions return |
//! | `message` | one message judged, as views |
//! | `write` | one message written |
//! | `value` | JSON values read: arguments, strings |
//! | `framer` | lines out of a byte stream |
//! | `server` | the server with C functions as tools, in memory of the caller's |
//!
//! All `unsafe` of the project is in this package. What is unsafe is to trust C: that a pointer is good for its length, as
//! the header asks for. Everything that can be checked is checked and has a status of its own.
#![no_std]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::expect_used,
        clippy::get_unwrap,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::unwrap_used,
    )
)]

// On a host the standard library has the panic handler; with `panic = "abort"` it ends the process.
#[cfg(not(target_os = "none"))]
extern crate std;

mod border;
mod framer;
mod message;
#[cfg(target_os = "none")]
mod panic;
mod server;
pub mod status;
mod value;
mod write;

#[cfg(test)]
#[path = "../tests/rust/mod.rs"]
mod tests;

// As the header has it.
const _: () = {
    let word = size_of::<usize>();
    assert!(size_of::<Text>() == 2 * word && size_of::<ToolFunction>() == word);
    assert!(size_of::<Classified>() == if word == 4 { 88 } else { 160 });
    assert!(size_of::<Call>() == 10 * word && size_of::<ToolEntry>() == 13 * word);
    assert!(size_of::<HostEvent>() == if word == 4 { 20 } else { 32 });
    assert!(size_of::<Config>() == 17 * word);
};

pub use border::Text;
pub use framer::*;
pub use message::*;
pub use server::*;
pub use value::*;
pub use write::*;
