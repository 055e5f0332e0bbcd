//! What clients want to hear of: resources of a legacy session, and the streams of `subscriptions/listen`.

use heapless::Vec;

use super::kept::Kept;
use super::{List, NotKept};
use crate::engine::table;
use crate::json::{JsonStr, RawValue};
use crate::mcp::TaskId;
use crate::rpc::RequestId;

/// The kinds of change that a stream is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Kinds {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
}

/// What streams are told of.
#[derive(Clone, Copy)]
pub(super) enum Change<'a> {
    List(List),
    Resource(&'a str),
}

/// One `subscriptions/listen`. Aligned, as the next, so that no function is linked that clears and moves what is not.
#[derive(Debug, Clone)]
#[repr(align(4))]
pub(super) struct Stream<const ID: usize> {
    pub(super) id: Kept<ID>,
    pub(super) kinds: Kinds,
}

/// A resource that somebody watches.
#[derive(Debug, Clone)]
#[repr(align(4))]
struct Watch<const URI: usize> {
    watcher: Watcher,
    /// It is a task, and this is its id.
    is_task: bool,
    /// As it was sent, escapes and all.
    uri: Kept<URI>,
}

/// The place of a stream, counted from 1; 0 is the legacy session. Streams in later places watch nothing.
type Watcher = u16;
const SESSION: Watcher = 0;

/// The stream in the place `at`.
fn watcher(at: usize) -> Option<Watcher> {
    Watcher::try_from(at.checked_add(1)?).ok()
}

impl<const URI: usize> Watch<URI> {
    fn is(&self, watcher: Watcher, is_task: bool, uri: JsonStr<'_>) -> bool {
        self.watcher == watcher && self.is_task == is_task && self.uri() == uri
    }

    fn uri(&self) -> JsonStr<'_> {
        JsonStr::from_valid(self.uri.as_bytes())
    }
}

/// Fixed tables of both.
#[derive(Debug)]
pub(super) struct Subscriptions<const N: usize, const ID: usize, const URI: usize> {
    streams: Vec<Stream<ID>, N>,
    watched: Vec<Watch<URI>, N>,
}

