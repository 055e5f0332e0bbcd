//! `barewire call`: a client on the command line.

mod arguments;
mod given;
mod ids;
mod invalid_lines;
mod job;
mod list;
mod lookup;
mod schema;
mod server;
mod show;

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{ClientOutcome, Ended, RequestOptions};
use barewire::json::Object;
use barewire::mcp::{Capabilities, ListResult, ProtocolVersion, ToolResult, check_result};

use crate::cursors::Cursors;
use crate::signals;
use crate::streams;
use crate::terminal::{note, shown_json, shown_lines};
pub(crate) use arguments::Arguments;
use ids::Caller;
use job::Job;
use list::List;
use server::{NoAnswer, Server, Step};

/// Number of retries that a server may request.
const MOST_RETRIES: u32 = 10;

/// Largest number of pages of a list after the first.
const MOST_PAGES: usize = 1000;

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
    let mut job = Job::new(arguments)?;
    if let (Job::Named(named), true) = (&mut job, arguments.no_check) {
        named.prepare(None)?;
    }
    signals::catch()?;
    let mut server = match Server::connect(arguments) {
        Ok(server) => server,
        Err(why) => {
            if let Some(status) = signals::exit_status() {
                return Ok(status);
            }
            note!("barewire: no connection: {why}");
            return Ok(Verdict::NoConnection.into());
        }
    };
    let verdict = match prepare(&mut job, &mut server, arguments) {
        Ok(()) => {
            let mut call = Call {
                job: &job,
                arguments,
                retries: 0,
                cursors: Cursors::new(MOST_PAGES),
                is_unwritten: false,
            };
            call.run(&mut server)
        }
        Err(why) => {
            note!("barewire: {why}");
            Verdict::ProtocolError
        }
    };
    server.close();
    Ok(signals::exit_status().unwrap_or(verdict.into()))
}

/// Refuses a request that the server does not declare or accept, before it is sent.
fn prepare(job: &mut Job, server: &mut Server, arguments: &Arguments) -> Result<(), String> {
    match job {
        Job::List(list) => declared(*list, &server.capabilities())?,
        Job::Named(named) if !arguments.no_check => {
            let entry = lookup::entry(server, named.list, &named.name, arguments.timeout);
            named.prepare(entry.as_deref())?;
            if let Some(hint) = named.hint(entry.as_deref()) {
                note!("barewire: {hint}");
            }
        }
        Job::Read(_) | Job::Named(_) => {}
    }
    Ok(())
}

fn declared(list: List, server: &Capabilities) -> Result<(), String> {
    if list.is_declared(server) {
        return Ok(());
    }
    let mut others = vec![List::Tools, List::Resources, List::Prompts];
    others.retain(|other| other.is_declared(server));
    let others: Vec<&str> = others.iter().map(|other| other.capability()).collect();
    let only = match others.as_slice() {
        [] => String::new(),
        others => format!(", only `{}`", others.join("` and `")),
    };
    let name = list.capability();
    Err(format!("the server does not declare `{name}`{only}"))
}

/// The request, from its sending to its end.
struct Call<'a> {
    job: &'a Job,
    arguments: &'a Arguments,
    retries: u32,
    cursors: Cursors,
    /// Whether output failed for another reason than a closed pipe.
    is_unwritten: bool,
}

