//! The replies to calls of each kind, where it does not matter which.

use barewire::engine::{Progress, PromptReply, ResourceReply, ToolReply};
use barewire::json::Writer;
use barewire::mcp::{InputRequest, LoggingLevel, Role};

/// What the replies to all kinds of call can do.
pub trait Answering {
    /// A piece of an answer.
    fn text(&mut self, text: &str);
    /// A question.
    fn ask(&mut self, key: &str, request: &InputRequest<'_>);
    /// The state behind it.
    fn keep(&mut self, state: &str);
    /// The same, by a writer.
    fn keep_with(&mut self, write: &dyn Fn(&mut Writer<'_, '_>));
    /// Progress, before all else; false when nothing was written.
    fn progress(&mut self, progress: &Progress<'_>) -> bool;
    /// A log message, before all else; false when nothing was written.
    fn log(&mut self, level: LoggingLevel, logger: Option<&str>, text: &str) -> bool;
}

impl Answering for ToolReply<'_, '_> {
    fn text(&mut self, text: &str) {
        self.text(text);
    }

    fn ask(&mut self, key: &str, request: &InputRequest<'_>) {
        self.ask(key, request);
    }

    fn keep(&mut self, state: &str) {
        self.keep(state);
    }

    fn keep_with(&mut self, write: &dyn Fn(&mut Writer<'_, '_>)) {
        self.keep_with(write);
    }

    fn progress(&mut self, progress: &Progress<'_>) -> bool {
        self.progress(progress)
    }

    fn log(&mut self, level: LoggingLevel, logger: Option<&str>, text: &str) -> bool {
        self.log(level, logger, text)
    }
}

impl Answering for ResourceReply<'_, '_> {
    fn text(&mut self, text: &str) {
        self.text(None, text);
    }

    fn ask(&mut self, key: &str, request: &InputRequest<'_>) {
        self.ask(key, request);
    }

    fn keep(&mut self, state: &str) {
        self.keep(state);
    }

    fn keep_with(&mut self, write: &dyn Fn(&mut Writer<'_, '_>)) {
        self.keep_with(write);
    }

    fn progress(&mut self, progress: &Progress<'_>) -> bool {
        self.progress(progress)
    }

    fn log(&mut self, level: LoggingLevel, logger: Option<&str>, text: &str) -> bool {
        self.log(level, logger, text)
    }
}

impl Answering for PromptReply<'_, '_> {
    fn text(&mut self, text: &str) {
        self.text(Role::User, text);
    }

    fn ask(&mut self, key: &str, request: &InputRequest<'_>) {
        self.ask(key, request);
    }

    fn keep(&mut self, state: &str) {
        self.keep(state);
    }

    fn keep_with(&mut self, write: &dyn Fn(&mut Writer<'_, '_>)) {
        self.keep_with(write);
    }

    fn progress(&mut self, progress: &Progress<'_>) -> bool {
        self.progress(progress)
    }

    fn log(&mut self, level: LoggingLevel, logger: Option<&str>, text: &str) -> bool {
        self.log(level, logger, text)
    }
}
