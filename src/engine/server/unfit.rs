//! A call whose arguments do not fit its tool.

use super::ToolContent;
use crate::json::Object;
#[cfg(feature = "macros")]
use crate::json::{AsText, Escaped};
#[cfg(feature = "macros")]
use crate::mcp::Explained;
use crate::mcp::{ArgumentError, Tool};

/// Head of the text.
const HEAD: &str = "Invalid arguments for ";

/// A call whose arguments do not fit the parameters of its tool.
#[derive(Debug)]
pub struct Unfit<'a> {
    tool: &'a Tool<'a>,
    #[cfg(feature = "macros")]
    arguments: Object<'a>,
    error: ArgumentError<'a>,
}

impl<'a> Unfit<'a> {
    #[cfg_attr(not(feature = "macros"), allow(unused_variables, reason = "only the macros explain"))]
    pub(super) const fn new(tool: &'a Tool<'a>, arguments: Object<'a>, error: ArgumentError<'a>) -> Self {
        Self {
            tool,
            #[cfg(feature = "macros")]
            arguments,
            error,
        }
    }

    /// Adds the name of the argument and its fault.
    pub(crate) fn write<'r, 'm>(&self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
        let head = [HEAD, self.tool.name()];
        match self.tool.is_terse() {
            true => content.text(head.as_slice()),
            false => content.text_about(&head, self.error.member, self.error.fault.as_str()),
        }
    }
}

#[cfg(feature = "macros")]
impl Unfit<'_> {
    /// Adds the place of the fault too, and what would fit.
    pub(crate) fn explain<'r, 'm>(&self, content: ToolContent<'r, 'm>) -> ToolContent<'r, 'm> {
        match self.tool.explain(self.arguments) {
            Some(explained) => content.text(Text { tool: self.tool.name(), explained }),
            None => self.write(content),
        }
    }
}

/// The text with details.
#[cfg(feature = "macros")]
struct Text<'a> {
    tool: &'a str,
    explained: Explained<'a>,
}

#[cfg(feature = "macros")]
impl AsText for Text<'_> {
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
        [HEAD, self.tool, ": "].write_inside(string);
        self.explained.write_inside(string);
    }
}
