//! Objects and arrays by vectors: x86-64 with AVX2, found while the program runs (feature `std`).
//!
//! It accepts a value or it does not. Where it does not, the scalar scanner judges, and says what is wrong and where; so
//! nothing here knows an error, and what is accepted is tested against that scanner.
//!
//! # What is scanned once, what is looked at twice
//!
//! A text goes through in blocks of 64 bytes, each of them once. Of a block one word is made for each kind of byte that
//! matters, a bit for each byte: quotes, backslashes, control characters, brackets, commas, colons, white space. From there
//! on everything is arithmetic on words, and costs the same whatever the text is:
//!
//! - a running parity of the quotes that no backslash escapes tells what is inside a string;
//! - an addition ripples through runs: from a token over white space to the next one, from the quote that opens a key to
//!   the one that closes it, through the digits of a number. So "what may stand behind what" is a few `and`s for all
//!   tokens of a block at once, and so is the number grammar (`number`);
//! - what a block leaves open is one bit of carry a question.
//!
//! Only three things are taken one by one: brackets (a stack of bits says in what each comma and colon stands), literals,
//! and the bytes behind the last whole block, which are read as the end of a block that overlaps the one before. A block
//! that is all inside a string needs no more than that nothing in it ends the string.
//!
//! Twice looked at are: UTF-8, by a pass of its own over the whole text, if a byte of 0x80 or above was seen; the members of
//! an error object; a text that is not valid, by the scalar scanner.
//!
//! # What was tried
//!
//! - Short strings, names of the envelope and integers by words of 8 bytes (`quick`): faster than a block below 64 bytes.
//! - The compiler takes vector code apart where it can: a load of `[u8; 32]` became 32 insertions (hence words), an `or` of
//!   two masks behind a branch became work on single bits (hence a sum). Half of the time was in each.
//! - Short objects of strings and integers by the same words, before any block: 0.7 of the time for a short `params`.
//! - The digits of a number by words in the scalar scanner: 1.4 times as long, since most runs of digits are short.
//! - Run-time dispatch of code that the compiler vectorises by itself makes no use of the instruction that turns a vector
//!   into a mask; the tokens of `pulp` give that instruction without `unsafe` on this side.

mod blocks;
mod lanes;
mod number;

/// Whether so many bytes are left that a block of them is faster than one byte after the other.
#[inline(always)]
pub(super) fn is_worth_it(text: &[u8], at: usize) -> bool {
    text.len().saturating_sub(at) >= 64
}

/// Behind the object or array that starts at `at`, if it is valid and at most `room` levels deep. `None` where the
/// processor cannot do it.
#[inline(always)]
#[allow(clippy::option_option, reason = "not able; not valid; the end")]
pub(super) fn container(text: &[u8], at: usize, room: u8, high: &mut bool) -> Option<Option<usize>> {
    let v3 = lanes::Avx2::try_new()?;
    Some(v3.vectorize(Wide { v3, text, at, room, high }))
}

/// The work under AVX2: what is inlined into it is compiled for it.
struct Wide<'a, 'h> {
    v3: lanes::Avx2,
    text: &'a [u8],
    at: usize,
    room: u8,
    high: &'h mut bool,
}

impl pulp::NullaryFnOnce for Wide<'_, '_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn call(self) -> Option<usize> {
        blocks::container(self.v3, self.text, self.at, self.room, self.high)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::super::Scanner;
    use super::*;
    use crate::bytes::Reader;
    use std::string::String;
    use std::vec;
    use std::vec::Vec;

    /// Behind the value at `at`, by vectors and byte by byte; the latter where there are no vectors.
    fn ends(text: &[u8], at: usize, room: u8) -> [Option<usize>; 2] {
        let mut scanner = Scanner::over(Reader::at(text, at), room);
        let scalar = scanner.value(0).ok().map(|()| scanner.position());
        let mut high = false;
        let fast = container(text, at, room, &mut high).unwrap_or(scalar);
        if let Some(end) = fast
            && !text[at..end].is_ascii()
        {
            assert!(high);
        }
        [fast, scalar]
    }

