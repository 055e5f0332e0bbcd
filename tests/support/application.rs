//! An application that offers everything a server can, on top of the demo: it defers, asks, refuses, fails and breaks
//! rules when told so.

mod decisions;
mod seen;

use barewire::demo::Demo;
use barewire::engine::{
    Answers, CallError, Completion, CompletionReply, Context, Event, Handler, Outcome, PromptGet,
    PromptReply, ResourceRead, ResourceReply, Resumed, ResumedReply, TaskHandler, TaskQuestions, TaskToken,
    ToolCall, ToolContent, ToolReply,
};
use barewire::mcp::{
    Capabilities, Era, Implementation, Parameter, Prompt, Resource, ResourceTemplate, TaskSupport, Tool, Type,
};
use barewire::rpc::ErrorCode;

use decisions::{Chance, ask_for_task, decide, result_of_task};

pub use decisions::{ASK, BEGIN_TASK, DEFER, OLD, question};
pub use seen::{Kind, Later, Run, Seen};

/// The demo, tools that do as they are told, and notes of what happened.
#[derive(Debug)]
pub struct Application {
    demo: Demo<Seen>,
    tools: Vec<Tool<'static>>,
    prompts: Vec<Prompt<'static>>,
    /// What the next runs of handlers do, the next one last. Without any they are done.
    script: Vec<u8>,
    /// The last outcome of a run.
    old: Option<Outcome>,
    /// What tasks ask, and what they have come to.
    of_tasks: u8,
}

/// A tool that may be a task, a prompt and a resource, that do what the script says.
const DO: &str = "do";
/// A tool that must be a task.
const MUST: &str = "must";

const TOOLS: &[Tool<'_>] = &[
    BEHAVE,
    Tool::new(DO, "Does what the script says.")
        .with_open_parameters(&[])
        .with_task_support(TaskSupport::Optional),
    Tool::new(MUST, "The same, as a task.")
        .with_open_parameters(&[])
        .with_task_support(TaskSupport::Required),
];

const BEHAVE: Tool<'_> = Tool::new("behave", "Does what it is told, well or not.")
    .with_open_parameters(&[Parameter::optional("how", Type::STRING)]);

impl Default for Application {
    fn default() -> Self {
        Self {
            demo: Demo::new(Seen::default()),
            tools: [barewire::demo::TOOLS, TOOLS].concat(),
            prompts: [barewire::demo::PROMPTS, &[Prompt::new(DO)]].concat(),
            script: Vec::new(),
            old: None,
            of_tasks: 0,
        }
    }
}

impl Application {
    /// What happened.
    pub fn seen(&mut self) -> &mut Seen {
        self.demo.host_mut()
    }

    /// What the next runs of handlers do: of each two bytes, in this order.
    pub fn follow(&mut self, script: &[u8]) {
        self.script = script.iter().rev().copied().collect();
    }

    /// What tasks ask and come to from now on.
    pub fn set_tasks(&mut self, choice: u8) {
        self.of_tasks = choice;
    }

    fn next(&mut self) -> u8 {
        self.script.pop().unwrap_or_default()
    }

    fn decide(
        &mut self,
        may_be_task: bool,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'static>> {
        let (choice, size) = (self.next(), self.next());
        let chance = Chance { may_be_task, old: self.old };
        let outcome = decide(choice, size, chance, reply, self.seen());
        self.old = outcome.as_ref().ok().copied().or(self.old);
        outcome
    }

    /// Notes down what a run came to.
    fn note(&mut self, kind: Kind, context: &Context<'_>) {
        let id = context.id().to_string();
        let later = self.seen().later.take();
        self.seen().runs.push(Run { id, kind, later });
    }
}

/// Looks at all that a resumed call knows.
fn look_at(resumed: &Resumed<'_>) {
    let _ = (resumed.subject().as_str(), resumed.state().as_str());
    let is_modern = resumed.context().version().era() == Era::Modern;
    assert!(is_modern || !resumed.may_be_task(), "a legacy task has no second call");
    for key in ["k", "a", "sure"] {
        let answer = resumed.answer(key);
        let _ = answer.map(|answer| (answer.elicited(), answer.sampled(), answer.roots()));
    }
}

