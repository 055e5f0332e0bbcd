//! Much traffic: unchanged, in bounded memory, and as fast as it would be with `cat` in the place of `tap`.
//!
//! `BAREWIRE_TAP_BYTES=1000000000 cargo test --release -p barewire-cli --test tap_process volume -- --nocapture` takes a
//! gigabyte, and then also judges the time; without the variable it is 64 MB, and the time is only printed.

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::tap::{BAREWIRE, Tap, Temporary};

const SMALL: usize = 64_000_000;
const ROUNDS: usize = 7;

/// The size, and whether time counts.
fn size() -> (usize, bool) {
    match std::env::var("BAREWIRE_TAP_BYTES") {
        Ok(size) => (size.parse().expect("a number of bytes"), true),
        Err(_) => (SMALL, false),
    }
}

/// Calls of a tool, of 100 to 500 bytes each, with at least `size` bytes in all.
fn traffic(size: usize) -> Vec<u8> {
    let mut traffic = Vec::with_capacity(size + 1000);
    let mut id = 0;
    while traffic.len() < size {
        let text = "x".repeat(50 + id % 400);
        writeln!(
            traffic,
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}}}}}"#
        )
        .expect("memory");
        id += 1;
    }
    traffic
}

#[test]
fn much_traffic_is_unchanged_in_bounded_memory() {
    let (size, _) = size();
    let traffic = traffic(size);
    let mut tap = Tap::start(&[], &["cat"]);
    let mut stdin = tap.stdin.take().expect("a pipe");
    let sent = traffic.clone();
    let writer = std::thread::spawn(move || {
        stdin.write_all(&sent).expect("everything is taken");
        stdin
    });
    assert!(tap.read(traffic.len()) == traffic, "the stream was changed");
    #[cfg(target_os = "linux")]
    {
        println!("{} bytes: {} KiB of memory at most", traffic.len(), tap.peak_memory());
        // Twice the queue, and what a process has anyway.
        assert!(tap.peak_memory() < 64 << 10, "{} KiB", tap.peak_memory());
    }
    drop(writer.join().expect("the writer"));
    let outcome = tap.wait();
    assert_eq!(outcome.status.code(), Some(0));
    let line = outcome.log.lines().rev().find(|line| line.starts_with("-- server: "));
    let total = format!(" messages, {} B", traffic.len());
    assert!(line.is_some_and(|line| line.contains(&total)), "{line:?}, not {total}");
}

#[test]
fn it_is_as_fast_as_cat() {
    let (size, is_judged) = size();
    let file = Temporary::new("traffic");
    fs::write(&file.0, traffic(size)).expect("room for the traffic");
    let path = file.0.to_str().expect("a path in UTF-8");
    let log = Temporary::new("log");
    let log = log.0.to_str().expect("a path in UTF-8");
    let tap = format!("'{BAREWIRE}' tap --log '{log}' --");
    let rows = [
        ("from the server", format!("cat '{path}' | cat"), format!("{tap} cat '{path}'")),
        ("there and back", format!("cat '{path}' | cat | cat | cat"), format!("cat '{path}' | {tap} cat")),
    ];
    for (what, with_cat, with_tap) in rows {
        let mut best = [Duration::MAX; 2];
        // In turns, so that other work of the machine affects both.
        for _ in 0..ROUNDS {
            for (best, command) in best.iter_mut().zip([&with_cat, &with_tap]) {
                *best = (*best).min(timed(command, size));
            }
        }
        let [cat, tap] = best;
        let ratio = tap.as_secs_f64() / cat.as_secs_f64();
        println!("{what}, {size} bytes: cat {cat:.2?}, tap {tap:.2?}, {ratio:.2} times");
        assert!(!is_judged || ratio <= 1.5, "{what}: {ratio:.2} times the time of cat");
    }
}

/// Time until the last byte of the command is read.
fn timed(command: &str, size: usize) -> Duration {
    let start = Instant::now();
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut memory = vec![0; 1 << 17];
    let mut count = 0;
    loop {
        match stdout.read(&mut memory).expect("the output") {
            0 => break,
            read => count += read,
        }
    }
    assert!(count >= size, "{count} bytes of {size}");
    assert!(child.wait().expect("an end").success());
    start.elapsed()
}
