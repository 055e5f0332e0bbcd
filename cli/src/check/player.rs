//! Plays the rules, in either era.

use std::time::Duration;

use barewire::json::{Array, RawValue};
use barewire::mcp::{Era, ProtocolVersion};

use super::expected::Expected;
use super::reply::Reply;
use super::rules::{Probe, RULES, Rule, When};
use super::session::{Session, Start};
use super::table::Table;
use super::templates;
use crate::cursors::Cursors;

/// Time in which a server may send something that it should not send.
const WAIT: Duration = Duration::from_millis(250);

/// Number of restarts of a server that stopped answering.
const RESTARTS: usize = 3;

/// Largest number of pages in a list.
const PAGES: usize = 100;

const VERSION: ProtocolVersion = ProtocolVersion::V2025_11_25;

/// Reason why the server does not speak an era.
pub(super) enum Unsupported {
    /// The server cannot be started.
    NotStarted(String),
    Silent(String),
    Refused(String),
}

/// Plays all rules of an era.
pub(super) fn check(start: &Start<'_>, table: &mut Table, era: Era) -> Result<(), Unsupported> {
    let mut rules = RULES.iter();
    for run in 0..=RESTARTS {
        let mut session = Session::start(start, table, era).map_err(Unsupported::NotStarted)?;
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
        session.wait_for_pending();
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
pub(super) fn open(session: &mut Session<'_>, version: ProtocolVersion) -> Result<Reply, Unsupported> {
    let (method, line) = match session.era {
        Era::Legacy => ("initialize", templates::initialize(version.as_str())),
        Era::Modern => ("server/discover", templates::request(Era::Modern, "server/discover", "")),
    };
    let Some(answer) = session.first("1.1", method, &line) else {
        let why = format!("no answer to {method}{}", session.exit);
        return Err(Unsupported::Silent(why));
    };
    if !Expected::Result.allows(&answer) {
        let why = format!("{method} is refused: {}", answer.excerpt());
        return Err(Unsupported::Refused(why));
    }
    if let Some(version) = answer.version() {
        session.set_version(version);
    }
    Ok(answer)
}

fn judge_opening(session: &mut Session<'_>, answer: &Reply) {
    let capabilities = answer.at(&["result", "capabilities"]);
    let has_capabilities = capabilities.and_then(RawValue::as_object).is_some();
    if session.era == Era::Modern {
        let versions = answer.at(&["result", "supportedVersions"]);
        let mut versions = versions.and_then(RawValue::as_array).unwrap_or(Array::EMPTY).elements();
        let speaks_it = versions.any(|version| version.as_string().is_some_and(|name| name == "2026-07-28"));
        let has = |name| answer.at(&["result", name]).is_some();
        let is_complete = speaks_it && has_capabilities && has("ttlMs") && has("cacheScope");
        session.table.judge_reply("35", is_complete, answer);
        return;
    }
    // A server need not support the requested version.
    let is_known = answer.version().is_some_and(|version| version.era() == Era::Legacy);
    session.table.judge_reply("21", is_known, answer);
    let is_complete = has_capabilities
        && answer.has_string(&["result", "protocolVersion"])
        && answer.has_string(&["result", "serverInfo", "name"])
        && answer.has_string(&["result", "serverInfo", "version"]);
    session.table.judge_reply("23", is_complete, answer);
    session.wait(WAIT, |_| false);
}

/// Checks the rules before the end of the handshake, and ends it.
fn early(session: &mut Session<'_>) {
    session.table.met("26");
    request(session, "27", "ping", &templates::request(Era::Legacy, "ping", ""), Expected::Result);
    session.initialized();
}

/// Plays a rule. Returns whether the server lives.
fn play(session: &mut Session<'_>, rule: &Rule, declared: &Reply) -> bool {
    let Some(row) = rule.row(session.era) else {
        return true;
    };
    if let Some(why) = not_applicable(&rule.when, session.era, declared) {
        session.table.not_applicable(row, &why);
        return true;
    }
    match rule.probe {
        Probe::Request(method, members, expected) => {
            request(session, row, method, &templates::request(session.era, method, members), expected)
        }
        Probe::Template(name, template, expected) => request(session, row, name, template, expected),
        Probe::Id(id) => {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"$ALIVE"$PARAMS}}"#);
            let method = templates::alive(session.era);
            let key = session.expect_answer(row, method, id, Expected::Result);
            session.send(line.as_bytes());
            session.wait_briefly(&key, method)
        }
        Probe::Burst(count) => burst(session, row, count),
        Probe::Pages(method, member) => {
            session.wait_for_pending();
            session.is_silent(method) || pages(session, row, method, member)
        }
        Probe::Others(lines, expected) => others(session, row, lines, expected, true),
        Probe::OthersAnswered(lines, expected) => others(session, row, lines, expected, false),
        Probe::Custom(play) => {
            session.wait_for_pending();
            play(session)
        }
    }
}

fn not_applicable(when: &When, era: Era, declared: &Reply) -> Option<String> {
    let has = |names: &[&str]| {
        let path = [&["result", "capabilities"], names].concat();
        declared.at(&path).is_some_and(|value| !value.is_null())
    };
    // In earlier revisions a capability was only a hint, and some methods had none.
    let is_early = |version| version < ProtocolVersion::V2025_06_18;
    match *when {
        When::Has(names) if !has(names) => Some(format!("no {}", names.last()?)),
        When::Lacks(names) if has(names) => Some("every capability is declared".to_owned()),
        When::Lacks(_) if era == Era::Legacy && declared.version().is_some_and(is_early) => {
            Some("the server speaks earlier revisions only".to_owned())
        }
        When::Revision(holds, why) if !holds(declared) => Some(why.to_owned()),
        _ => None,
    }
}

