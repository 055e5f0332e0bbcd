//! What `prompts/get` and `completion/complete` are owed.

use serde_json::json;

use super::model::{Content, Expected, Known, is_repeating_object, once, present};
use crate::support::{strings, tree};

pub(super) fn prompt(known: &Known<'_>) -> Expected {
    let Some(name) = known.string("name") else {
        return known.invalid();
    };
    let arguments = match once(&known.params, "arguments") {
        Ok(None | Some("null")) => Vec::new(),
        Ok(Some(object)) if object.starts_with('{') => tree::members(object).unwrap_or_default(),
        _ => return known.invalid(),
    };
    if !strings::is(name, "greet") {
        return known.error(-32602, "Unknown prompt");
    }
    let is_named = matches!(once(&arguments, "name"), Ok(Some(name)) if name != "null");
    let is_repeated = once(&known.params, "arguments").is_ok_and(|all| all.is_some_and(is_repeating_object));
    if !are_texts(&arguments) || !is_named || is_repeated {
        return known.invalid();
    }
    match known.is_modern() && (known.has("requestState") || known.has("inputResponses")) {
        true => Expected::Anything(known.id.to_owned()),
        false => known.result(Content::Free),
    }
}

pub(super) fn completion(known: &Known<'_>) -> Expected {
    match completed(known) {
        None => known.invalid(),
        Some(Completed::UnknownPrompt) => known.error(-32602, "Unknown prompt"),
        Some(Completed::Values(values)) => known.result(Content::Exactly(
            json!({"completion": {"values": values, "total": values.len(), "hasMore": false}}),
        )),
    }
}

enum Completed {
    UnknownPrompt,
    Values(Vec<&'static str>),
}

/// What completes; `None` for params that are not as they must be, or a resource that is none.
fn completed(known: &Known<'_>) -> Option<Completed> {
    let text = |value: Option<&str>| value.filter(|value| value.starts_with('"')).map(str::to_owned);
    let member = |object: &str, name| once(&tree::members(object)?, name).ok().map(text_of);
    let reference = once(&known.params, "ref").ok()??;
    let argument = once(&known.params, "argument").ok()??;
    if let Some(context) = present(once(&known.params, "context").ok()?) {
        let resolved = once(&tree::members(context)?, "arguments").ok()?;
        let resolved = present(resolved).unwrap_or("{}");
        if !are_texts(&tree::members(resolved)?) || tree::repeats(resolved) {
            return None;
        }
    }
    let [kind, name, uri] = ["type", "name", "uri"].map(|part| member(reference, part));
    let (kind, name, uri) = (text(kind?.as_deref())?, name?, uri?);
    let (part, value) = (member(argument, "name")?, member(argument, "value")?);
    let (part, value) = (text(part.as_deref())?, text(value.as_deref())?);
    if strings::is(&kind, "ref/prompt") {
        let name = text(name.as_deref())?;
        if !strings::is(&name, "greet") {
            return Some(Completed::UnknownPrompt);
        }
        let languages = ["english", "finnish", "french", "german", "greek", "spanish"];
        let fits = |language: &&str| {
            let typed = strings::units(&value);
            let language: Vec<u16> = language.encode_utf16().collect();
            language.starts_with(&typed)
        };
        let is_completed = strings::is(&part, "language");
        return Some(Completed::Values(
            languages.into_iter().filter(fits).filter(|_| is_completed).collect(),
        ));
    }
    let uri = text(uri.as_deref()).filter(|_| strings::is(&kind, "ref/resource"))?;
    strings::is(&uri, "demo://square/{number}").then_some(Completed::Values(Vec::new()))
}

/// Whether all arguments are strings, or `null` for those that are left out.
fn are_texts(arguments: &[(&str, &str)]) -> bool {
    arguments.iter().all(|(_, value)| value.starts_with('"') || *value == "null")
}

fn text_of(value: Option<&str>) -> Option<String> {
    value.map(str::to_owned)
}
