//! The server of `barewire call`: its start, the handshake, requests, and its end.

use std::ops::ControlFlow;
use std::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{
    Answered, ClientEngine, ClientOptions, Ended, Incoming, Incompatible, Plain, RequestError, Ticket,
};
use barewire::json::JsonStr;
use barewire::mcp::{Capabilities, Implementation, Method, ProtocolVersion, Versions};
use barewire::transport::{Child, ChildEnd};

use super::arguments::Arguments;
use super::ids::{Caller, Ids, Storage};
use super::invalid_lines::InvalidLines;
use crate::signals;
use crate::start::start;
use crate::terminal::note;

/// Time within which a server must end.
const GRACE: Duration = Duration::from_secs(2);

/// Time within which a server must end after a signal.
const SHORT_GRACE: Duration = Duration::from_secs(1);

/// The server, and those of its lines that are not messages.
pub(super) struct Server {
    child: Child<Storage, Plain>,
    invalid_lines: InvalidLines,
}

/// Step after an answer: a value, or another request that was sent.
pub(super) type Step<R> = Result<ControlFlow<R, Ticket>, RequestError>;

/// Reason why a request has no answer.
pub(super) enum NoAnswer {
    NotSent(RequestError),
    /// The server has ended, or a signal ends this program; then there is no reason.
    ServerEnded(Option<String>),
}

impl Server {
    /// Starts the server and does the handshake. A server that exits when it is probed for its era is started again as a
    /// legacy one.
    pub(super) fn connect(arguments: &Arguments) -> Result<Self, String> {
        let mut server = Self::start(arguments)?;
        let sent = server.child.write(|client, now, out| client.connect(now, out));
        sent.map_err(|error| error.to_string())?;
        let was_probing = server.child.client().is_probing();
        let mut connected = server.handshake();
        let has_ended = matches!(server.child.end(), Some(ChildEnd::Exited(_) | ChildEnd::OutputClosed));
        if connected.is_none() && has_ended && was_probing && arguments.protocol.is_none() {
            server = Self::start(arguments)?;
            let version = ProtocolVersion::LATEST_LEGACY;
            let sent = server.child.write(|client, now, out| client.initialize_with(version, now, out));
            sent.map_err(|error| error.to_string())?;
            connected = server.handshake();
        }
        let Some(connected) = connected else {
            return Err(server.without_answer());
        };
        server.invalid_lines.open();
        connected.map(|()| server)
    }

    fn start(arguments: &Arguments) -> Result<Self, String> {
        let mut options = ClientOptions::DEFAULT
            .with_timeout(arguments.connect_timeout)
            .with_probe_timeout(arguments.probe_timeout);
        if let Some(version) = arguments.protocol {
            options = options.with_versions(Versions::only(version));
        }
        let info = Implementation::new("barewire", env!("CARGO_PKG_VERSION"));
        let engine = ClientEngine::with(Storage::new(), options, Ids::new(arguments.ids));
        let child = start(&arguments.server, |command| Child::spawn(command, engine, Plain(info)))?;
        signals::interrupts(child.interrupter());
        Ok(Self { child, invalid_lines: InvalidLines::default() })
    }

    /// Runs the handshake. Returns `None` when the server has ended.
    fn handshake(&mut self) -> Option<Result<(), String>> {
        self.run(|_, incoming, _, _| match incoming {
            Incoming::Connected(_) => ControlFlow::Break(Ok(())),
            Incoming::Incompatible(why) => ControlFlow::Break(Err(incompatible(why))),
            // A program that repeats its input, such as `cat`.
            Incoming::Request(request, _) if is_of_the_handshake(request.method()) => {
                let why = "this is not an MCP server: it echoes its input";
                ControlFlow::Break(Err(why.to_owned()))
            }
            other => {
                show(&other);
                ControlFlow::Continue(())
            }
        })
    }

    pub(super) fn capabilities(&self) -> Capabilities {
        self.child.client().server_capabilities()
    }

