//! The revisions with a handshake.

use std::time::Duration;

use barewire::json::RawValue;
use barewire::mcp::{Era as McpEra, ProtocolVersion};

use super::declared::{Declared, known};
use super::judge::silence;
use super::probes::PROBES;
use super::reply::{batch, request};
use super::session::{Era, Session, Start};
use super::table::Table;

/// How long a server may take to say something that it should not say.
const WAIT: Duration = Duration::from_millis(250);

/// How often a server is started again that stopped to answer.
const RESTARTS: u32 = 3;

const VERSION: &str = "2025-11-25";

/// Plays them all. An error says why the server has no handshake.
pub(super) fn check(start: &Start<'_>, table: &mut Table) -> Result<(), String> {
    let mut probes = PROBES.iter();
    let mut runs = 0;
    while runs <= RESTARTS {
        let mut session = Session::start(start, table, Era::Legacy)?;
        let declared = match open(&mut session, VERSION) {
            Ok(declared) => declared,
            Err(why) if runs == 0 => return Err(why),
            Err(_) => break,
        };
        if runs == 0 {
            handshake(&mut session, &declared);
        }
        // After a probe that was too much for it the server is started again.
        if probes.all(|probe| probe(&mut session, &declared)) {
            let ends = session.ends();
            table.met("64");
            table.not_applicable("5", "the server asked nothing");
            table.judge("92", ends, || "still running, and killed".to_owned());
            break;
        }
        runs += 1;
    }
    unknown_version(start, table)?;
    batches(start, table)
}

fn initialize(id: &str, version: &str) -> String {
    let params = format!(
        r#"{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"barewire check","version":"1"}}}}"#
    );
    request(id, "initialize", &params)
}

/// The handshake, up to the answer.
fn begin(session: &mut Session<'_>, version: &str) -> Result<Declared, String> {
    let id = session.fresh_id();
    let exchange = session.only(&initialize(&id, version), &id);
    let Some(answer) = exchange.answer(&id).cloned() else {
        return Err(format!("no answer to initialize{}", exchange.but()));
    };
    if answer.get("result").is_none() {
        return Err(format!("initialize is refused: {}", answer.excerpt()));
    }
    Ok(Declared(answer))
}

/// The whole handshake; a ping before its end is the first thing that every server answers.
fn open(session: &mut Session<'_>, version: &str) -> Result<Declared, String> {
    let declared = begin(session, version)?;
    session.listen(WAIT);
    session.table().met("26");
    let exchange = session.exchange(&[], &[]);
    session.table().judge("27", exchange.is_alive, || {
        "no answer to ping before notifications/initialized".to_owned()
    });
    initialized(session);
    Ok(declared)
}

/// A session that is ready, for messages of any kind.
pub(super) fn opened<'a>(start: &Start<'_>, table: &'a mut Table) -> Result<Session<'a>, String> {
    let mut session = Session::start(start, table, Era::Legacy)?;
    begin(&mut session, VERSION)?;
    initialized(&mut session);
    Ok(session)
}

fn initialized(session: &mut Session<'_>) {
    session.is_initialized = true;
    session.send(&[br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_vec()]);
}

fn handshake(session: &mut Session<'_>, declared: &Declared) {
    let answer = &declared.0;
    let version = declared.version();
    session.table().judge(
        "21",
        version.as_deref() == Some(VERSION) || is_older(version.as_deref()),
        || answer.excerpt(),
    );
    let is_complete = answer.result().is_some_and(|result| {
        let info = result.get("serverInfo").and_then(RawValue::as_object);
        let has = |name: &str| {
            info.and_then(|info| info.get(name))
                .and_then(RawValue::as_string)
                .is_some()
        };
        result
            .get("protocolVersion")
            .and_then(RawValue::as_string)
            .is_some()
            && result.get("capabilities").and_then(RawValue::as_object).is_some()
            && has("name")
            && has("version")
    });
    session.table().judge("23", is_complete, || answer.excerpt());
}

/// A server need not support the version that is asked for.
fn is_older(version: Option<&str>) -> bool {
    known(version).is_some_and(|version| version.era() == McpEra::Legacy)
}

/// In a process of its own: a second handshake is not specified.
fn unknown_version(start: &Start<'_>, table: &mut Table) -> Result<(), String> {
    let mut session = Session::start(start, table, Era::Legacy)?;
    match begin(&mut session, "1999-12-31") {
        Ok(declared) => {
            let version = declared.version();
            session
                .table()
                .judge("22", known(version.as_deref()).is_some(), || declared.0.excerpt());
        }
        Err(why) => session.table().fault("22", why),
    }
    Ok(())
}

fn batches(start: &Start<'_>, table: &mut Table) -> Result<(), String> {
    let mut session = Session::start(start, table, Era::Legacy)?;
    let version = ProtocolVersion::V2025_03_26.as_str();
    let speaks =
        begin(&mut session, version).is_ok_and(|declared| declared.version().as_deref() == Some(version));
    if !speaks {
        session
            .table()
            .not_applicable("12", "the server does not speak 2025-03-26");
        return Ok(());
    }
    initialized(&mut session);
    session.has_batches = true;
    let ids = ["930001", "930002"];
    let exchange = session.exchange(&[batch(ids)], &ids);
    for id in ids {
        session
            .table()
            .judge("12", exchange.answer(id).is_some(), || exchange.told(id));
    }
    let notifications = format!(
        "[{0},{0}]",
        r#"{"jsonrpc":"2.0","method":"notifications/barewire/unknown"}"#
    );
    silence(&mut session, "12", &[&notifications]);
    Ok(())
}
