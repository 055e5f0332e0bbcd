//! The application as the engine calls it: free, or lent to a tool.

use super::answered::Answered;
use super::call::Started;
use super::handler::{AsyncHandler, ToolMode};
use crate::engine::server::{
    CallError, CallToken, Completion, CompletionReply, Context, Event, Handler, Outcome, PromptGet,
    PromptReply, ResourceRead, ResourceReply, Resumed, ResumedReply, TaskHandler, ToolCall, ToolReply,
    forward_tables,
};
use crate::mcp::Era;

/// Handler of one frame for an application with asynchronous tools. It defers the calls of such tools, and while the application is lent to a
/// tool, every request that needs the application. The tables are constants.
///
/// One type for both states: so the engine is compiled once, with the parts of the application that it needs.
pub(crate) struct Deferring<'a, A: AsyncHandler> {
    /// `None` while the application is lent.
    app: Option<&'a mut A>,
    tables: A::Tables,
    frame: &'a [u8],
    /// Whether a request can wait for an application that is lent. One that cannot gets the error `Server busy`.
    pub(crate) can_wait: bool,
    /// Whether requests that could be served at once are deferred, too: a host serves them aside. One that may become a task is not.
    #[cfg(feature = "tokio")]
    pub(crate) serves_aside: bool,
    /// The deferred request may become a task.
    #[cfg(feature = "tokio")]
    pub(crate) may_be_task: bool,
    /// The request that was deferred.
    pub(crate) deferred: Option<CallToken>,
    /// The same, if it is a call of a tool.
    pub(crate) started: Option<Started>,
    /// A deferred call was cancelled.
    pub(crate) has_cancelled: bool,
    /// The client has answered this question, or its time is over.
    pub(crate) answered: Option<(CallToken, Answered)>,
}

impl<'a, A: AsyncHandler> Deferring<'a, A> {
    /// For this frame, or for work without one. An application that is lent is `None`.
    pub(crate) const fn new(app: Option<&'a mut A>, frame: &'a [u8]) -> Self {
        Self {
            app,
            tables: A::TABLES,
            frame,
            can_wait: true,
            #[cfg(feature = "tokio")]
            serves_aside: false,
            #[cfg(feature = "tokio")]
            may_be_task: false,
            deferred: None,
            started: None,
            has_cancelled: false,
            answered: None,
        }
    }

    /// The application, or `None` for a request that is deferred.
    fn app(&mut self, _request: &Context<'_>) -> Result<Option<&mut A>, CallError<'static>> {
        #[cfg(feature = "tokio")]
        {
            self.may_be_task = _request.task.token.is_some();
            if self.serves_aside && !self.may_be_task {
                return Ok(None);
            }
        }
        match &mut self.app {
            None if !self.can_wait => Err(CallError::Busy),
            app => Ok(app.as_deref_mut()),
        }
    }

    fn defer<'e>(
        &mut self,
        deferred: Result<(CallToken, Outcome), CallError<'static>>,
    ) -> Result<Outcome, CallError<'e>> {
        let (token, outcome) = deferred?;
        self.deferred = Some(token);
        Ok(outcome)
    }
}

impl<A: AsyncHandler> Handler for Deferring<'_, A> {
    forward_tables!(tables);

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        if let Some(app) = self.app(call.context())?
            && A::mode(call.index()) == ToolMode::Sync
        {
            return app.call_tool(call, reply);
        }
        let outcome = self.defer(reply.defer())?;
        self.started = Some(Started::new(&call, self.frame));
        Ok(outcome)
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match self.app(read.context())? {
            Some(app) => app.read_resource(read, reply),
            None => self.defer(reply.defer()),
        }
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match self.app(get.context())? {
            Some(app) => app.get_prompt(get, reply),
            None => self.defer(reply.defer()),
        }
    }

    /// A completion cannot be deferred.
    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: CompletionReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match &mut self.app {
            Some(app) => app.complete(completion, reply),
            None => Err(CallError::Busy),
        }
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let tools = self.tables.tools();
        let tool = match &reply {
            ResumedReply::Tool(_) => tools.iter().position(|tool| call.is(tool.name())),
            _ => None,
        };
        let is_async = tool.is_some_and(|tool| A::mode(tool) != ToolMode::Sync);
        // A call of a legacy client cannot wait: the line with the answer is not its own.
        if call.context().version().era() == Era::Legacy {
            let app = self.app.as_deref_mut().ok_or(CallError::Busy)?;
            return app.resume(call, reply);
        }
        if let Some(app) = self.app(call.context())?
            && !is_async
        {
            return app.resume(call, reply);
        }
        let outcome = self.defer(match reply {
            ResumedReply::Tool(reply) => reply.defer(),
            ResumedReply::Resource(reply) => reply.defer(),
            ResumedReply::Prompt(reply) => reply.defer(),
        })?;
        self.started = tool.map(|tool| Started::again(tool, &call, self.frame));
        Ok(outcome)
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        self.app.as_deref_mut()?.tasks()
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Cancelled(_) => self.has_cancelled = true,
            Event::Answered(token, answer) => self.answered = Some((token, Answered::of(self.frame, answer))),
            _ => {}
        }
        if let Some(app) = &mut self.app {
            app.event(event);
        }
    }
}
