//! Numbers, kept as their text.

use core::cmp::Ordering;
use core::fmt;

use super::string::str_of;

/// A JSON number as its text, of any length and range; read only by the accessor that is called. Two are equal when
/// their texts are: [`compare`](Number::compare) goes by the value.
///
/// An integer is a number whose value is integral, as JSON Schema has it: `5`, `5.0`, `5e0` and `50e-1` are the same
/// integer. (Ids and error codes are stricter: JSON-RPC takes only `5`.)
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use barewire::json::{NumberError, RawValue};
///
/// let limit = RawValue::new(b"23.75")?.as_number().unwrap();
/// assert_eq!(limit.to_fixed(2), Ok(2375)); // hundredths, without a float
/// assert_eq!(limit.to_fixed(1), Err(NumberError::Inexact));
/// assert_eq!(limit.to_i64(), Err(NumberError::NotAnInteger));
///
/// let pin = RawValue::new(b"4.0")?.as_number().unwrap();
/// assert_eq!(pin.to_i64(), Ok(4));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number<'a> {
    text: &'a [u8],
}

/// Why a number is not what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum NumberError {
    /// The value has a fraction. (`1.0` and `1e2` are integers.)
    NotAnInteger,
    /// It does not fit the type.
    OutOfRange,
    /// It has more decimals than asked for.
    Inexact,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAnInteger => "the number is not an integer",
            Self::OutOfRange => "the number is out of range",
            Self::Inexact => "the number has too many decimals",
        })
    }
}

impl core::error::Error for NumberError {}

impl NumberError {
    /// For conversions to an integer, where a lost digit means that the number is not an integer.
    const fn of_an_integer(self) -> Self {
        match self {
            Self::Inexact => Self::NotAnInteger,
            other => other,
        }
    }
}

impl<'a> Number<'a> {
    /// `text` must be a number by the grammar of RFC 8259 section 6.
    pub(crate) const fn from_valid(text: &'a [u8]) -> Self {
        Self { text }
    }

