//! Servers made by the macros, on the wire.

mod arguments;
mod asynchronous;
mod kit;
mod outputs;
mod resume;
mod small;
mod surface;
mod thermo;
mod transports;
