//! Faults of a result.

use core::fmt;

use super::shape::DEPTH;
use crate::json::Kind;

/// The first fault of a result: which member, and what is wrong with it. See [`check_result`](super::check_result).
///
/// It is displayed as a sentence without a full stop: ``"`tools[2].name` is missing: it must be a string"``. The names
/// are those of the schema, never text from the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ResultError {
    pub(super) path: [Step; DEPTH],
    pub(super) fault: ResultFault,
}

/// The kinds of faults of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ResultFault {
    /// A required member is missing.
    Missing {
        /// The kind of value required: `an array`.
        expected: &'static str,
    },
    /// A member or an element is of a kind that the schema does not allow.
    WrongKind {
        /// The kind in the schema: `an array`.
        expected: &'static str,
        /// The kind of the value. It is the same kind for a string that the schema does not list.
        found: Kind,
    },
    /// A member occurs twice.
    Repeated,
}

/// One step of the way from the result to the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) enum Step {
    None,
    /// A reference to the name in the table of its shape, which keeps the error small.
    Member(&'static &'static str),
    Element(u32),
}

impl ResultError {
    /// The kind of the fault.
    pub const fn fault(&self) -> ResultFault {
        self.fault
    }
}

impl fmt::Display for ResultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`")?;
        for (depth, step) in self.path.iter().enumerate() {
            match step {
                Step::None => {}
                Step::Member(name) if depth == 0 => f.write_str(name)?,
                Step::Member(name) => write!(f, ".{name}")?,
                Step::Element(index) => write!(f, "[{index}]")?,
            }
        }
        f.write_str("` ")?;
        match self.fault {
            ResultFault::Missing { expected } => write!(f, "is missing: it must be {expected}"),
            ResultFault::WrongKind { expected, found } => {
                write!(f, "is {}, but must be {expected}", of_kind(found))
            }
            ResultFault::Repeated => f.write_str("occurs twice"),
        }
    }
}

impl core::error::Error for ResultError {}

const fn of_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}
