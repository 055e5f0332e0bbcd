//! One object or array, 64 bytes at a time.

use super::lanes::Lanes;
use super::number::{Numbers, behind, next};

/// What one block hands to the next.
struct Walk {
    /// All ones inside a string, else 0.
    in_string: u64,
    /// All of the last block was inside a string.
    in_long_string: bool,
    /// The next byte is escaped, 0 or 1.
    escaped: u64,
    /// Bytes at the start of the next block that must be hexadecimal digits.
    hex: u64,
    /// A token of these kinds was the last one, white space behind it aside; 0 or 1.
    behind_open: u64,
    behind_comma: u64,
    behind_colon: u64,
    behind_key: u64,
    /// A string that is a key is being read.
    in_key: u64,
    /// The last byte was one of a number or a literal; it was of a literal.
    in_scalar: u64,
    in_literal: u64,
    /// Not 0: a number goes on.
    in_number: u64,
    numbers: Numbers,
    /// What is open, the innermost in the lowest bit: 1 for an object.
    open: u128,
    depth: u32,
}

/// Behind the object or array that starts at `at`; `None` where it is not valid, too deep, or not closed.
///
/// `room` is how many levels may be opened. Sets `high` where a byte of 0x80 or above was seen.
#[inline(always)]
pub(super) fn container<L: Lanes>(
    lanes: L,
    text: &[u8],
    at: usize,
    room: u8,
    high: &mut bool,
) -> Option<usize> {
    let mut walk = Walk {
        in_string: 0,
        in_long_string: false,
        escaped: 0,
        hex: 0,
        behind_open: 0,
        behind_comma: 0,
        // The value may start here.
        behind_colon: 1,
        behind_key: 0,
        in_key: 0,
        in_scalar: 0,
        in_literal: 0,
        in_number: 0,
        numbers: Numbers::default(),
        open: 0,
        depth: 0,
    };
    let mut start = at;
    let mut seen = lanes.load(&[0; 64]);
    let end = loop {
        let rest = text.get(start..)?;
        if let Some(bytes) = rest.first_chunk::<64>() {
            let block = lanes.load(bytes);
            seen = lanes.or(seen, block);
            if let Some(length) = walk.block(lanes, block, 0, text, start, room)? {
                break start.wrapping_add(length);
            }
            start = start.wrapping_add(64);
            if walk.in_long_string {
                walk.in_long_string = false;
                (start, seen) = plain_run(lanes, text, start, seen);
            }
        } else {
            // The last bytes, as the end of a whole block.
            let block = lanes.load(text.last_chunk::<64>()?);
            seen = lanes.or(seen, block);
            let missing = 64usize.wrapping_sub(rest.len());
            let shift = u32::try_from(missing).ok().filter(|shift| *shift < 64)?;
            let length = walk.block(lanes, block, shift, text, start, room)??;
            break start.wrapping_add(length);
        }
    };
    *high |= lanes.bits(seen) != 0;
    Some(end)
}

/// Behind the blocks from `start` on that have nothing but plain bytes of a string, and what was seen up to there.
#[inline(always)]
fn plain_run<L: Lanes>(lanes: L, text: &[u8], start: usize, seen: L::Block) -> (usize, L::Block) {
    let mut rest = text.get(start..).unwrap_or_default();
    let mut seen = seen;
    while let Some((bytes, behind)) = rest.split_first_chunk::<64>() {
        let block = lanes.load(bytes);
        if lanes.ends_run(block) {
            break;
        }
        seen = lanes.or(seen, block);
        rest = behind;
    }
    (text.len().wrapping_sub(rest.len()), seen)
}

