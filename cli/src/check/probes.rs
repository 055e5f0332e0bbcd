//! What is asked in a session of the revisions with a handshake.

use barewire::json::RawValue;
use barewire::mcp::ProtocolVersion;
use barewire::rpc::RequestId;

use super::chapters::{levels, prompts, resources, tools};
use super::declared::{Declared, known};
use super::judge::{empty_result, silence};
use super::reply::{Exchange, Reply, batch, excerpt, request};
use super::session::Session;

pub(super) type Probe = fn(&mut Session<'_>, &Declared) -> bool;

/// Each says whether the server still answers.
pub(super) const PROBES: &[Probe] = &[
    ids,
    notifications,
    params,
    unknown_members,
    not_json,
    pipelining,
    foreign_response,
    spelling,
    undeclared,
    unknown_method,
    cancellations,
    readable_ids,
    batch_refused,
    levels,
    tools,
    prompts,
    resources,
];

fn ids(session: &mut Session<'_>, _: &Declared) -> bool {
    let ids = [
        "900001",
        "-3",
        "0",
        r#""7""#,
        r#""""#,
        "\"é \u{1F600}\"",
        r#""a b/\"c\"""#,
    ];
    let mut is_alive = true;
    for id in ids {
        let exchange = session.exchange(&[request(id, "ping", "").into_bytes()], &[id]);
        is_alive &= exchange.is_alive;
        let value = RawValue::new(id.as_bytes()).ok();
        let is_same = |reply: &Reply| {
            let found = reply.get("id").and_then(RequestId::of);
            found.is_some() && found == value.and_then(RequestId::of)
        };
        let is_echoed = exchange.responses().any(is_same);
        session
            .table()
            .judge("6", is_echoed, || format!("to id {id}: {}", first_of(&exchange)));
        if let Some(answer) = exchange.responses().find(|reply| is_same(reply)) {
            empty_result(session, "27", answer);
        }
    }
    is_alive
}

fn first_of(exchange: &Exchange) -> String {
    match exchange.responses().next() {
        Some(reply) => reply.excerpt(),
        None => "no answer".to_owned(),
    }
}

fn notifications(session: &mut Session<'_>, _: &Declared) -> bool {
    silence(
        session,
        "4",
        &[
            r#"{"jsonrpc":"2.0","method":"notifications/barewire/unknown"}"#,
            r#"{"jsonrpc":"2.0","method":"barewire/unknown","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":"x"}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
        ],
    )
}

fn cancellations(session: &mut Session<'_>, _: &Declared) -> bool {
    silence(
        session,
        "66",
        &[
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody's"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4711,"reason":"x"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        ],
    )
}

fn foreign_response(session: &mut Session<'_>, _: &Declared) -> bool {
    silence(
        session,
        "19",
        &[
            r#"{"jsonrpc":"2.0","id":987654,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"nobody's","error":{"code":-32603,"message":"x"}}"#,
        ],
    )
}

/// A list that every such server has, to be asked for with odd params.
fn list_of(declared: &Declared) -> &'static str {
    ["tools", "resources", "prompts"]
        .into_iter()
        .find(|capability| declared.has(capability))
        .map_or("ping", |capability| match capability {
            "tools" => "tools/list",
            "resources" => "resources/list",
            _ => "prompts/list",
        })
}

fn params(session: &mut Session<'_>, declared: &Declared) -> bool {
    let method = list_of(declared);
    let mut is_alive = true;
    for params in ["[1]", "7", "\"x\""] {
        let (id, exchange) = session.ask(method, params);
        is_alive &= exchange.is_alive;
        let is_refused = exchange
            .answer(&id)
            .is_none_or(|answer| answer.get("error").is_some());
        session
            .table()
            .judge("11", is_refused && exchange.is_alive, || exchange.told(&id));
    }
    let (id, exchange) = session.ask(method, "");
    let is_taken = exchange
        .answer(&id)
        .is_some_and(|answer| answer.get("result").is_some());
    session.table().judge("11", is_taken, || exchange.told(&id));
    is_alive && exchange.is_alive
}

fn unknown_members(session: &mut Session<'_>, _: &Declared) -> bool {
    let id = session.fresh_id();
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"ping","barewire":[1],"params":{{"barewire":{{}},"_meta":{{"example.com/x":1}}}}}}"#
    );
    let exchange = session.exchange(&[line.into_bytes()], &[&id]);
    let is_served = exchange
        .answer(&id)
        .is_some_and(|answer| answer.get("result").is_some());
    session.table().judge("14", is_served, || exchange.told(&id));
    exchange.is_alive
}

