//! The end of a result: the members that the server adds.

use super::answer::{self, Written, end_line};
use super::application::Application;
use super::{Handler, Parts};
use crate::bytes::Sink;
use crate::json::Writer;
use crate::mcp::{Feature, ProtocolVersion, TaskId, keys};
use crate::rpc::RequestId;

/// Members at the end of some results only.
#[derive(Debug, Clone, Copy)]
pub(super) enum Extra<'a> {
    Nothing,
    /// Cache hints (2026-07-28).
    CacheHints,
    /// The subscription that ends (2026-07-28).
    Subscription(RequestId<'a>),
    /// The task whose result it is (2025-11-25).
    RelatedTask(TaskId<'a>),
}

impl<H: Handler + ?Sized> Application<'_, H> {
    /// Closes a result, its message and the line.
    pub(super) fn close<P: Parts>(
        &self,
        json: &mut Writer<'_, '_>,
        version: ProtocolVersion,
        extra: Extra<'_>,
    ) {
        let has_type = P::MODERN && version.has(Feature::ResultType);
        let is_of_task = P::TASKS && matches!(extra, Extra::RelatedTask(_));
        if !has_type && !is_of_task {
            json.end_object();
            return end_line(json);
        }
        if has_type && matches!(extra, Extra::CacheHints) {
            json.verbatim(r#""ttlMs":0,"cacheScope":"private""#);
        }
        json.name("_meta").begin_object();
        self.close_in_meta::<P>(json, version, extra);
    }

    /// [`close`](Self::close), with `_meta` already open.
    pub(super) fn close_in_meta<P: Parts>(
        &self,
        json: &mut Writer<'_, '_>,
        version: ProtocolVersion,
        extra: Extra<'_>,
    ) {
        if P::MODERN && version.has(Feature::ResultType) {
            self.write_info(json.name(keys::SERVER_INFO), version);
        }
        match extra {
            Extra::Subscription(id) if P::SUBSCRIPTIONS => {
                json.name(keys::SUBSCRIPTION_ID);
                id.write(json);
            }
            Extra::RelatedTask(task) if P::TASKS => task.write_related(json),
            _ => {}
        }
        json.end_object().end_object();
        end_line(json);
    }

    /// Name and version of the server.
    pub(super) fn write_info(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        self.info().write(json, version);
    }

    /// The empty result.
    pub(super) fn empty<P: Parts>(
        &self,
        out: &mut Sink<'_>,
        id: RequestId<'_>,
        version: ProtocolVersion,
        extra: Extra<'_>,
    ) -> Written {
        let mark = out.mark();
        let mut json = Writer::new(out);
        answer::begin(&mut json, &id, version);
        self.close::<P>(&mut json, version, extra);
        match answer::is_whole(json.sink(), mark) {
            true => Written::Yes,
            false => answer::too_large(out, &id),
        }
    }
}
