//! Signals: what the client sends to this process is meant for the server.

use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};

use barewire::transport::ProcessTree;

#[cfg(unix)]
pub(super) use unix::pass_on;

/// The server, once it is started.
pub(super) type Server = Arc<OnceLock<ProcessTree>>;

/// Does nothing: what is typed at a console of Windows goes to all its processes.
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
    use crate::signals::{listen, terminating};
    use crate::threads;

    /// Time that the server has to exit after SIGTERM or SIGINT. Clients give this program two seconds and then kill it,
    /// which would leave the server.
    const PATIENCE: Duration = Duration::from_millis(1500);

    /// Sends every process of the server what this one is sent, from now on: what comes before the server is started, right
    /// after that.
    pub(in super::super) fn pass_on() -> io::Result<Server> {
        let server = Server::default();
        let receiver = Arc::clone(&server);
        let mut numbers = vec![SIGQUIT, SIGUSR1, SIGUSR2];
        numbers.extend(terminating());
        listen(&numbers, move |number| {
            // It has exited, or its exit is seen soon.
            let _ = receiver.wait().signal(number);
            if matches!(number, SIGINT | SIGTERM) {
                let server = Arc::clone(&receiver);
                // Without a thread the server may take longer.
                let _ = threads::spawn(move || {
                    let server = server.wait();
                    if server.exit_within(PATIENCE).is_none() {
                        server.kill();
                    }
                });
            }
        })?;
        Ok(server)
    }
}

/// The exit status of the process; 128 and the signal for one that was killed, as shells have it.
pub(super) fn status(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(1);
    }
    status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1)
}
