//! The application.

use std::time::Duration;

use barewire::engine::{
    CallError, Completion, CompletionReply, Context, Event, List, Outcome, Progress, PromptReply, Resumed,
    Role, TaskHandler, ToolCall, ToolReply,
};
use barewire::macros::{Audio, Image};
use barewire::mcp::{
    Capabilities, ClientCapabilities, Elicitation, InputRequest, LoggingLevel, Sampling, SamplingMessage,
    Schema,
};
use barewire::transport::Jobs;
use barewire_http::Handle;

use crate::questions::{self, form_text, sampled_text};
use crate::samples::{ADDRESS, CHOICES, COLOR, DEFAULTS, NAME, PNG, USER, WAV};
use crate::tasks::{Tasks, Work};

const IMAGE: Image<'_> = Image { mime_type: "image/png", bytes: PNG };

/// Time between two reports of a tool.
const STEP: Duration = Duration::from_millis(50);

/// Time until a job fails.
const FAILING: Duration = Duration::from_secs(1);

pub(crate) struct Fixture {
    handle: Handle,
    jobs: Jobs,
    tasks: Tasks,
}

impl Fixture {
    pub(crate) fn new(handle: Handle, jobs: Jobs) -> Self {
        Self { tasks: Tasks::new(handle.clone()), handle, jobs }
    }

    /// Answers a call with what the user says about a form, which a thread waits for.
    fn ask_form(
        &self,
        reply: ToolReply<'_, '_>,
        message: String,
        schema: Schema<'static>,
        prefix: &'static str,
    ) -> Result<Outcome, CallError<'static>> {
        let (token, outcome) = reply.defer()?;
        self.jobs.answer(token, move |job| -> Result<String, CallError<'static>> {
            let question = Elicitation::form(&message, schema).into();
            let answer = job.ask("form", &question, questions::describe)?;
            Ok(format!("{prefix}: {}", answer.unwrap_or_else(|| "no answer".to_owned())))
        });
        Ok(outcome)
    }
}

#[barewire::server(name = "barewire-conformance", version = "1.0", title = "Conformance fixtures")]
impl Fixture {
    // Tools that answer at once.

