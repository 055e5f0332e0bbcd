//! Limits for the pages of a list.

use std::collections::HashSet;
use std::hash::BuildHasher;

use barewire::json::JsonStr;

/// Largest number of pages after the first.
const MOST_PAGES: usize = 1000;

/// Hashes of the cursors of a list so far: the cursors themselves may be long.
#[derive(Default)]
pub(crate) struct Cursors(HashSet<u64>);

impl Cursors {
    /// Notes the cursor of the next page.
    ///
    /// # Errors
    /// A sentence: the cursor was used before, or there are too many pages.
    pub(crate) fn add(&mut self, cursor: JsonStr<'_>) -> Result<(), String> {
        if self.0.len() >= MOST_PAGES {
            return Err(format!("the list has more than {MOST_PAGES} pages"));
        }
        let hash = self.0.hasher().hash_one(cursor.as_escaped());
        match self.0.insert(hash) {
            true => Ok(()),
            false => Err("the server gives the same page again".to_owned()),
        }
    }
}
