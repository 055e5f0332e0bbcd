//! The server engine of both eras, with a handler that uses every part of it.
#![no_std]
#![no_main]

use core::time::Duration;

use barewire::bytes::{Framer, Next, Sink};
use barewire::engine::{
    Address, Answers, CallError, CallToken, Channel, Completion, CompletionReply, Event, Fixed, Frame,
    Handler, Lifecycle, List, Options, Origin, Outcome, Parts, Progress, PromptGet, PromptReply,
    ResourceRead, ResourceReply, Resumed, ResumedReply, Role, Seal, Sent, Server, TaskEnd, TaskHandler,
    TaskQuestions, TaskToken, ToolCall, ToolContent, ToolReply,
};
use barewire::json::{JsonStr, Object};
use barewire::mcp::{
    Capabilities, Elicitation, Elicited, Implementation, InputRequest, LoggingLevel, Parameter, Prompt,
    PromptArgument, Resource, ResourceTemplate, Sampled, Sampling, SamplingMessage, Schema, TaskSupport,
    Tool, ToolAnnotations, Type, UriTemplate,
};
use barewire::rpc::{ErrorCode, Skipper};
use panic_proof::keep;

const TOOLS: &[Tool<'_>] = &[
    Tool::new("set", "Sets a value.")
        .with_parameters(&[
            Parameter::required("pin", Type::integer_in(0, 40)),
            Parameter::optional("level", Type::number_in("-1.5", "2e1")),
            Parameter::optional("mode", Type::Choice(&["on", "off"])),
            Parameter::optional("names", Type::array_of(&Type::STRING, 4)),
            Parameter::optional("inner", Type::object_of(&[Parameter::required("on", Type::Boolean)])),
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

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(
            Capabilities::TOOLS_LIST_CHANGED
                | Capabilities::RESOURCES_SUBSCRIBE
                | Capabilities::RESOURCES_LIST_CHANGED
                | Capabilities::PROMPTS_LIST_CHANGED
                | Capabilities::COMPLETIONS
                | Capabilities::LOGGING,
        );
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        mut reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        if call.is("later") {
            call.context().may_be_deferred()?;
            let (token, outcome) = reply.defer()?;
            self.deferred = Some(token);
            return Ok(outcome);
        }
        if call.is("ask") {
            let messages = [SamplingMessage::user("Name?")];
            let sampling = Sampling::new(&messages, 10).with_system_prompt("Short");
            let questions = reply
                .ask("yes", &Elicitation::form("Sure?", YES).into())
                .ask("page", &Elicitation::url("Look", "a:b", "1").into())
                .ask("name", &sampling.into())
                .ask("roots", &InputRequest::Roots);
            return Ok(questions.keep("state"));
        }
        if call.is("task") && call.may_be_task() {
            let (task, outcome) = reply.start_task()?;
            self.task = Some(task);
            return Ok(outcome);
        }
        if call.must_be_task() {
            return Err(CallError::Busy);
        }
        keep(reply.progress(Progress::new(1).of(2).with_message("half")));
        keep(reply.log(LoggingLevel::Info, Some("device"), "set"));
        if let Some(index) = call.integer("pin") {
            return short(index, call.name(), reply);
        }
        let level = call.number("level").and_then(|level| level.to_fixed(2).ok());
        let content = reply
            .content()
            .text("set")
            .text(["a", "b"])
            .text(call.name())
            .text_with(|json| {
                json.integer(1);
            })
            .image("image/png", b"bytes")
            .audio("audio/wav", b"bytes")
            .resource_link(&Resource::new("line:///1.txt", "line"))
            .embedded_text("a:b", None, "text")
            .embedded_blob("a:b", None, b"bytes");
        match call.boolean("fail") {
            Some(true) => return Ok(content.fail(["a", "b"])),
            Some(false) => return Ok(content.restart().text("again")),
            None => {}
        }
        let content = content.set_error().structured_with(|json| {
            json.begin_object();
            json.name("level").fixed(level.unwrap_or_default(), 2);
            json.end_object();
        });
        Ok(content.meta(call.arguments()).done())
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let form = call.answer("yes").and_then(|answer| answer.elicited());
        let said = call.answer("name").and_then(|answer| answer.sampled());
        let roots = call.answer("roots").and_then(|answer| answer.roots());
        let yes = Elicitation::form("Sure?", YES).into();
        let is_accepted = form.and_then(Elicited::accepted).is_some();
        match reply {
            ResumedReply::Tool(reply) if !is_accepted => {
                let questions = reply.ask("yes", &yes);
                Ok(questions.keep_with(|json| {
                    json.integer(1);
                }))
            }
            ResumedReply::Tool(reply) => {
                let text = said.and_then(Sampled::text).unwrap_or(call.state());
                let roots = roots.into_iter().flat_map(|roots| roots.iter());
                let content = reply.content().text(text);
                Ok(roots.fold(content, |content, root| content.text(root.uri)).done())
            }
            ResumedReply::Resource(reply) => Ok(reply.ask("yes", &yes).done()),
            ResumedReply::Prompt(reply) => Ok(reply.ask("yes", &yes).done()),
        }
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        Some(self)
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
        mut reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let number = read.variable(LINE, "number").ok_or(CallError::NotFound)?;
        let decoded = read.decoded(LINE, "number").ok_or(CallError::NotFound)?;
        keep((decoded == "1", decoded.as_sent() == "1", decoded.chars().count()));
        let is_one = decoded.decode(&mut [0; 16]).is_ok_and(|text| text == "1");
        keep(reply.progress(Progress::new(1)));
        keep(reply.log(LoggingLevel::Info, None, "read"));
        if decoded == "2" {
            return Ok(reply.blob(None, b"bytes"));
        }
        if decoded == "3" {
            let (token, outcome) = reply.defer()?;
            self.deferred = Some(token);
            return Ok(outcome);
        }
        let contents = reply.contents().text(None, if is_one { "one" } else { "more" });
        let contents = contents
            .text(None, number)
            .text(None, ["a", "b"])
            .text_with(None, |json| {
                json.integer(1);
            })
            .blob(Some("a/b"), b"bytes")
            .text_at("a:b", None, "text")
            .blob_at("a:b", None, b"bytes");
        Ok(contents.done())
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        PROMPTS
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let name = get.argument("name").ok_or(CallError::InvalidParams)?;
        if name == "later" {
            let (token, outcome) = reply.defer()?;
            self.deferred = Some(token);
            return Ok(outcome);
        }
        if name == "short" {
            return Ok(reply.text(Role::User, "Name?"));
        }
        let messages = reply
            .description("Asks")
            .text(Role::User, "Name?")
            .text(Role::User, ["a", "b"])
            .text(Role::Assistant, name)
            .image(Role::User, "image/png", b"bytes")
            .audio(Role::User, "audio/wav", b"bytes")
            .resource_link(Role::User, &Resource::new("line:///1.txt", "line"))
            .embedded_text(Role::User, "a:b", None, "text");
        Ok(messages.done())
    }

    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: CompletionReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match completion.value().is_prefix_of("name") {
            true => Ok(reply.values().value("name").total(1).done()),
            false => Ok(reply.all(["a", "b"])),
        }
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Cancelled(token) = event {
            self.gone |= self.deferred == Some(token);
        }
    }
}

