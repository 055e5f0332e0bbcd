//! Options with a number of seconds.

use std::time::Duration;

/// A number of seconds, with or without a fraction.
///
/// # Errors
/// A phrase that names the expected form.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 =
        text.parse().map_err(|_| "expected a number of seconds without a unit, e.g. 0.5".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|_| "expected a number between 0 and about 10^19".to_owned())
}

#[cfg(test)]
mod tests {
    use super::seconds;
    use std::time::Duration;

    #[test]
    fn seconds_have_no_unit_and_no_sign() {
        assert_eq!(seconds("60"), Ok(Duration::from_secs(60)));
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("0"), Ok(Duration::ZERO));
        for unit in ["500ms", "1s", "", "1,5", "one"] {
            assert!(seconds(unit).is_err_and(|why| why.contains("without a unit")), "{unit}");
        }
        for size in ["-1", "1e30", "inf", "NaN"] {
            assert!(seconds(size).is_err_and(|why| why.contains("between")), "{size}");
        }
    }
}