    /// Sends a request and waits for its end. `then` takes the answer, and may send another request. The request in
    /// flight is cancelled if a signal ends this program.
    pub(super) fn request<R>(
        &mut self,
        send: impl FnOnce(&mut Caller<'_>, Duration, &mut Sink<'_>) -> Result<Ticket, RequestError>,
        mut then: impl FnMut(Ended<'_, ()>, &mut Caller<'_>, Duration, &mut Sink<'_>) -> Step<R>,
    ) -> Result<R, NoAnswer> {
        let mut ticket = self.child.write(send).map_err(NoAnswer::NotSent)?;
        let result = self.run(|client, incoming, now, out| match incoming {
            Incoming::Ended(ended) => match then(ended, client, now, out) {
                Ok(ControlFlow::Continue(next)) => {
                    ticket = next;
                    ControlFlow::Continue(())
                }
                Ok(ControlFlow::Break(value)) => ControlFlow::Break(Ok(value)),
                Err(error) => ControlFlow::Break(Err(NoAnswer::NotSent(error))),
            },
            other => {
                show(&other);
                ControlFlow::Continue(())
            }
        });
        result.unwrap_or_else(|| {
            if let Some(ChildEnd::Interrupted) = self.child.end() {
                // Without room, nothing is sent.
                let _ = self.child.write(|client, _, out| client.cancel(ticket, Some("interrupted"), out));
                return Err(NoAnswer::ServerEnded(None));
            }
            Err(NoAnswer::ServerEnded(self.end_without_answer()))
        })
    }

    /// Waits for messages until `then` breaks. Returns `None` when the server has ended.
    fn run<R>(
        &mut self,
        mut then: impl FnMut(&mut Caller<'_>, Incoming<'_, ()>, Duration, &mut Sink<'_>) -> ControlFlow<R>,
    ) -> Option<R> {
        let invalid_lines = &mut self.invalid_lines;
        self.child.run_with_lines(|client, incoming, line, now, out| match incoming {
            Incoming::Rejected(rejection) => {
                invalid_lines.add(rejection, line);
                ControlFlow::Continue(())
            }
            other => then(client, other, now, out),
        })
    }

    /// Description of the end of the connection, if it has ended.
    fn end_without_answer(&self) -> Option<String> {
        Some(match self.child.end()? {
            end @ (ChildEnd::Exited(_) | ChildEnd::OutputClosed) => format!("{end} before it answered"),
            end => end.to_string(),
        })
    }

    /// Ends a server whose output has ended, and returns the reason why it has not answered.
    fn without_answer(self) -> String {
        let reason = self.invalid_lines.as_reason();
        // The reason stays the same, however long the end of the server takes.
        let end = self.end_without_answer();
        let _ = self.child.close(grace());
        let end = end.unwrap_or_else(|| "the server has ended".to_owned());
        format!("{end}{reason}")
    }

    pub(super) fn close(self) {
        self.invalid_lines.close();
        if let Err(error) = self.child.close(grace()) {
            note!("barewire: the server does not end: {error}");
        }
    }
}

fn grace() -> Duration {
    match signals::is_caught() {
        true => SHORT_GRACE,
        false => GRACE,
    }
}

/// Whether a server never sends such a request.
fn is_of_the_handshake(method: JsonStr<'_>) -> bool {
    method == Method::Initialize.name() || method == Method::ServerDiscover.name()
}

fn incompatible(why: Incompatible<'_>) -> String {
    match why {
        Incompatible::Version(name) => format!("the server speaks {name}"),
        Incompatible::NoCommonVersion(names) => format!("no common revision: {}", names.as_value()),
        Incompatible::Refused(error) => format!("the server refuses: {} {}", error.code(), error.message()),
        Incompatible::Invalid(fault) => format!("the server's answer cannot be used: {fault}"),
        Incompatible::TimedOut => "the server does not answer".to_owned(),
        Incompatible::NoRoom(_) => "no room for a message".to_owned(),
        _ => "the handshake has failed".to_owned(),
    }
}

/// Shows an event that is not the answer.
fn show(incoming: &Incoming<'_, ()>) {
    match incoming {
        Incoming::Progress(progress) => {
            let total = progress.total.map_or(String::new(), |total| format!("/{total}"));
            let message = progress.message.map_or(String::new(), |text| format!(" {text}"));
            note!("progress {}{total}{message}", progress.progress);
        }
        Incoming::Log(log) => {
            let logger = log.logger.map_or(String::new(), |logger| format!(" {logger}"));
            note!("log {}{logger}: {}", log.level.as_str(), log.data);
        }
        // A late answer to a request that was given up is ignored; an error without an id is shown.
        Incoming::Unmatched(response) if response.id().is_none() => {
            if let Err(error) = response.outcome() {
                note!("error without an id: {} {}", error.code(), error.message());
            }
        }
        Incoming::Request(request, Answered::Refused(code)) => {
            note!("the server asks for {}, refused with {code}", request.method());
        }
        _ => {}
    }
}
