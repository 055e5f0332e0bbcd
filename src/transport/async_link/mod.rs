//! A server with asynchronous tools on a stream.

// From the bottom up: a file uses only files above it in this list.
mod lines;
mod outgoing;
mod outside;

mod serve;

mod desk;

mod beside;

mod run;

use lines::Lines;
use outgoing::{Outgoing, Unsent};
pub use outside::{Change, Outside, Still};

use crate::bytes::Sink;
use crate::engine::{AsyncHandler, CallToken, Deferring, Fixed, Origin, Server, Storage};
use crate::rpc::Skipper;

/// A server and its application with asynchronous tools, an input buffer and an output buffer: the asynchronous sibling of
/// [`Link`](super::Link), without a heap.
///
/// One asynchronous tool runs at a time. Its arguments lie in the input, so its line stays there while other lines are read after it:
/// size the input for the longest call and the longest other line together. Until the tool is done
///
/// - pings, lists, subscriptions and the like are served;
/// - a cancellation drops the future of the tool, and its call is not answered;
/// - further calls, reads and prompts wait in the input while there is room, in the order in which they came, and can be cancelled; those that
///   came last get the error `Server busy` when there is none. Each takes a slot of the storage, as does the tool.
///
/// A line that does not fit into what is left of the input is only read when the tool is done, and so are the lines after it.
///
/// ```
/// # use std::collections::VecDeque;
/// # use std::convert::Infallible;
/// # use embedded_io_async_v0_7::{ErrorType, Read, Write};
/// use barewire::engine::{AsyncCall, AsyncHandler, Handler, Peer, ToolAnswer};
/// use barewire::mcp::{Implementation, Tool};
/// use barewire::transport::AsyncLink;
///
/// const TOOLS: &[Tool<'_>] = &[Tool::new("measure", "Measures the distance.")];
///
/// /// The tables alone.
/// struct Tables;
///
/// impl Handler for Tables {
///     fn info(&self) -> Implementation<'_> {
///         Implementation::new("ranger", "1.0")
///     }
///
///     fn tools(&self) -> &[Tool<'_>] {
///         TOOLS
///     }
/// }
///
/// struct Ranger {
///     measured: u32,
/// }
///
/// impl Handler for Ranger {
///     fn info(&self) -> Implementation<'_> {
///         Tables.info()
///     }
///
///     fn tools(&self) -> &[Tool<'_>] {
///         TOOLS
///     }
/// }
///
/// impl AsyncHandler for Ranger {
///     type Tables = Tables;
///     const TABLES: Tables = Tables;
///
///     async fn call_async(&mut self, _: AsyncCall<'_>, peer: &Peer<'_>) -> impl ToolAnswer {
///         peer.progress(1);
///         echo().await;
///         self.measured += 1;
///         "2 m"
///     }
/// }
///
/// # async fn echo() {}
/// # struct Uart(VecDeque<u8>, Vec<u8>);
/// # impl ErrorType for Uart { type Error = Infallible; }
/// # impl Read for Uart {
/// #     async fn read(&mut self, memory: &mut [u8]) -> Result<usize, Infallible> {
/// #         let Ok(count) = std::io::Read::read(&mut self.0, memory) else { return Ok(0) };
/// #         Ok(count)
/// #     }
/// # }
/// # impl Write for Uart {
/// #     async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> { self.1.extend(bytes); Ok(bytes.len()) }
/// #     async fn flush(&mut self) -> Result<(), Infallible> { Ok(()) }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"measure"}}"#;
/// # let mut uart = Uart(line.iter().copied().collect(), Vec::new());
/// let mut link = AsyncLink::new(Ranger { measured: 0 }, [0; 512], [0; 256]);
/// let Ok(()) = link.run_async(&mut uart).await;
/// assert_eq!(link.app().measured, 1);
/// # assert!(String::from_utf8_lossy(&uart.1).contains(r#"{"type":"text","text":"2 m"}"#));
/// # }
/// ```
#[derive(Debug)]
pub struct AsyncLink<A, B, O, S = Fixed> {
    server: Server<S>,
    app: A,
    input: B,
    output: O,
    lines: Lines,
    unsent: Unsent,
    /// Reads the rest of an oversized line, and finds its id.
    skipper: Skipper<64>,
    /// The call whose tool runs, or was abandoned.
    running: Option<CallToken>,
    /// Place of the next element in the held line, if that is a batch; else 0.
    place: usize,
    has_ended: bool,
}

impl<A, B, O> AsyncLink<A, B, O> {
    /// A link with the default storage. `input` holds the longest call and the longest other line with their newlines, `output` the longest
    /// answer with its newline; the latter has at least [`MIN_OUTPUT`](crate::engine::MIN_OUTPUT) bytes.
    pub const fn new(app: A, input: B, output: O) -> Self {
        Self::with_server(Server::new(), app, input, output)
    }
}

impl<A, B, O, S> AsyncLink<A, B, O, S> {
    /// A link with this server: its storage and its options.
    pub const fn with_server(server: Server<S>, app: A, input: B, output: O) -> Self {
        Self {
            server,
            app,
            input,
            output,
            lines: Lines::new(),
            unsent: Unsent::NOTHING,
            skipper: Skipper::new(),
            running: None,
            place: 0,
            has_ended: false,
        }
    }

    /// The application.
    pub const fn app(&self) -> &A {
        &self.app
    }

    /// The application, to be changed.
    pub const fn app_mut(&mut self) -> &mut A {
        &mut self.app
    }

    /// The server.
    pub const fn server(&self) -> &Server<S> {
        &self.server
    }

    /// The server: to mark changes, for example. Calls that write lines go through [`write`](AsyncLink::write).
    pub const fn server_mut(&mut self) -> &mut Server<S> {
        &mut self.server
    }
}

impl<A, B, O, S> AsyncLink<A, B, O, S>
where
    A: AsyncHandler,
    B: AsMut<[u8]>,
    O: AsMut<[u8]>,
    S: Storage,
{
    /// Takes note that the receiver has lost bytes: the line that they belong to is dropped.
    pub fn lost(&mut self) {
        let rest = self.input.as_mut().get_mut(self.lines.held()..);
        self.lines.lost(rest.unwrap_or_default());
    }

    /// Starts a new session for another peer (DTR, a new connection): received and unsent bytes are dropped, and so is the call of a tool that
    /// was abandoned.
    pub fn reset(&mut self) {
        self.server.reset(Origin::ONLY, &mut Deferring::new(Some(&mut self.app), &[]));
        self.skipper.reset();
        self.lines = Lines::new();
        self.unsent = Unsent::NOTHING;
        (self.running, self.place, self.has_ended) = (None, 0, false);
    }

    /// Calls `write`, which may write a line: a late answer, a log message. Returns the result of `write`, or `None`, without
    /// calling it, while there is output to send: then run the link first.
    pub fn write<R>(&mut self, write: impl FnOnce(&mut Server<S>, &mut A, &mut Sink<'_>) -> R) -> Option<R> {
        let Self { server, app, output, unsent, .. } = self;
        let mut outgoing = Outgoing { memory: output.as_mut(), unsent };
        outgoing.is_sent().then(|| outgoing.write(|out| write(server, app, out)))
    }
}
