//! The strict scanner: one pass, iterative, constant memory.
//!
//! What is open is a bit a level (1 for an object, 0 for an array), so nesting costs no stack. Strings go by runs of plain
//! bytes (`run`), in which bytes of 0x80 and above are noted: UTF-8 is judged once, over the whole text, and only if such a
//! byte was seen.
//!
//! All of it is `const`: a JSON literal in a `const` is checked by the compiler. It says what is wrong and where. The
//! faster ways to accept a text (`quick`, `fast`) leave that to this one, and are tested against it.

use core::str::Utf8Error;

use super::{Error, ErrorKind, run};
use crate::bytes::Reader;

/// How deep objects and arrays may nest, counted together; the outermost is 1.
pub const MAX_DEPTH: u8 = 128;

/// Checks that `text` is exactly one JSON text in UTF-8, white space around it allowed.
///
/// Time is linear in the length of `text`; memory is constant.
///
/// # Errors
/// The first fault in the order of the bytes: its kind and offset. [`ErrorKind::TooDeep`] is one, at the bracket that
/// opens level 129.
///
/// ```
/// use barewire::json::{ErrorKind, validate};
///
/// const CHECKED_BY_THE_COMPILER: () = assert!(validate(br#"{"type":"object"}"#).is_ok());
/// let fault = validate(b"[1, 02]").unwrap_err();
/// assert_eq!((fault.kind(), fault.offset()), (ErrorKind::InvalidNumber, 5));
/// ```
pub const fn validate(text: &[u8]) -> Result<(), Error> {
    let mut scanner = Scanner::new(text, MAX_DEPTH);
    scanner.white_space();
    if let Err(kind) = scanner.value(0) {
        return Err(scanner.first_fault(kind));
    }
    scanner.end()
}

/// [`validate`] for a text whose strings may have control characters and bytes that are not UTF-8. It does not say
/// where a fault is.
pub(crate) const fn validate_structure(text: &[u8]) -> Result<(), ErrorKind> {
    let mut scanner = Scanner::new(text, MAX_DEPTH);
    scanner.any_characters = true;
    scanner.white_space();
    if let Err(kind) = scanner.value(0) {
        return Err(kind);
    }
    scanner.white_space();
    match scanner.reader.is_at_end() {
        true => Ok(()),
        false => Err(ErrorKind::TrailingBytes),
    }
}

/// RFC 8259 section 2: `ws = *( %x20 / %x09 / %x0A / %x0D )`.
#[inline(always)]
pub(crate) const fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The state of one pass over a text.
#[derive(Debug, Clone)]
pub(crate) struct Scanner<'a> {
    reader: Reader<'a>,
    max_depth: u8,
    /// A byte of 0x80 or above may have been passed.
    non_ascii: bool,
    /// Control characters in strings pass too.
    any_characters: bool,
}

impl<'a> Scanner<'a> {
    pub(crate) const fn new(text: &'a [u8], max_depth: u8) -> Self {
        Self::over(Reader::new(text), max_depth)
    }

    /// From where `reader` stands.
    pub(super) const fn over(reader: Reader<'a>, max_depth: u8) -> Self {
        Self { reader, max_depth, non_ascii: false, any_characters: false }
    }

    pub(crate) const fn position(&self) -> usize {
        self.reader.position()
    }

    #[inline(always)]
    pub(crate) const fn peek(&self) -> u8 {
        self.reader.peek()
    }

    #[inline(always)]
    pub(crate) const fn advance(&mut self, by: usize) {
        self.reader.advance(by);
    }

    /// Goes on at `pos`; what stands before is valid, but for its UTF-8.
    pub(crate) const fn pass_valid(&mut self, pos: usize) {
        self.reader = Reader::at(self.reader.bytes(), pos);
        self.non_ascii = true;
    }

