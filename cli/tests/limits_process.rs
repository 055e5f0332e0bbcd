//! The program under limits of the system: a small stack, little memory, no threads.
//!
//! Limits of memory are those of Linux: macOS has none.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_barewire");

/// In KiB: a quarter of what the main thread has on Windows. The parser of the arguments alone needs about 170 of them
/// in a debug build.
const STACK: u32 = 256;

/// A server in one script, which writes its process id and does not end by itself.
#[cfg(target_os = "linux")]
const SERVER: &str = r#"
echo $$ >"$0"
while read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}
    case $line in
        *'"initialize"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"sh\",\"version\":\"1\"}}}" ;;
        *'"tools/call"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[]}}" ;;
        *'"notifications/'*) ;;
        *) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}" ;;
    esac
done
exec sleep 60
"#;

/// Runs the program under a limit of the shell; `input` is a file.
fn limited(limit: &str, arguments: &[&str], input: Option<&str>, environment: &[(&str, &str)]) -> Output {
    let input = match input {
        Some(path) => Stdio::from(fs::File::open(path).unwrap_or_else(|error| panic!("{path}: {error}"))),
        None => Stdio::null(),
    };
    Command::new("/bin/sh")
        .args(["-c", &format!("{limit}; exec \"$0\" \"$@\""), PROGRAM])
        .args(arguments)
        .envs(environment.iter().copied())
        .stdin(input)
        .output()
        .expect("a shell")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn with_a_small_stack(arguments: &[&str], input: Option<&str>) -> Output {
    let least = (STACK * 1024).to_string();
    let output = limited(&format!("ulimit -s {STACK}"), arguments, input, &[("RUST_MIN_STACK", &least)]);
    assert!(output.status.code().is_some_and(|code| code < 100), "{arguments:?}: {output:?}");
    output
}

/// Answers to a session in a file, under a small stack.
fn assert_same(arguments: &[&str], input: &str, expected: &str) {
    let output = with_a_small_stack(arguments, Some(input));
    let expected = fs::read_to_string(expected).expect("what is expected");
    assert_eq!(text(&output.stdout), expected, "{arguments:?}");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
}

const SESSION: &str = "../examples/session.jsonl";
const ANSWERS: &str = "../examples/expected/session.jsonl";

#[test]
fn serve_and_tap_need_little_stack() {
    assert_same(&["serve"], SESSION, ANSWERS);
    assert_same(&["tap", "--", PROGRAM, "serve"], SESSION, ANSWERS);
    assert_same(&["tap", "--json", "--", PROGRAM, "serve"], SESSION, ANSWERS);
}

/// The checks play every method of both eras.
#[test]
fn check_and_the_server_that_it_plays_need_little_stack() {
    let output = with_a_small_stack(&["check", "--quick", "--", PROGRAM, "serve"], None);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn fault_server_needs_little_stack() {
    let path = PathBuf::from(PROGRAM).with_file_name("examples").join("fault_server");
    assert!(path.exists(), "{} is built by `cargo test`", path.display());
    let server = path.to_str().expect("a path in UTF-8");
    let output = with_a_small_stack(&["call", "--list", "tools", "--", server], None);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn call_and_classify_need_little_stack() {
    let rows: [(&[&str], i32); 6] = [
        (&["call", "--list", "tools"], 0),
        (&["call", "--tool", "echo", "--arg", "text=a"], 0),
        (&["call", "--tool", "slow", "--arg", "ms=10"], 0),
        (&["call", "--read", "demo://square/12"], 0),
        (&["call", "--list", "prompts"], 0),
        (&["call", "--tool", "none"], 2),
    ];
    for (arguments, code) in rows {
        let output = with_a_small_stack(&[arguments, &["--", PROGRAM, "serve"]].concat(), None);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
    }
    for form in [&["classify"][..], &["classify", "--json"], &["classify", "--whole"]] {
        let output = with_a_small_stack(form, Some("../tests/corpus/messages.jsonl"));
        assert_eq!(output.status.code(), Some(1), "{form:?}");
    }
}

/// The file for the process id of the server.
#[cfg(target_os = "linux")]
fn note_of(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("barewire-{}-{name}", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

#[cfg(target_os = "linux")]
fn is_running(id: &str) -> bool {
    Command::new("/bin/sh")
        .args(["-c", "kill -0 \"$0\" 2>/dev/null", id])
        .status()
        .expect("a shell")
        .success()
}

/// Each stack size leaves room for a different number of threads.
#[cfg(target_os = "linux")]
#[test]
fn a_thread_that_cannot_be_started_is_an_error_and_leaves_no_server() {
    for command in ["call", "tap", "check"] {
        let mut errors = 0;
        for stack in [64, 30, 22, 15] {
            let note = note_of(command);
            let path = note.to_str().expect("a path in UTF-8");
            let stack = (stack * 1024 * 1024).to_string();
            let output = limited(
                "ulimit -v 60000",
                &[command, "--", "/bin/sh", "-c", SERVER, path],
                None,
                &[("RUST_MIN_STACK", &stack)],
            );
            let said = text(&output.stderr);
            let code = output.status.code();
            assert!(code.is_some_and(|code| code <= 3), "{command} {stack}: {code:?} {said}");
            if said.contains("cannot start a thread") {
                // `call` has a status of its own for a server that cannot be started.
                assert!(matches!(code, Some(2 | 3)), "{command} {stack}: {code:?} {said}");
                // The rest of the output of `tap` is its log.
                let sentences = said.lines().filter(|line| line.starts_with("barewire: "));
                assert_eq!(sentences.count(), 1, "{command} {stack}: {said}");
                errors += 1;
            }
            // The server may have been ended before it wrote its id.
            if let Ok(id) = fs::read_to_string(&note) {
                assert!(id.trim().is_empty() || !is_running(id.trim()), "{command} {stack} leaves {id}");
                let _ = fs::remove_file(&note);
            }
        }
        assert!(errors > 0, "{command} can always start its threads");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_can_start_no_thread_is_an_error() {
    let output = limited(
        ":",
        &["serve"],
        Some(SESSION),
        // A stack this large cannot be allocated.
        &[("RUST_MIN_STACK", "70368744177664")],
    );
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("cannot start a thread"), "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn little_memory_is_an_error_or_enough() {
    let output = limited("ulimit -v 200000", &["serve"], Some(SESSION), &[]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(text(&output.stderr).lines().count(), 1, "{output:?}");
    let note = note_of("memory");
    let path = note.to_str().expect("a path in UTF-8");
    for memory in ["ulimit -v 30000", "ulimit -v 60000"] {
        let output =
            limited(memory, &["call", "--tool", "x", "--", "/bin/sh", "-c", SERVER, path], None, &[]);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 2 | 3)), "{memory}: {output:?}");
        let output = limited(memory, &["classify"], Some(SESSION), &[]);
        assert_eq!(output.status.code(), Some(1), "{memory}: {output:?}");
    }
    let id = fs::read_to_string(&note).expect("a server that was started");
    assert!(!is_running(id.trim()), "{id}");
    let _ = fs::remove_file(&note);
}
