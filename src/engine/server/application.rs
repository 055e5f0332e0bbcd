//! The application as the engine calls it. With `std`, a transport may have its panics caught.

#[cfg(feature = "std")]
use core::panic::AssertUnwindSafe;
#[cfg(feature = "std")]
use core::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "std")]
use std::panic::catch_unwind;

use super::{
    Answers, CallError, Completion, CompletionReply, Disposition, Event, Handler, PromptGet, PromptReply,
    Questions, ResourceRead, ResourceReply, Resumed, TaskToken, ToolCall, ToolReply,
};
use crate::mcp::{Capabilities, Implementation, Prompt, Resource, ResourceTemplate, Tool};

/// A handler whose panics are caught, if the transport wants that. So the engine itself never unwinds, and a panic
/// leaves its state as any other error does.
#[derive(Debug)]
pub(super) struct Application<H: ?Sized> {
    #[cfg(feature = "std")]
    guard: Guard,
    pub(super) handler: H,
}

#[cfg(feature = "std")]
#[derive(Debug)]
struct Guard {
    catches: bool,
    /// Whether a method without an error result has panicked.
    has_failed: AtomicBool,
}

impl<H> Application<H> {
    pub(super) const fn new(handler: H) -> Self {
        Self {
            #[cfg(feature = "std")]
            guard: Guard {
                catches: false,
                has_failed: AtomicBool::new(false),
            },
            handler,
        }
    }
}

#[cfg(feature = "std")]
impl<H: ?Sized> Application<H> {
    /// Turns panics into errors of the call, from now on.
    pub(super) const fn catch_panics(&mut self) {
        self.guard.catches = true;
    }

    /// Whether a method without an error result has panicked. Its output must not be sent.
    pub(super) fn has_failed(&self) -> bool {
        self.guard.has_failed.load(Ordering::Relaxed)
    }

    /// [`has_failed`](Self::has_failed), which is then reset.
    pub(super) fn take_failure(&self) -> bool {
        self.guard.has_failed.swap(false, Ordering::Relaxed)
    }

    fn call<'e, T>(
        &mut self,
        call: impl FnOnce(&mut H) -> Result<T, CallError<'e>>,
    ) -> Result<T, CallError<'e>> {
        let handler = &mut self.handler;
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
            self.fail();
            otherwise
        })
    }

    /// Returns false after a panic.
    fn tell(&mut self, tell: impl FnOnce(&mut H)) -> bool {
        let handler = &mut self.handler;
        if self.guard.catches {
            return catch_unwind(AssertUnwindSafe(|| tell(handler))).is_ok();
        }
        tell(handler);
        true
    }

    fn fail(&self) {
        self.guard.has_failed.store(true, Ordering::Relaxed);
    }
}

/// Without `std` a panic ends the program, and every method is a plain call.
#[cfg(not(feature = "std"))]
#[allow(clippy::unused_self, reason = "as with `std`")]
impl<H: ?Sized> Application<H> {
    pub(super) const fn has_failed(&self) -> bool {
        false
    }

    pub(super) const fn take_failure(&self) -> bool {
        false
    }

    fn call<'e, T>(
        &mut self,
        call: impl FnOnce(&mut H) -> Result<T, CallError<'e>>,
    ) -> Result<T, CallError<'e>> {
        call(&mut self.handler)
    }

    fn get<T>(&self, get: impl FnOnce() -> T, _: T) -> T {
        get()
    }

    fn tell(&mut self, tell: impl FnOnce(&mut H)) -> bool {
        tell(&mut self.handler);
        true
    }

    const fn fail(&self) {}
}

impl<H: Handler + ?Sized> Handler for Application<H> {
    fn info(&self) -> Implementation<'_> {
        self.get(|| self.handler.info(), Implementation::new("", ""))
    }

    fn instructions(&self) -> Option<&str> {
        self.get(|| self.handler.instructions(), None)
    }

    fn capabilities(&self) -> Capabilities {
        self.get(|| self.handler.capabilities(), Capabilities::NONE)
    }

    fn tools(&self) -> &[Tool<'_>] {
        self.get(|| self.handler.tools(), &[])
    }

    fn resources(&self) -> &[Resource<'_>] {
        self.get(|| self.handler.resources(), &[])
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        self.get(|| self.handler.resource_templates(), &[])
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        self.get(|| self.handler.prompts(), &[])
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        self.call(|handler| handler.call_tool(call, reply))
    }

    fn resume_tool<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        self.call(|handler| handler.resume_tool(call, reply))
    }

    fn task_result<'a>(
        &mut self,
        task: TaskToken,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<(), CallError<'a>> {
        self.call(|handler| handler.task_result(task, reply))
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: &mut ResourceReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        self.call(|handler| handler.read_resource(read, reply))
    }

    fn resume_read<'a>(
        &mut self,
        read: Resumed<'a>,
        reply: &mut ResourceReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        self.call(|handler| handler.resume_read(read, reply))
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: &mut PromptReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        self.call(|handler| handler.get_prompt(get, reply))
    }

    fn resume_prompt<'a>(
        &mut self,
        get: Resumed<'a>,
        reply: &mut PromptReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        self.call(|handler| handler.resume_prompt(get, reply))
    }

    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: &mut CompletionReply<'_, '_>,
    ) -> Result<(), CallError<'a>> {
        self.call(|handler| handler.complete(completion, reply))
    }

    fn task_asks(&mut self, task: TaskToken, questions: &mut Questions<'_, '_>) {
        if !self.tell(|handler| handler.task_asks(task, questions)) {
            self.fail();
        }
    }

    fn task_answered(&mut self, task: TaskToken, answers: Answers<'_>) {
        if !self.tell(|handler| handler.task_answered(task, answers)) {
            self.fail();
        }
    }

    /// An event has no answer: the message that it reports is answered as usual even if the handler panics.
    fn event(&mut self, event: Event<'_>) {
        let _ = self.tell(|handler| handler.event(event));
    }
}
