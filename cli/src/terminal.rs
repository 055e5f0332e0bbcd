//! What goes to people's eyes.

use std::env;
use std::fmt;
use std::io::{self, IsTerminal, Write};

/// Writes a line to standard error. Whether anybody reads it is no concern of the work that goes on.
pub(crate) fn note(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Whether what is written to `stream` is to be in colours: on a terminal, unless `NO_COLOR` says no (<https://no-color.org>).
pub(crate) fn has_colours(stream: &impl IsTerminal) -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !is_set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Colours that every terminal has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Plain,
    Dim,
    Red,
    Green,
    Yellow,
}

/// The text in that colour, if there are any.
pub(crate) fn painted(text: &str, colour: Colour, colours: bool) -> String {
    let code = match colour {
        _ if !colours => return text.to_owned(),
        Colour::Plain => return text.to_owned(),
        Colour::Dim => 2,
        Colour::Red => 31,
        Colour::Green => 32,
        Colour::Yellow => 33,
    };
    format!("\x1b[{code}m{text}\x1b[0m")
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
