//! A handler that writes what it is told, and looks at what it is asked.

use barewire::engine::{
    CallError, CallToken, Completion, CompletionReply, Context, Disposition, Event, Handler, Progress,
    PromptGet, PromptReply, Reference, ResourceRead, ResourceReply, ToolCall, ToolReply,
};
use barewire::mcp::{
    Capabilities, Implementation, Parameter, Prompt, PromptArgument, ResourceTemplate, Tool, Type,
    UriTemplate,
};
use serde::Deserialize;

use super::pieces::{self, Piece};
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
        Self {
            asked,
            plan,
            deferred: None,
            misuses: 0,
            runs: 0,
        }
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
        let found = (client.roots, client.sampling, client.elicitation_url);
        assert_eq!(found, self.asked.client);
    }

    fn tell_before(&self, reply: &mut dyn Answering) {
        tell_all(&self.plan.before, reply);
    }

    /// Nothing is told behind the first part of a reply.
    fn tell_late(&self, reply: &mut dyn Answering) {
        if self
            .plan
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Text(_)))
        {
            assert!(!self.plan.late.iter().any(|notice| tell(reply, notice)));
        }
    }

    fn defer(&mut self, context: &Context<'_>) -> Option<Result<Disposition, CallError<'static>>> {
        if !self.plan.is_deferred {
            return None;
        }
        let token = context.defer();
        self.deferred = token.as_ref().ok().copied();
        if let Ok(token) = token {
            assert_eq!(CallToken::from_bits(token.to_bits()), token);
        }
        Some(token.map(Disposition::Deferred))
    }
}

/// False when nothing was written.
fn tell(reply: &mut dyn Answering, notice: &Notice) -> bool {
    match notice {
        Notice::Progress(..) => reply.progress(&progress_of(notice)),
        Notice::Log(level, logger, text) => reply.log(*level, *logger, text),
    }
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

    fn capabilities(&self) -> Capabilities {
        let mut offered = Capabilities::NONE;
        (offered.tools, offered.resources, offered.prompts) = (true, true, true);
        (offered.completions, offered.logging) = (true, true);
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
        self.look_at(call.context());
        self.look_at_client(call.context());
        assert!(call.is("t") && call.name() == "t" && call.index() == 1 && call.task().is_none());
        assert!(!call.must_be_task());
        assert_eq!(reply.version(), self.asked.version);
        let text = call.arguments().as_value().to_string();
        let given: Given = serde_json::from_str(&text).expect("arguments");
        assert_eq!(call.boolean("flag"), given.flag);
        assert_eq!(call.integer("n"), Some(given.n));
        assert_eq!(
            call.string("s").map(|s| s.to_string()).as_deref(),
            Some(&*given.s)
        );
        assert!(call.integer("s").is_none() && call.string("n").is_none() && call.boolean("none").is_none());
        assert_eq!(call.parse_in(&mut vec![0; text.len()]), Ok(given));
        self.tell_before(reply);
        if let Some(deferred) = self.defer(call.context()) {
            return deferred;
        }
        write_tool(self.plan, reply);
        self.tell_late(reply);
        self.plan.end.as_error().map(|()| Disposition::Done)
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        TEMPLATES
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: &mut ResourceReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        self.look_at(read.context());
        self.look_at_client(read.context());
        assert!(read.is(URI) && read.uri() == URI);
        assert!(read.variable(TEMPLATE, "n").is_some_and(|n| n == URI[2..]));
        assert!(read.variable(TEMPLATE, "m").is_none());
        self.tell_before(reply);
        if let Some(deferred) = self.defer(read.context()) {
            return deferred;
        }
        write_resource(self.plan, reply);
        self.tell_late(reply);
        self.plan.end.as_error().map(|()| Disposition::Done)
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        PROMPTS
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: &mut PromptReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        self.look_at(get.context());
        self.look_at_client(get.context());
        assert!(get.is("p") && get.name() == "p");
        let argument = get.argument("a").map(|argument| argument.to_string());
        assert_eq!(argument.as_ref(), Some(&self.asked.text));
        assert!(get.argument("b").is_none());
        self.tell_before(reply);
        if let Some(deferred) = self.defer(get.context()) {
            return deferred;
        }
        write_prompt(self.plan, reply);
        self.tell_late(reply);
        self.plan.end.as_error().map(|()| Disposition::Done)
    }

    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: &mut CompletionReply<'_, '_>,
    ) -> Result<(), CallError<'a>> {
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
        for at in 0..self.plan.values {
            reply.value(&at.to_string());
        }
        if let Some(total) = self.plan.total {
            reply.set_total(total);
        }
        self.plan.end.as_error()
    }

    fn event(&mut self, event: Event<'_>) {
        self.misuses += usize::from(matches!(event, Event::Misuse(_)));
    }
}

/// One after the other, whether they are wanted or not.
pub(super) fn tell_all(notices: &[Notice], reply: &mut dyn Answering) {
    for notice in notices {
        tell(reply, notice);
    }
}

/// What the plan has for a tool.
pub(super) fn write_tool(plan: &Plan, reply: &mut ToolReply<'_, '_>) {
    plan.pieces
        .iter()
        .for_each(|piece| pieces::write_to_tool(piece, reply));
}

/// What the plan has for a prompt.
pub(super) fn write_prompt(plan: &Plan, reply: &mut PromptReply<'_, '_>) {
    plan.pieces
        .iter()
        .for_each(|piece| pieces::write_to_prompt(piece, reply));
}

/// What the plan has for a resource.
pub(super) fn write_resource(plan: &Plan, reply: &mut ResourceReply<'_, '_>) {
    plan.pieces
        .iter()
        .for_each(|piece| pieces::write_to_resource(piece, reply));
}
