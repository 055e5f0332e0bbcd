//! The cursors of a list, whose pages must have an end.

use std::collections::HashSet;
use std::hash::BuildHasher;

/// The cursors of a list so far, as hashes: the cursors themselves may be long.
pub(crate) struct Cursors {
    hashes: HashSet<u64>,
    /// Largest number of pages after the first.
    most: usize,
}

impl Cursors {
    pub(crate) fn new(most: usize) -> Self {
        let hashes = HashSet::new();
        Self { hashes, most }
    }

    /// Notes the cursor of the next page.
    ///
    /// # Errors
    /// A sentence: the cursor was used before, or there are too many pages.
    pub(crate) fn add(&mut self, cursor: &str) -> Result<(), String> {
        if self.hashes.len() >= self.most {
            return Err(format!("the list has more than {} pages", self.most));
        }
        let hash = self.hashes.hasher().hash_one(cursor);
        match self.hashes.insert(hash) {
            true => Ok(()),
            false => Err("the server gives the same page again".to_owned()),
        }
    }
}
