//! Ids of the requests of `barewire call`.

use std::time::Duration;

use barewire::engine::client::{BoundClient, ClientFixed, Counter, IdSource, Plain, Timestamp, Uuid};
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

/// The client of this command, which sends one request at a time.
pub(crate) type Caller<'a> = BoundClient<'a, Storage, Plain>;

/// The storage of that client.
pub(crate) type Storage = ClientFixed<(), 1, Ids>;

/// The JSON text of an id, padded with spaces; that of a UUID is 38 bytes long.
type Text = [u8; 40];

/// A source of ids of any form.
pub(crate) struct Ids(Box<dyn FnMut(Duration) -> Text>);

impl Ids {
    pub(crate) fn new(form: Form) -> Self {
        match form {
            Form::Counter => Self::from_source(Counter::new()),
            Form::CounterString => Self::from_source(Counter::new().as_string()),
            Form::Timestamp => Self::from_source(Timestamp::new()),
            Form::Uuid => Self::from_source(Uuid::new(random)),
        }
    }

    fn from_source<S: IdSource + 'static>(mut source: S) -> Self {
        Self(Box::new(move |now| {
            let id = S::with_id(&source.next_id(now), |id| id.to_string());
            let mut text = [b' '; 40];
            text[..id.len()].copy_from_slice(id.as_bytes());
            text
        }))
    }
}

/// Randomness of the system. Without it all ids would be equal, which the client refuses.
fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    let _ = getrandom::fill(&mut bytes);
    bytes
}

impl IdSource for Ids {
    type Id = Text;

    fn next_id(&mut self, now: Duration) -> Text {
        self.0(now)
    }

    fn with_id<R>(id: &Text, then: impl FnOnce(RequestId<'_>) -> R) -> R {
        then(RequestId::parse(id.trim_ascii_end()).unwrap_or(RequestId::from(0)))
    }
}