impl TaskHandler for Device {
    fn task_result<'a>(
        &mut self,
        _: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(content.text("done").done())
    }

    fn task_questions(&mut self, _: TaskToken, questions: &mut TaskQuestions<'_, '_>) {
        questions.ask("yes", &Elicitation::form("Sure?", YES).into());
    }

    fn task_answered(&mut self, _: TaskToken, answers: Answers<'_>) {
        self.gone |= answers.get("yes").is_none();
    }
}

/// The answers of one part.
fn short<'a>(index: i64, name: JsonStr<'_>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
    keep(reply.version());
    match index {
        0 => Ok(reply.text("set")),
        1 => Ok(reply.text(["a", "b"])),
        2 => Ok(reply.text(name)),
        3 => Ok(reply.text_with(|json| {
            json.integer(1);
        })),
        4 => Ok(reply.structured_with(|json| {
            json.begin_object().end_object();
        })),
        5 => Ok(reply.structured_object(Object::EMPTY)),
        6 => Ok(reply.fail("failed")),
        7 => Ok(reply.fail(["a", "b"])),
        8 => Ok(reply.refuse(ErrorCode(1), format_args!("no"))),
        _ => Err(CallError::Failed("failed")),
    }
}

/// Two sessions: on the stream, and over HTTP.
struct Shared;

impl Parts for Shared {
    const TASK_RANDOM: Option<fn(&mut [u8; 16])> = Some(|id| *id = core::hint::black_box(*id));
}

type Storage = Fixed<Shared, 4, 2, 2, 512, 2>;