/// Sends a request and waits briefly for the answer. Returns whether the server lives.
fn request(
    session: &mut Session<'_>,
    row: &'static str,
    method: &str,
    line: &str,
    expected: Expected,
) -> bool {
    let key = session.request(row, method, line, expected);
    session.wait_briefly(&key, method)
}

/// Pipelines requests of two kinds, since a server may take longer for one of them.
fn burst(session: &mut Session<'_>, row: &'static str, count: usize) -> bool {
    let methods = [templates::alive(session.era), "barewire/unknown"];
    let methods = methods.iter().cycle().take(count);
    let keys: Vec<String> = methods
        .map(|method| {
            session.request(row, method, &templates::request(session.era, method, ""), Expected::Any)
        })
        .collect();
    session.wait_for_all(&keys) || session.is_alive()
}

/// Reads all pages of a list.
fn pages(session: &mut Session<'_>, row: &'static str, method: &str, member: &str) -> bool {
    let mut cursors = Cursors::new(PAGES);
    let mut params = String::new();
    loop {
        let key =
            session.request(row, method, &templates::request(session.era, method, &params), Expected::Any);
        let Some(answer) = session.wait_for(&key) else {
            return session.is_alive();
        };
        // Errors are checked elsewhere.
        let Some(result) = answer.result() else {
            return true;
        };
        let is_list = result.get(member).and_then(RawValue::as_array).is_some();
        session
            .table
            .judge(row, is_list, || format!("{method} without an array {member}: {}", answer.excerpt()));
        let Some(cursor) = result.get("nextCursor") else {
            return true;
        };
        let cursor = cursor.as_json();
        if cursors.add(cursor).is_err() {
            let why = format!("{method}: the cursor {cursor} comes again, or there are over {PAGES} pages");
            session.table.fault(row, why);
            return true;
        }
        params = format!(r#""cursor":{cursor}"#);
    }
}

/// Sends lines that are not requests. Returns whether the server lives.
fn others(
    session: &mut Session<'_>,
    row: &'static str,
    lines: &[&[u8]],
    expected: Expected,
    is_silence_met: bool,
) -> bool {
    session.wait_for_pending();
    session.expect_at_most(row, lines, expected);
    let (is_alive, answers) = session.send_others(lines);
    if let Some(wrong) = answers.iter().find(|answer| !expected.allows(answer)) {
        session.table.fault(row, wrong.excerpt());
    } else if !is_alive {
        let why = format!("no answer to the request that followed{}", session.exit);
        session.table.fault(row, why);
    } else if is_silence_met || !answers.is_empty() {
        session.table.met(row);
    }
    is_alive
}

/// Checks other handshakes. Each has its own process, since a second one in a session is not specified.
pub(super) fn handshakes(start: &Start<'_>, table: &mut Table, is_modern: bool) -> Result<(), String> {
    let mut session = Session::start(start, table, Era::Legacy)?;
    let expected = Expected::KnownVersion;
    handshake(&mut session, "22", "1999-12-31", " with 1999-12-31", expected);
    drop(session);
    batches(start, table)?;
    if is_modern {
        after_discovery(start, table)?;
    }
    table.not_applicable("85", "no server/discover");
    Ok(())
}

fn handshake(session: &mut Session<'_>, row: &'static str, version: &str, with: &str, expected: Expected) {
    match session.first(row, "initialize", &templates::initialize(version)) {
        Some(answer) => session.table.judge_reply(row, expected.allows(&answer), &answer),
        None => session.table.fault(row, format!("no answer to initialize{with}")),
    }
}

fn batches(start: &Start<'_>, table: &mut Table) -> Result<(), String> {
    let version = ProtocolVersion::V2025_03_26;
    let mut session = Session::start(start, table, Era::Legacy)?;
    if !open(&mut session, version).is_ok_and(|answer| answer.version() == Some(version)) {
        let why = "the server does not speak 2025-03-26";
        session.table.not_applicable("12", why);
        return Ok(());
    }
    session.initialized();
    let keys = ["930001", "930002"].map(|id| session.expect_answer("12", "a batch", id, Expected::Result));
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/barewire/unknown"}"#;
    let batch = format!(
        r#"[{{"jsonrpc":"2.0","id":930001,"method":"ping"}},{notification},{{"jsonrpc":"2.0","id":930002,"method":"ping"}}]"#
    );
    // An error for the whole batch says why it is not answered.
    let (_, refusals) = session.send_others(&[batch.as_bytes()]);
    if let Some(refusal) = refusals.first() {
        session.table.fault("12", refusal.excerpt());
    }
    session.wait_for_all(&keys);
    let silent = format!("[{notification},{notification}]");
    others(&mut session, "12", &[silent.as_bytes()], Expected::Nothing, true);
    Ok(())
}

/// Checks `initialize` after `server/discover`: a client that has probed the server may still fall back.
fn after_discovery(start: &Start<'_>, table: &mut Table) -> Result<(), String> {
    let mut session = Session::start(start, table, Era::Modern)?;
    if open(&mut session, VERSION).is_err() {
        session.table.fault("85", "no second answer to server/discover");
        return Ok(());
    }
    session.era = Era::Legacy;
    handshake(&mut session, "85", VERSION.as_str(), "", Expected::Result);
    Ok(())
}
