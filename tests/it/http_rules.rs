//! A server over Streamable HTTP, at the level of its endpoint: a test for each rule, named by its number.
//!
//! Rules without a test here:
//! - H01 to H16, H29, H131 to H141 are judged by the head alone; their tests are beside `admit` and below it.
//! - H13, H14, H27, H57, H58, H61, H64, H68, H69, H73, H79, H86, H110 to H112, H115, H118, H136, H138: rules for clients.
//! - H42, H123, H129, H130, H142 to H161: bytes and time of the transport.
//! - H45, H52, H55, H56, H59, H60: nothing is sent; the exact fields of each reply show it.
//! - H63: the comparison in constant time cannot be seen; its unit tests are beside it.
//! - H106 to H109, H116, H117: declarations, tested beside `Parameter`.
//! - H122: the time of a request is the application's.

mod batches;
mod clients;
mod kit;
mod legacy;
mod modern;
mod noise;
mod sessions;
mod streams;
mod tasks;
