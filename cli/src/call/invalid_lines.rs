//! Lines of the server that are not messages: the first one is shown, and the others are counted.

use barewire::rpc::Rejection;

use crate::terminal::{excerpt, note};

/// The lines so far.
#[derive(Debug, Default)]
pub(crate) struct InvalidLines {
    /// The fault of the first line, and its beginning.
    first: Option<(String, String)>,
    /// Number of lines after the first one.
    more: u64,
    /// Whether the handshake has ended, so that the first line is shown at once.
    is_open: bool,
}

impl InvalidLines {
    /// Notes a line. Nothing is shown during the handshake, which may explain the line.
    pub(crate) fn add(&mut self, rejection: Rejection<'_>, line: &[u8]) {
        if self.first.is_some() {
            self.more = self.more.saturating_add(1);
            return;
        }
        self.first = Some((rejection.to_string(), excerpt(line)));
        if self.is_open {
            self.show();
        }
    }

    /// The handshake has ended: shows the first line, now or when it comes.
    pub(crate) fn open(&mut self) {
        self.is_open = true;
        self.show();
    }

    fn show(&self) {
        match &self.first {
            None => {}
            Some((why, begins)) if begins.is_empty() => note!("invalid line from the server: {why}"),
            Some((why, begins)) => note!("invalid line from the server: {why}: `{begins}`"),
        }
    }

    /// Shows the number of lines that were not shown.
    pub(crate) fn close(&self) {
        if self.more > 0 {
            note!("further invalid lines from the server: {}", self.more);
        }
    }

    /// The lines as part of the sentence about a failed connection.
    pub(crate) fn as_reason(&self) -> String {
        match &self.first {
            Some((_, begins)) if !begins.is_empty() => {
                format!(", and its output is not JSON-RPC: `{begins}`")
            }
            _ => String::new(),
        }
    }
}
