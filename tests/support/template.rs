//! URI templates of RFC 6570 level 1, matched by trying everything.

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text that stands for itself, as UTF-16 code units.
    Literal(Vec<u16>),
    /// A variable of this name.
    Variable(String),
}

/// The pieces of `text`, if it is a template that a reader can tell apart.
pub fn pieces(text: &str) -> Option<Vec<Piece>> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = text;
    loop {
        let (literal, behind) = rest.split_once('{').unwrap_or((rest, ""));
        let has_variable = literal.len() < rest.len();
        if literal.contains('}') {
            return None;
        }
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal.encode_utf16().collect()));
        }
        if !has_variable {
            return Some(pieces);
        }
        let (name, behind) = behind.split_once('}')?;
        let is_name = |character: char| character.is_ascii_alphanumeric() || "_.%".contains(character);
        let touches = matches!(pieces.last(), Some(Piece::Variable(_)));
        if touches || name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        pieces.push(Piece::Variable(name.to_owned()));
        rest = behind;
    }
}

/// What each variable stands for in `uri`, as places in its code units: the first value that works, each as short as can
/// be.
pub fn values(pieces: &[Piece], uri: &[u16]) -> Option<Vec<(String, core::ops::Range<usize>)>> {
    values_from(pieces, uri, 0)
}

fn values_from(
    pieces: &[Piece],
    uri: &[u16],
    start: usize,
) -> Option<Vec<(String, core::ops::Range<usize>)>> {
    match pieces.split_first() {
        None => (start == uri.len()).then(Vec::new),
        Some((Piece::Literal(text), rest)) => {
            uri[start..].starts_with(text).then_some(())?;
            values_from(rest, uri, start + text.len())
        }
        Some((Piece::Variable(name), rest)) => (start + 1..=uri.len())
            .take_while(|end| uri[start..*end].iter().all(|unit| is_of_a_value(*unit)))
            .find_map(|end| {
                let mut values = values_from(rest, uri, end)?;
                values.insert(0, (name.clone(), start..end));
                Some(values)
            }),
    }
}

/// Unreserved, or a part of a percent-encoded character.
fn is_of_a_value(unit: u16) -> bool {
    u8::try_from(unit).is_ok_and(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte))
}
