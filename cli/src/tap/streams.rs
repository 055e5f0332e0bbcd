//! The standard streams of this process, without the buffers of the standard library, and how they are closed.

use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle as AsFd;

/// What the client writes.
pub(super) fn input() -> io::Result<File> {
    own(&io::stdin())
}

/// What the client reads.
pub(super) fn output() -> io::Result<File> {
    own(&io::stdout())
}

/// What people read.
pub(super) fn diagnostics() -> io::Result<File> {
    own(&io::stderr())
}

#[cfg(unix)]
fn own(stream: &impl AsFd) -> io::Result<File> {
    Ok(File::from(stream.as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn own(stream: &impl AsFd) -> io::Result<File> {
    Ok(File::from(stream.as_handle().try_clone_to_owned()?))
}

/// Lets the client see that nobody reads what it writes, as it would see it of the server.
pub(super) fn close_input(input: File) {
    drop(input);
    #[cfg(unix)]
    if let Ok(nothing) = File::open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(nothing);
    }
}

/// Lets the client see the end of the output.
pub(super) fn close_output(output: File) {
    drop(output);
    #[cfg(unix)]
    if let Ok(nothing) = File::create("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(nothing);
    }
}
