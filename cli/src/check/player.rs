//! Plays the rules, in either era.

use std::time::Duration;

use barewire::json::RawValue;
use barewire::mcp::{Era as McpEra, ProtocolVersion};

use super::reply::Reply;
use super::rules::{Expected, Probe, RULES, Rule, When, any, result};
use super::session::{Era, Session, Start};
use super::table::Table;

/// Time in which a server may send something that it should not send.
const WAIT: Duration = Duration::from_millis(250);

/// Number of restarts of a server that stopped answering.
const RESTARTS: usize = 3;

/// Largest number of pages in a list.
const PAGES: usize = 100;

const VERSION: ProtocolVersion = ProtocolVersion::V2025_11_25;

/// Reason why the server does not speak an era.
pub(super) enum Unspoken {
    /// The server cannot be started.
    NotStarted(String),
    Silent(String),
    Refused(String),
}

impl From<String> for Unspoken {
    fn from(why: String) -> Self {
        Self::NotStarted(why)
    }
}

/// Plays all rules of an era.
pub(super) fn check(start: &Start<'_>, table: &mut Table, era: Era) -> Result<(), Unspoken> {
    let mut rules = RULES.iter();
    for run in 0..=RESTARTS {
        let mut session = Session::start(start, table, era)?;
        let declared = match open(&mut session, VERSION) {
            Ok(declared) => declared,
            Err(why) if run == 0 => return Err(why),
            Err(_) => break,
        };
        if run == 0 {
            judge_opening(&mut session, &declared);
        }
        if era == Era::Legacy {
            early(&mut session);
        }
        // If the server did not survive a rule, it is started again.
        let is_alive = rules.all(|rule| play(&mut session, rule, &declared));
        session.settle_debts();
        if is_alive {
            session.table.met("64");
            if era == Era::Modern {
                session.table.met("41");
            }
            session.settle(|_| false);
            let ends = session.ends();
            table.judge("92", ends, || "still running, and killed".to_owned());
            break;
        }
    }
    table.not_applicable("5", "the server asked nothing");
    table.not_applicable("9", "the server answers only requests");
    Ok(())
}

/// Sends the first request, and checks its answer.
pub(super) fn open(session: &mut Session<'_>, version: ProtocolVersion) -> Result<Reply, Unspoken> {
    let (method, line) = match session.era {
        Era::Legacy => ("initialize", initialize(version.as_str())),
        Era::Modern => ("server/discover", session.line("server/discover", "")),
    };
    let Some(answer) = session.first("1.1", method, &line) else {
        let but = session.but();
        return Err(Unspoken::Silent(format!("no answer to {method}{but}")));
    };
    if !result(&answer) {
        return Err(Unspoken::Refused(format!(
            "{method} is refused: {}",
            answer.excerpt()
        )));
    }
    if let Some(version) = answer.version() {
        session.speaks(version);
    }
    Ok(answer)
}

fn initialize(version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":$ID,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"barewire check","version":"1"}}}}}}"#
    )
}

fn judge_opening(session: &mut Session<'_>, answer: &Reply) {
    let is_string = |path: &[&str]| answer.at(path).and_then(RawValue::as_string).is_some();
    let has_capabilities = answer
        .at(&["result", "capabilities"])
        .and_then(RawValue::as_object)
        .is_some();
    if session.era == Era::Modern {
        let versions = answer
            .at(&["result", "supportedVersions"])
            .and_then(RawValue::as_array);
        let speaks_it = versions.is_some_and(|versions| {
            versions
                .elements()
                .any(|version| version.as_string().is_some_and(|version| version == "2026-07-28"))
        });
        let is_cacheable = ["ttlMs", "cacheScope"]
            .iter()
            .all(|name| answer.at(&["result", name]).is_some());
        session
            .table
            .judge("35", speaks_it && has_capabilities && is_cacheable, || {
                answer.excerpt()
            });
        return;
    }
    // A server need not support the requested version.
    let is_known = answer
        .version()
        .is_some_and(|version| version.era() == McpEra::Legacy);
    session.table.judge("21", is_known, || answer.excerpt());
    let is_complete = has_capabilities
        && is_string(&["result", "protocolVersion"])
        && is_string(&["result", "serverInfo", "name"])
        && is_string(&["result", "serverInfo", "version"]);
    session.table.judge("23", is_complete, || answer.excerpt());
    session.wait(WAIT, |_| false);
}

