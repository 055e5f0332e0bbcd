//! A file of messages, one a line, as a table: what each is, and what it is about.
//!
//! ```sh
//! cargo run -q --example classify                    # the messages beside this file
//! cargo run -q --example classify -- messages.jsonl  # others
//! ```

use std::fs;
use std::io::{self, Write};

use barewire::{Message, classify};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/messages.jsonl");

fn main() -> io::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| SAMPLE.to_owned());
    let text = fs::read(file)?;
    let mut output = io::stdout().lock();
    writeln!(output, "{:>4}  {:<12}  {:<20}  about", "line", "kind", "id")?;
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if !line.trim_ascii().is_empty() {
            let (kind, id, about) = describe(line);
            writeln!(output, "{:>4}  {kind:<12}  {id:<20}  {about}", index + 1)?;
        }
    }
    Ok(())
}

/// Texts are shown as they stand in the message, so that no control character of theirs reaches the terminal.
fn describe(line: &[u8]) -> (&'static str, String, String) {
    let message = match classify(line) {
        Ok(message) => message,
        Err(rejection) => return ("invalid", "-".to_owned(), rejection.to_string()),
    };
    let id = message.id().map_or("-".to_owned(), |id| id.to_string());
    match message {
        Message::Request(request) => {
            let method = request.method().as_escaped();
            let about = match request.target() {
                Some(target) => format!("{method} {}", target.as_escaped()),
                None => method.to_owned(),
            };
            ("request", id, about)
        }
        Message::Notification(notification) => {
            ("notification", id, notification.method().as_escaped().to_owned())
        }
        Message::Response(response) => match response.outcome() {
            Ok(result) => ("response", id, format!("result of {} bytes", result.as_bytes().len())),
            Err(error) => {
                let about = format!("error {} {}", error.code(), error.message().as_escaped());
                ("response", id, about)
            }
        },
    }
}
