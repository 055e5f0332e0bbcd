//! Bytes are forwarded unchanged and at once.

use std::fs;

use crate::tap::{BAREWIRE, Tap};

#[test]
fn a_session_is_as_without_it() {
    let mut tap = Tap::start(&[], &[BAREWIRE, "serve"]);
    tap.send(&fs::read("../examples/session.jsonl").expect("the sample"));
    let outcome = tap.close();
    let expected = fs::read("../examples/expected/session.jsonl").expect("the sample");
    assert_eq!(String::from_utf8_lossy(&outcome.stdout), String::from_utf8_lossy(&expected));
    assert_eq!(outcome.status.code(), Some(0));
    assert_eq!(outcome.stderr, "");
    assert!(outcome.log.contains("<- result 4 tools/call add, 108 B"), "{}", outcome.log);
}

/// Bytes that are neither text nor lines.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        })
        .collect()
}

#[test]
fn bytes_of_any_kind_come_out_as_they_were() {
    let samples = [
        b"\0\xff\xfe\r\r\n\n\n".to_vec(),
        b"no newline at the end".to_vec(),
        b"\xef\xbb\xbf{}\n".to_vec(),
        noise(3 << 20),
        Vec::new(),
    ];
    for sample in samples {
        let mut tap = Tap::start(&["--json"], &["cat"]);
        let mut stdin = tap.stdin.take().expect("a pipe");
        let bytes = sample.clone();
        let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &bytes));
        let outcome = tap.wait();
        writer.join().expect("the writer").expect("everything was taken");
        assert!(outcome.stdout == sample, "a sample of {} bytes was changed", sample.len());
        assert_eq!(outcome.status.code(), Some(0));
        for record in outcome.records() {
            assert!(record["kind"].is_string());
        }
    }
}

#[test]
fn a_byte_does_not_wait_for_its_line() {
    let mut tap = Tap::start(&[], &["cat"]);
    for byte in b"{ \xff\0x" {
        tap.send(&[*byte]);
        assert_eq!(tap.read(1), [*byte]);
    }
    assert_eq!(tap.close().status.code(), Some(0));
}

#[test]
fn a_line_of_100_mb_is_forwarded_and_reported_by_its_size() {
    const SIZE: usize = 100_000_000;
    let mut tap = Tap::start(&["--json"], &["cat"]);
    let mut stdin = tap.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || {
        let mut line = vec![b'x'; SIZE];
        line.push(b'\n');
        std::io::Write::write_all(&mut stdin, &line).expect("everything is taken");
        stdin
    });
    let out = tap.read(SIZE + 1);
    assert!(out[..SIZE].iter().all(|byte| *byte == b'x') && out[SIZE] == b'\n');
    #[cfg(target_os = "linux")]
    assert!(tap.peak_memory() < 64 << 10, "{} KiB", tap.peak_memory());
    drop(writer.join().expect("the writer"));
    let outcome = tap.wait();
    let long: Vec<String> = outcome
        .records()
        .iter()
        .filter(|record| record["kind"] == "long")
        .map(|record| format!("{} {}", record["from"], record["bytes"]))
        .collect();
    assert_eq!(long, [format!("\"client\" {SIZE}"), format!("\"server\" {SIZE}")]);
}

#[test]
fn an_unread_log_does_not_delay_the_stream() {
    const SIZE: usize = 64 << 20;
    let pipe = crate::tap::Temporary::new("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe.0).status();
    assert!(made.expect("mkfifo").success());
    // The pipe is open, and never read.
    let path = pipe.0.clone();
    let reader = std::thread::spawn(move || fs::File::open(path).expect("the pipe"));
    let script = format!("yes '{{\"jsonrpc\":\"2.0\",\"method\":\"x\"}}' | head -c {SIZE}");
    let mut tap = Tap::start_with_log(&[], &["sh", "-c", &script], pipe);
    let reader = reader.join().expect("the reader");
    assert_eq!(tap.read(SIZE).len(), SIZE);
    assert_eq!(tap.close().status.code(), Some(0));
    drop(reader);
}

#[test]
fn a_log_that_cannot_be_written_stops_and_the_stream_goes_on() {
    let full = std::path::Path::new("/dev/full");
    if !full.exists() {
        eprintln!("SKIPPED: there is no /dev/full");
        return;
    }
    let output = std::process::Command::new(BAREWIRE)
        .args(["tap", "--log", "/dev/full", "--", "echo", "{}"])
        .output()
        .expect("the program");
    assert_eq!(output.stdout, b"{}\n");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the log could not be written"));
}