/// Checks the rules before the end of the handshake, and ends it.
fn early(session: &mut Session<'_>) {
    session.table.met("26");
    let key = session.ask("27", "ping", &session.line("ping", ""), result);
    session.patience(&key, "ping");
    session.initialized();
}

/// Whether the server lives.
fn play(session: &mut Session<'_>, rule: &Rule, declared: &Reply) -> bool {
    let Some(row) = rule.row(session.era) else {
        return true;
    };
    if let Some(why) = not_applicable(&rule.when, session.era, declared) {
        session.table.not_applicable(row, &why);
        return true;
    }
    match rule.probe {
        Probe::Ask(method, members, expected) => {
            let line = session.line(method, members);
            ask(session, row, method, &line, expected)
        }
        Probe::Line(method, line, expected) => ask(session, row, method, line, expected),
        Probe::Id(id) => {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"$ALIVE"$PARAMS}}"#);
            let method = session.alive();
            let key = session.owe(row, method, id, session.era == Era::Modern, result);
            session.send(line.as_bytes());
            session.patience(&key, method)
        }
        Probe::Burst(count) => burst(session, row, count),
        Probe::Pages(method, member) => {
            session.settle_debts();
            session.is_silent(method) || pages(session, row, method, member)
        }
        Probe::Odd(lines, expected) => odd(session, row, lines, expected, true),
        Probe::OddAnswer(lines, expected) => odd(session, row, lines, expected, false),
        Probe::Own(own) => {
            session.settle_debts();
            own(session)
        }
    }
}

fn not_applicable(when: &When, era: Era, declared: &Reply) -> Option<String> {
    let has = |names: &[&str]| {
        let path: Vec<&str> = ["result", "capabilities"].iter().chain(names).copied().collect();
        declared.at(&path).is_some_and(|value| !value.is_null())
    };
    let name = |names: &[&str]| names.last().copied().unwrap_or_default().to_owned();
    match *when {
        When::Always => None,
        When::Has(names) => (!has(names)).then(|| format!("no {}", name(names))),
        When::Lacks(names) if has(names) => Some("every capability is declared".to_owned()),
        // Earlier, a capability was only a hint, and some methods had none.
        When::Lacks(_)
            if era == Era::Legacy
                && declared
                    .version()
                    .is_some_and(|version| version < ProtocolVersion::V2025_06_18) =>
        {
            Some("the server speaks earlier revisions only".to_owned())
        }
        When::Lacks(_) => None,
        When::Revision(holds, why) => (!holds(declared)).then(|| why.to_owned()),
    }
}

fn ask(session: &mut Session<'_>, row: &'static str, method: &str, line: &str, expected: Expected) -> bool {
    let key = session.ask(row, method, line, expected);
    session.patience(&key, method)
}

/// Pipelines requests of two kinds, since a server may take longer for one of them.
fn burst(session: &mut Session<'_>, row: &'static str, count: usize) -> bool {
    let methods = [session.alive(), "barewire/unknown"];
    let keys: Vec<String> = (0..count)
        .map(|index| {
            let method = methods[index % 2];
            session.ask(row, method, &session.line(method, ""), any)
        })
        .collect();
    session.wait_for_all(&keys) || session.is_alive()
}

