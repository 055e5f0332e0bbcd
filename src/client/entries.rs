//! Lists, page by page.

use core::fmt;
use core::hash::BuildHasher;
use std::collections::HashSet;
use std::vec::{self, Vec};

use super::connection::{Connection, Terms};
use super::error::ClientError;
use super::owned::{OwnedValue, array};
use crate::json::{JsonStr, Object, RawValue};
use crate::mcp::{ListResult, Method};

/// Largest number of pages of a list.
const MOST_PAGES: usize = 1000;

/// Iterator over the entries of all pages of a list (MCP pagination). Each page is requested once all entries of the page
/// before are taken, and has the default timeout of the client.
///
/// After an error the iterator ends. It can be dropped before the end of the list.
#[must_use = "a list is requested by its iterator"]
pub struct Entries<'c, T> {
    connection: &'c mut Connection,
    list: List<T>,
    page: vec::IntoIter<T>,
    next: Next,
    cursors: Cursors,
}

/// The list, and how its entries are read.
pub(super) struct List<T> {
    pub(super) method: Method,
    /// Name of the member with the entries.
    pub(super) member: &'static str,
    pub(super) read: fn(Object<'_>) -> T,
}

/// The next page.
enum Next {
    First,
    /// The page after this one.
    At(OwnedValue),
    None,
}

impl<T> fmt::Debug for Entries<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entries").field(&self.list.method).finish()
    }
}

impl<'c, T> Entries<'c, T> {
    pub(super) fn new(connection: &'c mut Connection, list: List<T>) -> Self {
        let page = Vec::new().into_iter();
        Self { connection, list, page, next: Next::First, cursors: Cursors::default() }
    }

    /// Requests the next page.
    fn turn(&mut self) -> Result<(), ClientError> {
        let before = core::mem::replace(&mut self.next, Next::None);
        let cursor = match &before {
            Next::First => None,
            Next::At(page) => ListResult::of(page.object()).next_cursor(),
            Next::None => return Ok(()),
        };
        if let Some(cursor) = cursor {
            self.cursors.add(cursor)?;
        }
        let (method, terms) = (self.list.method, Terms::within(self.connection.timeout()));
        let page = self.connection.request(terms, method, |client, options, out| {
            client.request(options, method.name(), out, |params| {
                if let Some(cursor) = cursor {
                    params.name("cursor").json_string(cursor);
                }
            })
        })?;
        let elements = array(page.object(), self.list.member).elements();
        let entries: Vec<T> = elements.filter_map(RawValue::as_object).map(self.list.read).collect();
        self.page = entries.into_iter();
        if ListResult::of(page.object()).next_cursor().is_some() {
            self.next = Next::At(page);
        }
        Ok(())
    }
}

impl<T> Iterator for Entries<'_, T> {
    type Item = Result<T, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.page.next() {
                return Some(Ok(entry));
            }
            if let Next::None = self.next {
                return None;
            }
            if let Err(error) = self.turn() {
                return Some(Err(error));
            }
        }
    }
}

impl<T> core::iter::FusedIterator for Entries<'_, T> {}

/// The cursors so far, as hashes: the cursors themselves may be long.
#[derive(Default)]
struct Cursors {
    hashes: HashSet<u64>,
}

impl Cursors {
    /// Notes the cursor of the next page. A cursor that was noted before is an error, and so is one page too many.
    fn add(&mut self, cursor: JsonStr<'_>) -> Result<(), ClientError> {
        let hash = self.hashes.hasher().hash_one(cursor);
        // The first page has no cursor.
        let pages = self.hashes.len().saturating_add(1);
        match pages < MOST_PAGES && self.hashes.insert(hash) {
            true => Ok(()),
            false => Err(ClientError::EndlessList),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::*;

    #[test]
    fn a_list_has_an_end() {
        let mut cursors = Cursors::default();
        for page in 1..MOST_PAGES {
            let text = format!("{page}");
            assert!(cursors.add(JsonStr::from_escaped(&text).unwrap()).is_ok());
        }
        assert!(cursors.add(JsonStr::EMPTY).is_err());
        let mut cursors = Cursors::default();
        assert!(cursors.add(JsonStr::from_escaped("a").unwrap()).is_ok());
        assert!(cursors.add(JsonStr::from_escaped(r"\u0061").unwrap()).is_err());
    }
}
