//! Generators: JSON with odd spellings, messages and near misses, texts that nest too deep.

use super::entropy::Entropy;

/// A JSON value, nested at most `depth` deep.
pub fn value(entropy: &mut Entropy<'_>, depth: usize) -> String {
    match entropy.below(if depth == 0 { 4 } else { 8 }) {
        0 => number(entropy),
        1 => string(entropy),
        2 => entropy.pick(&["null", "true", "false"]).to_string(),
        3 => entropy.pick(&["{}", "[]", "0", "\"\""]).to_string(),
        4 | 5 => array(entropy, depth),
        _ => object(entropy, depth),
    }
}

/// A JSON object, nested at most `depth` deep.
pub fn object(entropy: &mut Entropy<'_>, depth: usize) -> String {
    let members: Vec<(String, String)> =
        (0..entropy.below(5)).map(|_| (name(entropy), value(entropy, depth.saturating_sub(1)))).collect();
    object_of(entropy, &members)
}

fn array(entropy: &mut Entropy<'_>, depth: usize) -> String {
    let elements: Vec<String> =
        (0..entropy.below(5)).map(|_| value(entropy, depth.saturating_sub(1))).collect();
    let mut text = format!("[{}", gap(entropy));
    for (at, element) in elements.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        text += &format!("{comma}{}{element}{}", gap(entropy), gap(entropy));
    }
    text + "]"
}

/// An object of these members, in this order.
fn object_of(entropy: &mut Entropy<'_>, members: &[(String, String)]) -> String {
    let mut text = format!("{{{}", gap(entropy));
    for (at, (name, value)) in members.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let gaps = [(); 4].map(|()| gap(entropy));
        text += &format!("{comma}{}{name}{}:{}{value}{}", gaps[0], gaps[1], gaps[2], gaps[3]);
    }
    text + "}"
}

/// White space, or mostly none.
fn gap(entropy: &mut Entropy<'_>) -> &'static str {
    entropy.pick(&["", "", "", "", "", " ", "\t", "\r\n", "  \n "])
}

/// A name: some that mean something somewhere, and any.
fn name(entropy: &mut Entropy<'_>) -> String {
    let known = [
        "a",
        "id",
        "method",
        "_meta",
        "progressToken",
        "requestId",
        "name",
        "uri",
        "code",
        "message",
        "data",
        "jsonrpc",
        "io.modelcontextprotocol/subscriptionId",
        "",
    ];
    match entropy.below(4) {
        3 => string(entropy),
        _ => {
            let known = entropy.pick(&known);
            spelt(entropy, known)
        }
    }
}

/// A number, odd ones included.
pub fn number(entropy: &mut Entropy<'_>) -> String {
    let whole = match entropy.below(8) {
        0 => "0".to_string(),
        1 => "-0".to_string(),
        2 => entropy.below(300).to_string(),
        3 => entropy.pick(&[i64::MIN, i64::MAX, -1, 9_007_199_254_740_993]).to_string(),
        4 => u64::MAX.to_string(),
        5 => {
            entropy.pick(&["9223372036854775808", "-9223372036854775809", "18446744073709551616"]).to_string()
        }
        6 => entropy.number().to_string(),
        _ => "1234567890".repeat(1 + entropy.below(5)),
    };
    let fraction = match entropy.below(6) {
        5 => format!(".{}", entropy.below(1000)),
        4 => ".000000000000000000000".to_string() + entropy.pick(&["", "1"]),
        _ => String::new(),
    };
    let exponent = match entropy.below(6) {
        5 => {
            let sign = entropy.pick(&["", "-", "+"]);
            let letter = entropy.pick(&["e", "E"]);
            let size = match entropy.below(4) {
                0 => entropy.below(20).to_string(),
                1 => "0".repeat(1 + entropy.below(4)) + "1",
                2 => entropy.below(500).to_string(),
                _ => "9".repeat(19 + entropy.below(4)),
            };
            format!("{letter}{sign}{size}")
        }
        _ => String::new(),
    };
    whole + &fraction + &exponent
}

/// A string in quotes, odd escapes included; also halves of surrogate pairs.
pub fn string(entropy: &mut Entropy<'_>) -> String {
    let mut text = String::from("\"");
    for _ in 0..entropy.below(if entropy.clone().once_in(16) { 300 } else { 8 }) {
        match entropy.below(8) {
            0 | 1 => text.push(char::from(b'a' + entropy.byte() % 26)),
            2 => text += entropy.pick(&["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"]),
            3 => text += &format!("\\u{:04x}", entropy.below(65536)),
            4 => {
                text +=
                    &format!("\\u{:04X}", entropy.pick(&[0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xD83D, 0, 0x7F]))
            }
            5 => text += entropy.pick(&["\\ud83d\\ude00", "\\uDBFF\\uDFFF", "\\ud83d\\ud83d\\ude00"]),
            6 => text += entropy.pick(&["é", "日", "😀", "\u{7f}", "\u{2028}", "\u{10FFFF}", "'", "{[,:"]),
            _ => text += "padding ",
        }
    }
    text + "\""
}

/// Plain text as one of its spellings in JSON, with quotes.
pub fn spelt(entropy: &mut Entropy<'_>, plain: &str) -> String {
    let escape_all = entropy.once_in(16);
    let escape_one = if entropy.once_in(4) { entropy.below(plain.len() + 1) } else { usize::MAX };
    let mut text = String::from("\"");
    for (at, character) in plain.chars().enumerate() {
        match character {
            '/' if at == escape_one => text += "\\/",
            '"' | '\\' => text.extend(['\\', character]),
            _ if escape_all || at == escape_one || character < ' ' => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    text += &match entropy.byte() % 2 {
                        0 => format!("\\u{unit:04x}"),
                        _ => format!("\\u{unit:04X}"),
                    };
                }
            }
            _ => text.push(character),
        }
    }
    text + "\""
}

