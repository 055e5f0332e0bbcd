//! Servers over real connections.

mod access;
mod answers;
mod asking;
mod cancelling;
mod kit;
mod limits;
mod load;
mod mounts;
mod sessions;
mod shutdown;
mod streams;
