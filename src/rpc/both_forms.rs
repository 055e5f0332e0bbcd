//! Tests that run the code for large and for small machines on the same lines: a 32-bit target must give the same
//! answers.

extern crate std;

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::classify::{Rules, classify_with, scan};
use super::envelope::Envelope;
use super::skip::{reply_by, response_id_by};
use super::{Message, Reason, Rejection, Reply, Skipper};
use crate::json::Scanner;

/// Inputs of the corpus, with the lines of its streams.
fn corpus() -> Vec<Vec<u8>> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/messages.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus");
    let mut inputs = Vec::new();
    for row in text.lines() {
        let row: serde_json::Value = serde_json::from_str(row).expect("a row");
        let input = match row.get("input") {
            Some(text) => text.as_str().expect("a string").as_bytes().to_vec(),
            None => {
                let digits = row["input_hex"].as_str().expect("digits");
                let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("a byte");
                (0..digits.len()).step_by(2).map(byte).collect()
            }
        };
        inputs.extend(input.split(|byte| *byte == b'\n').map(<[u8]>::to_vec));
    }
    inputs
}

/// Lines in which the search for an id meets text that is not JSON.
fn hostile() -> Vec<Vec<u8>> {
    let deep = ["[".repeat(128), "]".repeat(128)].concat();
    let values = [deep.as_str(), "{}", r#""a\u0062\"}""#, r#""s" "id""#, "[1]2", "1 2", "1{", r#"["y"]"#];
    let pieces = [
        r#""x":#"#,
        r#""id":#"#,
        r#""i\u0064":7"#,
        r#""method":#"#,
        r#""result":#"#,
        r#""result"["y"]:1"#,
        r#""y"["result"]:1"#,
        r#""y"{"method":"x"}:1"#,
        r#""id""result":1"#,
        r#""result":1}{"method":1"#,
        r#""method":1]"id":1"#,
        r#"}"#,
    ];
    let mut lines = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let other = values[(at + 1) % values.len()];
        for first in pieces {
            for second in pieces {
                let (first, second) = (first.replace('#', value), second.replace('#', other));
                for third in [r#""id":7"#, r#""method":#"#, r#""result":#"#] {
                    let third = third.replace('#', "7");
                    // The value that is too deep comes first, or last.
                    lines.push(format!(r#"{{"x":{deep},{first},{second},{third}}}"#).into_bytes());
                    lines.push(format!(r#"{{{first},{third},"x":{deep},{second}}}"#).into_bytes());
                }
            }
        }
    }
    lines
}

fn shown(judged: &Result<Message<'_>, Rejection<'_>>) -> String {
    match judged {
        Ok(message) => {
            let outcome = match message {
                Message::Response(response) => format!("{:?}", response.outcome()),
                _ => String::new(),
            };
            format!("{message:?} {:?} {:?} {:?} {outcome}", message.id(), message.method(), message.params())
        }
        Err(rejection) => format!("{rejection:?}"),
    }
}

/// The answer to a line that is too long, read in pieces of this size by either form.
fn skipped<const RUNS: bool>(line: &[u8], size: usize) -> (String, String) {
    let mut skipper = Skipper::<40>::new();
    for piece in line.chunks(size) {
        skipper.feed_by::<RUNS>(piece);
    }
    (format!("{:?}", skipper.finish()), format!("{:?}", skipper.id()))
}

fn is_the_same_in_both_forms(line: &[u8]) -> (bool, bool) {
    let text = line.escape_ascii().to_string();
    let (mut is_too_deep, mut is_silent) = (false, false);
    for max_depth in [1, 2, 128] {
        let rules = Rules::STRICT.with_max_depth(max_depth);
        let usual = classify_with(line, &rules);
        let general = scan(line, &mut Envelope::default(), &rules);
        assert_eq!(shown(&usual), shown(&general), "{text}, depth {max_depth}");
        let Err(rejection) = usual else { continue };
        if rejection.reason() != Reason::TooDeep || !line.trim_ascii_start().starts_with(b"{") {
            continue;
        }
        is_too_deep |= max_depth == 128;
        is_silent |= max_depth == 128 && rejection.reply() == Reply::Nobody;
        let mut envelope = Envelope::default();
        let mut scanner = Scanner::new(line, max_depth);
        scanner.white_space();
        let error = envelope.scan(&mut scanner).expect_err("it is too deep");
        let large = reply_by::<true>(line, &envelope, error.offset(), max_depth);
        let small = reply_by::<false>(line, &envelope, error.offset(), max_depth);
        assert_eq!((large, small), (rejection.reply(), rejection.reply()), "{text}, depth {max_depth}");
    }
    for is_json in [true, false] {
        let [large, small] = [response_id_by::<true>(line, is_json), response_id_by::<false>(line, is_json)];
        assert_eq!(large, small, "{text}");
    }
    for size in [1, 5, line.len().max(1)] {
        assert_eq!(skipped::<true>(line, size), skipped::<false>(line, size), "{text} in pieces of {size}");
    }
    (is_too_deep, is_silent)
}

#[test]
#[cfg_attr(miri, ignore = "thousands of lines; Miri runs the tests of either form on its own targets")]
fn a_corpus_and_hostile_lines_are_judged_the_same_on_large_and_small_machines() {
    let lines = [corpus(), hostile()].concat();
    assert!(lines.len() > 7_000, "{}", lines.len());
    let judged: Vec<(bool, bool)> = lines.iter().map(|line| is_the_same_in_both_forms(line)).collect();
    let count = |is: fn(&(bool, bool)) -> bool| judged.iter().filter(|line| is(line)).count();
    assert!(count(|(is_too_deep, _)| *is_too_deep) > 3_000);
    assert!(count(|(_, is_silent)| *is_silent) > 1_000);
}

/// The line in which a small machine mistook the last name for another one.
#[test]
fn a_name_inside_of_an_array_is_not_the_name_before_a_colon() {
    let line = [r#"{"x":"#, &"[".repeat(128), &"]".repeat(128), r#","result"["y"]:1}"#].concat();
    let rejection = classify_with(line.as_bytes(), &Rules::STRICT).expect_err("it is too deep");
    assert_eq!((rejection.reason(), rejection.reply()), (Reason::TooDeep, Reply::Nobody));
    is_the_same_in_both_forms(line.as_bytes());
}
