#![allow(unused_variables)]

struct App;

#[barewire::server]
impl App {
    /// No token.
    #[tool]
    fn no_token(&self, #[arg(header = "My Region")] region: &str) {}

    /// A prompt.
    #[prompt]
    fn prompt(&self, #[arg(header = "Region")] region: &str) -> &'static str {
        "text"
    }
}

fn main() {}
