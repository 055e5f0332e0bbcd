//! Writers: one message into a caller's memory, compact, members in a fixed order, no newline.

use super::{ErrorCode, Rejection, Reply, RequestId};
use crate::bytes::{BufferFull, Sink};
use crate::json::{Object, RawValue, Writer};

/// Runs `write` on `memory`; what did not fit says how much is needed.
fn message(memory: &mut [u8], write: impl FnOnce(&mut Writer<'_, '_>)) -> Result<&[u8], BufferFull> {
    let mut sink = Sink::new(memory);
    write(&mut Writer::new(&mut sink));
    sink.into_written()
}

/// Opens a message.
pub(crate) fn begin(json: &mut Writer<'_, '_>) {
    json.verbatim(r#"{"jsonrpc":"2.0""#);
}

fn id_or_null(json: &mut Writer<'_, '_>, id: Option<RequestId<'_>>) {
    json.name("id");
    match id {
        Some(id) => id.write(json),
        None => {
            json.null();
        }
    }
}

/// Up to the place of the result's value; the caller writes it, and closes the message.
pub(crate) fn begin_result(json: &mut Writer<'_, '_>, id: RequestId<'_>) {
    begin(json);
    id_or_null(json, Some(id));
    json.name("result");
}

/// Up to the place of the error's data; the caller may write it, and closes the error object and the message.
pub(crate) fn begin_error(json: &mut Writer<'_, '_>, id: Option<RequestId<'_>>, code: ErrorCode, text: &str) {
    begin(json);
    id_or_null(json, id);
    code_and_message(json, code, text);
}

/// [`begin_error`] as 2025-11-25 and later have it for a request whose id is not readable.
pub(crate) fn begin_error_without_id(json: &mut Writer<'_, '_>, code: ErrorCode, text: &str) {
    begin(json);
    code_and_message(json, code, text);
}

fn code_and_message(json: &mut Writer<'_, '_>, code: ErrorCode, text: &str) {
    json.verbatim(r#""error":{"code":"#).integer(code.0);
    json.name("message").string(text);
}

fn method_and_params(json: &mut Writer<'_, '_>, method: &str, params: Option<Object<'_>>) {
    json.name("method").string(method);
    if let Some(params) = params {
        json.name("params").raw(params.as_value());
    }
    json.end_object();
}

/// Writes a request: `{"jsonrpc":"2.0","id":ID,"method":METHOD,"params":PARAMS}`, the last only if there are any.
///
/// # Errors
/// [`BufferFull`] with the size that is enough; so for every writer of this module.
///
/// ```
/// # fn main() -> Result<(), barewire::bytes::BufferFull> {
/// use barewire::rpc::{RequestId, request};
///
/// let mut memory = [0; 64];
/// let line = request(&mut memory, RequestId::from(1), "ping", None)?;
/// assert_eq!(line, br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
/// # Ok(())
/// # }
/// ```
pub fn request<'m>(
    memory: &'m mut [u8],
    id: RequestId<'_>,
    method: &str,
    params: Option<Object<'_>>,
) -> Result<&'m [u8], BufferFull> {
    message(memory, |json| {
        begin(json);
        id_or_null(json, Some(id));
        method_and_params(json, method, params);
    })
}

/// Writes a notification: `{"jsonrpc":"2.0","method":METHOD,"params":PARAMS}`.
///
/// # Errors
/// [`BufferFull`].
pub fn notification<'m>(
    memory: &'m mut [u8],
    method: &str,
    params: Option<Object<'_>>,
) -> Result<&'m [u8], BufferFull> {
    message(memory, |json| {
        begin(json);
        method_and_params(json, method, params);
    })
}

/// Writes a result: `{"jsonrpc":"2.0","id":ID,"result":RESULT}`.
///
/// # Errors
/// [`BufferFull`].
pub fn result_response<'m>(
    memory: &'m mut [u8],
    id: RequestId<'_>,
    result: Object<'_>,
) -> Result<&'m [u8], BufferFull> {
    message(memory, |json| {
        begin_result(json, id);
        json.raw(result.as_value()).end_object();
    })
}

/// Writes an error: `{"jsonrpc":"2.0","id":ID,"error":{"code":CODE,"message":"MESSAGE"}}`; without an id it is `null`.
///
/// # Errors
/// [`BufferFull`].
///
/// ```
/// # fn main() -> Result<(), barewire::bytes::BufferFull> {
/// use barewire::rpc::{ErrorCode, RequestId, error_response};
///
/// let mut memory = [0; 96];
/// let id = RequestId::from(1);
/// let line = error_response(&mut memory, id, ErrorCode::METHOD_NOT_FOUND, "Method not found")?;
/// assert_eq!(
///     line,
///     br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#
/// );
/// # Ok(())
/// # }
/// ```
pub fn error_response<'m, 'i>(
    memory: &'m mut [u8],
    id: impl Into<Option<RequestId<'i>>>,
    code: ErrorCode,
    text: &str,
) -> Result<&'m [u8], BufferFull> {
    let id = id.into();
    message(memory, |json| {
        begin_error(json, id, code, text);
        json.end_object().end_object();
    })
}

/// [`error_response`] with `data`, as the last member of the error.
///
/// # Errors
/// [`BufferFull`].
pub fn error_response_with_data<'m, 'i>(
    memory: &'m mut [u8],
    id: impl Into<Option<RequestId<'i>>>,
    code: ErrorCode,
    text: &str,
    data: RawValue<'_>,
) -> Result<&'m [u8], BufferFull> {
    let id = id.into();
    message(memory, |json| {
        begin_error(json, id, code, text);
        json.name("data").raw(data);
        json.end_object().end_object();
    })
}

/// Writes what the sender of a rejected frame is owed, or `None` when that is nothing.
///
/// # Errors
/// [`BufferFull`].
///
/// ```
/// # fn main() -> Result<(), barewire::bytes::BufferFull> {
/// use barewire::rpc::{classify, rejection_response};
///
/// let rejection = classify(b"not-json").unwrap_err();
/// let mut memory = [0; 96];
/// assert_eq!(
///     rejection_response(&mut memory, &rejection)?,
///     Some(&br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#[..])
/// );
/// # Ok(())
/// # }
/// ```
pub fn rejection_response<'m>(
    memory: &'m mut [u8],
    rejection: &Rejection<'_>,
) -> Result<Option<&'m [u8]>, BufferFull> {
    let id = match rejection.reply() {
        Reply::Nobody => return Ok(None),
        Reply::Null => None,
        Reply::To(id) => Some(id),
    };
    error_response(memory, id, rejection.code(), rejection.reason().message()).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_without_an_id_has_all_but_the_id() {
        let mut memory = [0; 96];
        let written = message(&mut memory, |json| {
            begin_error_without_id(json, ErrorCode::PARSE_ERROR, "Parse error");
            json.end_object().end_object();
        });
        let expected = br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#;
        assert_eq!(written, Ok(&expected[..]));
    }
}
