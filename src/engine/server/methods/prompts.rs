//! `prompts/get`, `completion/complete` (MCP prompts, completion).

use super::params::{are_texts, name_and_arguments, object, present};
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Written, invalid_params};
use crate::engine::server::engine::Engine;
use crate::engine::server::run::Turn;
use crate::engine::server::{Completion, Context, Handler, Parts, PromptGet, Reference};
use crate::json::{JsonStr, Object};
use crate::rpc::ErrorCode;

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    pub(super) fn get_prompt(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Some((name, arguments)) = name_and_arguments(context.params) else {
            return invalid_params(out, &context.id);
        };
        let mut prompts = self.app.prompts().iter().enumerate();
        let Some((index, prompt)) = prompts.find(|(_, prompt)| name == prompt.name()) else {
            return answer::error(out, &context.id, ErrorCode::INVALID_PARAMS, "Unknown prompt");
        };
        let mut required = prompt.arguments().iter().filter(|argument| argument.is_required());
        let has_all = required.all(|argument| present(arguments.get(argument.name())).is_some());
        if !has_all || !are_texts(arguments) {
            return invalid_params(out, &context.id);
        }
        let get = PromptGet { context, name, index, arguments };
        self.call(context, &Turn::Prompt(get), out)
    }

    pub(super) fn complete_argument(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Some(params) = context.params.and_then(completion_params) else {
            return invalid_params(out, &context.id);
        };
        if let Reference::Prompt(name) = params.reference
            && !self.app.prompts().iter().any(|prompt| name == prompt.name())
        {
            return answer::error(out, &context.id, ErrorCode::INVALID_PARAMS, "Unknown prompt");
        }
        let completion = Completion {
            context,
            reference: params.reference,
            argument: params.argument,
            value: params.value,
            resolved: params.resolved,
        };
        self.call(context, &Turn::Complete(completion), out)
    }
}

/// The params of a completion.
struct CompletionParams<'a> {
    reference: Reference<'a>,
    argument: JsonStr<'a>,
    value: JsonStr<'a>,
    resolved: Object<'a>,
}

fn completion_params(params: Object<'_>) -> Option<CompletionParams<'_>> {
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
    Some(CompletionParams {
        reference,
        argument: argument?.as_string()?,
        value: value?.as_string()?,
        resolved,
    })
}
