//! Records for people.

use std::time::Duration;

use super::handoff::Side;
use super::record::{Kind, Record};
use super::totals::{Count, Totals};
use crate::terminal::{DIM, GREEN, RED, YELLOW, painted, shown};

/// Shown once, when there is no room for more requests.
pub(super) const UNTRACKED: &str =
    "too many requests wait for an answer; further ones are forwarded, and not matched with their answers";

/// Number of characters that are shown of a text from a peer.
const LONGEST: usize = 200;

/// `08:01:02.125 <- result 1 tools/call echo, 96 B, 1.545 ms`.
pub(super) fn record(time: Duration, record: &Record, colours: bool) -> Vec<u8> {
    let mut line = start(time, record.side, colours);
    line += &match &record.kind {
        Kind::Invalid { .. } => painted("INVALID", RED, colours),
        Kind::Error { .. } => painted("error", YELLOW, colours),
        Kind::Result { tool_failed: true } => painted("result", YELLOW, colours),
        Kind::Diagnostic(_) => painted("stderr", DIM, colours),
        Kind::Unanswered { is_sure: true, .. } => painted("!! never answered", RED, colours),
        Kind::Unanswered { is_sure: false, .. } => painted("!! answer not seen", RED, colours),
        kind => kind.name().to_owned(),
    };
    line += &shown(&details(record));
    for fault in &record.faults {
        let fault = format!("!! {}", fault.description());
        line += &format!("  {}", painted(&fault, RED, colours));
    }
    (line + "\n").into_bytes()
}

/// The part of the line after the kind.
fn details(record: &Record) -> String {
    let mut text = String::new();
    let subject = &record.subject;
    for part in [&subject.id, &subject.method, &subject.target].into_iter().flatten() {
        text += &format!(" {part}");
    }
    text += &match &record.kind {
        Kind::Diagnostic(text) => format!(" {text}"),
        Kind::Closed(None) => ", writes no more".to_owned(),
        Kind::Closed(Some(why)) => format!(", cannot be read: {why}"),
        Kind::Refused(why) => format!(", the other side reads no more: {why}"),
        Kind::Untracked => format!(": {UNTRACKED}"),
        Kind::Exit { how, .. } => format!(": {how}"),
        Kind::Unseen => format!(", {} B of messages, forwarded faster than inspected", record.bytes),
        Kind::Unanswered { waited, .. } => format!(", for {}", span(*waited)),
        _ => format!(", {} B", record.bytes),
    };
    if let Some(version) = &subject.version {
        text += &format!(" [{}]", beginning(version));
    }
    if let Some(latency) = record.latency {
        text += &format!(", {}", span(latency));
    }
    if record.is_late {
        text += ", after its cancellation";
    }
    match &record.kind {
        Kind::Error { code, message } => text += &format!(": {code} {}", beginning(message)),
        Kind::Invalid { why, begins, .. } => text += &format!(": {why}: {begins}"),
        Kind::Result { tool_failed: true } => text += ": the tool failed",
        _ => {}
    }
    text
}

pub(super) fn summary(totals: &Totals, colours: bool) -> Vec<u8> {
    let mut text = format!("-- {} in {}\n", totals.exit, span(totals.duration));
    for (name, count) in [("client", &totals.client), ("server", &totals.server)] {
        text += &format!("-- {name}: {}\n", counted(count));
    }
    for (method, latency) in &totals.latencies {
        text += &format!(
            "-- {}: {} answered, on average in {}, at most in {}\n",
            shown(method),
            latency.count,
            span(latency.average()),
            span(latency.longest)
        );
    }
    let faults = totals.faults.iter().map(|(name, count)| format!("{count} {name}"));
    let faults: Vec<String> = faults.collect();
    text += &match faults.is_empty() {
        true => painted("-- no faults", GREEN, colours),
        false => painted(&format!("-- faults: {}", faults.join(", ")), RED, colours),
    };
    (text + "\n").into_bytes()
}

fn counted(count: &Count) -> String {
    let mut text = format!("{} messages, {} B", count.messages, count.bytes);
    if count.unseen > 0 {
        text += &format!("; {} B were not inspected", count.unseen);
    }
    if count.untracked > 0 {
        text += &format!("; {} requests were not matched with their answers", count.untracked);
    }
    text
}

fn start(time: Duration, side: Side, colours: bool) -> String {
    let (seconds, millis) = (time.as_secs(), time.subsec_millis());
    let (hours, minutes) = (seconds / 3600 % 24, seconds / 60 % 60);
    let time = format!("{hours:02}:{minutes:02}:{:02}.{millis:03}", seconds % 60);
    let arrow = match side {
        Side::Client => "->",
        Side::Server => "<-",
    };
    format!("{} {arrow} ", painted(&time, DIM, colours))
}

fn span(span: Duration) -> String {
    match span.as_micros() {
        micros @ 0..1_000_000 => format!("{}.{:03} ms", micros / 1000, micros % 1000),
        micros => format!("{}.{:03} s", micros / 1_000_000, micros / 1000 % 1000),
    }
}

fn beginning(text: &str) -> String {
    crate::terminal::beginning(text.as_bytes(), LONGEST)
}
