//! Signals to this program. A server has its own process group, so a Ctrl-C at the terminal does not reach it.

#[cfg(unix)]
pub(crate) use unix::{TERMINATING, listen};

use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};

use barewire::transport::Interrupter;

static STATE: Mutex<State> = Mutex::new(State { received: None, server: None });

struct State {
    /// The first signal.
    received: Option<u8>,
    server: Option<Interrupter>,
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the terminating signals interrupt the server that [`interrupts`] sets. A second signal kills the server.
///
/// On Windows there are no such signals: the job of the server ends with this program.
///
/// # Errors
/// A sentence.
pub(crate) fn catch() -> Result<(), String> {
    #[cfg(unix)]
    listen(&TERMINATING, |number| {
        let mut state = state();
        state.received = state.received.or(u8::try_from(number).ok());
        if let Some(server) = &state.server {
            server.interrupt();
        }
    })
    .map_err(|error| format!("cannot handle signals: {error}"))?;
    Ok(())
}

/// Makes this server the one to interrupt.
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

/// Exit status after a signal: 128 plus its number, as in shells.
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

    /// The terminating signals.
    pub(crate) const TERMINATING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

    /// Starts a thread that takes these signals from now on. Signals that this program inherited as ignored (from
    /// `nohup`, for example) stay ignored, if the system shows which those are.
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

    /// A bit for each ignored signal, the lowest for signal 1.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
    }
}
