//! Settings of a blocking client, and its connection.

use core::borrow::BorrowMut;
use core::fmt;
use core::time::Duration;
use std::boxed::Box;
use std::process::Command;
use std::string::String;

use super::application::{Application, CallersHandler};
use super::client::Client;
use super::connection::{Connection, Storage};
use super::error::ClientError;
use super::events::{Events, OnEvent, OnLog};
use crate::engine::client::{ClientEngine, ClientHandler, ClientOptions, Counter, Incoming, Log};
use crate::mcp::{Era, LoggingLevel, Versions};
use crate::transport::{Child, ChildEnd, Limits};

const MINUTE: Duration = Duration::from_secs(60);

/// Settings of a [`Client`], made by [`Client::builder`].
///
/// The standard error of the server is set in its [`Command`], and inherited by default:
/// `command.stderr(Stdio::null())` silences it.
///
/// ```no_run
/// use core::time::Duration;
/// use std::process::Command;
///
/// use barewire::mcp::{LoggingLevel, ProtocolVersion, Versions};
/// use barewire::{Client, ClientError};
///
/// # fn main() -> Result<(), ClientError> {
/// let mut server = Client::builder()
///     .name("probe", "1.0")
///     .timeout(Duration::from_secs(10))
///     .versions(Versions::only(ProtocolVersion::V2025_11_25))
///     .on_log(LoggingLevel::Warning, |log| eprintln!("{}: {}", log.level.as_str(), log.data))
///     .connect(Command::new("some-server"))?;
/// println!("{}", server.server_info().name());
/// # Ok(())
/// # }
/// ```
#[must_use = "a client is made by `connect`"]
pub struct ClientBuilder {
    name: Option<(String, String)>,
    handler: Option<CallersHandler>,
    events: Events,
    options: ClientOptions,
    versions: Versions,
    timeout: Option<Duration>,
    connect_timeout: Duration,
    longest_line: usize,
    grace: Duration,
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("name", &self.name)
            .field("options", &self.options)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl ClientBuilder {
    fn new() -> Self {
        Self {
            name: None,
            handler: None,
            events: Events::default(),
            options: ClientOptions::DEFAULT,
            versions: Versions::ALL,
            timeout: Some(MINUTE),
            connect_timeout: MINUTE,
            longest_line: Limits::DEFAULT.max_input,
            grace: Duration::from_secs(2),
        }
    }

    /// Sets the name and the version that the server sees. The default is that of the [handler](ClientBuilder::handler);
    /// without a handler, that of this crate.
    pub fn name(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.name = Some((name.into(), version.into()));
        self
    }

    /// Sets the handler of input requests (elicitation, sampling, roots), for both eras. Without a handler the client declares
    /// no capabilities and refuses all input requests.
    ///
    /// The handler runs inside a call of the client and may block, to wait for a person for example. Its time counts towards
    /// no timeout. [`ClientAnswer::Later`](crate::engine::client::ClientAnswer::Later) refuses the request.
    pub fn handler(mut self, handler: impl ClientHandler + Send + 'static) -> Self {
        self.handler = Some(Box::new(handler));
        self
    }

    /// Requests log messages from `level` on, and passes each of them to `on_log`. A server without logging sends none.
    pub fn on_log(mut self, level: LoggingLevel, on_log: impl FnMut(Log<'_>) + Send + 'static) -> Self {
        let on_log: OnLog = Box::new(on_log);
        self.events.on_log = Some((level, on_log));
        self
    }

    /// Passes every event except the results and errors of calls to `on_event`: changes (until 2025-11-25; later revisions need
    /// a subscription), progress, log messages, other notifications, requests and their answers, responses to unknown
    /// requests, and lines that are not messages.
    pub fn on_event(mut self, on_event: impl FnMut(&Incoming<'_, ()>) + Send + 'static) -> Self {
        let on_event: OnEvent = Box::new(on_event);
        self.events.on_event = Some(on_event);
        self
    }

    /// Sets the timeout of each request that sets none itself. A minute by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Removes the timeout of requests that set none themselves.
    pub fn without_timeout(mut self) -> Self {
        self.timeout = None;
        self
    }

    /// Sets the timeout of each request of the handshake except the probe. A minute by default.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets the timeout of the probe for the modern era, after which the client tries the legacy handshake. Five seconds by
    /// default.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.options = self.options.with_probe_timeout(timeout);
        self
    }

    /// Sets the revisions that the client speaks. All by default, the newest first. Without 2026-07-28 there is no probe,
    /// which saves time with a legacy server.
    pub fn versions(mut self, versions: Versions) -> Self {
        self.versions = versions;
        self
    }

    /// Sets the length of the longest line in bytes, received or sent. 16 MiB by default. A longer response is
    /// [`ClientError::Response`]; a longer request is not sent.
    pub fn longest_line(mut self, bytes: usize) -> Self {
        self.longest_line = bytes;
        self
    }

    /// Sets the longest wait for each step of [`Client::close`]. Two seconds by default.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Starts the server and does the handshake. Its standard input and output are connected to the client.
    ///
    /// A server that exits when it is probed for the modern era, as some old ones do, is started again and gets the legacy
    /// handshake.
    ///
    /// # Errors
    /// [`ClientError::Io`]: the process cannot be started. [`ClientError::Ended`]: it exited during the handshake.
    /// [`ClientError::Handshake`]: the handshake failed or timed out. In each case, no process is left running.
    pub fn connect(self, mut command: impl BorrowMut<Command>) -> Result<Client, ClientError> {
        let command = command.borrow_mut();
        let (timeout, grace) = (self.connect_timeout, self.grace);
        // Both eras: the handshake begins with a probe, and a second one may follow.
        let second = self.versions.newest(Era::Modern).and(self.versions.newest(Era::Legacy));
        let start = Start {
            options: self.options.with_versions(self.versions).with_timeout(timeout),
            timeout: self.timeout,
            longest_line: self.longest_line,
        };
        let application = Application::new(self.name, self.handler);
        let mut connection = start.connection(command, application, self.events)?;
        let mut server = connection.handshake(timeout, |client, now, out| client.connect(now, out));
        if let Err(ClientError::Ended(ChildEnd::Exited(_) | ChildEnd::OutputClosed)) = server
            && let Some(newest) = second
        {
            let (application, events) = connection.into_parts();
            connection = start.connection(command, application, events)?;
            server =
                connection.handshake(timeout, |client, now, out| client.initialize_with(newest, now, out));
        }
        Ok(Client::new(connection, server?, grace))
    }
}

/// Settings of each start of the server.
struct Start {
    options: ClientOptions,
    timeout: Option<Duration>,
    longest_line: usize,
}

impl Start {
    fn connection(
        &self,
        command: &mut Command,
        application: Application,
        events: Events,
    ) -> Result<Connection, ClientError> {
        let limits =
            Limits { max_input: self.longest_line, max_output: self.longest_line, ..Limits::DEFAULT };
        let engine = ClientEngine::with(Storage::new(), self.options, Counter::new());
        let child = Child::spawn_with(command, engine, application, &limits)?;
        Ok(Connection::new(child, events, self.timeout, self.longest_line))
    }
}

impl Client {
    /// Starts the server and does the handshake, with the default settings. [`ClientBuilder::connect`] has the details.
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`].
    pub fn connect(command: impl BorrowMut<Command>) -> Result<Self, ClientError> {
        Self::builder().connect(command)
    }

    /// Settings of a client: its name, timeouts, revisions, and receivers.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }
}
