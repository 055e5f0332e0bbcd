//! What the application says between lines: late answers, progress, a changed table.

use core::ffi::c_void;

use barewire::bytes::Sink;
use barewire::engine::{CallError, CallToken, List, NotInFlight, Sent};

use super::{Engine, Host, Reply, Server, Token, enter, reply};
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
unsafe fn write(
    server: *mut Server,
    write: impl FnOnce(&mut Engine, &mut Host, &mut Sink<'_>) -> Result<()>,
) -> Status {
    // SAFETY: by the caller's promise.
    let result = unsafe { enter(server, |body| body.link.write(write).unwrap_or(Err(BAREWIRE_MORE))) };
    status::of(result)
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
    let answer = |server: &mut Engine, host: &mut Host, out: &mut Sink<'_>| {
        let sent = server.complete_tool(CallToken::from_bits(token), host, out, |content| {
            // A second deferral has no token.
            reply::run(content.restart(), Err(CallError::Internal), |reply| {
                // SAFETY: a function of the header's type by the caller's promise; the handle outlives the call.
                unsafe { function(user, reply) }
            })
        });
        match sent {
            Ok(Sent::NoRoom) => Err(BAREWIRE_ERROR_TOO_SMALL),
            Ok(_) => Ok(()),
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
    let tell = |server: &mut Engine, _: &mut Host, out: &mut Sink<'_>| match server.progress(
        CallToken::from_bits(token),
        report,
        out,
    ) {
        Ok(Sent::To(_)) => Ok(()),
        Ok(_) => Err(BAREWIRE_NONE),
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
        enter(server, |body| Ok(body.link.server_mut().is_in_flight(CallToken::from_bits(token))))
    } {
        Ok(true) => BAREWIRE_OK,
        Ok(false) => BAREWIRE_NONE,
        Err(status) => status,
    }
}

/// Tells the clients that want to know that the table of tools has changed.
///
/// # Safety
/// `server` was made by `barewire_server_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_tools_changed(server: *mut Server) -> Status {
    // SAFETY: by the caller's promise.
    unsafe { mark(server, |server| server.list_changed(List::Tools)) }
}

/// Ends all streams of `subscriptions/listen`.
///
/// # Safety
/// `server` was made by `barewire_server_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_end_streams(server: *mut Server) -> Status {
    // SAFETY: by the caller's promise.
    unsafe { mark(server, Engine::end_streams) }
}

/// Marks lines as due, once no output is left to be sent: the next outputs have them.
///
/// # Safety
/// As [`enter`].
unsafe fn mark(server: *mut Server, mark: impl FnOnce(&mut Engine)) -> Status {
    let mark = |server: &mut Engine, _: &mut Host, _: &mut Sink<'_>| {
        mark(server);
        Ok(())
    };
    // SAFETY: by the caller's promise.
    unsafe { write(server, mark) }
}
