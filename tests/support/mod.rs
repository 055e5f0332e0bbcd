//! Oracles, generators and properties, shared by the tests and by the fuzz targets, which include this file by path.
//!
//! An oracle is written from the rules alone, slow and plain, above serde_json; it shares no code with the crate.

pub mod application;
pub mod client;
pub mod decimal;
pub mod declarations;
pub mod depth;
pub mod entropy;
pub mod fault;
pub mod generate;
pub mod hosted;
pub mod lines;
pub mod pair;
pub mod properties;
pub mod replies;
pub mod results;
pub mod session;
pub mod slow;
pub mod strings;
pub mod template;
pub mod texts;
pub mod tree;
