//! The attacks of hostile clients.

mod floods;
mod sizes;

use std::io::{Result, Write};

use crate::flood::Attack;

/// All attacks, in the order in which they run.
pub(crate) fn all() -> impl Iterator<Item = &'static Attack> {
    floods::ATTACKS.iter().chain(sizes::ATTACKS)
}

/// Kilobytes that do not depend on the attack: stacks, pipes, free memory of the allocator.
const FIXED: u64 = 4 << 10;

/// And for lines up to the limit of 16 MiB: the input buffer, the line that is written, and what a `Vec` that grows
/// leaves behind.
const LONG_LINES: u64 = FIXED + (64 << 10);

const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Writes with each number below `size`.
fn each(size: usize, out: &mut dyn Write, write: impl Fn(usize, &mut dyn Write) -> Result<()>) -> Result<()> {
    (0..size).try_for_each(|n| write(n, &mut *out))
}

/// Writes this number of bytes of repetitions of `text`.
fn fill(size: usize, text: &str, out: &mut dyn Write) -> Result<()> {
    let block = text.repeat((1 << 12) / text.len());
    let mut left = size / text.len() * text.len();
    while left > 0 {
        let count = left.min(block.len());
        out.write_all(&block.as_bytes()[..count])?;
        left -= count;
    }
    Ok(())
}

/// A call that takes ten minutes.
fn slow(id: &str, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"slow","arguments":{{"ms":600000}}}}}}"#
    )
}