    /// What is left to the scalar scanner is judged as well, so that only this test and a clock see the difference.
    #[test]
    fn a_whole_block_is_worth_it() {
        for (length, at, worth) in [
            (0, 0, false),
            (63, 0, false),
            (64, 0, true),
            (64, 1, false),
            (100, 36, true),
            (100, 37, false),
            (100, 101, false),
        ] {
            assert_eq!(is_worth_it(&vec![b' '; length], at), worth, "{at} of {length}");
        }
    }

    /// Not only what is accepted: what is valid must not be left to the slower scanner.
    #[test]
    fn accepts_what_the_scalar_scanner_accepts_and_nothing_else() {
        const BYTES: &[u8] = b"{}[]\":,0-.1e\\u t\x01";
        let space = [b' '; 80];
        for (before, behind) in
            [(&b"["[..], &b"]"[..]), (b"{\"a\":", b"}"), (b"{", b":1}"), (b"{\"", b"\":[]}")]
        {
            let mut places = [0usize; 4];
            loop {
                let inside = places.map(|place| BYTES[place]);
                let text = [before, &inside, behind, &space].concat();
                let [fast, scalar] = ends(&text, 0, 127);
                assert_eq!(fast, scalar, "{}", text.escape_ascii());
                let Some(next) = places.iter().rposition(|place| place + 1 < BYTES.len()) else {
                    break;
                };
                places[next] += 1;
                places[next + 1..].fill(0);
            }
        }
    }

    #[test]
    fn every_edge_of_a_block_is_crossed_in_every_place() {
        let value = r#"{"k\"\\":[true , false,null,-0.5e+10,1E-2,0,[],{}, "\u00e9\n日本\ud83d\ude00" ],"b" : {"c":[[1],{"d":""}]}}"#;
        for before in 0..=130 {
            for behind in [0, 1, 63, 64, 65] {
                let text: String =
                    " ".repeat(before) + "[" + &" ".repeat(before) + value + "]" + &" ".repeat(behind);
                if is_worth_it(text.as_bytes(), before) {
                    let end = text.len() - behind;
                    assert_eq!(ends(text.as_bytes(), before, 127), [Some(end); 2], "{before}, {behind}");
                }
                // Cut off, or with one byte changed, it is judged alike.
                for at in before + 1..text.len() - behind {
                    let mut damaged = text.clone().into_bytes();
                    damaged[at] = b"\"\\x,]"[(at + before) % 5];
                    let [fast, scalar] = ends(&damaged, before, 127);
                    assert!(damaged.len() < 64 || fast == scalar, "{}", damaged.escape_ascii());
                }
            }
        }
    }

    /// Wherever in blocks that are all inside of it; and blocks of nothing but one kind that are not.
    #[test]
    fn one_odd_thing_in_a_long_string_is_judged_as_by_the_scalar_scanner() {
        let odd: [&[u8]; 23] = [
            b"\x01",
            b"\\\x01",
            b"\"",
            b"\xC3\xA9",
            br"\",
            br"\n",
            br"\x",
            br"\\",
            br#"\""#,
            br#"\\""#,
            br#"" "]"#,
            br#"\"" "]"#,
            br"\u00e9",
            br"\ug0e9",
            br"\u0ge9",
            br"\u00g9",
            br"\u00eg",
            br#"\u""""#,
            br#"\u0"""#,
            br#"\u00""#,
            br#"\u000""#,
            br"\u\\\\",
            b"\\u\x01\x01\x01\x01",
        ];
        let mut texts: Vec<Vec<u8>> = Vec::new();
        // What is a digit and an escape too, so that the next block takes it for what this one has left open.
        let plain = |count: usize| b"b".repeat(count);
        for odd in odd {
            for place in 0..=130 {
                texts.push([b"[\"", &plain(place)[..], odd, &plain(200 - place), b"\"]"].concat());
                // In the bytes behind the last whole block.
                texts.push([b"[\"", &plain(place + 60)[..], odd, &plain(5), b"\"]"].concat());
                // And what ends the string at the start of the next block.
                texts.push([b"[\"", &plain(place)[..], odd, &plain(63), b"\" \"]"].concat());
            }
        }
        for byte in 0..=u8::MAX {
            for (opening, closing) in
                [("[", "]"), ("[", "1,\"\"]"), ("[\"", "\"]"), ("[1", "]"), ("[1,", "1]")]
            {
                let inside = if opening.ends_with('"') { b'b' } else { b' ' };
                let before = [opening.as_bytes(), &vec![inside; 64 - opening.len()]].concat();
                texts.push([&before[..], &[byte; 64], closing.as_bytes()].concat());
                texts.push([&before[..], &[byte], closing.as_bytes()].concat());
            }
        }
        for mut text in texts {
            let [fast, scalar] = ends(&text, 0, 127);
            assert_eq!(fast, scalar, "{}", text.escape_ascii());
            text.extend([b' '; 80]);
            assert_eq!(ends(&text, 0, 127), [scalar; 2], "{}", text.escape_ascii());
        }
    }

