//! The examples of a debug build run on a stack of 256 KiB: large state is on the heap, not in frames that move it.
#![cfg(all(unix, feature = "std", feature = "macros"))]

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The program of an example, which cargo builds beside the tests.
fn example(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().expect("this program");
    path.pop();
    path.set_file_name("examples");
    path.push(name);
    assert!(
        path.exists(),
        "{} is built by `cargo test --all-features`, or by `cargo build --examples`",
        path.display()
    );
    path
}

#[test]
fn examples_need_little_stack() {
    let rows = [
        // Its name and arguments, its input, what it writes.
        ("stdio_server", "", "examples/words.jsonl", "stdio_server.jsonl"),
        ("oven_server", "", "examples/oven.jsonl", "oven_server.jsonl"),
        ("tokio_server", "-", "examples/alarm.jsonl", "tokio_server.jsonl"),
        ("classify", "", "/dev/null", "classify.txt"),
        ("client_session", "", "/dev/null", "client_session.txt"),
        ("gateway", "", "/dev/null", "gateway.txt"),
        ("server_in_memory", "", "/dev/null", "server_in_memory.txt"),
    ];
    for (name, argument, input, expected) in rows {
        let output = Command::new("/bin/sh")
            .args(["-c", "ulimit -s 256; exec \"$0\" $1"])
            .arg(example(name))
            .arg(argument)
            .env("RUST_MIN_STACK", "262144")
            .stdin(Stdio::from(File::open(input).expect("the input")))
            .output()
            .expect("a shell");
        let expected = fs::read_to_string(format!("examples/expected/{expected}")).expect("what is expected");
        assert!(output.status.success(), "{name}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{name}");
    }
}
