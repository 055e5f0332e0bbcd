//! A process group.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid};

use super::exit::Exit;

/// A process that leads a group, and the group.
///
/// The process stays a zombie until [`reap`](Group::reap): its number, which is also that of the group, must not be
/// reused while signals may be sent to it.
#[derive(Debug)]
pub(super) struct Group {
    id: Pid,
    leader: Mutex<Leader>,
}

#[derive(Debug)]
struct Leader {
    child: Child,
    is_reaped: bool,
}

impl Group {
    pub(super) fn start(command: &mut Command) -> io::Result<Child> {
        command.process_group(0).spawn()
    }

    /// The group of a process that was just started, and the function by which a thread waits for its exit.
    pub(super) fn of(child: Child) -> io::Result<(Self, impl FnOnce(&Exit) + Send + 'static)> {
        let id = Pid::from_child(&child);
        let leader = Mutex::new(Leader { child, is_reaped: false });
        Ok((Self { id, leader }, move |exit: &Exit| exit.set(wait(id))))
    }

    pub(super) fn signal(&self, number: i32) -> io::Result<()> {
        let Some(signal) = Signal::from_named_raw(number) else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        };
        self.send(signal)
    }

    pub(super) fn ask_to_end(&self) -> bool {
        self.send(Signal::TERM).is_ok()
    }

    pub(super) fn kill(&self) {
        // Fails when no process is left.
        let _ = self.send(Signal::KILL);
    }

    fn send(&self, signal: Signal) -> io::Result<()> {
        let leader = self.lock();
        if leader.is_reaped {
            return Err(Errno::SRCH.into());
        }
        Ok(kill_process_group(self.id, signal)?)
    }

    /// Whether any process of the group still runs.
    pub(super) fn has_members(&self) -> bool {
        let leader = self.lock();
        !leader.is_reaped && has_running_members(self.id)
    }

    /// Reaps the process, once its exit was seen or it was killed.
    pub(super) fn reap(&self) {
        let mut leader = self.lock();
        if !leader.is_reaped {
            leader.is_reaped = true;
            let _ = leader.child.wait();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Leader> {
        self.leader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for the exit and leaves a zombie.
fn wait(process: Pid) -> io::Result<ExitStatus> {
    loop {
        match waitid(WaitId::Pid(process), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(Some(status)) => return Ok(exit_status(&status)),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn exit_status(status: &WaitIdStatus) -> ExitStatus {
    let raw = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => (code & 0xff) << 8,
        (None, signal) => signal.unwrap_or_default() & 0x7f,
    };
    ExitStatus::from_raw(raw)
}

/// Zombies do not count: an orphan stays one until the first process of the system reaps it. Where the states cannot be
/// read, no process counts.
fn has_running_members(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return false;
    };
    processes.flatten().any(|process| {
        let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        // Number, name in parentheses, state, parent, group. A name may contain any character.
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
        let mut fields = fields.split_ascii_whitespace();
        let is_running = fields.next().is_some_and(|state| !matches!(state, "Z" | "X"));
        let of = fields.nth(1).and_then(|number| number.parse().ok());
        is_running && of == Some(group.as_raw_pid())
    })
}