impl Walk {
    /// The next block, without its first `shift` bytes: `None` for a fault, the length of what ends the value in it.
    #[inline(always)]
    #[allow(clippy::option_option, reason = "a fault; no end yet; the end")]
    fn block<L: Lanes>(
        &mut self,
        lanes: L,
        block: L::Block,
        shift: u32,
        text: &[u8],
        start: usize,
        room: u8,
    ) -> Option<Option<usize>> {
        let backslashes = lanes.equal(block, b'\\') >> shift;
        let controls = lanes.controls(block) >> shift;
        let mut quotes = lanes.equal(block, b'"') >> shift;
        if (!self.in_string | quotes | backslashes | controls | self.escaped | self.hex) == 0 {
            // Nothing but plain bytes of a string: more may follow.
            self.in_long_string = true;
            return Some(None);
        }
        let mut faults = 0;
        if (backslashes | self.escaped | self.hex) != 0 {
            let escaped = self.escaped_bytes(backslashes);
            quotes &= !escaped;
            faults = self.escape_faults(lanes, block, shift, escaped);
        }
        // In a string from its opening quote on, up to the closing one.
        let in_string = prefix_xor(quotes) ^ self.in_string;
        let was_in_string = self.in_string;
        self.in_string = 0u64.wrapping_sub(in_string >> 63);
        faults |= controls & in_string;
        if (quotes | !was_in_string) == 0 {
            // All of it is inside one string.
            return (faults == 0).then_some(None);
        }

        // What the bytes outside of strings are.
        let outside = !in_string;
        let colons = (lanes.equal(block, b':') >> shift) & outside;
        let commas = (lanes.equal(block, b',') >> shift) & outside;
        let opens = (lanes.equal_folded(block, b'{') >> shift) & outside;
        let closes = (lanes.equal_folded(block, b'}') >> shift) & outside;
        let mut spaces = lanes.equal(block, b' ') >> shift;
        if controls & outside != 0 {
            // No byte is two of these, so a sum is as good as an `or`, out of which the compiler would make work on
            // single bits.
            spaces = spaces.wrapping_add(lanes.equal_any(block, [b'\n', b'\r', b'\t']) >> shift);
        }
        // Behind the last byte there is nothing: as if it were white space.
        spaces = (spaces | !(u64::MAX >> shift)) & outside;
        let scalars = outside & !(colons | commas | opens | closes | spaces | quotes);
        let scalar_starts = scalars & !next(scalars, &mut self.in_scalar);
        let string_starts = quotes & in_string;

        // Which token stands behind which.
        let follow = |tokens: u64, carry: &mut u64| {
            let (sum, over) = spaces.overflowing_add((tokens << 1) | *carry);
            *carry = (tokens >> 63) | u64::from(over);
            sum & !spaces
        };
        let behind_open = follow(opens, &mut self.behind_open);
        let behind_comma = follow(commas, &mut self.behind_comma);
        let behind_colon = follow(colons, &mut self.behind_colon);
        // A string behind an opening bracket or a comma is a key in an object.
        let may_be_key = behind_open | behind_comma;
        let key_ends = behind(string_starts & may_be_key, in_string, &mut self.in_key);
        let behind_key = follow(key_ends, &mut self.behind_key);

        // A value and nothing else begins behind an opening bracket, a comma or a colon; behind a comma and a colon
        // nothing closes; a colon stands behind a key.
        let starts = string_starts | opens | scalar_starts;
        faults |= starts & !(may_be_key | behind_colon);
        faults |= (commas | colons) & (may_be_key | behind_colon);
        faults |= closes & (behind_comma | behind_colon);
        faults |= colons & !behind_key;
        if (scalars | self.in_literal | self.in_number) != 0 {
            faults |= self.scalar_faults(lanes, block, shift, text, start, scalars, scalar_starts);
        }
        // In an object every key is a string, and has a colon; in an array nothing has one.
        let object_faults = (may_be_key & !(string_starts | closes)) | (behind_key & !colons);
        let array_faults = colons;

        let mut objects = 0u64.wrapping_sub(u64::from(self.open & 1 == 1));
        let mut brackets = opens | closes;
        if brackets != 0 {
            let braces = lanes.has_bit_5(block) >> shift;
            while brackets != 0 {
                let bit = brackets & brackets.wrapping_neg();
                brackets ^= bit;
                let is_brace = braces & bit != 0;
                if opens & bit != 0 {
                    self.depth = self.depth.wrapping_add(1);
                    if self.depth > u32::from(room) {
                        return None;
                    }
                    self.open = (self.open << 1) | u128::from(is_brace);
                } else {
                    if (self.open & 1 == 1) != is_brace {
                        return None;
                    }
                    self.open >>= 1;
                    self.depth = self.depth.wrapping_sub(1);
                    if self.depth == 0 {
                        // What stands behind it is not ours.
                        faults |= (object_faults & objects) | (array_faults & !objects);
                        let ours = bit ^ bit.wrapping_sub(1);
                        let length = bit.trailing_zeros().wrapping_add(1) as usize;
                        return (faults & ours == 0).then_some(Some(length));
                    }
                }
                let rest = !(bit ^ bit.wrapping_sub(1));
                let is_object = 0u64.wrapping_sub(u64::from(self.open & 1 == 1));
                objects = (objects & !rest) | (is_object & rest);
            }
        }
        faults |= (object_faults & objects) | (array_faults & !objects);
        (faults == 0).then_some(None)
    }

