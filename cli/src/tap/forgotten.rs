//! Ids for which the tables have no room, in constant memory.

use std::hash::{DefaultHasher, Hash, Hasher};

/// 1 MiB: with a million forgotten ids, one other id in forty counts as forgotten.
const BITS: u64 = 1 << 23;
const PROBES: u64 = 4;

/// A Bloom filter of ids: it knows every forgotten id, and mistakes few others for one. So an answer to a forgotten
/// request is never reported as a fault, and most other faults are still found.
#[derive(Default)]
pub(super) struct Forgotten(Vec<u64>);

impl Forgotten {
    pub(super) fn insert(&mut self, key: &str) {
        self.0.resize((BITS / 64) as usize, 0);
        for (word, bit) in places(key) {
            self.0[word] |= bit;
        }
    }

    /// True for every id that was inserted.
    pub(super) fn contains(&self, key: &str) -> bool {
        !self.0.is_empty() && places(key).all(|(word, bit)| self.0[word] & bit != 0)
    }
}

/// The indices of the words for an id, each with its bit.
fn places(key: &str) -> impl Iterator<Item = (usize, u64)> {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    let hash = hasher.finish();
    let (first, step) = (hash & 0xffff_ffff, hash >> 32 | 1);
    (0..PROBES).map(move |probe| {
        let place = (first + probe * step) % BITS;
        ((place / 64) as usize, 1 << (place % 64))
    })
}

#[cfg(test)]
mod tests {
    use super::Forgotten;

    #[test]
    fn every_forgotten_id_is_known_and_few_others() {
        let mut forgotten = Forgotten::default();
        assert!(!forgotten.contains("0"));
        for id in 0..200_000 {
            forgotten.insert(&id.to_string());
        }
        assert!((0..200_000).all(|id| forgotten.contains(&id.to_string())));
        let others = (200_000..300_000).filter(|id| forgotten.contains(&id.to_string()));
        assert!(others.count() < 200);
    }
}
