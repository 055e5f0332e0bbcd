//! `prompts/get`, `completion/complete` (MCP prompts, completion).

use core::sync::atomic::AtomicBool;

use super::params::{Malformed, are_texts, name_and_arguments, object, present};
use super::{Turn, apart, invalid_params, refuse};
use crate::bytes::Sink;
use crate::engine::server::answer::{Tail, Written};
use crate::engine::server::reply::Reply;
use crate::engine::server::{
    Completion, CompletionReply, Context, Disposition, Handler, Parts, PromptGet, PromptReply, Reference,
    Server,
};
use crate::json::{JsonStr, Object};
use crate::rpc::ErrorCode;

impl<
    H: Handler + ?Sized,
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const ID: usize,
    const TEXT: usize,
    const TASKS: usize,
> Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>
{
    #[inline(never)]
    pub(in crate::engine::server) fn get_prompt(
        &mut self,
        context: &Context<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        let Some((name, arguments)) = name_and_arguments(context.params) else {
            return invalid_params(out, context);
        };
        let Some(prompt) = self.handler.prompts().iter().find(|prompt| name == prompt.name()) else {
            return refuse(out, context, ErrorCode::INVALID_PARAMS, "Unknown prompt");
        };
        let all_there = prompt
            .arguments()
            .iter()
            .filter(|argument| argument.is_required())
            .all(|argument| {
                arguments
                    .get(argument.name())
                    .is_some_and(|value| !value.is_null())
            });
        if !all_there || !are_texts(arguments) {
            return invalid_params(out, context);
        }
        let get = PromptGet {
            context,
            name,
            arguments,
        };
        match self.turn(context, name, &AtomicBool::new(false), get) {
            Ok(turn) => self.run_prompt(turn, None, out),
            Err(Malformed) => invalid_params(out, context),
        }
    }

    /// Lets the handler answer a request for a prompt.
    #[inline(never)]
    pub(in crate::engine::server) fn run_prompt<'a>(
        &mut self,
        turn: Turn<'a, PromptGet<'a>>,
        progress: Option<i64>,
        out: &mut Sink<'_>,
    ) -> Written {
        let (context, subject) = match &turn {
            Turn::First(get) => (get.context, get.name),
            Turn::Again(resumed) => (resumed.context, resumed.subject),
        };
        let mut memory = [0; TEXT];
        let settled = apart::<P, _>(|| {
            let mut asking = self.asking(context, subject, &mut memory);
            let mut reply = PromptReply::new(out, context, progress, asking.as_mut());
            let outcome = match turn {
                Turn::First(get) => self.handler.get_prompt(get, &mut reply),
                Turn::Again(resumed) if P::ASKING => {
                    resumed.judged(self.handler.resume_prompt(resumed, &mut reply))
                }
                Turn::Again(_) => Ok(Disposition::Done),
            };
            reply.settle(outcome, &Tail::<_, P>::new(&self.handler, context.version))
        });
        self.conclude(context, settled, &memory, out)
    }

    #[inline(never)]
    pub(in crate::engine::server) fn complete_argument(
        &mut self,
        context: &Context<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        let Some(asked) = context.params.and_then(asked_completion) else {
            return invalid_params(out, context);
        };
        if let Reference::Prompt(name) = asked.reference
            && !self.handler.prompts().iter().any(|prompt| name == prompt.name())
        {
            return refuse(out, context, ErrorCode::INVALID_PARAMS, "Unknown prompt");
        }
        let completion = Completion {
            context,
            reference: asked.reference,
            argument: asked.argument,
            value: asked.value,
            resolved: asked.resolved,
        };
        let mut reply = CompletionReply::new(out, context);
        let outcome = self.handler.complete(completion, &mut reply);
        let outcome = outcome.map(|()| Disposition::Done);
        let settled = reply.settle(outcome, &Tail::<_, P>::new(&self.handler, context.version));
        self.conclude(context, settled, &[], out)
    }
}

/// The params of a completion.
struct AskedCompletion<'a> {
    reference: Reference<'a>,
    argument: JsonStr<'a>,
    value: JsonStr<'a>,
    resolved: Object<'a>,
}

fn asked_completion(params: Object<'_>) -> Option<AskedCompletion<'_>> {
    let [reference, argument, context] = params.get_each(["ref", "argument", "context"]).ok()?;
    let [kind, name, uri] = reference?.as_object()?.get_each(["type", "name", "uri"]).ok()?;
    let kind = kind?.as_string()?;
    let reference = if kind == "ref/prompt" {
        Reference::Prompt(name?.as_string()?)
    } else if kind == "ref/resource" {
        Reference::Resource(uri?.as_string()?)
    } else {
        return None;
    };
    let [argument, value] = argument?.as_object()?.get_each(["name", "value"]).ok()?;
    let resolved = match present(context) {
        Some(context) => object(context.as_object()?.get_once("arguments").ok()?)?,
        None => Object::EMPTY,
    };
    if !are_texts(resolved) {
        return None;
    }
    Some(AskedCompletion {
        reference,
        argument: argument?.as_string()?,
        value: value?.as_string()?,
        resolved,
    })
}
