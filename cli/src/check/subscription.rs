//! A subscription of 2026-07-28, from its request to its cancellation.

use barewire::json::RawValue;

use super::reply::{Reply, key};
use super::rules::invalid;
use super::session::Session;

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// The id is an integer, so that a change of its type is noticed.
const ID: &str = "940001";

/// Plays the rules of subscriptions. Returns whether the server lives.
pub(super) fn play(session: &mut Session<'_>) -> bool {
    session.notifications();
    let listen = session
        .line(
            "subscriptions/listen",
            r#""notifications":{"toolsListChanged":true}"#,
        )
        .replace("$ID", ID);
    // A subscription is answered only at its end, which may never come.
    let (is_alive, answers) = session.odd(&[listen.as_bytes()]);
    let told = answers.iter().find(|answer| is_of_it(answer.get("id")));
    if told.and_then(Reply::code) == Some(-32_601) {
        for row in ["53", "54", "56", "57", "58"] {
            session.table.not_applicable(row, "no subscriptions");
        }
        return is_alive;
    }
    let mut notifications = session.notifications();
    notifications.retain(|reply| is_acknowledgement(reply) || is_of_it(subscription(reply)));
    let first = notifications.first();
    session
        .table
        .judge("53", first.is_some_and(is_acknowledgement), || {
            match first.or(told) {
                Some(first) => first.excerpt(),
                None => "subscriptions/listen: no acknowledgement".to_owned(),
            }
        });
    if let Some(acknowledged) = notifications.iter().find(|reply| is_acknowledgement(reply)) {
        acknowledgement(session, acknowledged);
    }
    let cancel =
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{ID}}}}}"#);
    session.expect_odd("58", &[cancel.as_bytes()], |_| false);
    let (is_alive, answers) = session.odd(&[cancel.as_bytes()]);
    let notifications = session.notifications();
    let late = answers.iter().find(|answer| is_of_it(answer.get("id")));
    let late = late.or_else(|| notifications.iter().find(|reply| is_of_it(subscription(reply))));
    session.table.judge("58", late.is_none(), || {
        late.map_or_else(String::new, Reply::excerpt)
    });
    let line = session.line("subscriptions/listen", "");
    let bare = session.ask("57", "subscriptions/listen", &line, invalid);
    is_alive && session.patience(&bare, "subscriptions/listen")
}

fn is_acknowledgement(reply: &Reply) -> bool {
    reply.method().as_deref() == Some(ACKNOWLEDGED)
}

/// Whether this is the id of the request, whatever its type.
fn is_of_it(id: Option<RawValue<'_>>) -> bool {
    id.and_then(key).as_deref() == Some(ID)
}

fn subscription(reply: &Reply) -> Option<RawValue<'_>> {
    reply.at(&["params", "_meta", "io.modelcontextprotocol/subscriptionId"])
}

fn acknowledgement(session: &mut Session<'_>, acknowledged: &Reply) {
    let has_id = subscription(acknowledged).is_some_and(|id| id.as_json() == ID);
    session.table.judge("56", has_id, || acknowledged.excerpt());
    let accepted = acknowledged
        .at(&["params", "notifications"])
        .and_then(RawValue::as_object);
    let is_subset = accepted.is_some_and(|accepted| {
        accepted.members().all(|member| {
            let is_some = member.value.as_bool() == Some(true)
                || member.value.as_array().is_some_and(|array| !array.is_empty());
            member.name == "toolsListChanged" || !is_some
        })
    });
    session.table.judge("54", is_subset, || acknowledged.excerpt());
}
