//! The application of the demo server.

use super::shared::{add, echo};
use super::tables::{
    COUNTER_URI, LANGUAGES, MAX_LIMIT, PIXEL, PIXEL_RESOURCE, PIXEL_URI, PROMPTS, README, README_URI,
    RESOURCES, SIMULATED, SQUARE, SURE, TEMPLATES, TOOLS,
};
use crate::engine::{
    CallError, CallToken, Completion, CompletionReply, Event, Handler, Outcome, PromptGet, PromptReply,
    Reference, ResourceRead, ResourceReply, Resumed, ResumedReply, Role, TaskHandler, TaskToken, ToolCall,
    ToolContent, ToolReply,
};
use crate::json::{JsonStr, RawValue, Writer};
use crate::mcp::{
    Capabilities, Elicitation, Elicited, Implementation, InputRequest, Prompt, Resource, ResourceTemplate,
    Sampled, Sampling, SamplingContent, SamplingMessage, Tool,
};

/// Application of the demo server.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::demo::{Demo, NoHost};
/// use barewire::engine::{Frame, Origin, Server};
///
/// let (mut server, mut demo) = (Server::new(), Demo::new(NoHost));
/// for (arguments, text) in [
///     (r#"{"a":9007199254740993,"b":2}"#, "9007199254740995"),
///     (r#"{"a":0.5,"b":1e21}"#, "1e+21"),
/// ] {
///     let line = format!(
///         r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"add","arguments":{arguments}}}}}"#
///     );
///     let mut memory = [0; 256];
///     let mut out = Sink::new(&mut memory);
///     let _ = server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut demo, &mut out);
///     let result = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}"#);
///     let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}\n");
///     assert_eq!(out.finish(), Ok(expected.as_bytes()));
/// }
/// ```
#[derive(Debug)]
pub struct Demo<H: Host> {
    host: H,
    count: u32,
    /// Limit set by the tool `set_limit`.
    limit: Option<u16>,
}

/// Machine that the demo runs on: waiting, notifications, events.
pub trait Host {
    /// Starts to wait for `ms` milliseconds, after which the machine answers the call `token` with `done`. Meanwhile it may report
    /// progress. [`event`](Host::event) reports a cancelled call.
    ///
    /// # Errors
    /// [`CallError::Busy`] if it cannot.
    fn start_slow(&mut self, token: CallToken, ms: u32) -> Result<(), CallError<'static>>;

    /// Starts a task of `ms` milliseconds, after which the machine finishes it. [`event`](Host::event) reports a cancelled task.
    ///
    /// # Errors
    /// [`CallError::Busy`] if it cannot; so does the default implementation.
    fn start_task(&mut self, token: TaskToken, ms: u32) -> Result<(), CallError<'static>> {
        let _ = (token, ms);
        Err(CallError::Busy)
    }

    /// Takes note that the resource with this URI has changed. The machine notifies its subscribers once the call that changed it is
    /// answered.
    fn resource_changed(&mut self, uri: &'static str);

    /// Answers the tool `add`. A machine without room for floats uses [`add_integers`](super::add_integers).
    ///
    /// # Errors
    /// Those of [`add`](super::add).
    fn add<'a>(&mut self, call: &ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        add(call, reply)
    }

    /// Takes an event of the engine.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }
}

/// Machine without a clock: `slow` is answered with `Server busy`, and changes are not notified.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn start_slow(&mut self, _: CallToken, _: u32) -> Result<(), CallError<'static>> {
        Err(CallError::Busy)
    }

    fn resource_changed(&mut self, _: &'static str) {}
}

impl<H: Host> Demo<H> {
    /// A demo server on this machine.
    pub const fn new(host: H) -> Self {
        Self { host, count: 0, limit: None }
    }

    /// The limit that the tool `set_limit` has set.
    pub const fn limit(&self) -> u16 {
        match self.limit {
            Some(limit) => limit,
            None => MAX_LIMIT,
        }
    }

