//! Params, as the methods need them.

use crate::json::{JsonStr, Kind, Object, RawValue};

/// Params that are not as their method needs them.
pub(super) struct Malformed;

/// Members of the params that are strings; absent ones are `None`.
pub(super) fn strings<'a, const N: usize>(
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

/// An object; `null` and absence are the empty one, as deployed clients mean them.
pub(super) fn object_or_null(value: Option<RawValue<'_>>) -> Option<Object<'_>> {
    match value {
        None => Some(Object::EMPTY),
        Some(value) if value.is_null() => Some(Object::EMPTY),
        Some(value) => value.as_object(),
    }
}

/// The `name` and the `arguments` of a call or a prompt.
pub(super) fn name_and_arguments<'a>(params: Option<Object<'a>>) -> Option<(JsonStr<'a>, Object<'a>)> {
    let [name, arguments] = params?.get_each(["name", "arguments"]).ok()?;
    Some((name?.as_string()?, object_or_null(arguments)?))
}
