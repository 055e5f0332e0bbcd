//! Servers of the Model Context Protocol (MCP) over Streamable HTTP.
//!
//! [`Mcp`] is a `tower` service over [`barewire`]: mount it in `axum` by one line, or serve it with `hyper`. It speaks all revisions with this
//! transport, 2025-03-26 to 2026-07-28, over HTTP/1.1 and HTTP/2.
//! [The guide](https://docs.rs/barewire/latest/barewire/guides/http/index.html) shows whole servers.
#![forbid(unsafe_code)]

// From the bottom up: a file uses only files above it in this list.
mod fields;
mod head;
mod limits;
mod storage;

mod access;
mod exchanges;
mod receive;

mod hub;

mod body;
mod clock;
mod handle;

mod service;

mod builder;

pub use barewire::transport::http::{
    Authorization, Authorizer, BearerToken, Head, Hosts, NoAuthorization, Principal, ResourceMetadata,
    bearer_token,
};
pub use body::Body;
pub use builder::Builder;
pub use handle::Handle;
pub use limits::HttpLimits;
pub use service::Mcp;

// The code of the guide and of the README is compiled by the tests of this package.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guides/http.md")]
mod guide {}
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
