//! The server engine of both eras, with a handler that uses every part of it.
#![no_std]
#![no_main]

use core::time::Duration;

use barewire::bytes::{Framer, Sink};
use barewire::engine::{
    Answers, CallError, CallToken, Completion, CompletionReply, Disposition, Event, Full, Handler, List,
    Options, Progress, PromptGet, PromptReply, Questions, ResourceRead, ResourceReply, Resumed, Role, Server,
    Status, TaskEnd, TaskToken, ToolCall, ToolReply,
};
use barewire::mcp::{
    Capabilities, Elicitation, Elicited, Implementation, InputRequest, LoggingLevel, Parameter, Prompt,
    PromptArgument, Resource, ResourceTemplate, Sampled, Sampling, SamplingMessage, Schema, TaskSupport,
    Tool, ToolAnnotations, Type, UriTemplate,
};
use panic_proof::keep;

const TOOLS: &[Tool<'_>] = &[
    Tool::new("set", "Sets a value.")
        .with_parameters(&[
            Parameter::required("pin", Type::integer_in(0, 40)),
            Parameter::optional("level", Type::number_in("-1.5", "2e1")),
            Parameter::optional("mode", Type::Choice(&["on", "off"])),
            Parameter::optional("names", Type::array_of(&Type::STRING, 4)),
            Parameter::optional(
                "inner",
                Type::object_of(&[Parameter::required("on", Type::Boolean)]),
            ),
            Parameter::optional("label", Type::string_of(1, 8)),
        ])
        .with_annotations(ToolAnnotations::READ_ONLY)
        .with_output_schema(Schema::new(r#"{"type":"object"}"#)),
    Tool::new("later", "Answers later."),
    Tool::new("ask", "Asks first."),
    Tool::new("task", "Goes on as a task.").with_task_support(TaskSupport::Optional),
];

const PROMPTS: &[Prompt<'_>] = &[Prompt::new("ask").with_arguments(&[PromptArgument::required("name")])];

const LINE: UriTemplate<'_> = UriTemplate::new("line:///{number}.txt");

struct Device {
    deferred: Option<CallToken>,
    task: Option<TaskToken>,
    gone: bool,
}

const YES: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"yes":{"type":"boolean"}}}"#);

impl Handler for Device {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("device", "1.0").with_title("Device")
    }

    fn capabilities(&self) -> Capabilities {
        let mut offered = Capabilities::NONE;
        offered.tools = true;
        offered.tools_list_changed = true;
        offered.resources = true;
        offered.resources_subscribe = true;
        offered.resources_list_changed = true;
        offered.prompts = true;
        offered.prompts_list_changed = true;
        offered.completions = true;
        offered.logging = true;
        offered.tasks = true;
        offered
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        if call.is("later") {
            let token = call.context().defer()?;
            self.deferred = Some(token);
            return Ok(Disposition::Deferred(token));
        }
        if call.is("ask") {
            let messages = [SamplingMessage::user("Name?")];
            reply.ask("yes", &Elicitation::form("Sure?", YES).into());
            reply.ask("page", &Elicitation::url("Look", "a:b", "1").into());
            reply.ask(
                "name",
                &Sampling::new(&messages, 10).with_system_prompt("Short").into(),
            );
            reply.ask("roots", &InputRequest::Roots).keep("state");
            return Ok(Disposition::Asked);
        }
        if call.is("task") {
            self.task = call.task();
            return self.task.map(Disposition::Task).ok_or(CallError::Busy);
        }
        let level = call.number("level").and_then(|level| level.to_fixed(2).ok());
        reply.progress(&Progress::new(1).of(2).with_message("half"));
        reply.log(LoggingLevel::Info, Some("device"), "set");
        reply.text("set").text_of(&["a", "b"]).text_json(call.name());
        reply.image("image/png", b"bytes").audio("audio/wav", b"bytes");
        reply.resource_link(&Resource::new("line:///1.txt", "line"));
        reply
            .embedded_text("a:b", None, "text")
            .embedded_blob("a:b", None, b"bytes");
        reply.structured(|json| {
            json.begin_object();
            json.name("level").fixed(level.unwrap_or_default(), 2);
            json.end_object();
        });
        reply.meta(call.arguments());
        call.boolean("fail")
            .map_or(Ok(Disposition::Done), |_| Err(CallError::Failed("failed")))
    }

    fn resume_tool<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let form = call.answer("yes").and_then(|answer| answer.elicited());
        let said = call.answer("name").and_then(|answer| answer.sampled());
        let roots = call.answer("roots").and_then(|answer| answer.roots());
        if form.and_then(Elicited::accepted).is_none() {
            reply.ask("yes", &Elicitation::form("Sure?", YES).into());
            reply.keep_with(|json| {
                json.integer(1);
            });
            return Ok(Disposition::Asked);
        }
        reply.text_json(said.and_then(Sampled::text).unwrap_or(call.state()));
        for root in roots.into_iter().flat_map(|roots| roots.iter()) {
            reply.text_json(root.uri);
        }
        Ok(Disposition::Done)
    }

    fn task_result<'a>(&mut self, _: TaskToken, reply: &mut ToolReply<'_, '_>) -> Result<(), CallError<'a>> {
        reply.text("done");
        Ok(())
    }

    fn task_asks(&mut self, _: TaskToken, questions: &mut Questions<'_, '_>) {
        questions.ask("yes", &Elicitation::form("Sure?", YES).into());
    }

    fn task_answered(&mut self, _: TaskToken, answers: Answers<'_>) {
        self.gone |= answers.get("yes").is_none();
    }

    fn resources(&self) -> &[Resource<'_>] {
        const { &[Resource::new("line:///1.txt", "line")] }
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        const { &[ResourceTemplate::new(LINE, "line")] }
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: &mut ResourceReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let number = read.variable(LINE, "number").ok_or(CallError::NotFound)?;
        let decoded = read.decoded(LINE, "number").ok_or(CallError::NotFound)?;
        keep((decoded == "1", decoded.as_sent() == "1", decoded.chars().count()));
        let text = decoded.decode(&mut [0; 16]).is_ok_and(|text| text == "1");
        reply.text(None, if text { "one" } else { "more" });
        reply.text_json(None, number).blob(Some("a/b"), b"bytes");
        Ok(Disposition::Done)
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        PROMPTS
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: &mut PromptReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        reply.description("Asks");
        reply.text(Role::User, "Name?");
        reply.text_json(
            Role::Assistant,
            get.argument("name").ok_or(CallError::InvalidParams)?,
        );
        Ok(Disposition::Done)
    }

    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: &mut CompletionReply<'_, '_>,
    ) -> Result<(), CallError<'a>> {
        if completion.value().is_prefix_of("name") {
            reply.value("name").set_total(1);
        }
        Ok(())
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Cancelled(token) = event {
            self.gone |= self.deferred == Some(token);
        }
    }
}

