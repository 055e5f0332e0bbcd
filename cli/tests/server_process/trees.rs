//! Process trees: however a command ends, no process that its server has started is left.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{BAREWIRE, LONGEST, signal, start, wait};

/// A legacy server, as a shell script, that answers everything but `tools/call`. It writes to the file `$1` when such a
/// call comes.
const SERVER: &str = r#"
while read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}
    case $line in
        *'"initialize"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"sh\",\"version\":\"1\"}}}" ;;
        *'"tools/call"'*) echo called >> "$1" ;;
        *'"tools/list"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"}}]}}" ;;
        *'"notifications/cancelled"'*) echo "$line" >> "$1" ;;
        *'"notifications/'*) ;;
        *) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}" ;;
    esac
done
"#;

/// The server of a test: processes that are found by a number in their arguments, and a file.
struct Tree {
    number: String,
    file: PathBuf,
}

impl Tree {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let number = format!("9{:06}{next:02}", std::process::id());
        let file = std::env::temp_dir().join(format!("barewire-tree-{number}"));
        fs::write(&file, "").expect("a file");
        Self { number, file }
    }

    /// The server of a shape: a script in which `SERVER` stands for the server and `NUMBER` for a long time.
    fn server(&self, shape: &str) -> Vec<String> {
        let script = shape.replace("SERVER", r#"sh -c "$0" server "$1""#).replace("NUMBER", &self.number);
        let file = self.file.to_str().expect("UTF-8").to_owned();
        ["sh", "-c", &script, SERVER].map(str::to_owned).into_iter().chain([file]).collect()
    }

    /// Waits until the server has written that to the file.
    fn wait_for(&self, text: &str) {
        let end = Instant::now() + LONGEST;
        while !self.written().contains(text) {
            assert!(Instant::now() < end, "the server does not write {text}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn written(&self) -> String {
        fs::read_to_string(&self.file).expect("the file")
    }

    /// The processes that are left, after a moment in which a kill takes effect.
    fn left(&self) -> Vec<String> {
        let end = Instant::now() + Duration::from_secs(1);
        loop {
            let left = self.running();
            if left.is_empty() || Instant::now() > end {
                return left;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// State, id and arguments of each process of the server that is not a zombie.
    fn running(&self) -> Vec<String> {
        let output = Command::new("ps").args(["-A", "-o", "stat=,pid=,args="]).output().expect("ps");
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter(|line| line.contains(&self.number) && !line.starts_with('Z'))
            .map(str::to_owned)
            .collect()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // The file is in a directory for such files.
        let _ = fs::remove_file(&self.file);
        // A failed test must not leave processes behind.
        for process in self.running() {
            let id = process.split_ascii_whitespace().nth(1).unwrap_or_default();
            let _ = Command::new("kill").args(["-s", "KILL", id]).status();
        }
    }
}

/// Shapes of servers. Each has a process that would live for years.
const SHAPES: [(&str, &str); 5] = [
    ("a wrapper that waits for the server", "exec 3<&0; (SERVER; sleep NUMBER) <&3 & wait"),
    ("a server that does not mind the end of its input", "SERVER; sleep NUMBER"),
    (
        "a server that does not mind SIGTERM either",
        "trap '' TERM INT HUP; SERVER; sleep NUMBER; sleep NUMBER",
    ),
    (
        "grandchildren that nobody waits for",
        "sh -c 'sleep NUMBER & sleep NUMBER & wait' & (sleep NUMBER &); SERVER",
    ),
    ("a grandchild that does not mind SIGTERM", "(trap '' TERM; sleep NUMBER; sleep NUMBER) & SERVER"),
];

/// Runs `case` for each of `all` with each shape in parallel: most of the time they wait.
fn for_each_shape<T: Copy + Send>(all: &[T], case: impl Fn(T, &Tree, &[String]) + Sync) {
    thread::scope(|scope| {
        for (name, shape) in SHAPES {
            for one in all.iter().copied() {
                let case = &case;
                scope.spawn(move || {
                    let tree = Tree::new();
                    case(one, &tree, &tree.server(shape));
                    assert_eq!(tree.left(), Vec::<String>::new(), "{name}");
                });
            }
        }
    });
}

/// Signals that end a command, but for those that this process was started to ignore, by `nohup` for example: the commands
/// inherit that, and keep to it.
fn signals() -> Vec<(i32, &'static str)> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).expect("a mask"));
    let is_ignored = |number: i32| ignored >> (number - 1) & 1 == 1;
    let (skipped, played): (Vec<_>, Vec<_>) =
        [(15, "TERM"), (2, "INT"), (1, "HUP")].into_iter().partition(|(number, _)| is_ignored(*number));
    for (_, name) in skipped {
        eprintln!("SKIPPED SIG{name}: it is ignored");
    }
    played
}

const LEGACY: [&str; 2] = ["--protocol", "2025-06-18"];

#[test]
fn a_call_that_ends_leaves_no_process() {
    for_each_shape(&[()], |(), _, server| {
        let child = start(&[&["call"][..], &LEGACY].concat(), server);
        assert_eq!(wait(child), Some(0));
    });
}

#[test]
fn a_call_that_gives_up_leaves_no_process() {
    for_each_shape(&[()], |(), _, server| {
        let call = [&["call", "--no-check", "--timeout", "0.2", "--tool", "t"][..], &LEGACY].concat();
        assert_eq!(wait(start(&call, server)), Some(2));
    });
}

#[test]
fn a_handshake_without_an_answer_leaves_no_process() {
    let tree = Tree::new();
    let server = tree.server("sleep NUMBER & sleep NUMBER");
    let call = [&["call", "--connect-timeout", "0.2"][..], &LEGACY].concat();
    assert_eq!(wait(start(&call, &server)), Some(3));
    assert_eq!(tree.left(), Vec::<String>::new());
}

#[test]
fn signals_cancel_the_call_and_end_the_server() {
    for_each_shape(&signals(), |(number, name), tree, server| {
        let call = [&["call", "--no-check", "--tool", "t"][..], &LEGACY].concat();
        let child = start(&call, server);
        tree.wait_for("called\n");
        signal(&child, name);
        assert_eq!(wait(child), Some(128 + number), "{name}");
        let written = tree.written();
        assert!(
            written.contains(r#""method":"notifications/cancelled","params":{"requestId":2"#),
            "{written}"
        );
    });
}

#[test]
fn a_signal_cancels_in_every_revision() {
    for version in ["2024-11-05", "2025-11-25", "2026-07-28"] {
        let tree = Tree::new();
        let file = tree.file.to_str().expect("UTF-8");
        let script = format!("tee -a {file} | {BAREWIRE} serve");
        let server = ["sh", "-c", &script].map(str::to_owned);
        let call = ["call", "--protocol", version, "--tool", "slow", "--arg", "ms=60000"];
        let child = start(&call, &server);
        tree.wait_for("tools/call");
        signal(&child, "TERM");
        assert_eq!(wait(child), Some(143));
        tree.wait_for("notifications/cancelled");
    }
}

#[test]
fn a_signal_during_the_handshake_ends_the_server() {
    let tree = Tree::new();
    let child = start(&["call"], &tree.server("echo up >> \"$1\"; sleep NUMBER & sleep NUMBER"));
    tree.wait_for("up");
    signal(&child, "TERM");
    assert_eq!(wait(child), Some(143));
    assert_eq!(tree.written(), "up\n", "it is not started again");
    assert_eq!(tree.left(), Vec::<String>::new());
}

#[test]
fn a_second_signal_does_not_wait() {
    let tree = Tree::new();
    let server = tree.server("trap '' TERM; echo up >> \"$1\"; sleep NUMBER; sleep NUMBER");
    let child = start(&["call"], &server);
    tree.wait_for("up");
    signal(&child, "INT");
    thread::sleep(Duration::from_millis(50));
    let start = Instant::now();
    signal(&child, "INT");
    assert_eq!(wait(child), Some(130));
    assert!(start.elapsed() < Duration::from_millis(900), "{:?}", start.elapsed());
    assert_eq!(tree.left(), Vec::<String>::new());
}

#[test]
fn a_check_leaves_no_process() {
    let tree = Tree::new();
    let server = tree.server(&format!("exec 3<&0; ({BAREWIRE} serve; sleep NUMBER) <&3 & wait"));
    let check = ["check", "--quick", "--timeout", "1"];
    assert_eq!(wait(start(&check, &server)), Some(1));
    assert_eq!(tree.left(), Vec::<String>::new());
}

#[test]
fn signals_end_a_check_and_its_server() {
    for_each_shape(&signals(), |(number, name), tree, server| {
        let mut server = server.to_vec();
        // The answer to a ping never comes.
        server[3] = server[3].replace(r#"*'"tools/call"'*)"#, r#"*'"ping"'*)"#);
        let child = start(&["check", "--timeout", "60"], &server);
        tree.wait_for("called");
        signal(&child, name);
        assert_eq!(wait(child), Some(128 + number), "{name}");
        let written = tree.written();
        assert!(written.contains("notifications/cancelled"), "{written}");
    });
}

#[test]
fn a_tap_whose_client_ends_leaves_no_process() {
    let tree = Tree::new();
    let mut child = start(&["tap"], &tree.server("(sleep NUMBER & sleep NUMBER &); SERVER"));
    drop(child.stdin.take());
    assert_eq!(wait(child), Some(0));
    assert_eq!(tree.left(), Vec::<String>::new());
}

#[test]
fn signals_end_a_tap_and_its_server() {
    for_each_shape(&["TERM", "INT"], |name, tree, server| {
        let mut server = server.to_vec();
        server[2] = format!("echo up >> \"$1\"; {}", server[2]);
        let child = start(&["tap"], &server);
        tree.wait_for("up");
        // The shell may not have reached its `trap`; both are fine.
        signal(&child, name);
        assert_ne!(wait(child), Some(0), "{name}");
    });
}
