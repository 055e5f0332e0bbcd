//! The writers: exact text, exact sizes, and the classifier reads what was meant.

use barewire::bytes::BufferFull;
use barewire::json::RawValue;
use barewire::rpc::{
    ErrorCode, RequestId, classify, error_response, error_response_with_data, notification, request,
    result_response,
};

use super::judging::verdict;
use crate::support::entropy::Entropy;
use crate::support::slow::Verdict;
use crate::support::{generate, tree};

/// What `write` writes. It needs as much memory as it says, and fails with a byte less.
pub(super) fn exactly(write: impl for<'m> Fn(&'m mut [u8]) -> Result<&'m [u8], BufferFull>) -> Vec<u8> {
    let BufferFull { needed } = write(&mut []).expect_err("nothing fits no memory");
    let mut memory = vec![0; needed];
    let written = write(&mut memory).map(<[u8]>::to_vec);
    assert_eq!(write(&mut vec![0; needed + 9]).map(<[u8]>::to_vec), written);
    assert_eq!(write(&mut memory[1..]), Err(BufferFull { needed }));
    let written = written.expect("as much as is needed");
    assert_eq!(written.len(), needed);
    written
}

/// Each writer, with an id, texts and values of any kind.
pub(super) fn written_messages_are_read_as_meant(entropy: &mut Entropy<'_>) {
    let received = generate::id(entropy);
    let (own_text, own_integer) = (generate::text(entropy), entropy.number().cast_signed());
    // The id and its token.
    let (id, token) = match (RequestId::parse(received.as_bytes()), entropy.below(3)) {
        (Some(id), 0 | 1) => (id, received.clone()),
        (_, 2) => (RequestId::from(own_integer), own_integer.to_string()),
        _ => (RequestId::from(own_text.as_str()), quoted(&own_text)),
    };
    assert_eq!(id.to_string(), token);
    let (method, text) = (generate::text(entropy), generate::text(entropy));
    let object = generate::object(entropy, 3);
    let result = RawValue::new(object.as_bytes()).expect("generated").as_object();
    let data = generate::value(entropy, 3);
    let code = ErrorCode(entropy.number().cast_signed() >> entropy.below(64));

    calls((id, &token), &method, None);
    calls((id, &token), &method, Some(&object));

    let line = exactly(|memory| result_response(memory, id, result.expect("an object")));
    let result = tree::compact(&object);
    reads(
        &line,
        &format!(r#"{{"jsonrpc":"2.0","id":{token},"result":{result}}}"#),
        &Verdict::Result { id: token.clone(), result },
    );
    for (id, token) in [(Some(id), Some(token)), (None, None)] {
        errors((id, token.as_deref()), code, &text, &data);
    }
}

fn calls((id, token): (RequestId<'_>, &str), method: &str, params: Option<&str>) {
    let object = params
        .map(|params| RawValue::new(params.as_bytes()).expect("generated").as_object().expect("an object"));
    let params = params.map(tree::compact);
    let rest = match &params {
        Some(params) => format!(r#""method":{},"params":{params}}}"#, quoted(method)),
        None => format!(r#""method":{}}}"#, quoted(method)),
    };
    let line = exactly(|memory| request(memory, id, method, object));
    reads(
        &line,
        &format!(r#"{{"jsonrpc":"2.0","id":{token},{rest}"#),
        &Verdict::Request { id: token.to_string(), method: quoted(method), params: params.clone() },
    );
    let line = exactly(|memory| notification(memory, method, object));
    reads(
        &line,
        &format!(r#"{{"jsonrpc":"2.0",{rest}"#),
        &Verdict::Notification { method: quoted(method), params },
    );
}

fn errors((id, token): (Option<RequestId<'_>>, Option<&str>), code: ErrorCode, text: &str, data: &str) {
    let start = format!(r#"{{"jsonrpc":"2.0","id":{},"error":"#, token.unwrap_or("null"));
    let meant = |error: &str| Verdict::Error { id: token.map(str::to_string), error: error.to_string() };

    let line = exactly(|memory| error_response(memory, id, code, text));
    let error = format!(r#"{{"code":{code},"message":{}}}"#, quoted(text));
    reads(&line, &format!("{start}{error}}}"), &meant(&error));

    let value = RawValue::new(data.as_bytes()).expect("generated");
    let line = exactly(|memory| error_response_with_data(memory, id, code, text, value));
    let data = tree::compact(data);
    let error = format!(r#"{{"code":{code},"message":{},"data":{data}}}"#, quoted(text));
    reads(&line, &format!("{start}{error}}}"), &meant(&error));
}

fn reads(line: &[u8], text: &str, meant: &Verdict<String>) {
    assert_eq!(core::str::from_utf8(line), Ok(text));
    assert_eq!(verdict(&classify(line)), *meant);
}

/// The JSON string that serde_json writes; it escapes what must be, as this crate does.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}
