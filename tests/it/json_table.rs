//! JSON texts at the borders of the grammar: accepted, or the exact fault and its offset.

use barewire::json::ErrorKind::{
    self, ControlCharacter, InvalidEscape, InvalidLiteral, InvalidNumber, InvalidUtf8, TooDeep,
    TrailingBytes, UnexpectedByte, UnexpectedEnd,
};
use barewire::json::{RawValue, validate};

use crate::support::properties;

/// The first fault and its offset; none for a text that is accepted.
type Fault = Option<(ErrorKind, usize)>;

/// What it is about, the text, and its fault.
type Row = (&'static str, &'static [u8], Fault);

fn check(rows: &[Row]) {
    for (name, text, fault) in rows {
        let shown = text.escape_ascii();
        let found = validate(text).err().map(|error| (error.kind(), error.offset()));
        assert_eq!(found, *fault, "{name}: {shown}");
        let found = RawValue::new(text).err().map(|error| (error.kind(), error.offset()));
        assert_eq!(found, *fault, "{name}, as a value: {shown}");
        properties::scan(text);
        // Every edge of a word and of a block of 64 bytes in every place; some of them under Miri.
        properties::scan_behind(text, (0..=130).step_by(if cfg!(miri) { 61 } else { 1 }));
    }
}

#[test]
fn one_text() {
    check(&[
        ("empty", b"", Some((UnexpectedEnd, 0))),
        ("white space alone", b" \t\r\n", Some((UnexpectedEnd, 4))),
        ("white space around", b" \t\r\n0 \t\r\n", None),
        ("two values", b"1 2", Some((TrailingBytes, 2))),
        ("two objects", b"{}{}", Some((TrailingBytes, 2))),
        ("two lines", b"{}\n{}", Some((TrailingBytes, 3))),
        ("comma behind", b"{},", Some((TrailingBytes, 2))),
        ("bracket behind", b"[]]", Some((TrailingBytes, 2))),
        ("brace behind", b"1}", Some((TrailingBytes, 1))),
        ("word behind", b"true x", Some((TrailingBytes, 5))),
        ("NUL behind", b"1\0", Some((TrailingBytes, 1))),
        ("NUL before", b"\x001", Some((UnexpectedByte, 0))),
        ("NUL alone", b"\0", Some((UnexpectedByte, 0))),
        ("byte order mark", b"\xEF\xBB\xBF{}", Some((UnexpectedByte, 0))),
        ("byte order mark behind", b"{}\xEF\xBB\xBF", Some((TrailingBytes, 2))),
        ("byte order mark of UTF-16", b"\xFE\xFF\0{\0}", Some((UnexpectedByte, 0))),
        ("UTF-16 without one", b"{\0}\0", Some((UnexpectedByte, 1))),
        ("form feed", b"\x0C1", Some((UnexpectedByte, 0))),
        ("vertical tab", b"1\x0B", Some((TrailingBytes, 1))),
        ("no-break space", b"\xC2\xA01", Some((UnexpectedByte, 0))),
        ("line comment", b"1 // one", Some((TrailingBytes, 2))),
        ("block comment", b"[/**/]", Some((UnexpectedByte, 1))),
        ("hash comment", b"#\n1", Some((UnexpectedByte, 0))),
        ("comma alone", b",", Some((UnexpectedByte, 0))),
        ("colon alone", b":", Some((UnexpectedByte, 0))),
        ("bracket alone", b"]", Some((UnexpectedByte, 0))),
        ("brace alone", b"}", Some((UnexpectedByte, 0))),
        ("backslash alone", b"\\", Some((UnexpectedByte, 0))),
        ("word", b"not-json", Some((InvalidLiteral, 1))),
        ("other word", b"hello", Some((UnexpectedByte, 0))),
    ]);
}

