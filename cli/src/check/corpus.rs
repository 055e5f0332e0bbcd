//! The public corpus of malformed messages, with the expected answers.
//!
//! One session, with a `ping` after each message: the answer to the `ping` ends that to the message. Skipped are the
//! cases whose verdict is a choice of this crate, those that need a stream or a receiver to themselves, and those that
//! call a tool.

use std::collections::BTreeMap;
use std::time::Duration;

use barewire::json::RawValue;
use barewire::mcp::{Era, ProtocolVersion};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::player::open;
use super::reply::{Reply, excerpt};
use super::session::{Session, Start};
use super::table::{Row, Table, Verdict};

/// Number of restarts of a server that did not survive a message.
const RESTARTS: u32 = 10;

/// Time in which an answer may come after the answer to the ping.
const LONGER: Duration = Duration::from_secs(2);

/// Number of times that an answer is waited for so long without success.
const LONG_WAITS: usize = 5;

/// Number of cases that are named in a row.
const NAMED: usize = 5;

/// A line of the corpus.
#[derive(Deserialize)]
struct Entry {
    name: String,
    group: String,
    basis: String,
    input: Option<String>,
    input_hex: Option<String>,
    answer: Option<String>,
    max_line: Option<IgnoredAny>,
    serve_kind: Option<IgnoredAny>,
}

/// A message, and the expected answers.
struct Case {
    name: String,
    group: String,
    input: Vec<u8>,
    /// The code of each answer; `None` for a result.
    answers: Vec<Option<i64>>,
    /// Whether no answer can have an id. Then silence is accepted, since deployed servers are silent.
    may_be_silent: bool,
}

/// The results of a group.
#[derive(Default)]
struct Results {
    played: usize,
    failed: Vec<String>,
}

/// Plays the cases of `text`, and adds a row for each group.
pub(super) fn check(start: &Start<'_>, table: &mut Table, text: &str) -> Result<(), String> {
    let cases = cases(text)?;
    let mut groups: BTreeMap<&str, Results> = BTreeMap::new();
    // Faults that the corpus provokes are reported only in its own rows.
    let mut hidden = Table::new();
    let mut rest = cases.iter();
    let mut restarts = 0;
    let mut long_waits = LONG_WAITS;
    while restarts <= RESTARTS && rest.len() > 0 {
        let mut session = Session::start(start, &mut hidden, Era::Legacy)?;
        if open(&mut session, ProtocolVersion::V2025_11_25).is_err() {
            break;
        }
        session.initialized();
        for case in rest.by_ref() {
            let (is_alive, fault) = play(&mut session, case, &mut long_waits);
            let results = groups.entry(&case.group).or_default();
            results.played += 1;
            results.failed.extend(fault.map(|fault| format!("{}: {fault}", case.name)));
            if !is_alive {
                break;
            }
        }
        restarts += 1;
    }
    for (group, results) in groups {
        let Results { played, failed } = results;
        let text = format!("{played} messages of the corpus are answered as they should be.");
        let named = failed.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
        let fault = (!failed.is_empty()).then(|| format!("{} of {played}: {named}", failed.len()));
        add_row(table, format!("corpus {group}"), text, fault);
    }
    if rest.len() > 0 {
        let text = "The server answers after each message of the corpus.".to_owned();
        let left = rest.len();
        let fault = format!("started again {RESTARTS} times; {left} cases were not played");
        add_row(table, "corpus".to_owned(), text, Some(fault));
    }
    Ok(())
}

fn add_row(table: &mut Table, number: String, text: String, fault: Option<String>) {
    table.add(Row { number, revisions: "all", text, verdict: fault.map_or(Verdict::Met, Verdict::NotMet) });
}

