//! What a client and an application may do to a server, generated.
//!
//! The texts of frames have places that the session fills in: `$N` is a number of its own for each frame, `$Q0` to `$Q3`
//! are the ids of the latest questions of the server, `$T0` to `$T3` those of the latest tasks, `$C0` and `$C1` those of
//! the latest requests that have no answer yet.

mod frames;
mod plain;

use barewire::engine::TaskEnd;

use super::entropy::Entropy;
use super::generate;

pub use frames::handshake;
use frames::{answer, call, id};
use plain::{conversation_call, listen_to_tasks, plain_call, task_call};

/// One step of a session.
#[derive(Debug)]
pub enum Step {
    /// The client sends a frame, in so many pieces of a line that is too long when not whole.
    Frame {
        /// The frame.
        frame: Vec<u8>,
        /// Whether it is longer than the receiver's buffer.
        is_too_long: bool,
    },
    /// The client sends a batch.
    Batch {
        /// Elements that are answered at once or not at all.
        elements: Vec<String>,
        /// Anything, and its place among them.
        other: Option<(usize, Vec<u8>)>,
    },
    /// The application answers the call that waits at this place.
    Complete(usize),
    /// It reports progress of that call.
    Progress(usize, i64),
    /// It logs about that call.
    Log(usize),
    /// It asks the client, this question or just whether it is there.
    Ask(Option<u8>),
    /// A task ends.
    FinishTask(usize, TaskEnd),
    /// A task is described.
    DescribeTask(usize),
    /// A task reports progress.
    TaskProgress(usize, i64),
    /// A task needs input.
    TaskNeedsInput(usize),
    /// So many milliseconds have passed.
    Tick(u64),
    /// A list has changed.
    ListChanged(usize),
    /// A resource has changed.
    ResourceUpdated(&'static str),
    /// All streams are ended.
    EndStreams,
    /// Another peer.
    Reset,
}

impl Step {
    /// All of it but the text of frames.
    pub fn name(&self) -> String {
        match self {
            Self::Frame { is_too_long: false, .. } => "frame".to_owned(),
            Self::Frame { .. } => "frame, too long".to_owned(),
            Self::Batch { .. } => "batch".to_owned(),
            other => format!("{other:?}"),
        }
    }
}

/// What a session is mostly about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// Nothing in particular.
    Any,
    /// Questions.
    Questions,
    /// Tasks.
    Tasks,
}

/// The next step, of a session about that.
pub fn step(entropy: &mut Entropy<'_>, theme: Theme) -> Step {
    if theme == Theme::Any || entropy.once_in(3) {
        return any_step(entropy);
    }
    let whole = |frame: String| Step::Frame { frame: frame.into_bytes(), is_too_long: false };
    if theme == Theme::Questions {
        return match entropy.below(8) {
            0..=2 => {
                let id = id(entropy);
                whole(conversation_call(entropy, &id))
            }
            3..=5 => whole(answer(entropy)),
            6 => Step::Ask(Some(entropy.byte())),
            _ => Step::Tick(entropy.pick(&[400, 1000])),
        };
    }
    match entropy.below(12) {
        0..=2 => {
            let id = id(entropy);
            whole(conversation_call(entropy, &id))
        }
        3..=5 => {
            let id = id(entropy);
            whole(task_call(entropy, &id))
        }
        6 => whole(listen_to_tasks(entropy)),
        7 => whole(answer(entropy)),
        8 => finish_task(entropy),
        9 => Step::TaskNeedsInput(entropy.below(2)),
        10 => Step::DescribeTask(entropy.below(2)),
        _ => Step::TaskProgress(entropy.below(2), entropy.below(256) as i64),
    }
}

fn finish_task(entropy: &mut Entropy<'_>) -> Step {
    let end = entropy.pick(&[TaskEnd::Completed, TaskEnd::ToolError, TaskEnd::Error]);
    Step::FinishTask(entropy.below(3), end)
}

fn any_step(entropy: &mut Entropy<'_>) -> Step {
    match entropy.below(48) {
        0..=19 => Step::Frame { frame: call(entropy).into_bytes(), is_too_long: entropy.once_in(24) },
        20..=25 => Step::Frame { frame: answer(entropy).into_bytes(), is_too_long: entropy.once_in(64) },
        26 | 27 => batch(entropy),
        28..=30 => Step::Complete(entropy.below(3)),
        31 => Step::Progress(entropy.below(3), entropy.below(256) as i64),
        32 => Step::Log(entropy.below(3)),
        33 => Step::Ask(None),
        34 => Step::Ask(Some(entropy.byte())),
        35 | 36 => finish_task(entropy),
        37 => Step::DescribeTask(entropy.below(3)),
        38 => Step::TaskProgress(entropy.below(3), entropy.below(256) as i64),
        39 | 40 => Step::TaskNeedsInput(entropy.below(3)),
        41 | 42 => Step::Tick(entropy.pick(&[400, 0, 1, 999, 1000, 2999, 3000, 1 << 40, 1 << 50])),
        43 => Step::ListChanged(entropy.below(3)),
        44 => Step::ResourceUpdated(entropy.pick(&["demo://counter", "demo://square/3", "x:y"])),
        45 => Step::EndStreams,
        46 => match entropy.once_in(4) {
            true => Step::Reset,
            false => generated_frame(entropy),
        },
        _ => generated_frame(entropy),
    }
}

fn batch(entropy: &mut Entropy<'_>) -> Step {
    let elements: Vec<String> = (0..entropy.below(6)).map(|_| element(entropy)).collect();
    let other = entropy.once_in(2).then(|| {
        let place = entropy.below(elements.len() + 1);
        let other = match entropy.once_in(3) {
            true => answer(entropy),
            false => plain_call(entropy, "\"o$N\""),
        };
        (place, other.into_bytes())
    });
    Step::Batch { elements, other }
}

/// An element of a batch that is answered at once or not at all.
fn element(entropy: &mut Entropy<'_>) -> String {
    match entropy.below(10) {
        0 | 1 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x/y\"}}", id(entropy)),
        2 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"2025-03-26\"}}}}",
            id(entropy)
        ),
        3 => "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}".to_string(),
        4 => "{\"jsonrpc\":\"2.0\",\"id\":\"nobody's\",\"result\":{}}".to_string(),
        5 => "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]".to_string(),
        6 => generate::value(entropy, 2),
        _ => format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}}", id(entropy)),
    }
}

/// A frame without a session: a call of MCP, or nearly, or any message.
pub fn frame(entropy: &mut Entropy<'_>) -> Vec<u8> {
    match entropy.below(8) {
        0 => match generated_frame(entropy) {
            Step::Frame { frame, .. } => frame,
            _ => Vec::new(),
        },
        1 => answer(entropy).into_bytes(),
        2 => {
            let elements: Vec<String> = (0..entropy.below(4)).map(|_| call(entropy)).collect();
            format!("[{}]", elements.join(",")).into_bytes()
        }
        _ => call(entropy).into_bytes(),
    }
}

/// Any message, or what is nearly one.
fn generated_frame(entropy: &mut Entropy<'_>) -> Step {
    let frame = match entropy.below(8) {
        0 => generate::deep(entropy),
        1 => {
            let frame = call(entropy).into_bytes();
            generate::damaged(entropy, frame)
        }
        _ => generate::message(entropy),
    };
    Step::Frame { frame, is_too_long: entropy.once_in(8) }
}
