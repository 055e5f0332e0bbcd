//! Receivers of the events that are not results of calls.

use std::boxed::Box;

use crate::engine::client::{Incoming, Log};
use crate::mcp::LoggingLevel;

/// Receiver of every event except the results of calls.
pub(super) type OnEvent = Box<dyn FnMut(&Incoming<'_, ()>) + Send>;

/// Receiver of log messages.
pub(super) type OnLog = Box<dyn FnMut(Log<'_>) + Send>;

/// The receivers.
#[derive(Default)]
pub(super) struct Events {
    pub(super) on_event: Option<OnEvent>,
    /// The receiver, and the lowest level to request.
    pub(super) on_log: Option<(LoggingLevel, OnLog)>,
}

impl Events {
    /// Passes an event to its receivers.
    pub(super) fn pass(&mut self, event: &Incoming<'_, ()>) {
        if let (Incoming::Log(log), Some((_, on_log))) = (event, &mut self.on_log) {
            on_log(*log);
        }
        if let Some(on_event) = &mut self.on_event {
            on_event(event);
        }
    }

    /// Level of the log messages to request.
    pub(super) fn log_level(&self) -> Option<LoggingLevel> {
        self.on_log.as_ref().map(|(level, _)| *level)
    }
}
