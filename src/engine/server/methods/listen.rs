//! `subscriptions/listen` (MCP subscriptions, 2026-07-28).

use super::params::present;
use super::tasks::extension;
use super::{invalid_params, not_kept};
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Written};
use crate::engine::server::subscriptions::Kinds;
use crate::engine::server::{CallError, Context, Handler, NotKept, Parts, Server, notify};
use crate::json::{Array, JsonStr, Kind, Object, RawValue, Writer};
use crate::mcp::Method;

impl<
    H: Handler + ?Sized,
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const ID: usize,
    const TEXT: usize,
    const TASKS: usize,
> Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>
{
    /// Opens a stream and acknowledges what it will be told of: what was asked for, is offered, and has room.
    #[inline(never)]
    pub(in crate::engine::server) fn listen(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Some(filter) = context.params.and_then(filter) else {
            return invalid_params(out, context);
        };
        let offered = self.offered();
        let task_ids = filter.task_ids.filter(|_| P::TASKS && offered.tasks);
        if task_ids.is_some() && !context.client.has(&extension()) {
            return self.refuse_call(context, &CallError::MissingCapability(extension()), out);
        }
        let kinds = Kinds {
            tools: filter.kinds.tools && offered.tools_list_changed,
            prompts: filter.kinds.prompts && offered.prompts_list_changed,
            resources: filter.kinds.resources && offered.resources_list_changed,
        };
        let uris = filter
            .uris
            .filter(|_| offered.resources && offered.resources_subscribe);
        if uris.is_some_and(|uris| uris.elements().any(|uri| !self.subscriptions.can_hold(uri))) {
            return not_kept(out, context, NotKept::UriTooLong);
        }
        match self.subscriptions.listen(context.id, kinds) {
            Ok(()) => {}
            Err(reason) => return not_kept(out, context, reason),
        }
        let (subscriptions, tasks) = (&mut self.subscriptions, &self.tasks);
        let seed = self.options.tasks.seed;
        let params = |json: &mut Writer<'_, '_>| {
            json.name("notifications").begin_object();
            write_kinds(json, kinds);
            if let Some(uris) = uris {
                json.name("resourceSubscriptions").begin_array();
                for uri in uris.elements().filter_map(RawValue::as_string) {
                    if subscriptions.is_full() {
                        break;
                    }
                    if subscriptions.watch_in_last(false, uri) {
                        json.json_string(uri);
                    }
                }
                json.end_array();
            }
            if let Some(ids) = task_ids {
                json.name("taskIds").begin_array();
                for id in ids.elements().filter_map(RawValue::as_string) {
                    if subscriptions.is_full() {
                        break;
                    }
                    // Kept in the spelling of the server, which is never longer.
                    let digits = tasks.find(seed, id).map(|task| task.id(seed).digits());
                    if digits.is_some_and(|id| subscriptions.watch_in_last(true, JsonStr::from_valid(&id))) {
                        json.json_string(id);
                    }
                }
                json.end_array();
            }
            json.end_object();
            notify::subscription_meta(json, context.id);
        };
        match notify::write(out, Method::SubscriptionsAcknowledged.name(), params) {
            Written::Yes | Written::Instead => Written::Yes,
            Written::No => {
                self.subscriptions.close_last();
                answer::too_large(out, &context.id)
            }
        }
    }
}

fn write_kinds(json: &mut Writer<'_, '_>, kinds: Kinds) {
    let names = [
        ("toolsListChanged", kinds.tools),
        ("promptsListChanged", kinds.prompts),
        ("resourcesListChanged", kinds.resources),
    ];
    for (name, is_accepted) in names {
        if is_accepted {
            json.name(name).boolean(true);
        }
    }
}

/// The params of a subscription.
struct Filter<'a> {
    kinds: Kinds,
    uris: Option<Array<'a>>,
    task_ids: Option<Array<'a>>,
}

fn filter(params: Object<'_>) -> Option<Filter<'_>> {
    let notifications = params.get_once("notifications").ok()??.as_object()?;
    let wishes = notifications
        .get_each([
            "toolsListChanged",
            "promptsListChanged",
            "resourcesListChanged",
            "resourceSubscriptions",
            "taskIds",
        ])
        .ok()?;
    let [tools, prompts, resources, uris, task_ids] = wishes.map(present);
    let flag = |value: Option<RawValue<'_>>| match value {
        Some(value) => value.as_bool(),
        None => Some(false),
    };
    Some(Filter {
        kinds: Kinds {
            tools: flag(tools)?,
            prompts: flag(prompts)?,
            resources: flag(resources)?,
        },
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
    elements
        .all(|element| element.kind() == Kind::String)
        .then_some(Some(array))
}
