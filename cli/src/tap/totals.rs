//! Totals of all records, for the summary.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::handoff::Side;
use super::record::{Kind, Record};

/// Number of methods with a line in the summary; a peer can make up more.
const METHODS: usize = 64;

/// Totals of all records.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) client: Count,
    pub(super) server: Count,
    pub(super) faults: BTreeMap<&'static str, u64>,
    pub(super) latencies: BTreeMap<String, Latency>,
    pub(super) duration: Duration,
    pub(super) exit: String,
}

/// Totals of one side.
#[derive(Default, Serialize)]
pub(super) struct Count {
    pub(super) messages: u64,
    pub(super) bytes: u64,
    /// Number of bytes that were not inspected.
    pub(super) unseen: u64,
    /// Number of requests that were not matched with their answers.
    pub(super) untracked: u64,
}

#[derive(Default)]
pub(super) struct Latency {
    pub(super) count: u32,
    pub(super) sum: Duration,
    pub(super) longest: Duration,
}

impl Latency {
    pub(super) fn average(&self) -> Duration {
        self.sum / self.count.max(1)
    }
}

impl Totals {
    pub(super) const fn count(&mut self, side: Side) -> &mut Count {
        match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }

    pub(super) fn add(&mut self, record: &Record) {
        let count = self.count(record.side);
        match record.kind {
            Kind::Unseen => count.unseen += record.bytes,
            _ => count.messages += u64::from(record.kind.has_size()),
        }
        let own = match record.kind {
            Kind::Invalid { .. } | Kind::Unanswered { is_sure: true, .. } => Some(record.kind.name()),
            _ => None,
        };
        for name in record.faults.iter().map(|fault| fault.name()).chain(own) {
            *self.faults.entry(name).or_default() += 1;
        }
        let (Some(latency), Some(method)) = (record.latency, &record.subject.method) else {
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
