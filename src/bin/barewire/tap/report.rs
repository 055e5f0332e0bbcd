//! The log: a line for each message, and a summary.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::handoff::Side;
use super::record::{Fault, Kind, Record};
use super::requests::Request;
use super::{json, plain};

/// How many methods have a line in the summary; a peer can make up more.
const METHODS: usize = 64;

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

/// What all records came to.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) client: Count,
    pub(super) server: Count,
    pub(super) faults: BTreeMap<&'static str, u64>,
    pub(super) latencies: BTreeMap<String, Latency>,
    pub(super) duration: Duration,
    pub(super) exit: String,
}

/// Of one side.
#[derive(Default)]
pub(super) struct Count {
    pub(super) bytes: u64,
    pub(super) messages: u64,
    /// How many of the bytes were not inspected.
    pub(super) unseen: u64,
}

#[derive(Default)]
pub(super) struct Latency {
    pub(super) count: u32,
    pub(super) sum: Duration,
    pub(super) longest: Duration,
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

impl Totals {
    fn count(&mut self, side: Side) -> &mut Count {
        match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }

    fn fault(&mut self, name: &'static str) {
        *self.faults.entry(name).or_default() += 1;
    }

    fn add(&mut self, record: &Record) {
        let count = self.count(record.side);
        match record.kind {
            Kind::Unseen => count.unseen += record.bytes,
            Kind::Diagnostic(_) | Kind::Closed(_) | Kind::Refused(_) | Kind::Exit { .. } => {}
            _ => count.messages += 1,
        }
        if let Kind::Invalid { .. } = record.kind {
            self.fault(record.kind.name());
        }
        for fault in &record.faults {
            self.fault(fault.name());
        }
        let (Some(latency), Some(method)) = (record.latency, &record.method) else {
            return;
        };
        if self.latencies.len() >= METHODS && !self.latencies.contains_key(method) {
            return;
        }
        let entry = self.latencies.entry(method.clone()).or_default();
        entry.count = entry.count.saturating_add(1);
        entry.sum = entry.sum.saturating_add(latency);
        entry.longest = entry.longest.max(latency);
    }
}
