//! What is asked of logging, tools, prompts and resources. Nothing is asked for that exists, but the lists.

use barewire::json::RawValue;

use super::declared::Declared;
use super::judge::empty_result;
use super::reply::{Reply, excerpt};
use super::session::Session;

pub(super) fn levels(session: &mut Session<'_>, declared: &Declared) -> bool {
    if !declared.has("logging") {
        session.table().not_applicable("63", "no logging");
        return true;
    }
    let (id, good) = session.ask("logging/setLevel", r#"{"level":"emergency"}"#);
    match good.answer(&id) {
        Some(answer) => empty_result(session, "63", answer),
        None => session.table().fault("63", "no answer to logging/setLevel"),
    }
    let (id, bad) = session.ask("logging/setLevel", r#"{"level":"loud"}"#);
    session
        .table()
        .judge("63", bad.code(&id) == Some(-32_602), || bad.told(&id));
    good.is_alive && bad.is_alive
}

pub(super) fn tools(session: &mut Session<'_>, declared: &Declared) -> bool {
    if !declared.has("tools") {
        for number in ["71", "75"] {
            session.table().not_applicable(number, "no tools");
        }
        return true;
    }
    let mut is_alive = pages(session, "tools/list");
    for params in [
        r#"{"name":"barewire-check-no-such-tool","arguments":{}}"#,
        r#"{"arguments":{}}"#,
        r#"{"name":7}"#,
    ] {
        let (id, exchange) = session.ask("tools/call", params);
        is_alive &= exchange.is_alive;
        session
            .table()
            .judge("71", exchange.code(&id) == Some(-32_602), || {
                format!("{params}: {}", exchange.told(&id))
            });
    }
    is_alive
}

/// Follows a list to its end, and asks for a page that does not exist.
fn pages(session: &mut Session<'_>, method: &str) -> bool {
    const MOST: usize = 100;
    let mut seen: Vec<String> = Vec::new();
    let mut params = String::new();
    loop {
        let (id, exchange) = session.ask(method, &params);
        if !exchange.is_alive {
            return false;
        }
        let Some(result) = exchange.answer(&id).and_then(Reply::result) else {
            session.table().fault("69", exchange.told(&id));
            break;
        };
        schemas(session, result.get("tools"));
        let Some(cursor) = result.get("nextCursor") else {
            session.table().met("69");
            break;
        };
        let is_new = !seen.iter().any(|seen| seen == cursor.as_json()) && seen.len() < MOST;
        if !is_new {
            session.table().fault(
                "69",
                format!("the cursor {cursor} comes again, or there are over {MOST}"),
            );
            break;
        }
        seen.push(cursor.as_json().to_owned());
        params = format!(r#"{{"cursor":{cursor}}}"#);
    }
    let (id, exchange) = session.ask(method, r#"{"cursor":"barewire-check-no-such-cursor"}"#);
    session
        .table()
        .judge("70", exchange.code(&id) == Some(-32_602), || exchange.told(&id));
    exchange.is_alive
}

fn schemas(session: &mut Session<'_>, tools: Option<RawValue<'_>>) {
    let Some(tools) = tools.and_then(RawValue::as_array) else {
        return;
    };
    for tool in tools.elements() {
        let kind = tool
            .as_object()
            .and_then(|tool| tool.get("inputSchema"))
            .and_then(RawValue::as_object)
            .and_then(|schema| schema.get("type"))
            .and_then(RawValue::as_string);
        session
            .table()
            .judge("75", kind.is_some_and(|kind| kind == "object"), || {
                excerpt(tool.as_bytes())
            });
    }
}

pub(super) fn prompts(session: &mut Session<'_>, declared: &Declared) -> bool {
    if !declared.has("prompts") {
        session.table().not_applicable("77", "no prompts");
        return true;
    }
    let (id, exchange) = session.ask("prompts/get", r#"{"name":"barewire-check-no-such-prompt"}"#);
    session
        .table()
        .judge("77", exchange.code(&id) == Some(-32_602), || exchange.told(&id));
    exchange.is_alive
}

pub(super) fn resources(session: &mut Session<'_>, declared: &Declared) -> bool {
    if !declared.has("resources") {
        session.table().not_applicable("78", "no resources");
        return true;
    }
    let (id, exchange) = session.ask("resources/read", r#"{"uri":"barewire-check://nothing"}"#);
    session
        .table()
        .judge("78", exchange.code(&id) == Some(-32_002), || exchange.told(&id));
    exchange.is_alive
}
