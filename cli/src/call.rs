//! `barewire call`: a client on the command line.

mod cursors;
mod given;
mod ids;
mod job;
mod lookup;
mod schema;
mod show;
mod strays;

use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::ops::ControlFlow;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{
    Answered, Ask, Client, Ended, Incoming, Incompatible, Options, Outcome, Plain, RequestError, Ticket,
};
use barewire::json::{JsonStr, Object};
use barewire::mcp::{
    Capabilities, Implementation, ListResult, Method, ProtocolVersion, ToolResult, Versions, check_result,
};
use barewire::transport::{Child, ChildEnd};

use crate::seconds::seconds;
use crate::signals;
use crate::streams;
use crate::terminal::{note, shown_json, shown_lines};
use cursors::Cursors;
use given::Given;
use ids::{Form, Ids};
use job::{Caller, Job, List};
use strays::Strays;

/// Arguments of `call`.
#[derive(clap::Args)]
#[command(
    after_help = "Without --list, --tool, --read or --prompt, the tools are listed. Progress and log messages go to standard \
    error.\nBefore a call, the arguments are checked against the server's list. A value that is JSON stands for itself, \
    unless the schema of the tool requires a string.\nExit status: 0 for a result, 1 if the tool has failed, 2 for an \
    error of the protocol, a result of the wrong shape, wrong usage, or a result that cannot be written, 3 without a \
    connection, 128 plus the number of a signal, which cancels the request and ends the server."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    what: What,
    /// An argument; the value is read as the type in the tool's schema
    #[arg(long = "arg", value_name = "NAME=VALUE", conflicts_with = "args")]
    arg: Vec<String>,
    /// All arguments, as a JSON object
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// Call without checking the arguments first
    #[arg(long)]
    no_check: bool,
    /// Write the result, the error, or each entry of the list as a line of JSON
    #[arg(long)]
    json: bool,
    /// Seconds to wait for the answer
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    timeout: Duration,
    /// Seconds to wait for each answer of the handshake
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    connect_timeout: Duration,
    /// Seconds to wait for the first answer before the server counts as older than 2026-07-28
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    probe_timeout: Duration,
    /// Use only this revision, e.g. 2025-06-18
    #[arg(long, value_name = "VERSION", value_parser = version)]
    protocol: Option<ProtocolVersion>,
    /// Form of the ids of requests
    #[arg(long, value_name = "FORM", default_value = "counter")]
    ids: Form,
    /// The server: a program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    server: Vec<OsString>,
}

/// The request to send.
#[derive(clap::Args)]
#[group(multiple = false)]
struct What {
    /// List the tools, resources, templates or prompts
    #[arg(long, value_name = "LIST")]
    list: Option<List>,
    /// Call this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Read this resource
    #[arg(long, value_name = "URI")]
    read: Option<String>,
    /// Get this prompt
    #[arg(long, value_name = "NAME")]
    prompt: Option<String>,
}

fn version(name: &str) -> Result<ProtocolVersion, String> {
    let known = ProtocolVersion::ALL;
    let found = known.into_iter().find(|version| version.as_str() == name);
    found.ok_or_else(|| {
        format!(
            "expected one of {}",
            known.map(ProtocolVersion::as_str).join(", ")
        )
    })
}

/// Time within which a server must end.
const GRACE: Duration = Duration::from_secs(2);

/// Time within which a server must end after a signal.
const SHORT_GRACE: Duration = Duration::from_secs(1);

/// Number of times that a server may ask for a retry.
const MOST_RETRIES: u32 = 10;

/// The outcome, from which the exit status follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Result,
    ToolError,
    ProtocolError,
    NoConnection,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        Self::from(verdict as u8)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let mut job = job(arguments)?;
    if arguments.no_check {
        job.settle(None)?;
    }
    signals::catch()?;
    let mut server = match connect(arguments) {
        Ok(server) => server,
        Err(why) => {
            if let Some(status) = signals::exit_status() {
                return Ok(status);
            }
            note(format_args!("barewire: no connection: {why}"));
            return Ok(Verdict::NoConnection.into());
        }
    };
    let verdict = match settle(&mut job, &mut server, arguments) {
        Ok(()) => Call::new(&job, arguments).run(&mut server),
        Err(why) => {
            note(format_args!("barewire: {why}"));
            Verdict::ProtocolError
        }
    };
    server.strays.close();
    if let Err(error) = close(server.child) {
        note(format_args!("barewire: the server does not end: {error}"));
    }
    Ok(signals::exit_status().unwrap_or(verdict.into()))
}

