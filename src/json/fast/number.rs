//! The number grammar as arithmetic on bits.
//!
//! RFC 8259 section 6: `number = [ minus ] int [ frac ] [ exp ]`. A run of digits is passed by adding its first bit to
//! the bits of all digits: the carry ripples through the run and lands on the byte behind it. So all numbers of a block
//! are judged at once, and none needs a branch of its own.

use super::lanes::Lanes;

/// What a number at the end of a block hands to the next one; each is the bit 0 or nothing.
#[derive(Clone, Copy, Default)]
pub(super) struct Numbers {
    /// A minus sign, a zero that begins, a point, an `e`, the sign behind it were the last byte.
    minus: u64,
    zero: u64,
    point: u64,
    exponent: u64,
    sign: u64,
    /// The digits before the point and behind it reached the end of the block.
    int_digits: u64,
    frac_digits: u64,
}

/// Moves each bit to the next byte; the bit that leaves the block is kept in `carry`, that of the last one comes in.
#[inline(always)]
pub(super) fn next(bits: u64, carry: &mut u64) -> u64 {
    let moved = (bits << 1) | *carry;
    *carry = bits >> 63;
    moved
}

/// From the first bytes of runs to the bytes behind them. `carry`: a run goes on in the next block.
#[inline(always)]
pub(super) fn behind(starts: u64, runs: u64, carry: &mut u64) -> u64 {
    let (sum, first) = runs.overflowing_add(starts);
    let (sum, second) = sum.overflowing_add(*carry);
    *carry = u64::from(first | second);
    sum & !runs
}

impl Numbers {
    /// Not 0 where something must follow in the next block, or digits may go on there. Of the digits nothing need be known:
    /// what stands behind them is looked at where it stands. But without them the compiler makes other code of the walk, in
    /// which many brackets take 1.4 times as long.
    #[inline(always)]
    pub(super) fn is_open(&self) -> u64 {
        let must = self.minus | self.zero | self.point | self.exponent | self.sign;
        must | self.int_digits | self.frac_digits
    }

    /// The bytes of `number` that break the grammar. `starts` are the first bytes of those that begin here.
    #[inline(always)]
    pub(super) fn faults<L: Lanes>(
        &mut self,
        lanes: L,
        block: L::Block,
        shift: u32,
        number: u64,
        starts: u64,
    ) -> u64 {
        let digits = (lanes.digits(block) >> shift) & number;
        let others = number & !digits;
        let (mut minus, mut plus, mut points, mut exponents) = (0, 0, 0, 0);
        if others != 0 {
            minus = (lanes.equal(block, b'-') >> shift) & others;
            points = (lanes.equal(block, b'.') >> shift) & others;
            exponents = (lanes.equal_folded(block, b'e') >> shift) & others;
            plus = (lanes.equal(block, b'+') >> shift) & others;
        }
        // int = zero / ( digit1-9 *DIGIT )
        let first_minus = starts & minus;
        let int_starts = (starts & !minus) | next(first_minus, &mut self.minus);
        let zeros = (lanes.equal(block, b'0') >> shift) & int_starts;
        let mut faults = (int_starts & !digits) | (next(zeros, &mut self.zero) & digits);
        let int_ends = behind(int_starts & digits, digits, &mut self.int_digits);
        // frac = decimal-point 1*DIGIT
        let frac_starts = next(points, &mut self.point);
        faults |= (points & !int_ends) | (frac_starts & !digits);
        let frac_ends = behind(frac_starts & digits, digits, &mut self.frac_digits);
        // exp = e [ minus / plus ] 1*DIGIT
        let behind_e = next(exponents, &mut self.exponent);
        let signs = behind_e & (plus | minus);
        let exp_starts = (behind_e & !signs) | next(signs, &mut self.sign);
        faults |= (exponents & !(int_ends | frac_ends)) | (exp_starts & !digits);
        // What is no digit has its place in one of the three.
        faults | (others & !(first_minus | points | exponents | signs))
    }
}
