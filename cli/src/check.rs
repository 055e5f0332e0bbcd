//! `barewire check`: the requirements of the message layer, played against a server.
//!
//! The rules are a table (`rules`), which one player (`player`) plays in both eras. Every request must be answered once
//! and in time, in any order. The tools, prompts and resources of the server are not checked: requests use names that
//! no server has, and must be refused.

mod corpus;
mod expected;
mod judge;
mod lines;
mod player;
mod process;
mod reply;
mod rules;
mod session;
mod show;
mod subscription;
mod table;
mod templates;

use std::cell::Cell;
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::time::Duration;

use barewire::demo;
use barewire::mcp::Era;

use crate::seconds::seconds;
use crate::signals;
use crate::streams;
use crate::terminal::{has_colours, note};
use player::Unsupported;
use session::Start;
use table::Table;

/// Arguments of `check`.
#[derive(clap::Args)]
#[command(
    after_help = "Starts the server several times, and kills it if it does not end. Sends messages that no client sends, but \
    calls none of the server's tools.\n\
    Exit status: 0 if every applicable requirement is met, 1 if one is not, 2 if the server cannot be started, 128 plus the \
    number of a signal, which also ends the server."
)]
pub(crate) struct Arguments {
    /// Write JSON, one object per line
    #[arg(long)]
    json: bool,
    /// Seconds that the server has for each answer; three times as many for the first one
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = timeout)]
    timeout: Duration,
    /// Show the standard error of the server
    #[arg(long)]
    stderr: bool,
    /// Skip the corpus of malformed messages
    #[arg(long)]
    quick: bool,
    /// The server: its command and arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// From a second, since servers need some time, to an hour, since there are many requests.
fn timeout(text: &str) -> Result<Duration, String> {
    let timeout = seconds(text)?;
    match (1..=3600).contains(&timeout.as_secs()) {
        true => Ok(timeout),
        false => Err("expected 1 to 3600 seconds".to_owned()),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    signals::catch()?;
    let outcome = play(arguments);
    // A check that was interrupted has no verdict.
    signals::exit_status().map_or(outcome, Ok)
}

fn play(arguments: &Arguments) -> Result<ExitCode, String> {
    let start = Start {
        command: &arguments.command,
        timeout: arguments.timeout,
        shows_stderr: arguments.stderr,
        lag: Cell::default(),
    };
    let mut table = Table::new();
    progress("the revisions with a handshake");
    let legacy = player::check(&start, &mut table, Era::Legacy);
    progress("2026-07-28");
    let modern = player::check(&start, &mut table, Era::Modern);
    if legacy.is_ok() {
        progress("other handshakes");
        player::handshakes(&start, &mut table, modern.is_ok())?;
    }
    if legacy.is_ok() && !arguments.quick {
        progress("the corpus");
        corpus::check(&start, &mut table, demo::CORPUS)?;
    }
    if signals::is_caught() {
        return Err("interrupted".to_owned());
    }
    note_eras(&mut table, legacy, modern)?;
    let colours = has_colours(&io::stdout());
    let mut output = BufWriter::new(streams::output());
    let written = match arguments.json {
        true => show::lines(table.rows(), &mut output),
        false => show::table(table.rows(), colours, &mut output),
    };
    streams::written(written.and_then(|()| output.flush()))?;
    Ok(ExitCode::from(u8::from(table.has_faults())))
}

/// Notes the eras that the server does not speak. A server need not speak both, but at least one.
fn note_eras(
    table: &mut Table,
    legacy: Result<(), Unsupported>,
    modern: Result<(), Unsupported>,
) -> Result<(), String> {
    let is_modern = modern.is_ok();
    table.set_revision("");
    for (era, outcome) in [(Era::Legacy, legacy), (Era::Modern, modern)] {
        let why = match outcome {
            Ok(()) => continue,
            Err(Unsupported::NotStarted(why)) => return Err(why),
            Err(Unsupported::Silent(why)) => {
                // A server without a handshake must refuse one. A server that requires a handshake may be silent before
                // it.
                if era == Era::Legacy && is_modern {
                    table.fault("1.1", why.as_str());
                }
                why
            }
            Err(Unsupported::Refused(why)) => why,
        };
        if era == Era::Legacy && !is_modern {
            table.fault("21", why.as_str());
        }
        table.skip(era, &why);
    }
    Ok(())
}

/// Progress, for people who wait at a terminal.
fn progress(what: &str) {
    if io::IsTerminal::is_terminal(&io::stderr()) {
        note!("checking {what}");
    }
}