fn job(arguments: &Arguments) -> Result<Job, String> {
    let what = &arguments.what;
    let is_given = arguments.args.is_some() || !arguments.arg.is_empty();
    if is_given && what.tool.is_none() && what.prompt.is_none() {
        return Err("only tools and prompts have arguments".to_owned());
    }
    let given = Given::new(arguments.args.as_deref(), &arguments.arg)?;
    let given = job::Arguments::new(given);
    Ok(match (&what.tool, &what.prompt, &what.read) {
        (Some(name), ..) => Job::Tool {
            name: name.clone(),
            arguments: given,
        },
        (_, Some(name), _) => Job::Prompt {
            name: name.clone(),
            arguments: given,
        },
        (.., Some(uri)) => Job::Read(uri.clone()),
        (None, None, None) => Job::List(what.list.unwrap_or(List::Tools)),
    })
}

/// Refuses a request that the server does not declare or accept, before it is sent.
fn settle(job: &mut Job, server: &mut Server, arguments: &Arguments) -> Result<(), String> {
    if let Job::List(list) = job {
        return declared(*list, &server.child.client().server_capabilities());
    }
    if arguments.no_check {
        return Ok(());
    }
    let listed = job.listed();
    let entry = listed.and_then(|(list, name)| lookup::entry(server, list, name, arguments.timeout));
    job.settle(entry.as_deref())?;
    if let Some(hint) = job.hint(entry.as_deref()) {
        note(format_args!("barewire: {hint}"));
    }
    Ok(())
}

fn declared(list: List, server: &Capabilities) -> Result<(), String> {
    if list.is_declared(server) {
        return Ok(());
    }
    let others = [List::Tools, List::Resources, List::Prompts];
    let others: Vec<&str> = others
        .iter()
        .filter(|other| other.is_declared(server))
        .map(|other| other.capability())
        .collect();
    let only = match others.as_slice() {
        [] => String::new(),
        others => format!(", only `{}`", others.join("` and `")),
    };
    Err(format!(
        "the server does not declare `{}`{only}",
        list.capability()
    ))
}

type Connection = Child<Plain, (), 1, Ids>;

/// The server, and those of its lines that are not messages.
struct Server {
    child: Connection,
    strays: Strays,
}

impl Server {
    /// Waits for messages until `then` breaks. The result is `None` when the server has ended.
    fn run<R>(
        &mut self,
        mut then: impl FnMut(&mut Caller, Incoming<'_, ()>, Duration, &mut Sink<'_>) -> ControlFlow<R>,
    ) -> Option<R> {
        let strays = &mut self.strays;
        self.child
            .run_with_lines(|client, incoming, line, now, out| match incoming {
                Incoming::Rejected(rejection) => {
                    strays.add(rejection, line);
                    ControlFlow::Continue(())
                }
                other => then(client, other, now, out),
            })
    }
}

/// Starts the server and the handshake. A server that exits at the probe for its era is started again as a legacy one.
fn connect(arguments: &Arguments) -> Result<Server, String> {
    let mut server = spawn(arguments)?;
    let sent = server.child.write(|client, now, out| client.connect(now, out));
    sent.map_err(|error| error.to_string())?;
    let was_probing = server.child.client().is_probing();
    let mut shaken = handshake(&mut server);
    if shaken.is_none() && was_probing && arguments.protocol.is_none() && may_start_again(&server.child) {
        server = spawn(arguments)?;
        let sent = server
            .child
            .write(|client, now, out| client.initialize_with(ProtocolVersion::LATEST_LEGACY, now, out));
        sent.map_err(|error| error.to_string())?;
        shaken = handshake(&mut server);
    }
    let Some(shaken) = shaken else {
        return Err(without_answer(server));
    };
    server.strays.open();
    shaken.map(|()| server)
}

