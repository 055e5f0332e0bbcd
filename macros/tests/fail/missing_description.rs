#![allow(unused_variables)]

struct App;

#[barewire::server]
impl App {
    #[tool]
    fn read(&self) {}

    ///
    #[resource("app:///page")]
    fn page(&self) -> &str {
        ""
    }

    #[prompt]
    fn greet(&self) -> &str {
        ""
    }

    #[tool(description = "")]
    fn intended(&self) {}
}

fn main() {}
