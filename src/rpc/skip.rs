//! The id of a message that is not read as a whole: too long for the buffer, or nested too deep.
//!
//! The official clients write `id` last, behind long `params`. So past the limit a small machine reads on to the end of
//! the line: it follows strings, escapes and depth, compares the names of the outermost object, and keeps the token of
//! `id`. It judges no grammar: whether such a line is JSON stays unknown.

use core::ops::Range;
use core::slice::Iter;

use heapless::Vec;

use super::envelope::Envelope;
use super::name::{Name, Short};
use super::rejection::NOWHERE;
use super::{Reason, Rejection, Reply, RequestId};

/// Reads an over-long line in pieces, and then says what its sender is owed.
///
/// Constant memory: the token of the id is kept in `N` bytes, a longer one counts as unreadable. Linear in the length of
/// the line.
///
/// A line with `method` and `id` gets an error with that id (`null` if it is no valid one, or occurs twice); with
/// `method` alone, or with `result` or `error`, it gets none; anything else an error with `null`.
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
        Self {
            outline: Outline::new(),
            token: Vec::new(),
            token_is_cut: false,
        }
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
        for byte in piece {
            if self.outline.step(*byte) && self.token.push(*byte).is_err() {
                self.token_is_cut = true;
            }
        }
    }

    /// What the line was, its end reached: a rejection as [`Reason::TooLong`].
    pub fn finish(&self) -> Rejection<'_> {
        Rejection::new(Reason::TooLong, NOWHERE, self.outline.reply(self.token()))
    }

    /// The id of the line, also if that looks like a response (which a rejection never names, since it is never answered).
    /// `None` when there is none, when there are several, and when it does not fit `N` bytes.
    pub fn id(&self) -> Option<RequestId<'_>> {
        self.outline.id(self.token())
    }

    /// The id of a line without a `method`, its end reached: of the request that it may have been the response to. `None`
    /// where it has no valid one, or several.
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

/// What the sender of a frame is owed that is nested too deep at `place`, where `level` objects and arrays are open.
/// `envelope` has the members up to there, which are valid. Linear in what is left; the id borrows from the frame.
pub(super) fn reply_to<'a>(frame: &'a [u8], envelope: &Envelope, place: usize, level: u8) -> Reply<'a> {
    let mut outline = Outline::of(envelope, level);
    let id = envelope.get(Name::Id);
    let token = outline.read(frame, place, id.start()..id.end());
    outline.reply(token)
}

/// [`Skipper::response_id`] of a frame. Linear; the id borrows from the frame.
pub(crate) fn response_id(frame: &[u8]) -> Option<RequestId<'_>> {
    let mut outline = Outline::new();
    let token = outline.read(frame, 0, 0..0);
    outline.response_id(token)
}