    /// The text as bytes.
    pub const fn as_bytes(self) -> &'a [u8] {
        self.text
    }

    /// The text.
    pub fn as_str(self) -> &'a str {
        str_of(self.text)
    }

    /// Whether the value is integral: `5`, `5.0`, `5e0` and 40 digits are integers, `0.5` and `5e-1` are not. Linear in the
    /// length of the text.
    pub fn is_integer(self) -> bool {
        self.scaled(0, u64::MAX, u64::MAX) != Err(NumberError::Inexact)
    }

    /// Whether the text has neither a fraction nor an exponent, as in ids and error codes; `-0` and 40 digits have
    /// neither.
    pub(crate) fn is_plain_integer(self) -> bool {
        self.text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-')
    }

    /// The value of a plain integer, which must be one by [`is_plain_integer`](Number::is_plain_integer). `None` outside of
    /// the range. Devices that read nothing but ids and error codes link no more than this.
    pub(crate) fn plain_to_i64(self) -> Option<i64> {
        let (negative, digits) = self.sign();
        // So few digits cannot leave the range. A small machine does without this shortcut.
        if usize::BITS == 64 && self.text.len() <= 18 {
            let value = digits.iter().fold(0i64, |value, digit| {
                value.wrapping_mul(10).wrapping_add(i64::from(digit.wrapping_sub(b'0')))
            });
            return Some(if negative { value.wrapping_neg() } else { value });
        }
        let largest = if negative { 1 << 63 } else { i64::MAX as u64 };
        let mut size = 0;
        let fits = digits.iter().all(|digit| push_digit(&mut size, *digit, largest));
        let value = size.cast_signed();
        fits.then_some(if negative { value.wrapping_neg() } else { value })
    }

    /// The integer. Exact, with integer arithmetic only; linear in the length of the text.
    ///
    /// # Errors
    /// [`NumberError::NotAnInteger`] when the value has a fraction, else [`NumberError::OutOfRange`].
    pub fn to_i64(self) -> Result<i64, NumberError> {
        // Faster; on a small machine one way is enough.
        if usize::BITS == 64 && self.is_plain_integer() {
            return self.plain_to_i64().ok_or(NumberError::OutOfRange);
        }
        self.to_fixed(0).map_err(NumberError::of_an_integer)
    }

    /// The integer. Exact, with integer arithmetic only; linear in the length of the text.
    ///
    /// # Errors
    /// [`NumberError::NotAnInteger`] when the value has a fraction, else [`NumberError::OutOfRange`]; `-0` is 0.
    pub fn to_u64(self) -> Result<u64, NumberError> {
        match self.scaled(0, u64::MAX, 0) {
            Ok((_, size)) => Ok(size),
            Err(error) => Err(error.of_an_integer()),
        }
    }

    /// The number times ten to the power of `decimals`, as an integer: `23.75` with 2 decimals is 2375, `1e3` with 0 is
    /// 1000. Exact, with integer arithmetic only; linear in the length of the text.
    ///
    /// # Errors
    /// [`NumberError::Inexact`] when a digit other than 0 would be lost, else [`NumberError::OutOfRange`].
    pub fn to_fixed(self, decimals: u8) -> Result<i64, NumberError> {
        let (negative, size) = self.scaled(decimals, i64::MAX as u64, 1 << 63)?;
        let value = size.cast_signed();
        Ok(if negative { value.wrapping_neg() } else { value })
    }

    /// Whether there is a minus sign, and the text after it.
    const fn sign(self) -> (bool, &'a [u8]) {
        match self.text {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        }
    }

    /// Whether there is a minus sign, and the absolute value times ten to the power of `decimals`: at most `most`
    /// without a minus sign, at most `most_negative` with one.
    fn scaled(self, decimals: u8, most: u64, most_negative: u64) -> Result<(bool, u64), NumberError> {
        let (negative, text) = self.sign();
        let largest = if negative { most_negative } else { most };
        let (mantissa, exponent) = split_exponent(text);
        let point = mantissa.iter().position(|b| *b == b'.').unwrap_or(mantissa.len());
        // How many digits from the first one on belong to the result; can be negative or beyond the last.
        let mut wanted = places(point).saturating_add(exponent).saturating_add(isize::from(decimals));
        let mut size = 0;
        let mut fits = true;
        for digit in mantissa.iter().filter(|b| b.is_ascii_digit()) {
            if wanted > 0 {
                fits = fits && push_digit(&mut size, *digit, largest);
            } else if *digit != b'0' {
                return Err(NumberError::Inexact);
            }
            wanted = wanted.saturating_sub(1);
        }
        // Zeros follow the last digit; 19 of them leave the range.
        while wanted > 0 && size != 0 && fits {
            fits = push_digit(&mut size, b'0', largest);
            wanted = wanted.saturating_sub(1);
        }
        if fits { Ok((negative, size)) } else { Err(NumberError::OutOfRange) }
    }

    /// Compares two numbers by their values, exactly, digit by digit, however many there are. Linear. Only exponents
    /// beyond 2^63 (2^31 on a machine of 32 bits) or so count as equal.
    ///
    /// ```
    /// # fn main() -> Result<(), barewire::json::Error> {
    /// # use barewire::json::RawValue;
    /// let [a, b] = [RawValue::new(b"1e400")?, RawValue::new(b"99.5")?];
    /// assert!(a.as_number().unwrap().compare(b.as_number().unwrap()).is_gt());
    /// # Ok(())
    /// # }
    /// ```
    pub fn compare(self, other: Number<'_>) -> Ordering {
        let (a, b) = (Decimal::of(self), Decimal::of(other));
        match (a.negative, b.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => a.compare_size(&b),
            (true, true) => b.compare_size(&a),
        }
    }

    /// The nearest double; infinite where the number is too large for one.
    ///
    /// This pulls in the standard library's float parser (about 20 KiB of flash, with panicking code): a device that
    /// wants decimals takes [`to_fixed`](Number::to_fixed).
    pub fn to_f64(self) -> f64 {
        self.as_str().parse().unwrap_or(f64::NAN)
    }
}

/// A number as `0.DIGITS` times ten to the power of `exponent`, the first digit not being 0; no digits for zero.
struct Decimal<'a> {
    negative: bool,
    /// From the first digit that is not 0 on, a point among them perhaps.
    digits: &'a [u8],
    exponent: isize,
}

