//! Records for programs: one JSON object per line.

use std::time::Duration;

use barewire::bytes::Sink;
use barewire::json::{RawValue, Writer};

use super::handoff::Side;
use super::record::{Fault, Kind, Record};
use super::requests::Request;
use super::totals::{Count, Totals};
use crate::terminal::shown_json;

pub(super) fn record(time: Duration, record: &Record) -> Vec<u8> {
    object(|json| {
        head(json, time, Some(record.side), record.kind.name());
        what(
            json,
            record.id.as_deref(),
            record.method.as_deref(),
            record.target.as_deref(),
        );
        if has_size(&record.kind) {
            json.name("bytes").unsigned(record.bytes);
        }
        if let Some(version) = &record.version {
            json.name("version").string(version);
        }
        if let Some(latency) = record.latency {
            seconds(json, "latency", latency);
        }
        if record.is_late {
            json.name("cancelled").boolean(true);
        }
        match &record.kind {
            Kind::Result { tool_failed } => {
                json.name("tool_failed").boolean(*tool_failed);
            }
            Kind::Error { code, message } => {
                raw(json.name("code"), code);
                json.name("message").string(message);
            }
            Kind::Invalid { why, reason, begins } => {
                json.name("reason").string(reason);
                json.name("why").string(why);
                json.name("begins").string(begins);
            }
            Kind::Diagnostic(text) => {
                json.name("text").string(text);
            }
            Kind::Closed(Some(why)) | Kind::Refused(why) => {
                json.name("why").string(why);
            }
            Kind::Exit { code, .. } => {
                match code {
                    Some(code) => json.name("code").integer(i64::from(*code)),
                    None => json.name("code").null(),
                };
            }
            Kind::Request
            | Kind::Notification
            | Kind::Long
            | Kind::Unseen
            | Kind::Untracked
            | Kind::Closed(None) => {}
        }
        if !record.faults.is_empty() {
            json.name("faults").begin_array();
            for fault in &record.faults {
                json.string(fault.name());
            }
            json.end_array();
        }
    })
}

pub(super) fn unanswered(
    time: Duration,
    side: Side,
    request: &Request,
    waited: Duration,
    is_sure: bool,
) -> Vec<u8> {
    object(|json| {
        head(json, time, Some(side), Fault::Unanswered.name());
        what(
            json,
            Some(&request.id),
            Some(&request.method),
            request.target.as_deref(),
        );
        seconds(json, "waited", waited);
        json.name("sure").boolean(is_sure);
    })
}

pub(super) fn summary(time: Duration, totals: &Totals) -> Vec<u8> {
    object(|json| {
        head(json, time, None, "summary");
        seconds(json, "duration", totals.duration);
        json.name("exit").string(&totals.exit);
        count(json, "client", &totals.client);
        count(json, "server", &totals.server);
        json.name("methods").begin_object();
        for (method, latency) in &totals.latencies {
            json.name(method).begin_object();
            json.name("answered").unsigned(u64::from(latency.count));
            seconds(json, "average", latency.sum / latency.count.max(1));
            seconds(json, "longest", latency.longest);
            json.end_object();
        }
        json.end_object();
        json.name("faults").begin_object();
        for (name, count) in &totals.faults {
            json.name(name).unsigned(*count);
        }
        json.end_object();
    })
}

fn object(write: impl FnOnce(&mut Writer<'_, '_>)) -> Vec<u8> {
    let mut line = Vec::new();
    let mut sink = Sink::growable(&mut line, usize::MAX);
    let mut json = Writer::new(&mut sink);
    json.begin_object();
    write(&mut json);
    json.end_object();
    shown_json(line)
}

fn head(json: &mut Writer<'_, '_>, time: Duration, side: Option<Side>, kind: &str) {
    seconds(json, "time", time);
    if let Some(side) = side {
        json.name("from").string(side.name());
    }
    json.name("kind").string(kind);
}

fn what(json: &mut Writer<'_, '_>, id: Option<&str>, method: Option<&str>, target: Option<&str>) {
    if let Some(id) = id {
        raw(json.name("id"), id);
    }
    for (name, text) in [("method", method), ("target", target)] {
        if let Some(text) = text {
            json.name(name).string(text);
        }
    }
}

fn count(json: &mut Writer<'_, '_>, name: &str, count: &Count) {
    json.name(name).begin_object();
    json.name("messages").unsigned(count.messages);
    json.name("bytes").unsigned(count.bytes);
    json.name("unseen").unsigned(count.unseen);
    json.name("untracked").unsigned(count.untracked);
    json.end_object();
}

/// Seconds with six decimals.
fn seconds(json: &mut Writer<'_, '_>, name: &str, span: Duration) {
    json.name(name)
        .fixed(i64::try_from(span.as_micros()).unwrap_or(i64::MAX), 6);
}

/// A value that is already JSON: an id, a code.
fn raw(json: &mut Writer<'_, '_>, text: &str) {
    match RawValue::new(text.as_bytes()) {
        Ok(value) => json.raw(value),
        Err(_) => json.null(),
    };
}

const fn has_size(kind: &Kind) -> bool {
    !matches!(
        kind,
        Kind::Untracked | Kind::Diagnostic(_) | Kind::Closed(_) | Kind::Refused(_) | Kind::Exit { .. }
    )
}
