//! Steps over text that the scanner has accepted.
//!
//! None of these judges anything. On accepted text each lands where its name says; on any other it stops at the end.

use super::is_white_space;
use crate::bytes::Reader;

pub(super) fn white_space(reader: &mut Reader<'_>) {
    while is_white_space(reader.peek()) {
        reader.advance(1);
    }
}

/// From an opening quote to behind the closing one.
pub(super) fn string(reader: &mut Reader<'_>) {
    reader.advance(1);
    loop {
        let rest = reader.bytes().get(reader.position()..).unwrap_or_default();
        let plain = rest
            .iter()
            .take_while(|byte| !matches!(byte, b'"' | b'\\'))
            .count();
        reader.advance(plain);
        match reader.peek() {
            b'\\' => reader.advance(2),
            b'"' => return reader.advance(1),
            // The end.
            _ => return,
        }
    }
}

/// From the first byte of a value to behind its last.
pub(super) fn value(reader: &mut Reader<'_>) {
    let mut level: u32 = 0;
    while !reader.is_at_end() {
        match reader.peek() {
            b'"' => string(reader),
            b'{' | b'[' => {
                level = level.saturating_add(1);
                reader.advance(1);
                continue;
            }
            b'}' | b']' => {
                level = level.saturating_sub(1);
                reader.advance(1);
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {
                reader.advance(1);
                continue;
            }
            _ => scalar(reader),
        }
        if level == 0 {
            return;
        }
    }
}

/// A number or a literal: everything up to the next structural byte.
fn scalar(reader: &mut Reader<'_>) {
    while !reader.is_at_end() && !matches!(reader.peek(), b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r') {
        reader.advance(1);
    }
}

/// The bytes from `start` to where the reader stands.
pub(super) fn since<'a>(reader: &Reader<'a>, start: usize) -> &'a [u8] {
    reader.bytes().get(start..reader.position()).unwrap_or_default()
}
