struct App;

#[barewire::server]
impl App {
    /// A text that is too long for its type.
    #[tool]
    fn short(&self, #[arg(default = "12345")] a: heapless::String<4>) -> usize {
        a.len()
    }
}

fn main() {}
