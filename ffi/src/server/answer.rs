//! What the application says between lines: late answers, progress, a changed table.

use core::ffi::c_void;

use barewire::bytes::Sink;
use barewire::engine::{CallError, CallToken, List, NotInFlight, Status as EngineStatus};

use super::{Engine, Reply, Server, Token, enter, reply};
use crate::border::Text;
use crate::status::{
    self, BAREWIRE_ERROR_NOT_IN_FLIGHT, BAREWIRE_ERROR_NULL, BAREWIRE_ERROR_TOO_SMALL, BAREWIRE_MORE,
    BAREWIRE_NONE, BAREWIRE_OK, Result, Status,
};

/// `barewire_answer_function`: fills the reply to a call that was deferred.
pub type AnswerFunction = unsafe extern "C" fn(user: *mut c_void, reply: *mut Reply) -> Status;

/// Lets `write` write, once no output is left to be sent.
///
/// # Safety
/// As [`enter`].
unsafe fn write(server: *mut Server, write: impl FnOnce(&mut Engine, &mut Sink<'_>) -> Result<()>) -> Status {
    // SAFETY: by the caller's promise.
    let result = unsafe {
        enter(server, |body| {
            body.link.write(write).unwrap_or(Err(BAREWIRE_MORE))
        })
    };
    status::of(result)
}

fn is_done(status: EngineStatus, otherwise: Status) -> Result<()> {
    match status {
        EngineStatus::Done => Ok(()),
        EngineStatus::More => Err(otherwise),
    }
}

/// Answers a call that was deferred.
///
/// # Safety
/// `server` was made by `barewire_server_init`; `function` is of its type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_answer(
    server: *mut Server,
    token: Token,
    function: Option<AnswerFunction>,
    user: *mut c_void,
) -> Status {
    let Some(function) = function else {
        return BAREWIRE_ERROR_NULL;
    };
    let answer = |server: &mut Engine, out: &mut Sink<'_>| {
        let status = server.complete_tool(CallToken::from_bits(token), out, |reply| {
            // A second deferral has no token.
            reply::run(reply, Err(CallError::Internal), |reply| {
                // SAFETY: a function of the header's type by the caller's promise; the handle outlives the call.
                unsafe { function(user, reply) }
            })
            .map(drop)
        });
        match status {
            Ok(status) => is_done(status, BAREWIRE_ERROR_TOO_SMALL),
            Err(NotInFlight) => Err(BAREWIRE_ERROR_NOT_IN_FLIGHT),
        }
    };
    // SAFETY: by the caller's promise.
    unsafe { write(server, answer) }
}

/// Reports the progress of a call that was deferred.
///
/// # Safety
/// `server` was made by `barewire_server_init`; `message` is good for its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_progress(
    server: *mut Server,
    token: Token,
    progress: i64,
    total: i64,
    message: Text,
) -> Status {
    // SAFETY: by the caller's promise.
    let report = match unsafe { reply::progress_of(progress, total, message) } {
        Ok(report) => report,
        Err(status) => return status,
    };
    let tell = |server: &mut Engine, out: &mut Sink<'_>| match server.progress(
        CallToken::from_bits(token),
        &report,
        out,
    ) {
        Ok(true) => Ok(()),
        Ok(false) => Err(BAREWIRE_NONE),
        Err(NotInFlight) => Err(BAREWIRE_ERROR_NOT_IN_FLIGHT),
    };
    // SAFETY: by the caller's promise.
    unsafe { write(server, tell) }
}

/// Whether a call is still to be answered.
///
/// # Safety
/// `server` was made by `barewire_server_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_is_in_flight(server: *mut Server, token: Token) -> Status {
    // SAFETY: by the caller's promise.
    match unsafe {
        enter(server, |body| {
            Ok(body.link.server().is_in_flight(CallToken::from_bits(token)))
        })
    } {
        Ok(true) => BAREWIRE_OK,
        Ok(false) => BAREWIRE_NONE,
        Err(status) => status,
    }
}

/// Tells whoever wants to know that the table of tools has changed.
///
/// # Safety
/// `server` was made by `barewire_server_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_tools_changed(server: *mut Server) -> Status {
    let tell = |server: &mut Engine, out: &mut Sink<'_>| {
        is_done(server.list_changed(List::Tools, out), BAREWIRE_MORE)
    };
    // SAFETY: by the caller's promise.
    unsafe { write(server, tell) }
}

/// Ends all streams of `subscriptions/listen`.
///
/// # Safety
/// `server` was made by `barewire_server_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_end_streams(server: *mut Server) -> Status {
    let end = |server: &mut Engine, out: &mut Sink<'_>| is_done(server.end_streams(out), BAREWIRE_MORE);
    // SAFETY: by the caller's promise.
    unsafe { write(server, end) }
}