/// What is known of the outermost object so far. Aligned as the envelope is: so one function clears both.
#[derive(Debug, Clone)]
#[repr(align(8))]
struct Outline {
    /// How many objects and arrays are open.
    level: u32,
    string: InString,
    /// Behind `\u`: the digits, behind a 1.
    unit: u32,
    /// What comes next in the outermost object.
    expected: Expected,
    /// The string that was read last, or is being read.
    short: Short,
    name: Name,
    /// The value that comes next or is being read belongs to `id`.
    at_id: bool,
    is_object: bool,
    has_method: bool,
    looks_like_response: bool,
    ids: Ids,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InString {
    No,
    Plain,
    Escape,
    /// Behind `\u`.
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
            name: Name::Unknown,
            at_id: false,
            is_object: false,
            has_method: false,
            looks_like_response: false,
            ids: Ids::None,
        }
    }

    /// In the first member whose value is too deep, at its bracket that is one too many. What is expected there is of no
    /// account: that counts in the outermost object only.
    fn of(envelope: &Envelope, level: u8) -> Self {
        let has = |name| envelope.has(name);
        Self {
            level: u32::from(level),
            is_object: true,
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
    fn read<'a>(&mut self, frame: &'a [u8], place: usize, token: Range<usize>) -> Option<&'a [u8]> {
        let mut token = token;
        let mut rest = frame.get(place..).unwrap_or_default().iter();
        loop {
            let at = frame.len().saturating_sub(rest.len());
            let Some(byte) = rest.next() else { break };
            let in_id = self.step(*byte);
            // A small machine has better use for the bytes of this.
            if usize::BITS == 64 {
                if self.string != InString::No {
                    self.pass_string(&mut rest);
                } else if self.level > 1 {
                    self.pass(&mut rest);
                }
            }
            if in_id {
                if token.is_empty() {
                    token.start = at;
                }
                token.end = frame.len().saturating_sub(rest.len());
            }
        }
        frame.get(token)
    }

    /// Reads one byte; true if it belongs to the value of `id`.
    fn step(&mut self, byte: u8) -> bool {
        // Inside of a member nothing but strings and brackets counts. A small machine has better use for the bytes of this.
        let counts = match self.string {
            InString::No => matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'),
            InString::Plain => matches!(byte, b'"' | b'\\'),
            _ => true,
        };
        if usize::BITS == 64 && self.level > 1 && !counts {
            return false;
        }
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
            b'"' => {
                self.string = InString::Plain;
                self.short = Short::EMPTY;
            }
            b'{' | b'[' => {
                self.is_object |= self.expected == Expected::Object && byte == b'{';
                if self.level == 0 {
                    self.expected = Expected::Name;
                }
                self.level = self.level.saturating_add(1);
            }
            b'}' | b']' => {
                self.level = self.level.saturating_sub(1);
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
            _ if self.level == 0 && self.expected == Expected::Object => {
                // Some other text: nothing in it counts.
                self.expected = Expected::Comma;
            }
            _ if self.level == 1 && self.expected == Expected::Value => self.expected = Expected::Rest,
            _ => {}
        }
        in_id
    }

    /// [`Outline::step`] for all bytes up to the end of an object or array in the outermost one.
    fn pass(&mut self, rest: &mut Iter<'_, u8>) {
        while let Some(byte) = rest.next() {
            match byte {
                b'"' => pass_string(rest, |_| {}),
                b'{' | b'[' => self.level = self.level.saturating_add(1),
                b'}' | b']' => {
                    self.level = self.level.saturating_sub(1);
                    if self.level <= 1 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// [`Outline::step_in_string`] for all bytes of a string of the outermost object, up to its end.
    fn pass_string(&mut self, rest: &mut Iter<'_, u8>) {
        let text = rest.as_slice();
        let plain = text.iter().position(|byte| matches!(byte, b'"' | b'\\'));
        if let Some((name, [b'"', behind @ ..])) = plain.and_then(|length| text.split_at_checked(length)) {
            self.name = Name::of_plain(name);
            *rest = behind.iter();
        } else {
            let mut short = Short::EMPTY;
            pass_string(rest, |byte| short.push(byte));
            self.name = short.name();
        }
        self.end_of_string();
        self.string = InString::No;
        if self.expected == Expected::Colon && rest.as_slice().first() == Some(&b':') {
            rest.next();
            self.colon();
        }
    }

    /// Whether the next byte that is no white space belongs to the value of `id`.
    fn is_in_id(&self) -> bool {
        self.at_id && self.level == 1 && matches!(self.expected, Expected::Value | Expected::Rest)
    }

    fn step_in_string(&mut self, byte: u8) -> bool {
        let in_id = self.is_in_id();
        let character = match (self.string, byte) {
            // Among digits: the text is not JSON, but the string ends.
            (InString::Plain | InString::Hex, b'"') => {
                self.string = InString::No;
                self.name = self.short.name();
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
        self.short.push(character);
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

    /// Behind a name of the outermost object.
    fn colon(&mut self) {
        self.expected = Expected::Value;
        self.at_id = false;
        if !self.is_object {
            return;
        }
        match self.name {
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

    /// What the sender is owed, `token` being the text of the id as far as it was kept.
    fn reply<'a>(&self, token: Option<&'a [u8]>) -> Reply<'a> {
        match (self.has_method, self.ids) {
            (true, Ids::None) => Reply::Nobody,
            (true, _) => self.id(token).map_or(Reply::Null, Reply::To),
            (false, _) if self.looks_like_response => Reply::Nobody,
            (false, _) => Reply::Null,
        }
    }

    fn id<'a>(&self, token: Option<&'a [u8]>) -> Option<RequestId<'a>> {
        token.filter(|_| self.ids == Ids::One).and_then(RequestId::parse)
    }

    fn response_id<'a>(&self, token: Option<&'a [u8]>) -> Option<RequestId<'a>> {
        self.id(token).filter(|_| !self.has_method)
    }
}

/// The rest of a string, as [`Outline::step_in_string`] reads it; `push` takes what it stands for.
#[inline(always)]
fn pass_string(rest: &mut Iter<'_, u8>, mut push: impl FnMut(u8)) {
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => return,
            b'\\' if rest.next() == Some(&b'u') => {
                let mut unit = 0;
                for digit in rest.by_ref().take(4) {
                    // Fewer of them, and the end of the string.
                    if *digit == b'"' {
                        return;
                    }
                    unit = (unit << 4) | hex_value(*digit);
                }
                push(u8::try_from(unit).unwrap_or(0xFF));
            }
            b'\\' => push(0xFF),
            byte => push(*byte),
        }
    }
}

fn hex_value(byte: u8) -> u32 {
    // A digit that is none makes a line that is no JSON; what it counts as does not matter.
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
            let token = outline.read(line.as_bytes(), 0, 0..0);
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
                        assert_eq!(
                            rejection.reply(),
                            skipper.finish().reply(),
                            "{frame} with {depth}"
                        );
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 50_000, "{seen}");
    }
}
