//! Defaults of arguments.

use std::fmt::Write;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Lit, Type};

use crate::literal::{literal, number};

/// The expression for the default of an argument of this type. A literal is one of any text.
pub(crate) fn value(default: &Expr, ty: &Type) -> TokenStream {
    match literal(default) {
        Some((Lit::Str(_), false)) => {
            // The trait as often as needed, but always in the same words, so that the compiler reports another type only once.
            let text = quote_spanned!(default.span()=> <#ty as ::barewire::macros::TextDefault>);
            quote_spanned! {default.span()=> {
                const TEXT: &str = ::barewire::macros::fitting(#default, #text::CAPACITY);
                #text::from_literal(TEXT)
            }}
        }
        _ => quote!(#default),
    }
}

/// The JSON of a default that is a literal.
pub(crate) fn json(default: &Expr) -> Option<String> {
    match literal(default)? {
        (Lit::Str(text), false) => Some(quoted(&text.value())),
        (Lit::Bool(flag), false) => Some(flag.value.to_string()),
        _ => number(default),
    }
}

fn quoted(text: &str) -> String {
    let mut json = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            // Writing to a string does not fail.
            '\0'..' ' => drop(write!(json, "\\u{:04x}", u32::from(character))),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn literals_are_json() {
        let cases: [(Expr, &str); 6] = [
            (parse_quote!("a \"b\"\\\n\u{e9}"), "\"a \\\"b\\\"\\\\\\u000a\u{e9}\""),
            (parse_quote!(true), "true"),
            (parse_quote!(-3), "-3"),
            (parse_quote!(0x10_u8), "16"),
            (parse_quote!(1.), "1.0"),
            (parse_quote!(""), "\"\""),
        ];
        for (default, expected) in cases {
            assert_eq!(json(&default).as_deref(), Some(expected));
        }
        for other in [parse_quote!(LIMIT), parse_quote!(Mode::Fan), parse_quote!(b"a"), parse_quote!('a')] {
            assert_eq!(json(&other), None);
        }
    }
}
