//! What goes to people's eyes.

use std::fmt;
use std::io::{self, Write};

/// Writes a line to standard error. Whether anybody reads it is no concern of the work that goes on.
pub(crate) fn note(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Text of a peer, with an escape in the place of whatever a terminal or an editor might obey instead of show: control
/// characters, and those that change the direction of the text.
pub(crate) fn shown(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut shown, character| {
            if character.is_control()
                || matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
            {
                shown.push_str(&format!("\\u{:04x}", u32::from(character)));
            } else {
                shown.push(character);
            }
            shown
        })
}

/// [`shown`] for text of several lines.
pub(crate) fn shown_lines(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| {
            let cells: Vec<String> = line.split('\t').map(shown).collect();
            cells.join("\t")
        })
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{shown, shown_lines};

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        assert_eq!(shown("a b é 😀 \\n"), "a b é 😀 \\n");
        assert_eq!(shown_lines("a\n\tb\u{1b}[2J\r\n"), "a\n\tb\\u001b[2J\\u000d\n");
        assert_eq!(shown("\u{9b}31m\u{7f}\u{202e}x"), "\\u009b31m\\u007f\\u202ex");
    }
}
