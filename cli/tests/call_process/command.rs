//! The command: what it prints, and its exit status.

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::servers::{DIES_ON_THE_PROBE, LEGACY, REFUSES, SILENT, endless, script};

const PROGRAM: &str = env!("CARGO_BIN_EXE_barewire");

/// Exit status, standard output and standard error of the command.
pub(crate) struct Left {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn call_on(arguments: &[&str], server: &[&str]) -> Left {
    let output: Output = Command::new(PROGRAM)
        .arg("call")
        .args(arguments)
        .arg("--")
        .args(server)
        .output()
        .expect("the program");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Left { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Runs `barewire call` on `barewire serve`.
pub(crate) fn call(arguments: &[&str]) -> Left {
    call_on(arguments, &[PROGRAM, "serve"])
}

const VERSIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

#[test]
fn lists_in_every_revision() {
    for version in VERSIONS {
        for (list, first) in [
            ("tools", "echo: Returns the given text unchanged.\n    text (string, required)\n"),
            ("resources", "demo://readme: Description of this server.\n"),
            ("templates", "demo://square/{number}: "),
            ("prompts", "greet: Asks for a greeting.\n    name (required): Name of the person to greet.\n"),
        ] {
            let left = call(&["--protocol", version, "--list", list]);
            assert_eq!(left.code, Some(0), "{}", left.stderr);
            assert!(left.stdout.starts_with(first), "{}", left.stdout);
            assert_eq!(left.stderr, "");
        }
    }
    assert_eq!(call(&[]).stdout, call(&["--list", "tools"]).stdout);
}

#[test]
fn a_list_of_several_pages_is_one() {
    let whole = call(&["--json"]);
    // The output of this server is too small for all tools at once.
    let paged = call_on(&["--json"], &[PROGRAM, "serve", "--max-output", "700"]);
    assert_eq!(paged.code, Some(0));
    assert_eq!(paged.stdout, whole.stdout);
    assert_eq!(whole.stdout.lines().count(), 10);
    for line in whole.stdout.lines() {
        assert!(line.starts_with(r#"{"name":""#) && line.ends_with('}'), "{line}");
    }
}

#[test]
fn a_list_without_an_end_is_given_up() {
    let same = endless("a");
    let left = call_on(&["--protocol", "2025-06-18"], &script(&same));
    assert_eq!((left.code, left.stdout.as_str()), (Some(2), "t\nt\n"));
    assert_eq!(left.stderr, "barewire: the server gives the same page again\n");
    // Cursors that repeat after some others, and cursors that never repeat.
    for (cursor, pages, why) in [
        ("$((page % 2))", 3, "the server gives the same page again"),
        ("$((page % 7))", 8, "the server gives the same page again"),
        ("$((page < 5 ? page : page % 3 + 5))", 6, "the server gives the same page again"),
        ("$page", 1001, "the list has more than 1000 pages"),
    ] {
        let left = call_on(&["--protocol", "2025-06-18"], &script(&endless(cursor)));
        assert_eq!((left.code, left.stderr), (Some(2), format!("barewire: {why}\n")), "{cursor}");
        assert_eq!(left.stdout.lines().count(), pages, "{cursor}");
    }
    // A server that has another page for as long as it is read.
    let mut process = Command::new(PROGRAM)
        .args(["call", "--protocol", "2025-06-18", "--"])
        .args(script(&endless("$page")))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut stdout = process.stdout.take().expect("a pipe");
    let mut start = [0; 8];
    stdout.read_exact(&mut start).expect("four entries");
    assert_eq!(&start, b"t\nt\nt\nt\n");
    drop(stdout);
    assert_eq!(process.wait().expect("an end").code(), Some(0));
}

#[test]
fn tools_answer_in_every_revision_and_with_all_forms_of_ids() {
    for version in VERSIONS {
        for ids in ["counter", "counter-string", "timestamp", "uuid"] {
            let left = call(&[
                "--protocol",
                version,
                "--ids",
                ids,
                "--tool",
                "add",
                "--arg",
                "a=40",
                "--arg",
                "b=2",
            ]);
            assert_eq!((left.code, left.stdout.as_str()), (Some(0), "42\n"), "{}", left.stderr);
        }
    }
}

#[test]
fn the_exit_status_names_the_kind_of_failure() {
    let left = call(&["--tool", "echo", "--args", r#"{"text": "a\u001bb"}"#]);
    // Not a terminal: unchanged.
    assert_eq!((left.code, left.stdout.as_str()), (Some(0), "a\u{1b}b\n"));
    let left = call(&["--tool", "add", "--arg", "a=x", "--no-check"]);
    assert_eq!((left.code, left.stdout.as_str()), (Some(1), "Invalid arguments for add\n"));
    let left = call(&["--tool", "nope"]);
    assert_eq!((left.code, left.stdout.as_str()), (Some(2), ""));
    assert_eq!(left.stderr, "barewire: error -32602 Unknown tool\n");
    let left = call(&["--tool", "nope", "--json"]);
    assert_eq!(left.code, Some(2));
    assert_eq!(left.stdout, "{\"code\":-32602,\"message\":\"Unknown tool\"}\n");
    let left = call(&["--read", "demo://nope", "--protocol", "2026-07-28"]);
    assert_eq!(left.code, Some(2));
    assert_eq!(left.stderr, "barewire: error -32602 Resource not found {\"uri\":\"demo://nope\"}\n");
    let left = call_on(&[], &["/nowhere/server"]);
    assert_eq!(left.code, Some(3));
    assert!(left.stderr.starts_with("barewire: no connection: cannot start"), "{}", left.stderr);
    let left = call_on(&[], &["false"]);
    assert_eq!(left.code, Some(3));
    assert_eq!(left.stderr, "barewire: no connection: the server exited with status 1 before it answered\n");
}

#[test]
fn a_program_that_is_not_a_server_is_reported() {
    let left = call_on(&[], &["cat"]);
    assert_eq!((left.code, left.stdout.as_str()), (Some(3), ""));
    assert_eq!(left.stderr, "barewire: no connection: this is not an MCP server: it echoes its input\n");
}

#[test]
fn a_program_that_writes_something_else_is_quoted_once_with_its_status() {
    for (program, status, quoted) in [
        ("seq 50", 0, "`1`"),
        ("echo usage: x; exit 3", 3, "`usage: x`"),
        ("printf 'a\\033[2J\\rb'; exit 1", 1, "`a\\u001b[2J\\u000db`"),
        ("printf '\\377\\376'; exit 1", 1, "`\u{fffd}\u{fffd}`"),
        ("printf '%0300d\\n' 7 8 9", 0, &format!("`{}…`", "0".repeat(60))),
    ] {
        for options in [&[][..], &["--protocol", "2025-06-18"], &["--tool", "t"]] {
            let left = call_on(options, &script(program));
            assert_eq!((left.code, left.stdout.as_str()), (Some(3), ""), "{program}");
            let mut lines = left.stderr.lines();
            let line = lines.next().expect("a line");
            assert_eq!(lines.next(), None, "{program}: {}", left.stderr);
            assert!(line.starts_with("barewire: no connection: the server "), "{line}");
            assert!(line.contains(quoted), "{line}");
            assert!(line.contains(&format!(" exited with status {status} ")), "{line}");
        }
    }
}

#[test]
fn stray_lines_of_a_server_that_works_are_shown_once_and_counted() {
    let noisy = format!(
        "echo starting; echo loading; {}",
        LEGACY.replace("while read", "while echo 'a log\tline'; read")
    );
    let left = call_on(&["--protocol", "2025-03-26", "--tool", "t", "--json", "--no-check"], &script(&noisy));
    assert_eq!((left.code, left.stdout.as_str()), (Some(0), "{\"content\":[]}\n"), "{}", left.stderr);
    let lines: Vec<&str> = left.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(
        lines[0],
        "invalid line from the server: -32700 not-json, unexpected byte at byte 0: `starting`"
    );
    assert!(lines[1].starts_with("further invalid lines from the server: "), "{lines:?}");
    // After the handshake.
    let late = LEGACY.replace("*'\"tools/call\"'*)", "*'\"tools/call\"'*) echo working; echo still;");
    let left = call_on(&["--protocol", "2025-03-26", "--tool", "t", "--no-check"], &script(&late));
    assert_eq!(left.code, Some(0));
    assert_eq!(
        left.stderr,
        "invalid line from the server: -32700 not-json, unexpected byte at byte 0: `working`\n\
         further invalid lines from the server: 1\n"
    );
}

#[test]
fn the_fault_of_a_response_is_reported() {
    let left = call_on(
        &["--protocol", "2025-06-18"],
        &script(r#"read -r line; echo '{"jsonrpc":"2.0","id":1,"result":7}'; cat >/dev/null"#),
    );
    assert_eq!(left.code, Some(3));
    assert_eq!(
        left.stderr,
        "barewire: no connection: the server's answer cannot be used: not a valid response: result-not-an-object\n"
    );
    // An invalid answer to the request.
    let spoiled = LEGACY.replace(r#"{\"content\":[]}"#, "7");
    let left = call_on(&["--protocol", "2025-03-26", "--tool", "t"], &script(&spoiled));
    assert_eq!(left.code, Some(2));
    assert_eq!(
        left.stderr,
        "barewire: the response cannot be used: not a valid response: result-not-an-object\n"
    );
}

#[test]
fn wrong_usage_is_reported_before_a_server_is_started() {
    for arguments in [
        &["--arg", "a=1"][..],
        &["--read", "a:b", "--args", "{}"],
        &["--tool", "t", "--args", "[1]"],
        &["--tool", "t", "--args", "{"],
        &["--tool", "t", "--arg", "a"],
        &["--tool", "t", "--arg", "x=1", "--arg", "x=2"],
        &["--tool", "t", "--args", r#"{"x":1,"x":2}"#],
        &["--tool", "t", "--args", r#"{"x":1,"\u0078":2}"#],
        &["--tool", "t", "--args", r#"{"a":{"b":[{"x":1,"x":2}]}}"#],
        &["--prompt", "p", "--arg", "x=1", "--arg", "x=1"],
        &["--prompt", "p", "--args", r#"{"x":"1","x":"1"}"#],
        &["--tool", "t", "--no-check", "--arg", r#"a={"x":1,"x":2}"#],
        &["--tool", "t", "--read", "a:b"],
        &["--protocol", "2031-01-01"],
        &["--timeout", "soon"],
    ] {
        let left = call_on(arguments, &["/nowhere/server"]);
        assert_eq!((left.code, left.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(!left.stderr.contains("no connection"), "{}", left.stderr);
    }
}

#[test]
fn resources_and_prompts_are_shown() {
    let left = call(&["--read", "demo://square/12"]);
    assert_eq!((left.code, left.stdout.as_str()), (Some(0), "144\n"));
    let left = call(&["--read", "demo://pixel.png"]);
    assert!(left.stdout.starts_with("[demo://pixel.png image/png, "), "{}", left.stdout);
    let left = call(&["--prompt", "greet", "--arg", "name=7"]);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    assert!(left.stdout.starts_with("user: "), "{}", left.stdout);
    assert!(left.stdout.ends_with("user: 7\n"), "{}", left.stdout);
    let left = call(&["--tool", "measure", "--json", "--protocol", "2025-11-25"]);
    assert!(left.stdout.contains(r#""structuredContent":{"#), "{}", left.stdout);
}

#[test]
fn progress_is_shown_while_waiting() {
    for version in VERSIONS {
        let left = call(&["--protocol", version, "--tool", "slow", "--arg", "ms=50"]);
        assert_eq!((left.code, left.stdout.as_str()), (Some(0), "done\n"));
        let expected: String = (1..=10).map(|step| format!("progress {step}/10\n")).collect();
        assert_eq!(left.stderr, expected);
    }
}

#[test]
fn a_call_that_takes_too_long_is_an_error() {
    let left = call(&["--tool", "slow", "--arg", "ms=60000", "--timeout", "0.3"]);
    assert_eq!(left.code, Some(2));
    assert!(left.stderr.ends_with("barewire: no answer within 0.3 s\n"), "{}", left.stderr);
}

#[test]
fn old_servers_are_met_as_they_are() {
    for server in [LEGACY, DIES_ON_THE_PROBE] {
        let left = call_on(&["--tool", "t", "--json"], &script(server));
        assert_eq!(left.code, Some(0), "{}", left.stderr);
        assert_eq!(left.stdout, "{\"content\":[]}\n");
    }
    // A server that is silent at unknown methods: the probe times out, and then `initialize`.
    let start = Instant::now();
    let left = call_on(&["--probe-timeout", "0.2", "--connect-timeout", "0.3"], &script(SILENT));
    assert_eq!(left.code, Some(3));
    assert_eq!(left.stderr, "barewire: no connection: the server does not answer\n");
    assert!(start.elapsed() >= Duration::from_millis(500));
    let left = call_on(&[], &script(REFUSES));
    assert_eq!(left.code, Some(3));
    assert_eq!(
        left.stderr,
        "garbage from the server is no log of its own\n\
         invalid line from the server: -32700 not-json, unexpected byte at byte 0: `hello`\n\
         barewire: no connection: the server refuses: -32603 no \\u001b[2Jroom\n"
    );
}

#[test]
fn a_result_that_cannot_be_written_is_none() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        eprintln!("SKIPPED: there is no /dev/full");
        return;
    };
    for arguments in [
        &["--list", "tools"][..],
        &["--tool", "add", "--args", r#"{"a":1,"b":2}"#],
        &["--tool", "echo", "--no-check"],
        &["--read", "demo://readme", "--json"],
        &["--prompt", "nope", "--json"],
    ] {
        let output = Command::new(PROGRAM)
            .arg("call")
            .args(arguments)
            .args(["--", PROGRAM, "serve"])
            .stdout(full.try_clone().expect("a descriptor"))
            .output()
            .expect("the program");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.starts_with("barewire: cannot write: "), "{stderr}");
    }
}
