//! Kinds of methods, and the attributes that mark them.

use syn::{Attribute, Error, FnArg, ImplItemFn, Result};

/// Kinds of methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Tool,
    Resource,
    Prompt,
    /// A method of the trait `Handler`, written by the user.
    Handler,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Tool, Self::Resource, Self::Prompt, Self::Handler];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Prompt => "prompt",
            Self::Handler => "handler",
        }
    }

    fn of(attribute: &Attribute) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| attribute.path().is_ident(kind.name()))
    }

    /// Name of the request, and of the reply, as the types of parameters of a method that is not `async`.
    pub(super) const fn context(self) -> [&'static str; 2] {
        match self {
            Self::Resource => ["ResourceRead", "ResourceReply"],
            Self::Prompt => ["PromptGet", "PromptReply"],
            Self::Tool | Self::Handler => ["ToolCall", "ToolReply"],
        }
    }
}

/// The kind of a method, if it has the attribute of one.
pub(super) fn kind(function: &ImplItemFn) -> Result<Option<Kind>> {
    let mut found = None;
    for attribute in &function.attrs {
        if let Some(kind) = Kind::of(attribute)
            && found.replace(kind).is_some()
        {
            let message = "a method is one tool, one resource, one prompt, or one method of the handler";
            return Err(Error::new_spanned(attribute, message));
        }
    }
    if found == Some(Kind::Handler) {
        let attribute = function.attrs.iter().find(|attribute| attribute.path().is_ident("handler"));
        if let Some(attribute) = attribute {
            attribute.meta.require_path_only()?;
        }
    }
    Ok(found)
}

/// Removes the attributes that only the macro understands. Doc comments of parameters are among them.
pub(super) fn strip(function: &mut ImplItemFn) {
    let is_marked = function.attrs.iter().any(|attribute| Kind::of(attribute).is_some());
    function.attrs.retain(|attribute| Kind::of(attribute).is_none());
    if !is_marked {
        return;
    }
    for input in &mut function.sig.inputs {
        if let FnArg::Typed(input) = input {
            input
                .attrs
                .retain(|attribute| !["arg", "doc"].iter().any(|name| attribute.path().is_ident(name)));
        }
    }
}
