//! `barewire tap`: forwards everything between a client and a server, and shows each message.
//!
//! Each direction has a thread that only reads and writes. It passes everything that it has read to the inspection, a
//! separate thread, through a bounded queue, and never waits for it.

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
mod state;
mod streams;
mod totals;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use barewire::transport::{ProcessPipes, ProcessTree, Ready};

use crate::start::start;
use crate::terminal::has_colours;
use crate::threads;
use forward::{End, forward};
use handoff::{Content, Handoff, queue};
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

/// Starts the server, then forwards and inspects until it has exited.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let report = open_report(arguments)?;
    let started = signals::pass_on().map_err(|error| format!("cannot pass signals on: {error}"))?;
    let (tree, pipes) = start(&arguments.command, |command| {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        if arguments.log.is_some() {
            command.stderr(Stdio::piped());
        }
        ProcessTree::spawn(command)
    })?;
    let tree = started.get_or_init(|| tree);
    let status = forward_all(tree, pipes, report);
    // The thread that passes signals on also uses the tree.
    tree.kill();
    status.map(|status| ExitCode::from(signals::status(status)))
}

/// Forwards and inspects until the server has exited.
fn forward_all(tree: &ProcessTree, pipes: ProcessPipes, report: Report) -> Result<ExitStatus, String> {
    let (client, server, arrivals) = queue();
    let cannot_forward = |error| format!("cannot forward: {error}");
    let inspection = Inspection::start(arrivals, report).map_err(cannot_forward)?;
    let directions = start_directions(pipes, client, &server).map_err(cannot_forward)?;
    let status = tree.wait().map_err(|error| format!("cannot wait for the server: {error}"))?;
    // Waits until the whole output of the server is forwarded.
    for direction in directions {
        // A panic has already been reported.
        let _ = direction.join();
    }
    server.event(Content::Exit(status));
    tree.end(GRACE).map_err(|error| format!("cannot end the server: {error}"))?;
    inspection.wait();
    Ok(status)
}

fn open_report(arguments: &Arguments) -> Result<Report, String> {
    let (file, colours) = match &arguments.log {
        Some(path) => {
            let cannot_write = |error| format!("cannot write {}: {error}", path.display());
            // It may be a pipe.
            (Ready::new(File::create(path).map_err(cannot_write)?), false)
        }
        None => {
            let cannot_write = |error| format!("cannot write to standard error: {error}");
            let stderr = streams::own(&io::stderr()).map_err(cannot_write)?;
            (stderr, has_colours(&io::stderr()))
        }
    };
    let form = match arguments.json {
        true => Form::Json,
        false => Form::Plain { colours },
    };
    let output = BufWriter::with_capacity(LOG_BUFFER, file);
    Ok(Report::new(Box::new(output), form, arguments.log.is_some()))
}

/// Starts a thread for each direction, and returns those of the server's output.
fn start_directions(
    pipes: ProcessPipes,
    client: Handoff,
    server: &Handoff,
) -> io::Result<Vec<JoinHandle<()>>> {
    let (Some(stdin), Some(stdout)) = (pipes.stdin, pipes.stdout) else {
        return Err(io::Error::from(io::ErrorKind::BrokenPipe));
    };
    let mut stdin = Ready::new(stdin);
    let mut input = streams::own(&io::stdin())?;
    // This thread reads from the client, which may outlive the server, so it is not waited for.
    threads::spawn(move || {
        let end = forward(&mut input, &mut stdin, |bytes| client.bytes(bytes, Content::Bytes));
        let is_refused = matches!(end, End::Output(_));
        // Before the server can see the end and exit, so that the last forwarded bytes are in the log.
        client.event(closed(end));
        // The end of the input closes that of the server.
        drop(stdin);
        if is_refused {
            streams::close_input(input);
        }
    })?;
    let handoff = server.another();
    let mut output = streams::own(&io::stdout())?;
    let mut started = vec![threads::spawn(move || {
        let end = forward(stdout, &mut output, |bytes| handoff.bytes(bytes, Content::Bytes));
        streams::close_output(output);
        handoff.event(closed(end));
    })?];
    if let Some(stderr) = pipes.stderr {
        let handoff = server.another();
        let mut to = streams::own(&io::stderr())?;
        started.push(threads::spawn(move || {
            forward(stderr, &mut to, |bytes| handoff.bytes(bytes, Content::Diagnostics));
        })?);
    }
    Ok(started)
}

fn closed(end: End) -> Content {
    match end {
        End::Input => Content::Closed(None),
        End::Broken(error) => Content::Closed(Some(error)),
        End::Output(error) => Content::Refused(error),
    }
}
