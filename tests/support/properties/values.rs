//! Views and conversions of any bytes: no text around them has been accepted.

use core::hash::{Hash, Hasher};
use std::collections::hash_map::DefaultHasher;

use barewire::bytes::Sink;
use barewire::json::{JsonStr, RawValue, Writer};
use barewire::mcp::{Base64, LoggingLevel, Method, ProtocolVersion, Tool};
use barewire::rpc::{IdTooLong, RequestId, StoredId};

use super::{numbers, strings};
use crate::support::strings::{characters, units};
use crate::support::{slow, tree};

/// `bytes` as the inside of two strings, in halves.
pub(super) fn are_strings_or_not(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (one, other) = halves(&text);
    let found = [one, other].map(|inside| {
        let token = format!("\"{inside}\"");
        let is_string = tree::value(token.as_bytes()).is_some_and(|value| value == token);
        let string = JsonStr::from_escaped(inside);
        assert_eq!(string.is_some(), is_string, "{token}");
        string.map(|string| (string, token))
    });
    for (string, token) in found.iter().flatten() {
        strings::shows(*string, token);
        names_are_known_as_spelt(*string, token);
    }
    if let [Some((one, one_token)), Some((other, other_token))] = &found {
        strings::equal_as_their_units((*one, one_token), (*other, other_token));
        if let Ok(plain) = serde_json::from_str::<String>(other_token) {
            // Character by character: half of a pair is the start of no text.
            let (own, plain_characters) = (characters(one_token), characters(other_token));
            assert_eq!(one.starts_with(&plain), own.starts_with(&plain_characters), "{found:?}");
            assert_eq!(one.is_prefix_of(&plain), plain_characters.starts_with(&own), "{found:?}");
        }
        let raw = [one_token, other_token].map(|token| RawValue::new(token.as_bytes()).expect("a string"));
        assert_eq!(raw[0].as_string(), Some(*one));
        are_ids(one_token, other_token);
    }
}

/// The tables of names against their own texts.
fn names_are_known_as_spelt(string: JsonStr<'_>, token: &str) {
    let plain = serde_json::from_str::<String>(token).ok();
    let plain = plain.as_deref();
    let method = Method::all().find(|method| Some(method.name()) == plain);
    assert_eq!(Method::from_name(string), method, "{token}");
    let version = ProtocolVersion::ALL.into_iter().find(|version| Some(version.as_str()) == plain);
    assert_eq!(ProtocolVersion::from_name(string), version, "{token}");
    let level = LoggingLevel::from_name(string).map(LoggingLevel::as_str);
    assert!(level.is_none() || level == plain, "{token}");
    if let Some(plain) = plain {
        let is_name = (1..=128).contains(&plain.len())
            && plain.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        assert_eq!(Tool::is_name(plain), is_name, "{plain}");
    }
}

/// `bytes` as two numbers, in halves; each may be none.
pub(super) fn are_numbers_or_not(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (one, other) = halves(&text);
    let found = [one, other].map(|token| {
        let is_number = token.starts_with(|first: char| first == '-' || first.is_ascii_digit())
            && tree::value(token.as_bytes()) == Some(token);
        let number = RawValue::new(token.as_bytes()).ok().and_then(RawValue::as_number);
        let number = number.filter(|number| number.as_str() == token);
        assert_eq!(number.is_some(), is_number, "{token}");
        number
    });
    for (number, text) in found.iter().zip([one, other]) {
        if let Some(number) = number {
            numbers::shows(*number, text);
        }
    }
    if let [Some(a), Some(b)] = found {
        numbers::are_in_order((a, one), (b, other));
        are_ids(one, other);
    }
}

