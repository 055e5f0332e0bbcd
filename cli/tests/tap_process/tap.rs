//! The process, its server, and its log.

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Time that a test waits for anything. Far longer than anything takes.
pub(crate) const LONGEST: Duration = Duration::from_secs(120);

pub(crate) const BAREWIRE: &str = env!("CARGO_BIN_EXE_barewire");

/// A file that is removed when the test ends.
pub(crate) struct Temporary(pub(crate) PathBuf);

impl Temporary {
    pub(crate) fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("barewire-{}-{number}-{name}", std::process::id())))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // The file may not exist.
        let _ = fs::remove_file(&self.0);
    }
}

/// `barewire tap` with its log in a file, in front of `server`.
pub(crate) struct Tap {
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    log: Temporary,
}

/// Result of a run.
pub(crate) struct Outcome {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) log: String,
}

impl Tap {
    pub(crate) fn start(arguments: &[&str], server: &[&str]) -> Self {
        Self::start_with_log(arguments, server, Temporary::new("log"))
    }

    pub(crate) fn start_with_log(arguments: &[&str], server: &[&str], log: Temporary) -> Self {
        let mut child = Command::new(BAREWIRE)
            .arg("tap")
            .arg("--log")
            .arg(&log.0)
            .args(arguments)
            .arg("--")
            .args(server)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        Self { stdin: child.stdin.take(), stdout: child.stdout.take(), child, log }
    }

    /// Starts `barewire tap` with a shell script as the server.
    pub(crate) fn script(arguments: &[&str], script: &str) -> Self {
        Self::start(arguments, &["sh", "-c", script])
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("an open input");
        stdin.write_all(bytes).expect("somebody reads");
    }

    /// Reads this number of bytes.
    pub(crate) fn read(&mut self, count: usize) -> Vec<u8> {
        let mut stdout = self.stdout.take().expect("an open output");
        let (bytes, stdout) = in_time(move || {
            let mut bytes = vec![0; count];
            stdout.read_exact(&mut bytes).expect("so many bytes");
            (bytes, stdout)
        });
        self.stdout = Some(stdout);
        bytes
    }

    /// Peak memory of the process in KiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak_memory(&self) -> u64 {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("the process runs");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
        number.and_then(|number| number.trim().parse().ok()).expect("a number")
    }

    /// Closes the input and waits for the end.
    pub(crate) fn close(mut self) -> Outcome {
        self.stdin = None;
        self.wait()
    }

    /// Waits for the end with the input open.
    pub(crate) fn wait(mut self) -> Outcome {
        let stdout = self.stdout.take();
        let mut stderr = self.child.stderr.take().expect("a pipe");
        let stdout = thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut stdout) = stdout {
                stdout.read_to_end(&mut bytes).expect("an end of the output");
            }
            bytes
        });
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).expect("an end of standard error");
            text
        });
        let end = Instant::now() + LONGEST;
        let status = loop {
            match self.child.try_wait().expect("the status of the process") {
                Some(status) => break status,
                None if Instant::now() > end => {
                    let _ = self.child.kill();
                    panic!("the process does not end");
                }
                None => thread::sleep(Duration::from_millis(2)),
            }
        };
        Outcome {
            status,
            stdout: in_time(move || stdout.join().expect("the output")),
            stderr: in_time(move || stderr.join().expect("standard error")),
            // It may be a pipe that is not read.
            log: if self.log.0.is_file() {
                fs::read_to_string(&self.log.0).expect("the log")
            } else {
                String::new()
            },
        }
    }
}

impl Outcome {
    /// The objects of a log in JSON.
    pub(crate) fn records(&self) -> Vec<Value> {
        self.log
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }
}

/// Runs `work`, and panics if that takes too long.
pub(crate) fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(work()));
    result.recv_timeout(LONGEST).expect("it ends")
}
