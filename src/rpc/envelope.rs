//! The outermost object of a frame: its members are noted while the text is judged.

use super::message::Span;
use crate::json::{Error, ErrorKind, JsonStr, Scanner};

/// The members of the envelope, as they stand in the frame.
#[derive(Default)]
pub(super) struct Envelope {
    pub(super) jsonrpc: Span,
    pub(super) id: Span,
    pub(super) method: Span,
    pub(super) params: Span,
    pub(super) result: Span,
    pub(super) error: Span,
    /// The names that occurred twice.
    pub(super) repeated: Names,
    /// Where the first name stands that occurred before.
    pub(super) repeated_at: u32,
}

/// A set of envelope members.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Names(u8);

impl Names {
    pub(super) const NONE: Self = Self(0);
    pub(super) const JSONRPC: Self = Self(1);
    pub(super) const ID: Self = Self(2);
    pub(super) const METHOD: Self = Self(4);
    pub(super) const PARAMS: Self = Self(8);
    pub(super) const RESULT: Self = Self(16);
    pub(super) const ERROR: Self = Self(32);

    pub(super) const fn contains(self, name: Self) -> bool {
        self.0 & name.0 != 0
    }
}

impl Envelope {
    pub(super) fn note(&mut self, name: Names, name_at: usize, value: Span) {
        let place = match name {
            Names::JSONRPC => &mut self.jsonrpc,
            Names::ID => &mut self.id,
            Names::METHOD => &mut self.method,
            Names::PARAMS => &mut self.params,
            Names::RESULT => &mut self.result,
            Names::ERROR => &mut self.error,
            _ => return,
        };
        if *place == Span::NONE {
            *place = value;
            return;
        }
        if self.repeated == Names::NONE {
            self.repeated_at = offset(name_at);
        }
        self.repeated.0 |= name.0;
    }
}

/// The frame was measured before: every place in it fits.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Scans the object that starts here to the end of the text, and notes its members.
pub(super) fn scan_envelope(scanner: &mut Scanner<'_>) -> Result<Envelope, Error> {
    let mut envelope = Envelope::default();
    match scan_members(scanner, &mut envelope) {
        Ok(()) => {
            scanner.end()?;
            Ok(envelope)
        }
        Err(error) => Err(scanner.first_fault(error)),
    }
}

fn scan_members(scanner: &mut Scanner<'_>, envelope: &mut Envelope) -> Result<(), Error> {
    if scanner.max_depth() == 0 {
        return Err(scanner.fault(ErrorKind::TooDeep));
    }
    scanner.advance(1);
    scanner.white_space();
    if scanner.peek() == b'}' {
        scanner.advance(1);
        return Ok(());
    }
    loop {
        let name_at = scanner.position();
        let name = any_name(scanner)?;
        let start = scanner.position();
        scanner.value(1)?;
        let value = Span {
            start: offset(start),
            end: offset(scanner.position()),
        };
        envelope.note(name, name_at, value);
        scanner.white_space();
        match scanner.peek() {
            b',' => {
                scanner.advance(1);
                scanner.white_space();
            }
            b'}' => {
                scanner.advance(1);
                return Ok(());
            }
            _ => return Err(scanner.fault(ErrorKind::UnexpectedByte)),
        }
    }
}

/// A name in any spelling. Moves to its value.
fn any_name(scanner: &mut Scanner<'_>) -> Result<Names, Error> {
    if scanner.peek() != b'"' {
        return Err(scanner.fault(ErrorKind::UnexpectedByte));
    }
    let name_at = scanner.position();
    scanner.string()?;
    let name = envelope_name(scanner.since(name_at));
    scanner.colon()?;
    Ok(name)
}

/// Which member of the envelope a name (with its quotes) is, after unescaping.
pub(super) fn envelope_name(quoted: &[u8]) -> Names {
    match quoted {
        br#""jsonrpc""# => Names::JSONRPC,
        br#""id""# => Names::ID,
        br#""method""# => Names::METHOD,
        br#""params""# => Names::PARAMS,
        br#""result""# => Names::RESULT,
        br#""error""# => Names::ERROR,
        [_, name @ .., _] if name.contains(&b'\\') => escaped_envelope_name(name),
        _ => Names::NONE,
    }
}

#[cold]
fn escaped_envelope_name(name: &[u8]) -> Names {
    let name = JsonStr::from_valid(name);
    let names = [
        ("jsonrpc", Names::JSONRPC),
        ("id", Names::ID),
        ("method", Names::METHOD),
        ("params", Names::PARAMS),
        ("result", Names::RESULT),
        ("error", Names::ERROR),
    ];
    names
        .iter()
        .find(|(known, _)| name == *known)
        .map_or(Names::NONE, |(_, name)| *name)
}
