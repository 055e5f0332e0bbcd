//! A subscription of 2026-07-28, from its request to its cancellation.

use barewire::json::RawValue;

use super::expected::{Expected, INVALID};
use super::reply::{Reply, key};
use super::session::Session;
use super::templates;

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// The id is an integer, so that a change of its type is noticed.
const ID: &str = "940001";

/// Plays the rules of subscriptions. Returns whether the server lives.
pub(super) fn play(session: &mut Session<'_>) -> bool {
    session.notifications();
    let members = r#""notifications":{"toolsListChanged":true}"#;
    let listen = templates::request(session.era, "subscriptions/listen", members).replace("$ID", ID);
    // A subscription is answered only at its end, which may never come.
    let (is_alive, answers) = session.send_others(&[listen.as_bytes()]);
    let answer = answers.iter().find(|answer| is_own(answer.get("id")));
    if answer.and_then(Reply::code) == Some(-32_601) {
        for row in ["53", "54", "56", "57", "58"] {
            session.table.not_applicable(row, "no subscriptions");
        }
        return is_alive;
    }
    let mut notifications = session.notifications();
    notifications.retain(|reply| is_acknowledgement(reply) || is_own(subscription(reply)));
    let first = notifications.first();
    let is_first = first.is_some_and(is_acknowledgement);
    session.table.judge("53", is_first, || {
        let none = || "subscriptions/listen: no acknowledgement".to_owned();
        first.or(answer).map_or_else(none, Reply::excerpt)
    });
    if let Some(acknowledged) = notifications.iter().find(|reply| is_acknowledgement(reply)) {
        acknowledgement(session, acknowledged);
    }
    let cancel = templates::cancelled(ID);
    session.expect_at_most("58", &[cancel.as_bytes()], Expected::Nothing);
    let (is_alive, answers) = session.send_others(&[cancel.as_bytes()]);
    let notifications = session.notifications();
    let late = answers.iter().find(|answer| is_own(answer.get("id")));
    match late.or_else(|| notifications.iter().find(|reply| is_own(subscription(reply)))) {
        Some(late) => session.table.fault("58", late.excerpt()),
        None => session.table.met("58"),
    }
    let line = templates::request(session.era, "subscriptions/listen", "");
    let key = session.request("57", "subscriptions/listen", &line, INVALID);
    is_alive && session.wait_briefly(&key, "subscriptions/listen")
}

fn is_acknowledgement(reply: &Reply) -> bool {
    reply.method().as_deref() == Some(ACKNOWLEDGED)
}

/// Whether this is the id of the subscription, of any type.
fn is_own(id: Option<RawValue<'_>>) -> bool {
    id.and_then(key).as_deref() == Some(ID)
}

fn subscription(reply: &Reply) -> Option<RawValue<'_>> {
    reply.at(&["params", "_meta", "io.modelcontextprotocol/subscriptionId"])
}

fn acknowledgement(session: &mut Session<'_>, acknowledged: &Reply) {
    let has_id = subscription(acknowledged).is_some_and(|id| id.as_json() == ID);
    session.table.judge_reply("56", has_id, acknowledged);
    let accepted = acknowledged.at(&["params", "notifications"]);
    let is_subset = accepted.and_then(RawValue::as_object).is_some_and(|accepted| {
        accepted.members().all(|member| {
            let is_some = member.value.as_bool() == Some(true)
                || member.value.as_array().is_some_and(|array| !array.is_empty());
            member.name == "toolsListChanged" || !is_some
        })
    });
    session.table.judge_reply("54", is_subset, acknowledged);
}
