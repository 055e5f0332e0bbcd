//! Sources of request ids.

use core::fmt;
use core::time::Duration;

use crate::json::Digits;
use crate::rpc::RequestId;

/// Source of request ids.
///
/// The client calls [`next_id`](IdSource::next_id) again while the id is in flight, so a source that repeats itself costs
/// time, not correctness. A source that returns nothing but ids in flight makes the request fail.
pub trait IdSource {
    /// Compact form of an id, kept while its request is in flight.
    type Id: Copy + fmt::Debug;

    /// Returns the next id. `now` is the time of the request.
    fn next_id(&mut self, now: Duration) -> Self::Id;

    /// Passes the id that `kept` stands for to `then`.
    fn with_id<R>(kept: &Self::Id, then: impl FnOnce(RequestId<'_>) -> R) -> R;
}

/// JSON integers from 1: the default.
///
/// They are the shortest ids on the wire and in memory, and readable in a log. They restart with each client, so they reveal
/// nothing across sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counter {
    last: u64,
}

/// The largest integer that JavaScript represents exactly.
const LARGEST: u64 = (1 << 53) - 1;

impl Counter {
    /// A counter whose first id is 1.
    pub const fn new() -> Self {
        Self { last: 0 }
    }

    /// The same numbers as strings (`"1"`), for servers that accept only strings.
    pub const fn as_string(self) -> StringCounter {
        StringCounter { counter: self }
    }

    /// Returns the next number: no number twice among 2^53.
    const fn next(&mut self) -> u64 {
        self.last = if self.last < LARGEST { self.last.saturating_add(1) } else { 1 };
        self.last
    }
}

impl IdSource for Counter {
    type Id = u64;

    fn next_id(&mut self, _: Duration) -> u64 {
        self.next()
    }

    fn with_id<R>(kept: &u64, then: impl FnOnce(RequestId<'_>) -> R) -> R {
        then(RequestId::from(i64::try_from(*kept).unwrap_or(i64::MAX)))
    }
}

/// Decimal strings from `"1"`; see [`Counter::as_string`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StringCounter {
    counter: Counter,
}

impl IdSource for StringCounter {
    type Id = u64;

    fn next_id(&mut self, _: Duration) -> u64 {
        self.counter.next()
    }

    fn with_id<R>(kept: &u64, then: impl FnOnce(RequestId<'_>) -> R) -> R {
        with_decimal(*kept, then)
    }
}

/// Strings of decimal microseconds: the time of the request, never the same twice.
///
/// If the caller's time is wall-clock time (since the Unix epoch, say), these ids order the requests of all sessions in a
/// log, and reveal when the program ran. Two requests in one microsecond get successive ids, and so do requests after the
/// clock was set back. Two programs may use the same ids; that is allowed, because an id belongs to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timestamp {
    last: u64,
}

impl Timestamp {
    /// A source before its first id.
    pub const fn new() -> Self {
        Self { last: 0 }
    }
}

impl IdSource for Timestamp {
    type Id = u64;

    fn next_id(&mut self, now: Duration) -> u64 {
        let micros = now.as_secs().saturating_mul(1_000_000);
        let micros = micros.saturating_add(u64::from(now.subsec_micros()));
        self.last = micros.max(self.last.saturating_add(1));
        self.last
    }

    fn with_id<R>(kept: &u64, then: impl FnOnce(RequestId<'_>) -> R) -> R {
        with_decimal(*kept, then)
    }
}

fn with_decimal<R>(number: u64, then: impl FnOnce(RequestId<'_>) -> R) -> R {
    let mut digits = Digits::new();
    let digits = core::str::from_utf8(digits.of(number)).unwrap_or_default();
    then(RequestId::from(digits))
}

/// Random UUIDs (version 4, RFC 9562): strings of 36 lower-case characters. Feature `uuid`.
///
/// They reveal nothing about the program and are unique everywhere, so a gateway can pass them on unchanged; but they are
/// the longest ids on the wire and in memory. They are only as unpredictable as the caller's random bytes.
///
/// ```
/// use barewire::engine::client::{IdSource, Uuid};
/// use barewire::rpc::RequestId;
/// use core::time::Duration;
///
/// let mut ids = Uuid::new(|| [0xAB; 16]); // use a real source
/// let id = ids.next_id(Duration::ZERO);
/// fn is_expected<S: IdSource>(_: &S, id: &S::Id) -> bool {
///     S::with_id(id, |id| id == RequestId::from("abababab-abab-4bab-abab-abababababab"))
/// }
/// assert!(is_expected(&ids, &id));
/// ```
#[cfg(feature = "uuid")]
#[derive(Debug, Clone, Copy)]
pub struct Uuid<F> {
    random: F,
}

#[cfg(feature = "uuid")]
impl<F: FnMut() -> [u8; 16]> Uuid<F> {
    /// A source of UUIDs; each call of `random` returns 16 new random bytes.
    pub const fn new(random: F) -> Self {
        Self { random }
    }
}

#[cfg(feature = "uuid")]
impl<F: FnMut() -> [u8; 16]> IdSource for Uuid<F> {
    type Id = [u8; 16];

    fn next_id(&mut self, _: Duration) -> [u8; 16] {
        uuid::Builder::from_random_bytes((self.random)()).into_uuid().into_bytes()
    }

    fn with_id<R>(kept: &[u8; 16], then: impl FnOnce(RequestId<'_>) -> R) -> R {
        let mut memory = [0; uuid::fmt::Hyphenated::LENGTH];
        let uuid = uuid::Uuid::from_bytes(*kept);
        then(RequestId::from(&*uuid.hyphenated().encode_lower(&mut memory)))
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::{String, ToString};

    fn ids<S: IdSource>(mut source: S, times: &[u64]) -> std::vec::Vec<String> {
        times
            .iter()
            .map(|micros| {
                let id = source.next_id(Duration::from_micros(*micros));
                S::with_id(&id, |id| id.to_string())
            })
            .collect()
    }

    #[test]
    fn each_source_has_its_form() {
        assert_eq!(ids(Counter::new(), &[9, 9, 9]), ["1", "2", "3"]);
        assert_eq!(ids(Counter::new().as_string(), &[9, 9]), [r#""1""#, r#""2""#]);
        assert_eq!(
            ids(Timestamp::new(), &[1_700_000_000_000_000, 5, 1_700_000_000_000_009]),
            [r#""1700000000000000""#, r#""1700000000000001""#, r#""1700000000000009""#]
        );
    }

    #[test]
    fn a_counter_stays_within_the_integers_of_javascript() {
        assert_eq!(ids(Counter { last: LARGEST - 1 }, &[0, 0]), ["9007199254740991", "1"]);
    }

    #[cfg(feature = "uuid")]
    #[test]
    fn uuids_have_their_version_and_variant() {
        let mut next = 0;
        let source = Uuid::new(|| {
            next += 0x33;
            [next; 16]
        });
        assert_eq!(
            ids(source, &[0, 0]),
            [r#""33333333-3333-4333-b333-333333333333""#, r#""66666666-6666-4666-a666-666666666666""#]
        );
    }
}
