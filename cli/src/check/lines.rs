//! Messages from the lines of the server. A message that is cut by newlines is put together again.

use barewire::json::RawValue;

use super::process::Line;
use super::reply::excerpt;
use super::table::Table;

/// Largest number of lines and bytes that are kept of a message that is cut by newlines.
const PIECES: usize = 1000;
const LONGEST: usize = 1 << 20;

#[derive(Default)]
pub(super) struct Lines {
    /// Whether the revision has batches.
    pub(super) has_batches: bool,
    is_first_over: bool,
    /// The first lines of a message that is not complete.
    broken: Vec<u8>,
    broken_lines: usize,
}

impl Lines {
    /// The messages that this line completes.
    pub(super) fn messages(&mut self, line: Line, table: &mut Table) -> Vec<Vec<u8>> {
        let mut bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong => {
                table.fault("17", "a line of more than 16 MiB");
                return Vec::new();
            }
            Line::Cut(bytes) => {
                table.fault("16", format!("no newline after: {}", excerpt(&bytes)));
                bytes
            }
        };
        if !std::mem::replace(&mut self.is_first_over, true)
            && let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf")
        {
            bytes = rest.to_vec();
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Vec::new();
        }
        match RawValue::new(&bytes) {
            // The line alone may be an element of a list that is printed one element per line.
            Ok(value) if self.broken_lines == 0 || is_envelope(value) => {
                self.end_broken(table);
                let Some(elements) = value.as_array() else {
                    return vec![bytes];
                };
                table.judge("17", self.has_batches, || format!("a batch: {}", excerpt(&bytes)));
                elements
                    .elements()
                    .map(|element| element.as_bytes().to_vec())
                    .collect()
            }
            _ => self.not_json(&bytes, table).into_iter().collect(),
        }
    }

    /// A line that is not JSON may be a piece of a message.
    fn not_json(&mut self, line: &[u8], table: &mut Table) -> Option<Vec<u8>> {
        if self.broken.len() + line.len() > LONGEST {
            self.end_broken(table);
            table.fault("17", excerpt(line));
            return None;
        }
        let is_raw = |byte: &u8| matches!(byte, 0..=8 | 11 | 12 | 14..=31);
        if std::str::from_utf8(line).is_err() || line.iter().any(is_raw) {
            table.fault("16", excerpt(line));
            // The answers in it count all the same.
            let repaired: String = String::from_utf8_lossy(line)
                .chars()
                .map(|character| if character.is_control() { '?' } else { character })
                .collect();
            return RawValue::new(repaired.as_bytes())
                .is_ok()
                .then(|| repaired.into_bytes());
        }
        if self.broken.is_empty() && !line.trim_ascii_start().starts_with(b"{") {
            table.fault("17", excerpt(line));
            return None;
        }
        if self.broken_lines > 0 {
            self.broken.push(b'\n');
        }
        self.broken.extend_from_slice(line);
        self.broken_lines += 1;
        if self.broken_lines > PIECES {
            self.end_broken(table);
        } else if line.trim_ascii_end().ends_with(b"}") {
            return self.join(table);
        }
        None
    }

    /// The message in the pieces so far, if they are complete.
    fn join(&mut self, table: &mut Table) -> Option<Vec<u8>> {
        // A newline between tokens, or one inside a string.
        let escaped = String::from_utf8_lossy(&self.broken)
            .replace('\n', "\\n")
            .into_bytes();
        let whole = [self.broken.clone(), escaped]
            .into_iter()
            .find(|text| RawValue::new(text).is_ok())?;
        table.fault(
            "16",
            format!("newlines inside a message: {}", excerpt(&self.broken)),
        );
        self.broken.clear();
        self.broken_lines = 0;
        Some(whole)
    }

    fn end_broken(&mut self, table: &mut Table) {
        if self.broken_lines > 0 {
            table.fault("17", excerpt(&self.broken));
            self.broken.clear();
            self.broken_lines = 0;
        }
    }
}

/// Whether it has the mark of a message.
fn is_envelope(value: RawValue<'_>) -> bool {
    value
        .as_object()
        .is_some_and(|object| object.get("jsonrpc").is_some())
}
