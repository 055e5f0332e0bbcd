//! A server with asynchronous tools on tokio.

// From the bottom up: a file uses only files above it in this list.
mod hub;

mod desk;

mod running;

use core::future::poll_fn;
use core::pin::{Pin, pin};
use core::task::Poll;
use core::time::Duration;
use std::io;
use std::vec::Vec;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::RwLock;
use tokio::time::{Instant, sleep_until};

use super::{Limits, faults};
use crate::bytes::{Framer, Next};
use crate::engine::{AsyncHandler, Frame, Handler, Heap, Options, Server, Shared, Storage};
use crate::rpc::Skipper;
use hub::{Hub, Work};
use running::{Running, run};

/// Initial memory for lines; it grows with the longest line.
const FIRST_ROOM: usize = 1 << 16;

/// A server with asynchronous tools on the standard streams or any other stream of tokio: the asynchronous sibling of
/// [`Stdio`](super::Stdio).
///
/// All tools run in the task that serves: those of [`ToolMode::Shared`](crate::engine::ToolMode::Shared) at the same time, as many as the
/// storage has slots for calls; any other one alone. Requests that need the application wait for it in the order in which they came. A
/// synchronous tool blocks the task, so it should be quick. A panic of a tool is an internal error of its call.
///
/// ```
/// use barewire::engine::{AsyncCall, AsyncHandler, Handler, Peer, ToolAnswer, ToolMode};
/// use barewire::mcp::{Implementation, Tool};
/// use barewire::transport::AsyncStdio;
///
/// /// Without state, the tables are the application.
/// #[derive(Clone, Copy)]
/// struct Clock;
///
/// impl Handler for Clock {
///     fn info(&self) -> Implementation<'_> {
///         Implementation::new("clock", "1.0")
///     }
///
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[Tool::new("wait", "Waits for a moment.")] }
///     }
/// }
///
/// impl AsyncHandler for Clock {
///     type Tables = Clock;
///     const TABLES: Clock = Clock;
///
///     fn mode(_: usize) -> ToolMode {
///         ToolMode::Shared
///     }
///
///     async fn call_shared(&self, _: AsyncCall<'_>, _: &Peer<'_>) -> impl ToolAnswer {
///         tokio::time::sleep(std::time::Duration::from_millis(1)).await;
///         "done"
///     }
///
///     async fn call_async(&mut self, call: AsyncCall<'_>, peer: &Peer<'_>) -> impl ToolAnswer {
///         self.call_shared(call, peer).await
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let input = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}"#;
/// let mut output = Vec::new();
/// AsyncStdio::new().serve_on(Clock, &input[..], &mut output).await?;
/// assert!(String::from_utf8_lossy(&output).contains(r#"{"type":"text","text":"done"}"#));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AsyncStdio<S = Heap> {
    server: Server<S>,
    limits: Limits,
}

impl AsyncStdio {
    /// A server with storage that grows.
    pub const fn new() -> Self {
        Self::with_server(Server::with_storage(Heap::new()))
    }
}

impl Default for AsyncStdio {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> AsyncStdio<S> {
    /// A server with this storage and these options.
    pub const fn with_server(server: Server<S>) -> Self {
        Self { server, limits: Limits::DEFAULT }
    }

    /// The same with these options.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        *self.server.options_mut() = options;
        self
    }

    /// The same with these limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }
}

impl<S: Storage + Send> AsyncStdio<S> {
    /// Serves the standard streams until the input ends.
    ///
    /// # Errors
    /// An error of a stream.
    pub async fn serve<A: AsyncHandler>(self, app: A) -> io::Result<()> {
        self.serve_on(app, tokio::io::stdin(), tokio::io::stdout()).await
    }

    /// Serves these streams until the input ends, and then until the calls in flight have ended, for
    /// [`Limits::drain`] at most; a legacy client can no longer be asked anything. Needs a runtime with time.
    ///
    /// The future can be spawned, if those of the tools can be sent.
    ///
    /// # Errors
    /// An error of a stream.
    pub async fn serve_on<A: AsyncHandler>(
        self,
        app: A,
        input: impl AsyncRead + Unpin,
        output: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let Self { mut server, limits } = self;
        faults::check_tables(&app);
        server.guard_against(faults::report);
        let hub = Shared::new(Hub::new(server, A::TABLES, limits.max_output));
        let app = RwLock::new(app);
        let most = limits.max_input.saturating_add(1);
        let mut streams = Streams {
            input,
            output,
            framer: Framer::new(std::vec![0; most.min(FIRST_ROOM)]),
            most,
            skipper: Skipper::new(),
            place: 0,
            has_ended: false,
            is_flushed: true,
        };
        streams.serve(&app, &hub, limits.drain).await
    }
}

/// The streams of a server, and the lines of its input.
struct Streams<R, W> {
    input: R,
    output: W,
    framer: Framer<Vec<u8>>,
    /// The longest line with its newline.
    most: usize,
    skipper: Skipper<64>,
    /// Place in the last line, if it is a batch with elements left; else 0.
    place: usize,
    has_ended: bool,
    is_flushed: bool,
}

