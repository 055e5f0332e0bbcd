//! An application that offers everything a server can, on top of the demo: it defers, asks, refuses, fails and breaks
//! rules when told so.

mod decisions;
mod seen;

use barewire::demo::Demo;
use barewire::engine::{
    Answers, CallError, CallToken, Completion, CompletionReply, Context, Disposition, Event, Handler,
    PromptGet, PromptReply, Questions, ResourceRead, ResourceReply, Resumed, TaskToken, ToolCall, ToolReply,
};
use barewire::mcp::{
    Capabilities, Era, Implementation, Parameter, Prompt, Resource, ResourceTemplate, TaskSupport, Tool, Type,
};
use barewire::rpc::ErrorCode;

use super::replies::Answering;
use decisions::{Chance, ask_for_task, decide, result_of_task};

pub use decisions::{ASK, BEGIN_TASK, DEFER, question};
pub use seen::{Kind, Run, Seen};

/// The demo, tools that do as they are told, and notes of what happened.
#[derive(Debug)]
pub struct Application {
    demo: Demo<Seen>,
    tools: Vec<Tool<'static>>,
    prompts: Vec<Prompt<'static>>,
    /// What the next runs of handlers do, the next one last. Without any they are done.
    script: Vec<u8>,
    /// A call that is not the one that is asked.
    other_call: Option<CallToken>,
    /// The tasks that were ever begun.
    tasks: Vec<TaskToken>,
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
            other_call: None,
            tasks: Vec::new(),
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
        context: &Context<'_>,
        task: Option<TaskToken>,
        reply: &mut dyn Answering,
    ) -> Result<Disposition, CallError<'static>> {
        let (choice, size) = (self.next(), self.next());
        let chance = Chance {
            context,
            task,
            other_call: self.other_call,
            other_task: self.tasks.first().copied(),
        };
        decide(choice, size, &chance, reply)
    }

    /// Notes down what a run came to.
    fn note(&mut self, kind: Kind, context: &Context<'_>, outcome: &Result<Disposition, CallError<'_>>) {
        let came_to = outcome.as_ref().ok().copied();
        match came_to {
            Some(Disposition::Deferred(token)) => self.other_call = Some(token),
            Some(Disposition::Task(token)) => self.tasks.push(token),
            _ => {}
        }
        let id = context.id().to_string();
        self.seen().runs.push(Run { id, kind, came_to });
    }
}

/// Looks at all that a resumed call knows.
fn look_at(resumed: &Resumed<'_>) {
    let _ = (resumed.subject().as_str(), resumed.state().as_str());
    let is_modern = resumed.context().version().era() == Era::Modern;
    assert!(
        is_modern || resumed.task().is_none(),
        "a legacy task has no second call"
    );
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

    fn capabilities(&self) -> Capabilities {
        let mut offered = self.demo.capabilities();
        offered.tools_list_changed = true;
        offered.resources_list_changed = true;
        offered.prompts_list_changed = true;
        offered
    }

    fn tools(&self) -> &[Tool<'_>] {
        &self.tools
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let outcome = if call.is("behave") {
            behave(&call, reply)
        } else if call.is(DO) || call.is(MUST) {
            self.decide(call.context(), call.task(), reply)
        } else {
            self.demo.call_tool(call, reply)
        };
        self.note(Kind::Tool, call.context(), &outcome);
        outcome
    }

    fn resume_tool<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        look_at(&call);
        let outcome = match call.is(DO) || call.is(MUST) {
            true => self.decide(call.context(), None, reply),
            false => self.demo.resume_tool(call, reply),
        };
        self.note(Kind::Tool, call.context(), &outcome);
        outcome
    }

    fn task_result<'a>(&mut self, _: TaskToken, reply: &mut ToolReply<'_, '_>) -> Result<(), CallError<'a>> {
        result_of_task(self.of_tasks, reply)
    }

    fn task_asks(&mut self, _: TaskToken, questions: &mut Questions<'_, '_>) {
        ask_for_task(self.of_tasks, questions);
    }

    fn task_answered(&mut self, task: TaskToken, answers: Answers<'_>) {
        let _ = answers.get("k").and_then(|answer| answer.elicited());
        self.seen().task_answered.push(task);
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
        reply: &mut ResourceReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let outcome = match read.is("do:x") {
            true => self.decide(read.context(), None, reply),
            false => self.demo.read_resource(read, reply),
        };
        self.note(Kind::Read, read.context(), &outcome);
        outcome
    }

    fn resume_read<'a>(
        &mut self,
        read: Resumed<'a>,
        reply: &mut ResourceReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        look_at(&read);
        let outcome = self.decide(read.context(), None, reply);
        self.note(Kind::Read, read.context(), &outcome);
        outcome
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        &self.prompts
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: &mut PromptReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let outcome = match get.is(DO) {
            true => self.decide(get.context(), None, reply),
            false => self.demo.get_prompt(get, reply),
        };
        self.note(Kind::Prompt, get.context(), &outcome);
        outcome
    }

    fn resume_prompt<'a>(
        &mut self,
        get: Resumed<'a>,
        reply: &mut PromptReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        look_at(&get);
        let outcome = self.decide(get.context(), None, reply);
        self.note(Kind::Prompt, get.context(), &outcome);
        outcome
    }

    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: &mut CompletionReply<'_, '_>,
    ) -> Result<(), CallError<'a>> {
        self.demo.complete(completion, reply)
    }

    fn event(&mut self, event: Event<'_>) {
        self.demo.event(event);
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

fn behave<'a>(call: &ToolCall<'a>, reply: &mut ToolReply<'_, '_>) -> Result<Disposition, CallError<'a>> {
    let way = call.string("how").map(|way| way.to_string()).unwrap_or_default();
    reply.log(barewire::mcp::LoggingLevel::Warning, Some("behave"), &way);
    match way.as_str() {
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
            reply.structured_object(call.arguments()).text("late");
        }
        "no object" => {
            reply.structured(|json| {
                json.string("no object");
            });
        }
        "meta" => {
            reply.text("meta").meta(call.arguments());
        }
        "long" => {
            reply.text(&"long ".repeat(100)).image("image/png", &[0xFF; 100]);
        }
        "nothing" => {}
        _ => {
            reply.structured_object(call.arguments());
        }
    }
    Ok(Disposition::Done)
}