impl<'a> Decimal<'a> {
    fn of(number: Number<'a>) -> Self {
        let (negative, text) = number.sign();
        let (mantissa, exponent) = split_exponent(text);
        let Some(first) = mantissa.iter().position(|b| matches!(b, b'1'..=b'9')) else {
            // Zero, which has no sign.
            return Self { negative: false, digits: &[], exponent: isize::MIN };
        };
        let point = mantissa.iter().position(|b| *b == b'.').unwrap_or(mantissa.len());
        // Behind the point, `first` counts the point too.
        let behind_point = usize::from(first > point);
        let exponent =
            exponent.saturating_add(places(point)).saturating_sub(places(first.saturating_sub(behind_point)));
        Self { negative, digits: mantissa.get(first..).unwrap_or_default(), exponent }
    }

    fn compare_size(&self, other: &Self) -> Ordering {
        self.exponent.cmp(&other.exponent).then_with(|| self.digits().cmp(other.digits()))
    }

    /// The digits without zeros at the end, so that the shorter of two equal beginnings is the smaller number.
    fn digits(&self) -> impl Iterator<Item = &u8> {
        let end = self
            .digits
            .iter()
            .rposition(|b| matches!(b, b'1'..=b'9'))
            .map_or(0, |last| last.saturating_add(1));
        self.digits.get(..end).unwrap_or_default().iter().filter(|b| **b != b'.')
    }
}

/// The part before `e`, and the value of the part after it.
fn split_exponent(text: &[u8]) -> (&[u8], isize) {
    match text.iter().position(|b| matches!(b, b'e' | b'E')) {
        Some(at) => (text.get(..at).unwrap_or_default(), exponent(text.get(at..).unwrap_or_default())),
        None => (text, 0),
    }
}

/// A number of digits, as an exponent.
fn places(count: usize) -> isize {
    isize::try_from(count).unwrap_or(isize::MAX)
}

/// Appends a digit to `value`. Returns false if the result would exceed `largest`.
// Not inlined on 32 bits: 84 bytes less flash in the classifier of the footprint.
#[cfg_attr(target_pointer_width = "32", inline(never))]
fn push_digit(value: &mut u64, digit: u8, largest: u64) -> bool {
    // Whether ten times as much fits: cheaper than a checked multiplication, on a machine of 32 bits.
    if *value <= u64::MAX / 10
        && let Some(grown) = value.wrapping_mul(10).checked_add(u64::from(digit.wrapping_sub(b'0')))
        && grown <= largest
    {
        *value = grown;
        return true;
    }
    false
}

