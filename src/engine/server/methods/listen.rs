//! `subscriptions/listen` (MCP subscriptions, 2026-07-28).

use super::params::present;
use super::tasks::EXTENSION;
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Written, invalid_params};
use crate::engine::server::engine::Engine;
use crate::engine::server::settle::not_kept;
use crate::engine::server::state::place_of;
use crate::engine::server::storage::Watcher;
use crate::engine::server::{CallError, Context, Handler, List, NotKept, Parts, notify};
use crate::json::{Array, Kind, Object, RawValue, Writer};
use crate::mcp::{Capabilities, Method};

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    /// Opens a stream and acknowledges its changes: those that were asked for, are offered, and fit the storage.
    // Not inlined: 216 bytes less stack and 146 bytes less flash in the demo of the footprint.
    #[inline(never)]
    pub(super) fn listen(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Some(filter) = context.params.and_then(filter) else {
            return invalid_params(out, &context.id);
        };
        let offered = self.offered(context.origin);
        if self.app.has_failed() {
            // Nothing may be kept: the caller answers with an error.
            return Written::Yes;
        }
        let task_ids = filter.task_ids.filter(|_| P::TASKS && offered.has(Capabilities::TASKS_EXTENSION));
        if task_ids.is_some() && !context.client.has(EXTENSION) {
            let error = CallError::MissingCapability(EXTENSION);
            return self.app.refuse_call::<P>(context, &error, out);
        }
        let [tools, prompts, resources] = filter.wants;
        let wants = [
            tools && offered.has(Capabilities::TOOLS_LIST_CHANGED),
            prompts && offered.has(Capabilities::PROMPTS_LIST_CHANGED),
            resources && offered.has(Capabilities::RESOURCES_LIST_CHANGED),
        ];
        let uris =
            filter.uris.filter(|_| offered.has(Capabilities::RESOURCES | Capabilities::RESOURCES_SUBSCRIBE));
        let number = match self.state.open_stream(context.origin.channel(), context.id, wants) {
            Ok(number) => number,
            Err(reason) => return not_kept(out, context, reason),
        };
        let place = self.state.streams.len().saturating_sub(1);
        let watcher = Watcher::Stream(number);
        let mark = out.mark();
        let mut is_too_long = false;
        let state = &mut self.state;
        let params = |json: &mut Writer<'_, '_>| {
            json.name("notifications").begin_object();
            write_wants(json, wants);
            if let Some(uris) = uris {
                json.name("resourceSubscriptions").begin_array();
                for uri in uris.elements().filter_map(RawValue::as_string) {
                    if state.watches.is_full() {
                        break;
                    }
                    match state.watch(watcher, uri) {
                        Ok(true) => {
                            json.json_string(uri);
                        }
                        Err(NotKept::UriTooLong) => is_too_long = true,
                        // There already, or without a slot: left out.
                        _ => {}
                    }
                }
                json.end_array();
            }
            if let Some(ids) = task_ids {
                json.name("taskIds").begin_array();
                for id in ids.elements().filter_map(RawValue::as_string) {
                    let task = state.find_task_by_id(context.origin, id).map(|task| task.token);
                    if task.is_some_and(|task| state.watch_task(watcher, task) == Ok(true)) {
                        json.json_string(id);
                    }
                }
                json.end_array();
            }
            json.end_object();
            notify::subscription_meta(json, context.id);
        };
        let written = notify::write(out, Method::SubscriptionsAcknowledged.name(), params);
        if written != Written::No && !is_too_long {
            return Written::Yes;
        }
        self.state.close_stream(place);
        out.rollback(mark);
        match is_too_long {
            true => not_kept(out, context, NotKept::UriTooLong),
            false => answer::too_large(out, &context.id),
        }
    }
}

/// Names of the lists in the params, in the order of the tables.
const LISTS: [(&str, List); 3] = [
    ("toolsListChanged", List::Tools),
    ("promptsListChanged", List::Prompts),
    ("resourcesListChanged", List::Resources),
];

fn write_wants(json: &mut Writer<'_, '_>, wants: [bool; 3]) {
    for (name, list) in LISTS {
        if wants.get(place_of(list)) == Some(&true) {
            json.name(name).boolean(true);
        }
    }
}

/// The params of a subscription.
struct Filter<'a> {
    /// Lists, in the order of the tables.
    wants: [bool; 3],
    uris: Option<Array<'a>>,
    task_ids: Option<Array<'a>>,
}

fn filter(params: Object<'_>) -> Option<Filter<'_>> {
    let notifications = params.get_once("notifications").ok()??.as_object()?;
    let wants = notifications
        .get_each([
            "toolsListChanged",
            "promptsListChanged",
            "resourcesListChanged",
            "resourceSubscriptions",
            "taskIds",
        ])
        .ok()?;
    let [tools, prompts, resources, uris, task_ids] = wants.map(present);
    let flag = |value: Option<RawValue<'_>>| match value {
        Some(value) => value.as_bool(),
        None => Some(false),
    };
    Some(Filter {
        wants: [flag(tools)?, flag(prompts)?, flag(resources)?],
        uris: strings_of(uris)?,
        task_ids: strings_of(task_ids)?,
    })
}

/// An array of strings, if there is one.
fn strings_of(value: Option<RawValue<'_>>) -> Option<Option<Array<'_>>> {
    let Some(value) = value else {
        return Some(None);
    };
    let array = value.as_array()?;
    let mut elements = array.elements();
    elements.all(|element| element.kind() == Kind::String).then_some(Some(array))
}
