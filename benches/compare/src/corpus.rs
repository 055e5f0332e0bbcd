//! The messages: one of each class, made with a fixed seed, with `id` first (as people write it) and last (as the
//! official clients do).

use std::fmt::Write as _;

/// A class of messages: its name, and its lines.
pub struct Class {
    pub name: &'static str,
    pub lines: Vec<Line>,
}

impl Class {
    pub fn mean_length(&self) -> usize {
        self.lines.iter().map(|line| line.bytes().len()).sum::<usize>() / self.lines.len()
    }
}

/// One message. Some parsers read up to 64 bytes past its end, so these are there.
pub struct Line {
    memory: Vec<u8>,
    len: usize,
}

impl Line {
    pub const PADDING: usize = 64;

    fn new(text: &str) -> Self {
        let mut memory = text.as_bytes().to_vec();
        memory.resize(text.len() + Self::PADDING, 0);
        Self { memory, len: text.len() }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.memory[..self.len]
    }
}

/// Where `id` stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    IdFirst,
    IdLast,
}

impl Order {
    pub const BOTH: [Self; 2] = [Self::IdFirst, Self::IdLast];

    pub fn name(self) -> &'static str {
        match self {
            Self::IdFirst => "id first",
            Self::IdLast => "id last",
        }
    }

    fn request(self, id: u64, method: &str, params: &str) -> String {
        match self {
            Self::IdFirst => {
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
            }
            Self::IdLast => {
                format!(r#"{{"method":"{method}","params":{params},"jsonrpc":"2.0","id":{id}}}"#)
            }
        }
    }

    fn notification(self, method: &str, params: &str) -> String {
        match self {
            Self::IdFirst => format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#),
            Self::IdLast => format!(r#"{{"method":"{method}","params":{params},"jsonrpc":"2.0"}}"#),
        }
    }

    fn result(self, id: u64, result: &str) -> String {
        match self {
            Self::IdFirst => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
            Self::IdLast => format!(r#"{{"result":{result},"jsonrpc":"2.0","id":{id}}}"#),
        }
    }
}

/// A generator of numbers (splitmix64), so that the corpus is the same everywhere.
struct Seed(u64);

impl Seed {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }
}

const WORDS: &[&str] = &[
    "read", "write", "file", "path", "query", "the", "of", "a", "result", "branch", "commit", "returns",
    "device", "sensor", "list", "page", "title", "number", "which", "value", "search", "text", "message",
    "update", "remote",
];

fn prose(seed: &mut Seed, length: usize) -> String {
    let mut text = String::new();
    while text.len() < length {
        text += seed.pick(WORDS);
        text.push(' ');
    }
    text.truncate(length);
    text
}

/// Source code as a JSON string holds it: an escape in each line and more.
fn escaped_text(seed: &mut Seed, length: usize) -> String {
    let mut text = String::new();
    while text.len() < length {
        for _ in 0..seed.below(3) {
            text += r"\t";
        }
        let words = 2 + seed.below(7) as usize;
        text += &prose(seed, words * 6);
        match seed.below(6) {
            0 => text += r#"println!(\"{}\", x);"#,
            1 => text += r"caf\u00e9 \u2014 ",
            2 => text += r"C:\\temp\\log",
            _ => {}
        }
        text += r"\n";
    }
    text
}

/// Tools as servers list them.
fn tools(seed: &mut Seed, length: usize) -> String {
    let mut text = String::from(r#"{"tools":["#);
    let mut at = 0;
    while text.len() < length {
        if at > 0 {
            text.push(',');
        }
        let name = format!("{}_{}_{at}", seed.pick(WORDS), seed.pick(WORDS));
        let described = 40 + seed.below(120) as usize;
        let description = prose(seed, described);
        write!(
            text,
            r#"{{"name":"{name}","description":"{description}","inputSchema":{{"type":"object","properties":{{"#
        )
        .unwrap();
        for property in 0..1 + seed.below(6) {
            if property > 0 {
                text.push(',');
            }
            let described = 20 + seed.below(40) as usize;
            let description = prose(seed, described);
            let name = seed.pick(WORDS);
            let more = match seed.below(5) {
                0 => r#""type":"integer","minimum":1,"maximum":100"#,
                1 => r#""type":"boolean","default":false"#,
                2 => r#""type":"array","items":{"type":"string"}"#,
                3 => r#""type":"string","enum":["open","closed","all"]"#,
                _ => r#""type":"string""#,
            };
            write!(text, r#""{name}{property}":{{{more},"description":"{description}"}}"#).unwrap();
        }
        text +=
            r#"},"required":["read0"],"additionalProperties":false},"annotations":{"readOnlyHint":true}}"#;
        at += 1;
    }
    text + "]}"
}

/// The same text with line breaks and two spaces for each level.
fn pretty(compact: &str) -> String {
    let mut text = String::new();
    let mut level = 0usize;
    let mut in_string = false;
    let mut escaped = false;
    let line = |text: &mut String, level: usize| {
        text.push('\n');
        text.extend(std::iter::repeat_n(' ', 2 * level));
    };
    for character in compact.chars() {
        if in_string {
            text.push(character);
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        match character {
            '{' | '[' => {
                level += 1;
                text.push(character);
                line(&mut text, level);
            }
            '}' | ']' => {
                level -= 1;
                line(&mut text, level);
                text.push(character);
            }
            ',' => {
                text.push(',');
                line(&mut text, level);
            }
            ':' => text += ": ",
            other => {
                in_string = other == '"';
                text.push(other);
            }
        }
    }
    text
}

fn numbers(seed: &mut Seed, length: usize) -> String {
    let mut text = String::from(r#"{"name":"plot","arguments":{"points":["#);
    while text.len() < length {
        match seed.below(4) {
            0 => write!(text, "{}", seed.below(100_000)).unwrap(),
            1 => write!(text, "-{}.{:03}", seed.below(1000), seed.below(1000)).unwrap(),
            2 => write!(text, "{}.{}", seed.below(10), seed.below(1_000_000_000)).unwrap(),
            _ => write!(text, "{}.{}e-{}", 1 + seed.below(9), seed.below(10_000), seed.below(20)).unwrap(),
        }
        text.push(',');
    }
    text + "0]}}"
}

fn cjk(seed: &mut Seed, length: usize) -> String {
    let mut text = String::new();
    while text.len() < length {
        text.push(match seed.below(12) {
            0 => char::from_u32(0x1F600 + seed.below(64) as u32).unwrap_or('x'),
            1 => ' ',
            _ => char::from_u32(0x4E00 + seed.below(0x5000) as u32).unwrap_or('x'),
        });
    }
    text
}

fn base64(seed: &mut Seed, length: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    (0..length).map(|_| char::from(DIGITS[seed.below(64) as usize])).collect()
}

fn text_call(text: &str) -> String {
    format!(r#"{{"name":"echo","arguments":{{"text":"{text}"}}}}"#)
}

fn text_result(text: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}"#)
}

const INITIALIZE: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{}},"clientInfo":{"name":"example-client","title":"Example","version":"1.4.0"}}"#;

/// Every class, in the order of the table.
pub fn classes(order: Order) -> Vec<Class> {
    let mut seed = Seed(2026);
    let list = tools(&mut seed, 30_500);
    let one = |name, text: &str| Class { name, lines: vec![Line::new(text)] };
    let id = 4711;
    vec![
        one("ping", &order.request(id, "ping", "{}")),
        one(
            "tools/list request",
            &order.request(id, "tools/list", r#"{"cursor":"eyJwYWdlIjoyfQ"}"#),
        ),
        one(
            "progress notification",
            &order.notification(
                "notifications/progress",
                r#"{"progressToken":4711,"progress":50,"total":100,"message":"half"}"#,
            ),
        ),
        one("initialize", &order.request(0, "initialize", INITIALIZE)),
        one(
            "tools/call, 300 B of arguments",
            &order.request(
                id,
                "tools/call",
                &format!(
                    r#"{{"name":"search_files","arguments":{{"path":"/srv/data/project","pattern":"{}","limit":50,"recursive":true,"exclude":["target","node_modules",".git"],"note":"{}"}}}}"#,
                    prose(&mut seed, 60),
                    prose(&mut seed, 110)
                ),
            ),
        ),
        one(
            "tools/call, 8 KiB text with escapes",
            &order.request(id, "tools/call", &text_call(&escaped_text(&mut seed, 7_800))),
        ),
        one(
            "100 nested arrays",
            &order.request(
                id,
                "tools/call",
                &format!(
                    r#"{{"name":"nest","arguments":{{"a":{}1{}}}}}"#,
                    "[1,[]  ,".repeat(97),
                    "]".repeat(97)
                ),
            ),
        ),
        one(
            "16 KiB of numbers",
            &order.request(id, "tools/call", &numbers(&mut seed, 16_000)),
        ),
        one("tools/list result of schemas", &order.result(id, &list)),
        one("the same, pretty-printed", &pretty(&order.result(id, &list))),
        one(
            "64 KiB of CJK and emoji",
            &order.result(id, &text_result(&cjk(&mut seed, 65_500))),
        ),
        one(
            "1 MiB base64 blob",
            &order.result(
                id,
                &format!(
                    r#"{{"contents":[{{"uri":"file:///a.bin","mimeType":"application/octet-stream","blob":"{}"}}]}}"#,
                    base64(&mut seed, 1 << 20)
                ),
            ),
        ),
        Class {
            name: "a mixed session of 10,000 lines",
            lines: session(order, &mut seed),
        },
    ]
}

/// Messages that are made to be slow, each of about 64 KiB: they are read twice, or have nothing that can be passed in a
/// run. Not all of them are valid.
pub fn hostile() -> Vec<Class> {
    const SIZE: usize = 64 << 10;
    let fill = |part: &str| part.repeat(SIZE / part.len());
    let call = |arguments: String| Order::IdLast.request(1, "tools/call", &arguments);
    let unusual = |arguments: String| call(arguments).replace("\"id\"", r#""\u0069d""#);
    let tower = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let shapes = [
        ("empty arrays", call(format!(r#"{{"a":[{}0]}}"#, fill("[],")))),
        ("empty strings", call(format!(r#"{{"a":[{}0]}}"#, fill(r#""","#)))),
        ("short members", call(format!(r#"{{{}"b":0}}"#, fill(r#""a":1,"#)))),
        ("one-digit numbers", call(format!(r#"{{"a":[{}0]}}"#, fill("0,")))),
        ("literals", call(format!(r#"{{"a":[{}0]}}"#, fill("null,true,")))),
        ("escapes", call(format!(r#"{{"a":"{}"}}"#, fill(r"\u00e9\n")))),
        ("brackets up and down", call(format!(r#"{{"a":[{}0]}}"#, fill("[{\"a\":[[]]}],")))),
        ("white space", call(format!(r#"{{"a":[{}0]}}"#, fill("0 , ")))),
        ("members of the envelope", format!(r#"{{{}"jsonrpc":"2.0","method":"x"}}"#, fill(r#""a":1,"#))),
        ("an escaped name behind numbers", unusual(format!(r#"{{"a":[{}0]}}"#, fill("1.5e3,")))),
        ("an escaped name behind escapes", unusual(format!(r#"{{"a":"{}"}}"#, fill(r"\u00e9\n")))),
        ("an escaped name behind CJK", unusual(format!(r#"{{"a":"{}"}}"#, fill("\u{65e5}\u{672c}")))),
        ("a fault at the end, behind literals", call(format!(r#"{{"a":[{}]}}"#, fill("null,true,")))),
        ("a fault at the end, behind numbers", call(format!(r#"{{"a":[{}]}}"#, fill("1.5e3,")))),
        ("too deep at the end, id last", call(format!(r#"{{"a":[{}{}]}}"#, fill("0,"), "[".repeat(200)))),
        ("the same, behind strings", call(format!(r#"{{"a":[{}{}]}}"#, fill(r#""a","#), "[".repeat(200)))),
        (
            "the same, behind members of the envelope",
            call(format!(r#"{{}},{}"a":{}"#, fill(r#""a":1,"#), "[".repeat(200))),
        ),
        (
            "too deep, before members of the envelope",
            format!(r#"{{"a":{},{}"method":"x","id":1}}"#, tower, fill(r#""a":1,"#)),
        ),
        (
            "the same, their names escaped",
            format!(r#"{{"a":{},{}"method":"x","id":1}}"#, tower, fill(r#""\u0069\u0064s":1,"#)),
        ),
        (
            "a fault behind members of the envelope",
            format!(r#"{{{}"jsonrpc":"2.0","method":}}"#, fill(r#""a":1,"#)),
        ),
        (
            "escaped names in the envelope",
            format!(r#"{{{}"jsonrpc":"2.0","method":"x"}}"#, fill(r#""metho\u0064s":1,"#)),
        ),
        ("one id after the other", format!(r#"{{{}"jsonrpc":"2.0","method":"x"}}"#, fill(r#""id":1,"#))),
        (
            "escaped names in the error",
            Order::IdLast
                .result(1, &format!(r#"{{{}"code":1,"message":""}}"#, fill(r#""messag\u0065s":1,"#)))
                .replace("\"result\"", "\"error\""),
        ),
    ];
    shapes.into_iter().map(|(name, text)| Class { name, lines: vec![Line::new(&text)] }).collect()
}

/// Requests, results and notifications as they come in a day's work.
fn session(order: Order, seed: &mut Seed) -> Vec<Line> {
    (0..10_000)
        .map(|id| {
            let line = match seed.below(100) {
                0..3 => order.request(id, "ping", "{}"),
                3..6 => order.request(id, "tools/list", "{}"),
                6..16 => order.notification(
                    "notifications/progress",
                    &format!(
                        r#"{{"progressToken":{id},"progress":{},"total":100}}"#,
                        seed.below(100)
                    ),
                ),
                16..20 => order.notification("notifications/cancelled", &format!(r#"{{"requestId":{id}}}"#)),
                20..25 => order.request(
                    id,
                    "resources/read",
                    &format!(r#"{{"uri":"file:///srv/{}/{}.txt"}}"#, seed.pick(WORDS), seed.pick(WORDS)),
                ),
                25..60 => {
                    let length = seed.below(300) as usize;
                    order.request(
                        id,
                        "tools/call",
                        &format!(
                            r#"{{"name":"{}","arguments":{{"path":"/srv/{}","query":"{}","limit":{},"all":{}}}}}"#,
                            seed.pick(WORDS),
                            seed.pick(WORDS),
                            prose(seed, length),
                            seed.below(1000),
                            seed.below(2) == 0
                        ),
                    )
                }
                60..80 => {
                    let length = seed.below(1500) as usize;
                    order.result(id, &text_result(&prose(seed, length)))
                }
                80..92 => {
                    let length = seed.below(3000) as usize;
                    order.result(id, &text_result(&escaped_text(seed, length)))
                }
                92..95 => {
                    let length = seed.below(3000) as usize;
                    order.result(id, &text_result(&cjk(seed, length)))
                }
                95..98 => {
                    let length = 1000 + seed.below(8000) as usize;
                    order.result(id, &tools(seed, length))
                }
                _ => {
                    let length = seed.below(4000) as usize;
                    order.request(id, "tools/call", &numbers(seed, length))
                }
            };
            Line::new(&line)
        })
        .collect()
}
