//! The standard streams of this process, without the buffers of the standard library, and with a way to close them.
//! They wait if they are non-blocking.

use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle as AsFd;

use barewire::transport::Ready;

/// A standard stream, as a handle that can be closed.
pub(super) fn own(stream: &impl AsFd) -> io::Result<Ready<File>> {
    #[cfg(unix)]
    let stream = stream.as_fd();
    #[cfg(windows)]
    let stream = stream.as_handle();
    Ok(Ready::new(File::from(stream.try_clone_to_owned()?)))
}

/// Closes the input, so that the client sees that the server no longer reads.
pub(super) fn close_input(input: Ready<File>) {
    drop(input);
    #[cfg(unix)]
    if let Ok(nothing) = File::open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(nothing);
    }
}

/// Closes the output, so that the client sees its end.
pub(super) fn close_output(output: Ready<File>) {
    drop(output);
    #[cfg(unix)]
    if let Ok(nothing) = File::create("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(nothing);
    }
}
