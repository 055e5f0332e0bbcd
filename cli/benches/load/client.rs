//! The server process, its lines and its memory.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longest time of any step; a step that takes longer hangs.
pub(crate) const LONGEST: Duration = Duration::from_secs(600);

/// A running server, killed when it is dropped.
pub(crate) struct Server {
    child: Child,
}

impl Server {
    /// `barewire serve`, and its pipes.
    pub(crate) fn start(arguments: &[&str]) -> (Self, ChildStdin, ChildStdout) {
        Self::start_with(arguments, Stdio::inherit())
    }

    /// `barewire serve` with a pipe for the log that is not read.
    pub(crate) fn start_with_unread_log(arguments: &[&str]) -> (Self, ChildStdin, ChildStdout) {
        Self::start_with(arguments, Stdio::piped())
    }

    fn start_with(arguments: &[&str], stderr: Stdio) -> (Self, ChildStdin, ChildStdout) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_barewire"))
            .arg("serve")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .expect("the program");
        let stdin = child.stdin.take().expect("a pipe");
        let stdout = child.stdout.take().expect("a pipe");
        (Self { child }, stdin, stdout)
    }

    /// Current memory in kilobytes.
    pub(crate) fn memory(&self) -> u64 {
        memory_of(self.child.id(), "VmRSS:")
    }

    /// Peak memory in kilobytes.
    pub(crate) fn peak(&self) -> u64 {
        memory_of(self.child.id(), "VmHWM:")
    }

    /// Sends SIGTERM, as a client does after a timeout.
    pub(crate) fn terminate(&self) {
        let status = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(status.expect("the command kill").success());
    }

    /// Waits for the end, but no longer than this.
    pub(crate) fn end(&mut self, longest: Duration) -> ExitStatus {
        let deadline = Instant::now() + longest;
        loop {
            match self.child.try_wait().expect("the status of the process") {
                Some(status) => return status,
                None if Instant::now() > deadline => panic!("the server does not end"),
                None => thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Waits for an end with status 0.
    pub(crate) fn ends_well(&mut self) {
        let status = self.end(Duration::from_secs(30));
        assert!(status.success(), "{status}");
    }

    /// Waits for the end by SIGTERM.
    pub(crate) fn ends_terminated(&mut self) {
        let status = self.end(Duration::from_secs(10));
        assert_eq!(status.signal(), Some(15), "{status}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether the memory of another process can be known.
pub(crate) fn has_memory_figures() -> bool {
    fs::metadata("/proc/self/status").is_ok()
}

/// Memory in kilobytes; 0 if it is unknown, or the process has ended.
fn memory_of(process: u32, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or_default()
}

/// Whole lines of a server, each checked to be one.
pub(crate) struct Lines<R>(BufReader<R>);

impl<R: Read> Lines<R> {
    pub(crate) fn new(stream: R) -> Self {
        Self(BufReader::with_capacity(1 << 16, stream))
    }

    /// The next line in `line`, without its newline. False at the end of the stream, where a line that was cut stays in
    /// `line`.
    pub(crate) fn next(&mut self, line: &mut Vec<u8>) -> bool {
        line.clear();
        // A stream that breaks ends.
        let _ = self.0.read_until(b'\n', line);
        if line.pop_if(|last| *last == b'\n').is_none() {
            return false;
        }
        let is_whole = line.starts_with(br#"{"jsonrpc":"2.0","#) && line.ends_with(b"}");
        assert!(is_whole, "{}", line.escape_ascii());
        true
    }
}

/// The token of the id of an answer; none for a notification.
pub(crate) fn id_of(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(br#"{"jsonrpc":"2.0","id":"#)?;
    let end = match rest {
        [b'"', inside @ ..] => inside.iter().position(|byte| *byte == b'"')? + 2,
        _ => rest.iter().position(|byte| *byte == b',')?,
    };
    core::str::from_utf8(&rest[..end]).ok()
}
