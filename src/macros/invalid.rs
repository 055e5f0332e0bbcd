//! The error of an argument that cannot be read.

use crate::engine::{Outcome, ToolReply};

/// Error of an [`Argument`](super::Argument) that cannot be read. The client gets a tool error that names the tool and the argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidArgument {
    /// Empty while the name is not known.
    name: &'static str,
    fault: &'static str,
}

impl InvalidArgument {
    /// The engine has checked values against the schema before they are read.
    pub(super) const UNFIT: Self = Self::new("does not fit the schema");
    pub(super) const OUT_OF_RANGE: Self = Self::new("is out of range");
    pub(super) const TOO_LONG: Self = Self::new("is too long");
    pub(super) const SURROGATE: Self = Self::new("has half a surrogate pair");

    /// An error with a phrase that a model can act on: `is too long`.
    pub const fn new(fault: &'static str) -> Self {
        Self { name: "", fault }
    }

    /// The error of the argument with this name, unless a member inside it is named already.
    #[must_use]
    pub const fn in_argument(self, name: &'static str) -> Self {
        match self.name.is_empty() {
            true => Self { name, ..self },
            false => self,
        }
    }

    /// Answers the call of a tool.
    pub fn answer(self, tool: &str, reply: ToolReply<'_, '_>) -> Outcome {
        reply.fail(["Invalid arguments for ", tool, ": ", self.name, ": ", self.fault])
    }
}
