//! The smallest server, and arguments with the names of the macro's own variables.

use crate::kit::{call, request, text};

struct One;

#[barewire::server]
impl One {
    /// Reads.
    #[tool]
    fn read() -> u8 {
        1
    }
}

struct Names;

#[barewire::server]
impl Names {
    /// Adds.
    #[tool]
    fn add(
        reply: u8,
        request: u8,
        scratch: &str,
        #[arg(default = reply)] memory: u8,
        value: u8,
        invalid: u8,
    ) -> usize {
        usize::from(reply + request + memory + value + invalid) + scratch.len()
    }
}

struct Borrowing<'a>(&'a str);

#[barewire::server]
impl<'a> Borrowing<'a> {
    /// Reads.
    #[tool]
    fn read(&self) -> &'a str {
        self.0
    }
}

#[test]
fn a_server_with_a_lifetime() {
    assert_eq!(call(&mut Borrowing("lent"), "read", "{}"), text("lent"));
}

#[test]
fn a_tool_without_parameters() {
    assert_eq!(call(&mut One, "read", "{}"), text("1"));
}

#[test]
fn any_name() {
    let arguments = r#"{"reply":1,"request":1,"scratch":"\n","value":1,"invalid":1}"#;
    assert_eq!(call(&mut Names, "add", arguments), text("6"));
}

struct Region;

#[barewire::server]
impl Region {
    /// Reads the sensors of a region.
    #[tool]
    fn read(
        #[arg(header = "Region")] region: &str,
        #[arg(header = "Limit", default = 5)] limit: u8,
    ) -> usize {
        region.len() + usize::from(limit)
    }
}

#[test]
fn parameters_with_headers() {
    const META: &str = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#;
    let list = request(&mut Region, "tools/list", META);
    assert!(list.contains(r#""region":{"type":"string","x-mcp-header":"Region"}"#), "{list}");
    assert!(list.contains(r#""default":5,"x-mcp-header":"Limit"}"#), "{list}");
    assert_eq!(call(&mut Region, "read", r#"{"region":"eu"}"#), text("7"));
}
