//! The id of a message that is not read as a whole: too long for the buffer, or nested too deep.
//!
//! The official clients write `id` last, after long `params`. So past the limit a small machine reads on to the end of
//! the line: it follows strings, escapes and depth, compares the names of the outermost object, and keeps the token of
//! `id`. It does not check the grammar, so whether such a line is JSON stays unknown. The search ends with the
//! outermost value. Anything after it belongs to another message, and a line with anything but white space there has no
//! id.

use core::ops::Range;

use heapless::Vec;

use super::envelope::Envelope;
use super::name::{Name, Short};
use super::rejection::NOWHERE;
use super::{Reason, Rejection, Reply, RequestId};
use crate::json::{ErrorKind, validate_structure};

/// Whether bytes without effect are skipped in runs; a small machine saves the flash. The result is the same: a run
/// ends before the first byte that [`Outline::step`] acts on.
const BY_RUNS: bool = usize::BITS == 64;

/// Reads an over-long line in pieces, and then says whether and how it is answered.
///
/// Constant memory: the token of the id is kept in `N` bytes, a longer one counts as unreadable. Linear in the length of
/// the line.
///
/// A line with `method` and `id` gets an error with that id (`null` if it is not a valid one, or occurs twice); with
/// `method` alone, or with `result` or `error`, it gets none; anything else gets an error with `null`. So does a line
/// with anything but white space after its outermost value, unless that value looks like a response.
///
/// ```
/// use barewire::rpc::{Reply, RequestId, Skipper};
///
/// let mut skipper = Skipper::<16>::new();
/// skipper.feed(br#"{"jsonrpc":"2.0","method":"tools/call","params":{"text":"aaaaaaa"#);
/// skipper.feed(br#"aaaaaaaa"},"id":7}"#);
/// assert_eq!(skipper.finish().reply(), Reply::To(RequestId::from(7)));
/// ```
#[derive(Debug, Clone)]
pub struct Skipper<const N: usize> {
    outline: Outline,
    token: Vec<u8, N>,
    token_is_cut: bool,
}

impl<const N: usize> Default for Skipper<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Skipper<N> {
    /// Before the first byte of a line.
    pub const fn new() -> Self {
        Self { outline: Outline::new(), token: Vec::new(), token_is_cut: false }
    }

    /// Forgets the line.
    pub fn reset(&mut self) {
        // Part by part: no block copy for the room of the token.
        self.outline = Outline::new();
        self.token.clear();
        self.token_is_cut = false;
    }

    /// Reads the next piece of the line.
    pub fn feed(&mut self, piece: &[u8]) {
        self.feed_by::<BY_RUNS>(piece);
    }

    pub(super) fn feed_by<const RUNS: bool>(&mut self, piece: &[u8]) {
        self.outline.feed::<RUNS>(piece, |_, byte| {
            self.token_is_cut |= self.token.push(byte).is_err();
        });
    }

    /// The verdict on the line, once its end is reached: a rejection as [`Reason::TooLong`].
    pub fn finish(&self) -> Rejection<'_> {
        Rejection::new(Reason::TooLong, NOWHERE, self.outline.reply(self.token()))
    }

    /// The id of the line, also if that looks like a response (which a rejection never names, since it is never answered).
    /// `None` when there is no id or more than one, when it does not fit `N` bytes, or when anything but white space
    /// follows the outermost value.
    pub fn id(&self) -> Option<RequestId<'_>> {
        self.outline.id(self.token())
    }

    /// The id of a line without a `method`, its end reached: of the request that it may have been the response to. `None`
    /// where it has no valid one, or several, or anything but white space after its outermost value.
    ///
    /// ```
    /// use barewire::rpc::{RequestId, Skipper};
    ///
    /// let mut skipper = Skipper::<16>::new();
    /// skipper.feed(br#"{"jsonrpc":"2.0","result":{"text":"aaaaaaaaaaaaaaa"#);
    /// skipper.feed(br#"aaaaaaaa"},"id":7}"#);
    /// assert_eq!(skipper.response_id(), Some(RequestId::from(7)));
    /// ```
    pub fn response_id(&self) -> Option<RequestId<'_>> {
        self.outline.response_id(self.token())
    }

    fn token(&self) -> Option<&[u8]> {
        (!self.token_is_cut).then_some(self.token.as_slice())
    }
}