/// Plain text, as a program has it.
pub fn text(entropy: &mut Entropy<'_>) -> String {
    let pieces =
        ["a", "tools/call", "\"", "\\", "\n", "\u{0}", "\u{1f}", "\u{7f}", "é", "😀", "\u{FFFD}", "\\u0041"];
    (0..entropy.below(6)).map(|_| entropy.pick(&pieces)).collect()
}

/// A message, or what is one but for a member that is missing, repeated or of a wrong kind.
pub fn message(entropy: &mut Entropy<'_>) -> Vec<u8> {
    let mut members: Vec<(String, String)> = Vec::new();
    let wanted: &[&str] = match entropy.below(8) {
        0 | 1 => &["jsonrpc", "id", "method", "params"],
        2 => &["jsonrpc", "id", "method"],
        3 => &["jsonrpc", "method", "params"],
        4 => &["jsonrpc", "id", "result"],
        5 => &["jsonrpc", "id", "error"],
        6 => &["jsonrpc", "error"],
        _ => &["jsonrpc", "id", "method", "params", "result", "error"],
    };
    for name in wanted {
        match entropy.below(16) {
            13 => {}
            14 => {
                members.push((spelt(entropy, name), envelope_value(entropy, name)));
                members.push((spelt(entropy, name), envelope_value(entropy, name)));
            }
            15 => members.push((spelt(entropy, name), value(entropy, 2))),
            _ => members.push((spelt(entropy, name), envelope_value(entropy, name))),
        }
    }
    for _ in 0..entropy.below(3) {
        let place = entropy.below(members.len() + 1);
        members.insert(place, (name(entropy), value(entropy, 3)));
    }
    if !members.is_empty() {
        let turn = entropy.below(members.len());
        members.rotate_left(turn);
    }
    let text = object_of(entropy, &members);
    let text = format!("{}{text}{}", gap(entropy), gap(entropy));
    match entropy.below(32) {
        30 => format!("[{text}]").into_bytes(),
        31 => damaged(entropy, text.into_bytes()),
        _ => text.into_bytes(),
    }
}