/// Whether the server lives, and the fault of its answer.
fn play(session: &mut Session<'_>, case: &Case, long_waits: &mut usize) -> (bool, Option<String>) {
    let expected = &case.answers;
    let enough = match expected.len() {
        0 => usize::MAX,
        count => count,
    };
    // Only if the message is a request.
    let is_request = |code: &Option<i64>| !matches!(code, Some(-32_700 | -32_600));
    let waits_long = *long_waits > 0 && expected.iter().any(is_request);
    let longer = if waits_long { LONGER } else { Duration::ZERO };
    let (is_alive, answers) = session.send_others_until(&[&case.input], enough, longer);
    if waits_long && answers.len() < expected.len() {
        *long_waits = long_waits.saturating_sub(1);
    }
    if !is_alive {
        return (false, Some("no answer to the ping that followed".to_owned()));
    }
    let is_silence_met = answers.is_empty() && case.may_be_silent;
    if is_silence_met || answers.iter().map(Reply::code).eq(expected.iter().copied()) {
        return (true, None);
    }
    let none = || "no answer".to_owned();
    (true, Some(answers.last().map_or_else(none, Reply::excerpt)))
}

/// The cases that apply to any server.
fn cases(text: &str) -> Result<Vec<Case>, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let cases = lines.map(|line| {
        let fault = |why: String| format!("no corpus: {why}: {}", excerpt(line.as_bytes()));
        case(line).map_err(fault)
    });
    cases.filter_map(Result::transpose).collect()
}

/// The case in a line of the corpus; `None` if it does not apply to any server.
fn case(line: &str) -> Result<Option<Case>, String> {
    let value = RawValue::new(line.as_bytes()).map_err(|error| error.to_string())?;
    let entry: Entry = value.parse().map_err(|error| error.to_string())?;
    let input = match (entry.input, entry.input_hex) {
        (Some(input), None) => input.into_bytes(),
        (None, Some(digits)) => bytes_of(&digits).ok_or("not hexadecimal")?,
        _ => return Err("not one input".to_owned()),
    };
    let shown = String::from_utf8_lossy(&input);
    let skipped = ["tools/call", "initialize", "\n"];
    if entry.basis == "choice"
        || entry.max_line.is_some()
        || entry.serve_kind.is_some()
        || matches!(entry.group.as_str(), "framing" | "eras")
        || skipped.iter().any(|word| shown.contains(word))
    {
        return Ok(None);
    }
    let answer = entry.answer.unwrap_or_default();
    let code = |line: &str| Reply(line.as_bytes().to_vec()).code();
    Ok(Some(Case {
        name: entry.name,
        group: entry.group,
        answers: answer.lines().map(code).collect(),
        may_be_silent: answer.lines().all(|line| line.contains(r#""id":null"#)),
        input,
    }))
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.iter().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use barewire::demo;

    use super::*;

    #[test]
    fn cases_are_read_and_chosen() {
        let text = r#"
{"name":"a","group":"ids","input":"{\"id\":1}","kind":"invalid","code":-32600,"reason":"x","answer":"{\"error\":{\"code\":-32600}}","basis":"mcp","why":"x"}
{"name":"b","group":"utf8","input_hex":"fF00","kind":"invalid","code":-32700,"reason":"x","answer":null,"basis":"rfc3629","why":"x"}
{"name":"c","group":"ids","input":"x","kind":"invalid","code":-32600,"reason":"x","answer":null,"basis":"choice","why":"x"}
{"name":"d","group":"framing","input":"x","messages":[],"answer":null,"basis":"mcp","why":"x"}
"#;
        let cases = cases(text).expect("a corpus");
        let told: Vec<_> = cases
            .iter()
            .map(|case| (case.name.as_str(), case.input.as_slice(), case.answers.as_slice()))
            .collect();
        assert_eq!(told, [("a", &b"{\"id\":1}"[..], &[Some(-32_600)][..]), ("b", &[0xff, 0][..], &[][..])]);
    }

    #[test]
    fn the_corpus_of_the_repository_can_be_played() {
        let cases = cases(demo::CORPUS).expect("a corpus");
        assert!(cases.len() > 500, "{}", cases.len());
    }

    #[test]
    fn an_invalid_corpus_is_refused() {
        for text in
            ["x", "[]", "{}", r#"{"name":"a","group":"ids","input_hex":"f","answer":null,"basis":"mcp"}"#]
        {
            assert!(cases(text).is_err(), "{text}");
        }
    }
}