/// The value of `e+12`, saturated: no text has enough digits to make up for such an exponent.
fn exponent(text: &[u8]) -> isize {
    let (negative, digits) = match text {
        [_, b'-', digits @ ..] => (true, digits),
        [_, b'+', digits @ ..] | [_, digits @ ..] => (false, digits),
        [] => (false, text),
    };
    let value = digits.iter().fold(0isize, |value, digit| {
        value.saturating_mul(10).saturating_add(isize::from(digit.wrapping_sub(b'0')))
    });
    if negative { value.wrapping_neg() } else { value }
}

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number<'_> {
        Number::from_valid(text.as_bytes())
    }

    #[test]
    fn integers_at_their_limits() {
        use NumberError::{NotAnInteger, OutOfRange};
        let cases = [
            ("0", Ok(0), Ok(0)),
            ("-0", Ok(0), Ok(0)),
            ("-1", Ok(-1), Err(OutOfRange)),
            ("9223372036854775807", Ok(i64::MAX), Ok(i64::MAX as u64)),
            ("9223372036854775808", Err(OutOfRange), Ok(1 << 63)),
            ("-9223372036854775808", Ok(i64::MIN), Err(OutOfRange)),
            ("-9223372036854775809", Err(OutOfRange), Err(OutOfRange)),
            ("18446744073709551615", Err(OutOfRange), Ok(u64::MAX)),
            ("18446744073709551616", Err(OutOfRange), Err(OutOfRange)),
            ("1.0", Ok(1), Ok(1)),
            ("-1.0", Ok(-1), Err(OutOfRange)),
            ("-0.0", Ok(0), Ok(0)),
            ("1E2", Ok(100), Ok(100)),
            ("5E+0", Ok(5), Ok(5)),
            ("500e-2", Ok(5), Ok(5)),
            ("0.5e1", Ok(5), Ok(5)),
            ("0e999999999", Ok(0), Ok(0)),
            ("-0e-99999999999999999999", Ok(0), Ok(0)),
            ("9007199254740993.0", Ok(9_007_199_254_740_993), Ok(9_007_199_254_740_993)),
            ("9223372036854775807.0", Ok(i64::MAX), Ok(i64::MAX as u64)),
            ("-9223372036854775.808e3", Ok(i64::MIN), Err(OutOfRange)),
            ("9223372036854775808.0", Err(OutOfRange), Ok(1 << 63)),
            ("1844674407370955161500e-2", Err(OutOfRange), Ok(u64::MAX)),
            ("1e19", Err(OutOfRange), Ok(10_000_000_000_000_000_000)),
            ("1e20", Err(OutOfRange), Err(OutOfRange)),
            ("1e99999999999999999999", Err(OutOfRange), Err(OutOfRange)),
            ("-1.5", Err(NotAnInteger), Err(NotAnInteger)),
            ("5e-1", Err(NotAnInteger), Err(NotAnInteger)),
            ("1e-99999999999999999999", Err(NotAnInteger), Err(NotAnInteger)),
            ("99999999999999999999.5", Err(NotAnInteger), Err(NotAnInteger)),
        ];
        for (text, signed, unsigned) in cases {
            assert_eq!(number(text).to_i64(), signed, "{text}");
            assert_eq!(number(text).to_u64(), unsigned, "{text}");
        }
    }

    #[test]
    fn fixed_point_is_exact_or_an_error() {
        use NumberError::{Inexact, OutOfRange};
        let cases = [
            ("23.75", 2, Ok(2375)),
            ("23.75", 1, Err(Inexact)),
            ("23.750000000000000000000000", 2, Ok(2375)),
            ("-0.05", 2, Ok(-5)),
            ("-0.0", 3, Ok(0)),
            ("1e3", 0, Ok(1000)),
            ("12345e-2", 2, Ok(12345)),
            ("12345E-2", 1, Err(Inexact)),
            ("0.0000001e+7", 0, Ok(1)),
            ("1e-400", 2, Err(Inexact)),
            ("0e-99999999999999999999999", 2, Ok(0)),
            ("0e99999999999999999999999", 2, Ok(0)),
            ("1e99999999999999999999999", 2, Err(OutOfRange)),
            ("92233720368547758.07", 2, Ok(i64::MAX)),
            ("92233720368547758.08", 2, Err(OutOfRange)),
            ("-92233720368547758.08", 2, Ok(i64::MIN)),
            ("7", 255, Err(OutOfRange)),
            ("0", 255, Ok(0)),
        ];
        for (text, decimals, expected) in cases {
            assert_eq!(number(text).to_fixed(decimals), expected, "{text} with {decimals}");
        }
    }

    #[test]
    fn comparison_is_by_value() {
        let ascending = [
            "-1e400",
            "-10.5",
            "-10.25",
            "-1",
            "-0.001",
            "0",
            "1e-400",
            "0.09",
            "0.1",
            "0.10000000000000000001",
            "1",
            "9.99",
            "10",
            "99e1",
            "1000",
            "1000.0000001",
            "1e300",
            "1e99999999999999999999",
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(number(a).compare(number(b)), i.cmp(&j), "{a} and {b}");
            }
        }
        for (a, b) in [("0", "-0"), ("0e9", "0.00"), ("100", "1e2"), ("0.5", "50.0e-2"), ("1.50", "15E-1")] {
            assert_eq!(number(a).compare(number(b)), Ordering::Equal, "{a} and {b}");
        }
    }

    #[test]
    fn doubles_are_the_nearest() {
        assert_eq!(number("0.1").to_f64(), 0.1);
        assert_eq!(number("1e400").to_f64(), f64::INFINITY);
        assert_eq!(number("-1e400").to_f64(), f64::NEG_INFINITY);
    }
}
