//! What a handler does with a call, well or not, as a byte says.

use barewire::engine::{CallError, Outcome, Progress, ResumedReply, TaskQuestions, ToolContent};
use barewire::mcp::{Elicitation, InputRequest, LoggingLevel, Sampling, SamplingMessage, Schema};
use barewire::rpc::ErrorCode;

use super::super::replies::Answering;
use super::seen::{Later, Seen};

/// What a handler may do with its call.
#[derive(Clone, Copy)]
pub(super) struct Chance {
    /// Go on as a task.
    pub(super) may_be_task: bool,
    /// Return the outcome of an earlier call.
    pub(super) old: Option<Outcome>,
}

/// What a handler makes of a call.
type Made = Result<Outcome, CallError<'static>>;

const AGREE: Schema<'_> =
    Schema::new(r#"{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]}"#);
const FORM: InputRequest<'_> = InputRequest::Elicitation(Elicitation::form("Sure?", AGREE));
const PAGE: InputRequest<'_> = InputRequest::Elicitation(Elicitation::url("Visit", "https://a.b", "e"));
const MODEL: InputRequest<'_> =
    InputRequest::Sampling(Sampling::new(&[SamplingMessage::user("Say something.")], 9));

/// One of the questions.
pub fn question(choice: u8) -> InputRequest<'static> {
    [FORM, MODEL, InputRequest::Roots, PAGE][usize::from(choice % 4)]
}

/// How many bytes a text of this size has, around those of an output.
fn length(size: u8) -> usize {
    usize::from(size) * 3
}

fn refused(size: u8) -> CallError<'static> {
    const LONG: &str = match core::str::from_utf8(&[b'r'; 255 * 3]) {
        Ok(text) => text,
        Err(_) => "",
    };
    CallError::Refused { code: ErrorCode(7), message: &LONG[..length(size)], data: None }
}

/// The choice to answer later.
pub const DEFER: u8 = 1;
/// The first of four choices to ask one thing.
pub const ASK: u8 = 3;
/// The choice to return what an earlier call has returned.
pub const OLD: u8 = 27;
/// The choice to go on as a task, if that may be.
pub const BEGIN_TASK: u8 = 13;

fn progress(reply: &mut ResumedReply<'_, '_>, value: i64) {
    reply.progress(Progress::new(value));
}

fn log(reply: &mut ResumedReply<'_, '_>, text: &str) {
    reply.log(LoggingLevel::Error, None, text);
}

/// Does it. `size` is that of a text.
pub(super) fn decide(
    choice: u8,
    size: u8,
    chance: Chance,
    mut reply: ResumedReply<'_, '_>,
    seen: &mut Seen,
) -> Made {
    Ok(match choice % 32 {
        0 => reply.text("done"),
        DEFER | 2 => return defer(reply, seen),
        ASK..=6 => reply.ask("k", &question(choice)).done(),
        7 | 8 => {
            let state = "s".repeat(length(size) % 40);
            reply.ask("k", &question(choice)).keep(&state)
        }
        9 => {
            let questions = reply.ask("a", &FORM).ask("b", &InputRequest::Roots);
            questions.ask("c", &MODEL).done()
        }
        10 => {
            progress(&mut reply, i64::from(size));
            log(&mut reply, "before a question");
            reply.ask("k", &question(size)).done()
        }
        11 => {
            progress(&mut reply, i64::from(size));
            return defer(reply, seen);
        }
        12 => {
            progress(&mut reply, i64::from(size));
            progress(&mut reply, i64::from(size / 2));
            log(&mut reply, &"l".repeat(length(size)));
            reply.text("done")
        }
        BEGIN_TASK..=16 => return begin_task(chance, reply, seen),
        17 => {
            progress(&mut reply, i64::from(size));
            return begin_task(chance, reply, seen);
        }
        18 => reply.text(&"t".repeat(length(size))),
        19 => return Err(refused(size)),
        20 => return Err(CallError::Failed("failed")),
        21 => {
            return Err(match size % 5 {
                0 => CallError::Internal,
                1 => CallError::NotFound,
                2 => CallError::InvalidParams,
                3 => CallError::Busy,
                _ => CallError::IdTooLong,
            });
        }
        22..=26 => decide_as_tool(choice, size, reply),
        // Of another call: that breaks a rule.
        OLD => return chance.old.ok_or(CallError::Internal),
        _ => return change_mind(choice, chance, reply),
    })
}

fn defer(reply: ResumedReply<'_, '_>, seen: &mut Seen) -> Made {
    let (token, outcome) = reply.defer()?;
    seen.later = Some(Later::Answer(token));
    Ok(outcome)
}

/// A call that may not be a task is answered later.
fn begin_task(chance: Chance, reply: ResumedReply<'_, '_>, seen: &mut Seen) -> Made {
    match reply {
        ResumedReply::Tool(reply) if chance.may_be_task => {
            let (token, outcome) = reply.start_task()?;
            seen.later = Some(Later::Task(token));
            Ok(outcome)
        }
        reply => defer(reply, seen),
    }
}

/// Answers that only tools have; to anything else, a text.
fn decide_as_tool(choice: u8, size: u8, reply: ResumedReply<'_, '_>) -> Outcome {
    let text = "t".repeat(length(size));
    match reply {
        ResumedReply::Tool(reply) => match choice % 32 {
            22 => reply.refuse(ErrorCode(7), format_args!("{text}{size}")),
            23 => reply.fail(text.as_str()),
            24 => reply.content().done(),
            25 => reply.content().text(text.as_str()).image("image/png", text.as_bytes()).done(),
            _ => reply.content().text(text.as_str()).fail("after all"),
        },
        reply => reply.text(&text),
    }
}

/// A handler that returns an error after all.
fn change_mind(choice: u8, chance: Chance, reply: ResumedReply<'_, '_>) -> Made {
    let _ = match (choice % 32, reply) {
        (28, reply) => reply.ask("k", &FORM).done(),
        (29, reply) => reply.defer()?.1,
        (30, ResumedReply::Tool(reply)) if chance.may_be_task => reply.start_task()?.1,
        (_, reply) => reply.text("an answer"),
    };
    Err(CallError::Failed("after all"))
}

/// What a task asks.
pub(super) fn ask_for_task(choice: u8, questions: &mut TaskQuestions<'_, '_>) {
    match choice % 8 {
        0..=3 => {
            questions.ask("k", &question(choice));
        }
        4 => {
            questions.ask("a", &FORM).ask("b", &MODEL);
        }
        5 => {
            questions.ask("a", &FORM).ask("b", &PAGE);
        }
        6 => {
            let text = "q".repeat(400);
            questions.ask("k", &Elicitation::form(&text, AGREE).into());
        }
        _ => {}
    }
}

/// What a task has come to: the same however often it is fetched.
pub(super) fn result_of_task(choice: u8, content: ToolContent<'_, '_>) -> Made {
    Ok(match choice % 8 {
        0 => content.text("done").done(),
        1 => return Err(CallError::Failed("failed")),
        2 => return Err(CallError::Internal),
        3 => return Err(refused(choice)),
        4 => content.fail("failed"),
        5 => content
            .structured_with(|json| {
                json.begin_object();
                json.end_object();
            })
            .done(),
        _ => content.text("t".repeat(length(choice)).as_str()).done(),
    })
}
