//! The public corpus, `tests/corpus/messages.jsonl`, as its README describes it.

use barewire::demo::CORPUS;
use serde_json::Value;

/// What one message is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// `request`, `notification`, `response` or `invalid`.
    pub kind: String,
    /// Of the error with which it is refused.
    pub code: Option<i64>,
    /// Why it is no message.
    pub reason: Option<String>,
}

/// One line of the file.
#[derive(Debug)]
pub struct Case {
    /// Unique.
    pub name: String,
    /// What it is about.
    pub group: String,
    /// A line without its newline, or a whole stream.
    pub input: Vec<u8>,
    /// Whether the input is a stream.
    pub is_stream: bool,
    /// The longest line that the receiver takes.
    pub max_line: Option<usize>,
    /// One, but for a stream.
    pub messages: Vec<Verdict>,
    /// What the server takes it for, if for something else.
    pub serve_kind: Option<String>,
    /// The lines that the server writes, without the last newline.
    pub answer: Option<String>,
    /// The document that decides it.
    pub basis: String,
    /// The explanation.
    pub why: String,
}

/// All of them, in the order of the file.
pub fn all() -> Vec<Case> {
    CORPUS.lines().map(case).collect()
}

fn case(line: &str) -> Case {
    let value: Value = serde_json::from_str(line).expect("a line of JSON");
    let text = |name: &str| value[name].as_str().map(str::to_string);
    let input = match (text("input"), text("input_hex")) {
        (Some(input), None) => input.into_bytes(),
        (None, Some(digits)) => bytes(&digits),
        _ => panic!("one of input and input_hex: {line}"),
    };
    let messages = value["messages"].as_array();
    Case {
        name: text("name").expect("a name"),
        group: text("group").expect("a group"),
        input,
        is_stream: messages.is_some(),
        max_line: value["max_line"].as_u64().and_then(|length| usize::try_from(length).ok()),
        messages: match messages {
            Some(messages) => messages.iter().map(verdict).collect(),
            None => vec![verdict(&value)],
        },
        serve_kind: text("serve_kind"),
        answer: text("answer"),
        basis: text("basis").expect("a basis"),
        why: text("why").expect("an explanation"),
    }
}

fn verdict(value: &Value) -> Verdict {
    Verdict {
        kind: value["kind"].as_str().expect("a kind").to_string(),
        code: value["code"].as_i64(),
        reason: value["reason"].as_str().map(str::to_string),
    }
}

fn bytes(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2), "{digits}");
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two hexadecimal digits"))
        .collect()
}

impl Case {
    /// What is written to the server.
    pub fn stream(&self) -> Vec<u8> {
        match self.is_stream {
            true => self.input.clone(),
            false => [&self.input[..], b"\n"].concat(),
        }
    }

    /// What the server writes.
    pub fn output(&self) -> String {
        match &self.answer {
            Some(answer) => format!("{answer}\n"),
            None => String::new(),
        }
    }
}
