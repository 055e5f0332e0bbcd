//! Decimal digits, and the division that makes them.

/// Room for the decimal digits of a number.
///
/// Aligned as the envelope of a message is: so the function that clears that, which every program has, clears this too.
#[repr(align(8))]
pub(crate) struct Digits([u8; Self::MOST]);

impl Digits {
    /// As many as a `u64` has.
    const MOST: usize = 20;

    pub(crate) const fn new() -> Self {
        Self([0; Self::MOST])
    }

    /// The digits of `value`, most significant first. Written into room of the caller's, so that they are not copied.
    pub(crate) fn of(&mut self, mut value: u64) -> &[u8] {
        let mut start = Self::MOST;
        for place in self.0.iter_mut().rev() {
            let (rest, digit) = divide(value, 10);
            *place = b'0' | digit.to_le_bytes()[0];
            start = start.wrapping_sub(1);
            value = rest;
            if value == 0 {
                break;
            }
        }
        self.0.get(start..).unwrap_or_default()
    }
}

/// How often `by` goes into `value`, and what is left; nothing goes into anything 0 times.
///
/// The compiler's own division of 64 bits is nearly 1 KiB of code on a machine of 32 bits, where large numbers are rare:
/// there it goes bit by bit.
pub(crate) const fn divide(value: u64, by: u32) -> (u64, u32) {
    if cfg!(target_pointer_width = "64") {
        return match (value.checked_div(by as u64), value.checked_rem(by as u64)) {
            (Some(quotient), Some(rest)) => (quotient, rest as u32),
            _ => (0, 0),
        };
    }
    divide_on_small(value, by)
}

/// The same with no larger division than one of 32 bits.
const fn divide_on_small(value: u64, by: u32) -> (u64, u32) {
    if value >> 32 == 0 {
        let value = value as u32;
        return match (value.checked_div(by), value.checked_rem(by)) {
            (Some(quotient), Some(rest)) => (quotient as u64, rest),
            _ => (0, 0),
        };
    }
    divide_by_bits(value, by)
}

const fn divide_by_bits(value: u64, by: u32) -> (u64, u32) {
    let (mut quotient, mut rest) = (0_u64, 0_u64);
    let mut bits = value;
    let mut left = u64::BITS;
    while left > 0 {
        rest = rest << 1 | bits >> 63;
        bits <<= 1;
        quotient <<= 1;
        if rest >= by as u64 && by > 0 {
            rest = rest.wrapping_sub(by as u64);
            quotient |= 1;
        }
        left = left.wrapping_sub(1);
    }
    (quotient, if by > 0 { rest as u32 } else { 0 })
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    #[test]
    fn numbers_have_their_digits() {
        let powers = (0..20).map(|exponent| 10_u64.pow(exponent));
        let around = powers.flat_map(|power| [power - 1, power, power + 1]);
        for value in around.chain([u64::MAX, u64::MAX - 1, 1 << 32, (1 << 32) - 1]) {
            assert_eq!(Digits::new().of(value), value.to_string().as_bytes());
        }
    }

    #[test]
    fn division_by_bits_is_division() {
        for by in [1, 2, 3, 10, 1000, 86_400, u32::MAX] {
            for value in (0..64).flat_map(|shift| [u64::MAX >> shift, 1 << shift]) {
                let expected = (value / u64::from(by), (value % u64::from(by)) as u32);
                assert_eq!(divide_by_bits(value, by), expected);
                assert_eq!(divide_on_small(value, by), expected);
                assert_eq!(divide(value, by), expected);
            }
        }
        for value in [7, 7 << 32] {
            assert_eq!(divide_by_bits(value, 0), (0, 0));
            assert_eq!(divide_on_small(value, 0), (0, 0));
            assert_eq!(divide(value, 0), (0, 0));
        }
    }
}
