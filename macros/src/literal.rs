//! Literals in settings.

use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

/// A literal, and whether it is negative.
pub(crate) fn literal(expression: &Expr) -> Option<(&Lit, bool)> {
    match expression {
        Expr::Lit(ExprLit { lit, .. }) => Some((lit, false)),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
            Expr::Lit(ExprLit { lit, .. }) => Some((lit, true)),
            _ => None,
        },
        _ => None,
    }
}

/// The value of an integer literal.
pub(crate) fn integer(expression: &Expr) -> Option<i128> {
    match literal(expression)? {
        (Lit::Int(value), is_negative) => {
            let value: i128 = value.base10_parse().ok()?;
            Some(if is_negative { -value } else { value })
        }
        _ => None,
    }
}

/// The text of a number, as JSON has it.
pub(crate) fn number(expression: &Expr) -> Option<String> {
    let (digits, is_negative) = match literal(expression)? {
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
    fn numbers_are_json() {
        let cases: [(Expr, &str); 6] = [
            (parse_quote!(0.5), "0.5"),
            (parse_quote!(-40), "-40"),
            (parse_quote!(1.), "1.0"),
            (parse_quote!(1_000.5e3), "1000.5e3"),
            (parse_quote!(-2e-3), "-2e-3"),
            (parse_quote!(7f32), "7"),
        ];
        for (expression, expected) in cases {
            assert_eq!(number(&expression).as_deref(), Some(expected));
        }
        assert!(number(&parse_quote!(LIMIT)).is_none());
    }
}
