//! A server and its two buffers, without the I/O: what every loop over a byte stream shares.

use crate::bytes::{Framer, Next, Sink};
use crate::engine::{Full, Handler, Parts, Server, Status};

/// A server, the line it reads into and the output it writes into. The caller carries the bytes.
///
/// Send [`output`](Link::output) as long as there is some and say how much went out; when there is none, read into
/// [`space`](Link::space) and say how much came in. All state is in here: a loop can be left at any point and taken up
/// again, and no byte is lost or sent twice.
///
/// ```
/// use barewire::demo::{Demo, NoHost};
/// use barewire::engine::Server;
/// use barewire::transport::Link;
///
/// let mut link: Link<Demo<NoHost>, _, _> = Link::new(Server::new(Demo::new(NoHost)), [0; 256], [0; 256]);
/// let line = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
/// link.space()[..line.len()].copy_from_slice(line);
/// link.received(line.len());
/// assert_eq!(link.output(), b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
/// link.sent(10);
/// assert_eq!(link.output(), b":\"2.0\",\"id\":1,\"result\":{}}\n");
/// ```
#[derive(Debug)]
pub struct Link<
    H: Handler,
    B,
    O,
    P: Parts = Full,
    const CALLS: usize = 4,
    const SUBSCRIPTIONS: usize = 2,
    const ID: usize = 48,
    const TEXT: usize = 64,
    const TASKS: usize = 2,
> {
    server: Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>,
    framer: Framer<B>,
    memory: O,
    /// What of the memory is written and not sent.
    start: usize,
    end: usize,
    /// The last line is a batch, of which elements are left.
    more: bool,
    /// Bytes were lost while it was so.
    lost: bool,
    /// Nothing comes behind what was received.
    ended: bool,
}

impl<
    H,
    B,
    O,
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const ID: usize,
    const TEXT: usize,
    const TASKS: usize,
> Link<H, B, O, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>
where
    H: Handler,
    B: AsRef<[u8]> + AsMut<[u8]>,
    O: AsRef<[u8]> + AsMut<[u8]>,
{
    /// `input` takes the longest line with its newline, `output` the longest answer with its; the latter has at least
    /// [`Server::MIN_OUTPUT`] bytes.
    pub const fn new(
        server: Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>,
        input: B,
        output: O,
    ) -> Self {
        Self {
            server,
            framer: Framer::new(input),
            memory: output,
            start: 0,
            end: 0,
            more: false,
            lost: false,
            ended: false,
        }
    }

    /// The server.
    pub const fn server(&self) -> &Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS> {
        &self.server
    }

    /// The server, to be changed: its handler, say. What it has to write goes through [`write`](Link::write).
    pub const fn server_mut(&mut self) -> &mut Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS> {
        &mut self.server
    }

    /// The bytes to send next. Lets the server work through what was received, as far as the output is free.
    pub fn output(&mut self) -> &[u8] {
        while self.start == self.end {
            if !self.more && self.lost {
                self.lost = false;
                self.framer.lost();
            }
            let mut next = match self.more {
                true => self.framer.again(),
                false => self.framer.next(),
            };
            if next == Next::NeedMore && self.ended {
                self.ended = false;
                next = self.framer.finish();
            }
            let mut out = Sink::new(self.memory.as_mut());
            let status = self.server.receive(next, &mut out);
            (self.start, self.end) = (0, out.finish().map_or(0, <[u8]>::len));
            self.more = status == Some(Status::More);
            if status.is_none() {
                break;
            }
        }
        self.pending()
    }

    fn pending(&self) -> &[u8] {
        self.memory.as_ref().get(self.start..self.end).unwrap_or_default()
    }

    /// So many bytes of [`output`](Link::output) were sent.
    pub fn sent(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
    }

    /// Where to read into, once there is no [`output`](Link::output). Empty while a batch is being answered.
    pub fn space(&mut self) -> &mut [u8] {
        match self.more {
            true => &mut [],
            false => self.framer.space(),
        }
    }

    /// So many bytes were read into [`space`](Link::space).
    pub fn received(&mut self, count: usize) {
        self.framer.commit(count);
    }

    /// The receiver lost bytes: the line they belong to is dropped.
    pub fn lost(&mut self) {
        match self.more {
            // The batch is still needed, and nothing is received meanwhile.
            true => self.lost = true,
            false => self.framer.lost(),
        }
    }

    /// The stream has ended: a last line without a newline is served, and then [`output`](Link::output) is to be sent.
    /// The link is then ready for another stream; the session goes on unless [`reset`](Link::reset).
    pub fn end_of_input(&mut self) {
        self.ended = true;
    }

    /// Starts afresh for another peer: nothing received or unsent is kept (DTR, a new connection).
    pub fn reset(&mut self) {
        self.framer.reset();
        self.server.reset();
        (self.start, self.end) = (0, 0);
        (self.more, self.lost, self.ended) = (false, false, false);
    }

    /// Lets the application write something of its own between two lines: a late answer, a change. Returns what `write`
    /// does; `None`, and nothing was called, when output is still to be sent: then send it first.
    pub fn write<R>(
        &mut self,
        write: impl FnOnce(&mut Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>, &mut Sink<'_>) -> R,
    ) -> Option<R> {
        if self.start != self.end {
            return None;
        }
        let mut out = Sink::new(self.memory.as_mut());
        let result = write(&mut self.server, &mut out);
        (self.start, self.end) = (0, out.finish().map_or(0, <[u8]>::len));
        Some(result)
    }
}