    /// Answers with a text.
    #[tool]
    fn test_simple_text() -> &'static str {
        "This is a simple text response for testing."
    }

    /// Answers with an image.
    #[tool]
    fn test_image_content() -> Image<'static> {
        IMAGE
    }

    /// Answers with a sound.
    #[tool]
    fn test_audio_content() -> Audio<'static> {
        Audio { mime_type: "audio/wav", bytes: WAV }
    }

    /// Answers with a resource.
    #[tool]
    fn test_embedded_resource(reply: ToolReply<'_, '_>) -> Outcome {
        let text = "This is an embedded resource content.";
        reply.content().embedded_text("test://embedded-resource", Some("text/plain"), text).done()
    }

    /// Answers with several kinds of content.
    #[tool]
    fn test_multiple_content_types(reply: ToolReply<'_, '_>) -> Outcome {
        let content = reply.content().text("Multiple content types test:").image("image/png", PNG);
        let text = r#"{"test":"data","value":123}"#;
        content.embedded_text("test://mixed-content-resource", Some("application/json"), text).done()
    }

    /// Fails.
    #[tool]
    fn test_error_handling() -> Result<(), &'static str> {
        Err("This tool intentionally returns an error for testing")
    }

    /// Tool with JSON Schema 2020-12 features
    #[tool(input_schema = ADDRESS)]
    fn json_schema_2020_12_tool(call: ToolCall<'_>) -> String {
        format!("called with {}", call.arguments().as_value())
    }

    /// Has an argument that clients repeat in a header.
    #[tool]
    fn test_header(#[arg(header = "Region")] region: String) -> String {
        format!("Region: {region}")
    }

    /// Greets.
    #[tool]
    fn greet(name: String) -> String {
        format!("Hello, {name}!")
    }

    /// Answers at once: this server has no streams to be resumed.
    #[tool]
    fn test_reconnection() -> &'static str {
        "There is nothing to reconnect to."
    }

    /// Writes log messages before it answers.
    #[tool]
    fn test_logging_tool(reply: &mut ToolReply<'_, '_>) -> &'static str {
        reply.log(LoggingLevel::Info, None, "Log of the tool");
        "logged"
    }

    // Tools that report while they run.

    /// Writes log messages while it runs.
    #[tool]
    fn test_tool_with_logging(&self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        let (token, outcome) = reply.defer()?;
        let handle = self.handle.clone();
        tokio::spawn(async move {
            for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                handle.log(token, LoggingLevel::Info, text);
                tokio::time::sleep(STEP).await;
            }
            handle.complete_tool(token, |content| Ok(content.text("Logged three times.").done()));
        });
        Ok(outcome)
    }

    /// Reports progress while it runs.
    #[tool]
    fn test_tool_with_progress(&self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        let (token, outcome) = reply.defer()?;
        let handle = self.handle.clone();
        tokio::spawn(async move {
            for percent in [0, 50, 100] {
                handle.progress(token, Progress::new(percent).of(100));
                tokio::time::sleep(STEP).await;
            }
            handle.complete_tool(token, |content| Ok(content.text("Made progress.").done()));
        });
        Ok(outcome)
    }

    // Tools that change lists.

    /// Notifies of a change of the tools.
    #[tool]
    fn test_trigger_tool_change(&self) -> &'static str {
        self.handle.list_changed(List::Tools);
        "The tools have changed."
    }

    /// Notifies of a change of the prompts.
    #[tool]
    fn test_trigger_prompt_change(&self) -> &'static str {
        self.handle.list_changed(List::Prompts);
        "The prompts have changed."
    }

    // Tools that ask while a thread waits.

    /// Asks the client's model.
    #[tool]
    fn test_sampling(
        &self,
        reply: ToolReply<'_, '_>,
        #[arg(doc = "The prompt to send to the LLM")] prompt: String,
    ) -> Result<Outcome, CallError<'static>> {
        let (token, outcome) = reply.defer()?;
        self.jobs.answer(token, move |job| -> Result<String, CallError<'static>> {
            let messages = [SamplingMessage::user(&prompt)];
            let question = Sampling::new(&messages, 100).into();
            let text = job.ask("sample", &question, |answer| Some(answer.sampled()?.text()?.to_string()))?;
            Ok(format!("LLM response: {}", text.unwrap_or_default()))
        });
        Ok(outcome)
    }

    /// Asks the user.
    #[tool]
    fn test_elicitation(
        &self,
        reply: ToolReply<'_, '_>,
        #[arg(doc = "The message to show the user")] message: String,
    ) -> Result<Outcome, CallError<'static>> {
        self.ask_form(reply, message, USER, "User response")
    }

    /// Asks the user, with a default for each type.
    #[tool]
    fn test_elicitation_sep1034_defaults(
        &self,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'static>> {
        self.ask_form(reply, "Please review the values".to_owned(), DEFAULTS, "Elicitation completed")
    }

    /// Asks the user, with each kind of choice.
    #[tool]
    fn test_elicitation_sep1330_enums(
        &self,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'static>> {
        self.ask_form(reply, "Please choose".to_owned(), CHOICES, "Elicitation completed")
    }

    /// Reports, then asks the user.
    #[tool]
    fn test_streaming_elicitation(
        &self,
        mut reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'static>> {
        reply.progress(1);
        self.ask_form(reply, "Please tell your name".to_owned(), NAME, "Elicitation completed")
    }

    // Tools that ask, and continue with the answer.

    /// Needs sampling.
    #[tool(resume = sampled)]
    fn test_missing_capability(reply: ToolReply<'_, '_>) -> Outcome {
        reply.ask("capital_question", &questions::CAPITAL).done()
    }

    /// Asks the user for a name.
    #[tool(resume = named)]
    fn test_input_required_result_elicitation(reply: ToolReply<'_, '_>) -> Outcome {
        reply.ask("user_name", &questions::NAMED).done()
    }

    fn named(&self, call: Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        match form_text(&call, "user_name", "name") {
            Some(name) => reply.text(format_args!("Hello, {name}!")),
            None => Self::test_input_required_result_elicitation(reply),
        }
    }

    /// Asks the model for a capital.
    #[tool(resume = sampled)]
    fn test_input_required_result_sampling(reply: ToolReply<'_, '_>) -> Outcome {
        reply.ask("capital_question", &questions::CAPITAL).done()
    }

    fn sampled(&self, call: Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        match sampled_text(&call, "capital_question") {
            Some(text) => reply.text(text),
            None => Self::test_input_required_result_sampling(reply),
        }
    }

    /// Asks for the roots of the client.
    #[tool(resume = rooted)]
    fn test_input_required_result_list_roots(reply: ToolReply<'_, '_>) -> Outcome {
        reply.ask("client_roots", &InputRequest::Roots).done()
    }

    fn rooted(&self, call: Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        let Some(roots) = call.answer("client_roots").and_then(|answer| answer.roots()) else {
            return Self::test_input_required_result_list_roots(reply);
        };
        let content = reply.content().text("The roots are:");
        roots.iter().fold(content, |content, root| content.text(root.uri)).done()
    }

    /// Asks the user to confirm, and keeps a state meanwhile.
    #[tool(resume = confirmed)]
    fn test_input_required_result_request_state(reply: ToolReply<'_, '_>) -> Outcome {
        reply.ask("confirm", &questions::CONFIRMED).keep("waits for the user")
    }

    /// Does the same. The seal of the server protects the state.
    #[tool(resume = confirmed)]
    fn test_input_required_result_tampered_state(reply: ToolReply<'_, '_>) -> Outcome {
        Self::test_input_required_result_request_state(reply)
    }

    fn confirmed(&self, call: Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        let is_answered = call.answer("confirm").is_some_and(|answer| answer.elicited().is_some());
        match is_answered && call.state() == "waits for the user" {
            true => reply.text("state-ok"),
            false => Self::test_input_required_result_request_state(reply),
        }
    }

    /// Asks three questions at once.
    #[tool(resume = answered)]
    fn test_input_required_result_multiple_inputs(reply: ToolReply<'_, '_>) -> Outcome {
        let questions = reply.ask("user_name", &questions::NAMED).ask("greeting", &questions::GREETING);
        questions.ask("client_roots", &InputRequest::Roots).keep("waits for three answers")
    }

    fn answered(&self, call: Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        let roots = call.answer("client_roots").and_then(|answer| answer.roots());
        match (form_text(&call, "user_name", "name"), sampled_text(&call, "greeting"), roots) {
            (Some(name), Some(greeting), Some(roots)) => {
                reply.text(format_args!("{name}: {greeting} You have {} roots.", roots.iter().count()))
            }
            _ => Self::test_input_required_result_multiple_inputs(reply),
        }
    }

    /// Asks for a name, and then for a color.
    #[tool(resume = next_round)]
    fn test_input_required_result_multi_round(reply: ToolReply<'_, '_>) -> Outcome {
        let question = Elicitation::form("Step 1: What is your name?", NAME);
        reply.ask("step1", &question.into()).keep("step 1")
    }

    fn next_round(&self, call: Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        let state = call.state().to_string();
        if let (Some(name), Some(color)) =
            (state.strip_prefix("step 2: "), form_text(&call, "step2", "color"))
        {
            return reply.text(format_args!("{name} likes {color}."));
        }
        match form_text(&call, "step1", "name") {
            Some(name) => {
                let question = Elicitation::form("Step 2: What is your favorite color?", COLOR);
                reply.ask("step2", &question.into()).keep(&format!("step 2: {name}"))
            }
            None => Self::test_input_required_result_multi_round(reply),
        }
    }

    /// Asks only what the client can be asked.
    #[tool(resume = any_answer)]
    fn test_input_required_result_capabilities(context: &Context<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        let can = |capability| context.client().has(capability);
        match (can(ClientCapabilities::ELICITATION_FORM), can(ClientCapabilities::SAMPLING)) {
            (true, true) => {
                reply.ask("user_name", &questions::NAMED).ask("greeting", &questions::GREETING).done()
            }
            (true, false) => reply.ask("user_name", &questions::NAMED).done(),
            (false, _) => reply.ask("greeting", &questions::GREETING).done(),
        }
    }

    fn any_answer(&self, _: Resumed<'_>, reply: ToolReply<'_, '_>) -> Outcome {
        reply.text("answered")
    }

    // Tasks.

    /// Computes for a while.
    #[tool(task = "optional")]
    fn slow_compute(
        &mut self,
        call: ToolCall<'_>,
        reply: ToolReply<'_, '_>,
        #[arg(min = 0, max = 3600, doc = "Time in seconds")] seconds: u16,
        label: Option<String>,
    ) -> Result<Outcome, CallError<'static>> {
        let time = Duration::from_secs(seconds.into());
        let text = format!("{}: computed for {seconds} s", label.as_deref().unwrap_or("slow_compute"));
        if call.may_be_task() {
            return self.tasks.start(reply, time, Work::Result(text));
        }
        let (token, outcome) = reply.defer()?;
        let handle = self.handle.clone();
        tokio::spawn(async move {
            tokio::time::sleep(time).await;
            handle.complete_tool(token, move |content| Ok(content.text(text).done()));
        });
        Ok(outcome)
    }

    /// Fails after a second.
    #[tool(task = "required")]
    fn failing_job(&mut self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        self.tasks.start(reply, FAILING, Work::ToolError)
    }

    /// Fails with a protocol error.
    #[tool(task = "required")]
    fn protocol_error_job(&mut self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        self.tasks.start(reply, FAILING, Work::Error)
    }

    /// Deletes a file, if the user agrees.
    #[tool(task = "required")]
    fn confirm_delete(
        &mut self,
        reply: ToolReply<'_, '_>,
        filename: String,
    ) -> Result<Outcome, CallError<'static>> {
        let questions = vec![("confirm", format!("Delete {filename}?"))];
        self.tasks.start(reply, Duration::ZERO, Work::Questions(questions))
    }

    /// Asks two questions.
    #[tool(task = "required")]
    fn multi_input(&mut self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        let questions =
            vec![("first", "First question".to_owned()), ("second", "Second question".to_owned())];
        self.tasks.start(reply, Duration::ZERO, Work::Questions(questions))
    }

    /// Asks for a name, and greets in a task.
    #[tool(task = "required", resume = named_task)]
    fn test_tool_with_task(reply: ToolReply<'_, '_>) -> Outcome {
        reply.ask("user_name", &questions::NAMED).done()
    }

    fn named_task(
        &mut self,
        call: Resumed<'_>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'static>> {
        match form_text(&call, "user_name", "name") {
            Some(name) => self.tasks.start(reply, STEP, Work::Result(format!("Hello, {name}!"))),
            None => Ok(Self::test_tool_with_task(reply)),
        }
    }

    // Resources.

    /// A text.
    #[resource("test://static-text", mime_type = "text/plain")]
    fn static_text() -> &'static str {
        "This is the content of the static text resource."
    }

    /// An image.
    #[resource("test://static-binary", mime_type = "image/png")]
    fn static_binary() -> &'static [u8] {
        PNG
    }

    /// A text that clients subscribe to.
    #[resource("test://watched-resource", mime_type = "text/plain")]
    fn watched_resource() -> &'static str {
        "This is the content of the watched resource."
    }

    /// Data by its id.
    #[resource("test://template/{id}/data", mime_type = "application/json")]
    fn template_data(id: &str) -> String {
        format!(r#"{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}"#)
    }

    // Prompts.

    /// A prompt without arguments.
    #[prompt]
    fn test_simple_prompt() -> &'static str {
        "This is a simple prompt for testing."
    }

    /// A prompt with two arguments.
    #[prompt]
    fn test_prompt_with_arguments(
        #[arg(doc = "First test argument")] arg1: &str,
        #[arg(doc = "Second test argument")] arg2: &str,
    ) -> String {
        format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
    }

    /// A prompt with a resource.
    #[prompt]
    fn test_prompt_with_embedded_resource(
        reply: PromptReply<'_, '_>,
        #[arg(name = "resourceUri", doc = "URI of the resource to embed")] resource_uri: &str,
    ) -> Outcome {
        let text = "Embedded resource content for testing.";
        let messages = reply.messages().embedded_text(Role::User, resource_uri, Some("text/plain"), text);
        messages.text(Role::User, "Please process the embedded resource above.").done()
    }

    /// A prompt with an image.
    #[prompt]
    fn test_prompt_with_image(reply: PromptReply<'_, '_>) -> Outcome {
        let messages = reply.messages().image(Role::User, "image/png", PNG);
        messages.text(Role::User, "Please analyze the image above.").done()
    }

    /// A prompt that asks the user.
    #[prompt(resume = with_context)]
    fn test_input_required_result_prompt(reply: PromptReply<'_, '_>) -> Outcome {
        reply.ask("user_context", &questions::IN_CONTEXT).done()
    }

    fn with_context(&self, call: Resumed<'_>, reply: PromptReply<'_, '_>) -> Outcome {
        match form_text(&call, "user_context", "context") {
            Some(context) => reply.text(Role::User, format_args!("The context is: {context}")),
            None => Self::test_input_required_result_prompt(reply),
        }
    }

    // The rest of the handler.

    #[handler]
    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::COMPLETIONS | Capabilities::LOGGING);
        offered.insert(Capabilities::TOOLS_LIST_CHANGED | Capabilities::PROMPTS_LIST_CHANGED);
        offered.insert(Capabilities::RESOURCES_SUBSCRIBE);
    }

    #[handler]
    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: CompletionReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let typed = completion.value().to_string();
        Ok(reply.all(["paris", "park", "party"].into_iter().filter(|value| value.starts_with(&typed))))
    }

    #[handler]
    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        Some(&mut self.tasks)
    }

    #[handler]
    fn event(&mut self, event: Event<'_>) {
        if let Event::TaskForgotten(task) = event {
            self.tasks.forget(task);
        }
    }
}