/// Reads all pages of a list.
fn pages(session: &mut Session<'_>, row: &'static str, method: &str, member: &str) -> bool {
    let mut seen: Vec<String> = Vec::new();
    let mut params = String::new();
    loop {
        let key = session.ask(row, method, &session.line(method, &params), any);
        let Some(answer) = session.wait_for(&key) else {
            return session.is_alive();
        };
        // Errors are checked elsewhere.
        let Some(result) = answer.result() else {
            return true;
        };
        let is_list = result.get(member).and_then(RawValue::as_array).is_some();
        session.table.judge(row, is_list, || {
            format!("{method} without an array {member}: {}", answer.excerpt())
        });
        let Some(cursor) = result.get("nextCursor") else {
            return true;
        };
        let cursor = cursor.as_json();
        if seen.iter().any(|seen| seen == cursor) || seen.len() >= PAGES {
            session.table.fault(
                row,
                format!("{method}: the cursor {cursor} comes again, or there are over {PAGES} pages"),
            );
            return true;
        }
        params = format!(r#""cursor":{cursor}"#);
        seen.push(cursor.to_owned());
    }
}

fn odd(
    session: &mut Session<'_>,
    row: &'static str,
    lines: &[&[u8]],
    expected: Expected,
    is_silence_met: bool,
) -> bool {
    session.settle_debts();
    session.expect_odd(row, lines, expected);
    let (is_alive, answers) = session.odd(lines);
    let wrong = answers.iter().find(|answer| !expected(answer));
    if let Some(wrong) = wrong {
        session.table.fault(row, wrong.excerpt());
    } else if !is_alive {
        let but = session.but();
        session
            .table
            .fault(row, format!("no answer to the request that followed{but}"));
    } else if is_silence_met || !answers.is_empty() {
        session.table.met(row);
    }
    is_alive
}

/// Each handshake has its own process, since a second one in a session is not specified.
pub(super) fn handshakes(start: &Start<'_>, table: &mut Table, is_modern: bool) -> Result<(), String> {
    unknown_version(start, table)?;
    batches(start, table)?;
    if is_modern {
        after_discovery(start, table)?;
    }
    table.not_applicable("85", "no server/discover");
    Ok(())
}

fn unknown_version(start: &Start<'_>, table: &mut Table) -> Result<(), String> {
    let mut session = Session::start(start, table, Era::Legacy)?;
    match session.first("22", "initialize", &initialize("1999-12-31")) {
        Some(answer) => session
            .table
            .judge("22", answer.version().is_some(), || answer.excerpt()),
        None => session
            .table
            .fault("22", "no answer to initialize with 1999-12-31"),
    }
    Ok(())
}

fn batches(start: &Start<'_>, table: &mut Table) -> Result<(), String> {
    let version = ProtocolVersion::V2025_03_26;
    let mut session = Session::start(start, table, Era::Legacy)?;
    if !open(&mut session, version).is_ok_and(|answer| answer.version() == Some(version)) {
        session
            .table
            .not_applicable("12", "the server does not speak 2025-03-26");
        return Ok(());
    }
    session.initialized();
    let [a, b] = ["930001", "930002"].map(|id| {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        (session.owe("12", "a batch", id, false, result), line)
    });
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/barewire/unknown"}"#;
    let batch = format!("[{},{notification},{}]", a.1, b.1);
    // An error for the whole batch says why it is not answered.
    let (_, refusals) = session.odd(&[batch.as_bytes()]);
    if let Some(refusal) = refusals.first() {
        session.table.fault("12", refusal.excerpt());
    }
    session.wait_for_all(&[a.0, b.0]);
    let silent = format!("[{notification},{notification}]");
    odd(&mut session, "12", &[silent.as_bytes()], |_| false, true);
    Ok(())
}

/// A client that has probed the server may still fall back.
fn after_discovery(start: &Start<'_>, table: &mut Table) -> Result<(), String> {
    let mut session = Session::start(start, table, Era::Modern)?;
    if open(&mut session, VERSION).is_err() {
        session.table.fault("85", "no second answer to server/discover");
        return Ok(());
    }
    session.era = Era::Legacy;
    match session.first("85", "initialize", &initialize(VERSION.as_str())) {
        Some(answer) => session.table.judge("85", result(&answer), || answer.excerpt()),
        None => session.table.fault("85", "no answer to initialize"),
    }
    Ok(())
}
