//! Ids as gateways give them: from every source, into a message and back.

use core::time::Duration;

use barewire::engine::client::{Counter, IdSource, StringCounter, Timestamp};
use barewire::json::RawValue;
use barewire::rpc::{Message, RequestId, Rewrite, RewriteError, StoredId, classify};

use super::writing::exactly;
use crate::support::entropy::Entropy;
use crate::support::{generate, slow, strings, texts, tree};

/// A way to give a message another token in one place.
type Replace = for<'a> fn(Rewrite<'a>, RequestId<'a>) -> Result<Rewrite<'a>, RewriteError>;

const REPLACEMENTS: [Replace; 4] = [
    |rewrite, id| rewrite.id(id),
    |rewrite, id| rewrite.request_id(id),
    |rewrite, id| rewrite.progress_token(id),
    |rewrite, id| rewrite.subscription_id(id),
];

/// With another id, another `requestId` and so on, and then with its own again, a message is what it was.
pub(super) fn there_and_back_is_the_same(entropy: &mut Entropy<'_>) {
    let frame = generate::message(entropy);
    let Ok(message) = classify(&frame) else {
        return;
    };
    let new = id(entropy);
    let new = RequestId::parse(new.as_bytes()).expect("an id");
    for (at, replace) in REPLACEMENTS.iter().enumerate() {
        let rewrite = match replace(Rewrite::new(message), new) {
            Ok(rewrite) => rewrite,
            Err(error) => {
                assert_eq!(error.to_string(), texts::of_rewrite(error));
                continue;
            }
        };
        let own = token_of(&message, at).expect("one that was replaced");
        let there = exactly(|memory| rewrite.write(memory));
        let there_message = classify(&there).expect("a message");
        assert_eq!(token_of(&there_message, at), Some(new), "{}", there.escape_ascii());
        if at == 0 {
            only_the_id_differs(&frame, &there, new);
        }
        // As a gateway keeps it meanwhile.
        let Ok(kept) = StoredId::<2000>::new(own) else {
            continue;
        };
        let back = replace(Rewrite::new(there_message), kept.view()).expect("as before");
        let back = exactly(|memory| back.write(memory));
        assert_eq!(back.escape_ascii().to_string(), frame.escape_ascii().to_string());
    }
}

fn token_of<'a>(message: &Message<'a>, at: usize) -> Option<RequestId<'a>> {
    let value = match at {
        0 => return message.id(),
        1 => message.request_id(),
        2 => message.progress_token(),
        _ => message.subscription_id(),
    };
    value.ok().flatten().and_then(RequestId::of)
}

fn only_the_id_differs(frame: &[u8], there: &[u8], new: RequestId<'_>) {
    let members =
        [frame, there].map(|text| tree::members(tree::value(text).expect("JSON")).expect("an object"));
    assert_eq!(members[0].len(), members[1].len());
    for (before, after) in members[0].iter().zip(&members[1]) {
        match strings::is(before.0, "id") {
            true => assert_eq!(*after, (before.0, new.to_string().as_str())),
            false => assert_eq!(after, before),
        }
    }
    let value = |text| RawValue::new(text).expect("JSON").as_json().len();
    let grown = new.to_string().len() as isize - id_length(&members[0]) as isize;
    assert_eq!(value(there) as isize, value(frame) as isize + grown);
}

fn id_length(members: &[tree::Member<'_>]) -> usize {
    slow::all(members, "id").first().expect("an id").len()
}

/// An id of a source, or of a peer.
fn id(entropy: &mut Entropy<'_>) -> String {
    let now = Duration::from_micros(entropy.number() >> 12);
    match entropy.below(4) {
        0 => first(Counter::new(), now),
        1 => first(Counter::new().as_string(), now),
        2 => first(Timestamp::new(), now),
        _ => {
            let id = generate::id(entropy);
            if slow::is_id(&id) { id } else { "7".to_owned() }
        }
    }
}

fn first<S: IdSource>(mut source: S, now: Duration) -> String {
    let kept = source.next_id(now);
    S::with_id(&kept, |id| id.to_string())
}

/// A source of ids, with times that go back and forth: its form, and no id twice.
pub(super) fn sources_never_repeat_an_id(entropy: &mut Entropy<'_>) {
    let times: Vec<Duration> = (0..entropy.below(12))
        .map(|_| match entropy.below(4) {
            0 => Duration::from_micros(entropy.below(4) as u64),
            1 => Duration::from_nanos(entropy.number() >> entropy.below(64)),
            2 => Duration::from_secs(entropy.number() >> 30),
            _ => Duration::from_micros(7),
        })
        .collect();
    fn ids<S: IdSource>(mut source: S, times: &[Duration]) -> Vec<String> {
        let ids = times.iter().map(|now| {
            let kept = source.next_id(*now);
            S::with_id(&kept, |id| id.to_string())
        });
        ids.collect()
    }
    let integers = ids(Counter::new(), &times);
    let expected: Vec<String> = (1..=times.len()).map(|number| number.to_string()).collect();
    assert_eq!(integers, expected);
    let quoted: Vec<String> = expected.iter().map(|number| format!("\"{number}\"")).collect();
    let as_strings: StringCounter = Counter::new().as_string();
    assert_eq!(ids(as_strings, &times), quoted);
    let mut last = 0;
    for (id, now) in ids(Timestamp::new(), &times).iter().zip(&times) {
        assert!(slow::is_id(id) && id.starts_with('"'));
        let micros: u128 = id.trim_matches('"').parse().expect("decimal");
        assert_eq!(micros, now.as_micros().max(last + 1), "{times:?}");
        last = micros;
    }
}

/// Random bytes as a UUID: all of them but for the version and the variant.
#[cfg(feature = "uuid")]
pub(super) fn uuids_are_their_bytes(entropy: &mut Entropy<'_>) {
    use barewire::engine::client::Uuid;

    let random: [u8; 16] = core::array::from_fn(|_| entropy.byte());
    let mut bytes = random;
    bytes[6] = bytes[6] & 0x0F | 0x40;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let mut expected: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    for at in [20, 16, 12, 8] {
        expected.insert(at, '-');
    }
    let id = first(Uuid::new(|| random), Duration::ZERO);
    assert_eq!(id, format!("\"{expected}\""));
}

#[cfg(not(feature = "uuid"))]
pub(super) fn uuids_are_their_bytes(_: &mut Entropy<'_>) {}
