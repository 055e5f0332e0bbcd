//! The error of an argument that cannot be read.

use core::num::NonZeroUsize;

use super::path;
use crate::json::RawValue;

/// Error of an [`Argument`](super::Argument) that cannot be read. The client gets a tool error that names the tool and the argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidArgument {
    fault: &'static str,
    /// Address of the value.
    address: Option<NonZeroUsize>,
}

impl InvalidArgument {
    /// The engine has checked values against the schema before they are read.
    pub(super) const UNFIT: Self = Self::new("does not fit the schema");
    pub(super) const OUT_OF_RANGE: Self = Self::new("is out of range");
    pub(super) const TOO_LONG: Self = Self::new("is too long");
    pub(super) const SURROGATE: Self = Self::new("has half a surrogate pair");

    /// An error with a phrase that a model can act on: `is too long`.
    pub const fn new(fault: &'static str) -> Self {
        Self { fault, address: None }
    }

    /// The error of this value, unless it is that of a value inside.
    #[must_use]
    pub fn at(self, value: RawValue<'_>) -> Self {
        match self.address {
            None => Self { address: NonZeroUsize::new(path::address(value)), ..self },
            Some(_) => self,
        }
    }

    pub(super) const fn fault(self) -> &'static str {
        self.fault
    }

    pub(super) const fn address(self) -> Option<NonZeroUsize> {
        self.address
    }
}
