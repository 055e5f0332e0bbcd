//! Streamable HTTP without the syntax of HTTP: access, headers, statuses and the framing of streams.
//!
//! A transport shows the head of each request through [`Head`]. [`admit`] judges the head alone: host, origin, path, method,
//! authorization and media types. Nothing of a body needs to be read before that.

mod access;
mod admission;
mod authority;
mod authorizer;
mod field;
mod head;
#[cfg_attr(not(test), expect(dead_code, reason = "for the checks of bodies against headers"))]
mod header_value;
mod media;
mod metadata;
mod secret;
mod sse;
mod status;

pub use access::{Access, Hosts};
pub use admission::{Admitted, Kind, Refusal, RefusalReason, SessionHeader, VersionHeader, admit};
pub use authorizer::{Authorization, Authorizer, BearerToken, NoAuthorization, Principal, bearer_token};
pub use field::FieldValue;
pub use head::Head;
pub use media::Accepts;
pub use metadata::ResourceMetadata;
pub use sse::{COMMENT, EVENT_END, EVENT_START, events};
pub use status::Status;
