#![allow(unused_variables, unused_imports)]

use barewire::mcp::Schema;

const POINT: Schema<'_> = Schema::new(r#"{"type":"object"}"#);

struct Wrong;

#[barewire::server]
impl Wrong {
    /// Reads its arguments twice.
    #[tool(input_schema = POINT)]
    fn point(&self, x: i64) {}
}

fn main() {}
