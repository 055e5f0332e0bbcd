//! The program `barewire` as a process: real pipes, whole lines, exit statuses.
//!
//! No test can hang: what waits for the process gives up after [`program::LONGEST`], and kills it.

#[path = "stdio_process/asking.rs"]
mod asking;
#[path = "stdio_process/program.rs"]
mod program;

#[path = "../../tests/support/cases.rs"]
pub mod cases;

#[path = "stdio_process/calls.rs"]
mod calls;
#[path = "stdio_process/classify.rs"]
mod classify;
#[path = "stdio_process/corpus.rs"]
mod corpus;
#[path = "stdio_process/end.rs"]
mod end;
#[path = "stdio_process/limits.rs"]
mod limits;
#[path = "stdio_process/serve.rs"]
mod serve;
