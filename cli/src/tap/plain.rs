//! Records for people.

use std::fmt::Write;
use std::time::Duration;

use super::handoff::Side;
use super::record::{Kind, Record};
use super::requests::Request;
use super::totals::{Count, Totals};
use crate::terminal::{Colour, painted, shown};

/// Shown once, when there is no room for more requests.
pub(super) const UNTRACKED: &str =
    "too many requests wait for an answer; further ones are forwarded, and not matched with their answers";

/// `08:01:02.125 <- result 1 tools/call echo, 96 B, 1.545 ms`.
pub(super) fn record(time: Duration, record: &Record, colours: bool) -> Vec<u8> {
    let mut line = start(time, record.side, colours);
    let (colour, kind) = match &record.kind {
        Kind::Invalid { .. } => (Colour::Red, "INVALID"),
        Kind::Error { .. } => (Colour::Yellow, "error"),
        Kind::Result { tool_failed: true } => (Colour::Yellow, "result"),
        Kind::Diagnostic(_) => (Colour::Dim, "stderr"),
        kind => (Colour::Plain, kind.name()),
    };
    line += &painted(kind, colour, colours);
    for part in [&record.id, &record.method, &record.target].into_iter().flatten() {
        line.push(' ');
        line += &shown(part);
    }
    match &record.kind {
        Kind::Diagnostic(text) => put(&mut line, format_args!(" {}", shown(text))),
        Kind::Closed(None) => line += ", writes no more",
        Kind::Closed(Some(why)) => put(&mut line, format_args!(", cannot be read: {}", shown(why))),
        Kind::Refused(why) => put(
            &mut line,
            format_args!(", the other side reads no more: {}", shown(why)),
        ),
        Kind::Untracked => put(&mut line, format_args!(": {UNTRACKED}")),
        Kind::Exit { how, .. } => put(&mut line, format_args!(": {how}")),
        Kind::Unseen => put(
            &mut line,
            format_args!(
                ", {} B of messages, forwarded faster than inspected",
                record.bytes
            ),
        ),
        _ => put(&mut line, format_args!(", {} B", record.bytes)),
    }
    if let Some(version) = &record.version {
        put(&mut line, format_args!(" [{}]", shown(&cut(version))));
    }
    if let Some(latency) = record.latency {
        put(&mut line, format_args!(", {}", span(latency)));
    }
    if record.is_late {
        line += ", after its cancellation";
    }
    match &record.kind {
        Kind::Error { code, message } => put(
            &mut line,
            format_args!(": {} {}", shown(code), shown(&cut(message))),
        ),
        Kind::Invalid { why, begins, .. } => put(&mut line, format_args!(": {why}: {}", shown(begins))),
        Kind::Result { tool_failed: true } => line += ": the tool failed",
        _ => {}
    }
    for fault in &record.faults {
        put(
            &mut line,
            format_args!(
                "  {}",
                painted(&format!("!! {}", fault.words()), Colour::Red, colours)
            ),
        );
    }
    line.into_bytes()
}

pub(super) fn unanswered(
    time: Duration,
    side: Side,
    request: &Request,
    waited: Duration,
    is_sure: bool,
    colours: bool,
) -> Vec<u8> {
    let mut line = start(time, side, colours);
    let text = if is_sure {
        "never answered"
    } else {
        "answer not seen"
    };
    line += &painted(&format!("!! {text}"), Colour::Red, colours);
    put(
        &mut line,
        format_args!(" {} {}", shown(&request.id), shown(&request.method)),
    );
    if let Some(target) = &request.target {
        put(&mut line, format_args!(" {}", shown(target)));
    }
    put(&mut line, format_args!(", for {}", span(waited)));
    line.into_bytes()
}

pub(super) fn summary(totals: &Totals, colours: bool) -> Vec<u8> {
    let mut lines = vec![format!("-- {} in {}", totals.exit, span(totals.duration))];
    for (name, count) in [("client", &totals.client), ("server", &totals.server)] {
        lines.push(format!("-- {name}: {}", counted(count)));
    }
    for (method, latency) in &totals.latencies {
        lines.push(format!(
            "-- {}: {} answered, on average in {}, at most in {}",
            shown(method),
            latency.count,
            span(latency.sum / latency.count.max(1)),
            span(latency.longest)
        ));
    }
    let faults: Vec<String> = totals
        .faults
        .iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    lines.push(if faults.is_empty() {
        painted("-- no faults", Colour::Green, colours)
    } else {
        painted(&format!("-- faults: {}", faults.join(", ")), Colour::Red, colours)
    });
    lines.join("\n").into_bytes()
}

fn counted(count: &Count) -> String {
    let mut text = format!("{} messages, {} B", count.messages, count.bytes);
    if count.unseen > 0 {
        put(&mut text, format_args!("; {} B were not inspected", count.unseen));
    }
    if count.untracked > 0 {
        put(
            &mut text,
            format_args!(
                "; {} requests were not matched with their answers",
                count.untracked
            ),
        );
    }
    text
}

fn start(time: Duration, side: Side, colours: bool) -> String {
    let seconds = time.as_secs() % 86_400;
    let time = format!(
        "{:02}:{:02}:{:02}.{:03}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60,
        time.subsec_millis()
    );
    let arrow = match side {
        Side::Client => "->",
        Side::Server => "<-",
    };
    format!("{} {arrow} ", painted(&time, Colour::Dim, colours))
}

fn span(span: Duration) -> String {
    match span.as_micros() {
        micros @ 0..1_000_000 => format!("{}.{:03} ms", micros / 1000, micros % 1000),
        micros => format!("{}.{:03} s", micros / 1_000_000, micros / 1000 % 1000),
    }
}

/// A text from a peer, which may be long.
fn cut(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn put(line: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string never fails.
    let _ = line.write_fmt(text);
}
