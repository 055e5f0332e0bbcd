//! Streamable HTTP without the syntax of HTTP: access, headers, statuses, sessions and the framing of streams.
//!
//! A transport shows the head of each request through [`Head`]. [`admit`] judges the head alone: host, origin, path, method,
//! authorization and media types. Nothing of a body needs to be read before that.

mod access;
mod admission;
mod authority;
mod authorizer;
mod batch;
mod endpoint;
mod fault;
mod field;
mod head;
mod header_value;
mod ladder;
mod media;
mod metadata;
mod parameters;
mod reply;
mod secret;
mod sessions;
mod sse;
mod status;

pub use access::{Access, Hosts};
pub use admission::{Admitted, Denial, DenialReason, Purpose, SessionHeader, VersionHeader, admit};
pub use authorizer::{Authorization, Authorizer, BearerToken, NoAuthorization, bearer_token};
pub use endpoint::Endpoint;
pub use field::FieldValue;
pub use head::Head;
pub use media::Accepts;
pub use metadata::ResourceMetadata;
pub use reply::{Line, Next, Reply};
pub use sessions::SessionEntry;
pub use sse::{COMMENT, EVENT_END, EVENT_START, events};
pub use status::Status;

pub use crate::engine::Principal;