impl Handler for Application {
    fn info(&self) -> Implementation<'_> {
        // Short, so that a result fits a small output.
        Implementation::new("d", "1")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        self.demo.capabilities(offered);
        offered.insert(
            Capabilities::TOOLS_LIST_CHANGED
                | Capabilities::RESOURCES_LIST_CHANGED
                | Capabilities::PROMPTS_LIST_CHANGED,
        );
    }

    fn tools(&self) -> &[Tool<'_>] {
        &self.tools
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let outcome = if call.is("behave") {
            behave(&call, reply)
        } else if call.is(DO) || call.is(MUST) {
            self.decide(call.may_be_task(), ResumedReply::Tool(reply))
        } else {
            self.demo.call_tool(call, reply)
        };
        self.note(Kind::Tool, call.context());
        outcome
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        look_at(&call);
        let kind = match &reply {
            ResumedReply::Tool(_) => Kind::Tool,
            ResumedReply::Resource(_) => Kind::Read,
            ResumedReply::Prompt(_) => Kind::Prompt,
        };
        let outcome = match kind == Kind::Tool && !call.is(DO) && !call.is(MUST) {
            true => self.demo.resume(call, reply),
            false => self.decide(call.may_be_task(), reply),
        };
        self.note(kind, call.context());
        outcome
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        Some(self)
    }

    fn resources(&self) -> &[Resource<'_>] {
        self.demo.resources()
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        self.demo.resource_templates()
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let outcome = match read.is("do:x") {
            true => self.decide(false, ResumedReply::Resource(reply)),
            false => self.demo.read_resource(read, reply),
        };
        self.note(Kind::Read, read.context());
        outcome
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        &self.prompts
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let outcome = match get.is(DO) {
            true => self.decide(false, ResumedReply::Prompt(reply)),
            false => self.demo.get_prompt(get, reply),
        };
        self.note(Kind::Prompt, get.context());
        outcome
    }

    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: CompletionReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.demo.complete(completion, reply)
    }

    fn event(&mut self, event: Event<'_>) {
        self.demo.event(event);
    }
}

impl TaskHandler for Application {
    fn task_result<'a>(
        &mut self,
        _: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        result_of_task(self.of_tasks, content)
    }

    fn task_questions(&mut self, _: TaskToken, questions: &mut TaskQuestions<'_, '_>) {
        ask_for_task(self.of_tasks, questions);
    }

    fn task_answered(&mut self, task: TaskToken, answers: Answers<'_>) {
        let _ = answers.get("k").and_then(|answer| answer.elicited());
        self.seen().task_answered.push(task);
    }
}

/// The ways of the tool `behave`.
pub const WAYS: &[&str] = &[
    "refuse",
    "fail",
    "internal",
    "busy",
    "not found",
    "invalid",
    "late content",
    "no object",
    "meta",
    "long",
    "nothing",
];

fn behave<'a>(call: &ToolCall<'a>, mut reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
    let way = call.string("how").map(|way| way.to_string()).unwrap_or_default();
    reply.log(barewire::mcp::LoggingLevel::Warning, Some("behave"), way.as_str());
    Ok(match way.as_str() {
        "refuse" => {
            return Err(CallError::Refused {
                code: ErrorCode(7),
                message: "Not today",
                data: Some(call.arguments().as_value()),
            });
        }
        "fail" => return Err(CallError::Failed("It \"failed\"\n")),
        "internal" => return Err(CallError::Internal),
        "busy" => return Err(CallError::Busy),
        "not found" => return Err(CallError::NotFound),
        "invalid" => return Err(CallError::InvalidParams),
        "late content" => {
            let content = reply.content().structured_object(call.arguments());
            content.text("late").done()
        }
        "no object" => reply.structured_with(|json| {
            json.string("no object");
        }),
        "meta" => reply.content().text("meta").meta(call.arguments()).done(),
        "long" => {
            let content = reply.content().text("long ".repeat(100).as_str());
            content.image("image/png", &[0xFF; 100]).done()
        }
        "nothing" => reply.content().done(),
        _ => reply.structured_object(call.arguments()),
    })
}
