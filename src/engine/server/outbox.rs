//! Lines that come due by themselves: changes, answers to requests that wait for a task, withdrawn and expired questions, ends of streams.

use core::ops::ControlFlow;

use super::answer::Written;
use super::engine::{Engine, context_of};
use super::state::{NEVER, State};
use super::storage::{CallState, Due, Watched, Watcher};
use super::{Address, Answer, Event, Handler, Parts, Sent, TaskToken, notify};
use crate::bytes::Sink;
use crate::engine::server::close::Extra;
use crate::json::{JsonStr, Writer};
use crate::mcp::{Capabilities, Feature, Method, ProtocolVersion};
use crate::rpc::RequestId;

/// A line that is due.
#[derive(Debug, Clone, Copy)]
enum Item {
    /// For the call in this place.
    Call(usize),
    /// A list has changed: for the session in this place.
    SessionList(usize, usize),
    /// A list has changed: for the stream in this place.
    StreamList(usize, usize),
    /// The end of the stream in this place.
    StreamEnd(usize),
    /// A resource or a task has changed: for the watch in this place.
    Watch(usize),
    /// The task in this place has changed: for its session.
    Task(usize),
}

/// Notifications of changed lists and their capabilities, in the order of the tables.
const LIST_CHANGED: [(Method, Capabilities); 3] = [
    (Method::ToolsListChanged, Capabilities::TOOLS_LIST_CHANGED),
    (Method::PromptsListChanged, Capabilities::PROMPTS_LIST_CHANGED),
    (Method::ResourcesListChanged, Capabilities::RESOURCES_LIST_CHANGED),
];

/// Whether a due line is a mark of a change, which may wait for any time: it takes no storage besides what the client has subscribed to.
type IsMark = bool;

/// The due line with the smallest number so far.
struct Earliest {
    due: Due,
    found: Option<(Item, Option<Address>)>,
    /// At least one line is due, to whomever.
    is_any: bool,
}

impl Earliest {
    /// Takes a line if it is due earlier, and its receiver is gone or writable. The address is only looked for if it matters.
    fn consider(
        &mut self,
        due: Due,
        item: Item,
        address: impl FnOnce() -> Option<Address>,
        writable: &mut impl FnMut(Address, IsMark) -> bool,
    ) {
        if due == 0 {
            return;
        }
        self.is_any = true;
        if self.found.is_some() && due >= self.due {
            return;
        }
        let address = address();
        if address.is_none_or(|address| writable(address, !matches!(item, Item::Call(_)))) {
            self.due = due;
            self.found = Some((item, address));
        }
    }
}

