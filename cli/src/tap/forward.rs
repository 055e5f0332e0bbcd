//! One direction of the stream: bytes in, the same bytes out, at once. Nothing here looks into them.

use std::io::{self, ErrorKind, Read, Write};

/// As much as a pipe holds on most systems.
const MOST: usize = 1 << 16;

/// Why a direction has ended.
pub(super) enum End {
    /// No more input.
    Input,
    /// Reading failed.
    Broken(io::Error),
    /// The receiver does not read any more.
    Output(io::Error),
}

/// Copies until one end is closed. What is read is shown to `seen` before it is written, so that a request is inspected
/// before its answer: it must not wait.
pub(super) fn forward(from: &mut impl Read, to: &mut impl Write, mut seen: impl FnMut(&[u8])) -> End {
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
