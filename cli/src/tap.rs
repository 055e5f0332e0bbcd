//! `barewire tap`: between a client and a server, forwarding everything and showing what went by.
//!
//! One thread a direction does nothing but read and write; what it has read it hands to the inspection, a thread of its
//! own behind a bounded queue, for which it never waits.

mod forward;
mod handoff;
mod inspection;
mod json;
mod lines;
mod plain;
mod record;
mod report;
mod requests;
mod signals;
mod streams;
mod totals;
mod watch;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::terminal::has_colours;
use forward::{End, Pulse, forward};
use handoff::{Handoff, What, queue};
use inspection::Inspection;
use report::{Form, Report};

/// What the command takes.
#[derive(clap::Args)]
#[command(
    after_help = "Put it before the command of a server in the settings of a client. Every byte is forwarded unchanged \
    and at once; a line beyond 1 MiB is forwarded and reported by its size. When the log is slower than the stream, what \
    does not fit 4 MiB of memory is forwarded without inspection, and the log says how much that was.\n\
    Exit status: that of the server, or 128 and its number for a signal; 2 when it could not be started."
)]
pub(crate) struct Arguments {
    /// Write to this file, also what the server writes to standard error; without it, to standard error
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write JSON, one object a line
    #[arg(long)]
    json: bool,
    /// The server: its command and arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// How long the output may be silent after the end of the server, when some other process still holds it.
const SILENCE: Duration = Duration::from_millis(500);

/// Where the log is collected before it is written.
const LOG_BUFFER: usize = 1 << 16;

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let report = open_report(arguments)?;
    let mut child = start(arguments)?;
    signals::pass_on(&child).map_err(|error| format!("cannot pass signals on: {error}"))?;
    let (client, mut server, arrivals) = queue();
    let inspection = Inspection::start(arrivals, report);
    let directions =
        Directions::start(&mut child, client, &server).map_err(|error| format!("cannot forward: {error}"))?;
    let status = signals::wait(child).map_err(|error| format!("cannot wait for the server: {error}"))?;
    directions.wait();
    server.event(What::Exit(status));
    inspection.wait();
    Ok(ExitCode::from(signals::status(status)))
}

fn open_report(arguments: &Arguments) -> Result<Report, String> {
    let (file, colours) = match &arguments.log {
        Some(path) => (
            File::create(path).map_err(|error| format!("cannot write {}: {error}", path.display()))?,
            false,
        ),
        None => (
            streams::diagnostics().map_err(|error| format!("cannot write to standard error: {error}"))?,
            has_colours(&io::stderr()),
        ),
    };
    let form = if arguments.json {
        Form::Json
    } else {
        Form::Plain { colours }
    };
    let output = BufWriter::with_capacity(LOG_BUFFER, file);
    Ok(Report::new(Box::new(output), form))
}

fn start(arguments: &Arguments) -> Result<Child, String> {
    let [program, rest @ ..] = arguments.command.as_slice() else {
        return Err("no command".to_owned());
    };
    let stderr = if arguments.log.is_some() {
        Stdio::piped()
    } else {
        Stdio::inherit()
    };
    Command::new(program)
        .args(rest)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))
}

/// The threads whose end is waited for: each says when it has come to its end.
struct Directions(Vec<(Receiver<()>, Arc<Pulse>)>);

impl Directions {
    fn start(child: &mut Child, mut client: Handoff, server: &Handoff) -> io::Result<Self> {
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        };
        let mut input = streams::input()?;
        // It waits for the client, whose end is not the server's: nobody waits for it.
        thread::spawn(move || {
            let end = forward(&mut input, &mut stdin, &Pulse::default(), |bytes| {
                client.bytes(bytes)
            });
            let is_refused = matches!(end, End::Output(_));
            // Before the server can see the end, and end itself: what was last forwarded is then in the log.
            client.event(closed(end));
            // The end of the input is the end of the server's.
            drop(stdin);
            if is_refused {
                streams::close_input(input);
            }
        });
        let seen = |handoff: &mut Handoff, bytes: &[u8]| handoff.bytes(bytes);
        let at_end = |mut handoff: Handoff, end, to| {
            streams::close_output(to);
            handoff.event(closed(end));
        };
        let output = streams::output()?;
        let mut running = vec![forward_from(stdout, output, server.another(), seen, at_end)];
        if let Some(stderr) = child.stderr.take() {
            let seen = |handoff: &mut Handoff, bytes: &[u8]| handoff.diagnostics(bytes);
            let to = streams::diagnostics()?;
            running.push(forward_from(stderr, to, server.another(), seen, |_, _, _| {}));
        }
        Ok(Self(running))
    }

    /// After the end of the server: what it has written is forwarded to the last byte. Where another process that it has
    /// started holds the output open, it is waited for as long as something comes.
    fn wait(self) {
        for (end, pulse) in self.0 {
            let mut before = None;
            while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(SILENCE) {
                let now = pulse.waits_since();
                if now.is_some() && now == before {
                    break;
                }
                before = now;
            }
        }
    }
}

fn forward_from(
    mut from: impl Read + Send + 'static,
    mut to: File,
    mut handoff: Handoff,
    seen: fn(&mut Handoff, &[u8]),
    at_end: fn(Handoff, End, File),
) -> (Receiver<()>, Arc<Pulse>) {
    let pulse = Arc::new(Pulse::default());
    let (done, end) = mpsc::sync_channel(1);
    let moves = Arc::clone(&pulse);
    thread::spawn(move || {
        let how = forward(&mut from, &mut to, &moves, |bytes| seen(&mut handoff, bytes));
        // A server whose output nobody reads sees that as it would without this program.
        drop(from);
        at_end(handoff, how, to);
        // Nobody waits any more when the silence was too long.
        let _ = done.send(());
    });
    (end, pulse)
}

fn closed(end: End) -> What {
    match end {
        End::Input => What::Closed(None),
        End::Broken(error) => What::Closed(Some(error)),
        End::Output(error) => What::Refused(error),
    }
}
