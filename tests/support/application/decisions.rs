//! What a handler does with a call, well or not, as a byte says.

use barewire::engine::{
    CallError, CallToken, Context, Disposition, Progress, Questions, TaskToken, ToolReply,
};
use barewire::mcp::{Elicitation, InputRequest, LoggingLevel, Sampling, SamplingMessage, Schema};
use barewire::rpc::ErrorCode;

use super::super::replies::Answering;

/// What a handler may know of its call.
pub(super) struct Chance<'c, 'a> {
    /// The call's context.
    pub(super) context: &'c Context<'a>,
    /// The task that the call may become.
    pub(super) task: Option<TaskToken>,
    /// A token of another call.
    pub(super) other_call: Option<CallToken>,
    /// A token of another task.
    pub(super) other_task: Option<TaskToken>,
}

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
    CallError::Refused {
        code: ErrorCode(7),
        message: &LONG[..length(size)],
        data: None,
    }
}

/// The choice to answer later.
pub const DEFER: u8 = 1;
/// The first of four choices to ask one thing.
pub const ASK: u8 = 3;
/// The choice to go on as a task, if that may be.
pub const BEGIN_TASK: u8 = 13;

fn progress(reply: &mut dyn Answering, value: i64) {
    reply.progress(&Progress::new(value));
}

fn log(reply: &mut dyn Answering, text: &str) {
    reply.log(LoggingLevel::Error, None, text);
}

/// Does it. `size` is that of a text.
pub(super) fn decide(
    choice: u8,
    size: u8,
    chance: &Chance<'_, '_>,
    reply: &mut dyn Answering,
) -> Result<Disposition, CallError<'static>> {
    let defer = || chance.context.defer().map(Disposition::Deferred);
    let task = chance.task.map(Disposition::Task);
    match choice % 32 {
        0 => reply.text("done"),
        DEFER | 2 => return defer(),
        ASK..=6 => {
            reply.ask("k", &question(choice));
            return Ok(Disposition::Asked);
        }
        7 | 8 => {
            reply.ask("k", &question(choice));
            reply.keep(&"s".repeat(length(size) % 40));
            return Ok(Disposition::Asked);
        }
        9 => {
            reply.ask("a", &FORM);
            reply.ask("b", &InputRequest::Roots);
            reply.ask("c", &MODEL);
            return Ok(Disposition::Asked);
        }
        10 => {
            progress(reply, i64::from(size));
            log(reply, "before a question");
            reply.ask("k", &question(size));
            return Ok(Disposition::Asked);
        }
        11 => {
            progress(reply, i64::from(size));
            return defer();
        }
        12 => {
            progress(reply, i64::from(size));
            progress(reply, i64::from(size / 2));
            log(reply, &"l".repeat(length(size)));
            reply.text("done");
        }
        BEGIN_TASK..=16 => return task.map_or_else(defer, Ok),
        17 => {
            progress(reply, i64::from(size));
            return task.map_or_else(defer, Ok);
        }
        18 => reply.text(&"t".repeat(length(size))),
        19 => return Err(refused(size)),
        20 => return Err(CallError::Failed("failed")),
        21 => {
            return Err([
                CallError::Internal,
                CallError::NotFound,
                CallError::InvalidParams,
                CallError::Busy,
                CallError::IdTooLong,
            ][usize::from(size % 5)]);
        }
        _ => return misbehave(choice, chance, reply),
    }
    Ok(Disposition::Done)
}

/// What a handler must not do.
fn misbehave(
    choice: u8,
    chance: &Chance<'_, '_>,
    reply: &mut dyn Answering,
) -> Result<Disposition, CallError<'static>> {
    match choice % 32 {
        22 => return Ok(Disposition::Asked),
        23 => {
            reply.keep("state");
            return Ok(Disposition::Asked);
        }
        24 => reply.ask("k", &FORM),
        25 => {
            reply.ask("k", &FORM);
            reply.text("an answer too");
            return Ok(Disposition::Asked);
        }
        26 => {
            reply.text("an answer");
            reply.ask("k", &FORM);
            return Ok(Disposition::Asked);
        }
        27 => {
            reply.ask("k", &FORM);
            reply.keep("once");
            reply.keep("twice");
            reply.ask("l", &MODEL);
            return Ok(Disposition::Asked);
        }
        28 => {
            reply.ask("k", &FORM);
            return Err(CallError::Failed("after all"));
        }
        29 => {
            reply.ask("k", &FORM);
            return chance.context.defer().map(Disposition::Deferred);
        }
        30 => {
            return chance
                .other_call
                .map(Disposition::Deferred)
                .ok_or(CallError::Internal);
        }
        _ => {
            return chance
                .other_task
                .map(Disposition::Task)
                .ok_or(CallError::Internal);
        }
    }
    Ok(Disposition::Done)
}

/// What a task asks.
pub(super) fn ask_for_task(choice: u8, questions: &mut Questions<'_, '_>) {
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

/// What a task has come to: the same however often it is asked for.
pub(super) fn result_of_task<'a>(choice: u8, reply: &mut ToolReply<'_, '_>) -> Result<(), CallError<'a>> {
    match choice % 8 {
        0 => {
            reply.text("done");
        }
        1 => return Err(CallError::Failed("failed")),
        2 => return Err(CallError::Internal),
        3 => return Err(refused(choice)),
        4 => {
            reply.ask("k", &FORM);
        }
        5 => {
            reply.structured(|json| {
                json.begin_object();
                json.end_object();
            });
        }
        _ => {
            reply.text(&"t".repeat(length(choice)));
        }
    }
    Ok(())
}
