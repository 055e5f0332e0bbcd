//! Signals to this program. A server is in a process group of its own, so nothing that is typed at the terminal reaches it.

#[cfg(unix)]
pub(crate) use unix::{listen, terminating};

use std::io;
use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};

use barewire::transport::Interrupter;

static STATE: Mutex<State> = Mutex::new(State {
    received: None,
    server: None,
});

struct State {
    /// The first signal.
    received: Option<u8>,
    server: Option<Interrupter>,
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets the signals that ask this program to end interrupt the server of [`interrupts`]. A second signal kills it.
///
/// On Windows there are none: when this program ends, so does the job that the server is in.
///
/// # Errors
/// A sentence.
pub(crate) fn catch() -> Result<(), String> {
    let caught = || -> io::Result<()> {
        #[cfg(unix)]
        listen(&terminating(), |number| {
            let mut state = state();
            state.received = state.received.or(u8::try_from(number).ok());
            if let Some(server) = &state.server {
                server.interrupt();
            }
        })?;
        Ok(())
    };
    caught().map_err(|error| format!("cannot handle signals: {error}"))
}

/// From now on this server is the one to interrupt.
pub(crate) fn interrupts(server: Interrupter) {
    let mut state = state();
    if state.received.is_some() {
        server.interrupt();
    }
    state.server = Some(server);
}

/// Whether a signal has come.
pub(crate) fn is_caught() -> bool {
    state().received.is_some()
}

/// Exit status after a signal: 128 and its number, as shells have it.
pub(crate) fn exit_status() -> Option<ExitCode> {
    state().received.map(|number| ExitCode::from(128 + number))
}

#[cfg(unix)]
mod unix {
    use crate::threads;
    use std::fs;
    use std::io;

    use signal_hook::consts::signal::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    /// The signals that ask a program to end.
    pub(crate) fn terminating() -> [i32; 3] {
        [SIGHUP, SIGINT, SIGTERM]
    }

    /// Starts a thread that takes these signals from now on. Those that this program was started to ignore (by `nohup`, for
    /// example) are still ignored, where that can be seen.
    pub(crate) fn listen(numbers: &[i32], mut then: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
        let ignored = ignored();
        let mut signals = Signals::new(numbers.iter().filter(|number| ignored >> (**number - 1) & 1 == 0))?;
        threads::spawn(move || {
            for number in signals.forever() {
                then(number);
            }
        })?;
        Ok(())
    }

    /// A bit for each signal that is ignored, the lowest for signal 1.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .unwrap_or_default()
    }
}
