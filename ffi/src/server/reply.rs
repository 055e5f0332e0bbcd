//! The reply that a tool of C's fills.

use core::ptr;

use barewire::engine::{CallError, CallToken, Disposition, Progress, ToolReply};
use barewire::rpc::ErrorCode;

use crate::border::{Out, Text, check_pointer};
use crate::status::{
    self, BAREWIRE_DEFERRED, BAREWIRE_ERROR_BUSY, BAREWIRE_ERROR_ID_TOO_LONG, BAREWIRE_ERROR_NOT_IN_FLIGHT,
    BAREWIRE_NONE, BAREWIRE_OK, Result, Status,
};

/// `barewire_token`: names a call that is answered later.
pub type Token = u32;

type Outcome = core::result::Result<Disposition, CallError<'static>>;

/// `barewire_reply`: the handle on a reply, good while the tool's function runs.
pub struct Reply {
    reply: *mut ToolReply<'static, 'static>,
    deferral: core::result::Result<CallToken, CallError<'static>>,
    deferred: Option<CallToken>,
    refusal: Option<CallError<'static>>,
    /// Why a deferral failed: the answer, unless the function gives one of its own.
    failed_deferral: Option<CallError<'static>>,
}

/// Lets a function of C's fill a reply.
pub(super) fn run(
    reply: &mut ToolReply<'_, '_>,
    deferral: core::result::Result<CallToken, CallError<'static>>,
    function: impl FnOnce(*mut Reply) -> Status,
) -> Outcome {
    let mut handle = Reply {
        // The lifetimes are forgotten; the handle does not outlive this call.
        reply: ptr::from_mut(reply).cast(),
        deferral,
        deferred: None,
        refusal: None,
        failed_deferral: None,
    };
    let status = function(&raw mut handle);
    match (status, handle.deferred, handle.refusal) {
        // Whoever has the token counts on the call, whatever was put into the reply before.
        (BAREWIRE_DEFERRED, Some(token), _) => Ok(Disposition::Deferred(token)),
        (_, _, Some(refusal)) => Err(refusal),
        (BAREWIRE_OK, _, None) => Ok(Disposition::Done),
        _ => Err(handle.failed_deferral.unwrap_or(CallError::Internal)),
    }
}

/// # Safety
/// `reply` is `NULL`, or the handle that a function of C's has got, which still runs.
unsafe fn handle<'a>(reply: *mut Reply) -> Result<&'a mut Reply> {
    check_pointer(reply)?;
    // SAFETY: by the caller's promise it is the handle of `run`, which makes no reference to it meanwhile.
    Ok(unsafe { &mut *reply })
}

/// # Safety
/// As [`handle`].
unsafe fn reply_of<'a>(reply: *mut Reply) -> Result<&'a mut ToolReply<'static, 'static>> {
    // SAFETY: by the caller's promise; the reply behind the handle is borrowed by `run`, which does not use it meanwhile.
    Ok(unsafe { &mut *handle(reply)?.reply })
}

/// A block of text.
///
/// # Safety
/// `reply` is the handle of a running function; `text` is good for its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_reply_text(reply: *mut Reply, text: Text) -> Status {
    // SAFETY: by the caller's promise.
    let parts = unsafe { reply_of(reply).and_then(|reply| Ok((reply, text.utf8()?))) };
    status::of(parts.map(|(reply, text)| {
        reply.text(text);
    }))
}

/// A block of text that is a fixed-point number: 2375 with 2 decimals is `23.75`.
///
/// # Safety
/// `reply` is the handle of a running function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_reply_fixed(reply: *mut Reply, value: i64, decimals: u8) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { reply_of(reply) }.map(|reply| {
        reply.text_with(|json| {
            json.fixed(value, decimals);
        });
    }))
}

/// Structured content: a JSON object.
///
/// # Safety
/// As [`barewire_reply_text`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_reply_json(reply: *mut Reply, object: Text) -> Status {
    // SAFETY: by the caller's promise.
    let parts = unsafe { reply_of(reply).and_then(|reply| Ok((reply, object.object()?))) };
    status::of(parts.map(|(reply, object)| {
        reply.structured_object(object);
    }))
}

/// The tool failed: whatever was written is replaced by this text.
///
/// # Safety
/// As [`barewire_reply_text`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_reply_fail(reply: *mut Reply, text: Text) -> Status {
    // SAFETY: by the caller's promise.
    let parts = unsafe { reply_of(reply).and_then(|reply| Ok((reply, text.utf8()?))) };
    status::of(parts.map(|(reply, text)| {
        reply.fail(&[text]);
    }))
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
    let offered = handle.deferral.map_err(|error| {
        handle.failed_deferral = Some(error);
        match error {
            CallError::Busy => BAREWIRE_ERROR_BUSY,
            CallError::IdTooLong | CallError::ProgressTokenTooLong => BAREWIRE_ERROR_ID_TOO_LONG,
            _ => BAREWIRE_ERROR_NOT_IN_FLIGHT,
        }
    })?;
    handle.deferred = Some(offered);
    token.put(offered.to_bits());
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
    let parts =
        unsafe { reply_of(reply).and_then(|reply| Ok((reply, progress_of(progress, total, message)?))) };
    match parts.map(|(reply, progress)| reply.progress(&progress)) {
        Ok(true) => BAREWIRE_OK,
        Ok(false) => BAREWIRE_NONE,
        Err(status) => status,
    }
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
