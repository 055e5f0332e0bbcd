//! Decimal numbers with all their digits.

use core::cmp::Ordering;

use barewire::json::NumberError;

/// A number as its digits without zeros around them, and how many of them stand before the point.
struct Decimal {
    negative: bool,
    /// None for zero.
    digits: String,
    before_point: i128,
}

impl Decimal {
    fn of(text: &str) -> Self {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], exponent(&text[at + 1..])),
            None => (text, 0),
        };
        let (negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(mantissa) => (true, mantissa),
            None => (false, mantissa),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        let digits = all.trim_start_matches('0');
        let before_point = whole.len() as i128 - (all.len() - digits.len()) as i128 + exponent;
        let digits = digits.trim_end_matches('0').to_string();
        Self { negative: negative && !digits.is_empty(), digits, before_point }
    }
}

/// An exponent, held where it is beyond every text's length.
fn exponent(text: &str) -> i128 {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.trim_start_matches('+')),
    };
    let digits = digits.trim_start_matches('0');
    if digits.len() > 20 {
        return sign * 100_000_000_000_000_000_000;
    }
    sign * digits.parse::<i128>().unwrap_or(0)
}

/// The integer that the number `text` is: of up to 30 digits, else it is out of range.
pub fn integer(text: &str) -> Result<i128, NumberError> {
    let number = Decimal::of(text);
    if number.digits.is_empty() {
        return Ok(0);
    }
    let zeros = number.before_point - number.digits.len() as i128;
    if zeros < 0 {
        return Err(NumberError::NotAnInteger);
    }
    if number.before_point > 30 {
        return Err(NumberError::OutOfRange);
    }
    let digits = number.digits + &"0".repeat(zeros as usize);
    let size: i128 = digits.parse().expect("digits that fit");
    Ok(if number.negative { -size } else { size })
}

/// The JSON text with each integer of 64 bits written as its digits alone: `5` for `5.0`.
pub fn with_plain_integers(text: &str) -> String {
    let is_of_a_number = |character: char| character.is_ascii_digit() || "+-.eE".contains(character);
    let mut plain = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '-' | '0'..='9' => rest.find(|c| !is_of_a_number(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        let is_number = first == '-' || first.is_ascii_digit();
        match is_number.then(|| integer(token)) {
            Some(Ok(value)) if fits_64_bits(value) => plain += &value.to_string(),
            _ => plain += token,
        }
        rest = behind;
    }
    plain
}

fn fits_64_bits(value: i128) -> bool {
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value)
}

/// The length of the string that `text` starts with, quotes included.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 2)
}

/// What `to_fixed` may answer for the number `text`: the integer, or one of the errors that are both true of it.
pub fn fixed(text: &str, decimals: u8) -> Result<i64, Vec<NumberError>> {
    let number = Decimal::of(text);
    if number.digits.is_empty() {
        return Ok(0);
    }
    let wanted = number.before_point + i128::from(decimals);
    let whole: Option<i128> = match wanted {
        ..=0 => Some(0),
        1..=30 => {
            let zeros = core::iter::repeat('0');
            let digits: String = number.digits.chars().chain(zeros).take(wanted as usize).collect();
            digits.parse().ok()
        }
        _ => None,
    };
    let sign = if number.negative { -1 } else { 1 };
    let whole = whole.and_then(|whole| i64::try_from(sign * whole).ok());
    match (whole, number.digits.len() as i128 > wanted) {
        (Some(whole), false) => Ok(whole),
        (Some(_), true) => Err(vec![NumberError::Inexact]),
        (None, false) => Err(vec![NumberError::OutOfRange]),
        (None, true) => Err(vec![NumberError::OutOfRange, NumberError::Inexact]),
    }
}

/// The order of two numbers; `None` when both are beyond what an exponent is read to.
pub fn compare(one: &str, other: &str) -> Option<Ordering> {
    let (one, other) = (Decimal::of(one), Decimal::of(other));
    let limit = i128::from(u32::MAX);
    if one.before_point.abs() > limit && other.before_point.abs() > limit {
        return None;
    }
    let size = |number: &Decimal| match number.digits.is_empty() {
        true => (i128::MIN, String::new()),
        false => (number.before_point, number.digits.clone()),
    };
    Some(match (one.negative, other.negative) {
        (false, false) => size(&one).cmp(&size(&other)),
        (true, true) => size(&other).cmp(&size(&one)),
        (negative, _) => match negative {
            true => Ordering::Less,
            false => Ordering::Greater,
        },
    })
}
