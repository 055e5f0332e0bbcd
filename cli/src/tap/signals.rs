//! Signals: what the client sends to this process is meant for the server.

#[cfg(not(unix))]
pub(super) use elsewhere::{pass_on, status, wait};
#[cfg(unix)]
pub(super) use unix::{pass_on, status, wait};

#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::process::{Child, ExitStatus};

    pub(in super::super) fn pass_on(_: &Child) -> io::Result<()> {
        Ok(())
    }

    /// Waits for the end.
    pub(in super::super) fn wait(mut child: Child) -> io::Result<ExitStatus> {
        child.wait()
    }

    pub(in super::super) fn status(status: ExitStatus) -> u8 {
        status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1)
    }
}

#[cfg(unix)]
mod unix {
    use std::io::{self, IsTerminal};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, ExitStatus};
    use std::sync::{Mutex, PoisonError};
    use std::thread;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
    use signal_hook::consts::signal::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::Signals;

    /// Whether the process may have been reaped: then its id may be another one's.
    static IS_GONE: Mutex<bool> = Mutex::new(false);

    /// Sends the process what this one is sent, from now on.
    ///
    /// What is typed at a terminal goes to both already; a client has no terminal at its end of the pipe.
    pub(in super::super) fn pass_on(child: &Child) -> io::Result<()> {
        let process = Pid::from_child(child);
        let mut wanted = vec![SIGHUP, SIGTERM, SIGUSR1, SIGUSR2];
        let typed = [SIGINT, SIGQUIT];
        wanted.extend(typed);
        let mut signals = Signals::new(wanted)?;
        let is_interactive = io::stdin().is_terminal();
        thread::spawn(move || {
            for number in signals.forever() {
                if is_interactive && typed.contains(&number) {
                    continue;
                }
                let is_gone = IS_GONE.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(signal) = Signal::from_named_raw(number)
                    && !*is_gone
                {
                    // It ends by itself, or its end is seen below.
                    let _ = kill_process(process, signal);
                }
            }
        });
        Ok(())
    }

    /// Waits for the end.
    pub(in super::super) fn wait(mut child: Child) -> io::Result<ExitStatus> {
        let process = Pid::from_child(&child);
        // It is left a zombie, so that its id is not given to another one while a signal is on its way.
        while let Err(error) = waitid(
            WaitId::Pid(process),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        ) {
            if error != rustix::io::Errno::INTR {
                break;
            }
        }
        *IS_GONE.lock().unwrap_or_else(PoisonError::into_inner) = true;
        child.wait()
    }

    /// The exit status of the process; 128 and the signal for one that was killed, as shells have it.
    pub(in super::super) fn status(status: ExitStatus) -> u8 {
        let code = status
            .code()
            .or_else(|| status.signal().map(|signal| 128 + signal));
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
    }
}
