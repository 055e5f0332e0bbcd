//! Messages from the lines of the server. A message that is cut by newlines is put together again.

use barewire::json::RawValue;

use super::process::Line;
use super::reply::{at, excerpt};
use super::table::Table;

/// Largest number of lines and bytes that are kept of a message that is cut by newlines.
const PIECES: usize = 1000;
const LONGEST: usize = 1 << 20;

#[derive(Default)]
pub(super) struct Lines {
    /// Whether the revision has batches.
    pub(super) has_batches: bool,
    /// The first lines of a message that is not complete.
    broken: Vec<u8>,
    broken_lines: usize,
}

impl Lines {
    /// The messages that this line completes.
    pub(super) fn messages(&mut self, line: Line, table: &mut Table) -> Vec<Vec<u8>> {
        let bytes = match line {
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
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Vec::new();
        }
        match RawValue::new(&bytes) {
            // The line alone may be an element of a list that is printed one element per line.
            Ok(value) if self.broken_lines == 0 || at(value, &["jsonrpc"]).is_some() => {
                self.end_broken(table);
                let Some(elements) = value.as_array() else {
                    return vec![bytes];
                };
                table.judge("17", self.has_batches, || format!("a batch: {}", excerpt(&bytes)));
                let elements = elements.elements();
                elements.map(|element| element.as_bytes().to_vec()).collect()
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
            let repaired = String::from_utf8_lossy(line).replace(char::is_control, "?");
            let repaired = repaired.into_bytes();
            return Some(repaired).filter(|repaired| RawValue::new(repaired).is_ok());
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
        let escaped = String::from_utf8_lossy(&self.broken).replace('\n', "\\n").into_bytes();
        let mut texts = [self.broken.clone(), escaped].into_iter();
        let whole = texts.find(|text| RawValue::new(text).is_ok())?;
        let why = format!("newlines inside a message: {}", excerpt(&self.broken));
        table.fault("16", why);
        self.clear();
        Some(whole)
    }

    fn end_broken(&mut self, table: &mut Table) {
        if self.broken_lines > 0 {
            table.fault("17", excerpt(&self.broken));
            self.clear();
        }
    }

    fn clear(&mut self) {
        self.broken.clear();
        self.broken_lines = 0;
    }
}
