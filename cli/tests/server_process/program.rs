//! The program, started, signalled and waited for.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) const BAREWIRE: &str = env!("CARGO_BIN_EXE_barewire");

/// Time that a test waits for anything. Far longer than anything takes.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);

pub(crate) fn start(command: &[&str], server: &[String]) -> Child {
    Command::new(BAREWIRE)
        .args(command)
        .arg("--")
        .args(server)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program")
}

pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
}

/// The exit status, as in a shell.
pub(crate) fn wait(mut child: Child) -> Option<i32> {
    end(&mut child, |_| {}).code()
}

/// Waits for the exit, and calls `look` meanwhile.
pub(crate) fn end(child: &mut Child, mut look: impl FnMut(&Child)) -> ExitStatus {
    let end = Instant::now() + LONGEST;
    loop {
        look(child);
        match child.try_wait().expect("the status") {
            Some(status) => return status,
            None if Instant::now() > end => {
                let _ = child.kill();
                panic!("the program does not end");
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}
