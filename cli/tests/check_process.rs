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
    Command::new(BAREWIRE).arg("check").args(arguments).arg("--").args(server).output().expect("the program")
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
    rows(output).into_iter().filter(|(_, verdict)| verdict == "not-met").map(|(number, _)| number).collect()
}

#[test]
fn nothing_is_wrong_with_our_own_server() {
    let output = check(&["--json"], &[BAREWIRE, "serve"]);
    assert_eq!(not_met(&output), BTreeSet::new(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(output.status.code(), Some(0));
    let met = rows(&output).iter().filter(|(_, verdict)| verdict == "met").count();
    assert!(met > 50, "{met} only");
}

/// The lines that the example prints about itself.
fn listed(option: &str) -> Vec<String> {
    let list = Command::new(fault_server()).arg(option).output().expect("the server");
    let list = String::from_utf8(list.stdout).expect("UTF-8");
    list.lines().map(str::to_owned).collect()
}

/// Checks servers in parallel, since they mostly wait. The rows that each should not meet are separated by spaces.
fn expect(servers: &[(String, BTreeSet<String>)], arguments: &[&str]) {
    let server = fault_server();
    let wrong = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..24 {
            scope.spawn(|| {
                while let Some((name, expected)) = servers.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let output = check(arguments, &[&server, name]);
                    let found = not_met(&output);
                    let status = i32::from(!expected.is_empty());
                    let is_bounded = start.elapsed() < Duration::from_secs(60);
                    if &found != expected || output.status.code() != Some(status) || !is_bounded {
                        wrong.lock().expect("no panic").push(format!(
                            "{name}: {found:?}, not {expected:?}, {}, {:?}\n{}",
                            output.status,
                            start.elapsed(),
                            String::from_utf8_lossy(&output.stdout)
                                .lines()
                                .filter(|line| line.contains("\"not-met\""))
                                .collect::<Vec<_>>()
                                .join("\n")
                        ));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn faults(is_chosen: impl Fn(&str) -> bool) -> Vec<(String, BTreeSet<String>)> {
    let row = |row: &str| row.replace('-', " ");
    listed("--list")
        .iter()
        .filter_map(|line| line.split_once('\t'))
        .filter(|(name, _)| is_chosen(name))
        .map(|(name, rows)| (name.to_owned(), rows.split(' ').map(row).collect()))
        .collect()
}

#[test]
fn each_fault_fails_only_its_own_rows() {
    let faults = faults(|name| !name.contains(':'));
    assert!(faults.len() > 60, "{}", faults.len());
    expect(&faults, &["--json", "--quick", "--timeout", "4"]);
}

#[test]
fn a_method_without_an_answer_is_found_in_either_era() {
    let faults = faults(|name| name.starts_with("silent:"));
    assert!(faults.len() > 40, "{}", faults.len());
    expect(&faults, &["--json", "--quick", "--timeout", "2"]);
}

#[test]
fn a_method_whose_answer_is_late_is_found_in_either_era() {
    let faults = faults(|name| name.starts_with("late:"));
    assert!(faults.len() > 40, "{}", faults.len());
    expect(&faults, &["--json", "--quick", "--timeout", "2"]);
}

#[test]
fn a_method_that_is_answered_twice_is_found_in_either_era() {
    let faults = faults(|name| name.starts_with("twice:"));
    assert!(faults.len() > 40, "{}", faults.len());
    expect(&faults, &["--json", "--quick"]);
}

#[test]
fn unusual_servers_that_keep_to_the_specification_pass() {
    let good: Vec<_> = listed("--good").into_iter().map(|name| (name, BTreeSet::new())).collect();
    assert_eq!(good.len(), 7);
    // Longer than the slowest server takes for one answer, and shorter than for many.
    expect(&good, &["--json", "--quick", "--timeout", "2"]);
}

#[test]
fn the_corpus_finds_faults_outside_of_the_requirements() {
    let output = check(&["--json"], &[&fault_server(), "wrong-code-for-bad-json"]);
    let found: Vec<String> = not_met(&output).into_iter().collect();
    assert_eq!(found, ["15", "corpus envelope", "corpus json", "corpus limits", "corpus utf8"]);
}

#[test]
fn whatever_a_server_does_the_check_ends() {
    let server = fault_server();
    for name in
        ["exits-at-once", "hangs", "floods", "garbage", "one-endless-line", "reads-nothing-and-ends-output"]
    {
        let start = Instant::now();
        let output = check(&["--json", "--quick", "--timeout", "1"], &[&server, name]);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(not_met(&output).contains("21"), "{name}: {:?}", not_met(&output));
        assert!(start.elapsed() < Duration::from_secs(60), "{name}: {:?}", start.elapsed());
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
    assert!(table.starts_with("NOT MET  23 "), "failures come first: {table}");
    assert!(table.lines().last().is_some_and(|line| line.contains(" met, 1 not met, ")), "{table}");
    assert!(!table.contains('\x1b'));
    assert!(output.stderr.is_empty());
}

#[test]
fn a_server_that_cannot_be_started_is_reported() {
    let output = check(&[], &["/nonexistent/server"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.starts_with("barewire: cannot start /nonexistent/server"), "{text}");
}
