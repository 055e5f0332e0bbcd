//! L5: loops that carry bytes between a link and an engine.

mod jobs;
mod stdio;

pub use jobs::{Job, JobQueue, JobReply, Jobs, jobs};
pub use stdio::{Limits, Stdio};
