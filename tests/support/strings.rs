//! What a JSON string stands for, as UTF-16 code units: half a surrogate pair is one too.

/// The code units of `token`, a valid JSON string with its quotes.
pub fn units(token: &str) -> Vec<u16> {
    let mut rest = token[1..token.len() - 1].chars();
    let mut units = Vec::new();
    while let Some(character) = rest.next() {
        if character != '\\' {
            units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
            continue;
        }
        units.push(match rest.next() {
            Some('b') => 0x08,
            Some('f') => 0x0C,
            Some('n') => 0x0A,
            Some('r') => 0x0D,
            Some('t') => 0x09,
            Some('u') => {
                let digits: String = rest.by_ref().take(4).collect();
                u16::from_str_radix(&digits, 16).expect("four digits")
            }
            Some(itself) => itself as u16,
            None => panic!("a backslash at the end of {token}"),
        });
    }
    units
}

/// Whether `token` stands for `plain`.
pub fn is(token: &str, plain: &str) -> bool {
    units(token).into_iter().eq(plain.encode_utf16())
}

/// The characters, with an error for half a surrogate pair.
pub fn characters(token: &str) -> Vec<Result<char, ()>> {
    char::decode_utf16(units(token)).map(|character| character.map_err(|_| ())).collect()
}