    pub(super) const fn reader(&self) -> Reader<'a> {
        self.reader
    }

    /// Whether a byte of 0x80 or above may have been passed.
    #[cfg(target_pointer_width = "64")]
    pub(super) const fn has_non_ascii(&self) -> bool {
        self.non_ascii
    }

    pub(crate) const fn max_depth(&self) -> u8 {
        self.max_depth
    }

    /// The bytes from `start` to here.
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        self.reader.bytes().get(start..self.reader.position()).unwrap_or_default()
    }

    #[inline]
    pub(crate) const fn white_space(&mut self) {
        while is_white_space(self.reader.peek()) {
            self.reader.advance(1);
        }
    }

    /// A comma, if one is next, and the white space around it.
    pub(super) const fn comma(&mut self) {
        self.white_space();
        if self.reader.peek() == b',' {
            self.reader.advance(1);
            self.white_space();
        }
    }

    /// The fault to report for a pass that stopped here because of `kind`: here, unless the text has ended, or bytes before are
    /// not UTF-8.
    #[cold]
    pub(crate) const fn first_fault(&self, kind: ErrorKind) -> Error {
        let (text, place) = (self.reader.bytes(), self.reader.position());
        if let Err(fault) = self.utf8_up_to(place) {
            Error::new(ErrorKind::InvalidUtf8, fault.valid_up_to())
        } else if self.reader.is_at_end() {
            Error::new(ErrorKind::UnexpectedEnd, text.len())
        } else {
            Error::new(kind, place)
        }
    }

    /// Whether the text before `place` is UTF-8; if `place` is not in the text, the whole text.
    const fn utf8_up_to(&self, place: usize) -> Result<(), Utf8Error> {
        if !self.non_ascii {
            return Ok(());
        }
        let text = self.reader.bytes();
        let before = match text.split_at_checked(place) {
            Some((before, _)) => before,
            None => text,
        };
        match core::str::from_utf8(before) {
            Ok(_) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// Behind the value: white space, the end, and UTF-8 all along.
    pub(crate) const fn end(&mut self) -> Result<(), Error> {
        self.white_space();
        if self.reader.is_at_end() && self.utf8_up_to(self.reader.position()).is_ok() {
            return Ok(());
        }
        Err(self.first_fault(ErrorKind::TrailingBytes))
    }

    /// Reads one value whose first byte is next, already `outside` levels deep, and moves past it.
    pub(crate) const fn value(&mut self, outside: u8) -> Result<(), ErrorKind> {
        let mut open = Open::new();
        let mut level: u8 = outside;
        // Whether a member comes next, or has ended; else an element, or the value itself.
        let mut in_object = false;
        loop {
            if in_object && let Err(kind) = self.name_and_colon() {
                return Err(kind);
            }
            // RFC 8259 section 3: value = false / null / true / object / array / number / string
            let first = self.reader.peek();
            match first {
                b'"' => {
                    if let Err(kind) = self.string() {
                        return Err(kind);
                    }
                }
                b'{' | b'[' => {
                    if level >= self.max_depth {
                        return Err(ErrorKind::TooDeep);
                    }
                    self.reader.advance(1);
                    self.white_space();
                    // In ASCII the closing bracket is two after the opening one.
                    if self.reader.peek() != first.wrapping_add(2) {
                        level = level.wrapping_add(1);
                        in_object = first == b'{';
                        open.set(level, in_object);
                        continue;
                    }
                    self.reader.advance(1);
                }
                b'-' | b'0'..=b'9' => {
                    if let Err(kind) = self.number() {
                        return Err(kind);
                    }
                }
                b't' | b'f' | b'n' => {
                    if let Err(kind) = self.literal() {
                        return Err(kind);
                    }
                }
                _ => return Err(ErrorKind::UnexpectedByte),
            }
            // A value has ended: close what ends with it, or go on to the next member or element.
            loop {
                if level == outside {
                    return Ok(());
                }
                self.white_space();
                let next = self.reader.peek();
                let closing = if in_object { b'}' } else { b']' };
                if next != b',' && next != closing {
                    return Err(ErrorKind::UnexpectedByte);
                }
                self.reader.advance(1);
                if next == b',' {
                    self.white_space();
                    break;
                }
                level = level.wrapping_sub(1);
                in_object = open.is_object(level);
            }
        }
    }

    /// RFC 8259 section 4: `member = string name-separator value`; this is the string.
    #[inline]
    pub(crate) const fn name(&mut self) -> Result<(), ErrorKind> {
        if self.reader.peek() != b'"' {
            return Err(ErrorKind::UnexpectedByte);
        }
        self.string()
    }

    /// The string of a member, and the separator.
    #[inline]
    const fn name_and_colon(&mut self) -> Result<(), ErrorKind> {
        if let Err(kind) = self.name() {
            return Err(kind);
        }
        self.colon()
    }

    /// The `name-separator` and the white space around it.
    #[inline]
    pub(crate) const fn colon(&mut self) -> Result<(), ErrorKind> {
        self.white_space();
        if self.reader.peek() != b':' {
            return Err(ErrorKind::UnexpectedByte);
        }
        self.reader.advance(1);
        self.white_space();
        Ok(())
    }

    /// RFC 8259 section 7: `string = quotation-mark *char quotation-mark`, its opening quote next.
    #[cfg_attr(target_pointer_width = "64", inline(always))]
    pub(crate) const fn string(&mut self) -> Result<(), ErrorKind> {
        self.reader.advance(1);
        loop {
            self.plain_run();
            match self.reader.peek() {
                b'"' => {
                    self.reader.advance(1);
                    return Ok(());
                }
                b'\\' => {
                    if let Err(kind) = self.escape() {
                        return Err(kind);
                    }
                }
                byte => {
                    if byte < b' ' && (!self.any_characters || self.reader.is_at_end()) {
                        return Err(ErrorKind::ControlCharacter);
                    }
                    self.non_ascii |= byte >= 0x80;
                    self.reader.advance(1);
                }
            }
        }
    }

    #[inline]
    const fn plain_run(&mut self) {
        let (reader, seen) = run::pass(self.reader);
        self.reader = reader;
        self.non_ascii |= seen != 0;
    }

    /// RFC 8259 section 7: `char = unescaped / escape ( %x22 / %x5C / %x2F / %x62 / %x66 / %x6E / %x72 / %x74 /
    /// %x75 4HEXDIG )`, its backslash next. The fault is at the byte that makes it none of these.
    const fn escape(&mut self) -> Result<(), ErrorKind> {
        self.reader.advance(1);
        match self.reader.peek() {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.reader.advance(1),
            b'u' => {
                self.reader.advance(1);
                let mut digits = 0u8;
                while digits < 4 {
                    if !self.reader.peek().is_ascii_hexdigit() {
                        return Err(ErrorKind::InvalidEscape);
                    }
                    self.reader.advance(1);
                    digits = digits.saturating_add(1);
                }
            }
            _ => return Err(ErrorKind::InvalidEscape),
        }
        Ok(())
    }

    /// RFC 8259 section 6: `number = [ minus ] int [ frac ] [ exp ]`, its first byte next.
    #[inline]
    const fn number(&mut self) -> Result<(), ErrorKind> {
        if self.reader.peek() == b'-' {
            self.reader.advance(1);
        }
        // int = zero / ( digit1-9 *DIGIT )
        match self.reader.peek() {
            b'0' => {
                self.reader.advance(1);
                if self.reader.peek().is_ascii_digit() {
                    return Err(ErrorKind::InvalidNumber);
                }
            }
            b'1'..=b'9' => self.digits(),
            _ => return Err(ErrorKind::InvalidNumber),
        }
        // What ends most numbers, a comma or white space, is below all that may follow.
        if self.reader.peek() < b'.' {
            return Ok(());
        }
        // frac = decimal-point 1*DIGIT
        if self.reader.peek() == b'.' {
            self.reader.advance(1);
            if !self.reader.peek().is_ascii_digit() {
                return Err(ErrorKind::InvalidNumber);
            }
            self.digits();
        }
        // exp = e [ minus / plus ] 1*DIGIT
        if matches!(self.reader.peek(), b'e' | b'E') {
            self.reader.advance(1);
            if matches!(self.reader.peek(), b'+' | b'-') {
                self.reader.advance(1);
            }
            if !self.reader.peek().is_ascii_digit() {
                return Err(ErrorKind::InvalidNumber);
            }
            self.digits();
        }
        Ok(())
    }

    #[inline]
    const fn digits(&mut self) {
        while self.reader.peek().is_ascii_digit() {
            self.reader.advance(1);
        }
    }

    /// `true`, `false` or `null`, its first byte next.
    #[inline]
    const fn literal(&mut self) -> Result<(), ErrorKind> {
        let mut rest: &[u8] = match self.reader.peek() {
            b't' => b"true",
            b'f' => b"false",
            _ => b"null",
        };
        while let Some((byte, others)) = rest.split_first() {
            if self.reader.peek() != *byte {
                return Err(ErrorKind::InvalidLiteral);
            }
            self.reader.advance(1);
            rest = others;
        }
        Ok(())
    }
}

/// What is open: for each level a bit, 1 for an object and 0 for an array. Bytes, since a small machine shifts a `u128`
/// in many steps.
struct Open {
    bits: [u8; 16],
}

impl Open {
    const fn new() -> Self {
        Self { bits: [0; 16] }
    }

    /// Level 128 takes the place of level 0, which is none.
    const fn place(level: u8) -> (usize, u8) {
        ((level >> 3) as usize & 15, 1 << (level & 7))
    }

    #[allow(clippy::indexing_slicing, reason = "the place is below 16")]
    const fn set(&mut self, level: u8, is_object: bool) {
        let (byte, bit) = Self::place(level);
        if is_object {
            self.bits[byte] |= bit;
        } else {
            self.bits[byte] &= !bit;
        }
    }

    #[allow(clippy::indexing_slicing, reason = "the place is below 16")]
    const fn is_object(&self, level: u8) -> bool {
        let (byte, bit) = Self::place(level);
        self.bits[byte] & bit != 0
    }
}
