#![allow(unused_variables)]

struct App;

#[barewire::server]
impl App {
    /// Reads.
    #[tool]
    fn read(&self) {}

    /// Reads again.
    #[tool(name = "read")]
    fn read_again(&self) {}

    /// Takes one name twice.
    #[tool]
    fn twice(&self, a: u8, #[arg(name = "a")] b: u8) {}

    /// Not a name.
    #[tool(name = "two words")]
    fn words(&self) {}

    /// A page.
    #[resource("app:///page")]
    fn page(&self) {}

    /// The same page.
    #[resource("app:///page")]
    fn same_page(&self) {}
}

fn main() {}
