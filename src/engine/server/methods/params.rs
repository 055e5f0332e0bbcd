//! Params in the form that the methods need.

use crate::json::{JsonStr, Kind, Object, RawValue};

/// Params that the method cannot use.
pub(in crate::engine::server) struct Malformed;

/// Members of the params that are strings; absent ones are `None`.
pub(in crate::engine::server) fn strings<'a, const N: usize>(
    params: Option<Object<'a>>,
    names: [&str; N],
) -> Result<[Option<JsonStr<'a>>; N], Malformed> {
    let Some(params) = params else {
        return Ok([None; N]);
    };
    let values = params.get_each(names).map_err(|_| Malformed)?;
    if values.iter().flatten().any(|value| value.kind() != Kind::String) {
        return Err(Malformed);
    }
    Ok(values.map(|value| value.and_then(RawValue::as_string)))
}

/// An optional member; `null` counts as absent, as deployed clients mean it.
pub(in crate::engine::server) fn present(value: Option<RawValue<'_>>) -> Option<RawValue<'_>> {
    value.and_then(RawValue::not_null)
}

/// An optional object; an empty one if it is absent.
pub(in crate::engine::server) fn object(value: Option<RawValue<'_>>) -> Option<Object<'_>> {
    match present(value) {
        None => Some(Object::EMPTY),
        Some(value) => value.as_object(),
    }
}

/// Whether all arguments of a prompt are strings (or `null`, which counts as absent), and none occurs twice. The handler
/// reads any of them.
pub(in crate::engine::server) fn are_texts(arguments: Object<'_>) -> bool {
    let is_text = |value: RawValue<'_>| matches!(value.kind(), Kind::String | Kind::Null);
    arguments.members().all(|member| is_text(member.value)) && arguments.as_value().has_unique_names()
}

/// State and answers that a modern client sends with a request that it makes again.
pub(in crate::engine::server) struct Retry<'a> {
    pub(in crate::engine::server) state: JsonStr<'a>,
    pub(in crate::engine::server) answers: Object<'a>,
}

/// `None` for a request that is made for the first time. Answers without a state are those to questions with an empty one.
pub(in crate::engine::server) fn retry(params: Object<'_>) -> Result<Option<Retry<'_>>, Malformed> {
    let members = params.get_each(["requestState", "inputResponses"]);
    let [state, answers] = members.map_err(|_| Malformed)?.map(present);
    if state.is_none() && answers.is_none() {
        return Ok(None);
    }
    let state = match state {
        Some(given) => given.as_string().ok_or(Malformed)?,
        None => JsonStr::EMPTY,
    };
    let answers = match answers {
        Some(given) => self::answers(given).ok_or(Malformed)?,
        None => Object::EMPTY,
    };
    Ok(Some(Retry { state, answers }))
}

/// The member `inputResponses`. The handler may read any part of it, so no name in it may occur twice.
pub(in crate::engine::server) fn answers(value: RawValue<'_>) -> Option<Object<'_>> {
    value.as_object().filter(|_| value.has_unique_names())
}

/// The `name` and the `arguments` of a call or a prompt.
pub(in crate::engine::server) fn name_and_arguments<'a>(
    params: Option<Object<'a>>,
) -> Option<(JsonStr<'a>, Object<'a>)> {
    let [name, arguments] = params?.get_each(["name", "arguments"]).ok()?;
    Some((name?.as_string()?, object(arguments)?))
}
