//! `barewire check` as a process: a good server is found good, each fault is found in its row, and nothing that a server
//! does harms the program.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

const BAREWIRE: &str = env!("CARGO_BIN_EXE_barewire");

/// The server with faults, which cargo builds beside the tests.
fn fault_server() -> String {
    let mut path = PathBuf::from(BAREWIRE);
    path.set_file_name("examples");
    path.push("fault_server");
    assert!(
        path.exists(),
        "{} is built by `cargo test`, or by `cargo build -p barewire-cli --examples`",
        path.display()
    );
    path.to_str().expect("a path in UTF-8").to_owned()
}

fn check(arguments: &[&str], server: &[&str]) -> Output {
    Command::new(BAREWIRE)
        .arg("check")
        .args(arguments)
        .arg("--")
        .args(server)
        .output()
        .expect("the program")
}

/// The rows of a run with `--json`, as number and verdict.
fn rows(output: &Output) -> Vec<(String, String)> {
    String::from_utf8(output.stdout.clone())
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter_map(|row| {
            let text = |name: &str| row[name].as_str().map(str::to_owned);
            Some((text("requirement")?, text("verdict")?))
        })
        .collect()
}

fn not_met(output: &Output) -> BTreeSet<String> {
    rows(output)
        .into_iter()
        .filter(|(_, verdict)| verdict == "not-met")
        .map(|(number, _)| number)
        .collect()
}

#[test]
fn nothing_is_wrong_with_our_own_server() {
    let output = check(&["--json"], &[BAREWIRE, "serve"]);
    assert_eq!(
        not_met(&output),
        BTreeSet::new(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert_eq!(output.status.code(), Some(0));
    let met = rows(&output)
        .iter()
        .filter(|(_, verdict)| verdict == "met")
        .count();
    assert!(met > 50, "{met} only");
}

#[test]
fn each_fault_turns_its_row_red_and_no_other() {
    let server = fault_server();
    let list = Command::new(&server).arg("--list").output().expect("the server");
    let list = String::from_utf8(list.stdout).expect("UTF-8");
    let mut faults: Vec<(&str, &str)> = list.lines().filter_map(|line| line.split_once('\t')).collect();
    assert!(faults.len() > 20, "{}", faults.len());
    // And none.
    faults.push(("", ""));
    let wrong = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    // They wait most of the time.
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some((name, number)) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let output = check(&["--json", "--quick"], &[&server, name]);
                    let expected: BTreeSet<String> = Some((*number).to_owned())
                        .into_iter()
                        .filter(|number| !number.is_empty())
                        .collect();
                    let found = not_met(&output);
                    let status = i32::from(!expected.is_empty());
                    if found != expected || output.status.code() != Some(status) {
                        wrong
                            .lock()
                            .expect("no panic")
                            .push(format!("{name}: {found:?}, not {expected:?}, {}", output.status));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_corpus_finds_what_no_requirement_asks_for() {
    let output = check(&["--json"], &[&fault_server(), "wrong-code-for-bad-json"]);
    let found: Vec<String> = not_met(&output).into_iter().collect();
    assert_eq!(
        found,
        [
            "15",
            "corpus envelope",
            "corpus json",
            "corpus limits",
            "corpus utf8"
        ]
    );
}

#[test]
fn whatever_a_server_does_the_check_ends() {
    let server = fault_server();
    for name in [
        "exits-at-once",
        "hangs",
        "floods",
        "garbage",
        "one-endless-line",
        "reads-nothing-and-ends-output",
    ] {
        let start = Instant::now();
        let output = check(&["--json", "--quick", "--timeout", "1"], &[&server, name]);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{name}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(not_met(&output).contains("21"), "{name}: {:?}", not_met(&output));
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{name}: {:?}",
            start.elapsed()
        );
    }
}

#[test]
fn the_table_is_for_people() {
    let server = fault_server();
    let output = check(&["--quick"], &[&server, "no-server-version"]);
    let table = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        table.contains("NOT MET  23             The result of initialize has protocolVersion"),
        "{table}"
    );
    assert!(table.contains("met      6 "), "{table}");
    assert!(
        table
            .lines()
            .last()
            .is_some_and(|line| line.contains(" met, 1 not met, ")),
        "{table}"
    );
    assert!(!table.contains('\x1b'));
    assert!(output.stderr.is_empty());
}

#[test]
fn a_server_that_cannot_be_started_is_said_so() {
    let output = check(&[], &["/nonexistent/server"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.starts_with("barewire: cannot start /nonexistent/server"),
        "{text}"
    );
}
