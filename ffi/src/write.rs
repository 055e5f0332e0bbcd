//! One message written.

use core::ffi::c_void;

use barewire::rpc::{self, ErrorCode};

use crate::border::{self, Buffer, Text};
use crate::message::rules_of;
use crate::status::{self, BAREWIRE_NONE, Result, Status};

/// `{"jsonrpc":"2.0","id":ID,"method":METHOD,"params":PARAMS}`.
///
/// # Safety
/// As the header says: each text is good for its length, the buffer for its size, `length` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_write_request(
    id: Text,
    method: Text,
    params: Text,
    buffer: *mut c_void,
    size: usize,
    length: *mut usize,
) -> Status {
    let buffer = Buffer { data: buffer, size, length };
    // SAFETY: by the caller's promise.
    status::of(unsafe { request(id, method, params, buffer) })
}

/// # Safety
/// The texts and the buffer are good.
unsafe fn request(id: Text, method: Text, params: Text, buffer: Buffer) -> Result<()> {
    // SAFETY: by the caller's promise, here and below.
    let (inputs, method) = unsafe { ([id.bytes()?, method.bytes()?, params.bytes()?], method.utf8()?) };
    // SAFETY: see above.
    let (id, params) = unsafe { (id.id()?, params.optional_object()?) };
    // SAFETY: see above.
    unsafe { buffer.fill(&inputs, |memory| rpc::request(memory, id, method, params).map(<[u8]>::len)) }
}

/// `{"jsonrpc":"2.0","method":METHOD,"params":PARAMS}`.
///
/// # Safety
/// As [`barewire_write_request`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_write_notification(
    method: Text,
    params: Text,
    buffer: *mut c_void,
    size: usize,
    length: *mut usize,
) -> Status {
    let buffer = Buffer { data: buffer, size, length };
    // SAFETY: by the caller's promise.
    status::of(unsafe { notification(method, params, buffer) })
}

/// # Safety
/// The texts and the buffer are good.
unsafe fn notification(method: Text, params: Text, buffer: Buffer) -> Result<()> {
    // SAFETY: by the caller's promise, here and below.
    let (inputs, method) = unsafe { ([method.bytes()?, params.bytes()?], method.utf8()?) };
    // SAFETY: see above.
    let params = unsafe { params.optional_object()? };
    // SAFETY: see above.
    unsafe { buffer.fill(&inputs, |memory| rpc::notification(memory, method, params).map(<[u8]>::len)) }
}

/// `{"jsonrpc":"2.0","id":ID,"result":RESULT}`.
///
/// # Safety
/// As [`barewire_write_request`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_write_result(
    id: Text,
    result: Text,
    buffer: *mut c_void,
    size: usize,
    length: *mut usize,
) -> Status {
    let buffer = Buffer { data: buffer, size, length };
    // SAFETY: by the caller's promise.
    status::of(unsafe { result_response(id, result, buffer) })
}

/// # Safety
/// The texts and the buffer are good.
unsafe fn result_response(id: Text, result: Text, buffer: Buffer) -> Result<()> {
    // SAFETY: by the caller's promise, here and below.
    let inputs = unsafe { [id.bytes()?, result.bytes()?] };
    // SAFETY: see above.
    let (id, result) = unsafe { (id.id()?, result.object()?) };
    // SAFETY: see above.
    unsafe { buffer.fill(&inputs, |memory| rpc::result_response(memory, id, result).map(<[u8]>::len)) }
}

/// `{"jsonrpc":"2.0","id":ID,"error":{"code":CODE,"message":MESSAGE,"data":DATA}}`.
///
/// # Safety
/// As [`barewire_write_request`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_write_error(
    id: Text,
    code: i64,
    message: Text,
    data: Text,
    buffer: *mut c_void,
    size: usize,
    length: *mut usize,
) -> Status {
    let buffer = Buffer { data: buffer, size, length };
    // SAFETY: by the caller's promise.
    status::of(unsafe { error(id, ErrorCode(code), message, data, buffer) })
}

/// # Safety
/// The texts and the buffer are good.
unsafe fn error(id: Text, code: ErrorCode, message: Text, data: Text, buffer: Buffer) -> Result<()> {
    // SAFETY: by the caller's promise, here and below.
    let inputs = unsafe { [id.bytes()?, message.bytes()?, data.bytes()?] };
    // SAFETY: see above.
    let message = unsafe { message.utf8()? };
    let id = match id.length {
        0 => None,
        // SAFETY: see above.
        _ => Some(unsafe { id.id()? }),
    };
    if data.length == 0 {
        let write = |memory: &mut [u8]| rpc::error_response(memory, id, code, message).map(<[u8]>::len);
        // SAFETY: see above.
        return unsafe { buffer.fill(&inputs, write) };
    }
    // SAFETY: see above.
    let data = unsafe { data.value()? };
    let write =
        |memory: &mut [u8]| rpc::error_response_with_data(memory, id, code, message, data).map(<[u8]>::len);
    // SAFETY: see above.
    unsafe { buffer.fill(&inputs, write) }
}

/// The error that the sender of a frame that is no message is owed.
///
/// # Safety
/// As [`barewire_write_request`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_write_rejection(
    frame: *const c_void,
    frame_length: usize,
    rules: u32,
    buffer: *mut c_void,
    size: usize,
    length: *mut usize,
) -> Status {
    let buffer = Buffer { data: buffer, size, length };
    // SAFETY: by the caller's promise.
    match unsafe { rejection(frame, frame_length, rules, buffer) } {
        Ok(true) => status::BAREWIRE_OK,
        Ok(false) => BAREWIRE_NONE,
        Err(status) => status,
    }
}

/// False when nothing is owed.
///
/// # Safety
/// The frame and the buffer are good.
unsafe fn rejection(frame: *const c_void, frame_length: usize, rules: u32, buffer: Buffer) -> Result<bool> {
    let rules = rules_of(rules)?;
    // SAFETY: by the caller's promise.
    let frame = unsafe { border::bytes(frame, frame_length) }?;
    let judged = rpc::classify_with(frame, &rules);
    let mut is_owed = false;
    let write = |memory: &mut [u8]| {
        let Err(rejection) = judged else { return Ok(0) };
        let written = rpc::rejection_response(memory, &rejection)?;
        is_owed = written.is_some();
        Ok(written.map_or(0, <[u8]>::len))
    };
    // SAFETY: by the caller's promise.
    unsafe { buffer.fill(&[frame], write) }?;
    Ok(is_owed)
}
