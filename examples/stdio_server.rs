//! An MCP server on stdio with one tool, which is a method.
//!
//! ```sh
//! cargo run -q --features std,macros --example stdio_server < examples/words.jsonl
//! ```

use barewire::transport::Stdio;

struct Words;

#[barewire::server(name = "words", version = "1.0")]
impl Words {
    /// Counts the words of a text.
    #[tool]
    fn count_words(&self, text: String) -> usize {
        text.split_whitespace().count()
    }
}

fn main() -> std::io::Result<()> {
    Stdio::new().serve(Words)
}