#[test]
fn literals() {
    check(&[
        ("null", b"null", None),
        ("true", b"true", None),
        ("false", b"false", None),
        ("cut null", b"nul", Some((UnexpectedEnd, 3))),
        ("cut true", b"t", Some((UnexpectedEnd, 1))),
        ("cut false", b"fals", Some((UnexpectedEnd, 4))),
        ("wrong last letter", b"falsy", Some((InvalidLiteral, 4))),
        ("wrong case", b"True", Some((UnexpectedByte, 0))),
        ("wrong case inside", b"nULL", Some((InvalidLiteral, 1))),
        ("longer", b"nulll", Some((TrailingBytes, 4))),
        ("two in one", b"truefalse", Some((TrailingBytes, 4))),
        ("space inside", b"tr ue", Some((InvalidLiteral, 2))),
        ("cut in an array", b"[tru]", Some((InvalidLiteral, 4))),
        ("longer in an array", b"[nulls]", Some((UnexpectedByte, 5))),
        ("NUL inside", b"tru\0", Some((InvalidLiteral, 3))),
        ("not a number", b"NaN", Some((UnexpectedByte, 0))),
        ("not a number in small letters", b"nan", Some((InvalidLiteral, 1))),
        ("infinity", b"Infinity", Some((UnexpectedByte, 0))),
        ("undefined", b"undefined", Some((UnexpectedByte, 0))),
    ]);
}

