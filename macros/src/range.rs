//! Ranges of parameters.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, ExprUnary, Lit, Result, Type, UnOp};

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
            let [min, max] = [&self.min, &self.max].map(|bound| optional(bound.as_ref().and_then(float)));
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

    fn check_floats(&self) -> Result<()> {
        for bound in self.min.iter().chain(&self.max) {
            if float(bound).is_none() {
                return Err(Error::new(bound.span(), "a bound of a float is a literal, e.g. 0.5"));
            }
        }
        let [min, max] = [&self.min, &self.max].map(|bound| float(bound.as_ref()?)?.parse::<f64>().ok());
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

/// A literal, and whether it is negative.
fn literal(bound: &Expr) -> Option<(&Lit, bool)> {
    match bound {
        Expr::Lit(ExprLit { lit, .. }) => Some((lit, false)),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
            Expr::Lit(ExprLit { lit, .. }) => Some((lit, true)),
            _ => None,
        },
        _ => None,
    }
}

/// The value of an integer literal.
fn integer(bound: &Expr) -> Option<i128> {
    match literal(bound)? {
        (Lit::Int(value), is_negative) => {
            let value: i128 = value.base10_parse().ok()?;
            Some(if is_negative { -value } else { value })
        }
        _ => None,
    }
}

/// The text of a bound of a float, as JSON has it.
fn float(bound: &Expr) -> Option<String> {
    let (digits, is_negative) = match literal(bound)? {
        (Lit::Int(value), is_negative) => (value.base10_digits().to_string(), is_negative),
        (Lit::Float(value), is_negative) => (value.base10_digits().to_string(), is_negative),
        _ => return None,
    };
    // JSON has no `1.` and no `1.e3`.
    let digits = digits.replace(".e", ".0e");
    let digits = if digits.ends_with('.') { format!("{digits}0") } else { digits };
    Some(if is_negative { format!("-{digits}") } else { digits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn bounds_of_floats_are_json() {
        let cases: [(Expr, &str); 6] = [
            (parse_quote!(0.5), "0.5"),
            (parse_quote!(-40), "-40"),
            (parse_quote!(1.), "1.0"),
            (parse_quote!(1_000.5e3), "1000.5e3"),
            (parse_quote!(-2e-3), "-2e-3"),
            (parse_quote!(7f32), "7"),
        ];
        for (bound, expected) in cases {
            assert_eq!(float(&bound).as_deref(), Some(expected));
        }
        assert!(float(&parse_quote!(LIMIT)).is_none());
    }
}
