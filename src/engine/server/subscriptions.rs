//! What clients want to hear of: resources of a legacy session, and the streams of `subscriptions/listen`.

use heapless::Vec;

use crate::engine::table;
use crate::json::JsonStr;
use crate::mcp::TaskId;
use crate::rpc::{RequestId, StoredId};

/// The kinds of change that a stream is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Kinds {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
}

/// One `subscriptions/listen`.
#[derive(Debug, Clone)]
pub(super) struct Stream<const ID: usize> {
    serial: u32,
    pub(super) id: StoredId<ID>,
    pub(super) kinds: Kinds,
}

/// A resource that somebody watches.
#[derive(Debug, Clone)]
struct Watch<const URI: usize> {
    /// The stream, or `None` for the legacy session.
    stream: Option<u32>,
    /// It is a task, and this is its id.
    is_task: bool,
    /// As it was sent, escapes and all.
    uri: Vec<u8, URI>,
}

impl<const URI: usize> Watch<URI> {
    fn is(&self, stream: Option<u32>, is_task: bool, uri: JsonStr<'_>) -> bool {
        self.stream == stream && self.is_task == is_task && self.uri() == uri
    }

    fn uri(&self) -> JsonStr<'_> {
        JsonStr::from_valid(&self.uri)
    }
}

/// Why a subscription could not be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoRoom {
    TableFull,
    IdTooLong,
}

/// Fixed tables of both.
#[derive(Debug)]
pub(super) struct Subscriptions<const N: usize, const ID: usize, const URI: usize> {
    streams: Vec<Stream<ID>, N>,
    watches: Vec<Watch<URI>, N>,
    next: u32,
}

impl<const N: usize, const ID: usize, const URI: usize> Subscriptions<N, ID, URI> {
    pub(super) const fn new() -> Self {
        Self {
            streams: Vec::new(),
            watches: Vec::new(),
            next: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.streams.clear();
        self.watches.clear();
    }

    pub(super) fn contains(&self, id: RequestId<'_>) -> bool {
        self.streams.iter().any(|stream| stream.id.view() == id)
    }

    /// A resource, for the legacy session.
    pub(super) fn subscribe(&mut self, uri: JsonStr<'_>) -> Result<(), NoRoom> {
        self.watch(None, false, uri).map(drop)
    }

    pub(super) fn unsubscribe(&mut self, uri: JsonStr<'_>) {
        table::take(&mut self.watches, |watch| watch.is(None, false, uri));
    }

    /// False when it is there already.
    fn watch(&mut self, stream: Option<u32>, is_task: bool, uri: JsonStr<'_>) -> Result<bool, NoRoom> {
        if self.watches.iter().any(|watch| watch.is(stream, is_task, uri)) {
            return Ok(false);
        }
        let mut copy = Vec::new();
        copy.extend_from_slice(uri.as_escaped_bytes())
            .map_err(|_| NoRoom::TableFull)?;
        self.watches
            .push(Watch {
                stream,
                is_task,
                uri: copy,
            })
            .map_err(|_| NoRoom::TableFull)?;
        Ok(true)
    }

    /// Opens a stream; its resources are added by [`watch_in_last`](Self::watch_in_last).
    pub(super) fn listen(&mut self, id: RequestId<'_>, kinds: Kinds) -> Result<(), NoRoom> {
        let stream = Stream {
            serial: self.next,
            id: StoredId::new(id).map_err(|_| NoRoom::IdTooLong)?,
            kinds,
        };
        self.streams.push(stream).map_err(|_| NoRoom::TableFull)?;
        self.next = self.next.wrapping_add(1);
        Ok(())
    }

    /// Whether nothing more can be watched.
    pub(super) fn is_full(&self) -> bool {
        self.watches.is_full()
    }

    /// A resource, or a task, for the stream that was opened last; false when there is no room for it, or it is there
    /// already.
    pub(super) fn watch_in_last(&mut self, is_task: bool, uri: JsonStr<'_>) -> bool {
        let stream = self.streams.last().map(|stream| stream.serial);
        stream.is_some() && self.watch(stream, is_task, uri) == Ok(true)
    }

    /// Takes back the stream that was opened last.
    pub(super) fn close_last(&mut self) {
        if let Some(stream) = self.streams.pop() {
            self.drop_watches(stream.serial);
        }
    }

    /// Closes the stream of this id, and returns in what place it was. Those behind it move up.
    pub(super) fn close(&mut self, id: RequestId<'_>) -> Option<usize> {
        let at = self.streams.iter().position(|stream| stream.id.view() == id)?;
        let stream = table::take_in_order(&mut self.streams, at)?;
        self.drop_watches(stream.serial);
        Some(at)
    }

    fn drop_watches(&mut self, serial: u32) {
        while table::take(&mut self.watches, |watch| watch.stream == Some(serial)).is_some() {}
    }

    /// The stream in the place `at`.
    pub(super) fn stream(&self, at: usize) -> Option<&Stream<ID>> {
        self.streams.get(at)
    }

    pub(super) fn first(&self) -> Option<&Stream<ID>> {
        self.streams.first()
    }

    /// Whether the legacy session watches this resource.
    pub(super) fn session_watches(&self, uri: &str) -> bool {
        self.watches
            .iter()
            .any(|watch| watch.stream.is_none() && watch.uri() == *uri)
    }

    /// Whether this stream watches this resource.
    pub(super) fn stream_watches(&self, stream: &Stream<ID>, uri: &str) -> bool {
        self.watches
            .iter()
            .any(|watch| watch.stream == Some(stream.serial) && !watch.is_task && watch.uri() == *uri)
    }

    /// Whether this stream watches this task.
    pub(super) fn stream_watches_task(&self, stream: &Stream<ID>, task: TaskId) -> bool {
        self.watches
            .iter()
            .any(|watch| watch.stream == Some(stream.serial) && watch.is_task && task.is(watch.uri()))
    }
}
