//! Judgement of a message by head and body together: its era, and whether the headers of a modern message agree with its body.

use super::admission::VersionHeader;
use super::fault::Fault;
use super::head::{FieldError, Head, once};
use super::header_value::is_string;
use crate::engine::Parts;
use crate::json::{JsonStr, Object, RawValue};
use crate::mcp::{Era, Meta, Method};
use crate::rpc::{Message, Notification, Request};

/// Whether a version header names a revision that is not a legacy one.
pub(super) const fn names_no_legacy(version: VersionHeader) -> bool {
    match version {
        VersionHeader::Absent => false,
        VersionHeader::Known(version) => matches!(version.era(), Era::Modern),
        VersionHeader::Unknown | VersionHeader::Repeated => true,
    }
}

/// Whether a message is judged by the rules of the modern era.
///
/// It is if its metadata is modern, or if its version header names no legacy revision; but a handshake without such metadata is legacy,
/// whatever its headers.
pub(super) fn is_modern<P: Parts>(version: VersionHeader, message: &Message<'_>) -> bool {
    if !P::MODERN {
        return false;
    }
    let params = match message {
        Message::Request(request) => request.params(),
        Message::Notification(notification) => notification.params(),
        Message::Response(_) => None,
    };
    let by_body = Meta::of(params).is_ok_and(|meta| meta.is_modern());
    by_body || !P::LEGACY || !is_handshake(message) && names_no_legacy(version)
}

/// Whether a message is the request of a legacy handshake, unless its metadata is modern.
pub(super) fn is_handshake(message: &Message<'_>) -> bool {
    matches!(message, Message::Request(request) if request.method() == *Method::Initialize.name())
}

/// Compares the headers of a modern request with its body: revision, method, name; and refuses a body without modern metadata, which the
/// server would take for a legacy one. The server finds all other faults.
pub(super) fn check_request(
    head: &impl Head,
    version: VersionHeader,
    request: &Request<'_>,
) -> Result<(), Fault> {
    match version {
        VersionHeader::Absent => return Err(Fault::header("MCP-Protocol-Version header required")),
        VersionHeader::Repeated => return Err(Fault::header("Repeated MCP-Protocol-Version header")),
        VersionHeader::Known(_) | VersionHeader::Unknown => {}
    }
    let meta = Meta::of(request.params());
    if let Ok(Some(requested)) = meta.as_ref().map(Meta::version)
        && !is_plain(head, VERSION, requested)
    {
        return Err(Fault::header("MCP-Protocol-Version header does not match the body"));
    }
    check_method(head, request.method())?;
    match name_of(request) {
        Some(name) => check_name(head, name)?,
        None if head.values(NAME).nth(1).is_some() => return Err(Fault::header("Repeated Mcp-Name header")),
        None => {}
    }
    match meta.is_ok_and(|meta| !meta.is_modern()) {
        true => Err(Fault::INVALID_PARAMS),
        false => Ok(()),
    }
}

/// Compares the method of a modern notification with its header, if there is one.
pub(super) fn check_notification(head: &impl Head, notification: &Notification<'_>) -> Result<(), Fault> {
    match once(head, METHOD) {
        Ok(None) => Ok(()),
        _ => check_method(head, notification.method()),
    }
}

const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

fn check_method(head: &impl Head, method: JsonStr<'_>) -> Result<(), Fault> {
    match once(head, METHOD) {
        Ok(None) => Err(Fault::header("Mcp-Method header required")),
        Ok(Some(value)) if method == *value => Ok(()),
        Err(FieldError::Repeated) => Err(Fault::header("Repeated Mcp-Method header")),
        Ok(Some(_)) | Err(FieldError::NotText) => {
            Err(Fault::header("Mcp-Method header does not match the body"))
        }
    }
}

fn check_name(head: &impl Head, name: JsonStr<'_>) -> Result<(), Fault> {
    let mut values = head.values(NAME);
    match (values.next(), values.next()) {
        (None, _) => Err(Fault::header("Mcp-Name header required")),
        (_, Some(_)) => Err(Fault::header("Repeated Mcp-Name header")),
        (Some(value), None) if is_string(value, name) => Ok(()),
        (Some(_), None) => Err(Fault::header("Mcp-Name header does not match the body")),
    }
}

/// Whether a header that occurs once has this value, which has no encoded form.
fn is_plain(head: &impl Head, name: &str, expected: JsonStr<'_>) -> bool {
    matches!(once(head, name), Ok(Some(value)) if expected == *value)
}

/// The value that `Mcp-Name` repeats, if the method has one and the body has a string there.
fn name_of<'a>(request: &Request<'a>) -> Option<JsonStr<'a>> {
    const NAMES: [(Method, &str); 6] = [
        (Method::ToolsCall, "name"),
        (Method::PromptsGet, "name"),
        (Method::ResourcesRead, "uri"),
        (Method::TasksGet, "taskId"),
        (Method::TasksUpdate, "taskId"),
        (Method::TasksCancel, "taskId"),
    ];
    let method = request.method();
    let (_, member) = NAMES.iter().find(|(known, _)| method == *known.name())?;
    let params: Object<'a> = request.params()?;
    params.get_once(member).ok()?.and_then(RawValue::as_string)
}