fn not_json(session: &mut Session<'_>, _: &Declared) -> bool {
    let mut all_alive = true;
    let lines: [&[u8]; 6] = [
        b"hello",
        br#"{"jsonrpc":"2.0","id":1,"method":"ping""#,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xff\"}",
        b"]",
        b"\0",
    ];
    for line in lines {
        let exchange = session.exchange(&[line.to_vec()], &[]);
        let odd = exchange.responses().find(|reply| {
            !reply.id().is_some_and(|id| id.starts_with("\"c")) && reply.code() != Some(-32_700)
        });
        let why = match odd {
            Some(odd) => Some(odd.excerpt()),
            None if !exchange.is_alive => Some("no answer to the ping that followed".to_owned()),
            None => None,
        };
        session.table().judge("15", why.is_none(), || {
            format!("after {}: {}", excerpt(line), why.unwrap_or_default())
        });
        all_alive &= exchange.is_alive;
        if !all_alive {
            break;
        }
    }
    all_alive
}

fn pipelining(session: &mut Session<'_>, _: &Declared) -> bool {
    let ids: Vec<String> = (0..20).map(|_| session.fresh_id()).collect();
    let lines: Vec<Vec<u8>> = ids
        .iter()
        .map(|id| request(id, "ping", "").into_bytes())
        .collect();
    let wanted: Vec<&str> = ids.iter().map(String::as_str).collect();
    let exchange = session.exchange(&lines, &wanted);
    let missing: Vec<&str> = wanted
        .into_iter()
        .filter(|id| exchange.answer(id).is_none())
        .collect();
    session.table().judge("18", missing.is_empty(), || {
        format!("of 20 pings not answered: {}", missing.join(" "))
    });
    exchange.is_alive
}

fn spelling(session: &mut Session<'_>, _: &Declared) -> bool {
    let (id, exchange) = session.ask(r"p\u0069ng", "");
    let is_served = exchange
        .answer(&id)
        .is_some_and(|answer| answer.get("result").is_some());
    session
        .table()
        .judge("20", is_served, || format!("p\\u0069ng: {}", exchange.told(&id)));
    let (id, upper) = session.ask("PING", "");
    let is_refused = upper
        .answer(&id)
        .is_none_or(|answer| answer.get("error").is_some());
    session
        .table()
        .judge("20", is_refused, || format!("PING: {}", upper.told(&id)));
    exchange.is_alive && upper.is_alive
}

fn undeclared(session: &mut Session<'_>, declared: &Declared) -> bool {
    let methods = [
        ("tools", "tools/list", ""),
        ("resources", "resources/list", ""),
        ("prompts", "prompts/list", ""),
        ("logging", "logging/setLevel", r#"{"level":"error"}"#),
        (
            "completions",
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"x","value":""}}"#,
        ),
    ];
    let mut is_alive = true;
    for (capability, method, params) in methods {
        if declared.has(capability) {
            continue;
        }
        let (id, exchange) = session.ask(method, params);
        is_alive &= exchange.is_alive;
        session
            .table()
            .judge("29", exchange.code(&id) == Some(-32_601), || {
                format!("{method}: {}", exchange.told(&id))
            });
    }
    session
        .table()
        .not_applicable("29", "every capability is declared");
    is_alive
}

fn unknown_method(session: &mut Session<'_>, _: &Declared) -> bool {
    let (id, exchange) = session.ask("barewire/unknown", "{}");
    session
        .table()
        .judge("30", exchange.code(&id) == Some(-32_601), || exchange.told(&id));
    exchange.is_alive
}

fn readable_ids(session: &mut Session<'_>, _: &Declared) -> bool {
    let mut is_alive = true;
    for (number, rest) in [
        (910_001, r#""method":7"#),
        (910_002, r#""method":"ping","params":3"#),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{number},{rest}}}"#);
        let exchange = session.exchange(&[line.into_bytes()], &[]);
        is_alive &= exchange.is_alive;
        let error = exchange.responses().find(|reply| reply.get("error").is_some());
        if let Some(error) = error {
            let is_echoed = error.id() == Some(number.to_string().as_str());
            session.table().judge("9", is_echoed, || error.excerpt());
        }
    }
    session
        .table()
        .not_applicable("9", "messages that are no requests are not answered");
    is_alive
}

fn batch_refused(session: &mut Session<'_>, declared: &Declared) -> bool {
    if known(declared.version().as_deref()).is_none_or(|version| version < ProtocolVersion::V2025_06_18) {
        session
            .table()
            .not_applicable("13", "the server speaks earlier revisions only");
        return true;
    }
    let exchange = session.exchange(&[batch(["920001", "920002"])], &[]);
    let processed = ["920001", "920002"].iter().find_map(|id| {
        exchange
            .answer(id)
            .filter(|answer| answer.get("result").is_some())
    });
    session
        .table()
        .judge("13", processed.is_none() && exchange.is_alive, || {
            processed.map_or_else(
                || "no answer to the ping that followed".to_owned(),
                Reply::excerpt,
            )
        });
    exchange.is_alive
}
