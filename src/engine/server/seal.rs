//! Seals of state that travels through a client.

use core::fmt;
use core::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::time::milliseconds;
use super::{Context, Origin, Principal};
use crate::bytes::{Mark, Sink};
use crate::json::{JsonStr, Writer};

/// Bytes of a seal: the tag, and the time at which the state expires, in milliseconds since 1970.
const BYTES: usize = TAG + 8;
const TAG: usize = 16;
/// Length of a seal as text: a dot, and 32 characters of base64url without padding.
const TEXT: usize = 1 + BYTES / 3 * 4;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// End of a text in what is authenticated. It is not a character.
const END: [u8; 4] = [0xFF; 4];

/// Secret key for state that travels through a client, such as the state of an input request of 2026-07-28.
///
/// A server [with a seal](super::Server::with_seal) appends a dot and 32 characters to each state that it sends. They hold the time at which
/// the state expires, and an HMAC-SHA-256, truncated to 128 bits, of: the principal, or without one the place of the legacy session; the
/// method; the name of the tool or the prompt, or the URI; the state; the time. The client can read the state, but a changed, foreign or
/// expired one is refused before the handler runs.
///
/// A seal does not cover the arguments, and a state can be used again until it expires.
///
/// An application protects its own state with [`write`](Seal::write) and [`open`](Seal::open), for example cursors of a search tool:
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{Channel, Origin, Principal, Seal};
/// use barewire::json::{RawValue, Writer};
/// use core::time::Duration;
///
/// let seal = Seal::new([7; 32]); // From a random source.
/// let (now, hour) = (Duration::from_secs(1_800_000_000), Duration::from_secs(3600));
/// let alice = Origin::exchange(Channel(1)).of(Principal::new(1));
/// let mut memory = [0; 64];
/// let mut out = Sink::new(&mut memory);
/// seal.write(&mut Writer::new(&mut out), "search", alice, now + hour, "page 2");
/// let cursor = RawValue::new(out.finish().unwrap()).unwrap().as_string().unwrap();
///
/// assert!(seal.open("search", alice, now, cursor).unwrap() == "page 2");
/// let bob = alice.of(Principal::new(2));
/// for forged in [
///     seal.open("search", bob, now, cursor),
///     seal.open("browse", alice, now, cursor),
///     seal.open("search", alice, now + hour, cursor),
/// ] {
///     assert_eq!(forged, None);
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Seal {
    key: [u8; 32],
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seal").finish_non_exhaustive()
    }
}

/// Peer and purpose of a state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Purpose<'a> {
    pub(super) origin: Origin,
    /// Empty for a state of the application's own.
    pub(super) method: &'static str,
    pub(super) subject: Subject<'a>,
}

impl<'a> Purpose<'a> {
    /// The state of an input request of this request.
    pub(super) fn of(context: &Context<'_>, subject: JsonStr<'a>) -> Self {
        Self { origin: context.origin, method: context.method.name(), subject: Subject::Json(subject) }
    }
}

