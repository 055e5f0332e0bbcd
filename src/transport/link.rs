//! A server, its application and its two buffers, without the I/O: the shared part of all loops over a byte stream.

use core::time::Duration;

use crate::bytes::{Framer, Next, Sink};
use crate::engine::{Fixed, Frame, Handler, Origin, Server, Storage};
use crate::rpc::Skipper;

/// A server and its application, with an input buffer for a line and an output buffer. The caller carries the bytes.
///
/// Send [`output`](Link::output) as long as there is some, and report with [`sent`](Link::sent) how many bytes went out; when there is
/// none, read into [`space`](Link::space), and report with [`received`](Link::received) how many bytes came in. All state is in the link:
/// a loop can be left at any point and continued later, and no byte is lost or sent twice.
///
/// ```
/// use barewire::demo::{Demo, NoHost};
/// use barewire::transport::Link;
///
/// let mut link = Link::new(Demo::new(NoHost), [0; 256], [0; 256]);
/// let line = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
/// link.space()[..line.len()].copy_from_slice(line);
/// link.received(line.len());
/// assert_eq!(link.output(), b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
/// link.sent(10);
/// assert_eq!(link.output(), b":\"2.0\",\"id\":1,\"result\":{}}\n");
/// ```
///
/// Another storage, options, a clock:
///
/// ```
/// use barewire::demo::{Demo, NoHost};
/// use barewire::engine::{Fixed, Full, Lifecycle, Options, Server};
/// use barewire::transport::Link;
/// use core::time::Duration;
///
/// let server = Server::with_storage(Fixed::<Full, 8>::new());
/// let server = server.with_options(Options::DEFAULT.with_lifecycle(Lifecycle::Strict));
/// let mut link = Link::with_server(server, Demo::new(NoHost), [0; 256], [0; 256]);
/// // Before each `received`, and at the deadline.
/// link.tick(Duration::from_millis(1234));
/// assert_eq!(link.server().next_deadline(), None);
/// ```
#[derive(Debug)]
pub struct Link<A, B, O, S = Fixed> {
    server: Server<S>,
    app: A,
    framer: Framer<B>,
    /// Reads the rest of an oversized line, and finds its id.
    skipper: Skipper<64>,
    memory: O,
    /// Start of the output that is not sent yet.
    start: usize,
    end: usize,
    /// Place in the last line, if it is a batch with elements left; else 0.
    place: usize,
    /// Bytes were lost while a batch was answered.
    lost: bool,
    /// The input has ended.
    ended: bool,
}

impl<A, B: AsRef<[u8]> + AsMut<[u8]>, O> Link<A, B, O> {
    /// A link with the default storage. `input` holds the longest line with its newline, `output` the longest answer with its newline; the
    /// latter has at least [`MIN_OUTPUT`](crate::engine::MIN_OUTPUT) bytes.
    pub const fn new(app: A, input: B, output: O) -> Self {
        Self::with_server(Server::new(), app, input, output)
    }
}