impl Call<'_> {
    fn run(&mut self, server: &mut Server) -> Verdict {
        let (job, ask) = (self.job, self.ask());
        let verdict = server.request(
            |client, now, out| job.send(client, ask(now), None, out),
            |ended, client, now, out| match wrong_shape(&ended, client.version()) {
                Some(why) => {
                    note!("barewire: {why}");
                    Ok(ControlFlow::Break(Verdict::ProtocolError))
                }
                None => self.ended(ended.outcome, client, now, out),
            },
        );
        match verdict {
            Ok(_) if self.is_unwritten => Verdict::ProtocolError,
            Ok(verdict) => verdict,
            Err(NoAnswer::NotSent(error)) => {
                note!("barewire: the request was not sent: {error}");
                Verdict::ProtocolError
            }
            Err(NoAnswer::ServerEnded(why)) => {
                if let Some(why) = why {
                    note!("barewire: {why}");
                }
                Verdict::NoConnection
            }
        }
    }

    fn ask(&self) -> impl Fn(Duration) -> RequestOptions<'static> + use<> {
        let timeout = self.arguments.timeout;
        let is_list = matches!(self.job, Job::List(_));
        move |now| match RequestOptions::at(now).with_timeout(timeout) {
            ask if is_list => ask,
            // The user knows that the server has the method, whatever it declares.
            ask => ask.even_if_not_offered().with_progress(),
        }
    }

    fn ended(
        &mut self,
        outcome: ClientOutcome<'_>,
        client: &mut Caller<'_>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Step<Verdict> {
        match outcome {
            ClientOutcome::Result(result) => return self.result(result, client, now, out),
            ClientOutcome::ToolError(result) => {
                self.print(result.object(), || show::tool(result));
                return Ok(ControlFlow::Break(Verdict::ToolError));
            }
            ClientOutcome::ProtocolError(error) if self.arguments.json => {
                self.write(&json_line(error.object()));
            }
            ClientOutcome::ProtocolError(error) => {
                let data = error.data().map_or(String::new(), |data| format!(" {data}"));
                note!("barewire: error {} {}{data}", error.code(), error.message());
            }
            // The server only wants a retry.
            ClientOutcome::InputRequired(input) if !input.has_requests() && self.retries < MOST_RETRIES => {
                self.retries += 1;
                let ask = self.ask()(now).answering(input);
                return Ok(ControlFlow::Continue(self.job.send(client, ask, None, out)?));
            }
            ClientOutcome::InputRequired(_) => note!("barewire: the server wants input that was not offered"),
            ClientOutcome::Invalid(fault) => note!("barewire: the response cannot be used: {fault}"),
            ClientOutcome::TimedOut => {
                note!("barewire: no answer within {} s", self.arguments.timeout.as_secs_f64())
            }
            _ => note!("barewire: the response cannot be used"),
        }
        Ok(ControlFlow::Break(Verdict::ProtocolError))
    }

    fn result(
        &mut self,
        result: Object<'_>,
        client: &mut Caller<'_>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Step<Verdict> {
        match self.job {
            Job::List(list) => {
                let page = ListResult::of(result);
                // If the output is closed, the rest of the list is not requested: it may have no end.
                let is_written =
                    page.entries(list.member()).all(|entry| self.print(entry, || show::entry(*list, entry)));
                if let Some(cursor) = page.next_cursor().filter(|_| is_written) {
                    if let Err(why) = self.cursors.add(cursor.as_escaped()) {
                        note!("barewire: {why}");
                        return Ok(ControlFlow::Break(Verdict::ProtocolError));
                    }
                    let sent = self.job.send(client, self.ask()(now), Some(cursor), out)?;
                    return Ok(ControlFlow::Continue(sent));
                }
                true
            }
            Job::Read(_) => self.print(result, || show::resource(result)),
            Job::Named(named) if named.list == List::Prompts => self.print(result, || show::prompt(result)),
            Job::Named(_) => self.print(result, || show::tool(ToolResult::of(result))),
        };
        Ok(ControlFlow::Break(Verdict::Result))
    }

    /// Writes the object as a line of JSON, or in its form for people. Returns false if it was not written.
    fn print(&mut self, object: Object<'_>, readable: impl FnOnce() -> String) -> bool {
        match self.arguments.json {
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
            note!("barewire: cannot write: {error}");
            self.is_unwritten = true;
        }
        false
    }
}

/// The fault in the shape of a result, if any. The views of such a result would be empty, like those of an empty
/// success.
fn wrong_shape(ended: &Ended<'_, ()>, version: Option<ProtocolVersion>) -> Option<String> {
    let result = match ended.outcome {
        ClientOutcome::Result(result) => result,
        ClientOutcome::ToolError(result) => result.object(),
        _ => return None,
    };
    let method = ended.method?;
    let error = check_result(method, version?, result).err()?;
    Some(format!("the result of {} is invalid: {error}", method.name()))
}

/// The object as a line, without white space between its tokens.
fn json_line(object: Object<'_>) -> String {
    let mut line = Vec::new();
    let mut sink = Sink::growable(&mut line, usize::MAX);
    barewire::json::Writer::new(&mut sink).raw(object.as_value());
    line.push(b'\n');
    String::from_utf8_lossy(&shown_json(line)).into_owned()
}

/// Writes to standard output. The text of a tool, a resource or a prompt is data: it goes into a pipe or a file unchanged,
/// and only a terminal gets escapes for characters that it would obey. Everything else has been escaped before.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = streams::output();
    match io::stdout().is_terminal() {
        true => stdout.write_all(shown_lines(text).as_bytes())?,
        false => stdout.write_all(text.as_bytes())?,
    }
    stdout.flush()
}
