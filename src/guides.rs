//! Guides, one for each kind of program, and notes on migration. This module has documentation only.
//!
//! Their sources are the Markdown files of `docs/`; the code in them is compiled and run by the tests.

#[cfg(any(not(doctest), all(feature = "macros", feature = "std", feature = "embedded-io-async-v0_7")))]
#[doc = include_str!("../docs/guides/async.md")]
pub mod asynchronous {}

#[cfg(any(not(doctest), feature = "std"))]
#[doc = include_str!("../docs/guides/client.md")]
pub mod client {}

#[doc = include_str!("../docs/comparison.md")]
pub mod comparison {}

#[cfg(any(not(doctest), feature = "macros"))]
#[doc = include_str!("../docs/guides/firmware.md")]
pub mod firmware {}

#[doc = include_str!("../docs/guides/fuzzing.md")]
pub mod fuzzing {}

#[doc = include_str!("../docs/guides/gateway.md")]
pub mod gateway {}

#[cfg(any(not(doctest), feature = "std"))]
#[doc = include_str!("../docs/guides/handler.md")]
pub mod handler {}

// Its code is run by the tests of `barewire-http`.
#[cfg(not(doctest))]
#[doc = include_str!("../docs/guides/http.md")]
pub mod http {}

#[cfg(any(
    not(doctest),
    all(feature = "macros", feature = "std", any(feature = "embedded-io-async-v0_7", feature = "tokio"))
))]
#[doc = include_str!("../docs/guides/macros.md")]
pub mod macros {}

#[doc = include_str!("../docs/migrating.md")]
pub mod migrating {}

#[cfg(any(not(doctest), all(feature = "macros", feature = "std", feature = "seal")))]
#[doc = include_str!("../docs/guides/server.md")]
pub mod server {}
