//! Requests as text, and what comes back.

use barewire::json::{Object, RawValue};

/// Metadata of a modern request, without `clientInfo`.
pub(super) const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;
const CLIENT_INFO: &str = r#""io.modelcontextprotocol/clientInfo":{"name":"barewire check","version":"1"}"#;

/// The params of a modern request; `members` is empty or ends in a comma.
pub(super) fn modern(members: &str) -> String {
    format!(r#"{{{members}"_meta":{{{META},{CLIENT_INFO}}}}}"#)
}

/// A request as text; without params where they are empty.
pub(super) fn request(id: &str, method: &str, params: &str) -> String {
    let params = if params.is_empty() {
        String::new()
    } else {
        format!(r#","params":{params}"#)
    };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"{params}}}"#)
}

/// A batch of two pings and a notification, as text.
pub(super) fn batch(ids: [&str; 2]) -> Vec<u8> {
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/barewire/unknown"}"#;
    let [a, b] = ids.map(|id| request(id, "ping", ""));
    format!("[{a},{notification},{b}]").into_bytes()
}

/// One message of the server, read with more patience than the rules have.
#[derive(Clone)]
pub(super) struct Reply(pub(super) Vec<u8>);

impl Reply {
    pub(super) fn object(&self) -> Option<Object<'_>> {
        RawValue::new(&self.0).ok().and_then(RawValue::as_object)
    }

    pub(super) fn get(&self, name: &str) -> Option<RawValue<'_>> {
        self.object().and_then(|object| object.get(name))
    }

    /// The text of the id.
    pub(super) fn id(&self) -> Option<&str> {
        self.get("id").map(RawValue::as_json)
    }

    pub(super) fn method(&self) -> Option<&str> {
        self.get("method")
            .and_then(RawValue::as_string)
            .and_then(|method| method.as_str())
    }

    pub(super) fn is_response(&self) -> bool {
        self.get("method").is_none() && (self.get("result").is_some() || self.get("error").is_some())
    }

    pub(super) fn result(&self) -> Option<Object<'_>> {
        self.get("result").and_then(RawValue::as_object)
    }

    /// The code of the error, if it is one and has one.
    pub(super) fn code(&self) -> Option<i64> {
        let code = self.get("error")?.as_object()?.get("code")?.as_number()?;
        code.to_i64().ok()
    }

    /// For a reason: how it begins.
    pub(super) fn excerpt(&self) -> String {
        excerpt(&self.0)
    }
}

pub(super) fn excerpt(bytes: &[u8]) -> String {
    const MOST: usize = 160;
    let mut text = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]).into_owned();
    if bytes.len() > MOST {
        text.push('…');
    }
    text
}

/// What came back.
pub(super) struct Exchange {
    pub(super) replies: Vec<Reply>,
    /// Whether the server answered what was sent last, a request that every server answers.
    pub(super) is_alive: bool,
    /// How the server has exited, as the end of a sentence, if it has.
    pub(super) exit: Option<String>,
}

impl Exchange {
    /// The first response with this id, as text.
    pub(super) fn answer(&self, id: &str) -> Option<&Reply> {
        self.responses().find(|reply| reply.id() == Some(id))
    }

    pub(super) fn responses(&self) -> impl Iterator<Item = &Reply> {
        self.replies.iter().filter(|reply| reply.is_response())
    }

    pub(super) fn code(&self, id: &str) -> Option<i64> {
        self.answer(id).and_then(Reply::code)
    }

    /// For a reason: what was the answer to this id.
    pub(super) fn told(&self, id: &str) -> String {
        match self.answer(id) {
            Some(answer) => answer.excerpt(),
            None if self.exit.is_some() => format!("no answer{}", self.but()),
            None => "no answer".to_owned(),
        }
    }

    /// For a reason: the other thing that happened.
    pub(super) fn but(&self) -> String {
        match (&self.exit, self.replies.first()) {
            (Some(exit), _) => format!(": the server {exit}"),
            (None, Some(reply)) => format!(", but {}", reply.excerpt()),
            (None, None) => String::new(),
        }
    }
}

/// Whether it has the mark of a message.
pub(super) fn is_envelope(value: RawValue<'_>) -> bool {
    value
        .as_object()
        .is_some_and(|object| object.get("jsonrpc").is_some())
}
