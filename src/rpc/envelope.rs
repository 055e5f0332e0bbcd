//! The outermost object of a frame: its members are noted while the text is judged.

use super::message::Span;
use super::name::Name;
use crate::json::{Error, ErrorKind, Scanner};

/// The members of the envelope, as they stand in the frame.
#[derive(Default)]
pub(super) struct Envelope {
    /// By [`Name`]; the first is that of some member that does not count.
    members: [Span; Name::COUNT],
    /// `jsonrpc` was seen to be `"2.0"`, without escapes.
    pub(super) has_usual_version: bool,
    /// A bit for each name that occurred twice.
    repeated: u8,
    /// Where the first name stands that occurred before.
    repeated_at: usize,
}

impl Envelope {
    #[inline(always)]
    pub(super) fn get(&self, name: Name) -> Span {
        self.members.get(name as usize).copied().unwrap_or_default()
    }

    pub(super) fn has(&self, name: Name) -> bool {
        self.get(name) != Span::NONE
    }

    /// Where the first name stands that occurred before, if one did.
    pub(super) fn repeated_at(&self) -> Option<usize> {
        (self.repeated != 0).then_some(self.repeated_at)
    }

    pub(super) fn is_repeated(&self, name: Name) -> bool {
        self.repeated >> (name as u8) & 1 == 1
    }

    /// Whether nothing but `name` occurred twice.
    pub(super) fn repeats_only(&self, name: Name) -> bool {
        self.repeated == 1 << (name as u8)
    }

    /// Takes the first member of each name; false for a second one.
    #[inline(always)]
    pub(super) fn note(&mut self, name: Name, value: Span) -> bool {
        match self.members.get_mut(name as usize) {
            Some(place) if *place == Span::NONE || name == Name::Unknown => *place = value,
            _ => return false,
        }
        true
    }

    fn note_second(&mut self, name: Name, name_at: usize) {
        if self.repeated == 0 {
            self.repeated_at = name_at;
        }
        self.repeated |= 1 << (name as u8);
    }

    /// Scans the object that starts here to the end of the text, and notes its members: up to the fault, if there is one.
    pub(super) fn scan(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        match self.members(scanner) {
            Ok(()) => scanner.end(),
            Err(kind) => Err(scanner.first_fault(kind)),
        }
    }

    /// All members, or those behind the ones that were noted in the usual way, which need not be judged again.
    fn members(&mut self, scanner: &mut Scanner<'_>) -> Result<(), ErrorKind> {
        let noted = self.end_of_last();
        // A small machine has one way only.
        let mut is_closed = if usize::BITS == 64 && noted > 0 {
            scanner.pass_valid(noted);
            closes(scanner)?
        } else {
            opens_and_closes(scanner)?
        };
        while !is_closed {
            self.member(scanner)?;
            is_closed = closes(scanner)?;
        }
        Ok(())
    }

    fn member(&mut self, scanner: &mut Scanner<'_>) -> Result<(), ErrorKind> {
        let name_at = scanner.position();
        scanner.name()?;
        let name = Name::of(scanner.since(name_at));
        scanner.colon()?;
        let start = scanner.position();
        let value = match scanner.peek() {
            // Most are strings, and have no levels.
            b'"' => scanner.string(),
            _ => scanner.value(1),
        };
        if !self.note(name, Span::new(start, scanner.position())) {
            self.note_second(name, name_at);
        }
        value
    }

    /// Where the last member ends; 0 where none is noted.
    fn end_of_last(&self) -> usize {
        self.members.iter().map(|value| value.end()).max().unwrap_or(0)
    }
}

/// The opening bracket; true if the closing one is next, which is passed too.
fn opens_and_closes(scanner: &mut Scanner<'_>) -> Result<bool, ErrorKind> {
    if scanner.max_depth() == 0 {
        return Err(ErrorKind::TooDeep);
    }
    scanner.advance(1);
    scanner.white_space();
    let is_closed = scanner.peek() == b'}';
    if is_closed {
        scanner.advance(1);
    }
    Ok(is_closed)
}

/// Behind a member: a comma, or the closing bracket, and then true.
fn closes(scanner: &mut Scanner<'_>) -> Result<bool, ErrorKind> {
    scanner.white_space();
    let next = scanner.peek();
    match next {
        b',' | b'}' => scanner.advance(1),
        _ => return Err(ErrorKind::UnexpectedByte),
    }
    if next == b',' {
        scanner.white_space();
    }
    Ok(next == b'}')
}
