//! An application that offers everything a server can, on top of the demo: it defers, refuses, fails and breaks rules
//! when told so.

use barewire::demo::{Demo, Host};
use barewire::engine::{
    CallError, CallToken, Completion, CompletionReply, Disposition, Event, Handler, PromptGet, PromptReply,
    ResourceRead, ResourceReply, ToolCall, ToolReply,
};
use barewire::mcp::{
    Capabilities, Implementation, Parameter, Prompt, Resource, ResourceTemplate, Tool, Type,
};
use barewire::rpc::ErrorCode;

/// What happened, for the test to ask.
#[derive(Debug, Default)]
pub struct Seen {
    /// Calls that wait for their answer.
    pub deferred: Vec<CallToken>,
    /// Calls that were cancelled.
    pub cancelled: Vec<CallToken>,
    /// Answers for which there was no room.
    pub no_room: usize,
    /// Broken rules of a reply.
    pub misuses: usize,
    /// Resources that changed.
    pub changed: Vec<&'static str>,
}

impl Host for Seen {
    fn start_slow(&mut self, token: CallToken, _: u32) -> Result<(), CallError<'static>> {
        self.deferred.push(token);
        Ok(())
    }

    fn resource_changed(&mut self, uri: &'static str) {
        self.changed.push(uri);
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Cancelled(token) => {
                self.deferred.retain(|waiting| *waiting != token);
                self.cancelled.push(token);
            }
            Event::NoRoom => self.no_room += 1,
            Event::Misuse(_) => self.misuses += 1,
            _ => {}
        }
    }
}

/// The demo, and a tool that misbehaves.
#[derive(Debug)]
pub struct Application {
    /// The demo below.
    pub demo: Demo<Seen>,
    tools: Vec<Tool<'static>>,
}

const BEHAVE: Tool<'_> = Tool::new("behave", "Does what it is told, well or not.")
    .with_open_parameters(&[Parameter::optional("how", Type::STRING)]);

impl Default for Application {
    fn default() -> Self {
        let mut tools = barewire::demo::TOOLS.to_vec();
        tools.push(BEHAVE);
        Self {
            demo: Demo::new(Seen::default()),
            tools,
        }
    }
}

impl Application {
    /// What happened.
    pub fn seen(&mut self) -> &mut Seen {
        self.demo.host_mut()
    }
}

impl Handler for Application {
    fn info(&self) -> Implementation<'_> {
        self.demo.info()
    }

    fn instructions(&self) -> Option<&str> {
        self.demo.instructions()
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
        if call.is("behave") {
            return behave(&call, reply);
        }
        self.demo.call_tool(call, reply)
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
        self.demo.read_resource(read, reply)
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        self.demo.prompts()
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: &mut PromptReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        self.demo.get_prompt(get, reply)
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
