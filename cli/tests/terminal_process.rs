//! No output of any command contains a character that a terminal might obey, whatever a peer, a file or the command
//! line contains.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_barewire");

/// Characters that may be raw in a JSON string: DEL, C1 controls, and those that change the direction or end a line.
const IN_JSON: &str = "\u{7f}\u{80}\u{85}\u{9b}\u{9f}\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";

fn is_obeyed(character: char) -> bool {
    (character.is_control() && !matches!(character, '\n' | '\t'))
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The bytes as text, in which every character may be shown.
#[track_caller]
fn harmless(what: &str, bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let found: Vec<char> = text.chars().filter(|character| is_obeyed(*character)).collect();
    assert!(found.is_empty(), "{what}: {found:?} in {text:?}");
    text
}

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut process = Command::new(PROGRAM)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut stdin = process.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = thread::spawn(move || {
        // A program that refuses its arguments reads nothing.
        let _ = stdin.write_all(&input);
    });
    let output = process.wait_with_output().expect("an end");
    writer.join().expect("no panic");
    output
}

/// A server with the characters in every text: raw, or as escapes where JSON requires that.
fn server() -> String {
    let x = format!("\\u001b[2J{IN_JSON}");
    format!(
        r#"
while read -r line; do
    id=${{line#*\"id\":}}; id=${{id%%,*}}
    case $line in
        *'"initialize"'*) printf '%s\n' "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{{\"tools\":{{}},\"resources\":{{}},\"prompts\":{{}},\"logging\":{{}}}},\"serverInfo\":{{\"name\":\"{x}\",\"version\":\"1\"}}}}}}"
            printf '%s\n' 'no message {IN_JSON}'
            printf '%s\n' '{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"error","logger":"{x}","data":"{x}"}}}}'
            printf '%s\n' '{{"jsonrpc":"2.0","id":"{x}","method":"{x}"}}' ;;
        *'"tools/list"'*) printf '%s\n' "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"tools\":[{{\"name\":\"a{x}\",\"description\":\"{x}\",\"inputSchema\":{{\"type\":\"object\",\"properties\":{{\"{x}\":{{\"type\":\"{x}\",\"description\":\"{x}\"}}}}}}}}]}}}}" ;;
        *'"tools/call"'*) printf '%s\n' "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{x}\"}}]}}}}" ;;
        *'"resources/list"'*) printf '%s\n' "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"resources\":[{{\"uri\":\"a:{x}\",\"name\":\"{x}\"}}]}}}}" ;;
        *'"resources/read"'*) printf '%s\n' "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"contents\":[{{\"uri\":\"a:{x}\",\"mimeType\":\"{x}\",\"blob\":\"AAAA\"}}]}}}}" ;;
        *'"prompts/get"'*) printf '%s\n' "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"messages\":[{{\"role\":\"user\",\"content\":{{\"type\":\"image\",\"mimeType\":\"{x}\",\"data\":\"AAAA\"}}}}]}}}}" ;;
        *'"notifications/'*) ;;
        *) printf '%s\n' "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{{\"code\":-32601,\"message\":\"{x}\",\"data\":\"{x}\"}}}}" ;;
    esac
done
"#
    )
}

