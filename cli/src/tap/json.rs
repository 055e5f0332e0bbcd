//! Records for programs: one JSON object per line.

use std::time::Duration;

use barewire::json::Writer;
use serde::Serialize;

use super::record::{Kind, Record};
use super::totals::Totals;
use crate::json::{line, raw};

pub(super) fn record(time: Duration, record: &Record) -> Vec<u8> {
    line(|json| {
        seconds(json, "time", time);
        json.name("from").string(record.side.name());
        json.name("kind").string(record.kind.name());
        let subject = &record.subject;
        if let Some(id) = &subject.id {
            raw(json.name("id"), id);
        }
        string(json, "method", subject.method.as_deref());
        string(json, "target", subject.target.as_deref());
        if record.kind.has_size() {
            json.name("bytes").unsigned(record.bytes);
        }
        string(json, "version", subject.version.as_deref());
        if let Some(latency) = record.latency {
            seconds(json, "latency", latency);
        }
        if record.is_late {
            json.name("cancelled").boolean(true);
        }
        details(json, &record.kind);
        if !record.faults.is_empty() {
            let names: Vec<&str> = record.faults.iter().map(|fault| fault.name()).collect();
            value(json, "faults", &names);
        }
    })
}

fn details(json: &mut Writer<'_, '_>, kind: &Kind) {
    match kind {
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
        Kind::Diagnostic(text) => string(json, "text", Some(text)),
        Kind::Closed(Some(why)) | Kind::Refused(why) => string(json, "why", Some(why)),
        Kind::Exit { code, .. } => {
            json.name("code");
            match code {
                Some(code) => json.integer(i64::from(*code)),
                None => json.null(),
            };
        }
        Kind::Unanswered { waited, is_sure } => {
            seconds(json, "waited", *waited);
            json.name("sure").boolean(*is_sure);
        }
        Kind::Request
        | Kind::Notification
        | Kind::Long
        | Kind::Unseen
        | Kind::Untracked
        | Kind::Closed(None) => {}
    }
}

pub(super) fn summary(time: Duration, totals: &Totals) -> Vec<u8> {
    line(|json| {
        seconds(json, "time", time);
        json.name("kind").string("summary");
        seconds(json, "duration", totals.duration);
        json.name("exit").string(&totals.exit);
        value(json, "client", &totals.client);
        value(json, "server", &totals.server);
        json.name("methods").begin_object();
        for (method, latency) in &totals.latencies {
            json.name(method).begin_object();
            json.name("answered").unsigned(u64::from(latency.count));
            seconds(json, "average", latency.average());
            seconds(json, "longest", latency.longest);
            json.end_object();
        }
        json.end_object();
        value(json, "faults", &totals.faults);
    })
}

/// A member with a value that cannot fail to be written.
fn value(json: &mut Writer<'_, '_>, name: &str, value: &impl Serialize) {
    let _ = json.name(name).serialize(value);
}

fn string(json: &mut Writer<'_, '_>, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        json.name(name).string(text);
    }
}

/// Seconds with six decimals.
fn seconds(json: &mut Writer<'_, '_>, name: &str, span: Duration) {
    let micros = i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
    json.name(name).fixed(micros, 6);
}