/// State of the loop after a piece of work.
enum Step {
    Again,
    /// There is something to send.
    Send,
    /// There is a request to run, which came in this frame.
    Work(Work, Vec<u8>),
    NeedMore,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Streams<R, W> {
    async fn serve<A: AsyncHandler, S: Storage + Send>(
        &mut self,
        app: &RwLock<A>,
        hub: &Shared<Hub<S, A::Tables>>,
        drain: Duration,
    ) -> io::Result<()> {
        let mut running = Running::new();
        let mut last = None;
        loop {
            // Lines are only served while there is nothing to send, so that the output stays short.
            let mut step = Step::Again;
            while let Step::Again = step {
                let mut free = app.try_write().ok();
                let next = hub.with(|hub| {
                    hub.set_time();
                    hub.poll(free.as_deref_mut());
                    match hub.unsent() {
                        [] => self.next(hub, free.as_deref_mut()),
                        _ => Step::Send,
                    }
                });
                step = next.unwrap_or(Step::Send);
            }
            let needs_more = matches!(step, Step::NeedMore);
            if let Step::Work(work, frame) = step {
                running.push(work.token, run(app, hub, work, frame));
            }
            if hub.with(|hub| core::mem::take(&mut hub.has_cancelled)).unwrap_or_default() {
                // Dropped outside of the hub, which a dropped tool may use.
                let is_wanted = |token| hub.with(|hub| hub.server.is_in_flight(token)).unwrap_or(true);
                running.retain(is_wanted);
            }
            if self.has_ended && needs_more {
                if running.is_empty() {
                    break;
                }
                let now = Instant::now();
                let end = *last.get_or_insert(now.checked_add(drain).unwrap_or(now));
                if now >= end {
                    for token in running.take() {
                        hub.with(|hub| hub.abandon(token));
                    }
                }
            }
            self.turn(&mut running, hub, last, needs_more).await?;
        }
        hub.with(|hub| {
            hub.server.end_streams();
            hub.poll(None::<&mut A>);
        });
        while hub.with(|hub| !hub.unsent().is_empty()).unwrap_or_default() {
            self.turn(&mut running, hub, None, false).await?;
        }
        poll_fn(|context| Pin::new(&mut self.output).poll_flush(context)).await
    }

    /// Serves the next line, while there is nothing to send.
    fn next<A: AsyncHandler, S: Storage>(
        &mut self,
        hub: &mut Hub<S, A::Tables>,
        app: Option<&mut A>,
    ) -> Step {
        let mut next = match self.place {
            0 => {
                self.framer.grow(self.most);
                self.framer.next()
            }
            _ => self.framer.again(),
        };
        if next == Next::NeedMore && self.has_ended {
            next = self.framer.finish();
        }
        match next {
            Next::Line(line) => {
                let mut frame = Frame::at(line, self.place);
                let work = hub.receive(&mut frame, line, app);
                self.place = if frame.is_done() { 0 } else { frame.place() };
                return work.map_or(Step::Again, |work| Step::Work(work, line.to_vec()));
            }
            Next::Part(part) => self.skipper.feed(part),
            Next::TooLong => {
                hub.oversized(&self.skipper, app);
                self.skipper.reset();
            }
            Next::Lost => self.skipper.reset(),
            Next::NeedMore => return Step::NeedMore,
        }
        Step::Again
    }

    /// Polls the tools and the streams: until something has happened if `may_wait`, else once.
    async fn turn<F: Future<Output = ()>, S: Storage, H: Handler>(
        &mut self,
        running: &mut Running<F>,
        hub: &Shared<Hub<S, H>>,
        last: Option<Instant>,
        may_wait: bool,
    ) -> io::Result<()> {
        let deadline = hub.with(|hub| hub.deadline()).flatten().map(Instant::from_std);
        let deadline = deadline.into_iter().chain(last).min();
        let mut alarm = pin!(sleep_until(deadline.unwrap_or_else(Instant::now)));
        poll_fn(|context| {
            let count = running.len();
            running.poll(context, |token| {
                hub.with(|hub| hub.abandon(token));
            });
            let has_news = hub.with(|hub| hub.has_news || hub.has_cancelled).unwrap_or(true);
            let mut is_sending = false;
            let sent = hub.with(|hub| match hub.unsent() {
                [] => None,
                unsent => {
                    is_sending = true;
                    let sent = match Pin::new(&mut self.output).poll_write(context, unsent) {
                        Poll::Ready(sent) => sent,
                        Poll::Pending => return None,
                    };
                    Some(match sent {
                        Ok(0) => Err(io::ErrorKind::WriteZero.into()),
                        Ok(count) => {
                            hub.sent(count);
                            Ok(())
                        }
                        Err(error) => Err(error),
                    })
                }
            });
            if let Some(sent) = sent.flatten() {
                self.is_flushed = false;
                return Poll::Ready(sent);
            }
            if is_sending {
                return Poll::Pending;
            }
            if !self.is_flushed
                && let Poll::Ready(flushed) = Pin::new(&mut self.output).poll_flush(context)
            {
                self.is_flushed = true;
                flushed?;
            }
            if !may_wait || has_news || running.len() < count {
                return Poll::Ready(Ok(()));
            }
            if !self.has_ended {
                let mut memory = ReadBuf::new(self.framer.space());
                if let Poll::Ready(read) = Pin::new(&mut self.input).poll_read(context, &mut memory) {
                    let count = memory.filled().len();
                    read?;
                    self.framer.commit(count);
                    if count == 0 {
                        self.has_ended = true;
                        hub.with(|hub| hub.server.end_questions());
                    }
                    return Poll::Ready(Ok(()));
                }
            }
            match deadline {
                Some(_) => alarm.as_mut().poll(context).map(Ok),
                None => Poll::Pending,
            }
        })
        .await
    }
}
