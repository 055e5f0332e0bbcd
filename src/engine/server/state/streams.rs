//! Subscriptions: of a legacy session to resources, and the streams of `subscriptions/listen`.

use super::State;
use crate::engine::server::storage::{StreamSlot, WatchSlot, Watched, Watcher};
use crate::engine::server::{Channel, List, NotKept, Parts, TaskToken};
use crate::json::{JsonStr, Writer};
use crate::rpc::RequestId;

/// Place of a list in the tables.
pub(in crate::engine::server) const fn place_of(list: List) -> usize {
    match list {
        List::Tools => 0,
        List::Prompts => 1,
        List::Resources => 2,
    }
}

/// Hash of a text without its escapes (FNV-1a).
fn hash_of(text: JsonStr<'_>) -> u32 {
    let mut steps = text.steps();
    let mut hash = 0x811C_9DC5_u32;
    while let Some(character) = steps.next() {
        hash = (hash ^ character).wrapping_mul(0x0100_0193);
    }
    hash
}

impl<P: Parts> State<'_, P> {
    /// The open stream with this id.
    pub(in crate::engine::server) fn find_stream(
        &self,
        channel: Channel,
        id: RequestId<'_>,
    ) -> Option<usize> {
        let texts = self.arena.texts();
        self.streams.iter().position(|stream| {
            stream.channel == channel && RequestId::from_appended(texts.get(stream.id)) == id
        })
    }

    /// Opens a stream. Its watches are added by its number.
    pub(in crate::engine::server) fn open_stream(
        &mut self,
        channel: Channel,
        id: RequestId<'_>,
        wants: [bool; 3],
    ) -> Result<u32, NotKept> {
        if id.text_len() > self.arena.free() {
            return Err(NotKept::IdTooLong);
        }
        if self.streams.is_full() {
            return Err(NotKept::Busy);
        }
        let id = self.arena.append(|sink| id.write(&mut Writer::new(sink)));
        let number = self.core.next_stream;
        self.core.next_stream = number.wrapping_add(1);
        let stream =
            StreamSlot { number, id: id.ok_or(NotKept::IdTooLong)?, channel, wants, ..StreamSlot::FREE };
        self.streams.push(stream).ok_or(NotKept::Busy)?;
        Ok(number)
    }

    /// Closes a stream without a word.
    pub(in crate::engine::server) fn close_stream(&mut self, place: usize) {
        if let Some(stream) = self.streams.get(place) {
            let (id, number) = (stream.id, stream.number);
            self.streams.remove(place);
            self.forget(id);
            self.unwatch_all(Watcher::Stream(number));
        }
    }

    /// Place of the watch of this resource.
    fn find_watch(&self, watcher: Watcher, uri: JsonStr<'_>, hash: u32) -> Option<usize> {
        let texts = self.arena.texts();
        self.watches.iter().position(|watch| {
            watch.watcher == watcher
                && watch.hash == hash
                && matches!(watch.watched, Watched::Resource(watched) if JsonStr::from_valid(texts.get(watched)) == uri)
        })
    }

    /// Watches a resource. True unless it was watched already.
    pub(in crate::engine::server) fn watch(
        &mut self,
        watcher: Watcher,
        uri: JsonStr<'_>,
    ) -> Result<bool, NotKept> {
        let hash = hash_of(uri);
        if self.find_watch(watcher, uri, hash).is_some() {
            return Ok(false);
        }
        if uri.as_escaped_bytes().len() > self.arena.free() {
            return Err(NotKept::UriTooLong);
        }
        if self.watches.is_full() {
            return Err(NotKept::Busy);
        }
        let uri = self.arena.append(|sink| sink.write(uri.as_escaped_bytes())).ok_or(NotKept::UriTooLong)?;
        self.push_watch(watcher, Watched::Resource(uri), hash)
    }

    /// Watches a task. True unless it was watched already.
    pub(in crate::engine::server) fn watch_task(
        &mut self,
        watcher: Watcher,
        task: TaskToken,
    ) -> Result<bool, NotKept> {
        let watched = Watched::Task(task);
        let mut watches = self.watches.iter();
        match watches.any(|watch| watch.watcher == watcher && watch.watched == watched) {
            true => Ok(false),
            false => self.push_watch(watcher, watched, 0),
        }
    }

    fn push_watch(&mut self, watcher: Watcher, watched: Watched, hash: u32) -> Result<bool, NotKept> {
        let watch = WatchSlot { watcher, watched, hash, due: 0 };
        self.watches.push(watch).map(|()| true).ok_or(NotKept::Busy)
    }

    pub(in crate::engine::server) fn unwatch(&mut self, watcher: Watcher, uri: JsonStr<'_>) {
        if let Some(place) = self.find_watch(watcher, uri, hash_of(uri)) {
            self.remove_watch(place);
        }
    }

    /// Removes all subscriptions of this session or stream.
    pub(in crate::engine::server) fn unwatch_all(&mut self, watcher: Watcher) {
        while let Some(place) = self.watches.iter().position(|watch| watch.watcher == watcher) {
            self.remove_watch(place);
        }
    }

    /// Removes all subscriptions to a task that is forgotten.
    pub(in crate::engine::server) fn unwatch_task(&mut self, task: TaskToken) {
        while let Some(place) = self.watches.iter().position(|watch| watch.watched == Watched::Task(task)) {
            self.remove_watch(place);
        }
    }

    fn remove_watch(&mut self, place: usize) {
        let Some(watched) = self.watches.get(place).map(|watch| watch.watched) else {
            return;
        };
        self.watches.remove(place);
        if let Watched::Resource(uri) = watched {
            self.forget(uri);
        }
    }

    /// Marks the change of a list as due to every ready session and every stream that wants it. Whether the server offers such changes is
    /// decided when they are sent.
    pub(in crate::engine::server) fn list_changed(&mut self, list: List) {
        let place = place_of(list);
        for session in self.sessions.iter_mut() {
            if let (true, Some(due)) = (session.phase.is_ready(), session.lists.get_mut(place)) {
                self.core.mark(due);
            }
        }
        if !P::SUBSCRIPTIONS {
            return;
        }
        for stream in self.streams.iter_mut() {
            if let (Some(true), Some(due)) = (stream.wants.get(place), stream.lists.get_mut(place)) {
                self.core.mark(due);
            }
        }
    }

    /// Marks the change of a resource as due to every ready session and every stream that watches it.
    pub(in crate::engine::server) fn resource_updated(&mut self, uri: &str) {
        if !P::SUBSCRIPTIONS {
            return;
        }
        let texts = self.arena.texts();
        for watch in self.watches.iter_mut() {
            let is_it = matches!(watch.watched, Watched::Resource(watched) if JsonStr::from_valid(texts.get(watched)) == *uri);
            let is_ready = match watch.watcher {
                Watcher::Stream(_) => true,
                Watcher::Session(place) => {
                    self.sessions.get(usize::from(place)).is_some_and(|session| session.phase.is_ready())
                }
            };
            if is_it && is_ready {
                self.core.mark(&mut watch.due);
            }
        }
    }

    /// Marks the end of all streams as due.
    pub(in crate::engine::server) fn end_streams(&mut self) {
        for stream in self.streams.iter_mut() {
            self.core.mark(&mut stream.end);
        }
    }
}
