//! `barewire tap`: forwards everything between a client and a server, and shows each message.
//!
//! One thread per direction only reads and writes. It passes everything that it has read to the inspection, another
//! thread behind a bounded queue, and never waits for it.

mod conversation;
mod forgotten;
mod forward;
mod handoff;
mod inspection;
mod json;
mod judge;
mod plain;
mod record;
mod report;
mod requests;
mod signals;
mod streams;
mod totals;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use barewire::transport::{ProcessPipes, ProcessTree, Ready};

use crate::terminal::has_colours;
use crate::threads;
use forward::{End, forward};
use handoff::{Handoff, What, queue};
use inspection::Inspection;
use report::{Form, Report};

/// Arguments of `tap`.
#[derive(clap::Args)]
#[command(
    after_help = "Put `barewire tap --` before the command of a server in the settings of a client. Every byte is forwarded \
    unchanged and at once; a line longer than 1 MiB is reported only by its size. If the log is slower than the stream, \
    bytes beyond 4 MiB are forwarded without inspection, and the log reports their number.\n\
    Exit status: that of the server, or 128 plus the number of a signal; 2 if the server cannot be started."
)]
pub(crate) struct Arguments {
    /// Write the log to this file, with the server's standard error; by default to standard error
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write JSON, one object per line
    #[arg(long)]
    json: bool,
    /// The server: its command and arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Time within which the processes that the server leaves running must end.
const GRACE: Duration = Duration::from_secs(1);

/// Memory in which the log is collected before it is written.
const LOG_BUFFER: usize = 1 << 16;

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let report = open_report(arguments)?;
    let started = signals::pass_on().map_err(|error| format!("cannot pass signals on: {error}"))?;
    let (tree, pipes) = start(arguments)?;
    let tree = started.get_or_init(|| tree);
    let status = forward_all(tree, pipes, report);
    // The thread that passes signals on also uses the tree.
    tree.kill();
    status.map(|status| ExitCode::from(signals::status(status)))
}

/// Forwards and inspects until the server has exited.
fn forward_all(tree: &ProcessTree, pipes: ProcessPipes, report: Report) -> Result<ExitStatus, String> {
    let (client, mut server, arrivals) = queue();
    let cannot_forward = |error| format!("cannot forward: {error}");
    let inspection = Inspection::start(arrivals, report).map_err(cannot_forward)?;
    let directions = Directions::start(pipes, client, &server).map_err(cannot_forward)?;
    let status = tree
        .wait()
        .map_err(|error| format!("cannot wait for the server: {error}"))?;
    directions.wait();
    server.event(What::Exit(status));
    tree.end(GRACE)
        .map_err(|error| format!("cannot end the server: {error}"))?;
    inspection.wait();
    Ok(status)
}

fn open_report(arguments: &Arguments) -> Result<Report, String> {
    let (file, colours) = match &arguments.log {
        Some(path) => (
            // It may be a pipe.
            File::create(path)
                .map(Ready::new)
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?,
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
    Ok(Report::new(Box::new(output), form, arguments.log.is_some()))
}

fn start(arguments: &Arguments) -> Result<(ProcessTree, ProcessPipes), String> {
    let [program, rest @ ..] = arguments.command.as_slice() else {
        return Err("no command".to_owned());
    };
    let stderr = if arguments.log.is_some() {
        Stdio::piped()
    } else {
        Stdio::inherit()
    };
    let mut command = Command::new(program);
    command
        .args(rest)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(stderr);
    ProcessTree::spawn(&mut command).map_err(|error| format!("cannot start {}: {error}", program.display()))
}

/// Threads to wait for.
struct Directions(Vec<JoinHandle<()>>);

impl Directions {
    fn start(pipes: ProcessPipes, mut client: Handoff, server: &Handoff) -> io::Result<Self> {
        let (Some(stdin), Some(stdout)) = (pipes.stdin, pipes.stdout) else {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        };
        let mut stdin = Ready::new(stdin);
        let mut input = streams::input()?;
        // This thread reads from the client, which may outlive the server: nobody waits for it.
        threads::spawn(move || {
            let end = forward(&mut input, &mut stdin, |bytes| client.bytes(bytes));
            let is_refused = matches!(end, End::Output(_));
            // Before the server can see the end and exit, so that the last forwarded bytes are in the log.
            client.event(closed(end));
            // The end of the input closes that of the server.
            drop(stdin);
            if is_refused {
                streams::close_input(input);
            }
        })?;
        let seen = |handoff: &mut Handoff, bytes: &[u8]| handoff.bytes(bytes);
        let at_end = |mut handoff: Handoff, end, to| {
            streams::close_output(to);
            handoff.event(closed(end));
        };
        let output = streams::output()?;
        let mut running = vec![forward_from(stdout, output, server.another(), seen, at_end)?];
        if let Some(stderr) = pipes.stderr {
            let seen = |handoff: &mut Handoff, bytes: &[u8]| handoff.diagnostics(bytes);
            let to = streams::diagnostics()?;
            running.push(forward_from(stderr, to, server.another(), seen, |_, _, _| {})?);
        }
        Ok(Self(running))
    }

    /// Waits, after the exit of the server, until its whole output is forwarded.
    fn wait(self) {
        for thread in self.0 {
            // A panic has already been reported.
            let _ = thread.join();
        }
    }
}

fn forward_from(
    mut from: impl Read + Send + 'static,
    mut to: Ready<File>,
    mut handoff: Handoff,
    seen: fn(&mut Handoff, &[u8]),
    at_end: fn(Handoff, End, Ready<File>),
) -> io::Result<JoinHandle<()>> {
    threads::spawn(move || {
        let how = forward(&mut from, &mut to, |bytes| seen(&mut handoff, bytes));
        // A server whose output nobody reads sees a closed pipe, as it would without this program.
        drop(from);
        at_end(handoff, how, to);
    })
}

fn closed(end: End) -> What {
    match end {
        End::Input => What::Closed(None),
        End::Broken(error) => What::Closed(Some(error)),
        End::Output(error) => What::Refused(error),
    }
}