fn close(child: Connection) -> io::Result<ExitStatus> {
    child.close(match signals::is_caught() {
        true => SHORT_GRACE,
        false => GRACE,
    })
}

/// Whether the server itself has ended.
fn may_start_again(child: &Connection) -> bool {
    matches!(child.end(), Some(ChildEnd::Exited(_) | ChildEnd::OutputClosed))
}

/// Ends a server whose output has ended, and returns the reason why it has not answered.
fn without_answer(server: Server) -> String {
    let reason = server.strays.as_reason();
    let why = server
        .child
        .end()
        .map_or_else(|| "the server has ended".to_owned(), told);
    // The reason stays the same, however long the end of the server takes.
    let _ = close(server.child);
    format!("{why}{reason}")
}

/// Description of an end of the connection without an answer.
fn told(end: ChildEnd) -> String {
    match end {
        ChildEnd::Exited(_) | ChildEnd::OutputClosed => format!("{end} before it answered"),
        _ => end.to_string(),
    }
}

fn spawn(arguments: &Arguments) -> Result<Server, String> {
    let Some((program, rest)) = arguments.server.split_first() else {
        return Err("no program".to_owned());
    };
    let mut options = Options::DEFAULT
        .with_timeout(arguments.connect_timeout)
        .with_probe_timeout(arguments.probe_timeout);
    if let Some(version) = arguments.protocol {
        options = options.with_versions(Versions::only(version));
    }
    let info = Implementation::new("barewire", env!("CARGO_PKG_VERSION"));
    let client: Caller = Client::with(Plain(info), options, Ids::new(arguments.ids));
    let child = Child::spawn(Command::new(program).args(rest), client)
        .map_err(|error| format!("cannot start {}: {error}", program.to_string_lossy()))?;
    signals::interrupts(child.interrupter());
    Ok(Server {
        child,
        strays: Strays::default(),
    })
}

/// Runs the handshake. Returns `None` when the server has ended.
fn handshake(server: &mut Server) -> Option<Result<(), String>> {
    server.run(|_, incoming, _, _| match incoming {
        Incoming::Connected(_) => ControlFlow::Break(Ok(())),
        Incoming::Incompatible(why) => ControlFlow::Break(Err(incompatible(why))),
        // A program that repeats its input, such as `cat`.
        Incoming::Request(request, _) if is_of_the_handshake(request.method()) => ControlFlow::Break(Err(
            "it is no MCP server: it sends back what it is sent".to_owned(),
        )),
        other => {
            tell(&other);
            ControlFlow::Continue(())
        }
    })
}

/// Whether a server never sends such a request.
fn is_of_the_handshake(method: JsonStr<'_>) -> bool {
    [Method::Initialize, Method::ServerDiscover]
        .iter()
        .any(|known| method == *known.name())
}

fn incompatible(why: Incompatible<'_>) -> String {
    match why {
        Incompatible::Version(name) => format!("the server speaks {name}"),
        Incompatible::NoCommonVersion(names) => format!("no common revision: {}", names.as_value()),
        Incompatible::Refused(error) => format!("the server refuses: {} {}", error.code(), error.message()),
        Incompatible::Invalid(fault) => format!("the server's answer cannot be used: {fault}"),
        Incompatible::TimedOut => "the server does not answer".to_owned(),
        Incompatible::NoRoom => "no room for a message".to_owned(),
        _ => "the handshake has failed".to_owned(),
    }
}

