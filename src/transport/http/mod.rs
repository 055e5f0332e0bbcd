//! Streamable HTTP, without any syntax of HTTP: what a server does with a request whose head and body are read.
//!
//! [`Endpoint`] has the server and its legacy sessions. A carrier, such as a program over `hyper`, reads requests and writes responses:
//!
//! 1. It shows the head of a request as a [`Head`] to `admit`, which judges access by it. A request that is refused is answered at once;
//!    its body is not read.
//! 2. It passes the body to [`Endpoint::receive`]. The [`Reply`] has status and fields, and [`Next`] says what the body is.
//! 3. It calls [`Endpoint::poll`] until there is no line, and again at [`Endpoint::next_deadline`]. A [`Line`] names its exchange.
//! 4. When a client goes away, it calls [`Endpoint::closed`].

// From the bottom up: a file uses only files above it in this list.
mod head;
mod principal;
mod status;

mod field;

mod admission;
mod reply;
mod sessions;

mod endpoint;

pub use admission::{Admitted, Purpose};
pub use endpoint::Endpoint;
pub use head::{FieldFault, Head};
pub use principal::Principal;
pub use reply::{Line, Next, Reply};
pub use sessions::SessionEntry;
pub use status::Status;