    /// The machine, to be changed.
    pub const fn host_mut(&mut self) -> &mut H {
        &mut self.host
    }
}

impl<H: Host> Handler for Demo<H> {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("barewire-demo", env!("CARGO_PKG_VERSION")).with_title("Barewire demo")
    }

    fn instructions(&self) -> Option<&str> {
        Some("A demo: every tool is safe to call.")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::RESOURCES_SUBSCRIBE | Capabilities::COMPLETIONS | Capabilities::LOGGING);
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        if call.is("echo") {
            echo(&call, reply)
        } else if call.is("add") {
            self.host.add(&call, reply)
        } else if call.is("slow") {
            self.slow(&call, reply)
        } else if call.is("measure") {
            let kelvin = call.string("unit").is_some_and(|unit| unit == "kelvin");
            Ok(reply.structured_with(|json| measurement(json, kelvin)))
        } else if call.is("pixel") {
            let content = reply.content().image("image/png", PIXEL);
            Ok(content.resource_link(&PIXEL_RESOURCE).done())
        } else if call.is("count") {
            self.count = self.count.wrapping_add(1);
            let count = self.count;
            self.host.resource_changed(COUNTER_URI);
            Ok(reply.text(count))
        } else if call.is("set_limit") {
            let max = call.integer("max").ok_or(CallError::Internal)?;
            Ok(ask_about_limit(reply, max))
        } else if call.is("summarize") {
            let text = call.string("text").ok_or(CallError::Internal)?;
            Ok(ask_for_summary(reply, text))
        } else if call.is("list_roots") {
            Ok(reply.ask("roots", &InputRequest::Roots).done())
        } else if call.is("simulate") {
            self.simulate(&call, reply)
        } else {
            Err(CallError::NotFound)
        }
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match reply {
            ResumedReply::Tool(reply) if call.is("set_limit") => self.set_limit(&call, reply),
            ResumedReply::Tool(reply) if call.is("summarize") => summarize(&call, reply),
            ResumedReply::Tool(reply) if call.is("list_roots") => Ok(list_roots(&call, reply)),
            _ => Err(CallError::InvalidParams),
        }
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        Some(self)
    }

    fn resources(&self) -> &[Resource<'_>] {
        RESOURCES
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        TEMPLATES
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let plain = Some("text/plain");
        if read.is(README_URI) {
            return Ok(reply.text(plain, README));
        }
        if read.is(PIXEL_URI) {
            return Ok(reply.blob(Some("image/png"), PIXEL));
        }
        let number = if read.is(COUNTER_URI) {
            u64::from(self.count)
        } else {
            let number = read
                .decoded(SQUARE, "number")
                .and_then(|number| number_of(number.chars()))
                .ok_or(CallError::NotFound)?;
            u64::from(number).saturating_mul(u64::from(number))
        };
        Ok(reply.text(plain, number))
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
        let mut messages = reply
            .description("A greeting")
            .text(Role::User, "Greet the person named in the next message.")
            .text(Role::User, name);
        if let Some(language) = get.argument("language") {
            messages = messages.text(Role::User, "Use this language:").text(Role::User, language);
        }
        Ok(messages.done())
    }

    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: CompletionReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let is_known = match completion.reference() {
            // The engine has checked the name, and there is only one prompt.
            Reference::Prompt(_) => completion.argument() == "language",
            Reference::Resource(uri) if uri == SQUARE.as_str() => false,
            Reference::Resource(_) => return Err(CallError::NotFound),
        };
        let languages = LANGUAGES
            .iter()
            .copied()
            .filter(|language| is_known && completion.value().is_prefix_of(language));
        Ok(reply.all(languages))
    }

    fn event(&mut self, event: Event<'_>) {
        self.host.event(event);
    }
}

impl<H: Host> TaskHandler for Demo<H> {
    fn task_result<'a>(
        &mut self,
        _: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        // Only one tool runs as a task.
        Ok(content.text(SIMULATED).done())
    }
}

