#![allow(unused_variables)]

struct App;

#[barewire::server(nmae = "app")]
impl App {
    /// Reads.
    #[tool(readonly)]
    fn read(&self) {}

    /// Reads.
    #[tool(read_only = "yes")]
    fn read_again(&self) {}

    /// Reads.
    #[tool]
    fn read_at(&self, #[arg(minimum = 1)] place: u8) {}
}

fn main() {}