    /// The bytes behind an odd number of backslashes.
    #[inline(always)]
    fn escaped_bytes(&mut self, backslashes: u64) -> u64 {
        const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        // Of each run of backslashes, those at even places from its start escape the byte behind them. A subtraction
        // borrows through a run: the bits that differ from the pattern of odd places are those of the escapes and of
        // the byte behind the run.
        let starting = backslashes & !self.escaped;
        let pattern = ((starting << 1) | ODD).wrapping_sub(starting) ^ ODD;
        let escaped = pattern ^ (backslashes | self.escaped);
        self.escaped = (pattern & backslashes) >> 63;
        escaped
    }

    /// Bytes that may not be escaped, and those behind `\u` that are no hexadecimal digits.
    #[inline(always)]
    fn escape_faults<L: Lanes>(&mut self, lanes: L, block: L::Block, shift: u32, escaped: u64) -> u64 {
        let units = (lanes.equal(block, b'u') >> shift) & escaped;
        let simple = lanes.simple_escapes(block) >> shift;
        let mut faults = escaped & !(simple | units);
        if (units | self.hex) != 0 {
            let wanted = (units << 1) | (units << 2) | (units << 3) | (units << 4) | self.hex;
            self.hex = (units >> 63) | (units >> 62) | (units >> 61) | (units >> 60);
            faults |= wanted & !(lanes.hex_digits(block) >> shift);
        }
        faults
    }

    /// Of numbers and literals.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "a part of `block`")]
    fn scalar_faults<L: Lanes>(
        &mut self,
        lanes: L,
        block: L::Block,
        shift: u32,
        text: &[u8],
        start: usize,
        scalars: u64,
        scalar_starts: u64,
    ) -> u64 {
        let mut faults = 0;
        // Of the bytes of 0x60 and above, literals begin with one.
        let literal_starts = scalar_starts & (lanes.equal_any(block, [b't', b'f', b'n']) >> shift);
        let mut literals = literal_starts;
        while literals != 0 {
            let place = literals.trailing_zeros();
            literals &= literals.wrapping_sub(1);
            if !is_literal(text, start.wrapping_add(place as usize)) {
                faults |= 1 << place;
            }
        }
        // Their bytes: the carry ripples through the run and leaves its bits changed.
        let (sum, first) = scalars.overflowing_add(literal_starts);
        let (sum, second) = sum.overflowing_add(self.in_literal);
        self.in_literal = u64::from(first | second);
        let literal_bytes = (sum ^ scalars) & scalars;
        let numbers = scalars & !literal_bytes;
        let number_starts = scalar_starts & !literal_starts;
        faults |= self.numbers.faults(lanes, block, shift, numbers, number_starts);
        self.in_number = self.numbers.is_open();
        faults
    }
}

/// In each bit the parity of the bits up to it.
#[inline(always)]
fn prefix_xor(bits: u64) -> u64 {
    let bits = bits ^ (bits << 1);
    let bits = bits ^ (bits << 2);
    let bits = bits ^ (bits << 4);
    let bits = bits ^ (bits << 8);
    let bits = bits ^ (bits << 16);
    bits ^ (bits << 32)
}

/// Whether a whole literal stands there: behind it must be white space, a comma or a closing bracket.
#[inline(always)]
fn is_literal(text: &[u8], at: usize) -> bool {
    let Some(rest) = text.get(at..) else { return false };
    let behind = match rest {
        [b't', b'r', b'u', b'e', behind, ..] => behind,
        [b'n', b'u', b'l', b'l', behind, ..] => behind,
        [b'f', b'a', b'l', b's', b'e', behind, ..] => behind,
        _ => return false,
    };
    matches!(behind, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::prefix_xor;

    #[test]
    fn a_bit_has_the_parity_of_those_up_to_it() {
        for first in 0..64 {
            let from_first = u64::MAX << first;
            assert_eq!(prefix_xor(1 << first), from_first);
            for second in first + 1..64 {
                let bits = 1 << first | 1 << second;
                assert_eq!(prefix_xor(bits), from_first ^ (u64::MAX << second), "{bits:x}");
            }
        }
    }
}