/// Name of a tool or a prompt, or URI of a resource.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject<'a> {
    Plain(&'a str),
    Json(JsonStr<'a>),
}

impl Seal {
    /// The seal with this key, which comes from a cryptographic random source. A server that restarts with another key, or another
    /// server without this key, refuses the states of this one.
    pub const fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// Writes a state of the application, sealed, as a JSON string. It can be [opened](Seal::open) for the same subject and the same
    /// principal, until that time since 1970.
    pub fn write(
        &self,
        json: &mut Writer<'_, '_>,
        subject: &str,
        origin: Origin,
        until: Duration,
        state: &str,
    ) {
        let purpose = Purpose { origin, method: "", subject: Subject::Plain(subject) };
        let mut json = json.value();
        let start = json.sink().mark();
        json.string(state);
        self.close(json.sink(), start, &purpose, milliseconds(until));
    }

    /// The state of a sealed string. `None` if it was not made by [`write`](Seal::write) with this key, subject and principal, or
    /// has expired at the given time since 1970. Linear in its length.
    pub fn open<'s>(
        &self,
        subject: &str,
        origin: Origin,
        now: Duration,
        sealed: JsonStr<'s>,
    ) -> Option<JsonStr<'s>> {
        let purpose = Purpose { origin, method: "", subject: Subject::Plain(subject) };
        self.opened(&purpose, milliseconds(now), sealed)
    }

    /// Appends the seal to the string that was written since `start`.
    pub(super) fn close(&self, sink: &mut Sink<'_>, start: Mark, purpose: &Purpose<'_>, until: u64) {
        let written = sink.since(start).unwrap_or_default();
        let Some([_, text @ .., _]) = written.get(..) else {
            // The output is full.
            return;
        };
        let mut bytes = [0; BYTES];
        let tag = self.tag(purpose, JsonStr::from_valid(text), until);
        for (place, byte) in bytes.iter_mut().zip(tag.into_iter().chain(until.to_be_bytes())) {
            *place = byte;
        }
        sink.truncate(sink.len().saturating_sub(1));
        sink.write(b".");
        for three in bytes.chunks_exact(3) {
            let bits = three.iter().fold(0, |bits, byte| bits << 8 | usize::from(*byte));
            for shift in [18, 12, 6, 0] {
                sink.write(DIGITS.get(bits >> shift & 0x3F).map_or(&[], core::slice::from_ref));
            }
        }
        sink.write(b"\"");
    }

    /// The state in a sealed string, if the seal is right and has not expired.
    pub(super) fn opened<'s>(
        &self,
        purpose: &Purpose<'_>,
        now: u64,
        sealed: JsonStr<'s>,
    ) -> Option<JsonStr<'s>> {
        let length = points(sealed).count().checked_sub(TEXT)?;
        let mut steps = sealed.steps();
        for _ in 0..length {
            steps.next();
        }
        let state = sealed.between(sealed.as_escaped_bytes().len(), steps.remaining());
        if steps.next() != Some(u32::from(b'.')) {
            return None;
        }
        let mut bytes = [0; BYTES];
        for three in bytes.chunks_exact_mut(3) {
            let mut bits = 0_u32;
            for _ in 0..4 {
                bits = bits << 6 | value_of(steps.next()?)?;
            }
            for (byte, bits) in three.iter_mut().zip(bits.to_be_bytes().into_iter().skip(1)) {
                *byte = bits;
            }
        }
        let (tag, until) = bytes.split_first_chunk::<TAG>()?;
        let until = u64::from_be_bytes(until.try_into().ok()?);
        let right = self.tag(purpose, state, until);
        // The time does not depend on the bits that are right.
        let differences =
            tag.iter().zip(right).fold(0, |differences, (tag, right)| differences | (tag ^ right));
        (differences == 0 && now < until).then_some(state)
    }

    fn tag(&self, purpose: &Purpose<'_>, state: JsonStr<'_>, until: u64) -> [u8; TAG] {
        // HMAC fills a key up with zeros.
        let mut key = [0; 64];
        for (place, byte) in key.iter_mut().zip(self.key) {
            *place = byte;
        }
        let mut mac = Authenticator(Hmac::new(&key.into()));
        mac.0.update(b"barewire seal 1\0");
        let (kind, peer) = match (purpose.origin.principal(), purpose.origin.session()) {
            (Principal::ANONYMOUS, None) => (0, 0),
            (Principal::ANONYMOUS, Some(session)) => (1, u64::from(session)),
            (principal, _) => (2, principal.number()),
        };
        mac.0.update(&[kind]);
        mac.0.update(&peer.to_be_bytes());
        mac.text(purpose.method.chars().map(u32::from));
        match purpose.subject {
            Subject::Plain(subject) => mac.text(subject.chars().map(u32::from)),
            Subject::Json(subject) => mac.text(points(subject)),
        }
        mac.text(points(state));
        mac.0.update(&until.to_be_bytes());
        let mut tag = [0; TAG];
        for (place, byte) in tag.iter_mut().zip(mac.0.finalize().into_bytes()) {
            *place = byte;
        }
        tag
    }
}

struct Authenticator(Hmac<Sha256>);

impl Authenticator {
    /// A text, whatever escapes it was sent with.
    fn text(&mut self, points: impl Iterator<Item = u32>) {
        for point in points {
            self.0.update(&point.to_be_bytes());
        }
        self.0.update(&END);
    }
}

/// Characters and lone surrogates of a string.
fn points(text: JsonStr<'_>) -> impl Iterator<Item = u32> {
    let mut steps = text.steps();
    core::iter::from_fn(move || steps.next())
}

/// Value of a character of base64url.
fn value_of(character: u32) -> Option<u32> {
    let digit = u8::try_from(character).ok()?;
    let place = DIGITS.iter().position(|known| *known == digit)?;
    u32::try_from(place).ok()
}