/// Whether and how a frame is answered that is nested too deep at `place`, where `level` objects and arrays are open.
/// `envelope` has the members up to there, which are valid. Linear in the rest of the frame; the id borrows from it.
pub(super) fn reply_to<'a>(frame: &'a [u8], envelope: &Envelope, place: usize, level: u8) -> Reply<'a> {
    reply_by::<BY_RUNS>(frame, envelope, place, level)
}

pub(super) fn reply_by<'a, const RUNS: bool>(
    frame: &'a [u8],
    envelope: &Envelope,
    place: usize,
    level: u8,
) -> Reply<'a> {
    let mut outline = Outline::of(envelope, level);
    let id = envelope.get(Name::Id);
    let token = outline.read::<RUNS>(frame, place, id.start()..id.end());
    outline.reply(token)
}

/// The id of the request to which an invalid frame without a `method` may be the response. A frame that is not JSON has
/// one only if just its depth or characters in its strings are at fault, and if it looks like a response. Linear; the
/// id borrows from the frame.
pub(crate) fn rejected_response_id(frame: &[u8], is_json: bool) -> Option<RequestId<'_>> {
    response_id_by::<BY_RUNS>(frame, is_json)
}

/// [`Skipper::response_id`] of a frame that is JSON, or too deep. Linear; the id borrows from the frame.
pub(crate) fn response_id(frame: &[u8]) -> Option<RequestId<'_>> {
    rejected_response_id(frame, true)
}

pub(super) fn response_id_by<const RUNS: bool>(frame: &[u8], is_json: bool) -> Option<RequestId<'_>> {
    let mut outline = Outline::new();
    let token = outline.read::<RUNS>(frame, 0, 0..0);
    let is_response = is_json || outline.looks_like_response && has_only_faulty_characters(frame);
    outline.response_id(token).filter(|_| is_response)
}

fn has_only_faulty_characters(frame: &[u8]) -> bool {
    matches!(validate_structure(frame), Ok(()) | Err(ErrorKind::TooDeep))
}

/// The parts of the outermost object seen so far. Aligned like the envelope, so that one function clears both.
#[derive(Debug, Clone)]
#[repr(align(8))]
struct Outline {
    /// Number of open objects and arrays.
    level: u32,
    string: InString,
    /// After `\u`: the digits, after a 1.
    unit: u32,
    /// The part of the outermost object that comes next.
    expected: Expected,
    /// The current or last name in the outermost object.
    short: Short,
    /// The value that comes next or is being read belongs to `id`.
    at_id: bool,
    has_method: bool,
    looks_like_response: bool,
    /// Something follows the outermost value.
    has_more: bool,
    ids: Ids,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InString {
    No,
    Plain,
    Escape,
    /// After `\u`.
    Hex,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// The outermost `{`.
    Object,
    Name,
    Colon,
    Value,
    /// The rest of a number or a literal.
    Rest,
    /// A comma, or the end.
    Comma,
    /// White space to the end of the line.
    End,
    /// The line does not continue as JSON: nothing in it counts any more.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ids {
    None,
    One,
    Several,
}

impl Outline {
    const fn new() -> Self {
        Self {
            level: 0,
            string: InString::No,
            unit: 0,
            expected: Expected::Object,
            short: Short::EMPTY,
            at_id: false,
            has_method: false,
            looks_like_response: false,
            has_more: false,
            ids: Ids::None,
        }
    }

