//! A handler that writes what it is told, and looks at what it is asked.

use barewire::engine::{
    CallError, CallToken, Completion, CompletionReply, Context, Event, Handler, Outcome, Progress, PromptGet,
    PromptReply, Reference, ResourceRead, ResourceReply, ResumedReply, ToolCall, ToolReply,
};
use barewire::mcp::{
    Capabilities, ClientCapabilities, Implementation, Parameter, Prompt, PromptArgument, ResourceTemplate,
    Tool, Type, UriTemplate,
};
use serde::Deserialize;

use super::pieces::{answer_prompt, answer_read, answer_tool};
use super::{Asked, Notice, Plan, URI};
use crate::support::replies::Answering;

const TEMPLATE: UriTemplate<'_> = UriTemplate::new("r:{n}");
const TOOLS: &[Tool<'_>] = &[
    Tool::new("other", ""),
    Tool::new("t", "").with_open_parameters(&[Parameter::optional("flag", Type::Boolean)]),
];
const PROMPTS: &[Prompt<'_>] = &[Prompt::new("p").with_arguments(&[PromptArgument::optional("a")])];
const TEMPLATES: &[ResourceTemplate<'_>] = &[ResourceTemplate::new(TEMPLATE, "r")];

/// Writes by a plan.
pub(super) struct Author<'p> {
    pub(super) asked: &'p Asked,
    pub(super) plan: &'p Plan,
    /// The call that is to be answered later.
    pub(super) deferred: Option<CallToken>,
    pub(super) misuses: usize,
    pub(super) runs: usize,
}

/// The arguments, as an application may have them.
#[derive(Debug, PartialEq, Deserialize)]
struct Given {
    flag: Option<bool>,
    n: i64,
    s: String,
}

impl<'p> Author<'p> {
    pub(super) fn new(asked: &'p Asked, plan: &'p Plan) -> Self {
        Self { asked, plan, deferred: None, misuses: 0, runs: 0 }
    }

    fn look_at(&mut self, context: &Context<'_>) {
        self.runs += 1;
        let asked = self.asked;
        assert_eq!(context.id().to_string(), asked.id);
        assert_eq!(context.version(), asked.version);
        let params = context.params().map(|params| params.as_value().to_string());
        assert_eq!(params.as_ref(), Some(&asked.params));
        let capabilities = context.client_capabilities();
        let capabilities = capabilities.map(|capabilities| capabilities.as_value().to_string());
        assert_eq!(capabilities.as_deref(), asked.modern_capabilities());
        assert_eq!(context.wants_progress(), asked.progress_token.is_some());
    }

    fn look_at_client(&self, context: &Context<'_>) {
        let client = context.client();
        let found =
            [ClientCapabilities::ROOTS, ClientCapabilities::SAMPLING, ClientCapabilities::ELICITATION_URL]
                .map(|capability| client.has(capability));
        assert_eq!(<(bool, bool, bool)>::from(found), self.asked.client);
    }

    /// Does what the plan says.
    fn write(&mut self, mut reply: ResumedReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        for notice in &self.plan.before {
            tell(&mut reply, notice);
        }
        if self.plan.is_deferred {
            let (token, outcome) = reply.defer()?;
            assert_eq!(CallToken::from_bits(token.to_bits()), token);
            self.deferred = Some(token);
            return Ok(outcome);
        }
        let pieces = &self.plan.pieces;
        let outcome = match reply {
            ResumedReply::Tool(reply) => answer_tool(pieces, reply),
            ResumedReply::Resource(reply) => answer_read(pieces, reply),
            ResumedReply::Prompt(reply) => answer_prompt(pieces, reply),
        };
        self.plan.end.of(outcome)
    }
}

fn tell(reply: &mut ResumedReply<'_, '_>, notice: &Notice) {
    match notice {
        Notice::Progress(..) => reply.progress(progress_of(notice)),
        Notice::Log(level, logger, text) => reply.log(*level, *logger, text),
    };
}

/// The progress of a notice.
pub(super) fn progress_of(notice: &Notice) -> Progress<'_> {
    let Notice::Progress(value, total, message) = notice else {
        return Progress::new(0);
    };
    let mut progress = Progress::new(*value);
    if let Some(total) = total {
        progress = progress.of(*total);
    }
    match message {
        Some(message) => progress.with_message(message),
        None => progress,
    }
}

impl Handler for Author<'_> {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("author", "1")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::COMPLETIONS | Capabilities::LOGGING);
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.look_at(call.context());
        self.look_at_client(call.context());
        assert!(call.is("t") && call.name() == "t" && call.index() == 1 && !call.may_be_task());
        assert!(!call.must_be_task());
        assert_eq!(reply.version(), self.asked.version);
        let text = call.arguments().as_value().to_string();
        let given: Given = serde_json::from_str(&text).expect("arguments");
        assert_eq!(call.boolean("flag"), given.flag);
        assert_eq!(call.integer("n"), Some(given.n));
        assert_eq!(call.string("s").map(|s| s.to_string()).as_deref(), Some(&*given.s));
        assert!(call.integer("s").is_none() && call.string("n").is_none() && call.boolean("none").is_none());
        assert_eq!(call.parse_in(&mut vec![0; text.len()]), Ok(given));
        self.write(ResumedReply::Tool(reply))
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        TEMPLATES
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.look_at(read.context());
        self.look_at_client(read.context());
        assert!(read.is(URI) && read.uri() == URI);
        assert!(read.variable(TEMPLATE, "n").is_some_and(|n| n == URI[2..]));
        assert!(read.variable(TEMPLATE, "m").is_none());
        self.write(ResumedReply::Resource(reply))
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        PROMPTS
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.look_at(get.context());
        self.look_at_client(get.context());
        assert!(get.is("p") && get.name() == "p");
        let argument = get.argument("a").map(|argument| argument.to_string());
        assert_eq!(argument.as_ref(), Some(&self.asked.text));
        assert!(get.argument("b").is_none());
        self.write(ResumedReply::Prompt(reply))
    }

    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: CompletionReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        self.look_at(completion.context());
        match completion.reference() {
            Reference::Prompt(name) => assert!(name == "p"),
            Reference::Resource(uri) => assert!(uri == "r:{n}"),
        }
        assert!(completion.argument() == "a");
        assert_eq!(completion.value().to_string(), self.asked.text);
        let resolved = completion.resolved("b").map(|resolved| resolved.to_string());
        assert_eq!(resolved.as_deref(), Some("c"));
        assert!(completion.resolved("a").is_none());
        let texts: Vec<String> = (0..self.plan.values).map(|at| at.to_string()).collect();
        let texts = texts.iter().map(String::as_str);
        let outcome = match self.plan.total {
            None => reply.all(texts),
            Some(total) => {
                let values = reply.values();
                texts.fold(values, |values, text| values.value(text)).total(total).done()
            }
        };
        self.plan.end.of(outcome)
    }

    fn event(&mut self, event: Event<'_>) {
        self.misuses += usize::from(matches!(event, Event::Misuse(_)));
    }
}
