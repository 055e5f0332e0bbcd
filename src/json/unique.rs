//! Check that no object in a value, at any depth, has a member twice.

use heapless::Vec;

use super::{JsonStr, MAX_DEPTH, RawValue, Scanner};

/// Capacity for the names of open objects, and for the objects around them.
const ROOM: usize = 64;

/// Marks the start of an object among the names.
const OPEN: u64 = 0;

impl RawValue<'_> {
    /// Whether no object in the value has a member twice; names are compared after unescaping. One pass in constant memory:
    /// a name is compared by a hash of 64 bits, and only with the names of the objects that are open. More names than
    /// there is memory for count as repeated.
    pub(crate) fn has_unique_names(self) -> bool {
        let mut names: Vec<u64, ROOM> = Vec::new();
        let mut scanner = Scanner::new(self.as_bytes(), MAX_DEPTH);
        loop {
            let is_repeated = match scanner.peek() {
                b'"' => {
                    let start = scanner.position();
                    let is_valid = scanner.string().is_ok();
                    let string = RawValue::from_valid(scanner.since(start)).as_string();
                    scanner.white_space();
                    let Some(name) = string.filter(|_| is_valid && scanner.peek() == b':') else {
                        continue;
                    };
                    let name = hash(name);
                    let mut here = names.iter().rev().take_while(|name| **name != OPEN);
                    here.any(|other| *other == name) || names.push(name).is_err()
                }
                b'{' => names.push(OPEN).is_err(),
                b'}' => {
                    while names.pop().is_some_and(|name| name != OPEN) {}
                    false
                }
                // This byte stands for the end: no valid value has it outside of a string.
                0 => return true,
                _ => false,
            };
            if is_repeated {
                return false;
            }
            scanner.advance(1);
        }
    }
}

/// FNV-1a over the characters. Two names with the same hash count as repeated; only a peer that makes such names on
/// purpose is refused.
fn hash(name: JsonStr<'_>) -> u64 {
    let mut hash: u64 = 0xCBF2_9CE4_8422_2325;
    let mut steps = name.steps();
    while let Some(character) = steps.next() {
        hash = (hash ^ u64::from(character)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    hash.max(OPEN.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    fn is_unique(text: &str) -> bool {
        RawValue::new(text.as_bytes()).unwrap().has_unique_names()
    }

    #[test]
    fn a_name_is_unique_in_its_object() {
        for (text, expected) in [
            ("null", true),
            (r#""a""#, true),
            ("{}", true),
            (r#"{"a":1}"#, true),
            (r#"{"a":1,"b":2,"A":3,"":4,"a ":5,"aa":6}"#, true),
            (r#"{"a":1,"a":2}"#, false),
            (r#"{ "a" : 1 , "b" : 2 , "a" : 3 }"#, false),
            (r#"{"":1,"":2}"#, false),
            // Names are compared after unescaping.
            (r#"{"a":1,"\u0061":2}"#, false),
            (r#"{"\/":1,"/":2}"#, false),
            (r#"{"😀":1,"\ud83d\ude00":2}"#, false),
            (r#"{"\ud800":1,"\uD800":2}"#, false),
            (r#"{"\ud800":1,"\ud801":2}"#, true),
            // In the same object.
            (r#"{"a":{"a":{"a":1}}}"#, true),
            (r#"{"a":{"b":1},"b":{"a":1}}"#, true),
            (r#"[{"a":1},{"a":1}]"#, true),
            (r#"{"a":{"b":1},"a":2}"#, false),
            (r#"{"a":{"b":[[{"c":1,"c":2}]]}}"#, false),
            (r#"{"a":[{},{"b":{}},[]],"b":1,"a":[]}"#, false),
            // Strings that look like members.
            (r#"{"a":"a","b":"a"}"#, true),
            (r#"["a","a"]"#, true),
            (r#"{"a":"\"b\":1,\"b\":2","b":"{\"a\":1"}"#, true),
            (r#"{"a":"}","a":"{"}"#, false),
        ] {
            assert_eq!(is_unique(text), expected, "{text}");
        }
    }

    #[test]
    fn more_names_than_can_be_compared_are_not_unique() {
        let object = |count: usize| {
            let members: std::vec::Vec<_> = (0..count).map(|at| format!(r#""n{at}":{at}"#)).collect();
            format!("{{{}}}", members.join(","))
        };
        assert!(is_unique(&object(ROOM - 1)));
        assert!(!is_unique(&object(ROOM)));
        // Closed objects take no room.
        let many = [object(40), object(40), object(40)].join(",");
        assert!(is_unique(&format!("[{many}]")));
        let nested = |depth: usize| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        assert!(is_unique(&nested(ROOM / 2)));
        assert!(!is_unique(&nested(ROOM / 2 + 1)));
        assert!(is_unique(&format!("{}{}", "[".repeat(128), "]".repeat(128))));
    }

    #[test]
    fn short_names_have_different_hashes() {
        let mut hashes: std::vec::Vec<u64> = (0..0x1_0000_u32)
            .filter_map(char::from_u32)
            .filter(|character| !matches!(character, '"' | '\\' | '\0'..='\u{1f}'))
            .flat_map(|character| [format!("{character}"), format!("a{character}"), format!("{character}a")])
            .map(|name| hash(JsonStr::from_valid(name.as_bytes())))
            .collect();
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        // `aa` is among them twice.
        assert_eq!(hashes.len(), count - 1);
    }
}
