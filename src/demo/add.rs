//! The sum of two JSON numbers.

use crate::json::Number;

/// A sum, exact where it can be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sum {
    Exact(i64),
    Double(f64),
}

/// Reason why there is no sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoSum {
    /// At least one of the numbers is beyond the doubles.
    NotFinite,
    /// The sum is beyond the doubles.
    Overflow,
}

/// Sum of two numbers: exact if both are written without fraction and exponent and all three fit `i64`, else of doubles.
pub(super) fn sum(a: Number<'_>, b: Number<'_>) -> Result<Sum, NoSum> {
    if let (Some(a), Some(b)) = (plain_integer(a), plain_integer(b))
        && let Some(sum) = a.checked_add(b)
    {
        return Ok(Sum::Exact(sum));
    }
    let (a, b) = (a.to_f64(), b.to_f64());
    if !a.is_finite() || !b.is_finite() {
        return Err(NoSum::NotFinite);
    }
    let sum = a + b;
    if sum.is_finite() { Ok(Sum::Double(sum)) } else { Err(NoSum::Overflow) }
}

/// Value of a number that is written as an integer and fits `i64`: `1.0` is a double here.
pub(super) fn plain_integer(number: Number<'_>) -> Option<i64> {
    number.is_plain_integer().then(|| number.to_i64().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::RawValue;

    #[test]
    fn exact_while_it_fits_then_as_doubles() {
        let cases = [
            ("2", "3", Ok(Sum::Exact(5))),
            ("9007199254740993", "2", Ok(Sum::Exact(9007199254740995))),
            ("9223372036854775807", "-1", Ok(Sum::Exact(i64::MAX - 1))),
            ("9223372036854775807", "1", Ok(Sum::Double(9223372036854775808.0))),
            ("-0", "0", Ok(Sum::Exact(0))),
            ("0.1", "0.2", Ok(Sum::Double(0.1 + 0.2))),
            ("1.0", "2", Ok(Sum::Double(3.0))),
            ("9007199254740993.0", "0", Ok(Sum::Double(9007199254740992.0))),
            ("1e400", "1", Err(NoSum::NotFinite)),
            ("1", "-1e400", Err(NoSum::NotFinite)),
            ("1e308", "1e308", Err(NoSum::Overflow)),
        ];
        for (a, b, expected) in cases {
            let [x, y] = [a, b].map(|text| RawValue::new(text.as_bytes()).unwrap().as_number().unwrap());
            assert_eq!(sum(x, y), expected, "{a} + {b}");
        }
    }
}
