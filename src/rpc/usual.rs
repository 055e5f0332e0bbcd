//! The envelope as nearly everybody writes it, read fast.
//!
//! Names are compared as words, before anything is scanned; only what is usual is known here. Where something is not (an
//! escape in a name, a number with a fraction, a fault), nothing is said, and the frame is scanned from its start in the
//! general way: that one decides, and knows what is wrong and where.

use super::envelope::{Envelope, Names, envelope_name, offset};
use super::message::Span;
use crate::json::Quick;

/// The members and the start of the outermost object, if the whole frame is valid and usual.
#[inline]
pub(super) fn envelope(frame: &[u8], max_depth: u8) -> Option<(Envelope, usize)> {
    let room = max_depth.checked_sub(1)?;
    let mut quick = Quick::new(frame);
    quick.white_space();
    let start = quick.position();
    quick.byte(b'{')?;
    let mut envelope = Envelope::default();
    loop {
        quick.white_space();
        let name_at = quick.position();
        let name = name(&mut quick)?;
        let value_at = quick.position();
        quick.value(room)?;
        let value = Span {
            start: offset(value_at),
            end: offset(quick.position()),
        };
        envelope.note(name, name_at, value);
        quick.white_space();
        match quick.peek() {
            b',' => quick.advance(1),
            b'}' => break,
            _ => return None,
        }
    }
    quick.advance(1);
    quick.end()?;
    Some((envelope, start))
}

/// A name, its colon and the white space behind it.
#[inline(always)]
fn name(quick: &mut Quick<'_>) -> Option<Names> {
    const JSONRPC: u64 = u64::from_le_bytes(*b"\"jsonrpc");
    const METHOD: u64 = u64::from_le_bytes(*b"\"method\"");
    const PARAMS: u64 = u64::from_le_bytes(*b"\"params\"");
    const RESULT: u64 = u64::from_le_bytes(*b"\"result\"");
    const ERROR: u64 = u64::from_le_bytes(*b"\"error\":");
    const ID: u64 = u64::from_le_bytes(*b"\"id\":\0\0\0");
    const FIVE_BYTES: u64 = (1 << 40) - 1;
    let (name, length) = match quick.word()? {
        METHOD => (Names::METHOD, 8usize),
        JSONRPC => (Names::JSONRPC, 9),
        PARAMS => (Names::PARAMS, 8),
        RESULT => (Names::RESULT, 8),
        ERROR => (Names::ERROR, 7),
        word if word & FIVE_BYTES == ID => (Names::ID, 4),
        _ => {
            let start = quick.position();
            quick.plain_string()?;
            let name = envelope_name(quick.since(start));
            quick.white_space();
            quick.byte(b':')?;
            quick.white_space();
            return Some(name);
        }
    };
    // The quote of the longest name is not yet compared.
    quick.advance(length.wrapping_sub(1));
    quick.byte(b'"')?;
    if quick.peek() != b':' {
        quick.white_space();
    }
    quick.byte(b':')?;
    quick.white_space();
    Some(name)
}
