//! The envelope as nearly everybody writes it, read fast.
//!
//! Names are compared as words, before anything is scanned; only what is usual is known here. Where something is not (an
//! escape in a name, a number with a fraction, a fault), nothing is said, and the frame is scanned in the general way from
//! behind the last member that was noted: that one decides, and knows what is wrong and where.

use super::envelope::Envelope;
use super::message::Span;
use super::name::Name;
use crate::json::Quick;

/// Notes the members, and returns where the outermost object starts, if the whole frame is valid and usual.
#[inline(always)]
pub(super) fn scan(frame: &[u8], max_depth: u8, envelope: &mut Envelope) -> Option<usize> {
    let room = max_depth.checked_sub(1)?;
    let mut quick = Quick::new(frame);
    quick.white_space();
    let start = quick.position();
    quick.byte(b'{')?;
    loop {
        let name = name(&mut quick)?;
        if quick.peek() <= b' ' {
            quick.white_space();
        }
        let value_at = quick.position();
        if name == Name::Jsonrpc && quick.word()? & FIVE_BYTES == VERSION {
            quick.pass(5)?;
            envelope.has_usual_version = true;
        } else {
            quick.value(room)?;
        }
        envelope.note(name, Span::new(value_at, quick.position())).then_some(())?;
        match quick.peek() {
            b',' => quick.pass(1)?,
            b'}' => break,
            _ => {
                quick.white_space();
                match quick.peek() {
                    b',' => quick.pass(1)?,
                    b'}' => break,
                    _ => return None,
                }
            }
        }
    }
    quick.pass(1)?;
    quick.end()?;
    Some(start)
}

const JSONRPC: u64 = u64::from_le_bytes(*b"\"jsonrpc");
const METHOD: u64 = u64::from_le_bytes(*b"\"method\"");
const PARAMS: u64 = u64::from_le_bytes(*b"\"params\"");
const RESULT: u64 = u64::from_le_bytes(*b"\"result\"");
const ERROR: u64 = u64::from_le_bytes(*b"\"error\":");
const ID: u64 = u64::from_le_bytes(*b"\"id\":\0\0\0");
const VERSION: u64 = u64::from_le_bytes(*b"\"2.0\"\0\0\0");
const FIVE_BYTES: u64 = (1 << 40) - 1;

/// A name and its colon, and the white space before each.
#[inline(always)]
fn name(quick: &mut Quick<'_>) -> Option<Name> {
    let (name, length) = match quick.word()? {
        METHOD => (Name::Method, 8),
        JSONRPC => {
            quick.pass(8)?;
            quick.byte(b'"')?;
            (Name::Jsonrpc, 0)
        }
        PARAMS => (Name::Params, 8),
        RESULT => (Name::Result, 8),
        ERROR => (Name::Error, 7),
        word if word & FIVE_BYTES == ID => (Name::Id, 4),
        _ => {
            quick.white_space();
            let start = quick.position();
            quick.plain_string()?;
            let quoted = quick.since(start);
            // None of those that count is shorter or longer.
            match quoted.len() {
                4..=9 => (Name::of(quoted), 0),
                _ => (Name::Unknown, 0),
            }
        }
    };
    quick.pass(length)?;
    if quick.peek() != b':' {
        quick.white_space();
    }
    quick.byte(b':')?;
    Some(name)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::format;

    use super::*;

    fn is_taken(frame: &str, max_depth: u8) -> bool {
        scan(frame.as_bytes(), max_depth, &mut Envelope::default()).is_some()
    }

    /// What is left to the general way is judged as well, so that only this test and a clock see the difference.
    #[test]
    fn usual_messages_are_read_the_fast_way() {
        for frame in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"id":-1,"jsonrpc":"2.0","method":"x","params":{}}"#,
            r#"{"method":"a method with a longer name","jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":"a","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"an id of more than a word","result":{"a":[1,"b",{}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"m"}}"#,
            r#"{"jsonrpc":"2.0","id":10,"error":{"code":1,"message":"m","data":[1.5e3,true,null]}}"#,
            r#"{"jsonrpc":"2.0","id":12345678901234567890,"method":"x"}"#,
            // Members that are nobody's, short, as long as one of those that count, and longer.
            r#"{"a":1,"jsonrpc":"2.0","id":1,"nobody":"x","methods":[],"a name of its own":{},"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"é€😀","params":{"é":"é"}}"#,
            // White space wherever it may be.
            " \r\n\t{ \"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"x\" , \"params\" : { \"a\" : [ ] } } \r\n",
            "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"x\"}\n",
        ] {
            let mut envelope = Envelope::default();
            assert!(scan(frame.as_bytes(), 128, &mut envelope).is_some(), "{frame}");
            assert!(envelope.has_usual_version, "{frame}");
        }
    }

    #[test]
    fn depth_is_counted_from_the_outermost_object() {
        for (params, depth) in [("{}", 2), (r#"{"a":1}"#, 2), (r#"{"a":[]}"#, 3), (r#"{"a":[{"b":1}]}"#, 4)] {
            let frame = format!(r#"{{"jsonrpc":"2.0","method":"x","params":{params}}}"#);
            for max_depth in 0..6 {
                assert_eq!(is_taken(&frame, max_depth), max_depth >= depth, "{frame}, {max_depth}");
            }
        }
    }
}
