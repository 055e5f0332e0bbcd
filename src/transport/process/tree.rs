//! A process with the processes that it has started.

use core::time::Duration;
use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use super::exit::Exit;
use super::pipe::OutputPipe;
use super::system::Group;
use crate::transport::threads;

/// Interval between two looks at a group that is ending.
const PAUSE: Duration = Duration::from_millis(5);

/// A process and the processes that it has started, which end together: a script or `npx`, for example, and the server
/// that it runs.
///
/// On Unix they are a process group, on Windows a job. So a Ctrl-C at the terminal does not reach them;
/// [`signal`](ProcessTree::signal) passes it on. A process that leaves the group, as a daemon does, is out of reach.
///
/// Dropping it kills the tree.
#[derive(Debug)]
pub struct ProcessTree {
    group: Group,
    exit: Arc<Exit>,
}

/// The standard streams of a new process that are pipes.
#[derive(Debug)]
pub struct ProcessPipes {
    /// Standard input.
    pub stdin: Option<ChildStdin>,
    /// Standard output.
    pub stdout: Option<OutputPipe<ChildStdout>>,
    /// Standard error.
    pub stderr: Option<OutputPipe<ChildStderr>>,
}

impl ProcessTree {
    /// Starts the process and a thread that waits for its exit.
    ///
    /// # Errors
    /// The process or the thread cannot be started. No process is left running.
    pub fn spawn(command: &mut Command) -> io::Result<(Self, ProcessPipes)> {
        let mut child = Group::start(command)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (group, wait) = Group::of(child)?;
        let exit = Arc::<Exit>::default();
        let exited = Arc::clone(&exit);
        #[cfg(unix)]
        let watched = io::pipe().and_then(|(ended, end)| {
            let pipes = ProcessPipes {
                stdin,
                stdout: match stdout {
                    Some(stdout) => Some(OutputPipe::new(stdout, ended.try_clone()?)),
                    None => None,
                },
                stderr: stderr.map(|stderr| OutputPipe::new(stderr, ended)),
            };
            threads::spawn(move || {
                wait(&exited);
                drop(end);
            })?;
            Ok(pipes)
        });
        #[cfg(not(unix))]
        let watched = threads::spawn(move || wait(&exited)).map(|_| ProcessPipes {
            stdin,
            stdout: stdout.map(OutputPipe::new),
            stderr: stderr.map(OutputPipe::new),
        });
        match watched {
            Ok(pipes) => Ok((Self { group, exit }, pipes)),
            Err(error) => {
                group.kill();
                group.reap();
                Err(error)
            }
        }
    }

    /// Waits for the process to exit, for at most `longest`.
    pub fn exit_within(&self, longest: Duration) -> Option<ExitStatus> {
        self.exit.wait_for(longest).and_then(Result::ok)
    }

    /// Waits for the process to exit.
    ///
    /// # Errors
    /// Waiting for the process failed.
    pub fn wait(&self) -> io::Result<ExitStatus> {
        self.exit.wait()
    }

    /// Sends the signal with this number to every process of the tree.
    ///
    /// # Errors
    /// The number is not that of a signal, or no process is left.
    #[cfg(unix)]
    pub fn signal(&self, number: i32) -> io::Result<()> {
        self.group.signal(number)
    }

    /// Ends the tree: waits for the process to exit (close its input first), then asks every process that is left to
    /// end (SIGTERM, where that exists) and waits, then kills them. Each wait takes at most `grace`.
    ///
    /// # Errors
    /// Waiting for the process failed.
    pub fn end(&self, grace: Duration) -> io::Result<ExitStatus> {
        let has_exited = self.exit.wait_for(grace).is_some();
        // A process that has exited may leave others running.
        if (!has_exited || self.group.has_members()) && self.group.ask_to_end() {
            let end = Instant::now().checked_add(grace);
            while self.exit.get().is_none() || self.group.has_members() {
                if end.is_none_or(|end| Instant::now() >= end) {
                    break;
                }
                thread::sleep(PAUSE);
            }
        }
        self.kill();
        self.exit.wait()
    }

    /// Kills every process of the tree.
    pub fn kill(&self) {
        self.group.kill();
        // The waiting thread needs the process until its exit has been seen.
        let _ = self.exit.wait();
        self.group.reap();
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        self.kill();
    }
}
