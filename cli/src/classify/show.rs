//! Messages as lines, for people and for programs.

use barewire::json::{JsonStr, Writer};
use barewire::rpc::{Message, Reason, Rejection};

use crate::json;
use crate::terminal::shown;

/// Place of a message.
pub(super) struct Place {
    /// The name of the input, where it is shown.
    pub(super) file: Option<String>,
    /// The number of the line, from 1.
    pub(super) line: u64,
    /// Whether the plain output shows the place.
    pub(super) is_shown: bool,
}

/// `a.jsonl:7: request id=1 method=ping`.
pub(super) fn plain(place: &Place, found: &Result<Message<'_>, Rejection<'_>>) -> String {
    let mut line = match (&place.file, place.is_shown) {
        (Some(file), true) => format!("{file}:{}: ", place.line),
        (None, true) => format!("{}: ", place.line),
        (_, false) => String::new(),
    };
    line += &match found {
        Ok(Message::Request(request)) => {
            format!("request id={} method={}", request.id(), method(request.method()))
        }
        Ok(Message::Notification(notification)) => {
            format!("notification method={}", method(notification.method()))
        }
        Ok(Message::Response(response)) => {
            let id = response.id().map_or("null".to_owned(), |id| id.to_string());
            // As text, since a code may have any number of digits.
            match response.outcome().map_err(|error| error.object().get("code")) {
                Ok(_) => format!("response id={id} result"),
                Err(Some(code)) => format!("response id={id} error={code}"),
                Err(None) => format!("response id={id} error"),
            }
        }
        Err(rejection) if is_of_the_whole(rejection.reason()) => {
            format!("invalid {} {}", rejection.code(), rejection.reason().name())
        }
        Err(rejection) => format!("invalid {rejection}"),
    };
    shown(&line) + "\n"
}

/// Whether the fault is in the message as a whole, so that its offset is meaningless.
fn is_of_the_whole(reason: Reason) -> bool {
    matches!(reason, Reason::Batch | Reason::NotAnObject | Reason::NotAMessage | Reason::ResultAndError)
}

/// A method as it stands in the message, in quotes if it would not be seen as one word.
fn method(method: JsonStr<'_>) -> String {
    let text = method.as_escaped();
    match text.is_empty() || text.contains(char::is_whitespace) {
        true => format!("\"{text}\""),
        false => text.to_owned(),
    }
}

/// `{"kind":"request","error_code":null,"line":7,"id":1,"method":"ping"}`.
pub(super) fn json(place: &Place, found: &Result<Message<'_>, Rejection<'_>>) -> Vec<u8> {
    json::line(|json| {
        json.name("kind").string(match found {
            Ok(Message::Request(_)) => "request",
            Ok(Message::Notification(_)) => "notification",
            Ok(Message::Response(_)) => "response",
            Err(_) => "invalid",
        });
        json.name("error_code");
        match found {
            Ok(_) => json.null(),
            Err(rejection) => json.integer(rejection.code().0),
        };
        if let Some(file) = &place.file {
            json.name("file").string(file);
        }
        json.name("line").unsigned(place.line);
        match found {
            Ok(message) => write_message(json, message),
            Err(rejection) => write_rejection(json, rejection),
        }
    })
}

fn write_message(json: &mut Writer<'_, '_>, message: &Message<'_>) {
    match (message.id(), message) {
        (Some(id), _) => id.write(json.name("id")),
        (None, Message::Response(_)) => {
            json.name("id").null();
        }
        (None, _) => {}
    }
    if let Some(method) = message.method() {
        json.name("method").json_string(method);
    }
    let Message::Response(response) = message else {
        return;
    };
    let outcome = response.outcome();
    json.name("outcome").string(if outcome.is_ok() { "result" } else { "error" });
    if let Some(code) = outcome.err().and_then(|error| error.object().get("code")) {
        json.name("code").raw(code);
    }
}

fn write_rejection(json: &mut Writer<'_, '_>, rejection: &Rejection<'_>) {
    json.name("reason").string(rejection.reason().name());
    if let Reason::NotJson(kind) = rejection.reason() {
        json.name("detail").string(kind.as_str());
    }
    if let Some(offset) = rejection.offset() {
        json.name("offset").unsigned(offset as u64);
    }
}
