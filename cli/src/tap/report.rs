//! The log: a line for each message, and a summary.

use std::io::{self, Write};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::handoff::Side;
use super::record::{Fault, Record};
use super::requests::Request;
use super::totals::Totals;
use super::{json, plain};

/// Where records go, and what they come to.
pub(super) struct Report {
    output: Box<dyn Write + Send>,
    form: Form,
    clock: Clock,
    /// Why nothing is written any more.
    failed: Option<io::Error>,
    pub(super) totals: Totals,
}

/// How a record is written.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Plain { colours: bool },
    Json,
}

/// The time of the day of an instant.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    start: Instant,
    day: SystemTime,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            day: SystemTime::now(),
        }
    }

    /// Since 1970.
    pub(super) fn at(&self, at: Instant) -> Duration {
        let day = self.day.duration_since(UNIX_EPOCH).unwrap_or_default();
        day + at.saturating_duration_since(self.start)
    }
}

impl Report {
    pub(super) fn new(output: Box<dyn Write + Send>, form: Form) -> Self {
        Self {
            output,
            form,
            clock: Clock::new(),
            failed: None,
            totals: Totals::default(),
        }
    }

    pub(super) fn bytes(&mut self, side: Side, bytes: u64) {
        self.totals.count(side).bytes += bytes;
    }

    pub(super) fn record(&mut self, at: Instant, record: &Record) {
        self.totals.add(record);
        let time = self.clock.at(at);
        self.write(match self.form {
            Form::Plain { colours } => plain::record(time, record, colours),
            Form::Json => json::record(time, record),
        });
    }

    /// `is_sure` is false where an answer may have gone by unseen.
    pub(super) fn unanswered(&mut self, at: Instant, side: Side, request: &Request, is_sure: bool) {
        if is_sure {
            self.totals.fault(Fault::Unanswered.name());
        }
        let time = self.clock.at(at);
        let waited = at.saturating_duration_since(request.at);
        self.write(match self.form {
            Form::Plain { colours } => plain::unanswered(time, side, request, waited, is_sure, colours),
            Form::Json => json::unanswered(time, side, request, waited, is_sure),
        });
    }

    pub(super) fn summary(&mut self, at: Instant) {
        self.totals.duration = at.saturating_duration_since(self.clock.start);
        self.write(match self.form {
            Form::Plain { colours } => plain::summary(&self.totals, colours),
            Form::Json => json::summary(self.clock.at(at), &self.totals),
        });
    }

    pub(super) fn flush(&mut self) {
        if self.failed.is_none()
            && let Err(error) = self.output.flush()
        {
            self.failed = Some(error);
        }
    }

    pub(super) fn failure(self) -> Option<io::Error> {
        self.failed
    }

    /// A log that cannot be written stops; the stream goes on.
    fn write(&mut self, mut text: Vec<u8>) {
        text.push(b'\n');
        if self.failed.is_none()
            && let Err(error) = self.output.write_all(&text)
        {
            self.failed = Some(error);
        }
    }
}