/// A value of the kind that the envelope wants for `name`, or nearly.
fn envelope_value(entropy: &mut Entropy<'_>, name: &str) -> String {
    match name {
        "jsonrpc" => match entropy.below(8) {
            7 => entropy.pick(&["\"1.0\"", "2.0", "\"2.0 \"", "\"\"", "null"]).to_string(),
            _ => spelt(entropy, "2.0"),
        },
        "id" => id(entropy),
        "method" => {
            let method = entropy.pick(&[
                "tools/call",
                "notifications/progress",
                "notifications/cancelled",
                "ping",
                "",
            ]);
            spelt(entropy, method)
        }
        "error" => {
            let code =
                entropy.pick(&["-32601", "1", "0", "-0", "1.0", "\"1\"", "123456789012345678901234567890"]);
            let text = string(entropy);
            let mut members =
                vec![("\"code\"".to_string(), code.to_string()), ("\"message\"".to_string(), text)];
            for _ in 0..entropy.below(3) {
                members.push((name_of_error(entropy), value(entropy, 2)));
            }
            let turn = entropy.below(members.len());
            members.rotate_left(turn);
            object_of(entropy, &members)
        }
        _ => params(entropy),
    }
}

fn name_of_error(entropy: &mut Entropy<'_>) -> String {
    let name = entropy.pick(&["data", "other", "message", "code"]);
    spelt(entropy, name)
}

/// An id, or nearly.
pub fn id(entropy: &mut Entropy<'_>) -> String {
    match entropy.below(8) {
        0 | 1 => entropy.below(100).to_string(),
        2 => entropy
            .pick(&["-0", "-7", "12345678901234567890", "null", "true", "1.0", "1e2", "[]", "{}"])
            .to_string(),
        3 => number(entropy),
        4 => spelt(entropy, "a-b"),
        _ => string(entropy),
    }
}

/// Params (or a result) in which the members stand that refer to other messages.
fn params(entropy: &mut Entropy<'_>) -> String {
    let mut members = Vec::new();
    for name in ["name", "uri", "requestId", "progressToken"] {
        if entropy.once_in(3) {
            members.push((spelt(entropy, name), id(entropy)));
        }
    }
    for _ in 0..entropy.below(3) {
        members.push((name(entropy), value(entropy, 2)));
    }
    if entropy.once_in(2) {
        let mut meta = Vec::new();
        for name in ["progressToken", "io.modelcontextprotocol/subscriptionId", "other"] {
            if entropy.once_in(2) {
                meta.push((spelt(entropy, name), id(entropy)));
            }
        }
        if entropy.once_in(8) {
            meta.extend(meta.clone());
        }
        let meta = object_of(entropy, &meta);
        members.push((spelt(entropy, "_meta"), meta));
    }
    object_of(entropy, &members)
}

/// `text` with a few bytes changed, some of them so that it is no UTF-8.
pub fn damaged(entropy: &mut Entropy<'_>, mut text: Vec<u8>) -> Vec<u8> {
    let bytes =
        [b'"', b'\\', b'{', b'}', b'[', b']', b',', b':', b'0', b'.', b'e', b'-', b'u', 0, 0x1F, b'\n'];
    let faults: [&[u8]; 8] = [
        b"\xFF",
        b"\xC3",
        b"\xC0\x80",
        b"\xED\xA0\x80",
        b"\xF4\x90\x80\x80",
        b"\xE2\x82",
        b"\xEF\xBB\xBF",
        b"\x80",
    ];
    for _ in 0..1 + entropy.below(3) {
        let at = entropy.below(text.len() + 1);
        match entropy.below(4) {
            0 => text.truncate(at),
            1 => text.insert(at, entropy.pick(&bytes)),
            2 if at < text.len() => text[at] = entropy.pick(&bytes),
            3 => drop(text.splice(at..at, entropy.pick(&faults).iter().copied())),
            _ => {}
        }
    }
    text
}