// What a server costs besides its handler and its buffers, with 4 calls in flight, 2 subscriptions and 2 tasks.
const _: () = assert!(size_of::<Server<Device, Full, 4, 2, 48, 64, 2>>() - size_of::<Device>() <= 1536);

static mut SERVER: Server<Device> = Server::with_options(
    Device {
        deferred: None,
        task: None,
        gone: false,
    },
    Options::DEFAULT.with_restart(true),
);

/// # Safety
/// Both pointers must be good for their lengths; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *const u8, input_length: usize, memory: *mut u8, memory_length: usize) {
    // SAFETY: by the caller's promise.
    let (input, memory, server) = unsafe {
        (
            core::slice::from_raw_parts(input, input_length),
            core::slice::from_raw_parts_mut(memory, memory_length),
            &mut *(&raw mut SERVER),
        )
    };
    let mut buffer = [0; 256];
    let mut framer = Framer::new(&mut buffer[..]);
    framer.push(input);
    let mut status = Status::Done;
    loop {
        let next = match status {
            Status::Done => framer.next(),
            Status::More => framer.again(),
        };
        let mut out = Sink::new(memory);
        status = match server.receive(next, &mut out) {
            Some(status) => status,
            None => break,
        };
        keep(out.finish().map(<[u8]>::len));
    }
    let mut out = Sink::new(memory);
    if let Some(token) = server.handler_mut().deferred.take() {
        keep(server.progress(token, &Progress::new(1), &mut out));
        keep(server.log_for(token, LoggingLevel::Error, None, "late", &mut out));
        keep(server.complete_tool(token, &mut out, |reply| {
            reply.text("done");
            Ok(())
        }));
        keep(server.complete_read(token, "a:b", &mut out, |_| Err(CallError::NotFound)));
        keep(server.complete_prompt(token, &mut out, |_| Err(CallError::InvalidParams)));
    }
    if let Some(task) = server.handler_mut().task.take() {
        keep(server.describe_task(task, "busy", &mut out));
        keep(server.task_progress(task, &Progress::new(1), &mut out));
        keep(server.task_needs_input(task, &mut out));
        keep(server.finish_task(task, TaskEnd::Completed, &mut out));
    }
    keep(server.ask(&InputRequest::Roots, &mut out));
    keep(server.ping(&mut out));
    keep(server.tick(Duration::from_secs(1000), &mut out));
    keep(server.log(LoggingLevel::Info, None, "text", &mut out));
    keep(server.list_changed(List::Tools, &mut out));
    keep(server.resource_updated("line:///1.txt", &mut out));
    keep(server.end_streams(&mut out));
    keep(out.finish().map(<[u8]>::len));
    server.reset();
}
