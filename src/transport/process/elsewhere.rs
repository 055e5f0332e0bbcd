//! Systems without processes: starting one is an error.

use core::convert::Infallible;
use std::io;
use std::process::{Child, Command};

use super::exit::Exit;

#[derive(Debug)]
pub(super) struct Group(Infallible);

impl Group {
    pub(super) fn start(command: &mut Command) -> io::Result<Child> {
        command.spawn()
    }

    pub(super) fn of(_: Child) -> io::Result<(Self, impl FnOnce(&Exit) + Send + 'static)> {
        Err::<(Self, fn(&Exit)), _>(io::Error::from(io::ErrorKind::Unsupported))
    }

    pub(super) fn ask_to_end(&self) -> bool {
        match self.0 {}
    }

    pub(super) fn kill(&self) {
        match self.0 {}
    }

    pub(super) fn has_members(&self) -> bool {
        match self.0 {}
    }

    pub(super) fn reap(&self) {
        match self.0 {}
    }
}