impl<H: Host> Demo<H> {
    fn slow<'a>(&mut self, call: &ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        let ms = call.integer("ms").unwrap_or(600);
        let (token, outcome) = reply.defer()?;
        self.host.start_slow(token, u32::try_from(ms).unwrap_or(u32::MAX))?;
        Ok(outcome)
    }

    fn simulate<'a>(
        &mut self,
        call: &ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        if !call.may_be_task() {
            return self.slow(call, reply);
        }
        let ms = call.integer("ms").unwrap_or(600);
        let (token, outcome) = reply.start_task()?;
        self.host.start_task(token, u32::try_from(ms).unwrap_or(u32::MAX))?;
        Ok(outcome)
    }

    /// Continues `set_limit`. The state is the limit in the question; a modern client might send another.
    fn set_limit<'a>(
        &mut self,
        call: &Resumed<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        // A lone surrogate is not a digit.
        let digits = call.state().chars();
        let max = number_of(digits.map(|digit| digit.unwrap_or(char::REPLACEMENT_CHARACTER)))
            .filter(|max| *max <= MAX_LIMIT)
            .ok_or(CallError::InvalidParams)?;
        let Some(answer) = call.answer("sure") else {
            return Ok(ask_about_limit(reply, i64::from(max)));
        };
        let form = answer.elicited().and_then(Elicited::accepted);
        let is_sure = form.and_then(|form| form.get("yes")).and_then(RawValue::as_bool);
        if is_sure != Some(true) {
            return Ok(reply.text("The limit stays as it is."));
        }
        self.limit = Some(max);
        Ok(reply.text(max))
    }
}

fn ask_about_limit(reply: ToolReply<'_, '_>, max: i64) -> Outcome {
    let question = Elicitation::form("Really change the limit?", SURE);
    reply.ask("sure", &question.into()).keep_with(|json| {
        json.integer(max);
    })
}

fn ask_for_summary(reply: ToolReply<'_, '_>, text: JsonStr<'_>) -> Outcome {
    let messages = [SamplingMessage { role: Role::User, content: SamplingContent::TextJson(text) }];
    let question = Sampling::new(&messages, 200).with_system_prompt("Summarize the text in one sentence.");
    reply.ask("summary", &question.into()).done()
}

/// A modern client that did not answer is asked again: it sends the text again too.
fn summarize<'a>(call: &Resumed<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
    let Some(answer) = call.answer("summary") else {
        let params = call.context().params().ok_or(CallError::Internal)?;
        let arguments = params.get("arguments").and_then(RawValue::as_object);
        let text = arguments.and_then(|arguments| arguments.get("text"));
        let text = text.and_then(RawValue::as_string).ok_or(CallError::Internal)?;
        return Ok(ask_for_summary(reply, text));
    };
    Ok(match answer.sampled().and_then(Sampled::text) {
        Some(text) => reply.text(text),
        None => reply.fail("The model said nothing."),
    })
}

fn list_roots(call: &Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
    let Some(answer) = call.answer("roots") else {
        return reply.ask("roots", &InputRequest::Roots).done();
    };
    match answer.roots() {
        Some(roots) => roots.iter().fold(reply.content(), |content, root| content.text(root.uri)).done(),
        None => reply.fail("The client has no roots."),
    }
}

/// A number in decimal digits, of which there is at least one.
fn number_of(mut digits: impl Iterator<Item = char>) -> Option<u16> {
    digits.try_fold(None, |number: Option<u16>, digit| {
        let digit = u16::try_from(digit.to_digit(10)?).ok()?;
        let number = number.unwrap_or_default().checked_mul(10)?;
        Some(number.checked_add(digit))
    })?
}

fn measurement(json: &mut Writer<'_, '_>, kelvin: bool) {
    json.begin_object();
    json.name("value").fixed(if kelvin { 29465 } else { 2150 }, 2);
    json.name("unit").string(if kelvin { "kelvin" } else { "celsius" });
    json.end_object();
}