#[test]
fn classify_shows_methods_ids_and_file_names_harmlessly() {
    let message =
        format!(r#"{{"jsonrpc":"2.0","id":"{IN_JSON}\u001b","method":"{IN_JSON}\u001b","params":{{}}}}"#);
    let response = format!(r#"{{"jsonrpc":"2.0","id":"{IN_JSON}","result":{{}}}}"#);
    let text = format!("{message}\n{response}\n{IN_JSON}\u{1b}\n");
    let name = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("\u{1b}\u{9b}\u{202e}.jsonl");
    fs::write(&name, &text).expect("a file");
    let name = name.to_str().expect("UTF-8");
    let missing = format!("/nonexistent/{IN_JSON}\u{1b}\n");
    for arguments in [
        &["classify"][..],
        &["classify", "--json"],
        &["classify", "--json", "-", name],
        &["classify", "-", name],
        &["classify", "-n", name],
        &["classify", &missing],
    ] {
        let output = run(arguments, text.as_bytes());
        harmless(&format!("{arguments:?}"), &output.stdout);
        harmless(&format!("{arguments:?}"), &output.stderr);
    }
    // The values are the same.
    let output = run(&["classify", "--json"], text.as_bytes());
    let first = String::from_utf8(output.stdout).expect("UTF-8");
    let found: Value = serde_json::from_str(first.lines().next().expect("a line")).expect("JSON");
    let sent: Value = serde_json::from_str(&message).expect("JSON");
    assert_eq!((&found["id"], &found["method"]), (&sent["id"], &sent["method"]));
}

#[test]
fn call_shows_text_of_a_server_with_escapes() {
    let server = server();
    let asked = [
        &["--list", "tools"][..],
        &["--list", "tools", "--json"],
        &["--list", "resources"],
        &["--list", "prompts"],
        &["--list", "prompts", "--json"],
        &["--tool", "t", "--json"],
        &["--read", "a:b"],
        &["--read", "a:b", "--json"],
        &["--prompt", "p"],
        &["--prompt", "p", "--json"],
    ];
    for arguments in asked {
        let all =
            [&["call", "--protocol", "2025-06-18"], arguments, &["--", "/bin/sh", "-c", &server]].concat();
        let output = run(&all, b"");
        let what = format!("{arguments:?}");
        harmless(&what, &output.stdout);
        let said = harmless(&what, &output.stderr);
        assert!(said.contains("log error"), "{what}: {said}");
    }
    let all = ["call", "--protocol", "2025-06-18", "--tool", "t", "--json", "--", "/bin/sh", "-c", &server];
    let result: Value = serde_json::from_slice(&run(&all, b"").stdout).expect("JSON");
    assert_eq!(result["content"][0]["text"], Value::from(format!("\u{1b}[2J{IN_JSON}")));
}

#[test]
fn check_shows_answers_harmlessly() {
    let server = server();
    for json in [&["--quick"][..], &["--quick", "--json"]] {
        let all = [&["check", "--timeout", "1"], json, &["--", "/bin/sh", "-c", &server]].concat();
        let output = run(&all, b"");
        let table = harmless("check", &output.stdout);
        assert!(table.contains("\\u202e"), "nothing was quoted: {table}");
        harmless("check", &output.stderr);
    }
}

#[test]
fn tap_shows_messages_harmlessly() {
    let server = server();
    // Without a log file, tap shares standard error with the server, whose bytes it does not change.
    let talkative = format!("printf '%s\\n' 'on stderr {IN_JSON}\u{1b}[2J' >&2\n{server}");
    let lines = format!(
        "{}\n{}\n{}\nno message {IN_JSON}\u{1b}\n",
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
        format_args!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"{IN_JSON}\u001b"}}}}"#
        ),
        format_args!(r#"{{"jsonrpc":"2.0","id":"{IN_JSON}","method":"{IN_JSON}"}}"#),
    );
    let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("harmless.log");
    let log = log.to_str().expect("UTF-8");
    for (options, server) in [
        (&["tap"][..], &server),
        (&["tap", "--json"], &server),
        (&["tap", "--log", log], &talkative),
        (&["tap", "--json", "--log", log], &talkative),
    ] {
        let all = [options, &["--", "/bin/sh", "-c", server]].concat();
        let _ = fs::remove_file(log);
        // The server's standard output is unchanged, and its standard error too if the log is a file.
        let output = run(&all, lines.as_bytes());
        let log = match fs::read(log) {
            Ok(log) => log,
            Err(_) => output.stderr,
        };
        let text = harmless(&format!("{options:?}"), &log);
        assert!(text.contains("tools/call"), "{options:?}: {text}");
    }
}

#[test]
fn serve_logs_harmlessly() {
    let line = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{IN_JSON}\\u001b\"}}\n{IN_JSON}\n");
    let output = run(&["serve", "--log", "debug"], line.as_bytes());
    let text = harmless("serve", &output.stderr);
    assert!(text.contains("notification "), "{text}");
}

#[test]
fn the_command_line_is_repeated_harmlessly() {
    let word = format!("{IN_JSON}\u{1b}[2J\r");
    for arguments in [
        &[word.as_str()][..],
        &["call", &word],
        &["call", "--tool", "t", "--arg", &word, "--", "cat"],
        &["call", "--tool", "t", "--args", &word, "--", "cat"],
        &["call", "--tool", "t", "--timeout", &word, "--", "cat"],
        &["call", "--protocol", &word, "--", "cat"],
        &["call", "--", &word],
        &["check", "--", &word],
        &["tap", "--", &word],
        &["tap", "--log", &format!("/nonexistent/{word}"), "--", "cat"],
        &["serve", "--log", &word],
        &["completions", &word],
        &["classify", &format!("--{word}")],
    ] {
        let output = run(arguments, b"");
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
        harmless(&format!("{arguments:?}"), &output.stdout);
        let text = harmless(&format!("{arguments:?}"), &output.stderr);
        assert!(!text.is_empty(), "{arguments:?}");
    }
}
