//! The start of a server.

use std::ffi::OsString;
use std::io;
use std::process::Command;

/// Starts the command that the arguments after `--` name.
///
/// # Errors
/// A sentence.
pub(crate) fn start<T>(
    command: &[OsString],
    spawn: impl FnOnce(&mut Command) -> io::Result<T>,
) -> Result<T, String> {
    let [program, rest @ ..] = command else {
        return Err("no command".to_owned());
    };
    let started = spawn(Command::new(program).args(rest));
    started.map_err(|error| format!("cannot start {}: {error}", program.display()))
}