impl<const N: usize, const ID: usize, const URI: usize> Subscriptions<N, ID, URI> {
    pub(super) const fn new() -> Self {
        Self {
            streams: Vec::new(),
            watched: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.streams.clear();
        self.watched.clear();
    }

    pub(super) fn contains(&self, id: RequestId<'_>) -> bool {
        self.streams.iter().any(|stream| stream.id.as_id() == id)
    }

    /// A resource, for the legacy session.
    pub(super) fn subscribe(&mut self, uri: JsonStr<'_>) -> Result<(), NotKept> {
        self.watch(SESSION, false, uri).map(drop)
    }

    pub(super) fn unsubscribe(&mut self, uri: JsonStr<'_>) {
        table::take(&mut self.watched, |watch| watch.is(SESSION, false, uri));
    }

    /// Whether a URI is short enough to be kept; always true without a table.
    pub(super) const fn can_hold(&self, uri: RawValue<'_>) -> bool {
        N == 0 || Kept::<URI>::can_hold(uri.as_bytes().len().saturating_sub(2))
    }

    /// False when it is there already.
    fn watch(&mut self, watcher: Watcher, is_task: bool, uri: JsonStr<'_>) -> Result<bool, NotKept> {
        // First what will never fit.
        if N > 0 && !Kept::<URI>::can_hold(uri.as_escaped_bytes().len()) {
            return Err(NotKept::UriTooLong);
        }
        if self.watched.iter().any(|watch| watch.is(watcher, is_task, uri)) {
            return Ok(false);
        }
        let watch = Watch {
            watcher,
            is_task,
            uri: Kept::new(),
        };
        self.watched.push(watch).map_err(|_| NotKept::Busy)?;
        let kept = self.watched.last_mut();
        let kept = kept.and_then(|watch| watch.uri.append(uri.as_escaped_bytes()));
        kept.map(|()| true).ok_or(NotKept::UriTooLong)
    }

    /// Opens a stream; its resources are added by [`watch_in_last`](Self::watch_in_last).
    pub(super) fn listen(&mut self, id: RequestId<'_>, kinds: Kinds) -> Result<(), NotKept> {
        // First what will never fit.
        if N > 0 && !Kept::<ID>::can_hold(id.text_len()) {
            return Err(NotKept::IdTooLong);
        }
        let stream = Stream {
            id: Kept::new(),
            kinds,
        };
        self.streams.push(stream).map_err(|_| NotKept::Busy)?;
        let kept = self.streams.last_mut();
        kept.and_then(|stream| stream.id.append_id(id))
            .ok_or(NotKept::IdTooLong)
    }

    /// The stream that was opened last.
    fn last(&self) -> Option<Watcher> {
        watcher(self.streams.len().checked_sub(1)?)
    }

    /// Whether nothing more can be watched.
    pub(super) fn is_full(&self) -> bool {
        self.watched.is_full()
    }

    /// A resource, or a task, for the stream that was opened last; false when there is no room for it, or it is there
    /// already.
    pub(super) fn watch_in_last(&mut self, is_task: bool, uri: JsonStr<'_>) -> bool {
        self.last()
            .is_some_and(|last| self.watch(last, is_task, uri) == Ok(true))
    }

    /// Takes back the stream that was opened last.
    pub(super) fn close_last(&mut self) {
        if let Some(last) = self.last() {
            self.drop_watches(last);
        }
        self.streams.pop();
    }

    /// Closes the stream with this id, and returns its place. The streams after it move up.
    pub(super) fn close(&mut self, id: RequestId<'_>) -> Option<usize> {
        let at = self.streams.iter().position(|stream| stream.id.as_id() == id)?;
        table::take_in_order(&mut self.streams, at)?;
        if let Some(closed) = watcher(at) {
            self.drop_watches(closed);
            for watch in self.watched.iter_mut().filter(|watch| watch.watcher > closed) {
                watch.watcher = watch.watcher.saturating_sub(1);
            }
        }
        Some(at)
    }

    fn watches(&self, watcher: Watcher, is_task: bool, is_it: impl Fn(JsonStr<'_>) -> bool) -> bool {
        self.watched
            .iter()
            .any(|watch| watch.watcher == watcher && watch.is_task == is_task && is_it(watch.uri()))
    }

    fn drop_watches(&mut self, watcher: Watcher) {
        while table::take(&mut self.watched, |watch| watch.watcher == watcher).is_some() {}
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
        self.watches(SESSION, false, |watched| watched == *uri)
    }

    /// Whether the stream in the place `at` is to be told of this change.
    pub(super) fn wants(&self, at: usize, change: Change<'_>) -> bool {
        let kinds = self.streams.get(at).map(|stream| stream.kinds);
        match change {
            Change::List(List::Tools) => kinds.is_some_and(|kinds| kinds.tools),
            Change::List(List::Prompts) => kinds.is_some_and(|kinds| kinds.prompts),
            Change::List(List::Resources) => kinds.is_some_and(|kinds| kinds.resources),
            Change::Resource(uri) => {
                watcher(at).is_some_and(|stream| self.watches(stream, false, |watched| watched == *uri))
            }
        }
    }

    /// Whether the stream in the place `at` watches this task.
    pub(super) fn stream_watches_task(&self, at: usize, task: TaskId) -> bool {
        watcher(at).is_some_and(|stream| self.watches(stream, true, |watched| task.is(watched)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Kinds = Kinds {
        tools: false,
        prompts: false,
        resources: false,
    };

    #[test]
    fn who_moves_up_watches_what_it_watched() {
        let uri = |text| JsonStr::from_escaped(text).unwrap();
        let mut subscriptions: Subscriptions<4, 8, 8> = Subscriptions::new();
        assert_eq!(subscriptions.subscribe(uri("s")), Ok(()));
        for (id, watched) in [(1, "a"), (2, "b"), (3, "c")] {
            assert_eq!(subscriptions.listen(RequestId::from(id), NONE), Ok(()));
            assert!(subscriptions.watch_in_last(false, uri(watched)));
        }
        assert_eq!(subscriptions.close(RequestId::from(2)), Some(1));
        // It has the place of one that was closed, and nothing of what that watched.
        assert_eq!(subscriptions.listen(RequestId::from(4), NONE), Ok(()));
        let watched = ["s", "a", "b", "c"];
        let by = |at| watched.map(|uri| subscriptions.wants(at, Change::Resource(uri)));
        assert_eq!(by(0), [false, true, false, false]);
        assert_eq!(by(1), [false, false, false, true]);
        assert_eq!(by(2), [false; 4]);
        assert_eq!(
            watched.map(|uri| subscriptions.session_watches(uri)),
            [true, false, false, false]
        );
    }
}