impl<P: Parts> State<'_, P> {
    /// The line that is due for the longest time, among those whose receiver is writable.
    fn earliest(
        &mut self,
        writable: &mut impl FnMut(Address, IsMark) -> bool,
    ) -> Option<(Item, Option<Address>)> {
        let mut earliest = Earliest { due: 0, found: None, is_any: false };
        for (place, call) in self.calls().iter().enumerate() {
            earliest.consider(call.due, Item::Call(place), || Self::address_of(call), writable);
        }
        for (place, session) in self.sessions.iter().enumerate() {
            let address = || u16::try_from(place).ok().map(Address::Session);
            for (list, due) in session.lists.iter().enumerate() {
                earliest.consider(*due, Item::SessionList(place, list), address, writable);
            }
        }
        if P::TASKS {
            for (place, task) in self.tasks.iter().enumerate() {
                let address = || task.session.map(Address::Session);
                earliest.consider(task.due, Item::Task(place), address, writable);
            }
        }
        if P::SUBSCRIPTIONS {
            for (place, stream) in self.streams.iter().enumerate() {
                let address = || Some(Address::Stream(stream.channel));
                for (list, due) in stream.lists.iter().enumerate() {
                    earliest.consider(*due, Item::StreamList(place, list), address, writable);
                }
                earliest.consider(stream.end, Item::StreamEnd(place), address, writable);
            }
            for (place, watch) in self.watches.iter().enumerate() {
                let address = || match watch.watcher {
                    Watcher::Session(session) => Some(Address::Session(session)),
                    Watcher::Stream(number) => {
                        let mut streams = self.streams.iter();
                        let stream = streams.find(|stream| stream.number == number);
                        stream.map(|stream| Address::Stream(stream.channel))
                    }
                };
                earliest.consider(watch.due, Item::Watch(place), address, writable);
            }
        }
        self.core.has_due = earliest.is_any;
        earliest.found
    }

    /// Clears the mark of a line: it is sent, or fits no output.
    fn clear(&mut self, item: Item) {
        let due = match item {
            Item::Call(place) => self.calls.get_mut(place).map(|call| &mut call.due),
            Item::SessionList(place, list) => {
                self.sessions.get_mut(place).and_then(|session| session.lists.get_mut(list))
            }
            Item::StreamList(place, list) => {
                self.streams.get_mut(place).and_then(|stream| stream.lists.get_mut(list))
            }
            Item::StreamEnd(place) => self.streams.get_mut(place).map(|stream| &mut stream.end),
            Item::Watch(place) => self.watches.get_mut(place).map(|watch| &mut watch.due),
            Item::Task(place) => self.tasks.get_mut(place).map(|task| &mut task.due),
        };
        if let Some(due) = due {
            *due = 0;
        }
    }
}

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    /// Writes one line that is due, to a receiver that is writable.
    // Not inlined: 144 bytes less stack in the demo of the footprint.
    #[inline(never)]
    pub(super) fn poll(
        &mut self,
        writable: &mut impl FnMut(Address, IsMark) -> bool,
        out: &mut Sink<'_>,
    ) -> Sent {
        self.expire();
        while self.state.core.has_due {
            let Some((item, address)) = self.state.earliest(writable) else {
                return Sent::Nothing;
            };
            let (before, mark) = (out.len(), out.mark());
            if self.write_due(item, before == 0, out).is_break() {
                return Sent::NoRoom;
            }
            match address {
                Some(address) if out.len() > before => return Sent::To(address),
                // There was nothing to write, or the receiver is gone.
                _ => out.rollback(mark),
            }
        }
        Sent::Nothing
    }

    /// Writes a line, or clears its mark where there is nothing to write. Breaks, and changes nothing, if the line does not fit into what is
    /// left of the output; a line that does not fit an empty output is dropped.
    fn write_due(&mut self, item: Item, is_empty: bool, out: &mut Sink<'_>) -> ControlFlow<()> {
        let written = match item {
            Item::Call(place) => return self.write_due_call(place, is_empty, out),
            Item::SessionList(_, list) => {
                let offered = self.app.offered::<P>();
                match LIST_CHANGED.get(list) {
                    Some((method, capability)) if offered.has(*capability) => {
                        notify::changed(out, method.name(), None, None)
                    }
                    _ => Written::Yes,
                }
            }
            Item::StreamList(place, list) => match (self.state.streams.get(place), LIST_CHANGED.get(list)) {
                (Some(stream), Some((method, _))) => {
                    let id = self.state.arena.texts().get(stream.id);
                    notify::changed(out, method.name(), Some(RequestId::from_appended(id)), None)
                }
                _ => Written::Yes,
            },
            Item::StreamEnd(place) => return self.write_end(place, is_empty, out),
            Item::Watch(place) => self.write_watch(place, out),
            Item::Task(place) => self.write_status(place, out),
        };
        if written == Written::No && !is_empty {
            return ControlFlow::Break(());
        }
        self.state.clear(item);
        self.check_room(written);
        ControlFlow::Continue(())
    }

    /// The change of a resource or a task, to a client that watches it.
    fn write_watch(&mut self, place: usize, out: &mut Sink<'_>) -> Written {
        let Some(watch) = self.state.watches.get(place).copied() else {
            return Written::Yes;
        };
        let stream = match watch.watcher {
            Watcher::Session(_) => None,
            Watcher::Stream(number) => {
                let mut streams = self.state.streams.iter();
                streams.find(|stream| stream.number == number).map(|stream| stream.id)
            }
        };
        match watch.watched {
            Watched::Resource(uri) => {
                let texts = self.state.arena.texts();
                let id = stream.map(|id| RequestId::from_appended(texts.get(id)));
                let uri = JsonStr::from_valid(texts.get(uri));
                notify::changed(out, Method::ResourcesUpdated.name(), id, Some(uri))
            }
            Watched::Task(task) => notify::write(out, Method::Tasks.name(), |json: &mut Writer<'_, '_>| {
                self.write_task(json, task, ProtocolVersion::LATEST_MODERN);
                if let Some(id) = stream {
                    let id = self.state.arena.texts().get(id);
                    notify::subscription_meta(json, RequestId::from_appended(id));
                }
            }),
        }
    }

    /// The state of a task, to its session.
    fn write_status(&mut self, place: usize, out: &mut Sink<'_>) -> Written {
        let Some(task) = self.state.tasks.get(place).copied() else {
            return Written::Yes;
        };
        let phase = self.state.phase(task.session);
        let version = phase.version().filter(|version| {
            phase.is_ready() && *version == task.version.get() && version.has(Feature::Tasks)
        });
        let Some(version) = version else {
            return Written::Yes;
        };
        notify::write(out, Method::TasksStatus.name(), |json: &mut Writer<'_, '_>| {
            self.write_task(json, task.token, version);
        })
    }

    fn write_end(&mut self, place: usize, is_empty: bool, out: &mut Sink<'_>) -> ControlFlow<()> {
        let Some(stream) = self.state.streams.get(place) else {
            return ControlFlow::Continue(());
        };
        let mark = out.mark();
        let id = RequestId::from_appended(self.state.arena.texts().get(stream.id));
        let version = ProtocolVersion::LATEST_MODERN;
        let written = self.app.empty::<P>(out, id, version, Extra::Subscription(id));
        if written != Written::Yes && !is_empty {
            out.rollback(mark);
            return ControlFlow::Break(());
        }
        self.check_room(written);
        self.state.close_stream(place);
        ControlFlow::Continue(())
    }

    fn write_due_call(&mut self, place: usize, is_empty: bool, out: &mut Sink<'_>) -> ControlFlow<()> {
        let Some(call) = self.state.calls.get(place) else {
            return ControlFlow::Continue(());
        };
        match call.state {
            CallState::AwaitsTask(task) if P::TASKS => self.write_awaited(place, task, is_empty, out),
            // The request of the server is withdrawn first, then the call continues without the answer.
            state if call.question > 0 => {
                let written = notify::cancelled(out, RequestId::from(i64::from(call.question)));
                if written == Written::No && !is_empty {
                    return ControlFlow::Break(());
                }
                if state == CallState::Withdrawn {
                    self.state.remove_call(place);
                } else if let Some(call) = self.state.calls.get_mut(place) {
                    call.question = 0;
                    call.due = self.state.core.now_due();
                }
                ControlFlow::Continue(())
            }
            // The answer may need all of the room.
            _ if !is_empty => ControlFlow::Break(()),
            _ => {
                self.state.clear(Item::Call(place));
                self.resume(place, Answer::TimedOut, out);
                ControlFlow::Continue(())
            }
        }
    }

    /// The answer to `tasks/result`, now that the task has ended.
    fn write_awaited(
        &mut self,
        place: usize,
        task: TaskToken,
        is_empty: bool,
        out: &mut Sink<'_>,
    ) -> ControlFlow<()> {
        let Some(call) = self.state.calls.get(place) else {
            return ControlFlow::Continue(());
        };
        let log_level = self.state.log_level_of(call);
        let mark = out.mark();
        let context = context_of(self.state.arena.texts(), call, log_level);
        let written = self.app.answer_task_result::<P>(&self.state, &context, task, out);
        if written != Written::Yes && !is_empty {
            out.rollback(mark);
            return ControlFlow::Break(());
        }
        self.state.remove_call(place);
        self.mark_fetched(task, written != Written::No);
        self.check_room(written);
        ControlFlow::Continue(())
    }

    /// Marks as due what time has ended: questions without an answer, requests for the results of tasks that are forgotten.
    fn expire(&mut self) {
        let now = self.state.core.now;
        if !self.state.core.is_late() {
            return;
        }
        (self.state.core.deadline, self.state.core.is_late) = (NEVER, false);
        if P::TASKS {
            while let Some(place) = self.state.tasks.iter().position(|task| task.deadline() <= now) {
                if let Some(token) = self.state.remove_task(place) {
                    self.app.event(Event::TaskForgotten(token));
                }
            }
            for task in self.state.tasks.iter() {
                self.state.core.wake_at(task.deadline());
            }
        }
        if P::ASKING && P::CALLS {
            for call in self.state.calls.iter_mut() {
                match call.deadline.get() {
                    // One that is over is waited for no longer.
                    _ if !call.is_question() || call.due > 0 => {}
                    deadline if deadline <= now => self.state.core.mark(&mut call.due),
                    deadline => self.state.core.wake_at(deadline),
                }
            }
        }
    }
}
