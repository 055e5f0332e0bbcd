//! The log: a line for each message, and a summary.

use std::io::{self, Write};
use std::time::Instant;

use super::handoff::Side;
use super::record::{Kind, Record};
use super::requests::Request;
use super::totals::Totals;
use super::{json, plain};
use crate::clock::Clock;
use crate::terminal::note;

/// The destination of records, and their totals.
pub(super) struct Report {
    output: Box<dyn Write + Send>,
    form: Form,
    /// Whether the log is a file, so that important notes also go to standard error.
    is_file: bool,
    clock: Clock,
    /// The error after which nothing more is written.
    failed: Option<io::Error>,
    pub(super) totals: Totals,
}

/// The form in which records are written.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Plain { colours: bool },
    Json,
}

impl Report {
    pub(super) fn new(output: Box<dyn Write + Send>, form: Form, is_file: bool) -> Self {
        Self { output, form, is_file, clock: Clock::new(), failed: None, totals: Totals::default() }
    }

    pub(super) fn bytes(&mut self, side: Side, bytes: u64) {
        self.totals.count(side).bytes += bytes;
    }

    pub(super) fn record(&mut self, at: Instant, record: &Record) {
        self.totals.add(record);
        let time = self.clock.time_of_day(at);
        self.write(match self.form {
            Form::Plain { colours } => plain::record(time, record, colours),
            Form::Json => json::record(time, record),
        });
    }

    /// Notes the number of requests of `side` that are not matched with their answers; reported once.
    pub(super) fn untracked(&mut self, at: Instant, side: Side, count: u64) {
        let before = std::mem::replace(&mut self.totals.count(side).untracked, count);
        if before > 0 || count == 0 {
            return;
        }
        self.record(at, &Record::new(side, Kind::Untracked, 0));
        if self.is_file {
            note!("barewire: {}: {}", side.name(), plain::UNTRACKED);
        }
    }

    /// Notes a request without an answer; `is_sure` is false if an answer may have passed without inspection.
    pub(super) fn unanswered(&mut self, at: Instant, side: Side, request: &Request, is_sure: bool) {
        let waited = at.saturating_duration_since(request.at);
        let mut record = Record::new(side, Kind::Unanswered { waited, is_sure }, 0);
        record.subject.clone_from(&request.subject);
        record.subject.version = None;
        self.record(at, &record);
    }

    pub(super) fn summary(&mut self, at: Instant) {
        self.totals.duration = self.clock.elapsed(at);
        self.write(match self.form {
            Form::Plain { colours } => plain::summary(&self.totals, colours),
            Form::Json => json::summary(self.clock.time_of_day(at), &self.totals),
        });
    }

    pub(super) fn flush(&mut self) {
        self.try_to(|output| output.flush());
    }

    /// The error after which nothing more was written.
    pub(super) fn failure(self) -> Option<io::Error> {
        self.failed
    }

    fn write(&mut self, text: Vec<u8>) {
        self.try_to(|output| output.write_all(&text));
    }

    /// If the log cannot be written, it stops, and the stream goes on.
    fn try_to(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = write(&mut self.output).err();
        }
    }
}
