//! Long numbers in tables.

/// A number of 64 bits that lies where one of 32 may: no room is lost to its alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Wide {
    low: u32,
    high: u32,
}

impl Wide {
    #[allow(clippy::cast_possible_truncation, reason = "it is cut in two")]
    pub(crate) const fn new(number: u64) -> Self {
        Self { low: number as u32, high: (number >> 32) as u32 }
    }

    pub(crate) const fn get(self) -> u64 {
        (self.high as u64) << 32 | self.low as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_number_is_what_it_was() {
        for number in [0, 1, u64::from(u32::MAX), 1 << 32, u64::MAX - 1] {
            assert_eq!(Wide::new(number).get(), number);
        }
    }
}