/// Shows an event that is not the answer.
fn tell(incoming: &Incoming<'_, ()>) {
    let line = match incoming {
        Incoming::Progress(progress) => {
            let total = progress.total.map_or(String::new(), |total| format!("/{total}"));
            let message = progress
                .message
                .map_or(String::new(), |message| format!(" {message}"));
            format!("progress {}{total}{message}", progress.progress)
        }
        Incoming::Log(log) => {
            let logger = log.logger.map_or(String::new(), |logger| format!(" {logger}"));
            format!("log {}{logger}: {}", log.level.as_str(), log.data)
        }
        // A late answer to a request that was given up is ignored; an error without an id is shown.
        Incoming::Unmatched(response) if response.id().is_none() => match response.outcome() {
            Err(error) => format!("error without an id: {} {}", error.code(), error.message()),
            Ok(_) => return,
        },
        Incoming::Request(request, Answered::Refused(code)) => {
            format!("the server asks for {}, refused with {code}", request.method())
        }
        _ => return,
    };
    note(format_args!("{line}"));
}

/// The request, from its sending to its end.
struct Call<'a> {
    job: &'a Job,
    json: bool,
    timeout: Duration,
    retries: u32,
    /// The request that was sent last.
    in_flight: Option<Ticket>,
    cursors: Cursors,
    /// Output failed for another reason than a closed pipe.
    is_unwritten: bool,
}

impl<'a> Call<'a> {
    fn new(job: &'a Job, arguments: &Arguments) -> Self {
        Self {
            job,
            json: arguments.json,
            timeout: arguments.timeout,
            retries: 0,
            in_flight: None,
            cursors: Cursors::default(),
            is_unwritten: false,
        }
    }

    fn run(&mut self, server: &mut Server) -> Verdict {
        let ask = |now| self.ask(now);
        let sent = server
            .child
            .write(|client, now, out| self.job.send(client, ask(now), None, out));
        match sent {
            Ok(ticket) => self.in_flight = Some(ticket),
            Err(error) => return failed(&error),
        }
        let ended = server.run(|client, incoming, now, out| match incoming {
            Incoming::Ended(ended) => match misshapen(&ended, client.version()) {
                Some(why) => {
                    note(format_args!("barewire: {why}"));
                    ControlFlow::Break(Verdict::ProtocolError)
                }
                None => self.ended(ended.outcome, client, now, out),
            },
            other => {
                tell(&other);
                ControlFlow::Continue(())
            }
        });
        match ended {
            Some(_) if self.is_unwritten => Verdict::ProtocolError,
            Some(verdict) => verdict,
            None => {
                match server.child.end() {
                    Some(ChildEnd::Interrupted) => self.cancel(&mut server.child),
                    Some(end) => note(format_args!("barewire: {}", told(end))),
                    None => {}
                }
                Verdict::NoConnection
            }
        }
    }

    /// Cancels the request in flight. If there is none, or no room, nothing is sent.
    fn cancel(&self, child: &mut Connection) {
        if let Some(ticket) = self.in_flight {
            let _ = child.write(|client, _, out| client.cancel(ticket, Some("interrupted"), out));
        }
    }

