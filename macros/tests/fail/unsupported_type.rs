#![allow(unused_variables)]

use std::collections::HashMap;

struct Opaque;

struct App;

#[barewire::server]
impl App {
    /// Takes a map.
    #[tool]
    fn take(&self, map: HashMap<String, u8>) {}

    /// Takes a large integer.
    #[tool]
    fn large(&self, number: Option<u128>) {}

    /// Takes anything.
    #[tool]
    fn anything(&self, value: impl Clone) {}
}

struct Other;

#[barewire::server]
impl Other {
    /// Gives what has no text.
    #[tool]
    fn give(&self) -> Opaque {
        Opaque
    }

    /// Fails without a text.
    #[tool]
    fn fail(&self) -> Result<u8, Opaque> {
        Err(Opaque)
    }

    /// Takes the reply, and answers.
    #[tool]
    fn both(&self, reply: barewire::engine::ToolReply<'_, '_>) -> u8 {
        1
    }

    /// Takes a large integer.
    #[tool]
    fn large(&self, number: Option<u128>) {}
}

fn main() {}
