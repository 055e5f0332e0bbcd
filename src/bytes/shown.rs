//! Bytes for people.

use core::fmt::{self, Write};

/// Bytes as a `Debug` shows them: as text, in which what is no UTF-8 is `\xff` and what does not print is `\u{7f}`; of a
/// long text only the beginning, and how long it is.
pub(crate) struct Shown<'a>(pub(crate) &'a [u8]);

impl Shown<'_> {
    /// So many bytes at most.
    const MOST: usize = 256;

    fn beginning(&self) -> &[u8] {
        // No character is cut: at most three bytes go on with the one before them.
        let goes_on = |at: &usize| self.0.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80);
        let end = (Self::MOST.saturating_sub(3)..=Self::MOST).rev().find(goes_on);
        self.0.get(..end.unwrap_or(Self::MOST)).unwrap_or(self.0)
    }
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let beginning = self.beginning();
        for chunk in beginning.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    // Not escaped: messages are full of them.
                    '"' | '\'' | '\\' => f.write_char(character)?,
                    _ => write!(f, "{}", character.escape_debug())?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        match self.0.len() > beginning.len() {
            true => write!(f, "… ({} bytes)", self.0.len()),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::Shown;
    use std::format;

    fn shown(bytes: &[u8]) -> std::string::String {
        format!("{:?}", Shown(bytes))
    }

    #[test]
    fn text_is_text_and_the_rest_is_escaped() {
        assert_eq!(shown(b""), "");
        assert_eq!(shown(r#"{"a":"é'\n"}"#.as_bytes()), r#"{"a":"é'\n"}"#);
        assert_eq!(shown(b"a\xff\x00\x1b[2J\xe2\x82"), "a\\xff\\0\\u{1b}[2J\\xe2\\x82");
        assert_eq!(shown("\u{202e}".as_bytes()), "\\u{202e}");
    }

    #[test]
    fn of_a_long_text_the_beginning_is_shown_without_cutting_a_character() {
        for length in 250..=256 {
            assert_eq!(shown("a".repeat(length).as_bytes()), "a".repeat(length));
        }
        assert_eq!(shown("a".repeat(257).as_bytes()), format!("{}… (257 bytes)", "a".repeat(256)));
        for before in 252..=256 {
            let text = format!("{}\u{1F600}b", "a".repeat(before));
            let whole = if before == 252 { "\u{1F600}" } else { "" };
            assert_eq!(
                shown(text.as_bytes()),
                format!("{}{whole}… ({} bytes)", "a".repeat(before), text.len())
            );
        }
        assert!(shown(&[0x80; 300]).ends_with("\\x80… (300 bytes)"));
    }
}
