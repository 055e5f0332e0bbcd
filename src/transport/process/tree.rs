//! A process with those it has started.

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

/// How often the group is looked at while it ends.
const PAUSE: Duration = Duration::from_millis(5);

/// A process and the processes that it has started, which end together: the server that a script or `npx` runs, for example.
///
/// On Unix they are a process group of their own, on Windows a job. So what is typed at the terminal (Ctrl-C) does not reach
/// them, and [`signal`](ProcessTree::signal) passes it on. A process that leaves the group is out of reach, as daemons are
/// meant to be.
///
/// Dropping it kills the tree.
#[derive(Debug)]
pub struct ProcessTree {
    group: Group,
    exit: Arc<Exit>,
    id: u32,
}

/// Those standard streams of a new process that are pipes.
#[derive(Debug)]
pub struct ProcessPipes {
    /// Its standard input.
    pub stdin: Option<ChildStdin>,
    /// Its standard output.
    pub stdout: Option<OutputPipe<ChildStdout>>,
    /// Its standard error.
    pub stderr: Option<OutputPipe<ChildStderr>>,
}

impl ProcessTree {
    /// Starts the process, and a thread that waits for its exit.
    ///
    /// # Errors
    /// Those of starting either. No process is left then.
    pub fn spawn(command: &mut Command) -> io::Result<(Self, ProcessPipes)> {
        let mut child = Group::start(command)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let id = child.id();
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
            Ok(pipes) => Ok((Self { group, exit, id }, pipes)),
            Err(error) => {
                group.kill();
                group.reap();
                Err(error)
            }
        }
    }

    /// The id of the process.
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// The exit status of the process, if it has exited.
    pub fn exit_status(&self) -> Option<ExitStatus> {
        self.exit.get().and_then(Result::ok)
    }

    /// Waits for the process to exit, up to `longest`.
    pub fn exit_within(&self, longest: Duration) -> Option<ExitStatus> {
        self.exit.wait_for(longest).and_then(Result::ok)
    }

    /// Waits for the process to exit.
    ///
    /// # Errors
    /// Those of waiting.
    pub fn wait(&self) -> io::Result<ExitStatus> {
        self.exit.wait()
    }

    /// Sends a signal to every process of the tree, by its number.
    ///
    /// # Errors
    /// It is not a signal, or no process is left.
    #[cfg(unix)]
    pub fn signal(&self, number: i32) -> io::Result<()> {
        self.group.signal(number)
    }

    /// Ends the tree: waits for the process to exit (its input should be closed), then asks every process that is left to
    /// end (SIGTERM, where there is such) and waits, then kills them. Each wait takes `grace` at most.
    ///
    /// # Errors
    /// Those of waiting for the process.
    pub fn end(&self, grace: Duration) -> io::Result<ExitStatus> {
        let has_exited = self.exit.wait_for(grace).is_some();
        // A process that has exited may leave others, which have no one to wait for.
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
        // Before its exit is seen the thread that waits needs the process as it is.
        let _ = self.exit.wait();
        self.group.reap();
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        self.kill();
    }
}