    fn ask(&self, now: Duration) -> Ask<'static> {
        let ask = Ask::at(now).with_timeout(self.timeout);
        match self.job {
            Job::List(_) => ask,
            // The user knows that the server has the method, whatever it declares.
            _ => ask.even_if_not_offered().with_progress(),
        }
    }

    fn ended(
        &mut self,
        outcome: Outcome<'_>,
        client: &mut Caller,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> ControlFlow<Verdict> {
        match outcome {
            Outcome::Result(result) => return self.result(result, client, now, out),
            Outcome::ToolError(result) => {
                self.print(result.object(), || show::tool(result));
                return ControlFlow::Break(Verdict::ToolError);
            }
            Outcome::ProtocolError(error) => {
                if self.json {
                    self.write(&json_line(error.object()));
                } else {
                    let data = error.data().map_or(String::new(), |data| format!(" {data}"));
                    note(format_args!(
                        "barewire: error {} {}{data}",
                        error.code(),
                        error.message()
                    ));
                }
            }
            // The server only wants a retry.
            Outcome::InputRequired(input) if !input.has_requests() && self.retries < MOST_RETRIES => {
                self.retries += 1;
                let sent = self.job.send(client, self.ask(now).answering(input), None, out);
                return self.go_on(sent);
            }
            Outcome::InputRequired(_) => {
                note(format_args!(
                    "barewire: the server wants input that was not offered"
                ));
            }
            Outcome::Invalid(fault) => note(format_args!("barewire: the response cannot be used: {fault}")),
            Outcome::TimedOut => {
                let seconds = self.timeout.as_secs_f64();
                note(format_args!("barewire: no answer within {seconds} s"));
            }
            _ => note(format_args!("barewire: the response cannot be used")),
        }
        ControlFlow::Break(Verdict::ProtocolError)
    }

    fn result(
        &mut self,
        result: Object<'_>,
        client: &mut Caller,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> ControlFlow<Verdict> {
        match self.job {
            Job::List(list) => {
                let page = ListResult::of(result);
                for entry in page.entries(list.member()) {
                    if !self.print(entry, || show::entry(*list, entry)) {
                        // The list may have no end.
                        return ControlFlow::Break(Verdict::Result);
                    }
                }
                if let Some(cursor) = page.next_cursor() {
                    return self.next_page(cursor, client, now, out);
                }
            }
            Job::Tool { .. } => {
                self.print(result, || show::tool(ToolResult::of(result)));
            }
            Job::Read(_) => {
                self.print(result, || show::resource(result));
            }
            Job::Prompt { .. } => {
                self.print(result, || show::prompt(result));
            }
        }
        ControlFlow::Break(Verdict::Result)
    }

    fn next_page(
        &mut self,
        cursor: JsonStr<'_>,
        client: &mut Caller,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> ControlFlow<Verdict> {
        if let Err(why) = self.cursors.add(cursor) {
            note(format_args!("barewire: {why}"));
            return ControlFlow::Break(Verdict::ProtocolError);
        }
        let sent = self.job.send(client, self.ask(now), Some(cursor), out);
        self.go_on(sent)
    }

    /// Notes whether another request was sent.
    fn go_on(&mut self, sent: Result<Ticket, RequestError>) -> ControlFlow<Verdict> {
        match sent {
            Ok(ticket) => {
                self.in_flight = Some(ticket);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(failed(&error)),
        }
    }

    /// Writes the object as a line of JSON, or in its form for people. Returns false when nobody reads it.
    fn print(&mut self, object: Object<'_>, readable: impl FnOnce() -> String) -> bool {
        match self.json {
            true => self.write(&json_line(object)),
            false => self.write(&readable()),
        }
    }

    /// Writes the text, and returns whether it was written.
    fn write(&mut self, text: &str) -> bool {
        let Err(error) = print(text) else {
            return true;
        };
        // A closed output is not an error.
        if error.kind() != ErrorKind::BrokenPipe {
            note(format_args!("barewire: cannot write: {error}"));
            self.is_unwritten = true;
        }
        false
    }
}

/// The fault in the shape of a result, if any. The views of such a result would be empty, like those of an empty
/// success.
fn misshapen(ended: &Ended<'_, ()>, version: Option<ProtocolVersion>) -> Option<String> {
    let result = match ended.outcome {
        Outcome::Result(result) => result,
        Outcome::ToolError(result) => result.object(),
        _ => return None,
    };
    let method = ended.method?;
    let error = check_result(method, version?, result).err()?;
    Some(format!("the result of {} is invalid: {error}", method.name()))
}

fn failed(error: &RequestError) -> Verdict {
    note(format_args!("barewire: the request was not sent: {error}"));
    Verdict::ProtocolError
}

/// The object as a line, without white space between its tokens.
fn json_line(object: Object<'_>) -> String {
    let mut memory = Vec::new();
    let mut sink = Sink::growable(&mut memory, usize::MAX);
    barewire::json::Writer::new(&mut sink).raw(object.as_value());
    memory.push(b'\n');
    String::from_utf8_lossy(&shown_json(memory)).into_owned()
}

/// Writes to standard output. The text of a tool, a resource or a prompt is data: it goes into a pipe or a file unchanged,
/// and only a terminal gets escapes for what it would obey. Everything else has been escaped before.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = streams::output();
    let written = match io::stdout().is_terminal() {
        true => stdout.write_all(shown_lines(text).as_bytes()),
        false => stdout.write_all(text.as_bytes()),
    };
    written.and_then(|()| stdout.flush())
}
