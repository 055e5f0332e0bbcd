//! Looks up a tool or a prompt in the server's list, to know its arguments before the call.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use barewire::engine::client::{Ask, Incoming, Outcome};
use barewire::json::{JsonStr, Object, RawValue};
use barewire::mcp::ListResult;

use super::cursors::Cursors;
use super::job::List;
use super::{Server, tell};

/// Time limit for all pages. If the server does not answer in time, the call is not checked.
const LONGEST: Duration = Duration::from_secs(5);

enum Page {
    /// The text of the entry.
    Found(Vec<u8>),
    /// The cursor of the next page, quotes included.
    Next(String),
    /// The server does not list the entry, or the list cannot be read.
    Unknown,
}

/// The text of the entry called `name`. `None` if the server has not declared the list, does not return it in time, or
/// does not list the entry: then the server itself has to judge the call.
pub(crate) fn entry(server: &mut Server, list: List, name: &str, timeout: Duration) -> Option<Vec<u8>> {
    if !list.is_declared(&server.child.client().server_capabilities()) {
        return None;
    }
    let end = Instant::now() + timeout.min(LONGEST);
    let mut cursors = Cursors::default();
    let mut cursor: Option<String> = None;
    loop {
        match page(server, list, name, cursor.as_deref(), &mut cursors, end)? {
            Page::Found(entry) => return Some(entry),
            Page::Unknown => return None,
            Page::Next(next) => cursor = Some(next),
        }
    }
}

/// Reads one page. Returns `None` when the server has ended, or there is no time or page left.
fn page(
    server: &mut Server,
    list: List,
    name: &str,
    cursor: Option<&str>,
    cursors: &mut Cursors,
    end: Instant,
) -> Option<Page> {
    let left = end.checked_duration_since(Instant::now())?;
    let cursor = cursor.and_then(|cursor| RawValue::new(cursor.as_bytes()).ok()?.as_string());
    if let Some(cursor) = cursor {
        cursors.add(cursor).ok()?;
    }
    let sent = server.child.write(|client, now, out| {
        let ask = Ask::at(now).with_timeout(left);
        list.send(client, ask, cursor, out)
    });
    sent.ok()?;
    server.run(|_, incoming, _, _| match incoming {
        Incoming::Ended(ended) => ControlFlow::Break(match ended.outcome {
            Outcome::Result(result) => look(list, name, result),
            _ => Page::Unknown,
        }),
        other => {
            tell(&other);
            ControlFlow::Continue(())
        }
    })
}

fn look(list: List, name: &str, result: Object<'_>) -> Page {
    let page = ListResult::of(result);
    let is_named = |entry: &Object<'_>| {
        let found = entry.get("name").and_then(RawValue::as_string);
        found.is_some_and(|found| found == *name)
    };
    if let Some(entry) = page.entries(list.member()).find(is_named) {
        return Page::Found(entry.as_bytes().to_vec());
    }
    let quoted = |cursor: JsonStr<'_>| format!("\"{}\"", cursor.as_escaped());
    page.next_cursor()
        .map_or(Page::Unknown, |cursor| Page::Next(quoted(cursor)))
}
