//! The Model Context Protocol message layer for machines without a heap.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "std", test))]
extern crate std;

pub mod bytes;
pub mod demo;
pub mod engine;
pub mod json;
pub mod mcp;
pub mod rpc;
#[cfg(feature = "std")]
pub mod transport;
