//! Black-box tests of the library: one binary, a module for each concern.

#[path = "../support/mod.rs"]
pub mod support;

#[path = "../support/cases.rs"]
pub mod cases;

#[cfg(feature = "embedded-io-async-v0_7")]
mod async_asking;
#[cfg(feature = "embedded-io-async-v0_7")]
mod async_kit;
#[cfg(feature = "embedded-io-async-v0_7")]
mod async_link;
#[cfg(all(feature = "embedded-io-async-v0_7", feature = "std"))]
mod async_send;
#[cfg(feature = "tokio")]
mod async_stdio;
mod client_asked;
mod client_handshake;
mod client_kit;
mod client_parts;
mod client_repeated;
mod client_requests;
mod client_responses;
mod client_session;
mod client_spec_rules;

mod corpus;
mod debug;
mod engine_arguments;
mod engine_asking;
mod engine_asking_legacy;
mod engine_asking_limits;
mod engine_asking_modern;
mod engine_batches;
mod engine_channels;
mod engine_completion;
mod engine_content;
mod engine_deferred;
#[cfg(feature = "std")]
mod engine_errors;
mod engine_handlers;
mod engine_kept;
mod engine_kit;
mod engine_limits;
mod engine_logging;
mod engine_misuse;
mod engine_nulls;
mod engine_options;
mod engine_paging;
mod engine_parts;
mod engine_prompts;
mod engine_repeated;
mod engine_resources;
mod engine_schema_property;
mod engine_static;
mod engine_subscriptions;
mod engine_tasks;
mod engine_tasks_asking;
mod engine_tasks_modern;
mod engine_tasks_owners;
mod envelope_table;
mod files;
#[cfg(feature = "defmt")]
mod formats;
mod guides;
#[cfg(feature = "std")]
mod host_limits;
#[cfg(feature = "std")]
mod host_process;
mod http_rules;
#[cfg(feature = "std")]
mod job_asking;
mod json_table;
mod layers;
mod link;
mod message_parts;
mod oversized;
mod pair;
mod props;
mod public_corpus;
mod result_shapes;
mod rewrite;
mod session_findings;
mod shown;
mod spec_rules;
mod transcripts;
mod typed;
mod typed_write;
