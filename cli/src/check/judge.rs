//! The rules for every message, and for every result of a method.

use barewire::json::{Object, RawValue};
use barewire::rpc::{Message, Reason, Rules, classify_with};

use super::reply::{Reply, at, excerpt};
use super::table::Table;

/// Checks the envelope.
pub(super) fn message<'a>(table: &mut Table, reply: &'a Reply) -> Option<Message<'a>> {
    for row in ["16", "17"] {
        table.met(row);
    }
    match classify_with(&reply.0, &Rules::LENIENT) {
        Ok(message) => {
            for row in ["1", "2"] {
                table.met(row);
            }
            Some(message)
        }
        Err(rejection) => {
            let row = match rejection.reason() {
                Reason::MissingVersion | Reason::WrongVersion => "1",
                Reason::InvalidId => "2",
                Reason::ResultAndError => "7",
                Reason::ErrorNotAnObject
                | Reason::InvalidErrorCode
                | Reason::InvalidErrorMessage
                | Reason::RepeatedErrorMember => "8",
                Reason::ResultNotAnObject => "10",
                Reason::ResultWithoutId => "6",
                _ => "17",
            };
            table.fault(row, reply.excerpt());
            None
        }
    }
}

/// Checks a response to a request of this era and method.
pub(super) fn response(table: &mut Table, is_modern: bool, method: &str, reply: &Reply) {
    if reply.get("error").is_some() {
        table.met("8");
    }
    if let Some(code) = reply.code().filter(|_| is_modern) {
        table.judge_reply("83", !(-32_099..=-32_023).contains(&code), reply);
    }
    let Some(result) = reply.result() else { return };
    table.met("7");
    table.met("10");
    if is_modern {
        table.judge_reply("36", result.get("resultType").is_some(), reply);
        let server = reply.at(&["result", "_meta", "io.modelcontextprotocol/serverInfo"]);
        table.judge_reply("37", server.and_then(RawValue::as_object).is_some(), reply);
        if method.ends_with("/list") {
            caching(table, result, reply);
        }
    } else {
        let added = ["resultType", "ttlMs", "cacheScope"];
        let is_plain = added.iter().all(|name| result.get(name).is_none());
        table.judge_reply("36 L", is_plain, reply);
    }
    match method {
        "ping" if !is_modern => table.judge_reply("27", is_empty(reply), reply),
        "tools/list" => schemas(table, result),
        _ => {}
    }
}

/// Whether the result is `{}`, apart from `_meta`.
pub(super) fn is_empty(reply: &Reply) -> bool {
    reply.get("result").is_some()
        && reply.result().is_none_or(|result| result.members().all(|member| member.name == "_meta"))
}

fn caching(table: &mut Table, result: Object<'_>, reply: &Reply) {
    let ttl = result.get("ttlMs").and_then(RawValue::as_number);
    let scope = result.get("cacheScope");
    // A number beyond 64 bits is at least 0 too.
    let is_long = ttl.is_some_and(|ttl| ttl.is_integer() && !ttl.as_str().starts_with('-'));
    table.judge_reply("51", is_long && scope.is_some(), reply);
    if let Some(scope) = scope {
        let is_known =
            ["public", "private"].map(|known| scope.as_string().is_some_and(|scope| scope == known));
        table.judge_reply("52", is_known.contains(&true), reply);
    }
}

fn schemas(table: &mut Table, result: Object<'_>) {
    let tools = result.get("tools").and_then(RawValue::as_array);
    for tool in tools.iter().flat_map(|tools| tools.elements()) {
        let kind = at(tool, &["inputSchema", "type"]).and_then(RawValue::as_string);
        table.judge("75", kind.is_some_and(|kind| kind == "object"), || excerpt(tool.as_bytes()));
    }
}
