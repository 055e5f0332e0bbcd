//! Conversations that are played through the process.

use std::fmt::Write;

use serde_json::Value;

use crate::tap::{Outcome, Tap};

/// Plays a conversation: lines of the client (`>`) and of the server (`<`), in that order. The server is a script that
/// reads a line of the client before it goes on, so the order of the log is that of the conversation.
pub(crate) fn play(lines: &[impl AsRef<[u8]>]) -> Outcome {
    let lines: Vec<(bool, Vec<u8>)> = lines.iter().map(|line| sided(line.as_ref())).collect();
    let mut script = String::new();
    for (is_client, line) in &lines {
        script += if *is_client { "read -r line" } else { "printf '" };
        if !is_client {
            for byte in line {
                write!(script, "\\{byte:03o}").expect("memory");
            }
            script += "'";
        }
        script += "\n";
    }
    // The client ends first.
    script += "printf '\\n'\ncat >/dev/null\n";
    let mut tap = Tap::script(&["--json"], &script);
    for (is_client, line) in &lines {
        if *is_client {
            tap.send(line);
        } else {
            assert_eq!(tap.read(line.len()), *line);
        }
    }
    tap.read(1);
    tap.close()
}

/// Whether the line is the client's, and its bytes.
fn sided(line: &[u8]) -> (bool, Vec<u8>) {
    let (side, text) = line.split_first().expect("a side");
    assert!(b"<>".contains(side), "{}", String::from_utf8_lossy(line));
    (*side == b'>', [text, b"\n"].concat())
}

/// Kind, id and faults of each message.
pub(crate) fn told(records: &[Value]) -> Vec<String> {
    records
        .iter()
        .filter(|record| !matches!(record["kind"].as_str(), Some("closed" | "exit" | "summary")))
        .map(|record| {
            let mut told = record["kind"].as_str().expect("a kind").to_owned();
            if let Some(id) = record.get("id") {
                told += &format!(" {id}");
            }
            for fault in record["faults"].as_array().into_iter().flatten() {
                told += &format!(" {}", fault.as_str().expect("a name"));
            }
            told
        })
        .collect()
}

/// Names and counts of all faults, as the summary has them: `invalid 1, unanswered 2`.
pub(crate) fn faults(outcome: &Outcome) -> String {
    // Some records have half a surrogate pair, which this JSON parser refuses.
    let summary = outcome.log.lines().last().expect("a summary");
    let summary: Value = serde_json::from_str(summary).expect("JSON");
    let faults = summary["faults"].as_object().expect("an object");
    let faults: Vec<String> = faults.iter().map(|(name, count)| format!("{name} {count}")).collect();
    faults.join(", ")
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// The bytes on the wire of a line in short form: the side, a verb, and its words. A `ÿ` stands for the byte 255, which
/// UTF-8 does not have.
pub(crate) fn spelled(line: &str) -> Vec<u8> {
    let (side, text) = line.split_at(1);
    let mut words = text.splitn(3, ' ');
    let verb = words.next().unwrap_or_default();
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    let envelope = |members: &str| format!(r#"{{"jsonrpc":"2.0",{members}}}"#);
    let text = match verb {
        "hello" => envelope(&format!(
            r#""id":{first},"method":"initialize","params":{{"protocolVersion":"{second}","capabilities":{{}},"clientInfo":{{"name":"x","version":"1"}}}}"#
        )),
        "welcome" => envelope(&format!(
            r#""id":{first},"result":{{"protocolVersion":"{second}","capabilities":{{}},"serverInfo":{{"name":"x","version":"1"}}}}"#
        )),
        "ask" => envelope(&format!(r#""id":{first},"method":"{second}""#)),
        "modern" => envelope(&format!(r#""id":{first},"method":"{second}","params":{{{META}}}"#)),
        "deep" | "deep-result" => {
            let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(200), "]".repeat(200));
            envelope(&match verb {
                "deep" => format!(r#""id":{first},"method":"{second}","params":{deep}"#),
                _ => format!(r#""id":{first},"result":{deep}"#),
            })
        }
        "tell" => envelope(&format!(r#""method":"{first}""#)),
        "event" => envelope(&format!(
            r#""method":"{first}","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{second}}}}}"#
        )),
        "cancel" => {
            envelope(&format!(r#""method":"notifications/cancelled","params":{{"requestId":{first}}}"#))
        }
        "result" => envelope(&format!(r#""id":{first},"result":{{}}"#)),
        "complete" => envelope(&format!(r#""id":{first},"result":{{"resultType":"complete"}}"#)),
        "error" => envelope(&format!(r#""id":{first},"error":{{"code":{second},"message":"x"}}"#)),
        _ => text.to_owned(),
    };
    let mut bytes = side.as_bytes().to_vec();
    for character in text.chars() {
        match character {
            'ÿ' => bytes.push(0xff),
            _ => bytes.extend_from_slice(character.to_string().as_bytes()),
        }
    }
    bytes
}

pub(crate) fn play_short(lines: &[&str]) -> Outcome {
    let lines: Vec<Vec<u8>> = lines.iter().map(|line| spelled(line)).collect();
    play(&lines)
}
