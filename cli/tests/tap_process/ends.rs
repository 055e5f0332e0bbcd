//! The end of `tap`, which is that of the server.

use std::io::{ErrorKind, Read, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::tap::{BAREWIRE, LONGEST, Tap, in_time};

const REQUEST: &[u8] =
    b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}\n";

#[test]
fn the_exit_status_is_that_of_the_server() {
    for (script, status) in [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137), ("kill -15 $$", 143)] {
        let outcome = Tap::script(&[], script).wait();
        assert_eq!(outcome.status.code(), Some(status), "{script}");
    }
}

#[test]
fn a_missing_command_is_reported() {
    let outcome = Tap::start(&[], &["/nonexistent/server"]).wait();
    assert_eq!(outcome.status.code(), Some(2));
    assert!(outcome.stderr.starts_with("barewire: cannot start /nonexistent/server: "), "{}", outcome.stderr);
}

#[test]
fn a_server_that_dies_leaves_its_requests_unanswered() {
    let mut tap = Tap::script(&["--json"], "read line; echo 'no module named x' >&2; exit 1");
    tap.send(REQUEST);
    let outcome = tap.wait();
    assert_eq!(outcome.status.code(), Some(1));
    assert_eq!(outcome.stderr, "no module named x\n");
    let records = outcome.records();
    let kinds: Vec<&str> = records
        .iter()
        .filter_map(|record| record["kind"].as_str())
        .filter(|kind| *kind != "closed")
        .collect();
    assert_eq!(kinds, ["request", "stderr", "exit", "unanswered", "summary"]);
    let unanswered = &records[records.len() - 2];
    assert_eq!(unanswered["id"], 1);
    assert_eq!(unanswered["target"], "x");
    assert_eq!(records.last().expect("a summary")["faults"]["unanswered"], 1);
}

#[test]
fn the_end_of_the_input_is_the_end_of_the_servers() {
    let mut tap = Tap::script(&[], "cat; echo end");
    tap.send(b"x\n");
    assert_eq!(tap.read(2), b"x\n");
    let outcome = tap.close();
    assert_eq!(outcome.stdout, b"end\n");
}

#[test]
fn the_last_output_of_the_server_is_forwarded_before_the_end() {
    for _ in 0..20 {
        let outcome = Tap::script(&[], "head -c 1000000 /dev/zero").wait();
        assert_eq!(outcome.stdout.len(), 1_000_000);
    }
}

#[test]
fn a_client_that_goes_away_is_seen_by_the_server() {
    // It writes until its output is closed, and then dies of a signal, as it would without the tap.
    let mut tap = Tap::start(&[], &["yes"]);
    assert_eq!(tap.read(2), b"y\n");
    tap.stdout = None;
    let outcome = tap.wait();
    assert_eq!(outcome.status.code(), Some(128 + 13));
    assert!(outcome.log.contains("the other side reads no more"), "{}", outcome.log);
}

#[test]
fn the_client_sees_that_the_server_no_longer_reads() {
    let mut tap = Tap::script(&[], "exec 0<&-; echo closed; sleep 600");
    assert_eq!(tap.read(7), b"closed\n");
    let mut stdin = tap.stdin.take().expect("a pipe");
    let error = in_time(move || {
        loop {
            if let Err(error) = stdin.write_all(REQUEST) {
                return error;
            }
        }
    });
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    terminate(&tap);
    assert_eq!(tap.wait().status.code(), Some(143));
}

#[test]
fn a_server_that_closes_its_output_is_seen_by_the_client() {
    let mut tap = Tap::script(&[], "exec 1>&-; sleep 600");
    let mut stdout = tap.stdout.take().expect("a pipe");
    let rest = in_time(move || {
        let mut rest = Vec::new();
        stdout.read_to_end(&mut rest).expect("an end");
        rest
    });
    assert!(rest.is_empty());
    terminate(&tap);
    assert_eq!(tap.wait().status.code(), Some(143));
}

fn terminate(tap: &Tap) {
    signal(tap, "TERM");
}

fn signal(tap: &Tap, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &tap.child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
}

#[test]
fn signals_go_to_the_server() {
    for (number, name) in [(15, "TERM"), (2, "INT"), (1, "HUP")] {
        // A shell does not trap what was ignored when it began: `nohup` does that to all that it starts.
        if is_ignored(number) {
            println!("SKIPPED: SIG{name} is ignored here");
            continue;
        }
        let script = format!("trap 'echo got it; exit 7' {name}; echo ready; while :; do sleep 0.05; done");
        let mut tap = Tap::script(&[], &script);
        assert_eq!(tap.read(6), b"ready\n");
        signal(&tap, name);
        let outcome = tap.wait();
        assert_eq!((outcome.status.code(), outcome.stdout.as_slice()), (Some(7), &b"got it\n"[..]), "{name}");
    }
}

/// Whether this process, and so its children, ignores the signal; false if that is unknown.
fn is_ignored(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}

#[test]
fn a_process_that_keeps_the_output_open_delays_no_exit() {
    let start = Instant::now();
    let outcome = Tap::script(&[], "sleep 300 & echo done").wait_while_held();
    assert_eq!(outcome, (Some(0), b"done\n".to_vec()));
    assert!(start.elapsed() < LONGEST / 4, "{:?}", start.elapsed());
}

impl Tap {
    /// The end, where another process holds this one's standard error.
    fn wait_while_held(mut self) -> (Option<i32>, Vec<u8>) {
        let out = self.read(5);
        let end = Instant::now() + LONGEST;
        let status = loop {
            match self.child.try_wait().expect("the status") {
                Some(status) => break status,
                None if Instant::now() > end => panic!("the process does not end"),
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        (status.code(), out)
    }
}

#[test]
fn usage_is_refused_before_anything_starts() {
    for arguments in [&["tap"][..], &["tap", "--log"], &["tap", "echo"], &["tap", "--"]] {
        let output = Command::new(BAREWIRE).args(arguments).output().expect("the program");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
    }
}
