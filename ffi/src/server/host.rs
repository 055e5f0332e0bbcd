//! The engine's handler: hands calls and events on to C.

use core::ffi::c_void;

use barewire::engine::{CallError, Event, Handler, Outcome, ToolCall, ToolReply};
use barewire::json::Object;
use barewire::mcp::{Capabilities, Implementation, Tool};

use super::tools::{ToolStore, entries};
use super::{BAREWIRE_SERVER_TOOLS_CHANGE, Config, Token, ToolEntry, reply};
use crate::border::Text;
use crate::message::number;
use crate::status::Result;

/// A legacy session was opened.
pub const BAREWIRE_EVENT_INITIALIZED: i32 = 1;
/// A call that a tool deferred was cancelled: its token is void.
pub const BAREWIRE_EVENT_CANCELLED: i32 = 2;
/// A line that is no message.
pub const BAREWIRE_EVENT_REJECTED: i32 = 3;
/// A damaged line was dropped.
pub const BAREWIRE_EVENT_LOST: i32 = 4;
/// An answer had no room in the output.
pub const BAREWIRE_EVENT_NO_ROOM: i32 = 5;
/// A tool broke a rule of its reply.
pub const BAREWIRE_EVENT_MISUSE: i32 = 6;
/// A notification that the server does not act on.
pub const BAREWIRE_EVENT_NOTIFICATION: i32 = 7;
/// A response that nobody waits for.
pub const BAREWIRE_EVENT_RESPONSE: i32 = 8;

/// `barewire_event`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct HostEvent {
    /// One of the kinds.
    pub kind: i32,
    /// Why a line is no message.
    pub reason: i32,
    /// Of a call that was cancelled.
    pub token: Token,
    /// The revision, the notification or response, or what rule was broken.
    pub text: Text,
}

/// `barewire_event_function`.
pub type EventFunction = unsafe extern "C" fn(user: *mut c_void, event: *const HostEvent);

/// `barewire_call`: a call of a tool.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Call {
    /// The tool's name.
    pub name: Text,
    /// The arguments, an object.
    pub arguments: Text,
    /// All of the params, an object.
    pub params: Text,
    /// The revision of the protocol.
    pub version: Text,
    /// The tool's place in the table.
    pub index: usize,
    /// Whether the client wants to hear of progress.
    pub wants_progress: bool,
}

/// The handler.
#[derive(Debug)]
pub struct Host {
    info: Implementation<'static>,
    instructions: &'static str,
    entries: &'static [ToolEntry],
    tools: &'static [Tool<'static>],
    store: ToolStore,
    tools_change: bool,
    event: Option<EventFunction>,
    user: *mut c_void,
}

impl Host {
    pub(super) fn new(
        info: Implementation<'static>,
        instructions: &'static str,
        config: &Config,
        store: ToolStore,
    ) -> Self {
        Self {
            info,
            instructions,
            entries: &[],
            tools: &[],
            store,
            tools_change: config.flags & BAREWIRE_SERVER_TOOLS_CHANGE != 0,
            event: config.event,
            user: config.user,
        }
    }

    /// Takes over a table; after an error there are no tools.
    ///
    /// # Safety
    /// The entries and all they name are good for reads, and stay so while the server is used; the store is the server's.
    pub(super) unsafe fn set_tools(&mut self, tools: *const ToolEntry, count: usize) -> Result<()> {
        (self.entries, self.tools) = (&[], &[]);
        // SAFETY: by the caller's promise. Nothing refers to the store any more.
        (self.entries, self.tools) = unsafe {
            let entries = entries(tools, count)?;
            (entries, self.store.fill(entries)?)
        };
        Ok(())
    }

    fn tell(&self, kind: i32, reason: i32, token: Token, text: &[u8]) {
        let Some(function) = self.event else {
            return;
        };
        let event = HostEvent { kind, reason, token, text: Text::of(text) };
        // SAFETY: a function of the header's type, as the caller of `init` promised; the event outlives the call.
        unsafe { function(self.user, &raw const event) };
    }
}

impl Handler for Host {
    fn info(&self) -> Implementation<'_> {
        self.info
    }

    fn instructions(&self) -> Option<&str> {
        (!self.instructions.is_empty()).then_some(self.instructions)
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        if self.tools_change {
            offered.insert(Capabilities::TOOLS | Capabilities::TOOLS_LIST_CHANGED);
        }
    }

    fn tools(&self) -> &[Tool<'_>] {
        self.tools
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> core::result::Result<Outcome, CallError<'a>> {
        let entry = self.entries.get(call.index()).ok_or(CallError::NotFound)?;
        let function = entry.function.ok_or(CallError::NotFound)?;
        let context = call.context();
        let view = Call {
            name: entry.name,
            arguments: Text::of(call.arguments().as_bytes()),
            params: Text::of_value(context.params().map(Object::as_value)),
            version: Text::of(context.version().as_str().as_bytes()),
            index: call.index(),
            wants_progress: context.wants_progress(),
        };
        reply::run(reply, context.may_be_deferred(), |reply| {
            // SAFETY: a function of the header's type, as the caller of `init` promised; both places outlive the call.
            unsafe { function(entry.user, &raw const view, reply) }
        })
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Initialized(version) => {
                self.tell(BAREWIRE_EVENT_INITIALIZED, 0, 0, version.as_str().as_bytes());
            }
            Event::Cancelled(token) => self.tell(BAREWIRE_EVENT_CANCELLED, 0, token.to_bits(), b""),
            Event::Rejected(rejection) => {
                self.tell(BAREWIRE_EVENT_REJECTED, number(rejection.reason()), 0, b"");
            }
            Event::Lost => self.tell(BAREWIRE_EVENT_LOST, 0, 0, b""),
            Event::NoRoom => self.tell(BAREWIRE_EVENT_NO_ROOM, 0, 0, b""),
            Event::Misuse(what) => self.tell(BAREWIRE_EVENT_MISUSE, 0, 0, what.as_bytes()),
            Event::Notification(notification) => {
                self.tell(BAREWIRE_EVENT_NOTIFICATION, 0, 0, notification.frame());
            }
            Event::Response(response) => self.tell(BAREWIRE_EVENT_RESPONSE, 0, 0, response.frame()),
            _ => {}
        }
    }
}
