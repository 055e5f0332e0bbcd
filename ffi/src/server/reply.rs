//! The reply that a tool of C's fills.

use core::mem;

use barewire::engine::{CallError, CallToken, Outcome, Progress, ToolContent, ToolReply};
use barewire::rpc::ErrorCode;

use crate::border::{Out, Text, check_pointer};
use crate::status::{
    self, BAREWIRE_DEFERRED, BAREWIRE_ERROR_BUSY, BAREWIRE_ERROR_ID_TOO_LONG, BAREWIRE_ERROR_NOT_IN_FLIGHT,
    BAREWIRE_NONE, BAREWIRE_OK, Result, Status,
};

/// `barewire_token`: names a call that is answered later.
pub type Token = u32;

/// `barewire_reply`: the handle on a reply, good while the tool's function runs.
pub type Reply = Handle<'static, 'static>;

/// The reply while a function of C's fills it.
pub struct Handle<'r, 'm> {
    stage: Stage<'r, 'm>,
    /// Whether the call can be deferred.
    deferral: core::result::Result<(), CallError<'static>>,
    refusal: Option<CallError<'static>>,
    /// Why a deferral failed: the answer, unless the function gives one of its own.
    failed_deferral: Option<CallError<'static>>,
}

/// How far a reply has come.
enum Stage<'r, 'm> {
    /// Nothing was put into it.
    Empty(ToolReply<'r, 'm>),
    Content(ToolContent<'r, 'm>),
    /// The token is given out: nothing more goes into the reply.
    Deferred(CallToken, Outcome),
    /// Only while a function of this file works on it.
    Taken,
}

impl<'r, 'm> Stage<'r, 'm> {
    const fn take(&mut self) -> Self {
        mem::replace(self, Self::Taken)
    }

    /// Without what was put into the reply.
    fn emptied(self) -> Self {
        match self {
            Self::Content(content) => Self::Empty(content.restart()),
            other => other,
        }
    }

    /// With more content.
    fn with(self, add: impl FnOnce(ToolContent<'r, 'm>) -> ToolContent<'r, 'm>) -> Self {
        match self {
            Self::Empty(reply) => Self::Content(add(reply.content())),
            Self::Content(content) => Self::Content(add(content)),
            other => other,
        }
    }
}

/// Lets a function of C's fill a reply.
pub(super) fn run(
    reply: ToolReply<'_, '_>,
    deferral: core::result::Result<(), CallError<'static>>,
    function: impl FnOnce(*mut Reply) -> Status,
) -> core::result::Result<Outcome, CallError<'static>> {
    let mut handle = Handle { stage: Stage::Empty(reply), deferral, refusal: None, failed_deferral: None };
    // The lifetimes are forgotten; the handle does not outlive this call.
    let status = function((&raw mut handle).cast());
    let failed = handle.failed_deferral.unwrap_or(CallError::Internal);
    match (status, handle.stage, handle.refusal) {
        // Whoever has the token counts on the call, whatever was put into the reply.
        (BAREWIRE_DEFERRED, Stage::Deferred(_, outcome), _) => Ok(outcome),
        (_, _, Some(refusal)) => Err(refusal),
        (BAREWIRE_OK, Stage::Empty(reply), None) => Ok(reply.content().done()),
        (BAREWIRE_OK, Stage::Content(content), None) => Ok(content.done()),
        _ => Err(failed),
    }
}

/// # Safety
/// `reply` is `NULL`, or the handle that a function of C's has got, which still runs.
unsafe fn handle<'a>(reply: *mut Reply) -> Result<&'a mut Reply> {
    check_pointer(reply)?;
    // SAFETY: by the caller's promise it is the handle of `run`, which makes no reference to it meanwhile.
    Ok(unsafe { &mut *reply })
}

/// Adds content to a reply.
///
/// # Safety
/// As [`handle`].
unsafe fn add(
    reply: *mut Reply,
    add: impl FnOnce(ToolContent<'static, 'static>) -> ToolContent<'static, 'static>,
) -> Result<()> {
    // SAFETY: by the caller's promise.
    let handle = unsafe { handle(reply) }?;
    handle.stage = handle.stage.take().with(add);
    Ok(())
}

/// A block of text.
///
/// # Safety
/// `reply` is the handle of a running function; `text` is good for its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_reply_text(reply: *mut Reply, text: Text) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { add_text(reply, text) })
}

/// # Safety
/// As [`barewire_reply_text`].
unsafe fn add_text(reply: *mut Reply, text: Text) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe {
        handle(reply)?;
        let text = text.utf8()?;
        add(reply, |content| content.text(text))
    }
}