/// Two tokens as ids: equal if and only if they are of one type and stand for the same.
fn are_ids(one: &str, other: &str) {
    let ids = [one, other].map(|token| {
        let id = RequestId::parse(token.as_bytes());
        assert_eq!(id.is_some(), slow::is_id(token), "{token}");
        if let Some(id) = id {
            is_kept_as_it_is(id, token);
        }
        id
    });
    let [Some(a), Some(b)] = ids else {
        return;
    };
    let value = |token: &str| match token.starts_with('"') {
        true => Err(units(token)),
        // JSON has no zeros in front; minus zero is zero.
        false => Ok(if token == "-0" { "0".to_owned() } else { token.to_owned() }),
    };
    let is_equal = value(one) == value(other);
    let texts = [one, other].map(|token| serde_json::from_str::<String>(token).ok());
    let own = |at: usize, id: RequestId<'_>| match (&texts[at], id.to_i64()) {
        (Some(text), _) => Some(RequestId::from(text.as_str())),
        (None, Some(integer)) => Some(RequestId::from(integer)),
        // Longer than an integer here, or no Rust string.
        _ => None,
    };
    let (own_a, own_b) = (own(0, a), own(1, b));
    for a in [Some(a), own_a].into_iter().flatten() {
        for b in [Some(b), own_b].into_iter().flatten() {
            assert_eq!(a == b, is_equal, "{one} {other}");
            if is_equal {
                assert_eq!(hash(a), hash(b), "{one} {other}");
            }
        }
    }
    for (own, text) in [own_a, own_b].into_iter().zip(&texts) {
        let Some(own) = own else {
            continue;
        };
        assert_eq!(own.as_str(), text.as_deref());
        assert_eq!(RequestId::parse(own.to_string().as_bytes()), Some(own));
    }
    let kept = [a, b].map(|id| StoredId::<12>::new(id).ok());
    if let [Some(a), Some(b)] = kept {
        assert_eq!(a == b, is_equal, "{one} {other}");
    }
}

fn is_kept_as_it_is(id: RequestId<'_>, token: &str) {
    assert_eq!(id.to_string(), token);
    assert_eq!(id.text_len(), token.len());
    assert_eq!(id.is_string(), token.starts_with('"'));
    assert_eq!(
        id.as_str(),
        token.strip_prefix('"').filter(|_| !token.contains('\\')).map(|inside| &inside[..inside.len() - 1])
    );
    assert_eq!(id.to_i64(), token.parse().ok().filter(|_| !id.is_string()));
    match StoredId::<12>::new(id) {
        Ok(kept) => {
            assert!(token.len() <= 12);
            assert_eq!((kept.view(), kept.view().to_string()), (id, token.to_owned()));
        }
        Err(IdTooLong) => {
            assert!(token.len() > 12, "{token}");
            assert_eq!(IdTooLong.to_string(), "the id is too long to be kept");
        }
    }
}

fn hash(id: RequestId<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// `bytes` in base64, decoded a bit at a time.
pub(super) fn are_the_same_out_of_base64(bytes: &[u8]) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut memory = vec![0; bytes.len().div_ceil(3) * 4 + 2];
    let mut sink = Sink::new(&mut memory);
    Base64(bytes).write(&mut Writer::new(&mut sink));
    // As much as the memory holds, so all of it.
    let text = sink.finish().expect("room for four letters of three bytes");
    assert!(sink.remaining() == 0);
    let letters = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).expect("quotes");
    let padding = (3 - bytes.len() % 3) % 3;
    let (letters, end) = letters.split_at(letters.len() - padding);
    assert!(end.iter().all(|byte| *byte == b'='));
    let bits: Vec<bool> = letters
        .iter()
        .map(|letter| ALPHABET.iter().position(|known| known == letter).expect("a letter"))
        .flat_map(|sextet| (0..6).rev().map(move |bit| sextet >> bit & 1 == 1))
        .collect();
    let (whole, rest) = bits.split_at(bytes.len() * 8);
    let decoded: Vec<u8> =
        whole.chunks(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit))).collect();
    assert_eq!(decoded, bytes);
    assert!(rest.len() < 6 && rest.iter().all(|bit| !bit));
}

/// What stands before and behind the first NUL; without one, the same twice.
fn halves(text: &str) -> (&str, &str) {
    text.split_once('\0').unwrap_or((text, text))
}
