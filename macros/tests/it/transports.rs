//! The same server on a link with storage without a heap, and on standard input and output.

use std::io::Read;

use barewire::transport::{Link, Stdio};

struct Words {
    calls: u32,
}

#[barewire::server(name = "words", version = "1.0")]
impl Words {
    /// Counts the words of a text.
    #[tool(read_only)]
    fn count_words(&mut self, text: &str) -> usize {
        self.calls += 1;
        text.split_whitespace().count()
    }

    /// The number of calls so far.
    #[tool]
    fn calls(&self) -> u32 {
        self.calls
    }
}

const INPUT: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"count_words","arguments":{"text":"one\ntwo"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"calls"}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"count_words"}}"#,
    "\n",
);

const OUTPUT: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"words","version":"1.0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"result":{"tools":["#,
    r#"{"name":"count_words","description":"Counts the words of a text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false},"annotations":{"readOnlyHint":true}},"#,
    r#"{"name":"calls","description":"The number of calls so far.","inputSchema":{"type":"object","additionalProperties":false}}]}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"2"}],"isError":false}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"1"}],"isError":false}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"Invalid arguments for count_words: text: is missing"}],"isError":true}}"#,
    "\n",
);

#[test]
fn on_a_link() {
    let mut link = Link::new(Words { calls: 0 }, [0; 256], [0; 1024]);
    let mut output = Vec::new();
    for byte in INPUT.bytes() {
        *link.space().first_mut().expect("room for a byte") = byte;
        link.received(1);
        loop {
            let lines = link.output().to_vec();
            if lines.is_empty() {
                break;
            }
            link.sent(lines.len());
            output.extend(lines);
        }
    }
    assert_eq!(String::from_utf8_lossy(&output), OUTPUT);
}

#[test]
fn on_standard_input_and_output() -> std::io::Result<()> {
    let (mut answers, output) = std::io::pipe()?;
    Stdio::new().serve_on(Words { calls: 0 }, INPUT.as_bytes(), output)?;
    let mut text = String::new();
    answers.read_to_string(&mut text)?;
    assert_eq!(text, OUTPUT);
    Ok(())
}