    /// Starts in the first member whose value is too deep, at its first bracket beyond the limit.
    fn of(envelope: &Envelope, level: u8) -> Self {
        let has = |name| envelope.has(name);
        Self {
            level: u32::from(level),
            expected: match level {
                0 => Expected::Object,
                _ => Expected::Value,
            },
            has_method: has(Name::Method),
            looks_like_response: has(Name::Result) || has(Name::Error),
            ids: match has(Name::Id) {
                true if envelope.is_repeated(Name::Id) => Ids::Several,
                true => Ids::One,
                false => Ids::None,
            },
            ..Self::new()
        }
    }

    /// The rest of a frame, from `place` on. Returns the value of `id`, of which `token` was read before.
    fn read<'a, const RUNS: bool>(
        &mut self,
        frame: &'a [u8],
        place: usize,
        token: Range<usize>,
    ) -> Option<&'a [u8]> {
        let mut token = token;
        self.feed::<RUNS>(frame.get(place..).unwrap_or_default(), |at, _| {
            let at = place.saturating_add(at);
            if token.is_empty() {
                token.start = at;
            }
            token.end = at.saturating_add(1);
        });
        frame.get(token)
    }

    /// Reads a piece; `in_id` takes the place and the value of each byte of the value of `id`.
    #[inline(always)]
    fn feed<const RUNS: bool>(&mut self, piece: &[u8], mut in_id: impl FnMut(usize, u8)) {
        let mut rest = piece;
        loop {
            if RUNS {
                rest = rest.get(self.run(rest)..).unwrap_or_default();
            }
            let Some((byte, behind)) = rest.split_first() else {
                return;
            };
            let at = piece.len().saturating_sub(rest.len());
            if self.step(*byte) {
                in_id(at, *byte);
            }
            rest = behind;
        }
    }

    /// Number of bytes at the start of `rest` that [`step`](Outline::step) would pass without effect.
    fn run(&self, rest: &[u8]) -> usize {
        let end = match self.string {
            InString::Plain if !self.is_in_name() && !self.is_in_id() => {
                rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))
            }
            InString::No if self.level > 1 => {
                let counts = |byte: &u8| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']');
                rest.iter().position(counts)
            }
            InString::No if self.expected == Expected::Nothing => None,
            _ => Some(0),
        };
        end.unwrap_or(rest.len())
    }

    /// Reads one byte; true if it belongs to the value of `id`.
    fn step(&mut self, byte: u8) -> bool {
        if self.string != InString::No {
            return self.step_in_string(byte);
        }
        let in_id = self.is_in_id();
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {
                // What follows is not JSON, and no part of the token.
                if self.expected == Expected::Rest && self.level == 1 {
                    self.expected = Expected::Comma;
                }
                return false;
            }
            _ if self.level == 0 => {
                self.step_outside(byte);
                return false;
            }
            b'"' => {
                self.string = InString::Plain;
                if self.is_in_name() {
                    self.short = Short::EMPTY;
                }
            }
            b'{' | b'[' => self.level = self.level.saturating_add(1),
            b'}' | b']' => {
                self.level = self.level.saturating_sub(1);
                if self.level == 0 {
                    self.expected = Expected::End;
                }
                return false;
            }
            b':' if self.level == 1 && self.expected == Expected::Colon => {
                self.colon();
                return false;
            }
            b',' if self.level == 1 => {
                self.expected = Expected::Name;
                return false;
            }
            _ if self.level == 1 && self.expected == Expected::Value => self.expected = Expected::Rest,
            _ => {}
        }
        in_id
    }

    /// A byte before or after the outermost object.
    fn step_outside(&mut self, byte: u8) {
        if self.expected == Expected::Object && byte == b'{' {
            self.level = 1;
            self.expected = Expected::Name;
        } else {
            self.has_more |= self.expected == Expected::End;
            self.expected = Expected::Nothing;
        }
    }

    /// Whether a string that begins or goes on here is a name of the outermost object.
    fn is_in_name(&self) -> bool {
        self.level == 1 && self.expected == Expected::Name
    }

    /// Whether the next byte that is not white space belongs to the value of `id`.
    fn is_in_id(&self) -> bool {
        self.at_id && self.level == 1 && matches!(self.expected, Expected::Value | Expected::Rest)
    }

    fn step_in_string(&mut self, byte: u8) -> bool {
        let in_id = self.is_in_id();
        let character = match (self.string, byte) {
            // Among digits: the text is not JSON, but the string ends.
            (InString::Plain | InString::Hex, b'"') => {
                self.string = InString::No;
                self.end_of_string();
                return in_id;
            }
            (InString::Plain, b'\\') => {
                self.string = InString::Escape;
                return in_id;
            }
            (InString::Escape, b'u') => {
                self.string = InString::Hex;
                self.unit = 1;
                return in_id;
            }
            (InString::Hex, _) => {
                self.unit = (self.unit << 4) | hex_value(byte);
                if self.unit <= 0xFFFF {
                    return in_id;
                }
                // No name of the envelope has a character outside ASCII.
                u8::try_from(self.unit & 0xFFFF).unwrap_or(0xFF)
            }
            // Of the short escapes only `\/`, `\"` and `\\` stand for a printable character; no name has one.
            (InString::Escape, _) => 0xFF,
            _ => byte,
        };
        self.string = InString::Plain;
        if self.is_in_name() {
            self.short.push(character);
        }
        in_id
    }

    fn end_of_string(&mut self) {
        if self.level == 1 {
            match self.expected {
                Expected::Name => self.expected = Expected::Colon,
                Expected::Value => self.expected = Expected::Comma,
                _ => {}
            }
        }
    }

    /// Handles the token after a name of the outermost object.
    fn colon(&mut self) {
        self.expected = Expected::Value;
        self.at_id = false;
        match self.short.name() {
            Name::Id => {
                self.at_id = true;
                self.ids = match self.ids {
                    Ids::None => Ids::One,
                    _ => Ids::Several,
                };
            }
            Name::Method => self.has_method = true,
            Name::Result | Name::Error => self.looks_like_response = true,
            _ => {}
        }
    }

    /// The verdict on the line; `token` is the text of the id as far as it was kept.
    fn reply<'a>(&self, token: Option<&'a [u8]>) -> Reply<'a> {
        match (self.has_method, self.ids) {
            (false, _) if self.looks_like_response => Reply::Nobody,
            (true, Ids::None) if !self.has_more => Reply::Nobody,
            (true, _) => self.id(token).map_or(Reply::Null, Reply::To),
            (false, _) => Reply::Null,
        }
    }

    fn id<'a>(&self, token: Option<&'a [u8]>) -> Option<RequestId<'a>> {
        token.filter(|_| self.ids == Ids::One && !self.has_more).and_then(RequestId::parse)
    }

    fn response_id<'a>(&self, token: Option<&'a [u8]>) -> Option<RequestId<'a>> {
        self.id(token).filter(|_| !self.has_method)
    }
}

