//! `barewire classify`: one line for each message.

mod show;

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use barewire::rpc::{Message, Rejection, Rules, classify_with};
use barewire::transport::{Limits, Ready};

use crate::lines::{Lines, Piece};
use crate::streams;
use show::Place;

/// Arguments of `classify`.
#[derive(clap::Args)]
#[command(
    after_help = "Without --whole, each line is a message; blank lines are skipped. A byte order mark at the start of an input \
    is dropped.\nExit status: 0 if every message is valid, 1 if some are not, 2 for wrong usage or if an input cannot be \
    read."
)]
pub(crate) struct Arguments {
    /// Write JSON: {"kind":"request","error_code":null,"line":1,…}
    #[arg(long)]
    json: bool,
    /// Take each file, or the whole of standard input, as one message
    #[arg(long)]
    whole: bool,
    /// Accept what deployed peers send: params that are null or [], an error without an id
    #[arg(long)]
    lenient: bool,
    /// Show the file and line number of each message, as with several files; JSON always has the line
    #[arg(short = 'n', long = "line-number")]
    numbers: bool,
    /// Files to read; standard input if there are none, or for -
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let mut report = Report {
        output: BufWriter::new(streams::output()),
        json: arguments.json,
        place: Place {
            file: None,
            line: 0,
            is_shown: arguments.numbers || arguments.files.len() > 1,
        },
        rules: if arguments.lenient {
            Rules::LENIENT
        } else {
            Rules::STRICT
        },
        all_valid: true,
    };
    match report.all(arguments) {
        Ok(()) => {}
        // A closed output says nothing about the messages.
        Err(Failure::Write(error)) if error.kind() == ErrorKind::BrokenPipe => {}
        Err(Failure::Write(error)) => return Err(format!("cannot write: {error}")),
        Err(Failure::Read(name, error)) => return Err(format!("cannot read {name}: {error}")),
    }
    Ok(ExitCode::from(u8::from(!report.all_valid)))
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

enum Failure {
    Read(String, io::Error),
    Write(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

struct Report<W: Write> {
    output: W,
    json: bool,
    /// Place of the current message.
    place: Place,
    rules: Rules,
    all_valid: bool,
}

impl<W: Write> Report<W> {
    fn all(&mut self, arguments: &Arguments) -> Result<(), Failure> {
        let stdin = [PathBuf::from("-")];
        let files = match arguments.files.as_slice() {
            [] => &stdin,
            files => files,
        };
        for file in files {
            self.place.line = 0;
            self.place.file = match (files.len(), arguments.json) {
                // JSON names no single input, and standard input has no name.
                (1, true) => None,
                (1, false) if file.as_os_str() == "-" => None,
                _ => Some(file.to_string_lossy().into_owned()),
            };
            let result = match open(file) {
                Ok(input) if arguments.whole => self.whole(input),
                Ok(input) => self.lines(input),
                Err(error) => Err(Failure::Read(String::new(), error)),
            };
            // The messages before a fault are shown.
            self.output.flush()?;
            result.map_err(|failure| match failure {
                Failure::Read(_, error) => Failure::Read(name(file), error),
                other => other,
            })?;
        }
        Ok(())
    }

    fn whole(&mut self, mut input: impl Read) -> Result<(), Failure> {
        let mut text = Vec::new();
        input.read_to_end(&mut text).map_err(read_failure)?;
        self.place.line = 1;
        // The framer does the same for lines.
        self.message(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text))
    }

    fn lines(&mut self, mut input: impl Read) -> Result<(), Failure> {
        let mut lines = Lines::new(Limits::DEFAULT.max_input);
        loop {
            let mut written = Ok(());
            let mut found = |piece: Piece<'_>| {
                if written.is_ok() {
                    written = self.piece(piece);
                }
            };
            let has_more = lines.read(&mut input, &mut found).map_err(read_failure)?;
            written?;
            if !has_more {
                return Ok(());
            }
            // The next read may wait for long, and a signal may end it.
            self.output.flush()?;
        }
    }

    fn piece(&mut self, piece: Piece<'_>) -> Result<(), Failure> {
        self.place.line += 1;
        match piece {
            Piece::Line(line) if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) => Ok(()),
            Piece::Line(line) => self.message(line),
            Piece::Long { outline, .. } => outline.map_or(Ok(()), |outline| self.write(Err(outline))),
            // No bytes are lost when a file is read.
            Piece::Unseen { .. } => Ok(()),
        }
    }

    fn message(&mut self, text: &[u8]) -> Result<(), Failure> {
        let rules = self.rules;
        self.write(classify_with(text, &rules))
    }

    fn write(&mut self, found: Result<Message<'_>, Rejection<'_>>) -> Result<(), Failure> {
        self.all_valid &= found.is_ok();
        let line = match self.json {
            true => show::json(&self.place, &found),
            false => show::plain(&self.place, &found).into_bytes(),
        };
        Ok(self.output.write_all(&line)?)
    }
}

fn open(file: &Path) -> io::Result<Box<dyn Read>> {
    if file.as_os_str() == "-" {
        Ok(Box::new(streams::input()))
    } else {
        // It may be a pipe.
        Ok(Box::new(Ready::new(File::open(file)?)))
    }
}

fn name(file: &Path) -> String {
    if file.as_os_str() == "-" {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    }
}

/// The caller adds the name of the input.
fn read_failure(error: io::Error) -> Failure {
    Failure::Read(String::new(), error)
}