#[test]
fn numbers() {
    check(&[
        ("zero", b"0", None),
        ("minus zero", b"-0", None),
        ("digits", b"1234567890", None),
        ("beyond 64 bits", b"-123456789012345678901234567890", None),
        ("fraction", b"0.0", None),
        ("long fraction", b"-1.00000000000000000000000000001", None),
        ("exponent", b"1e0", None),
        ("capital exponent", b"1E1", None),
        ("exponent with plus", b"1e+1", None),
        ("exponent with minus", b"0e-0", None),
        ("exponent with zeros", b"1e0001", None),
        ("all parts", b"-12.34E+56", None),
        ("beyond a double", b"1e400", None),
        ("below a double", b"1e-99999999999", None),
        ("minus alone", b"-", Some((UnexpectedEnd, 1))),
        ("minus and a word", b"-x", Some((InvalidNumber, 1))),
        ("minus twice", b"--1", Some((InvalidNumber, 1))),
        ("minus and a space", b"- 1", Some((InvalidNumber, 1))),
        ("minus infinity", b"-Infinity", Some((InvalidNumber, 1))),
        ("plus", b"+1", Some((UnexpectedByte, 0))),
        ("leading zero", b"01", Some((InvalidNumber, 1))),
        ("two zeros", b"00", Some((InvalidNumber, 1))),
        ("negative leading zero", b"-01", Some((InvalidNumber, 2))),
        ("leading zero in an object", br#"{"a":01}"#, Some((InvalidNumber, 6))),
        ("no digit before the point", b".5", Some((UnexpectedByte, 0))),
        ("minus and a point", b"-.5", Some((InvalidNumber, 1))),
        ("no digit behind the point", b"1.", Some((UnexpectedEnd, 2))),
        ("no digit behind the point in an array", b"[1.]", Some((InvalidNumber, 3))),
        ("point and exponent", b"1.e1", Some((InvalidNumber, 2))),
        ("two points", b"1.2.3", Some((TrailingBytes, 3))),
        ("exponent without digits", b"1e", Some((UnexpectedEnd, 2))),
        ("exponent with a sign alone", b"1e-", Some((UnexpectedEnd, 3))),
        ("exponent without digits in an array", b"[1E]", Some((InvalidNumber, 3))),
        ("exponent with two signs", b"1e+-1", Some((InvalidNumber, 3))),
        ("exponent with a fraction", b"1e1.5", Some((TrailingBytes, 3))),
        ("exponent alone", b"e1", Some((UnexpectedByte, 0))),
        ("two exponents", b"1e1e1", Some((TrailingBytes, 3))),
        ("hexadecimal", b"0x10", Some((TrailingBytes, 1))),
        ("hexadecimal in an array", b"[0x1]", Some((UnexpectedByte, 2))),
        ("underscore", b"1_000", Some((TrailingBytes, 1))),
        ("thousands", b"[1,000]", Some((InvalidNumber, 4))),
        ("suffix", b"1f", Some((TrailingBytes, 1))),
        ("full-width digit", "１".as_bytes(), Some((UnexpectedByte, 0))),
        ("full-width digit behind", "1１".as_bytes(), Some((TrailingBytes, 1))),
    ]);
}

#[test]
fn strings() {
    check(&[
        ("empty", br#""""#, None),
        ("space", br#"" ""#, None),
        ("DEL", b"\"\x7f\"", None),
        ("slash", br#""/""#, None),
        ("single quote", br#""'""#, None),
        ("structure", br#""{[,:]}""#, None),
        ("line separator", "\"\u{2028}\u{2029}\"".as_bytes(), None),
        ("noncharacter", "\"\u{FFFF}\u{10FFFF}\"".as_bytes(), None),
        ("seven bytes and a quote", br#""1234567""#, None),
        ("eight bytes", br#""12345678""#, None),
        ("sixteen bytes", br#""1234567890123456""#, None),
        ("not closed", br#"""#, Some((UnexpectedEnd, 1))),
        ("not closed behind text", br#""abc"#, Some((UnexpectedEnd, 4))),
        ("not closed behind eight bytes", br#""12345678"#, Some((UnexpectedEnd, 9))),
        ("closing quote escaped", br#""\""#, Some((UnexpectedEnd, 3))),
        ("single quotes", b"'x'", Some((UnexpectedByte, 0))),
        ("back quotes", b"`x`", Some((UnexpectedByte, 0))),
        ("newline", b"\"a\nb\"", Some((ControlCharacter, 2))),
        ("carriage return", b"\"\r\"", Some((ControlCharacter, 1))),
        ("tab", b"\"\t\"", Some((ControlCharacter, 1))),
        ("NUL", b"\"\0\"", Some((ControlCharacter, 1))),
        ("the last control character", b"\"\x1F\"", Some((ControlCharacter, 1))),
        ("control character behind eight bytes", b"\"12345678\x01\"", Some((ControlCharacter, 9))),
        ("control character as the eighth byte", b"\"1234567\x01\"", Some((ControlCharacter, 8))),
        ("control character behind a high byte", "\"ééé\x01\"".as_bytes(), Some((ControlCharacter, 7))),
        ("control character in a name", b"{\"a\nb\":1}", Some((ControlCharacter, 3))),
        ("text behind", br#""a"b"#, Some((TrailingBytes, 3))),
    ]);
}

#[test]
fn escapes() {
    check(&[
        ("all short ones", br#""\"\\\/\b\f\n\r\t""#, None),
        ("unicode", br#""\u0000\u00e9\uABCD\uabcd""#, None),
        ("surrogate pair", br#""\ud83d\uDE00""#, None),
        ("high half", br#""\ud800""#, None),
        ("low half", br#""\uDFFF""#, None),
        ("halves in the wrong order", br#""\udc00\ud800""#, None),
        ("high half before a character", br#""\ud83dx""#, None),
        ("high half before another escape", br#""\ud83d\n""#, None),
        ("escaped quote at the end", br#""\\\"""#, None),
        ("escape over a word", br#""1234567\n""#, None),
        ("cut behind the backslash", br#""\"#, Some((UnexpectedEnd, 2))),
        ("cut behind u", br#""\u"#, Some((UnexpectedEnd, 3))),
        ("cut behind three digits", br#""\u123"#, Some((UnexpectedEnd, 6))),
        ("closed behind u", br#""\u""#, Some((InvalidEscape, 3))),
        ("closed behind three digits", br#""\u123""#, Some((InvalidEscape, 6))),
        ("no digit", br#""\u00G0""#, Some((InvalidEscape, 5))),
        ("no digit at first", br#""\uZ000""#, Some((InvalidEscape, 3))),
        ("sign for a digit", br#""\u+041""#, Some((InvalidEscape, 3))),
        ("space for a digit", br#""\u 041""#, Some((InvalidEscape, 3))),
        ("capital U", br#""\U0041""#, Some((InvalidEscape, 2))),
        ("braces", br#""\u{41}""#, Some((InvalidEscape, 3))),
        ("hexadecimal", br#""\x41""#, Some((InvalidEscape, 2))),
        ("octal", br#""\0""#, Some((InvalidEscape, 2))),
        ("bell", br#""\a""#, Some((InvalidEscape, 2))),
        ("vertical tab", br#""\v""#, Some((InvalidEscape, 2))),
        ("single quote", br#""\'""#, Some((InvalidEscape, 2))),
        ("newline", b"\"\\\n\"", Some((InvalidEscape, 2))),
        ("NUL", b"\"\\\0\"", Some((InvalidEscape, 2))),
        ("letter beyond ASCII", "\"\\é\"".as_bytes(), Some((InvalidEscape, 2))),
        ("second escape cut", br#""\ud83d\u"#, Some((UnexpectedEnd, 9))),
        ("second escape wrong", br#""\ud83d\ux""#, Some((InvalidEscape, 9))),
        ("outside a string", br"\u0031", Some((UnexpectedByte, 0))),
        ("in a name", br#"{"\q":1}"#, Some((InvalidEscape, 3))),
    ]);
}

#[test]
fn utf_8() {
    check(&[
        ("two bytes", b"\"\xC2\x80\xDF\xBF\"", None),
        ("three bytes", b"\"\xE0\xA0\x80\xEF\xBF\xBF\"", None),
        ("around the surrogates", b"\"\xED\x9F\xBF\xEE\x80\x80\"", None),
        ("four bytes", b"\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"", None),
        ("continuation alone", b"\"\x80\"", Some((InvalidUtf8, 1))),
        ("one continuation too many", b"\"\xC3\xA9\xA9\"", Some((InvalidUtf8, 3))),
        ("two bytes cut", b"\"\xC3\"", Some((InvalidUtf8, 1))),
        ("three bytes cut", b"\"\xE2\x82\"", Some((InvalidUtf8, 1))),
        ("four bytes cut", b"\"\xF0\x9F\x98\"", Some((InvalidUtf8, 1))),
        ("cut by a character", b"\"\xE2\x82a\"", Some((InvalidUtf8, 1))),
        ("cut by the end", b"\"ab\xC3", Some((InvalidUtf8, 3))),
        ("overlong slash", b"\"\xC0\xAF\"", Some((InvalidUtf8, 1))),
        ("overlong NUL", b"\"\xC0\x80\"", Some((InvalidUtf8, 1))),
        ("overlong in two bytes", b"\"\xC1\xBF\"", Some((InvalidUtf8, 1))),
        ("overlong in three bytes", b"\"\xE0\x9F\xBF\"", Some((InvalidUtf8, 1))),
        ("overlong in four bytes", b"\"\xF0\x8F\xBF\xBF\"", Some((InvalidUtf8, 1))),
        ("high surrogate", b"\"\xED\xA0\x80\"", Some((InvalidUtf8, 1))),
        ("low surrogate", b"\"\xED\xBF\xBF\"", Some((InvalidUtf8, 1))),
        ("surrogate pair", b"\"\xED\xA0\xBD\xED\xB8\x80\"", Some((InvalidUtf8, 1))),
        ("beyond 10FFFF", b"\"\xF4\x90\x80\x80\"", Some((InvalidUtf8, 1))),
        ("lead byte beyond", b"\"\xF5\x80\x80\x80\"", Some((InvalidUtf8, 1))),
        ("five bytes", b"\"\xF8\x88\x80\x80\x80\"", Some((InvalidUtf8, 1))),
        ("FE", b"\"\xFE\"", Some((InvalidUtf8, 1))),
        ("FF", b"\"\xFF\"", Some((InvalidUtf8, 1))),
        ("Latin-1", b"\"caf\xE9\"", Some((InvalidUtf8, 4))),
        ("in a name", b"{\"\xFF\":1}", Some((InvalidUtf8, 2))),
        ("behind eight bytes", b"\"12345678\xFF\"", Some((InvalidUtf8, 9))),
        ("in the second of two strings", b"[\"\xC3\xA9\",\"\xC3\"]", Some((InvalidUtf8, 7))),
        ("outside a string", b"\xFF", Some((UnexpectedByte, 0))),
        ("outside a string, behind one", b"\"\xC3\xA9\"\xFF", Some((TrailingBytes, 4))),
        ("letter outside a string", "é".as_bytes(), Some((UnexpectedByte, 0))),
    ]);
}

#[test]
fn objects() {
    check(&[
        ("empty", b"{}", None),
        ("space inside", b"{ \n}", None),
        ("one member", br#"{"a":1}"#, None),
        ("space everywhere", b" { \"a\" : 1 , \"b\" : 2 } ", None),
        ("no space", br#"{"a":1,"b":"c","d":[],"e":{}}"#, None),
        ("empty name", br#"{"":0}"#, None),
        ("the same name twice", br#"{"a":1,"a":2}"#, None),
        ("name with escapes", br#"{"\u0061\"":0}"#, None),
        ("not closed", b"{", Some((UnexpectedEnd, 1))),
        ("not closed behind a name", br#"{"a""#, Some((UnexpectedEnd, 4))),
        ("not closed behind a colon", br#"{"a":"#, Some((UnexpectedEnd, 5))),
        ("not closed behind a value", br#"{"a":1"#, Some((UnexpectedEnd, 6))),
        ("not closed behind a comma", br#"{"a":1,"#, Some((UnexpectedEnd, 7))),
        ("comma at the end", br#"{"a":1,}"#, Some((UnexpectedByte, 7))),
        ("comma at the start", br#"{,"a":1}"#, Some((UnexpectedByte, 1))),
        ("comma alone", b"{,}", Some((UnexpectedByte, 1))),
        ("two commas", br#"{"a":1,,"b":2}"#, Some((UnexpectedByte, 7))),
        ("no comma", br#"{"a":1 "b":2}"#, Some((UnexpectedByte, 7))),
        ("semicolon", br#"{"a":1;"b":2}"#, Some((UnexpectedByte, 6))),
        ("no colon", br#"{"a" 1}"#, Some((UnexpectedByte, 5))),
        ("comma for a colon", br#"{"a",1}"#, Some((UnexpectedByte, 4))),
        ("equals sign", br#"{"a"=1}"#, Some((UnexpectedByte, 4))),
        ("two colons", br#"{"a"::1}"#, Some((UnexpectedByte, 5))),
        ("no value", br#"{"a":}"#, Some((UnexpectedByte, 5))),
        ("no value before a comma", br#"{"a":,"b":1}"#, Some((UnexpectedByte, 5))),
        ("name alone", br#"{"a"}"#, Some((UnexpectedByte, 4))),
        ("name without quotes", b"{a:1}", Some((UnexpectedByte, 1))),
        ("name in single quotes", b"{'a':1}", Some((UnexpectedByte, 1))),
        ("number for a name", b"{1:1}", Some((UnexpectedByte, 1))),
        ("literal for a name", b"{null:1}", Some((UnexpectedByte, 1))),
        ("object for a name", b"{{}:1}", Some((UnexpectedByte, 1))),
        ("closed by a bracket", br#"{"a":1]"#, Some((UnexpectedByte, 6))),
        ("empty, closed by a bracket", b"{]", Some((UnexpectedByte, 1))),
        ("member in an array", br#"["a":1]"#, Some((UnexpectedByte, 4))),
        ("fault in the second member", br#"{"a":1,"b":tru}"#, Some((InvalidLiteral, 14))),
        ("spread", b"{...}", Some((UnexpectedByte, 1))),
    ]);
}

#[test]
fn arrays() {
    check(&[
        ("empty", b"[]", None),
        ("space inside", b"[\t]", None),
        ("one of each", br#"[null,true,0,"",[],{}]"#, None),
        ("space everywhere", b" [ 1 , 2 ] ", None),
        ("nested", b"[[[],[]],[[]]]", None),
        ("not closed", b"[", Some((UnexpectedEnd, 1))),
        ("not closed behind an element", b"[1", Some((UnexpectedEnd, 2))),
        ("not closed behind a comma", b"[1, ", Some((UnexpectedEnd, 4))),
        ("inner closed only", b"[[]", Some((UnexpectedEnd, 3))),
        ("comma at the end", b"[1,]", Some((UnexpectedByte, 3))),
        ("comma at the start", b"[,1]", Some((UnexpectedByte, 1))),
        ("comma alone", b"[,]", Some((UnexpectedByte, 1))),
        ("two commas", b"[1,,2]", Some((UnexpectedByte, 3))),
        ("no comma", b"[1 2]", Some((UnexpectedByte, 3))),
        ("no comma between strings", br#"["a""b"]"#, Some((UnexpectedByte, 4))),
        ("colon", b"[1:2]", Some((UnexpectedByte, 2))),
        ("closed by a brace", b"[1}", Some((UnexpectedByte, 2))),
        ("empty, closed by a brace", b"[}", Some((UnexpectedByte, 1))),
        ("crossed", br#"[{"a":[}]]"#, Some((UnexpectedByte, 7))),
        ("parenthesis", b"(1)", Some((UnexpectedByte, 0))),
        ("NUL inside", b"[\0]", Some((UnexpectedByte, 1))),
    ]);
}

#[test]
fn the_first_fault_is_reported() {
    check(&[
        ("UTF-8 before syntax", b"[\"\xFF\",01]", Some((InvalidUtf8, 2))),
        ("syntax before UTF-8", b"[01,\"\xFF\"]", Some((InvalidNumber, 2))),
        ("UTF-8 before the end", b"[\"\xFF\"", Some((InvalidUtf8, 2))),
        ("UTF-8 before a control character", b"\"\xC3\x01\"", Some((InvalidUtf8, 1))),
        ("control character before UTF-8", b"\"\x01\xC3\"", Some((ControlCharacter, 1))),
        ("UTF-8 before an escape", b"\"\xFF\\q\"", Some((InvalidUtf8, 1))),
        ("escape before UTF-8", b"\"\\q\xFF\"", Some((InvalidEscape, 2))),
        ("UTF-8 before bytes behind", b"\"\xFF\" x", Some((InvalidUtf8, 1))),
        ("two syntax faults", b"[1,,01]", Some((UnexpectedByte, 3))),
    ]);
}

/// `levels` objects and arrays in turn, with `inside` in the innermost.
fn nested(levels: usize, inside: &[u8], behind: &[u8]) -> Vec<u8> {
    let open: Vec<u8> = (0..levels).flat_map(|level| [&b"["[..], b"{\"\":"][level % 2].to_vec()).collect();
    let close: Vec<u8> = (0..levels).rev().map(|level| b"]}"[level % 2]).collect();
    [open.as_slice(), inside, &close, behind].concat()
}

/// Where the last of `levels` brackets of [`nested`] stands.
fn last_bracket(levels: usize) -> usize {
    nested(levels - 1, b"", b"").len() - (levels - 1)
}

#[test]
fn depth_counts_objects_and_arrays_together() {
    let at_129 = Some((TooDeep, last_bracket(129)));
    let rows: &[(&str, Vec<u8>, Fault)] = &[
        ("128", nested(128, b"1", b""), None),
        ("128, the innermost empty", nested(127, b"[]", b""), None),
        ("128 twice", [b"[".as_slice(), &nested(127, b"1", b","), &nested(127, b"1", b"]")].concat(), None),
        ("129", nested(129, b"1", b""), at_129),
        ("129, the innermost empty", nested(128, b"[]", b""), at_129),
        ("129, the innermost an empty object", nested(128, b"{}", b""), at_129),
        ("129 without end", [nested(128, b"[", b"")].concat(), at_129),
        ("1000", nested(1000, b"1", b""), at_129),
        ("brackets in strings do not count", nested(128, br#""[[[{{{""#, b""), None),
        ("bytes that are not UTF-8 behind", nested(129, b"\"\xFF\"", b""), at_129),
        ("syntax fault behind", nested(129, b"01", b""), at_129),
        (
            "UTF-8 before",
            [b"[\"\xFF\",".as_slice(), &nested(128, b"1", b"]")].concat(),
            Some((InvalidUtf8, 2)),
        ),
        (
            "syntax fault before",
            [b"[01,".as_slice(), &nested(128, b"1", b"]")].concat(),
            Some((InvalidNumber, 2)),
        ),
        ("too many closed", nested(128, b"1", b"]"), Some((TrailingBytes, nested(128, b"1", b"").len()))),
    ];
    for (name, text, fault) in rows {
        let found = validate(text).err().map(|error| (error.kind(), error.offset()));
        assert_eq!(found, *fault, "{name}");
        properties::scan(text);
    }
    let only_arrays = [[b'['; 128], [b']'; 128]].concat();
    assert_eq!(validate(&only_arrays), Ok(()));
    let one_more = [&b"["[..], &only_arrays, b"]"].concat();
    assert_eq!(validate(&one_more).map_err(|error| (error.kind(), error.offset())), Err((TooDeep, 128)));
}

#[test]
fn length_has_no_limit() {
    for text in [
        format!("\"{}\"", "a".repeat(100_000)),
        format!("\"{}\"", "\\u00e9".repeat(20_000)),
        format!("-{}.{}e{}", "1".repeat(50_000), "0".repeat(50_000), "9".repeat(1000)),
        format!("[{}1]", "1,".repeat(50_000)),
        format!("{{{}\"a\":1}}", "\"a\":1,".repeat(20_000)),
        format!("{}1{}", " ".repeat(50_000), "\n".repeat(50_000)),
    ] {
        assert_eq!(validate(text.as_bytes()), Ok(()));
        assert_eq!(
            validate(&text.as_bytes()[..text.len() - 1]).is_ok(),
            text.ends_with('\n') || text.starts_with('-')
        );
    }
}

#[test]
fn every_text_of_four_bytes_is_judged_as_serde_json_does() {
    const BYTES: &[u8] = b"{}[]\":,\\u0-1.e t\x1F\xC3\xA9";
    let mut places = [0usize; 4];
    loop {
        let text = places.map(|place| BYTES[place]);
        for length in 1..=text.len() {
            // Shorter ones once only: when all behind them is at its first.
            if places[length..].iter().all(|place| *place == 0) {
                properties::scan(&text[..length]);
            }
        }
        let Some(next) = places.iter().rposition(|place| place + 1 < BYTES.len()) else {
            return;
        };
        places[next] += 1;
        places[next + 1..].fill(0);
    }
}

/// Every text of so many bytes of those that matter most, in an array, by vectors and byte by byte.
fn every_text_in_a_frame(length: usize) {
    const BYTES: &[u8] = b"{}[]\":,0-.1e\\u t\x01";
    const BEFORE: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"p":["#;
    const BEHIND: &[u8] = br#"],"z":"                                                                "}}"#;
    let mut frame = [BEFORE, &vec![BYTES[0]; length], BEHIND].concat();
    let mut places = vec![0; length];
    loop {
        properties::judges_as_the_scalar_scanner(&frame);
        let Some(next) = places.iter().rposition(|place| place + 1 < BYTES.len()) else {
            return;
        };
        places[next] += 1;
        places[next + 1..].fill(0);
        for (byte, place) in frame[BEFORE.len()..].iter_mut().zip(&places) {
            *byte = BYTES[*place];
        }
    }
}

#[test]
fn every_text_of_five_bytes_in_a_frame_is_judged_by_vectors_as_byte_by_byte() {
    (0..=5).for_each(every_text_in_a_frame);
}

#[test]
#[ignore = "takes a minute: cargo test --release --all-features --test it -- --ignored every_text"]
fn every_text_of_six_bytes_in_a_frame_is_judged_by_vectors_as_byte_by_byte() {
    every_text_in_a_frame(6);
}

/// In blocks that are all inside the string nothing else is looked for.
#[test]
fn one_odd_thing_in_a_long_string_is_judged_by_vectors_as_byte_by_byte() {
    let odd: [&[u8]; 14] = [
        b"\x01",
        b"\x1F",
        b"\n",
        br"\n",
        br"\x",
        br"\\",
        br"\u00e9",
        br"\u00g9",
        br"\ud83d\ude00",
        br"\",
        b"\"",
        b"\xC3\xA9",
        b"\xFF",
        b"]",
    ];
    for odd in odd {
        for place in 0..150 {
            let (before, behind) = (vec![b'a'; place], vec![b'a'; 150 - place]);
            let head = br#"{"jsonrpc":"2.0","method":"x","params":{"a":""#;
            let frame = [head, before.as_slice(), odd, &behind, br#""}}"#].concat();
            properties::judges_as_the_scalar_scanner(&frame);
        }
    }
}

/// Integers are read by words: each byte of one may be another.
#[test]
fn one_odd_byte_in_an_integer_is_judged_by_words_as_byte_by_byte() {
    for byte in 0..=u8::MAX {
        for place in [0, 1, 7, 8, 9, 15] {
            let mut id = *b"1234567890123456";
            id[place] = byte;
            let frame = [br#"{"jsonrpc":"2.0","method":"x","id":"#, id.as_slice(), b"}"].concat();
            properties::judges_as_the_scalar_scanner(&frame);
        }
    }
}

#[test]
fn a_fault_says_what_and_where() {
    let fault = validate(b"\"12345678901234\x01 67\"").unwrap_err();
    assert_eq!(fault.to_string(), "control character in string at byte 15");
    let kinds = [
        (UnexpectedEnd, "unexpected end of text"),
        (UnexpectedByte, "unexpected byte"),
        (ControlCharacter, "control character in string"),
        (InvalidEscape, "invalid escape in string"),
        (InvalidNumber, "invalid number"),
        (InvalidLiteral, "invalid literal"),
        (TrailingBytes, "bytes after the value"),
        (InvalidUtf8, "invalid UTF-8"),
        (TooDeep, "nested too deep"),
    ];
    for (kind, phrase) in kinds {
        assert_eq!(kind.as_str(), phrase);
    }
}
