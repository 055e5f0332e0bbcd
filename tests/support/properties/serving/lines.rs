//! What a server has written, read by the slow classifier.

use barewire::rpc::classify;

use super::super::super::slow::{self, Leniency, Verdict};
pub(super) use super::super::super::tree::{at, has};

/// A line of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// All of it, without the newline.
    pub(super) text: String,
    pub(super) what: What,
}

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// The answer to the request of this id, as it is written.
    Response(String),
    /// A request of the server's own.
    Request { id: i64, method: String },
    /// A notification of this method.
    Notification(String),
}

/// The lines of one output: each is whole, and a message to this crate and to the slow classifier.
pub(super) fn lines(output: &[u8]) -> Vec<Line> {
    let text = std::str::from_utf8(output).expect("output is UTF-8");
    assert!(text.is_empty() || text.ends_with('\n'), "half a line: {text}");
    text.lines().map(line).collect()
}

fn line(text: &str) -> Line {
    if let Err(rejection) = classify(text.as_bytes()) {
        panic!("{rejection:?}: {text}");
    }
    let plain = |token: &str| serde_json::from_str::<String>(token).expect("a string");
    let what = match slow::classify(text.as_bytes(), &[Leniency::STRICT]).remove(0) {
        Verdict::Result { id, .. } => What::Response(id.to_owned()),
        Verdict::Error { id, .. } => What::Response(id.unwrap_or("null").to_owned()),
        Verdict::Request { id, method, .. } => {
            What::Request { id: id.parse().expect("ids of the server are integers"), method: plain(method) }
        }
        Verdict::Notification { method, .. } => What::Notification(plain(method)),
        Verdict::Invalid { reason, .. } => panic!("{reason:?}: {text}"),
    };
    Line { text: text.to_owned(), what }
}

impl Line {
    /// The id that it answers.
    pub(super) fn answered_id(&self) -> Option<&str> {
        match &self.what {
            What::Response(id) => Some(id),
            _ => None,
        }
    }

    /// Whether it is this notification.
    pub(super) fn notifies_of(&self, method: &str) -> bool {
        self.what == What::Notification(method.to_owned())
    }

    /// The value at the end of this path of members.
    pub(super) fn at(&self, path: &[&str]) -> Option<&str> {
        at(&self.text, path)
    }

    /// Whether it stands in the place of an answer that had no room.
    pub(super) fn is_for_want_of_room(&self) -> bool {
        self.answered_id() == Some("null")
            || self.at(&["error", "message"]) == Some("\"Response too large\"")
            || self.text.contains("[{\"type\":\"text\",\"text\":\"Result too large\"}]")
    }
}
