//! `barewire classify`: one line for each message.

mod show;

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
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
    let stdin = [PathBuf::from("-")];
    let files = match arguments.files.as_slice() {
        [] => &stdin,
        files => files,
    };
    let mut report = Report {
        arguments,
        output: BufWriter::new(streams::output()),
        place: Place { file: None, line: 0, is_shown: arguments.numbers || files.len() > 1 },
        all_valid: true,
    };
    for file in files {
        let is_stdin = file.as_os_str() == "-";
        report.place.line = 0;
        // JSON does not name the only input, and standard input has no name.
        let is_named = files.len() > 1 || !(arguments.json || is_stdin);
        report.place.file = is_named.then(|| file.to_string_lossy().into_owned());
        let result = report.file(file, is_stdin);
        // The messages before a fault are shown.
        let flushed = report.output.flush().map_err(Failure::Write);
        match flushed.and(result) {
            Ok(()) => {}
            // A closed output says nothing about the messages.
            Err(Failure::Write(error)) => {
                streams::written(Err(error))?;
                break;
            }
            Err(Failure::Read(error)) if is_stdin => {
                return Err(format!("cannot read standard input: {error}"));
            }
            Err(Failure::Read(error)) => return Err(format!("cannot read {}: {error}", file.display())),
        }
    }
    Ok(ExitCode::from(u8::from(!report.all_valid)))
}

/// Number of bytes that are read at a time.
const BUFFER: usize = 1 << 16;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

enum Failure {
    Read(io::Error),
    Write(io::Error),
}

struct Report<'a, W: Write> {
    arguments: &'a Arguments,
    output: W,
    /// Place of the current message.
    place: Place,
    all_valid: bool,
}

impl<W: Write> Report<'_, W> {
    fn file(&mut self, file: &Path, is_stdin: bool) -> Result<(), Failure> {
        let mut input: Box<dyn Read> = match is_stdin {
            true => Box::new(streams::input()),
            // It may be a pipe.
            false => Box::new(Ready::new(File::open(file).map_err(Failure::Read)?)),
        };
        match self.arguments.whole {
            true => self.whole(&mut input),
            false => self.lines(&mut input),
        }
    }

    fn whole(&mut self, input: &mut impl Read) -> Result<(), Failure> {
        let mut text = Vec::new();
        input.read_to_end(&mut text).map_err(Failure::Read)?;
        self.place.line = 1;
        // The framer does the same for lines.
        self.message(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text))
    }

    fn lines(&mut self, input: &mut impl Read) -> Result<(), Failure> {
        let mut lines = Lines::new(Limits::DEFAULT.max_input);
        let mut buffer = vec![0; BUFFER];
        loop {
            let count = input.read(&mut buffer).map_err(Failure::Read)?;
            let mut written = Ok(());
            let mut found = |piece: Piece<'_>| {
                if written.is_ok() {
                    written = self.piece(&piece);
                }
            };
            match count {
                0 => lines.finish(&mut found),
                _ => lines.feed(&buffer[..count], &mut found),
            }
            written?;
            if count == 0 {
                return Ok(());
            }
            // The next read may wait for long, and a signal may end it.
            self.output.flush().map_err(Failure::Write)?;
        }
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<(), Failure> {
        self.place.line += 1;
        match piece {
            Piece::Line(line) if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) => Ok(()),
            Piece::Line(line) => self.message(line),
            Piece::Long { outline, .. } => outline.map_or(Ok(()), |outline| self.write(&Err(outline))),
            // No bytes are lost when a file is read.
            Piece::Unseen { .. } => Ok(()),
        }
    }

    fn message(&mut self, text: &[u8]) -> Result<(), Failure> {
        let rules = match self.arguments.lenient {
            true => Rules::LENIENT,
            false => Rules::STRICT,
        };
        self.write(&classify_with(text, &rules))
    }

    fn write(&mut self, found: &Result<Message<'_>, Rejection<'_>>) -> Result<(), Failure> {
        self.all_valid &= found.is_ok();
        let line = match self.arguments.json {
            true => show::json(&self.place, found),
            false => show::plain(&self.place, found).into_bytes(),
        };
        self.output.write_all(&line).map_err(Failure::Write)
    }
}
