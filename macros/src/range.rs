//! Ranges of parameters.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, Lit, Result, Type};

use crate::literal::{integer, number};
use crate::types;

/// The bounds of a parameter, as written.
#[derive(Default)]
pub(crate) struct Range {
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
}

impl Range {
    /// The expression `ty` for a type in a schema, with this range.
    pub(crate) fn apply(&self, declared: &Type, ty: TokenStream) -> TokenStream {
        let Some(bound) = self.min.as_ref().or(self.max.as_ref()) else {
            return ty;
        };
        let span = bound.span();
        if types::is_float(declared) {
            let [min, max] = [&self.min, &self.max].map(|bound| optional(bound.as_ref().and_then(number)));
            return quote_spanned!(span=> ::barewire::macros::narrow_number(#ty, #min, #max));
        }
        let [min, max] = [&self.min, &self.max].map(|bound| {
            optional(bound.as_ref().map(|bound| match integer(bound) {
                Some(_) => quote!(#bound),
                None => quote_spanned!(bound.span()=> (#bound) as i64),
            }))
        });
        quote_spanned!(span=> ::barewire::macros::narrow(#ty, #min, #max))
    }

    /// Checks what can be seen here, where an error can point at the bound. The compiler checks the rest, when it evaluates the table.
    pub(crate) fn check(&self, declared: &Type) -> Result<()> {
        if let (Some(bound), true) =
            (self.min.as_ref().or(self.max.as_ref()), types::is_named(declared, "bool"))
        {
            let message = "this type has no range: `min` and `max` are for numbers, texts and lists";
            return Err(Error::new(bound.span(), message));
        }
        match types::is_float(declared) {
            true => self.check_floats(),
            false => self.check_integers(declared),
        }
    }

    /// Checks that a default is in the range, as far as that can be seen here.
    pub(crate) fn check_default(&self, default: &Expr) -> Result<()> {
        let [value, min, max] = [Some(default), self.min.as_ref(), self.max.as_ref()]
            .map(|bound| number(bound?)?.parse::<f64>().ok());
        match value {
            Some(value) if min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max) => {
                Err(Error::new(default.span(), "the default is out of range"))
            }
            _ => Ok(()),
        }
    }

    fn check_floats(&self) -> Result<()> {
        for bound in self.min.iter().chain(&self.max) {
            if number(bound).is_none() {
                return Err(Error::new(bound.span(), "a bound of a float is a literal, e.g. 0.5"));
            }
        }
        let [min, max] = [&self.min, &self.max].map(|bound| number(bound.as_ref()?)?.parse::<f64>().ok());
        match (min, max, &self.min) {
            (Some(least), Some(most), Some(bound)) if least > most => Err(empty(bound)),
            _ => Ok(()),
        }
    }

    fn check_integers(&self, declared: &Type) -> Result<()> {
        let [min, max] = [&self.min, &self.max].map(|bound| bound.as_ref().and_then(integer));
        for (bound, value) in [(&self.min, min), (&self.max, max)] {
            if let Some(bound) = bound
                && matches!(bound, Expr::Lit(ExprLit { lit, .. }) if !matches!(lit, Lit::Int(_)))
            {
                return Err(Error::new(bound.span(), "a bound of this type is an integer"));
            }
            if let (Some(bound), Some(value), Some((least, most))) =
                (bound, value, types::integer_range(declared))
                && !(least..=most).contains(&value)
            {
                let message = format!("out of range: this type has {least} to {most} in a schema");
                return Err(Error::new(bound.span(), message));
            }
        }
        match (min, max, &self.min) {
            (Some(least), Some(most), Some(bound)) if least > most => Err(empty(bound)),
            _ => Ok(()),
        }
    }
}

fn empty(bound: &Expr) -> Error {
    Error::new(bound.span(), "the range is empty: `min` is greater than `max`")
}

fn optional<T: quote::ToTokens>(bound: Option<T>) -> TokenStream {
    match bound {
        Some(bound) => quote!(::core::option::Option::Some(#bound)),
        None => quote!(::core::option::Option::None),
    }
}
