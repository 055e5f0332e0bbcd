//! Looks up a tool or a prompt in the server's list, to know its arguments before the call.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use barewire::engine::client::{ClientOutcome, RequestOptions};
use barewire::json::{Object, RawValue};
use barewire::mcp::ListResult;

use super::list::List;
use super::server::Server;
use crate::cursors::Cursors;

/// Time limit for all pages. If the server does not answer in time, the call is not checked.
const LONGEST: Duration = Duration::from_secs(5);

/// Largest number of pages after the first.
const MOST_PAGES: usize = 1000;

/// The text of the entry called `name`. `None` if the server has not declared the list, does not return it in time, or
/// does not list the entry: then the server itself has to judge the call.
pub(crate) fn entry(server: &mut Server, list: List, name: &str, timeout: Duration) -> Option<Vec<u8>> {
    if !list.is_declared(&server.capabilities()) {
        return None;
    }
    let end = Instant::now() + timeout.min(LONGEST);
    let ask = |now| RequestOptions::at(now).with_timeout(end.saturating_duration_since(Instant::now()));
    let is_named = |entry: &Object<'_>| {
        let found = entry.get("name").and_then(RawValue::as_string);
        found.is_some_and(|found| found == *name)
    };
    let mut cursors = Cursors::new(MOST_PAGES);
    let entry = server.request(
        |client, now, out| list.send(client, ask(now), None, out),
        |ended, client, now, out| {
            let ClientOutcome::Result(result) = ended.outcome else {
                return Ok(ControlFlow::Break(None));
            };
            let page = ListResult::of(result);
            let found = page.entries(list.member()).find(is_named);
            let next = page.next_cursor().filter(|_| found.is_none() && Instant::now() < end);
            match next.filter(|cursor| cursors.add(cursor.as_escaped()).is_ok()) {
                Some(cursor) => list.send(client, ask(now), Some(cursor), out).map(ControlFlow::Continue),
                None => Ok(ControlFlow::Break(found.map(|entry| entry.as_bytes().to_vec()))),
            }
        },
    );
    entry.ok().flatten()
}
