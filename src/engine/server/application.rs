//! The application as the engine calls it. With `std`, a transport may have its panics caught.

#[cfg(feature = "std")]
use core::panic::AssertUnwindSafe;
#[cfg(feature = "std")]
use core::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "std")]
use std::panic::catch_unwind;

#[cfg(feature = "std")]
use super::Fault;
use super::parts::left_out;
use super::{CallError, Context, Event, Handler, Outcome, Parts};
use crate::mcp::{Capabilities, Implementation, Prompt, Resource, ResourceTemplate, TaskSupport, Tool};

/// What a host does with faults of the application: whether panics are caught, whether one was, and the report of other faults.
#[derive(Debug)]
pub(super) struct Guard {
    #[cfg(feature = "std")]
    pub(super) report: fn(Fault<'_>),
    #[cfg(feature = "std")]
    pub(super) catches: bool,
    /// A method without an error result has panicked.
    #[cfg(feature = "std")]
    has_failed: AtomicBool,
}

impl Guard {
    pub(super) const fn new() -> Self {
        Self {
            #[cfg(feature = "std")]
            report: |_| {},
            #[cfg(feature = "std")]
            catches: false,
            #[cfg(feature = "std")]
            has_failed: AtomicBool::new(false),
        }
    }
}

#[cfg_attr(not(feature = "std"), allow(clippy::unused_self, reason = "as with `std`"))]
impl Guard {
    /// Progress was refused.
    pub(super) fn progress_refused(&self) {
        #[cfg(feature = "std")]
        (self.report)(Fault::Progress);
    }
}

/// A handler whose panics are caught, if the transport wants that. So the engine itself never unwinds, and a panic leaves its state as any
/// other error does.
pub(super) struct Application<'a, H: ?Sized> {
    handler: &'a mut H,
    #[cfg(feature = "std")]
    guard: &'a Guard,
}

impl<'a, H: ?Sized> Application<'a, H> {
    #[cfg_attr(not(feature = "std"), allow(unused_variables, reason = "nothing to catch"))]
    pub(super) const fn new(handler: &'a mut H, guard: &'a Guard) -> Self {
        Self {
            handler,
            #[cfg(feature = "std")]
            guard,
        }
    }
}

#[cfg(feature = "std")]
impl<H: ?Sized> Application<'_, H> {
    /// Whether a method that cannot report an error has panicked. What was written since is not to be trusted.
    pub(super) fn has_failed(&self) -> bool {
        self.guard.has_failed.load(Ordering::Relaxed)
    }

    /// [`has_failed`](Self::has_failed), and no longer.
    pub(super) fn take_failure(&self) -> bool {
        self.guard.has_failed.swap(false, Ordering::Relaxed)
    }

    /// Calls a method that answers; a panic is an internal error.
    pub(super) fn call<'e>(
        &mut self,
        call: impl FnOnce(&mut H) -> Result<Outcome, CallError<'e>>,
    ) -> Result<Outcome, CallError<'e>> {
        let handler = &mut *self.handler;
        match self.guard.catches {
            true => catch_unwind(AssertUnwindSafe(|| call(handler))).unwrap_or(Err(CallError::Internal)),
            false => call(handler),
        }
    }

    fn get<T>(&self, get: impl FnOnce() -> T, otherwise: T) -> T {
        if !self.guard.catches {
            return get();
        }
        catch_unwind(AssertUnwindSafe(get)).unwrap_or_else(|_| {
            self.guard.has_failed.store(true, Ordering::Relaxed);
            otherwise
        })
    }

    /// Calls a method without a result. A panic is a failure if the client waits for what it does.
    pub(super) fn tell(&mut self, is_waited_for: bool, tell: impl FnOnce(&mut H)) {
        let handler = &mut *self.handler;
        if !self.guard.catches {
            return tell(handler);
        }
        if catch_unwind(AssertUnwindSafe(|| tell(handler))).is_err() && is_waited_for {
            self.guard.has_failed.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(not(feature = "std"))]
#[allow(clippy::unused_self, reason = "as with `std`")]
impl<H: ?Sized> Application<'_, H> {
    pub(super) const fn has_failed(&self) -> bool {
        false
    }

    pub(super) const fn take_failure(&self) -> bool {
        false
    }

    pub(super) fn call<'e>(
        &mut self,
        call: impl FnOnce(&mut H) -> Result<Outcome, CallError<'e>>,
    ) -> Result<Outcome, CallError<'e>> {
        call(self.handler)
    }

    fn get<T>(&self, get: impl FnOnce() -> T, _: T) -> T {
        get()
    }

    pub(super) fn tell(&mut self, _: bool, tell: impl FnOnce(&mut H)) {
        tell(self.handler);
    }
}

impl<H: Handler + ?Sized> Application<'_, H> {
    pub(super) fn info(&self) -> Implementation<'_> {
        self.get(|| self.handler.info(), Implementation::new("", ""))
    }

    pub(super) fn instructions(&self) -> Option<&str> {
        self.get(|| self.handler.instructions(), None)
    }

    pub(super) fn tools(&self) -> &[Tool<'_>] {
        self.get(|| self.handler.tools(), &[])
    }

    pub(super) fn resources(&self) -> &[Resource<'_>] {
        self.get(|| self.handler.resources(), &[])
    }

    pub(super) fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        self.get(|| self.handler.resource_templates(), &[])
    }

    pub(super) fn prompts(&self) -> &[Prompt<'_>] {
        self.get(|| self.handler.prompts(), &[])
    }

    pub(super) fn event(&mut self, event: Event<'_>) {
        #[cfg(feature = "std")]
        match event {
            Event::Misuse(what) => (self.guard.report)(Fault::Misuse(what)),
            Event::NoRoom => (self.guard.report)(Fault::NoRoom),
            _ => {}
        }
        self.tell(false, |handler| handler.event(event));
    }

    /// Takes note that the answer to a request does not fit.
    #[cfg_attr(not(feature = "std"), allow(clippy::unused_self, reason = "as with `std`"))]
    pub(super) fn too_large(&self, _context: &Context<'_>) {
        #[cfg(feature = "std")]
        (self.guard.report)(Fault::TooLarge(_context.method, _context.id));
    }

    /// Takes note that progress was refused.
    #[cfg(feature = "std")]
    pub(super) fn progress_refused(&self) {
        self.guard.progress_refused();
    }

    /// Capabilities of the server: those of the tables that are not empty, as the application has changed them, and as far as the server
    /// is built for them.
    #[inline(always)]
    pub(super) fn offered<P: Parts>(&self) -> Capabilities {
        let mut offered = Capabilities::NONE;
        let tools = self.tools();
        offered.set(Capabilities::TOOLS, !tools.is_empty());
        let mut tools = tools.iter();
        let has_tasks = P::TASKS && tools.any(|tool| tool.task_support() != TaskSupport::Forbidden);
        offered.set(Capabilities::TASKS, has_tasks);
        let has_resources =
            P::RESOURCES && !(self.resources().is_empty() && self.resource_templates().is_empty());
        offered.set(Capabilities::RESOURCES, has_resources);
        offered.set(Capabilities::PROMPTS, P::PROMPTS && !self.prompts().is_empty());
        self.get(|| self.handler.capabilities(&mut offered), ());
        offered.without(const { left_out::<P>() })
    }
}
