//! A number view against the standard library, serde_json and exact decimals.

use barewire::json::{Number, NumberError};

use crate::support::{decimal, texts};

/// `number` is the view of `text`.
pub(super) fn shows(number: Number<'_>, text: &str) {
    assert_eq!(number.as_str(), text);
    assert_eq!(number.as_bytes(), text.as_bytes());
    assert_eq!(number.to_string(), text);

    let integer = decimal::integer(text);
    assert_eq!(number.is_integer(), integer != Err(NumberError::NotAnInteger), "{text}");
    let [signed, unsigned] = [number.to_i64().map(i128::from), number.to_u64().map(i128::from)];
    let fits = |range: core::ops::RangeInclusive<i128>| match integer {
        Ok(integer) if range.contains(&integer) => Ok(integer),
        Ok(_) => Err(NumberError::OutOfRange),
        Err(error) => Err(error),
    };
    assert_eq!(signed, fits(i64::MIN.into()..=i64::MAX.into()), "{text}");
    assert_eq!(unsigned, fits(0..=u64::MAX.into()), "{text}");
    assert_eq!(format!("{number:?}"), format!("Number({text})"));

    for error in [signed.err(), unsigned.err()].into_iter().flatten() {
        assert_eq!(error.to_string(), texts::of_number(error));
    }

    let double = number.to_f64();
    assert_eq!(Ok(double.to_bits()), text.parse::<f64>().map(f64::to_bits), "{text}");
    match serde_json::from_str::<f64>(text) {
        Ok(expected) => assert_eq!(double.to_bits(), expected.to_bits(), "{text}"),
        Err(_) => assert!(double.is_infinite(), "{text}"),
    }

    for decimals in [0, 1, 2, 6, 18, 19, 20, 255] {
        let found = number.to_fixed(decimals);
        match (decimal::fixed(text, decimals), found) {
            (Ok(expected), _) => assert_eq!(found, Ok(expected), "{text} with {decimals}"),
            (Err(expected), Err(found)) => {
                assert!(expected.contains(&found), "{text} with {decimals}: {found}");
                assert_eq!(found.to_string(), texts::of_number(found));
            }
            (Err(_), Ok(found)) => panic!("{text} with {decimals} is not {found}"),
        }
    }
}

/// Two numbers stand in the order of their values.
pub(super) fn are_in_order(one: (Number<'_>, &str), other: (Number<'_>, &str)) {
    if let Some(expected) = decimal::compare(one.1, other.1) {
        assert_eq!(one.0.compare(other.0), expected, "{} and {}", one.1, other.1);
        assert_eq!(other.0.compare(one.0), expected.reverse(), "{} and {}", other.1, one.1);
    }
}
