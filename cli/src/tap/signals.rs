//! Signals: what the client sends to this process is meant for the server.

use std::process::ExitStatus;

#[cfg(unix)]
pub(super) use unix::pass_on;

/// Does nothing: what is typed at a console of Windows goes to all its processes.
#[cfg(not(unix))]
pub(super) fn pass_on(_: &std::sync::Arc<barewire::transport::ProcessTree>) -> std::io::Result<()> {
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::time::Duration;

    use barewire::transport::ProcessTree;
    use signal_hook::consts::signal::{SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

    use crate::signals::{listen, terminating};
    use crate::threads;

    /// Time that the server has to exit after SIGTERM or SIGINT. Clients give this program two seconds and then kill it,
    /// which would leave the server.
    const PATIENCE: Duration = Duration::from_millis(1500);

    /// Sends every process of the server what this one is sent, from now on.
    pub(in super::super) fn pass_on(tree: &Arc<ProcessTree>) -> io::Result<()> {
        let tree = Arc::clone(tree);
        let mut numbers = vec![SIGQUIT, SIGUSR1, SIGUSR2];
        numbers.extend(terminating());
        listen(&numbers, move |number| {
            // It has exited, or its exit is seen soon.
            let _ = tree.signal(number);
            if matches!(number, SIGINT | SIGTERM) {
                let tree = Arc::clone(&tree);
                // Without a thread the server may take longer.
                let _ = threads::spawn(move || {
                    if tree.exit_within(PATIENCE).is_none() {
                        tree.kill();
                    }
                });
            }
        })
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
