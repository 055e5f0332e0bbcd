//! `barewire classify`: one line a message.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use barewire::bytes::{Framer, Next, Sink};
use barewire::json::{JsonStr, Writer};
use barewire::rpc::{Message, Reason, Rejection, Rules, Skipper, classify_with};
use barewire::transport::Limits;

use crate::terminal::{shown, shown_json};

/// What the command takes.
#[derive(clap::Args)]
#[command(after_help = "One message a line, unless --whole; blank lines are skipped.\n\
    Exit status: 0 when every message was valid, 1 when some were not, 2 when something could not be read.")]
pub(crate) struct Arguments {
    /// Write JSON: {"kind":"request","error_code":null,…}
    #[arg(long)]
    json: bool,
    /// Take each file, or the whole of standard input, as one message
    #[arg(long)]
    whole: bool,
    /// Let pass what deployed peers send: params that are null or [], an error without an id
    #[arg(long)]
    lenient: bool,
    /// Files to read; standard input without any, or for -
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let mut report = Report {
        output: BufWriter::new(io::stdout().lock()),
        json: arguments.json,
        rules: if arguments.lenient {
            Rules::LENIENT
        } else {
            Rules::STRICT
        },
        all_valid: true,
    };
    match report.all(arguments) {
        Ok(()) => {}
        // Nobody reads on: that is no fault of the messages.
        Err(Failure::Write(error)) if error.kind() == ErrorKind::BrokenPipe => {}
        Err(Failure::Write(error)) => return Err(format!("cannot write: {error}")),
        Err(Failure::Read(name, error)) => return Err(format!("cannot read {name}: {error}")),
    }
    Ok(ExitCode::from(u8::from(!report.all_valid)))
}

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
            let result = match open(file) {
                Ok(input) if arguments.whole => self.whole(input),
                Ok(input) => self.lines(input),
                Err(error) => Err(Failure::Read(String::new(), error)),
            };
            // What was found before a fault is shown.
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
        self.message(&text)
    }

    fn lines(&mut self, mut input: impl Read) -> Result<(), Failure> {
        let mut framer = Framer::new(vec![0; Limits::DEFAULT.max_input + 1]);
        let mut skipper = Skipper::<256>::new();
        loop {
            let count = match input.read(framer.space()) {
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(read_failure(error)),
            };
            framer.commit(count);
            loop {
                match framer.next() {
                    Next::Line(line) => self.line(line)?,
                    Next::Part(part) => skipper.feed(part),
                    Next::TooLong => self.too_long(&mut skipper)?,
                    Next::Lost | Next::NeedMore => break,
                }
            }
            if count == 0 {
                break;
            }
        }
        match framer.finish() {
            Next::Line(line) => self.line(line),
            Next::TooLong => self.too_long(&mut skipper),
            _ => Ok(()),
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Failure> {
        if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            return Ok(());
        }
        self.message(line)
    }

    fn too_long(&mut self, skipper: &mut Skipper<256>) -> Result<(), Failure> {
        self.write(Err(skipper.finish()))?;
        skipper.reset();
        Ok(())
    }

    fn message(&mut self, text: &[u8]) -> Result<(), Failure> {
        let rules = self.rules;
        self.write(classify_with(text, &rules))
    }

    fn write(&mut self, found: Result<Message<'_>, Rejection<'_>>) -> Result<(), Failure> {
        self.all_valid &= found.is_ok();
        if self.json {
            let mut line = Vec::new();
            write_json(&found, &mut line);
            line.push(b'\n');
            self.output.write_all(&shown_json(line))?;
        } else {
            self.write_plain(&found)?;
        }
        Ok(())
    }

    fn write_plain(&mut self, found: &Result<Message<'_>, Rejection<'_>>) -> io::Result<()> {
        let output = &mut self.output;
        match found {
            Ok(Message::Request(request)) => {
                writeln!(
                    output,
                    "request id={} method={}",
                    shown(&request.id().to_string()),
                    method(request.method())
                )
            }
            Ok(Message::Notification(notification)) => {
                writeln!(output, "notification method={}", method(notification.method()))
            }
            Ok(Message::Response(response)) => {
                match response.id() {
                    Some(id) => write!(output, "response id={}", shown(&id.to_string()))?,
                    None => write!(output, "response id=null")?,
                }
                match response.outcome() {
                    Ok(_) => writeln!(output, " result"),
                    // Its text: a code may have any number of digits.
                    Err(error) => match error.object().get("code") {
                        Some(code) => writeln!(output, " error={code}"),
                        None => writeln!(output, " error"),
                    },
                }
            }
            Err(rejection) if is_of_the_whole(rejection.reason()) => {
                writeln!(
                    output,
                    "invalid {} {}",
                    rejection.code(),
                    rejection.reason().name()
                )
            }
            Err(rejection) => writeln!(output, "invalid {rejection}"),
        }
    }
}

/// Whether it is the message as a whole that is wrong: then its place says nothing.
fn is_of_the_whole(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Batch | Reason::NotAnObject | Reason::NotAMessage | Reason::ResultAndError
    )
}

/// A method as it stands in the message; in quotes where it would not be seen as one word.
fn method(method: JsonStr<'_>) -> String {
    let text = shown(method.as_escaped());
    match text.is_empty() || text.contains(char::is_whitespace) {
        true => format!("\"{text}\""),
        false => text,
    }
}

fn write_json(found: &Result<Message<'_>, Rejection<'_>>, line: &mut Vec<u8>) {
    let (kind, code) = match found {
        Ok(Message::Request(_)) => ("request", None),
        Ok(Message::Notification(_)) => ("notification", None),
        Ok(Message::Response(_)) => ("response", None),
        Err(rejection) => ("invalid", Some(rejection.code())),
    };
    let mut sink = Sink::growable(line, usize::MAX);
    let mut json = Writer::new(&mut sink);
    json.begin_object();
    json.name("kind").string(kind);
    json.name("error_code");
    match code {
        Some(code) => json.integer(code.0),
        None => json.null(),
    };
    match found {
        Ok(message) => {
            match (message.id(), message) {
                (Some(id), _) => id.write(json.name("id")),
                (None, Message::Response(_)) => {
                    json.name("id").null();
                }
                (None, _) => {}
            }
            if let Some(method) = message.method() {
                json.name("method").json_string(method);
            }
        }
        Err(rejection) => write_rejection(&mut json, rejection),
    }
    json.end_object();
}

fn write_rejection(json: &mut Writer<'_, '_>, rejection: &Rejection<'_>) {
    json.name("reason").string(rejection.reason().name());
    if let Reason::NotJson(kind) = rejection.reason() {
        json.name("detail").string(kind.as_str());
    }
    if let Some(offset) = rejection.offset() {
        json.name("offset").unsigned(offset as u64);
    }
}

fn open(file: &Path) -> io::Result<Box<dyn Read>> {
    if file.as_os_str() == "-" {
        Ok(Box::new(io::stdin().lock()))
    } else {
        Ok(Box::new(File::open(file)?))
    }
}

fn name(file: &Path) -> String {
    if file.as_os_str() == "-" {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    }
}

/// The name of the input is put in where it is known.
fn read_failure(error: io::Error) -> Failure {
    Failure::Read(String::new(), error)
}