/// A message whose params nest around the limit, with its id before or behind them.
pub fn deep(entropy: &mut Entropy<'_>) -> Vec<u8> {
    let levels = entropy.pick(&[127, 126, 128, 1, 129, 200, 1000]);
    let (mut open, mut close) = (String::new(), String::new());
    for _ in 0..levels {
        let (before, behind) =
            entropy.pick(&[("[", "]"), ("{\"id\":", "}"), ("[\"]\",{},", "]"), ("{\"a\":[],\"\\\"\":", "}")]);
        open += before;
        close.insert_str(0, behind);
    }
    let nested = open + entropy.pick(&["1", "\"}\"", "{}", "[]"]) + &close;
    let id = id(entropy);
    let text = match entropy.below(6) {
        0 => format!(r#"{{"jsonrpc":"2.0","method":"x","params":{{"a":{nested}}},"id":{id}}}"#),
        1 => format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x","a":{nested}}}"#),
        2 => format!(r#"{{"jsonrpc":"2.0","method":"x","params":{{"id":{nested}}}}}"#),
        3 => format!(r#"{{"result":{nested},"id":{id}}}"#),
        4 => format!(r#"{{"id":{nested},"m\u0065thod":"x"}}"#),
        _ => nested,
    };
    match entropy.below(8) {
        7 => damaged(entropy, text.into_bytes()),
        // Two lines without the newline between them.
        6 => {
            let next = [
                r#"{"id":1,"method":"x"}"#,
                r#" {"id":2,"result":{}}"#,
                ",{\"method\":1}",
                "}",
                "[]",
                "{",
                "x",
            ];
            (text + entropy.pick(&next)).into_bytes()
        }
        _ => text.into_bytes(),
    }
}

/// Arguments for the types of the typed property, or nearly.
pub fn arguments(entropy: &mut Entropy<'_>) -> String {
    let mut members = Vec::new();
    for name in ["pin", "level", "ratio", "label", "mode", "range", "tags", "inner", "on"] {
        if !entropy.once_in(24) {
            members.push((spelt(entropy, name), argument(entropy, name)));
        }
    }
    for _ in 0..entropy.below(3) {
        let place = entropy.below(members.len() + 1);
        members.insert(place, (name(entropy), value(entropy, 3)));
    }
    object_of(entropy, &members)
}

fn argument(entropy: &mut Entropy<'_>, name: &str) -> String {
    if entropy.once_in(24) {
        return value(entropy, 2);
    }
    let number = |entropy: &mut Entropy<'_>| match entropy.below(4) {
        3 => number(entropy),
        _ => entropy.below(130).to_string(),
    };
    match name {
        "ratio" => match entropy.below(4) {
            3 => "null".to_string(),
            _ => number(entropy),
        },
        "label" => string(entropy),
        "mode" => match entropy.below(5) {
            0 => spelt(entropy, "off"),
            1 => format!("{{{}:{}}}", spelt(entropy, "set"), number(entropy)),
            2 => format!("{{{}:[{},{}]}}", spelt(entropy, "pair"), number(entropy), string(entropy)),
            3 => format!(
                r#"{{ "blink" : {{ "hz": {}, "text": {} , "x": {} }} }}"#,
                number(entropy),
                string(entropy),
                value(entropy, 2)
            ),
            _ => format!("{{{}:null}}", spelt(entropy, "off")),
        },
        "range" => format!("[{}, {}]", number(entropy), number(entropy)),
        "tags" => format!("[{}, {}]", string(entropy), string(entropy)),
        "inner" => match entropy.below(3) {
            0 => "null".to_string(),
            1 => "{}".to_string(),
            _ => format!(r#"{{"depth":{},"more":{}}}"#, number(entropy), value(entropy, 4)),
        },
        "on" => entropy.pick(&["true", "false"]).to_string(),
        _ => number(entropy),
    }
}
