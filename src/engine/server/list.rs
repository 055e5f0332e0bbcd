//! Lists, paged by the room in the output.

use super::answer::{self, Tail, Written};
use crate::bytes::Sink;
use crate::json::{Digits, JsonStr, Object, RawValue, Writer};
use crate::rpc::RequestId;

/// A cursor that this server did not give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadCursor {
    /// Not one of this server's: `Invalid cursor`.
    Unknown,
    /// There twice: `Invalid params`.
    Repeated,
}

/// The place in the list that the request asks for. A cursor is the number of the next entry, as a string; opaque to
/// the client.
pub(super) fn start(params: Option<Object<'_>>, length: usize) -> Result<usize, BadCursor> {
    let Some(params) = params else {
        return Ok(0);
    };
    let Some(cursor) = params.get_once("cursor").map_err(|_| BadCursor::Repeated)? else {
        return Ok(0);
    };
    match cursor.as_string().and_then(place_of) {
        Some(place) if place < length => Ok(place),
        _ => Err(BadCursor::Unknown),
    }
}

/// The number that a cursor is, as [`write_cursor`] writes it: no place but 0 begins with a 0, and that has no cursor.
fn place_of(cursor: JsonStr<'_>) -> Option<usize> {
    let mut place = 0_usize;
    for character in cursor.chars() {
        let digit = character.ok()?.to_digit(10)?;
        place = place.checked_mul(10)?.checked_add(usize::try_from(digit).ok()?)?;
        if place == 0 {
            return None;
        }
    }
    (place > 0).then_some(place)
}

/// Writes as many entries from `start` on as fit, and the cursor of the next one if some are left.
pub(super) fn write<T>(
    out: &mut Sink<'_>,
    id: RequestId<'_>,
    tail: &Tail<'_>,
    name: &str,
    entries: &[T],
    start: usize,
    entry: impl Fn(&T, &mut Writer<'_, '_>),
) -> Written {
    let mark = out.mark();
    let [behind_page, behind_last] = [true, false].map(|has_more| reserve(tail, entries.len(), has_more));
    let mut json = Writer::new(out);
    answer::begin(&mut json, id, tail.version);
    json.name(name).begin_array();
    let mut next = start;
    for item in entries.iter().skip(start) {
        let before = json.mark();
        entry(item, &mut json);
        let is_last = next.saturating_add(1) == entries.len();
        let reserve = if is_last { behind_last } else { behind_page };
        if json.sink().is_full() || json.sink().remaining() < reserve {
            json.rollback(before);
            break;
        }
        next = next.saturating_add(1);
    }
    json.end_array();
    if next < entries.len() {
        write_cursor(&mut json, next);
    }
    tail.write(&mut json);
    if out.is_full() || (next == start && start < entries.len()) {
        out.rollback(mark);
        return answer::too_large(out, id);
    }
    Written::Yes
}

fn write_cursor(json: &mut Writer<'_, '_>, next: usize) {
    let digits = Digits::of(u64::try_from(next).unwrap_or(u64::MAX));
    json.name("nextCursor");
    json.plain_string(|sink| sink.write(digits.as_bytes()));
}

/// How much must be left behind an entry, so that the list can end there.
fn reserve(tail: &Tail<'_>, length: usize, has_more: bool) -> usize {
    let mut counting = Sink::counting();
    let mut json = Writer::new(&mut counting);
    json.begin_object().begin_object().name("").begin_array();
    json.raw(RawValue::NULL);
    let before = json.sink().len();
    json.end_array();
    if has_more {
        write_cursor(&mut json, length);
    }
    tail.write(&mut json);
    json.sink().len().saturating_sub(before)
}