// What a server with 4 calls in flight, 2 subscriptions and 2 tasks takes besides its application and its buffers.
const _: () = assert!(size_of::<Server<Fixed>>() <= 1536);

static mut SERVER: Server<Storage> = Server::with_storage(Fixed::new())
    .with_options(Options::DEFAULT.with_restart(true))
    .with_seal(Seal::new([7; 32]));

static mut DEVICE: Device = Device { deferred: None, task: None, gone: false };

/// # Safety
/// Both pointers must be good for their lengths; never called twice at a time.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(input: *const u8, input_length: usize, memory: *mut u8, memory_length: usize) {
    // SAFETY: by the caller's promise.
    let (input, memory, server, app) = unsafe {
        (
            core::slice::from_raw_parts(input, input_length),
            core::slice::from_raw_parts_mut(memory, memory_length),
            &mut *(&raw mut SERVER),
            &mut *(&raw mut DEVICE),
        )
    };
    let strict = server.options_mut().with_lifecycle(Lifecycle::Strict);
    *server.options_mut() = strict;
    receive(server, app, input, memory);
    let mut out = Sink::new(memory);
    late(server, app, &mut out);
    keep(server.ask(1, &InputRequest::Roots, &mut out));
    keep(server.ping(1, &mut out));
    keep(server.log(1, LoggingLevel::Info, None, "text", app, &mut out));
    keep(server.elicitation_complete(1, "1", &mut out));
    server.list_changed(List::Tools);
    server.resource_updated("line:///1.txt");
    server.end_streams();
    server.end_questions();
    keep(server.next_deadline());
    server.set_time(Duration::from_secs(1000), Duration::from_secs(2000));
    while server.poll(|address| address != Address::Session(1), app, &mut out) != Sent::Nothing {
        keep(out.finish().map(<[u8]>::len));
        out = Sink::new(memory);
    }
    keep((server.session(1), server.in_flight(), server.is_open(EXCHANGE)));
    server.closed(EXCHANGE, app);
    server.end_session(1, app);
    server.reset(Origin::ONLY, app);
}

/// Of an HTTP request.
const EXCHANGE: Channel = Channel(7);

/// Serves what comes: lines of the stream, and those as HTTP requests.
fn receive(server: &mut Server<Storage>, app: &mut Device, input: &[u8], memory: &mut [u8]) {
    let mut buffer = [0; 256];
    let mut framer = Framer::new(&mut buffer[..]);
    let mut skipper = Skipper::<16>::new();
    framer.push(input);
    loop {
        let mut out = Sink::new(memory);
        match framer.next() {
            Next::Line(line) => {
                for origin in [
                    Origin::ONLY,
                    Origin::stream(EXCHANGE, 1),
                    Origin::exchange(EXCHANGE),
                    Origin::exchange_in(EXCHANGE, 1),
                ] {
                    let mut frame = Frame::new(line);
                    while !frame.is_done() {
                        out = Sink::new(memory);
                        keep(server.receive(origin, &mut frame, app, &mut out).fitted());
                        keep(out.finish().map(<[u8]>::len));
                        frame = Frame::at(line, frame.place());
                    }
                }
            }
            Next::Part(part) => skipper.feed(part),
            Next::TooLong => {
                let response = skipper.response_id();
                let sent = server.receive_oversized(Origin::ONLY, &skipper.finish(), response, app, &mut out);
                keep(sent);
                keep(out.finish().map(<[u8]>::len));
            }
            Next::Lost => server.lost(app),
            Next::NeedMore => return,
        }
    }
}

/// Late answers and reports.
fn late(server: &mut Server<Storage>, app: &mut Device, out: &mut Sink<'_>) {
    if let Some(token) = app.deferred.take() {
        keep(server.is_in_flight(token));
        keep(server.progress(token, Progress::new(1), out));
        keep(server.log_for(token, LoggingLevel::Error, None, "late", out));
        keep(server.complete_tool(token, app, out, |content| Ok(content.text("done").done())));
        keep(server.complete_read(token, "a:b", app, out, |contents| Ok(contents.text(None, "done").done())));
        keep(server.complete_prompt(token, Some("late"), app, out, |_| Err(CallError::InvalidParams)));
    }
    if let Some(task) = app.task.take() {
        keep(server.is_task_running(task));
        keep(server.describe_task(task, "busy"));
        keep(server.task_progress(task, Progress::new(1), out));
        keep(server.task_needs_input(task, app, out));
        keep(server.finish_task(task, TaskEnd::Completed));
    }
}
