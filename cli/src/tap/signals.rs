//! Signals that the client sends to this process are passed on to the server.

use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};

use barewire::transport::ProcessTree;

#[cfg(unix)]
pub(super) use unix::pass_on;

/// The server, once it is started.
pub(super) type Server = Arc<OnceLock<ProcessTree>>;

/// Does nothing: on Windows, Ctrl-C at a console goes to all its processes.
#[cfg(not(unix))]
pub(super) fn pass_on() -> std::io::Result<Server> {
    Ok(Server::default())
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::time::Duration;

    use signal_hook::consts::signal::{SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

    use super::Server;
    use crate::signals::{TERMINATING, listen};
    use crate::threads;

    /// Time within which the server must exit after SIGTERM or SIGINT. Clients kill this program after two seconds,
    /// which would leave the server running.
    const GRACE: Duration = Duration::from_millis(1500);

    /// Passes the signals to this process on to every process of the server, from now on. Signals from before its start
    /// are passed on right after it.
    pub(in super::super) fn pass_on() -> io::Result<Server> {
        let server = Server::default();
        let receiver = Arc::clone(&server);
        let mut numbers = vec![SIGQUIT, SIGUSR1, SIGUSR2];
        numbers.extend(TERMINATING);
        listen(&numbers, move |number| {
            // The server has exited, or its exit will be seen soon.
            let _ = receiver.wait().signal(number);
            if matches!(number, SIGINT | SIGTERM) {
                let server = Arc::clone(&receiver);
                // Without a thread the server may take longer.
                let _ = threads::spawn(move || {
                    let server = server.wait();
                    if server.exit_within(GRACE).is_none() {
                        server.kill();
                    }
                });
            }
        })?;
        Ok(server)
    }
}

/// The exit status of the process; 128 plus the signal if it was killed, as in shells.
pub(super) fn status(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(1);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
