//! A server that has exited while a process that it has started still holds its output.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::program::BAREWIRE;

/// Far shorter than the timeouts, and far longer than an exit takes.
const PROMPTLY: Duration = Duration::from_secs(10);

/// Runs a command on a script that leaves a process behind.
fn run(command: &[&str], script: &str) -> Output {
    let start = Instant::now();
    let output = Command::new(BAREWIRE)
        .args(command)
        .args(["--", "sh", "-c", &format!("sleep 300 2>/dev/null & {script}")])
        .output()
        .expect("the program");
    assert!(start.elapsed() < PROMPTLY, "{script}: {:?}", start.elapsed());
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

const HELLO: &str = r#"echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}'"#;
const LEGACY: [&str; 3] = ["call", "--protocol", "2025-06-18"];

/// How a server ends, and the sentence about it.
const ENDS: [(&str, &str); 4] = [
    ("exit 3", "exited with status 3"),
    ("exit 0", "exited with status 0"),
    ("kill -9 $$", "was killed by signal 9"),
    ("kill -15 $$", "was killed by signal 15"),
];

#[test]
fn call_reports_the_exit_of_the_server_before_its_first_answer() {
    for (end, how) in ENDS {
        for command in [&LEGACY[..], &["call"]] {
            let output = run(command, &format!("read -r line; {end}"));
            assert_eq!(output.status.code(), Some(3), "{end}");
            assert_eq!(
                text(&output.stderr),
                format!("barewire: no connection: the server {how} before it answered\n"),
            );
        }
    }
}

#[test]
fn call_reports_the_exit_of_the_server_after_its_first_answer() {
    for (end, how) in ENDS {
        let output = run(&LEGACY, &format!("read -r line; {HELLO}; read -r line; read -r line; {end}"));
        assert_eq!(output.status.code(), Some(3), "{end}");
        assert_eq!(text(&output.stderr), format!("barewire: the server {how} before it answered\n"),);
    }
}

#[test]
fn call_reports_what_a_server_does_instead_of_exiting() {
    let asks = r#"yes "{\"jsonrpc\":\"2.0\",\"id\":\"$(printf '%01000d' 0)\",\"method\":\"ping\"}""#;
    for (end, what) in [
        ("exec >&- 2>&-; kill $!; sleep 300", "has closed its output before it answered"),
        (asks, "sends requests and does not read the responses"),
    ] {
        let output = run(&LEGACY, &format!("read -r line; {HELLO}; read -r line; read -r line; {end}"));
        assert_eq!(output.status.code(), Some(3), "{end}");
        assert_eq!(text(&output.stderr), format!("barewire: the server {what}\n"));
    }
}

#[test]
fn an_answer_that_was_written_before_the_exit_counts() {
    // More than a pipe and the queue of the client hold.
    let text_of_result = "x".repeat(3_000_000);
    let file = std::env::temp_dir().join(format!("barewire-exit-{}", std::process::id()));
    std::fs::write(
        &file,
        format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"content":[{{"type":"text","text":"{text_of_result}"}}]}}}}"#) + "\n",
    )
    .expect("a file");
    let script = format!("read -r line; {HELLO}; read -r line; read -r line; cat {}; exit 3", file.display());
    let output = run(&[&LEGACY[..], &["--no-check", "--tool", "t"]].concat(), &script);
    std::fs::remove_file(&file).expect("the file");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(output.stdout.len(), text_of_result.len() + 1);
}

#[test]
fn a_filter_that_outlives_the_server_still_passes_on_its_answer() {
    let file = std::env::temp_dir().join(format!("barewire-filter-{}", std::process::id()));
    let file = file.to_str().expect("UTF-8");
    let script = format!(
        "exec 3<&0; (read -r line <&3; {HELLO}; read -r line <&3; read -r line <&3; echo >{file}; sleep 0.02; \
         echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"tools\":[]}}}}') & \
         while [ ! -s {file} ]; do sleep 0.01; done; rm {file}"
    );
    let output = run(&LEGACY, &script);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn check_reports_the_exit_of_the_server() {
    for (end, how) in ENDS {
        let output = run(&["check", "--quick", "--timeout", "10"], &format!("read -r line; {end}"));
        assert_eq!(output.status.code(), Some(1), "{end}");
        let table = text(&output.stdout);
        let reason = format!("no answer to initialize: the server {how}");
        assert!(table.contains(&reason), "{table}");
    }
}

#[test]
fn tap_ends_as_the_server_has_ended() {
    for (end, status) in [("exit 3", 3), ("exit 0", 0), ("kill -9 $$", 137)] {
        let output = run(&["tap"], &format!("echo done; {end}"));
        assert_eq!(output.status.code(), Some(status), "{end}");
        assert_eq!(text(&output.stdout), "done\n");
    }
}
