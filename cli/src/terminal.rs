//! Output that may reach a terminal.

use std::fmt::Write as _;
use std::io::Write as _;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use crate::streams;

/// Writes a formatted line to standard error, [`shown`], in one write, since a child process may write there too. Errors
/// are ignored: the work goes on whether or not anybody reads the line.
macro_rules! note {
    ($($part:tt)*) => {
        $crate::terminal::write_note(&format!($($part)*))
    };
}
pub(crate) use note;

/// Implementation of [`note!`].
pub(crate) fn write_note(line: &str) {
    let line = shown(line) + "\n";
    let _ = streams::diagnostics().write_all(line.as_bytes());
}

/// Whether to use colours on `stream`: on a terminal, unless `NO_COLOR` or `CLICOLOR=0` is set, and always with
/// `CLICOLOR_FORCE` (<https://bixense.com/clicolors/>).
pub(crate) fn has_colours(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

pub(crate) const RED: Style = AnsiColor::Red.on_default();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();

/// The text in that style, if `colours` is set.
pub(crate) fn painted(text: &str, style: Style, colours: bool) -> String {
    let style = if colours { style } else { Style::new() };
    format!("{style}{text}{style:#}")
}

/// Whether a terminal or an editor might obey the character instead of showing it: control characters (C0, DEL, C1), and
/// those that change the direction of text or end a line.
const fn is_obeyed(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{061c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// Text from outside on one line, with an escape (`\u009b`) in place of each character that a terminal might obey.
/// Everything that may reach a terminal passes through this function, or through one of those below that use it.
///
/// Text that has passed through it before is unchanged.
pub(crate) fn shown(text: &str) -> String {
    escaped(text, &[])
}

/// [`shown`] for text of several lines: newlines and tabs stay.
pub(crate) fn shown_lines(text: &str) -> String {
    escaped(text, &['\n', '\t'])
}

fn escaped(text: &str, except: &[char]) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_obeyed(character) && !except.contains(&character) {
            let _ = write!(shown, "\\u{:04x}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// [`shown`] for compact JSON, with or without its newline. Such characters occur only in strings, where the escape is
/// another spelling of the same value.
pub(crate) fn shown_json(json: Vec<u8>) -> Vec<u8> {
    if json.is_ascii() && !json.contains(&0x7f) {
        return json;
    }
    shown_lines(&String::from_utf8_lossy(&json)).into_bytes()
}

/// The first `most` characters of any bytes, with a mark where more follow. Not yet [`shown`].
pub(crate) fn beginning(bytes: &[u8], most: usize) -> String {
    // No character of UTF-8 is longer than 4 bytes.
    let text = String::from_utf8_lossy(bytes.get(..4 * most).unwrap_or(bytes));
    let mut beginning: String = text.chars().take(most).collect();
    if text.chars().nth(most).is_some() || bytes.len() > 4 * most {
        beginning.push('…');
    }
    beginning
}

/// The beginning of any bytes, [`shown`] as a part of a sentence.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    shown(&beginning(bytes, 60))
}

#[cfg(test)]
mod tests {
    use barewire::json::RawValue;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn characters_that_a_terminal_would_obey_are_escaped() {
        assert_eq!(shown("a b é 😀 \\n"), "a b é 😀 \\n");
        assert_eq!(shown_lines("a\n\tb\u{1b}[2J\r\n"), "a\n\tb\\u001b[2J\\u000d\n");
        assert_eq!(shown("\u{9b}31m\u{7f}\u{202e}x"), "\\u009b31m\\u007f\\u202ex");
        for character in "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}".chars() {
            let expected = format!("\\u{:04x}", u32::from(character));
            assert_eq!(shown(&character.to_string()), expected);
        }
        // The neighbours of these characters are text.
        for text in
            ["\u{a0}", "\u{61b}", "\u{200d}", "\u{2010}", "\u{2027}", "\u{202f}", "\u{2065}", "\u{206a}"]
        {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn excerpts_are_short_and_of_any_bytes() {
        assert_eq!(excerpt(b"bin\tboot\xff"), "bin\\u0009boot\u{fffd}");
        assert_eq!(excerpt("é".repeat(60).as_bytes()), "é".repeat(60));
        assert_eq!(excerpt("😀".repeat(61).as_bytes()), format!("{}…", "😀".repeat(60)));
        assert_eq!(excerpt(&[b'x'; 10_000]), format!("{}…", "x".repeat(60)));
    }

    /// Strings in which every second character is one that a terminal might obey.
    fn hostile() -> impl Strategy<Value = String> {
        let obeyed: Vec<char> = ('\0'..='\u{2100}').filter(|character| is_obeyed(*character)).collect();
        let character = prop_oneof![any::<char>(), proptest::sample::select(obeyed)];
        proptest::collection::vec(character, 0..40).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn shown_text_has_no_character_that_a_terminal_would_obey(text in hostile()) {
            let once = shown(&text);
            prop_assert!(!once.chars().any(is_obeyed), "{once:?}");
            prop_assert_eq!(shown(&once), once);
            let is_wrong = |character| is_obeyed(character) && !matches!(character, '\n' | '\t');
            prop_assert!(!shown_lines(&text).chars().any(is_wrong));
            prop_assert!(!excerpt(text.as_bytes()).chars().any(is_obeyed));
        }

        #[test]
        fn shown_json_has_the_same_value(texts in proptest::collection::vec(hostile(), 0..4)) {
            let sent = serde_json::Value::from(texts);
            let json = shown_json(format!("{sent}\n").into_bytes());
            let json = String::from_utf8(json).expect("UTF-8");
            prop_assert!(!json.trim_end_matches('\n').chars().any(is_obeyed), "{json:?}");
            prop_assert!(RawValue::new(json.as_bytes()).is_ok());
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&json).expect("JSON"), sent);
        }
    }
}
