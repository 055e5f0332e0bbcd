//! The storage of a server, and its random bytes.

use barewire::engine::{Heap, Parts};

/// All parts, and task ids that cannot be guessed.
pub(crate) struct Shared;

impl Parts for Shared {
    const TASK_RANDOM: Option<fn(&mut [u8; 16])> = Some(random);
}

/// A storage that grows.
pub(crate) type Storage = Heap<Shared>;

/// Fills an id with random bytes.
///
/// # Panics
/// The system has none. Ids that can be guessed would be worse.
pub(crate) fn random(id: &mut [u8; 16]) {
    getrandom::fill(id).expect("the system has no random bytes");
}
