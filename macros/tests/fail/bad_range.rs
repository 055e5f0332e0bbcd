#![allow(unused_variables)]

struct App;

#[barewire::server]
impl App {
    /// Empty.
    #[tool]
    fn empty(&self, #[arg(min = 5, max = 4)] a: u8) {}

    /// Beyond the type.
    #[tool]
    fn beyond(&self, #[arg(max = 256)] a: u8) {}

    /// Not an integer.
    #[tool]
    fn fraction(&self, #[arg(min = 0.5)] a: u8) {}

    /// Not a literal.
    #[tool]
    fn float(&self, #[arg(min = 1.5, max = 1.25)] a: f32) {}

    /// No range.
    #[tool]
    fn no_range(&self, #[arg(max = 5)] a: bool) {}

    /// A default of an `Option`.
    #[tool]
    fn option(&self, #[arg(default = 1)] a: Option<u8>) {}
}

fn main() {}
