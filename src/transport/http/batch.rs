//! A batch (2025-03-26): its answers are one JSON array, in the order of the requests.

use super::fault::{ErrorId, write_error};
use super::ladder::is_handshake;
use crate::bytes::Sink;
use crate::engine::{Allowed, Handler, Sent, Server, Storage, Way};
use crate::json::Elements;
use crate::rpc::{ErrorCode, Message, Rejection, Reply, classify_with, response_id};

/// Outcome of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Batch {
    /// The array is empty, or has a response beside other messages. Nothing was served.
    Malformed,
    /// There is no answer: the array has notifications only.
    Taken,
    /// The array had one response.
    Continued(Sent),
    /// The array of answers is in the output.
    Answered,
    /// The answers do not fit the output.
    NoRoom,
}

/// Serves the array in `text` whose first element begins at `start`, or after it.
pub(super) fn serve<S: Storage, H: Handler + ?Sized>(
    server: &mut Server<S>,
    way: Way,
    text: &[u8],
    start: usize,
    app: &mut H,
    out: &mut Sink<'_>,
) -> Batch {
    let way = Way { answer: Allowed::ResponseNow, ..way };
    let rules = server.rules();
    let elements = || Elements::from_place(text, start).map(|element| element.as_bytes());
    let responses =
        elements().filter(|element| is_response(&classify_with(element, &rules), element)).count();
    match (elements().nth(1).is_some(), responses) {
        (true, 1..) => return Batch::Malformed,
        (false, 1) => {
            let element = elements().next().unwrap_or_default();
            return Batch::Continued(match &classify_with(element, &rules) {
                Ok(Message::Response(response)) => server.receive_response(way.origin, response, app, out),
                Err(rejection) => {
                    server.receive_rejected(way.origin, rejection, response_id(element), app, out)
                }
                Ok(_) => Sent::Nothing,
            });
        }
        _ => {}
    }
    let begin = out.mark();
    let mut has_room = true;
    let mut separator: &[u8] = b"[";
    let mut count = 0usize;
    for element in elements() {
        count = count.saturating_add(1);
        let before = out.mark();
        out.write(separator);
        let after = out.mark();
        has_room &= serve_element(server, way, &classify_with(element, &rules), app, out);
        if out.mark() == after {
            out.rollback(before);
        } else {
            // The newline.
            out.truncate(out.len().saturating_sub(1));
            separator = b",";
        }
    }
    if count == 0 {
        return Batch::Malformed;
    }
    if out.mark() == begin && has_room {
        return Batch::Taken;
    }
    out.write(b"]\n");
    match has_room && !out.is_full() {
        true => Batch::Answered,
        false => {
            out.rollback(begin);
            Batch::NoRoom
        }
    }
}

fn is_response(judged: &Result<Message<'_>, Rejection<'_>>, text: &[u8]) -> bool {
    match judged {
        Ok(message) => matches!(message, Message::Response(_)),
        Err(rejection) => rejection.reply() == Reply::Nobody && response_id(text).is_some(),
    }
}

/// Serves a request or a notification. False if its answer does not fit.
fn serve_element<S: Storage, H: Handler + ?Sized>(
    server: &mut Server<S>,
    way: Way,
    judged: &Result<Message<'_>, Rejection<'_>>,
    app: &mut H,
    out: &mut Sink<'_>,
) -> bool {
    match judged {
        // The handshake settles the revision, and so what a batch is: it stands alone.
        Ok(message @ Message::Request(request)) if is_handshake(message) => {
            write_error(out, ErrorId::Of(request.id()), ErrorCode::INVALID_REQUEST, "Invalid Request")
        }
        Ok(Message::Request(request)) => server.receive_request(way, request, app, out).sent.fitted(),
        Ok(Message::Notification(notification)) => {
            server.receive_notification(way.origin, notification, app);
            true
        }
        Ok(Message::Response(_)) => true,
        Err(rejection) => {
            let sent = server.receive_rejected(way.origin, rejection, None, app, out);
            let (code, message) = (rejection.code(), rejection.reason().message());
            sent.fitted()
                && match rejection.reply() {
                    Reply::Nobody => true,
                    Reply::Null => write_error(out, ErrorId::Null, code, message),
                    Reply::To(id) => write_error(out, ErrorId::Of(id), code, message),
                }
        }
    }
}
