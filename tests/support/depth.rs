//! How deep a text nests, counted by its brackets alone.

/// Where the bracket stands that opens level `limit + 1`. Only strings are told apart; whether the text up to there is
/// JSON is for others to say.
pub fn passes(text: &[u8], limit: usize) -> Option<usize> {
    let mut open = 0usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                open += 1;
                if open > limit {
                    return Some(at);
                }
            }
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    None
}