fn hex_value(byte: u8) -> u32 {
    // An invalid digit makes the line invalid JSON; its value does not matter.
    char::from(byte).to_digit(16).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::rpc::{Rules, classify_with};
    use std::string::{String, ToString};

    fn reply(skipper: &Skipper<16>) -> String {
        match skipper.finish().reply() {
            Reply::Nobody => "nobody".to_string(),
            Reply::Null => "null".to_string(),
            Reply::To(id) => id.to_string(),
        }
    }

    const CASES: &[(&str, &str)] = &[
        (r#"{"id":1,"method":"x"}"#, "1"),
        (r#"{"method":"x","id":"a\u0062\"}"}"#, r#""a\u0062\"}""#),
        (r#" { "\u0069\u0064" : -12 , "m\u0065thod" : "x" } "#, "-12"),
        (r#"{"method":"x","params":{"id":2},"id":1}"#, "1"),
        (r#"{"method":"x","params":{"id":2}}"#, "nobody"),
        (r#"{"method":"x","params":[{"id":2,"a":"]"}],"id":3}"#, "3"),
        (r#"{"params":"\"id\":4,","method":"x","id":5}"#, "5"),
        (r#"{"id":1,"result":{}}"#, "nobody"),
        (r#"{"id":1,"error":{}}"#, "nobody"),
        (r#"{"result":{"method":"x"}}"#, "nobody"),
        (r#"{"id":1,"method":"x","result":{}}"#, "1"),
        (r#"{"id":1,"id":2,"method":"x"}"#, "null"),
        (r#"{"id":null,"method":"x"}"#, "null"),
        (r#"{"id":1.5,"method":"x"}"#, "null"),
        (r#"{"id":[1],"method":"x"}"#, "null"),
        (r#"{"id":{"a":1},"method":"x"}"#, "null"),
        (r#"{"id":true,"method":"x"}"#, "null"),
        (r#"{"id":12345678901234567,"method":"x"}"#, "null"),
        (r#"{"id":1234567890123456,"method":"x"}"#, "1234567890123456"),
        (r#"{"id":1}"#, "null"),
        (r#"[{"id":1,"method":"x"}]"#, "null"),
        (r#"["id",{"id":1},"method"]"#, "null"),
        (r#""{\"id\":1,\"method\":2}""#, "null"),
        (r#"garbage {"id":1,"method":"x"}"#, "null"),
        (r#"{"methods":1,"id":1}"#, "null"),
        (r#"{"method":"x","ID":1}"#, "nobody"),
        (r#"{"method\/":"x","id":1}"#, "null"),
        (r#"{"me\thod":"x","id":1}"#, "null"),
        (r#"{"id":1,"\result":{}}"#, "null"),
        (r#"{"method":"x","id":1 2}"#, "1"),
        (r#"{"method":"x","id":1 234}"#, "1"),
        (r#"{"method":"x","id":"a" 2}"#, r#""a""#),
        // A value is no name, whatever follows.
        (r#"{"a":"id":7,"method":"x"}"#, "nobody"),
        (r#"{"id":7,"a":"method":"x"}"#, "null"),
        (r#"{"method":"x","id": 1 ,"a":2}"#, "1"),
        (r#"{"method":"x","p":"\u","id":9}"#, "9"),
        (r#"{"method":"x","p":["\u","\u1","\\","\u005b]\"]"],"id":9}"#, "9"),
        (r#"{"method":"x","p":{"\u12\":"]"},"id":9}"#, "9"),
        (r#"{"method":"x","p":[[["\"]"]]],"q":[{"id":[}]],"id":9}"#, "9"),
        (r#"{"method":"x","p":["\"#, "nobody"),
        (r#"{"method":"x","p":["\u12"#, "nobody"),
        ("", "null"),
    ];

    #[test]
    fn a_line_in_any_pieces_is_owed_the_same() {
        for (line, expected) in CASES {
            for size in 1..=line.len().max(1) {
                let mut skipper = Skipper::<16>::new();
                for piece in line.as_bytes().chunks(size) {
                    skipper.feed(piece);
                }
                assert_eq!(reply(&skipper), *expected, "{line} in pieces of {size}");
            }
        }
    }

    #[test]
    fn a_line_has_its_id_whatever_it_looks_like() {
        let rows = [
            (r#"{"id":1,"result":{"id":2}}"#, Some(RequestId::from(1))),
            (r#"{"error":{"code":1},"id":"a"}"#, Some(RequestId::from("a"))),
            (r#"{"method":"x","id":3}"#, Some(RequestId::from(3))),
            (r#"{"method":"x"}"#, None),
            (r#"{"id":1,"id":1,"result":{}}"#, None),
            (r#"{"id":null,"result":{}}"#, None),
            (r#"{"id":12345678901234567,"result":{}}"#, None),
        ];
        for (line, expected) in rows {
            let mut skipper = Skipper::<16>::new();
            skipper.feed(line.as_bytes());
            assert_eq!(skipper.id(), expected, "{line}");
        }
    }

    #[test]
    fn the_id_of_a_response_is_found_where_there_is_no_method() {
        let cases = [
            (r#"{"id":1,"result":{}}"#, Some("1")),
            (r#"{"result":{"id":2},"\u0069d" : "a" }"#, Some("\"a\"")),
            (r#"{"error":{"code":1},"id":-3}"#, Some("-3")),
            (r#"{"id":4}"#, Some("4")),
            (r#"{"id":1,"method":"x"}"#, None),
            (r#"{"id":1,"result":{},"method":2}"#, None),
            (r#"{"id":1,"result":{},"id":1}"#, None),
            (r#"{"id":null,"error":{}}"#, None),
            (r#"{"id":1.5,"result":{}}"#, None),
            (r#"[{"id":1,"result":{}}]"#, None),
            (r#"{"id":12345678901234567,"result":{}}"#, None),
            ("", None),
        ];
        for (line, expected) in cases {
            let expected = expected.and_then(|id| RequestId::parse(id.as_bytes()));
            for size in 1..=line.len().max(1) {
                let mut skipper = Skipper::<16>::new();
                for piece in line.as_bytes().chunks(size) {
                    skipper.feed(piece);
                }
                assert_eq!(skipper.response_id(), expected, "{line} in pieces of {size}");
            }
            if !line.contains("12345678901234567") {
                assert_eq!(response_id(line.as_bytes()), expected, "{line}");
            }
        }
    }

    #[test]
    fn a_frame_is_owed_the_same_with_its_id_borrowed() {
        for (line, expected) in CASES {
            let mut outline = Outline::new();
            let token = outline.read::<BY_RUNS>(line.as_bytes(), 0, 0..0);
            let found = match outline.reply(token) {
                Reply::Nobody => "nobody".to_string(),
                Reply::Null => "null".to_string(),
                Reply::To(id) => id.to_string(),
            };
            // In a frame an id of any length is kept.
            if !line.contains("12345678901234567,") {
                assert_eq!(found, *expected, "{line}");
            }
        }
    }

    /// What stands before the bracket that is too deep was read by the classifier, what follows here.
    #[test]
    fn a_frame_that_is_too_deep_is_owed_what_its_pieces_are() {
        let members = [
            r#""id":[[1]]"#,
            r#""id":"\u0061\"b""#,
            r#""i\u0064" : -7"#,
            r#""method":{"a":[{}]}"#,
            r#""m\u0065thod":"x" "#,
            r#""params":{"id":3,"method":[[["]"]]]}"#,
            r#""result":{"id":[{}]}"#,
            r#""error":[]"#,
            r#""identity\"":"id""#,
            r#""x":[[{"\\":"]}"}]]"#,
        ];
        let mut seen = 0;
        for sequence in 0..members.len().pow(4) {
            let digits = [1, 10, 100, 1000].map(|unit| members[sequence / unit % 10]);
            let frame = std::format!("{{{}}}", digits.join(","));
            // Cut in two places too: what follows may be anything.
            for frame in [&frame[..], &frame[..frame.len() - 2], &frame[..frame.len() - 7]] {
                for depth in 0..4 {
                    let rules = Rules::STRICT.with_max_depth(depth);
                    let Err(rejection) = classify_with(frame.as_bytes(), &rules) else {
                        continue;
                    };
                    if rejection.reason() == Reason::TooDeep {
                        let mut skipper = Skipper::<64>::new();
                        skipper.feed(frame.as_bytes());
                        assert_eq!(rejection.reply(), skipper.finish().reply(), "{frame} with {depth}");
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 50_000, "{seen}");
    }
}