    /// With nothing behind it that would make the next block look at numbers.
    #[test]
    fn what_ends_at_the_edge_of_a_block_is_judged_in_the_next() {
        let values = [
            "-",
            "0",
            "00",
            "-0",
            "1",
            "12",
            "1.",
            "1.5",
            "1e",
            "1e5",
            "1e+",
            "1e+5",
            "1e-9",
            "1.5E",
            ".5",
            "+1",
            "1e5.",
            "1.2.3",
            "1e5e5",
            "--1",
            "-.5",
            "1..5",
            "1.e5",
            "1.-5",
            "1ee5",
            "1e.5",
            "1e+.5",
            "1-5",
            "1+5",
            "x",
            "true",
            "tru",
            "truee",
            "null",
            "nul",
            "false",
            "fals",
            r#""\u00e9""#,
            r#""\u00e""#,
            r#""\""#,
            r#""\\""#,
            r#""\x""#,
            r#"{"a":1}"#,
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"[{"a":[{}]},[1]]"#,
            r#"[{"a":[1}]]"#,
            r#"{"a":[{"b":1},2],"c":3}"#,
            r#"{"a":[1],2}"#,
            r#"{"a":[[1],{}],2}"#,
            r#"[{"a":1},"b":2]"#,
            r#"[[{}],"a":1]"#,
            r#"{"a":{"b":[]},"c":[{}],"d":1}"#,
            "{,}",
            "[1,]",
            r#""a":1"#,
        ];
        for value in values {
            for before in 0..=70 {
                // In the bytes behind the last whole block too.
                for (before, behind) in [(before, 140), (before + 64, 0)] {
                    let text = String::from("[") + &" ".repeat(before) + value + "]" + &" ".repeat(behind);
                    let [fast, scalar] = ends(text.as_bytes(), 0, 127);
                    assert_eq!(fast, scalar, "{value} behind {before}");
                }
            }
        }
    }

    /// A block lies between them in which nothing is looked at but the end of the first.
    #[test]
    fn a_scalar_at_the_edge_of_a_block_says_nothing_of_the_next_one() {
        let first = ["true", "null", "false", "0", "12", "-1", "1.5", "1e5", "1e-5", "tru", "1.", "1e", "-"];
        let second = ["1", "0", "5", "01", "-", ".5", "e5", "+5", "true", "x", "\"\"", "\\", "1,"];
        for first in first {
            for second in second {
                for over in 0..=first.len() {
                    let before = " ".repeat(63 - first.len() + over);
                    let between = " ".repeat(63 - over);
                    let text = std::format!("[{before}{first},{between}{second}]{}", " ".repeat(80));
                    let [fast, scalar] = ends(text.as_bytes(), 0, 127);
                    assert_eq!(fast, scalar, "{text}");
                }
            }
        }
    }

    #[test]
    fn no_more_than_room_is_opened() {
        for levels in [1usize, 2, 63, 64, 65, 126, 127, 128] {
            let text: Vec<u8> = [b"[".repeat(levels), b"]".repeat(levels), b" ".repeat(80)].concat();
            for room in [0u8, 1, 2, 64, 127] {
                let expected = (levels <= usize::from(room)).then_some(2 * levels);
                assert_eq!(ends(&text, 0, room), [expected; 2], "{levels} in {room}");
            }
        }
    }
}