impl<A, B: AsRef<[u8]> + AsMut<[u8]>, O, S> Link<A, B, O, S> {
    /// A link with this server: its storage and its options.
    pub const fn with_server(server: Server<S>, app: A, input: B, output: O) -> Self {
        Self {
            server,
            app,
            framer: Framer::new(input),
            skipper: Skipper::new(),
            memory: output,
            start: 0,
            end: 0,
            place: 0,
            lost: false,
            ended: false,
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

    /// The server: to mark changes, for example. Calls that write lines go through [`write`](Link::write).
    pub const fn server_mut(&mut self) -> &mut Server<S> {
        &mut self.server
    }
}

impl<A, B, O, S> Link<A, B, O, S>
where
    A: Handler,
    B: AsRef<[u8]> + AsMut<[u8]>,
    O: AsRef<[u8]> + AsMut<[u8]>,
    S: Storage,
{
    /// Sets the time. Lines that become due by it are part of the next [`output`](Link::output). The time is also shown as the time of day;
    /// a device with a calendar uses [`Server::set_time`].
    pub fn tick(&mut self, now: Duration) {
        self.server.set_time(now, now);
    }

    /// The bytes to send next. Lets the server work through what was received, as far as the output is free.
    pub fn output(&mut self) -> &[u8] {
        while self.start == self.end {
            if self.lost && !self.is_in_batch() {
                self.lost = false;
                self.framer.lost();
            }
            let is_in_batch = self.is_in_batch();
            let Self { server, app, framer, skipper, .. } = self;
            let mut out = Sink::new(self.memory.as_mut());
            let mut goes_on = true;
            // Due lines follow the answer to a line, and precede the next line; a batch is one line.
            if !is_in_batch {
                let _ = server.poll(|_| true, app, &mut out);
            }
            if out.is_empty() {
                let mut next = match is_in_batch {
                    true => framer.again(),
                    false => framer.next(),
                };
                if next == Next::NeedMore && self.ended {
                    self.ended = false;
                    next = framer.finish();
                }
                match next {
                    Next::Line(line) => {
                        let mut frame = Frame::at(line, self.place);
                        let _ = server.receive(Origin::ONLY, &mut frame, app, &mut out);
                        self.place = if frame.is_done() { 0 } else { frame.place() };
                    }
                    Next::Part(part) => skipper.feed(part),
                    Next::TooLong => {
                        let (rejection, response) = (skipper.finish(), skipper.response_id());
                        let _ = server.receive_oversized(Origin::ONLY, &rejection, response, app, &mut out);
                        skipper.reset();
                    }
                    Next::Lost => {
                        skipper.reset();
                        server.lost(app);
                    }
                    Next::NeedMore => goes_on = false,
                }
            }
            (self.start, self.end) = (0, out.finish().map_or(0, <[u8]>::len));
            if !goes_on {
                break;
            }
        }
        self.pending()
    }

    const fn is_in_batch(&self) -> bool {
        self.place > 0
    }

    fn pending(&self) -> &[u8] {
        self.memory.as_ref().get(self.start..self.end).unwrap_or_default()
    }

    /// Takes note that this number of bytes of [`output`](Link::output) was sent.
    pub fn sent(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
    }

    /// Memory to read into, once there is no [`output`](Link::output). Empty while a batch is being answered.
    pub fn space(&mut self) -> &mut [u8] {
        match self.is_in_batch() {
            true => &mut [],
            false => self.framer.space(),
        }
    }

    /// Takes note that this number of bytes was read into [`space`](Link::space).
    pub fn received(&mut self, count: usize) {
        self.framer.commit(count);
    }

    /// Takes note that the receiver has lost bytes: the line that they belong to is dropped.
    pub fn lost(&mut self) {
        match self.is_in_batch() {
            // The batch is still needed, and nothing is received meanwhile.
            true => self.lost = true,
            false => self.framer.lost(),
        }
    }

    /// Takes note that the stream has ended. A last line without a newline is served: send the [`output`](Link::output) then. After that the
    /// link is ready for another stream; the session continues unless the link is [`reset`](Link::reset).
    pub fn end_of_input(&mut self) {
        self.ended = true;
    }

    /// Starts a new session for another peer (DTR, a new connection): received and unsent bytes are dropped.
    pub fn reset(&mut self) {
        self.framer.reset();
        self.skipper.reset();
        self.server.reset(Origin::ONLY, &mut self.app);
        (self.start, self.end) = (0, 0);
        (self.place, self.lost, self.ended) = (0, false, false);
    }

    /// Calls `write`, which may write a line: a late answer, progress, a log message. Returns the result of `write`, or `None`, without
    /// calling it, while there is [`output`](Link::output) to send.
    pub fn write<R>(&mut self, write: impl FnOnce(&mut Server<S>, &mut A, &mut Sink<'_>) -> R) -> Option<R> {
        if self.start != self.end {
            return None;
        }
        let mut out = Sink::new(self.memory.as_mut());
        let result = write(&mut self.server, &mut self.app, &mut out);
        (self.start, self.end) = (0, out.finish().map_or(0, <[u8]>::len));
        Some(result)
    }
}
