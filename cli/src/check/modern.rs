//! The revision without a handshake.

use std::time::Duration;

use barewire::json::{Object, RawValue};

use super::reply::{META, Reply, modern, request};
use super::session::{Era, Session, Start};
use super::table::Table;

/// How long a server may take to say something that it should not say.
const WAIT: Duration = Duration::from_millis(250);

/// Plays them all. An error says why the server does not speak 2026-07-28.
pub(super) fn check(start: &Start<'_>, table: &mut Table, has_handshake: bool) -> Result<(), String> {
    let mut session = Session::start(start, table, Era::Modern)?;
    let declared = discover(&mut session)?;
    let still_there = PROBES.iter().all(|probe| probe(&mut session, &declared));
    if still_there {
        let ends = session.ends();
        table.met("41");
        table.met("64");
        table.judge("92", ends, || "still running, and killed".to_owned());
    }
    if has_handshake {
        handshake_after(start, table)?;
    } else {
        table.not_applicable("85", "no handshake");
    }
    Ok(())
}

type Probe = fn(&mut Session<'_>, &Reply) -> bool;

const PROBES: &[Probe] = &[
    without_client_info,
    metadata,
    versions,
    removed,
    undeclared,
    lists,
    unknown_resource,
    subscriptions,
];

fn discover(session: &mut Session<'_>) -> Result<Reply, String> {
    let id = session.fresh_id();
    let exchange = session.only(&request(&id, "server/discover", &modern("")), &id);
    let Some(answer) = exchange.answer(&id).cloned() else {
        return Err(format!("no answer to server/discover{}", exchange.but()));
    };
    let Some(result) = answer.result() else {
        return Err(format!("server/discover is refused: {}", answer.excerpt()));
    };
    let versions = result.get("supportedVersions").and_then(RawValue::as_array);
    let speaks_it = versions.is_some_and(|versions| {
        versions
            .elements()
            .any(|version| version.as_string().is_some_and(|version| version == "2026-07-28"))
    });
    let is_complete = speaks_it
        && result.get("capabilities").and_then(RawValue::as_object).is_some()
        && ["ttlMs", "cacheScope"]
            .iter()
            .all(|name| result.get(name).is_some());
    session.table().judge("35", is_complete, || answer.excerpt());
    Ok(answer)
}

fn has(declared: &Reply, capability: &str) -> bool {
    declared
        .result()
        .and_then(|result| result.get("capabilities"))
        .and_then(RawValue::as_object)
        .is_some_and(|capabilities| capabilities.get(capability).is_some())
}

fn is_result(reply: Option<&Reply>) -> bool {
    reply.is_some_and(|reply| reply.get("result").is_some())
}

fn without_client_info(session: &mut Session<'_>, _: &Reply) -> bool {
    let (id, exchange) = session.ask("server/discover", &format!(r#"{{"_meta":{{{META}}}}}"#));
    session
        .table()
        .judge("32", is_result(exchange.answer(&id)), || exchange.told(&id));
    exchange.is_alive
}

fn metadata(session: &mut Session<'_>, _: &Reply) -> bool {
    let mut is_alive = true;
    for meta in [
        r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#,
        r#""io.modelcontextprotocol/clientCapabilities":{}"#,
        r#""io.modelcontextprotocol/protocolVersion":7,"io.modelcontextprotocol/clientCapabilities":{}"#,
    ] {
        let (id, exchange) = session.ask("server/discover", &format!(r#"{{"_meta":{{{meta}}}}}"#));
        is_alive &= exchange.is_alive;
        session
            .table()
            .judge("31", exchange.code(&id) == Some(-32_602), || {
                format!("_meta with {meta}: {}", exchange.told(&id))
            });
    }
    is_alive
}

fn versions(session: &mut Session<'_>, _: &Reply) -> bool {
    let meta = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}"#;
    let (id, exchange) = session.ask("server/discover", meta);
    let data = exchange
        .answer(&id)
        .and_then(|answer| answer.get("error"))
        .and_then(RawValue::as_object)
        .and_then(|error| error.get("data"))
        .and_then(RawValue::as_object);
    let is_complete = data.is_some_and(|data| {
        let supported = data.get("supported").and_then(RawValue::as_array);
        let requested = data.get("requested").and_then(RawValue::as_string);
        supported.is_some_and(|supported| !supported.is_empty())
            && requested.is_some_and(|requested| requested == "2099-01-01")
    });
    session
        .table()
        .judge("33", is_complete && exchange.code(&id) == Some(-32_022), || {
            exchange.told(&id)
        });
    exchange.is_alive
}

fn removed(session: &mut Session<'_>, _: &Reply) -> bool {
    let mut is_alive = true;
    for (method, members) in [
        ("ping", ""),
        ("logging/setLevel", r#""level":"error","#),
        ("resources/subscribe", r#""uri":"barewire-check://nothing","#),
        (
            "initialize",
            r#""protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"},"#,
        ),
    ] {
        let (id, exchange) = session.ask(method, &modern(members));
        is_alive &= exchange.is_alive;
        session
            .table()
            .judge("39", exchange.code(&id) == Some(-32_601), || {
                format!("{method}: {}", exchange.told(&id))
            });
    }
    is_alive
}

const LISTS: [(&str, &str); 4] = [
    ("tools", "tools/list"),
    ("resources", "resources/list"),
    ("resources", "resources/templates/list"),
    ("prompts", "prompts/list"),
];

fn undeclared(session: &mut Session<'_>, declared: &Reply) -> bool {
    let mut is_alive = true;
    for (capability, method) in LISTS {
        let (id, exchange) = session.ask(method, &modern(""));
        is_alive &= exchange.is_alive;
        let is_right = match has(declared, capability) {
            true => exchange.code(&id) != Some(-32_601),
            false => exchange.code(&id) == Some(-32_601),
        };
        session
            .table()
            .judge("40", is_right, || format!("{method}: {}", exchange.told(&id)));
    }
    is_alive
}

fn lists(session: &mut Session<'_>, declared: &Reply) -> bool {
    let mut is_alive = true;
    for (capability, method) in LISTS {
        if !has(declared, capability) {
            continue;
        }
        let (id, exchange) = session.ask(method, &modern(""));
        is_alive &= exchange.is_alive;
        if let Some(result) = exchange.answer(&id).and_then(Reply::result) {
            caching(session, result, &exchange.told(&id));
        }
    }
    for number in ["51", "52"] {
        session.table().not_applicable(number, "no lists");
    }
    is_alive
}

fn caching(session: &mut Session<'_>, result: Object<'_>, told: &str) {
    let ttl = result.get("ttlMs").and_then(RawValue::as_number);
    let scope = result.get("cacheScope");
    let is_long = ttl.and_then(|ttl| ttl.to_i64().ok()).is_some_and(|ttl| ttl >= 0);
    session
        .table()
        .judge("51", is_long && scope.is_some(), || told.to_owned());
    if let Some(scope) = scope {
        let scope = scope.as_string();
        let is_known = scope.is_some_and(|scope| scope == "public" || scope == "private");
        session.table().judge("52", is_known, || told.to_owned());
    }
}

fn unknown_resource(session: &mut Session<'_>, declared: &Reply) -> bool {
    if !has(declared, "resources") {
        session.table().not_applicable("78 M", "no resources");
        return true;
    }
    let (id, exchange) = session.ask("resources/read", &modern(r#""uri":"barewire-check://nothing","#));
    session
        .table()
        .judge("78 M", exchange.code(&id) == Some(-32_602), || exchange.told(&id));
    exchange.is_alive
}

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

fn subscriptions(session: &mut Session<'_>, _: &Reply) -> bool {
    // An id that is an integer, so that its type can be told.
    let id = "940001";
    let filter = r#""notifications":{"toolsListChanged":true},"#;
    let listen = request(id, "subscriptions/listen", &modern(filter));
    let exchange = session.exchange(&[listen.into_bytes()], &[]);
    if exchange.code(id) == Some(-32_601) {
        for number in ["53", "54", "56", "57", "58"] {
            session.table().not_applicable(number, "no subscriptions");
        }
        return exchange.is_alive;
    }
    let notifications: Vec<&Reply> = exchange
        .replies
        .iter()
        .filter(|reply| reply.method().is_some())
        .collect();
    let acknowledged = notifications
        .iter()
        .find(|reply| reply.method() == Some(ACKNOWLEDGED));
    let is_first = notifications
        .first()
        .is_some_and(|first| first.method() == Some(ACKNOWLEDGED));
    session
        .table()
        .judge("53", is_first, || match notifications.first() {
            Some(first) => first.excerpt(),
            None => format!("no acknowledgement; {}", exchange.told(id)),
        });
    if let Some(acknowledged) = acknowledged {
        acknowledgement(session, acknowledged, id);
    }
    let cancel =
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#);
    let mut after = session.exchange(&[cancel.into_bytes()], &[]);
    after.replies.extend(session.listen(WAIT));
    let late = after
        .replies
        .iter()
        .find(|reply| reply.id() == Some(id) || subscription(reply) == Some(id));
    session.table().judge("58", late.is_none(), || {
        late.map_or_else(String::new, Reply::excerpt)
    });
    let (id, bare) = session.ask("subscriptions/listen", &modern(""));
    session
        .table()
        .judge("57", bare.code(&id) == Some(-32_602), || bare.told(&id));
    exchange.is_alive && after.is_alive && bare.is_alive
}

fn params(reply: &Reply) -> Option<Object<'_>> {
    reply.get("params").and_then(RawValue::as_object)
}

fn subscription(reply: &Reply) -> Option<&str> {
    let meta = params(reply)?.get("_meta")?.as_object()?;
    let id = meta.get("io.modelcontextprotocol/subscriptionId")?;
    Some(id.as_json())
}

fn acknowledgement(session: &mut Session<'_>, acknowledged: &Reply, id: &str) {
    session
        .table()
        .judge("56", subscription(acknowledged) == Some(id), || {
            acknowledged.excerpt()
        });
    let accepted = params(acknowledged)
        .and_then(|params| params.get("notifications"))
        .and_then(RawValue::as_object);
    let is_subset = accepted.is_some_and(|accepted| {
        accepted.members().all(|member| {
            member.name == "toolsListChanged"
                || member.value.as_bool() == Some(false)
                || is_empty(member.value)
        })
    });
    session.table().judge("54", is_subset, || acknowledged.excerpt());
}

fn is_empty(value: RawValue<'_>) -> bool {
    value.as_array().is_some_and(|array| array.is_empty())
}

/// A client that has probed the server may still fall back.
fn handshake_after(start: &Start<'_>, table: &mut Table) -> Result<(), String> {
    let mut session = Session::start(start, table, Era::Modern)?;
    if discover(&mut session).is_err() {
        session.table().fault("85", "no second answer to server/discover");
        return Ok(());
    }
    session.era_is_legacy();
    let id = session.fresh_id();
    let params = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"barewire check","version":"1"}}"#;
    let exchange = session.only(&request(&id, "initialize", params), &id);
    session
        .table()
        .judge("85", is_result(exchange.answer(&id)), || exchange.told(&id));
    Ok(())
}
