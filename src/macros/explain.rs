//! Errors about arguments with details, in servers whose tools have arguments with details.

use crate::engine::{ToolContent, Unfit};
use crate::mcp::{Tool, Type};

/// Adds the text about arguments that do not fit the parameters.
pub fn explain<'r, 'm, const DETAILS: bool>(
    unfit: &Unfit<'_>,
    content: ToolContent<'r, 'm>,
) -> ToolContent<'r, 'm> {
    match DETAILS {
        true => unfit.explain(content),
        false => unfit.write(content),
    }
}

/// Whether an error about an argument of one of these tools can have details.
pub const fn have_details(mut tools: &[Tool<'_>]) -> bool {
    while let [tool, rest @ ..] = tools {
        if tool.has_details() {
            return true;
        }
        tools = rest;
    }
    false
}

/// Whether an argument of this type has parts.
pub const fn has_parts(ty: Type<'_>) -> bool {
    ty.has_parts()
}
