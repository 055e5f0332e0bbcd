//! Progress of a call or a task.

use core::num::NonZeroU8;

use crate::json::Writer;

/// Progress of a call or a task. Each report must be greater than the one before (MCP progress).
///
/// Where a `Progress` is expected, a number will do.
///
/// ```
/// use barewire::engine::Progress;
///
/// let half = Progress::new(50).of(100).with_message("halfway");
/// assert_eq!(Progress::new(0.5), Progress::from(0.5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Progress<'a> {
    pub(super) progress: Decimal,
    pub(super) total: Option<Decimal>,
    pub(super) message: Option<&'a str>,
}

impl<'a> Progress<'a> {
    /// Progress so far, in any unit: an integer, a float or a [`Decimal`].
    pub fn new(progress: impl Into<Decimal>) -> Self {
        Self { progress: progress.into(), total: None, message: None }
    }

    /// Adds the total, in the same unit.
    pub fn of(self, total: impl Into<Decimal>) -> Self {
        Self { total: Some(total.into()), ..self }
    }

    /// Adds a message that describes the current step (2025-03-26 and later).
    pub const fn with_message(self, message: &'a str) -> Self {
        Self { message: Some(message), ..self }
    }

    /// The progress without its message, which can be sent to another thread, and the message.
    #[cfg(feature = "std")]
    pub const fn without_message(self) -> (Progress<'static>, Option<&'a str>) {
        let Self { progress, total, message } = self;
        (Progress { progress, total, message: None }, message)
    }
}

impl<N: Into<Decimal>> From<N> for Progress<'_> {
    fn from(progress: N) -> Self {
        Self::new(progress)
    }
}

/// Number with decimals, without a float: `Decimal::new(2375, 2)` is 23.75.
///
/// A float becomes the decimal number with the fewest decimals that is equal to it, or has nine of them. What does not fit is cut to the
/// limits of `i64`, and a float that is not a number is 0.
///
/// ```
/// use barewire::engine::Decimal;
///
/// assert_eq!(Decimal::from(23.75), Decimal::new(2375, 2));
/// assert_eq!(Decimal::from(0.1_f32), Decimal::new(1, 1));
/// assert_eq!(Decimal::from(1.0 / 3.0), Decimal::new(333_333_333, 9));
/// assert_eq!(Decimal::from(3_u8), Decimal::new(3, 0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Decimal {
    pub(in crate::engine::server) units: i64,
    /// Number of decimals and one.
    pub(in crate::engine::server) places: NonZeroU8,
}

impl Decimal {
    /// Most decimals of a number that was a float.
    const MOST: u8 = 9;

    /// The number of `units` with this number of decimals.
    pub const fn new(units: i64, decimals: u8) -> Self {
        Self { units, places: NonZeroU8::MIN.saturating_add(decimals) }
    }

    pub(super) fn write(self, json: &mut Writer<'_, '_>) {
        json.fixed(self.units, self.places.get().saturating_sub(1));
    }

    /// Whether this number is greater than the other.
    pub(super) fn exceeds(self, other: Self) -> bool {
        let (mut units, mut other_units) = (self.units, other.units);
        for _ in other.places.get()..self.places.get() {
            other_units = tenfold(other_units);
        }
        for _ in self.places.get()..other.places.get() {
            units = tenfold(units);
        }
        units > other_units
    }

    /// The decimal number with the fewest decimals that `is_same`, or with as many as there may be.
    fn of_float(value: f64, is_same: impl Fn(f64) -> bool) -> Self {
        let (mut decimals, mut scale) = (0, 1.0);
        loop {
            let scaled = value * scale;
            let units = (scaled + if scaled < 0.0 { -0.5 } else { 0.5 }) as i64;
            // A larger number has no room for a further decimal.
            let is_full = decimals == Self::MOST || scaled.abs() >= 1e15;
            if is_full || is_same(units as f64 / scale) {
                return Self::new(units, decimals);
            }
            decimals = decimals.saturating_add(1);
            scale *= 10.0;
        }
    }
}

/// Ten times the units, or the limit of `i64` where that might not fit.
const fn tenfold(units: i64) -> i64 {
    let sign = units >> 63;
    match units >> 59 == sign {
        true => units.wrapping_mul(10),
        false => i64::MAX ^ sign,
    }
}

impl From<f64> for Decimal {
    fn from(value: f64) -> Self {
        Self::of_float(value, |other| other == value)
    }
}

impl From<f32> for Decimal {
    fn from(value: f32) -> Self {
        Self::of_float(f64::from(value), |other| other as f32 == value)
    }
}

macro_rules! integers {
    ($($small:ty)*; $($large:ty)*) => {
        $(impl From<$small> for Decimal {
            fn from(units: $small) -> Self {
                Self::new(i64::from(units), 0)
            }
        })*
        $(impl From<$large> for Decimal {
            fn from(units: $large) -> Self {
                Self::new(i64::try_from(units).unwrap_or(i64::MAX), 0)
            }
        })*
    };
}

integers!(i8 i16 i32 i64 u8 u16 u32; u64 usize isize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_different_decimals_are_compared() {
        let ascending = [
            Decimal::new(i64::MIN, 0),
            Decimal::new(-1, 0),
            Decimal::new(-99, 2),
            Decimal::new(0, 5),
            Decimal::new(1, 9),
            Decimal::new(5, 1),
            Decimal::new(51, 2),
            Decimal::new(1, 0),
            Decimal::new(i64::MAX - 1, 9),
            Decimal::new(i64::MAX, 0),
        ];
        for (place, one) in ascending.into_iter().enumerate() {
            for (other_place, other) in ascending.into_iter().enumerate() {
                assert_eq!(one.exceeds(other), place > other_place, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn floats_have_as_few_decimals_as_they_need() {
        for (value, expected) in [
            (0.0, Decimal::new(0, 0)),
            (-2.5, Decimal::new(-25, 1)),
            (99.99, Decimal::new(9999, 2)),
            (1e-12, Decimal::new(0, 9)),
            (2.0 / 3.0, Decimal::new(666_666_667, 9)),
            (1e15 + 0.5, Decimal::new(1_000_000_000_000_001, 0)),
            (1e300, Decimal::new(i64::MAX, 0)),
            (f64::NEG_INFINITY, Decimal::new(i64::MIN, 0)),
            (f64::NAN, Decimal::new(0, Decimal::MOST)),
        ] {
            assert_eq!(Decimal::from(value), expected, "{value}");
        }
    }
}
