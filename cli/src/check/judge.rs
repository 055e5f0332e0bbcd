//! What several probes judge.

use super::reply::Reply;
use super::session::Session;

/// `{}`, but for `_meta`.
pub(super) fn empty_result(session: &mut Session<'_>, number: &str, answer: &Reply) {
    let is_empty = answer
        .result()
        .is_none_or(|result| result.members().all(|member| member.name == "_meta"));
    let is_error = answer.get("error").is_some() && answer.get("result").is_none();
    session
        .table()
        .judge(number, is_empty && !is_error, || answer.excerpt());
}

/// Sends what must not be answered; what was answered all the same, but for the sentinel.
pub(super) fn silence(session: &mut Session<'_>, number: &str, lines: &[&str]) -> bool {
    let lines: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    let exchange = session.exchange(&lines, &[]);
    // The sentinels have ids of this program.
    let answer = exchange
        .responses()
        .find(|reply| !reply.id().is_some_and(|id| id.starts_with("\"c")));
    let why = match answer {
        Some(answer) => Some(answer.excerpt()),
        None if !exchange.is_alive => Some("no answer to the ping that followed".to_owned()),
        None => None,
    };
    session
        .table()
        .judge(number, why.is_none(), || why.unwrap_or_default());
    exchange.is_alive
}
