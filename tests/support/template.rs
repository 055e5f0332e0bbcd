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
    if has_broken_escape(text) {
        return None;
    }
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
        Some((Piece::Variable(name), rest)) => {
            (start + 1..=uri.len()).filter(|end| is_value(&uri[start..*end])).find_map(|end| {
                let mut values = values_from(rest, uri, end)?;
                values.insert(0, (name.clone(), start..end));
                Some(values)
            })
        }
    }
}

/// Unreserved characters and whole escapes.
fn is_value(units: &[u16]) -> bool {
    let text = String::from_utf16_lossy(units);
    let is_of_a_value = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte);
    text.bytes().all(is_of_a_value) && !has_broken_escape(&text)
}

/// Whether a percent sign outside of braces has no two digits after it.
fn has_broken_escape(text: &str) -> bool {
    let mut is_in_braces = false;
    text.char_indices().any(|(at, character)| {
        is_in_braces = (is_in_braces || character == '{') && character != '}';
        let digits = text.as_bytes().get(at + 1..at + 3).unwrap_or_default();
        character == '%' && !is_in_braces && (digits.len() < 2 || !digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// The percent-decoded value, if it is text without NUL.
pub fn decoded(units: &[u16]) -> Option<String> {
    let text = String::from_utf16(units).ok()?;
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        if *first == b'%' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}
