//! The process, and how a test talks to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// How long a test waits for one line or for the end of the process. Far more than either takes.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_barewire"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Kills the process when the test gives up.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended, or it ends now.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + LONGEST;
        loop {
            match self.0.try_wait().expect("the status of the process") {
                Some(status) => return status,
                None if Instant::now() > deadline => panic!("the process does not end"),
                None => thread::sleep(Duration::from_millis(2)),
            }
        }
    }
}

/// Everything that the stream gives, on a thread of its own.
fn collect(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // A stream that breaks gives what came before.
        let _ = stream.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// Writes what it is sent, and closes the pipe when the sender is gone.
fn feed(mut stdin: ChildStdin) -> Sender<Vec<u8>> {
    let (sender, receiver) = mpsc::channel::<Vec<u8>>();
    thread::spawn(move || {
        for bytes in receiver {
            if stdin.write_all(&bytes).is_err() {
                return;
            }
        }
    });
    sender
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

/// What a process leaves.
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program to its end.
pub(crate) fn run(arguments: &[&str], input: &[u8]) -> Outcome {
    let mut running = Running(command(arguments).spawn().expect("the program"));
    let stdin = feed(running.0.stdin.take().expect("a pipe"));
    stdin.send(input.to_vec()).expect("a thread that writes");
    drop(stdin);
    let stdout = collect(running.0.stdout.take().expect("a pipe"));
    let stderr = collect(running.0.stderr.take().expect("a pipe"));
    let status = running.end();
    Outcome {
        code: status.code(),
        stdout: text(stdout.recv_timeout(LONGEST).expect("the end of stdout")),
        stderr: text(stderr.recv_timeout(LONGEST).expect("the end of stderr")),
    }
}

/// A running program, talked to line by line.
pub(crate) struct Session {
    running: Running,
    /// To the thread that writes: a process that does not read must not block the test.
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
}

impl Session {
    /// `barewire serve`, with these arguments.
    pub(crate) fn serve(arguments: &[&str]) -> Self {
        Self::start(&[&["serve"], arguments].concat())
    }

    /// `barewire` with these arguments.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut running = Running(command(arguments).spawn().expect("the program"));
        let stdout = running.0.stdout.take().expect("a pipe");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                match stdout.read_until(b'\n', &mut line) {
                    Ok(1..) if sender.send(line).is_ok() => {}
                    _ => return,
                }
            }
        });
        Self {
            input: Some(feed(running.0.stdin.take().expect("a pipe"))),
            stderr: collect(running.0.stderr.take().expect("a pipe")),
            running,
            lines,
        }
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_ref().expect("an open input");
        input.send(bytes.to_vec()).expect("the process reads");
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// The next line of the server, without its newline.
    pub(crate) fn line(&mut self) -> String {
        let line = match self.lines.recv_timeout(LONGEST) {
            Ok(line) => text(line),
            Err(RecvTimeoutError::Timeout) => panic!("no line comes"),
            Err(RecvTimeoutError::Disconnected) => panic!("the output has ended"),
        };
        match line.strip_suffix('\n') {
            Some(line) => line.to_string(),
            None => panic!("a line without its newline: {line}"),
        }
    }

    /// Sends a line and returns the answer.
    pub(crate) fn ask(&mut self, line: &str) -> String {
        self.send(line);
        self.line()
    }

    /// Asserts that nothing was written that was not read yet: the answer to a `ping` comes next.
    pub(crate) fn assert_silent(&mut self, after: &str) {
        let pong = self.ask(r#"{"jsonrpc":"2.0","id":"silent?","method":"ping"}"#);
        assert_eq!(pong, r#"{"jsonrpc":"2.0","id":"silent?","result":{}}"#, "after {after}");
    }

    /// Each line, and the answer that it must have; none for an empty one.
    pub(crate) fn check(&mut self, rows: &[(&str, &str)]) {
        for (line, expected) in rows {
            self.send(line);
            if !expected.is_empty() {
                assert_eq!(self.line(), *expected, "to {line}");
            }
            self.assert_silent(line);
        }
    }

    /// Closes the input, waits for the end, and returns what came before it.
    pub(crate) fn close(mut self) -> Outcome {
        self.input = None;
        self.wait()
    }

    /// Waits for the end with the input open.
    pub(crate) fn wait(mut self) -> Outcome {
        let status = self.running.end();
        let mut stdout = Vec::new();
        loop {
            match self.lines.recv_timeout(LONGEST) {
                Ok(line) => stdout.extend(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("stdout does not end"),
            }
        }
        Outcome {
            code: status.code(),
            stdout: text(stdout),
            stderr: text(self.stderr.recv_timeout(LONGEST).expect("the end of stderr")),
        }
    }
}

/// A server whose output nobody reads any more.
pub(crate) fn serve_into_a_closed_pipe() -> (ChildStdin, impl FnOnce() -> Outcome) {
    let mut running = Running(command(&["serve"]).spawn().expect("the program"));
    drop(running.0.stdout.take());
    let stderr = collect(running.0.stderr.take().expect("a pipe"));
    let stdin = running.0.stdin.take().expect("a pipe");
    let wait = move || Outcome {
        code: running.end().code(),
        stdout: String::new(),
        stderr: text(stderr.recv_timeout(LONGEST).expect("the end of stderr")),
    };
    (stdin, wait)
}

/// A call of `slow`.
pub(crate) fn slow(id: &str, ms: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"slow","arguments":{{"ms":{ms}}}}}}}"#
    )
}

/// The answer to it.
pub(crate) fn done(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"done"}}],"isError":false}}}}"#
    )
}
