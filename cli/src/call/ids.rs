//! Ids of the requests of `barewire call`.

use std::time::Duration;

use barewire::engine::client::{Counter, IdSource, StringCounter, Timestamp, Uuid};
use barewire::rpc::RequestId;
use clap::ValueEnum;

/// Form of the ids.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Form {
    /// Integers from 1
    Counter,
    /// Integers from 1, as strings
    CounterString,
    /// Strings of decimal microseconds
    Timestamp,
    /// Random UUIDs
    Uuid,
}

/// The chosen source.
#[derive(Debug)]
pub(crate) enum Ids {
    Counter(Counter),
    Strings(StringCounter),
    Timestamp(Timestamp),
    Uuid(Uuid<fn() -> [u8; 16]>),
}

impl Ids {
    pub(crate) fn new(form: Form) -> Self {
        match form {
            Form::Counter => Self::Counter(Counter::new()),
            Form::CounterString => Self::Strings(Counter::new().as_string()),
            Form::Timestamp => Self::Timestamp(Timestamp::new()),
            Form::Uuid => Self::Uuid(Uuid::new(random)),
        }
    }
}

/// Randomness of the system. Without it all ids would be equal, which the client refuses.
fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    let _ = getrandom::fill(&mut bytes);
    bytes
}

/// The next id of the chosen source.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kept {
    Integer(u64),
    String(u64),
    Timestamp(u64),
    Uuid([u8; 16]),
}

impl IdSource for Ids {
    type Id = Kept;

    fn next_id(&mut self, now: Duration) -> Kept {
        match self {
            Self::Counter(source) => Kept::Integer(source.next_id(now)),
            Self::Strings(source) => Kept::String(source.next_id(now)),
            Self::Timestamp(source) => Kept::Timestamp(source.next_id(now)),
            Self::Uuid(source) => Kept::Uuid(source.next_id(now)),
        }
    }

    fn with_id<R>(kept: &Kept, then: impl FnOnce(RequestId<'_>) -> R) -> R {
        match kept {
            Kept::Integer(id) => Counter::with_id(id, then),
            Kept::String(id) => StringCounter::with_id(id, then),
            Kept::Timestamp(id) => Timestamp::with_id(id, then),
            Kept::Uuid(id) => Uuid::<fn() -> [u8; 16]>::with_id(id, then),
        }
    }
}
