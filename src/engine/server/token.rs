//! Names of deferred calls and of tasks.

/// Name of a deferred call until it is completed or cancelled. Never used twice, up to 2^32 calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CallToken(pub(super) u32);

impl CallToken {
    /// The token as a number: to pass through C, or into a register.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The token with a number from [`to_bits`](CallToken::to_bits). Any other number is in flight only by chance.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// Name of a task, for the application. Never used twice, up to 2^32 tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TaskToken(pub(super) u32);

impl TaskToken {
    /// The token as a number: to pass through C, or into a register.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The token with a number from [`to_bits`](TaskToken::to_bits).
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}
