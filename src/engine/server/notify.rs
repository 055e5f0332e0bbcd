//! Notifications of the server, each a whole line or nothing.

use super::Progress;
use super::answer::{Written, end_line, is_whole};
use crate::bytes::{Mark, Sink};
use crate::json::{AsText, JsonStr, RawValue, Writer};
use crate::mcp::{Feature, LoggingLevel, Method, ProtocolVersion, TaskId, keys};
use crate::rpc::{RequestId, begin};

/// A notification; `params` writes the members of its params.
pub(super) fn write(out: &mut Sink<'_>, method: &str, params: impl FnOnce(&mut Writer<'_, '_>)) -> Written {
    let mark = out.mark();
    let mut json = Writer::new(out);
    begin_notification(&mut json, method);
    json.name("params").begin_object();
    params(&mut json);
    json.end_object();
    end_notification(&mut json, mark)
}

fn begin_notification(json: &mut Writer<'_, '_>, method: &str) {
    begin(json);
    json.name("method").string(method);
}

fn end_notification(json: &mut Writer<'_, '_>, start: Mark) -> Written {
    end_line(json);
    match is_whole(json.sink(), start) {
        true => Written::Yes,
        false => Written::No,
    }
}

/// A change; to a stream the notification carries the id of its subscription.
pub(super) fn changed(
    out: &mut Sink<'_>,
    method: &str,
    subscription: Option<RequestId<'_>>,
    uri: Option<JsonStr<'_>>,
) -> Written {
    if subscription.is_none() && uri.is_none() {
        let mark = out.mark();
        let mut json = Writer::new(out);
        begin_notification(&mut json, method);
        return end_notification(&mut json, mark);
    }
    write(out, method, |json| {
        if let Some(uri) = uri {
            json.name("uri").string(uri);
        }
        if let Some(id) = subscription {
            subscription_meta(json, id);
        }
    })
}

/// `_meta` of everything that belongs to a subscription.
pub(super) fn subscription_meta(json: &mut Writer<'_, '_>, id: RequestId<'_>) {
    json.name("_meta").begin_object();
    json.name(keys::SUBSCRIPTION_ID);
    id.write(json);
    json.end_object();
}

/// The withdrawal of a request of the server.
pub(super) fn cancelled(out: &mut Sink<'_>, id: RequestId<'_>) -> Written {
    write(out, Method::Cancelled.name(), |json| {
        json.name("requestId");
        id.write(json);
    })
}

/// The end of the user's visit to a page.
pub(super) fn elicitation_complete(out: &mut Sink<'_>, id: &str) -> Written {
    write(out, Method::ElicitationComplete.name(), |json| {
        json.name("elicitationId").string(id);
    })
}

pub(super) fn progress(
    out: &mut Sink<'_>,
    version: ProtocolVersion,
    token: RawValue<'_>,
    progress: &Progress<'_>,
    related_task: Option<TaskId<'_>>,
) -> Written {
    write(out, Method::Progress.name(), |json| {
        json.name("progressToken").raw(token);
        progress.progress.write(json.name("progress"));
        if let Some(total) = progress.total {
            total.write(json.name("total"));
        }
        if let Some(message) = progress.message
            && version.has(Feature::ProgressMessage)
        {
            json.name("message").string(message);
        }
        if let Some(task) = related_task {
            json.name("_meta").begin_object();
            task.write_related(json);
            json.end_object();
        }
    })
}

pub(super) fn log(
    out: &mut Sink<'_>,
    level: LoggingLevel,
    logger: Option<&str>,
    data: impl AsText,
) -> Written {
    write(out, Method::LogMessage.name(), |json| {
        json.name("level").string(level.as_str());
        if let Some(logger) = logger {
            json.name("logger").string(logger);
        }
        json.name("data").string(data);
    })
}
