//! Servers that never stop writing: the commands still end, in time and with little memory.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{BAREWIRE, end, start};

const HELLO: &str = r#"echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}'"#;

/// Shell commands with endless output.
const FLOODS: [(&str, &str); 11] = [
    ("pings", r#"yes '{"jsonrpc":"2.0","id":1,"method":"ping"}'"#),
    (
        "requests that are refused",
        r#"yes '{"jsonrpc":"2.0","id":"a","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}'"#,
    ),
    (
        "requests with long ids",
        r#"yes "{\"jsonrpc\":\"2.0\",\"id\":\"$(printf '%0200d' 0)\",\"method\":\"roots/list\"}""#,
    ),
    ("notifications", r#"yes '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'"#),
    (
        "log messages",
        r#"yes '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}'"#,
    ),
    ("responses that nobody waits for", r#"yes '{"jsonrpc":"2.0","id":77,"result":{}}'"#),
    ("lines that are not messages", "yes hello"),
    ("empty lines", "yes ''"),
    ("one endless line", r"tr '\0' x </dev/zero"),
    ("one endless message", r#"printf '{"jsonrpc":"2.0","id":1,"method":"'; tr '\0' x </dev/zero"#),
    ("standard error", "yes oops >&2"),
];

/// Memory in KiB; 0 if it is unknown.
fn peak_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
    number.and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// Runs the command, and returns its exit status, its duration, and its peak memory if known.
fn run(command: &[&str], script: &str) -> (Option<i32>, Duration, u64) {
    let server = ["sh", "-c", script].map(str::to_owned);
    let start_of_run = Instant::now();
    let mut child = start(command, &server);
    let mut peak = 0;
    let status = end(&mut child, |child| peak = peak.max(peak_memory(child.id())));
    (status.code(), start_of_run.elapsed(), peak)
}

/// Runs `case` for each flood in parallel: a flood waits while it is not read.
fn for_each_flood(case: impl Fn(&str, &str) + Sync) {
    thread::scope(|scope| {
        for (name, flood) in FLOODS {
            let case = &case;
            scope.spawn(move || case(name, flood));
        }
    });
}

/// Memory that a command may use, in KiB.
const MOST: u64 = 32 << 10;

/// Time that a command may take: all floods share the processors.
const LONG: Duration = Duration::from_secs(40);

#[test]
fn call_ends_in_little_memory_whatever_comes() {
    let call = ["call", "--protocol", "2025-06-18", "--timeout", "0.5", "--connect-timeout", "0.5"];
    for_each_flood(|name, flood| {
        for script in [format!("read -r line; {HELLO}; {flood}"), format!("read -r line; {flood}")] {
            let (code, time, peak) = run(&call, &script);
            assert!(matches!(code, Some(2 | 3)), "{name}: {code:?}");
            assert!(time < LONG, "{name}: {time:?}");
            assert!(peak < MOST, "{name}: {peak} KiB");
        }
    });
}

/// A server that answers everything correctly while another of its processes also writes to its output.
fn served(flood: &str) -> String {
    format!("exec 3<&0; {flood} & {BAREWIRE} serve <&3; kill $!")
}

#[test]
fn call_finds_its_answer_in_a_flood() {
    for (name, flood) in FLOODS.iter().filter(|(name, _)| !name.starts_with("one endless")) {
        let (code, _, peak) = run(&["call", "--tool", "add", "--args", r#"{"a":1,"b":2}"#], &served(flood));
        assert_eq!(code, Some(0), "{name}");
        assert!(peak < MOST, "{name}: {peak} KiB");
    }
}

#[test]
fn check_ends_in_little_memory_whatever_comes() {
    for_each_flood(|name, flood| {
        let (code, time, peak) = run(&["check", "--quick", "--timeout", "1"], &served(flood));
        assert!(matches!(code, Some(0 | 1)), "{name}: {code:?}");
        assert!(time < LONG, "{name}: {time:?}");
        // One line of 16 MiB is kept, and copied when it ends.
        assert!(peak < 2 * MOST, "{name}: {peak} KiB");
    });
}
