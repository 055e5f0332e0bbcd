//! The settings between the parentheses of an attribute.

use std::fmt::Write;

use proc_macro2::Span;
use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, Lit, LitBool, LitStr, Result, Token};

/// One setting: `name` or `name = value`.
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) span: Span,
    value: Option<Expr>,
}

impl Setting {
    /// Reads the setting that the parser is at.
    pub(crate) fn read(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let name = meta.path.to_token_stream().to_string();
        let value = match meta.input.peek(Token![=]) {
            true => Some(meta.value()?.parse()?),
            false => None,
        };
        Ok(Self { name, span: meta.path.span(), value })
    }

    /// The value.
    pub(crate) fn value(self) -> Result<Expr> {
        let Self { name, span, value } = self;
        value.ok_or_else(|| Error::new(span, format!("`{name}` needs a value: `{name} = …`")))
    }

    /// The value, which is a string literal.
    pub(crate) fn text(self) -> Result<LitStr> {
        let name = self.name.clone();
        match self.value()? {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
            other => Err(Error::new(other.span(), format!("`{name}` is a string: `{name} = \"…\"`"))),
        }
    }

    /// Whether a flag is set: `name`, `name = true` or `name = false`.
    pub(crate) fn flag(self) -> Result<bool> {
        match self.value {
            None => Ok(true),
            Some(Expr::Lit(ExprLit { lit: Lit::Bool(LitBool { value, .. }), .. })) => Ok(value),
            Some(other) => {
                let name = self.name;
                Err(Error::new(other.span(), format!("`{name}` is a flag: `{name}` or `{name} = false`")))
            }
        }
    }

    /// The error for a name that the attribute does not have.
    pub(crate) fn unknown(&self, attribute: &str, known: &[&str]) -> Error {
        let mut message = format!("`{attribute}` has no setting `{}`; it has ", self.name);
        for (place, name) in known.iter().enumerate() {
            let separator = match place {
                0 => "",
                _ if place + 1 == known.len() => " and ",
                _ => ", ",
            };
            // Writing to a string does not fail.
            let _ = write!(message, "{separator}`{name}`");
        }
        Error::new(self.span, message)
    }
}

/// Sets an option once.
pub(crate) fn set<T>(place: &mut Option<T>, name: &str, span: Span, value: T) -> Result<()> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::new(span, format!("`{name}` is set twice"))),
    }
}
