//! One direction of the stream: forwards bytes unchanged, at once and without looking at them.

use std::io::{self, ErrorKind, Read, Write};

/// Capacity of a pipe on most systems.
const MOST: usize = 1 << 16;

/// Reason for the end of a direction.
pub(super) enum End {
    /// No more input.
    Input,
    /// Reading failed.
    Broken(io::Error),
    /// The receiver no longer reads.
    Output(io::Error),
}

/// Copies until one end is closed, and closes the input: a server whose output is no longer read sees a closed pipe, as
/// it would without this program. Bytes are passed to `seen` before they are written, so that a request is inspected
/// before its answer; `seen` must not wait.
pub(super) fn forward(mut from: impl Read, to: &mut impl Write, mut seen: impl FnMut(&[u8])) -> End {
    let mut memory = vec![0; MOST];
    loop {
        let bytes = match from.read(&mut memory) {
            Ok(0) => return End::Input,
            Ok(count) => &memory[..count],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return End::Broken(error),
        };
        seen(bytes);
        if let Err(error) = to.write_all(bytes) {
            return End::Output(error);
        }
    }
}
