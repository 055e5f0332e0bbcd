#![allow(unused_variables)]

struct App;

#[barewire::server]
impl App {
    /// A text for a number.
    #[tool]
    fn number(&self, #[arg(default = "5")] a: u8) {}

    /// A text for a flag.
    #[tool]
    fn flag(&self, #[arg(default = "true")] a: bool) {}

    /// A number for a text.
    #[tool]
    fn text(&self, #[arg(default = 5)] a: String) {}

    /// A flag for a number.
    #[tool]
    fn count(&self, #[arg(default = true)] a: u8) {}
}

struct Ranges;

#[barewire::server]
impl Ranges {
    /// A default out of the range.
    #[tool]
    fn range(&self, #[arg(default = 200, max = 100)] a: u8) {}
}

fn main() {}
