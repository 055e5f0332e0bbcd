//! Lists, paged by the room in the output.

use super::answer::{self, Tail, Written};
use super::methods::{invalid_params, refuse};
use super::{Context, Handler, Parts};
use crate::bytes::{Mark, Sink};
use crate::json::{Digits, JsonStr, Object, RawValue, Writer};
use crate::rpc::ErrorCode;

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
    let cursor = params.get_once("cursor").map_err(|_| BadCursor::Repeated)?;
    let Some(cursor) = cursor.and_then(RawValue::not_null) else {
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
    let mut steps = cursor.steps();
    while let Some(character) = steps.next() {
        let digit = character
            .checked_sub(u32::from(b'0'))
            .filter(|digit| *digit < 10)?;
        place = place.checked_mul(10)?.checked_add(usize::try_from(digit).ok()?)?;
        if place == 0 {
            return None;
        }
    }
    (place > 0).then_some(place)
}

/// Writes as many of the `length` entries as fit, each with `write`, from the place on that the request asks for, and the
/// cursor of the next one if some are left.
pub(super) fn write_list<H: Handler + ?Sized, P: Parts>(
    context: &Context<'_>,
    out: &mut Sink<'_>,
    tail: &Tail<'_, H, P>,
    name: &str,
    length: usize,
    write: impl Fn(usize, &mut Writer<'_, '_>),
) -> Written {
    let start = match start(context.params, length) {
        Ok(start) => start,
        Err(BadCursor::Unknown) => return refuse(out, context, ErrorCode::INVALID_PARAMS, "Invalid cursor"),
        Err(BadCursor::Repeated) => return invalid_params(out, context),
    };
    let mut page = Page::begin(context, out, tail, name, start, length);
    for place in start..length {
        let before = page.json.mark();
        write(place, &mut page.json);
        if !page.has_room(before) {
            break;
        }
    }
    let has_all = page.end();
    match has_all {
        true => Written::Yes,
        false => answer::too_large(out, &context.id),
    }
}

/// A list that is being written: all of it but the entries, whatever they are.
struct Page<'s, 'm, H: ?Sized, P> {
    json: Writer<'s, 'm>,
    tail: &'s Tail<'s, H, P>,
    /// Where the line starts.
    line: Mark,
    start: usize,
    next: usize,
    length: usize,
    /// Room that must be left after the very last entry, so that the list can end there.
    reserve: usize,
    /// Further room after any other entry, for the cursor of the next one.
    cursor_reserve: usize,
}

impl<'s, 'm, H: Handler + ?Sized, P: Parts> Page<'s, 'm, H, P> {
    fn begin(
        context: &Context<'_>,
        out: &'s mut Sink<'m>,
        tail: &'s Tail<'s, H, P>,
        name: &str,
        start: usize,
        length: usize,
    ) -> Self {
        let mut counting = Sink::counting();
        let mut json = Writer::new(&mut counting);
        json.end_array();
        tail.write(&mut json);
        let reserve = json.sink().len();
        write_cursor(&mut json, length);
        let cursor_reserve = json.sink().len().saturating_sub(reserve);

        let line = out.mark();
        let mut json = Writer::new(out);
        answer::begin(&mut json, &context.id, context.version);
        json.name(name).begin_array();
        Self {
            json,
            tail,
            line,
            start,
            next: start,
            length,
            reserve,
            cursor_reserve,
        }
    }

    /// Whether the entry that was written after `before` has room; if not, it is rolled back.
    fn has_room(&mut self, before: (Mark, bool)) -> bool {
        let next = self.next.saturating_add(1);
        let cursor_reserve = if next == self.length {
            0
        } else {
            self.cursor_reserve
        };
        if self.json.sink().remaining() < self.reserve.saturating_add(cursor_reserve) {
            self.json.rollback(before);
            return false;
        }
        self.next = next;
        true
    }

    /// Ends the line. False when there was no room for an entry, or for the line at all: then it is taken back.
    fn end(mut self) -> bool {
        let has_more = self.next < self.length;
        let is_empty = self.next == self.start && has_more;
        self.json.end_array();
        if has_more {
            write_cursor(&mut self.json, self.next);
        }
        self.tail.write(&mut self.json);
        let out = self.json.sink();
        if is_empty {
            out.rollback(self.line);
        }
        !is_empty && answer::is_whole(out, self.line)
    }
}

/// The cursor of the entry in this place.
fn write_cursor(json: &mut Writer<'_, '_>, place: usize) {
    let mut digits = Digits::new();
    let digits = digits.of(u64::try_from(place).unwrap_or(u64::MAX));
    json.name("nextCursor");
    json.plain_string(|sink| sink.write(digits));
}