/// A block of text that is a fixed-point number: 2375 with 2 decimals is `23.75`.
///
/// # Safety
/// `reply` is the handle of a running function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_reply_fixed(reply: *mut Reply, value: i64, decimals: u8) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe {
        add(reply, |content| {
            content.text_with(|json| {
                json.fixed(value, decimals);
            })
        })
    })
}

/// Structured content: a JSON object.
///
/// # Safety
/// As [`barewire_reply_text`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_reply_json(reply: *mut Reply, object: Text) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { add_object(reply, object) })
}

/// # Safety
/// As [`barewire_reply_json`].
unsafe fn add_object(reply: *mut Reply, object: Text) -> Result<()> {
    // SAFETY: by the caller's promise.
    unsafe {
        handle(reply)?;
        let object = object.object()?;
        add(reply, |content| content.structured_object(object))
    }
}

/// The tool failed: whatever was written is replaced by this text.
///
/// # Safety
/// As [`barewire_reply_text`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_reply_fail(reply: *mut Reply, text: Text) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { fail(reply, text) })
}

/// # Safety
/// As [`barewire_reply_text`].
unsafe fn fail(reply: *mut Reply, text: Text) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (handle, text) = unsafe { (handle(reply)?, text.utf8()?) };
    handle.stage = handle.stage.take().emptied().with(|content| content.set_error().text(text));
    Ok(())
}

/// An error of the protocol instead of a result.
///
/// # Safety
/// As [`barewire_reply_text`]; `message` and `data` stay as they are until the function of the server's returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_reply_refuse(
    reply: *mut Reply,
    code: i64,
    message: Text,
    data: Text,
) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { refuse(reply, ErrorCode(code), message, data) })
}

/// # Safety
/// As [`barewire_reply_refuse`].
unsafe fn refuse(reply: *mut Reply, code: ErrorCode, message: Text, data: Text) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (handle, message) = unsafe { (handle(reply)?, message.utf8()?) };
    let data = match data.length {
        0 => None,
        // SAFETY: by the caller's promise.
        _ => Some(unsafe { data.value()? }),
    };
    handle.refusal = Some(CallError::Refused { code, message, data });
    Ok(())
}

/// Takes the token under which the call is answered later.
///
/// # Safety
/// `reply` is the handle of a running function, `token` good for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_reply_defer(reply: *mut Reply, token: *mut Token) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { defer(reply, token) })
}

/// # Safety
/// As [`barewire_reply_defer`].
unsafe fn defer(reply: *mut Reply, token: *mut Token) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (handle, token) = unsafe { (handle(reply)?, Out::new(token)?) };
    if let Err(error) = &handle.deferral {
        handle.failed_deferral = Some(error.clone());
        return Err(match error {
            CallError::Busy => BAREWIRE_ERROR_BUSY,
            CallError::IdTooLong | CallError::ProgressTokenTooLong => BAREWIRE_ERROR_ID_TOO_LONG,
            _ => BAREWIRE_ERROR_NOT_IN_FLIGHT,
        });
    }
    let given = match handle.stage.take().emptied() {
        Stage::Empty(reply) => {
            let (given, outcome) = reply.defer().map_err(|_| BAREWIRE_ERROR_NOT_IN_FLIGHT)?;
            handle.stage = Stage::Deferred(given, outcome);
            given
        }
        Stage::Deferred(given, outcome) => {
            handle.stage = Stage::Deferred(given, outcome);
            given
        }
        _ => return Err(BAREWIRE_ERROR_NOT_IN_FLIGHT),
    };
    token.put(given.to_bits());
    Ok(())
}

/// Reports progress, before anything else of the reply.
///
/// # Safety
/// As [`barewire_reply_text`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_reply_progress(
    reply: *mut Reply,
    progress: i64,
    total: i64,
    message: Text,
) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { report(reply, progress, total, message) })
}

/// # Safety
/// As [`barewire_reply_progress`].
unsafe fn report(reply: *mut Reply, progress: i64, total: i64, message: Text) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (handle, progress) = unsafe { (handle(reply)?, progress_of(progress, total, message)?) };
    let is_written = match &mut handle.stage {
        Stage::Empty(reply) => reply.progress(progress),
        _ => false,
    };
    if is_written { Ok(()) } else { Err(BAREWIRE_NONE) }
}

/// # Safety
/// `message` is good for its length.
pub(super) unsafe fn progress_of<'a>(progress: i64, total: i64, message: Text) -> Result<Progress<'a>> {
    // SAFETY: by the caller's promise.
    let message = unsafe { message.utf8() }?;
    let mut report = Progress::new(progress);
    if total > 0 {
        report = report.of(total);
    }
    if !message.is_empty() {
        report = report.with_message(message);
    }
    Ok(report)
}
