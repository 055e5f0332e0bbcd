//! The public corpus of malformed messages, with the expected answers.
//!
//! One session, with a `ping` after each message: the answer to the `ping` ends that to the message. Skipped are the
//! cases whose verdict is a choice of this crate, those that need a stream or a receiver to themselves, and those that
//! call a tool.

use std::collections::BTreeMap;
use std::time::Duration;

use barewire::json::{Object, RawValue};
use barewire::mcp::ProtocolVersion;

use super::player::open;
use super::reply::{Reply, decoded, excerpt};
use super::session::{Era, Session, Start};
use super::table::{Row, Table, Verdict};

/// Number of restarts of a server that did not survive a message.
const RESTARTS: u32 = 10;

/// Time in which an answer may come after that to the ping, and how often it is waited for in vain.
const LONGER: Duration = Duration::from_secs(2);
const IN_VAIN: usize = 5;

/// Number of cases that are named in a row.
const NAMED: usize = 5;

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
struct Found {
    played: usize,
    failed: Vec<String>,
}

/// Plays the cases of `text`, and adds a row for each group.
pub(super) fn check(start: &Start<'_>, table: &mut Table, text: &str) -> Result<(), String> {
    let cases = cases(text)?;
    let mut groups: BTreeMap<String, Found> = BTreeMap::new();
    // Faults that the corpus provokes are reported only in its own rows.
    let mut aside = Table::new();
    let mut rest = cases.iter();
    let mut restarts = 0;
    let mut hope = IN_VAIN;
    while restarts <= RESTARTS && rest.len() > 0 {
        let mut session = Session::start(start, &mut aside, Era::Legacy)?;
        if open(&mut session, ProtocolVersion::V2025_11_25).is_err() {
            break;
        }
        session.initialized();
        for case in rest.by_ref() {
            let (is_alive, fault) = play(&mut session, case, &mut hope);
            let found = groups.entry(case.group.clone()).or_default();
            found.played += 1;
            if let Some(fault) = fault {
                found.failed.push(format!("{}: {fault}", case.name));
            }
            if !is_alive {
                break;
            }
        }
        restarts += 1;
    }
    let given_up = rest.len();
    for (group, found) in groups {
        table.add(row(&group, &found));
    }
    if given_up > 0 {
        table.add(Row {
            number: "corpus".to_owned(),
            revisions: "all",
            words: "The server answers after each message of the corpus.".to_owned(),
            verdict: Verdict::NotMet(format!(
                "started again {RESTARTS} times; {given_up} cases were not played"
            )),
        });
    }
    Ok(())
}

fn row(group: &str, found: &Found) -> Row {
    let verdict = if found.failed.is_empty() {
        Verdict::Met
    } else {
        let named = found
            .failed
            .iter()
            .take(NAMED)
            .cloned()
            .collect::<Vec<_>>()
            .join("; ");
        Verdict::NotMet(format!("{} of {}: {named}", found.failed.len(), found.played))
    };
    Row {
        number: format!("corpus {group}"),
        revisions: "all",
        words: format!(
            "{} messages of the corpus are answered as they should be.",
            found.played
        ),
        verdict,
    }
}

/// Whether the server lives, and the fault of its answer.
fn play(session: &mut Session<'_>, case: &Case, hope: &mut usize) -> (bool, Option<String>) {
    let enough = match case.answers.len() {
        0 => usize::MAX,
        count => count,
    };
    // Only if the message is a request.
    let is_request = |code: &Option<i64>| !matches!(code, Some(-32_700 | -32_600));
    let is_hopeful = *hope > 0 && case.answers.iter().any(is_request);
    let longer = if is_hopeful { LONGER } else { Duration::ZERO };
    let (is_alive, answers) = session.odd_until(&[&case.input], enough, longer);
    if is_hopeful && answers.len() < case.answers.len() {
        *hope = hope.saturating_sub(1);
    }
    if !is_alive {
        return (false, Some("no answer to the ping that followed".to_owned()));
    }
    let mut answers: Vec<(Option<i64>, &Reply)> = answers.iter().map(|reply| (reply.code(), reply)).collect();
    let expected = &case.answers;
    let is_as_expected = answers.len() == expected.len()
        && answers
            .iter()
            .zip(expected)
            .all(|((found, _), code)| found == code);
    if is_as_expected || (answers.is_empty() && case.may_be_silent) {
        return (true, None);
    }
    let told = match answers.pop() {
        Some((_, reply)) => reply.excerpt(),
        None => "no answer".to_owned(),
    };
    (true, Some(told))
}

/// The cases that apply to any server.
fn cases(text: &str) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let read = |why: &str| format!("no corpus: {why}: {}", excerpt(line.as_bytes()));
        let value = RawValue::new(line.as_bytes()).map_err(|error| read(&error.to_string()))?;
        let case = value.as_object().ok_or_else(|| read("no object"))?;
        if let Some(case) = case_of(case).ok_or_else(|| read("a field is missing"))? {
            cases.push(case);
        }
    }
    Ok(cases)
}

/// `None` for a broken case, `Some(None)` for one that is skipped.
#[allow(clippy::option_option, reason = "two ways of nothing")]
fn case_of(case: Object<'_>) -> Option<Option<Case>> {
    let group = text(case, "group")?;
    let basis = text(case, "basis")?;
    let input = match (case.get("input"), text(case, "input_hex")) {
        (Some(input), None) => decoded(input.as_string()?)?.into_bytes(),
        (None, Some(digits)) => bytes_of(&digits)?,
        _ => return None,
    };
    let is_own = basis == "choice" || case.get("max_line").is_some() || case.get("serve_kind").is_some();
    let shown = String::from_utf8_lossy(&input);
    let is_elsewhere = matches!(group.as_str(), "framing" | "eras")
        || ["tools/call", "initialize", "\n"]
            .iter()
            .any(|word| shown.contains(word));
    if is_own || is_elsewhere {
        return Some(None);
    }
    let answer = case.get("answer")?;
    let answer = match answer.as_string() {
        Some(answer) => decoded(answer)?,
        None => String::new(),
    };
    Some(Some(Case {
        name: text(case, "name")?,
        group,
        input,
        answers: answer.lines().map(code).collect(),
        may_be_silent: answer.lines().all(|line| line.contains(r#""id":null"#)),
    }))
}

fn code(line: &str) -> Option<i64> {
    let error = RawValue::new(line.as_bytes()).ok()?.as_object()?.get("error")?;
    error.as_object()?.get("code")?.as_number()?.to_i64().ok()
}

fn text(case: Object<'_>, name: &str) -> Option<String> {
    case.get(name)?.as_string().and_then(decoded)
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    let byte = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(text, 16).ok()
    };
    digits
        .len()
        .is_multiple_of(2)
        .then(|| digits.chunks(2).map(byte).collect())
        .flatten()
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
        assert_eq!(
            told,
            [
                ("a", &b"{\"id\":1}"[..], &[Some(-32_600)][..]),
                ("b", &[0xff, 0][..], &[][..])
            ]
        );
    }

    #[test]
    fn the_corpus_of_the_repository_can_be_played() {
        let cases = cases(demo::CORPUS).expect("a corpus");
        assert!(cases.len() > 500, "{}", cases.len());
    }

    #[test]
    fn what_is_no_corpus_is_refused() {
        for text in [
            "x",
            "[]",
            "{}",
            r#"{"name":"a","group":"ids","input_hex":"f","answer":null,"basis":"mcp"}"#,
        ] {
            assert!(cases(text).is_err(), "{text}");
        }
    }
}
