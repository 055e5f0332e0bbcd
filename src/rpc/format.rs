//! `defmt::Format` of messages and ids: in short, as a log wants it.

use defmt::{Format, Formatter, write};

use super::{ErrorObject, Message, Notification, Request, RequestId, Response, StoredId};

impl Format for RequestId<'_> {
    fn format(&self, f: Formatter<'_>) {
        self.format_text(f);
    }
}

impl<const N: usize> Format for StoredId<N> {
    fn format(&self, f: Formatter<'_>) {
        self.view().format(f);
    }
}

impl Format for Message<'_> {
    fn format(&self, f: Formatter<'_>) {
        match self {
            Self::Request(request) => request.format(f),
            Self::Notification(notification) => notification.format(f),
            Self::Response(response) => response.format(f),
        }
    }
}

impl Format for Request<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "request {} {}", self.id(), self.method());
    }
}

impl Format for Notification<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "notification {}", self.method());
    }
}

impl Format for Response<'_> {
    fn format(&self, f: Formatter<'_>) {
        match self.outcome() {
            Ok(_) => write!(f, "result {}", self.id()),
            Err(error) => write!(f, "error {} {}", self.id(), error),
        }
    }
}

impl Format for ErrorObject<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{} {}", self.code(), self.message());
    }
}
