//! Descriptions out of doc comments.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text of the doc comments, or `None` if there are none. The lines of a paragraph are joined by spaces; a line of a list or a
/// code block stays a line.
pub(crate) fn description(attributes: &[Attribute]) -> Option<String> {
    let comments: Vec<String> = attributes.iter().filter_map(comment).collect();
    let mut text = String::new();
    let mut in_code = false;
    let mut ends_line = true;
    for line in comments.iter().flat_map(|comment| comment.split('\n')) {
        let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
        let is_fence = line.trim_start().starts_with("```");
        let joins = !(in_code || ends_line || is_fence || line.is_empty() || begins_an_item(line));
        if !text.is_empty() {
            text.push(if joins { ' ' } else { '\n' });
        }
        text.push_str(if joins { line.trim_start() } else { line });
        in_code ^= is_fence;
        ends_line = is_fence || line.is_empty();
    }
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_string())
}

/// Whether a line begins an item of a list, a heading, a quotation or the row of a table.
fn begins_an_item(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|character: char| character.is_ascii_digit());
    line.starts_with(['#', '>', '|'])
        || ["- ", "* ", "+ "].iter().any(|bullet| line.starts_with(bullet))
        || (number.len() < line.len() && number.starts_with(". "))
}

/// The text of a doc comment.
fn comment(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn paragraphs_are_joined_and_lists_are_kept() {
        let attributes: Vec<Attribute> = vec![
            parse_quote!(#[doc = " Reads the temperature"]),
            parse_quote!(#[doc = " of a room."]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = " Units:"]),
            parse_quote!(#[doc = " - kelvin"]),
            parse_quote!(#[doc = " 2. celsius,"]),
            parse_quote!(#[doc = "    the default"]),
            parse_quote!(#[doc = " ```"]),
            parse_quote!(#[doc = " a"]),
            parse_quote!(#[doc = "   b"]),
            parse_quote!(#[doc = " ```"]),
        ];
        let expected =
            "Reads the temperature of a room.\n\nUnits:\n- kelvin\n2. celsius, the default\n```\na\n  b\n```";
        assert_eq!(description(&attributes).as_deref(), Some(expected));
        assert_eq!(description(&[parse_quote!(#[doc = " "])]), None);
        assert_eq!(description(&[parse_quote!(#[inline])]), None);
    }
}
