//! Runs of plain bytes in a string: a word of the machine at a time, and long ones by blocks.

use crate::bytes::Reader;

/// Behind so many words it is worth while to go on by blocks.
const WORDS_OF_A_SHORT_RUN: u32 = 4;

/// Passes whole words of a string, up to a byte that ends the run (a quote, a backslash, a byte below 0x20). What is
/// returned beside the place is not 0 if a byte of 0x80 or above may have been passed.
#[inline(always)]
pub(super) const fn pass(mut reader: Reader<'_>) -> (Reader<'_>, usize) {
    let mut seen = 0;
    // A small machine has no vectors: there every run is a short one.
    let mut words = if usize::BITS == 64 { WORDS_OF_A_SHORT_RUN } else { u32::MAX };
    while let Some(word) = reader.word() {
        let (stop, high) = stops(word);
        seen |= high;
        if stop != 0 {
            reader.advance((stop.trailing_zeros() >> 3) as usize);
            return (reader, seen);
        }
        reader.advance(size_of::<usize>());
        words = words.wrapping_sub(1);
        if usize::BITS == 64 && words == 0 {
            let (length, bits) = long(reader.rest());
            reader.advance(length);
            return (reader, seen | bits);
        }
    }
    (reader, seen)
}

/// [`pass`] for the rest of a long run: how many bytes are passed, and what is not 0 if one of them may be 0x80 or above.
///
/// In a block there is no branch on a byte, so that the compiler makes vectors of it, with what every processor of its kind
/// has. A function of its own, so that short strings keep their registers.
#[inline(never)]
#[allow(clippy::indexing_slicing, reason = "the place is inside the block")]
const fn long(text: &[u8]) -> (usize, usize) {
    let (mut rest, mut seen) = (text, 0);
    while let Some((block, behind)) = rest.split_first_chunk::<64>() {
        let (mut ends, mut bits) = (0, 0);
        let mut at = 0;
        while at < block.len() {
            let byte = block[at];
            ends |= (byte < b' ') as u8 | (byte == b'"') as u8 | (byte == b'\\') as u8;
            bits |= byte;
            at = at.wrapping_add(1);
        }
        if ends != 0 {
            break;
        }
        seen |= bits & 0x80;
        rest = behind;
    }
    let mut length = text.len().wrapping_sub(rest.len());
    let mut seen = seen as usize;
    while let Some((word, behind)) = rest.split_first_chunk() {
        let (stop, high) = stops(usize::from_le_bytes(*word));
        seen |= high;
        if stop != 0 {
            length = length.wrapping_add((stop.trailing_zeros() >> 3) as usize);
            break;
        }
        length = length.wrapping_add(word.len());
        rest = behind;
    }
    (length, seen)
}

/// In `word`, the lowest set bit of the first marks the first byte that ends a run of a string (a quote, a backslash, a
/// byte below 0x20); the second has a bit set if a byte is 0x80 or above.
#[inline(always)]
pub(super) const fn stops(word: usize) -> (usize, usize) {
    const LOW: usize = usize::MAX / 255;
    const HIGH: usize = LOW << 7;
    const QUOTES: usize = LOW * b'"' as usize;
    const BACKSLASHES: usize = LOW * b'\\' as usize;
    const SPACES: usize = LOW * b' ' as usize;
    let quote = word ^ QUOTES;
    let backslash = word ^ BACKSLASHES;
    // A borrow can only set bits above a byte that is itself a hit, so the lowest hit is exact.
    let hits = (quote.wrapping_sub(LOW) & !quote)
        | (backslash.wrapping_sub(LOW) & !backslash)
        | (word.wrapping_sub(SPACES) & !word);
    (hits & HIGH, word & HIGH)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;

    /// Every byte at every place of a run that is longer than words and blocks: at most what is less than a word is left
    /// before the byte that ends it, and no byte of 0x80 or above is passed in silence.
    #[test]
    fn a_run_ends_at_the_byte_that_ends_it() {
        for length in [0, 7, 31, 33, 95, 96, 97, 160, 240] {
            for place in 0..length {
                for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 15 } else { 1 }) {
                    let mut text = vec![b'a'; length];
                    text[place] = byte;
                    let (reader, seen) = pass(Reader::new(&text));
                    let ends_run = byte < b' ' || byte == b'"' || byte == b'\\';
                    let left = length - reader.position();
                    if ends_run && reader.position() <= place {
                        assert!(reader.position() == place || left < size_of::<usize>());
                    } else {
                        assert!(!ends_run && left < size_of::<usize>(), "{byte} at {place} of {length}");
                        assert!(byte < 0x80 || seen != 0 || reader.position() <= place);
                    }
                }
            }
        }
    }

    /// Whatever stands before it, and however much of it follows.
    #[test]
    fn no_byte_that_ends_a_run_is_passed() {
        for byte in (0..b' ').step_by(if cfg!(miri) { 15 } else { 1 }).chain([b'"', b'\\']) {
            for plain in [b'a', b' ', 0x80] {
                for length in [0, 1, 7, 8, 31, 32, 33, 64, 95, 96, 100] {
                    for behind in [[byte; 80], [plain; 80]] {
                        let text = [&vec![plain; length], &[byte][..], &behind].concat();
                        let (reader, seen) = pass(Reader::new(&text));
                        assert_eq!(reader.position(), length, "{byte} behind {plain}");
                        assert!(seen != 0 || plain < 0x80 || length == 0);
                    }
                }
            }
        }
    }

    #[test]
    fn bytes_above_0x7f_do_not_hide_each_other() {
        let places = [0, 1, 7, 8, 31, 32, 33, 39, 63, 95, 96, 97, 103, 104, 111];
        for first in places {
            for second in places {
                let mut text = [b'a'; 112];
                text[first] = 0x80;
                text[second] = 0x80;
                let (reader, seen) = pass(Reader::new(&text));
                assert_eq!(reader.position(), text.len());
                assert_ne!(seen, 0, "{first} and {second}");
            }
        }
        assert_ne!(long(&[0x80; 64]).1, 0);
    }

    #[test]
    fn a_word_stops_at_the_first_byte_that_ends_a_run() {
        let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1F);
        for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 15 } else { 1 }) {
            for other in *b"\0\x1F !\"#[\\]a\x7F\x80\xFF" {
                for place in 0..size_of::<usize>() {
                    let mut word = [other; size_of::<usize>()];
                    word[place] = byte;
                    let (stop, high) = stops(usize::from_le_bytes(word));
                    let first = (stop != 0).then(|| stop.trailing_zeros() as usize / 8);
                    assert_eq!(first, word.iter().position(ends), "{word:x?}");
                    assert_eq!(high != 0, !word.is_ascii(), "{word:x?}");
                }
            }
        }
    }
}
