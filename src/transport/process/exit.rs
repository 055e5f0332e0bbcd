//! The exit of a process, published by the thread that waits for it.

use core::time::Duration;
use std::format;
use std::io;
use std::process::ExitStatus;
use std::string::String;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The exit status, once there is one, or the error of waiting for it.
#[derive(Debug, Default)]
pub(super) struct Exit {
    status: Mutex<Option<Result<ExitStatus, io::ErrorKind>>>,
    changed: Condvar,
}

impl Exit {
    pub(super) fn set(&self, status: io::Result<ExitStatus>) {
        *self.lock() = Some(status.map_err(|error| error.kind()));
        self.changed.notify_all();
    }

    pub(super) fn get(&self) -> Option<io::Result<ExitStatus>> {
        self.lock().map(|status| status.map_err(io::Error::from))
    }

    pub(super) fn wait(&self) -> io::Result<ExitStatus> {
        let mut status = self.lock();
        loop {
            if let Some(status) = *status {
                return status.map_err(io::Error::from);
            }
            status = self.changed.wait(status).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn wait_for(&self, longest: Duration) -> Option<io::Result<ExitStatus>> {
        let waited = self.changed.wait_timeout_while(self.lock(), longest, |status| status.is_none());
        let (status, _) = waited.unwrap_or_else(PoisonError::into_inner);
        status.map(|status| status.map_err(io::Error::from))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Result<ExitStatus, io::ErrorKind>>> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Description of an exit as the end of a sentence: `exited with status 3`, `was killed by signal 9`.
pub fn describe_exit(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was killed by signal {signal}");
    }
    match status.code() {
        // The exceptions of Windows are known by their hexadecimal codes.
        Some(code) if code < 0 => format!("exited with status {code:#x}"),
        Some(code) => format!("exited with status {code}"),
        None => format!("ended with {status}"),
    }
}
