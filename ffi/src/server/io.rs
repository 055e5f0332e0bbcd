//! Bytes in and out of a server.

use core::ffi::c_void;

use super::{Server, enter};
use crate::border::{self, Out, Text, overlap};
use crate::status::{
    self, BAREWIRE_ERROR_OVERLAP, BAREWIRE_ERROR_RANGE, BAREWIRE_MORE, BAREWIRE_NONE, Result, Status,
};

/// The bytes to send next.
///
/// # Safety
/// `server` was made by `barewire_server_init`; `output` is good for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_output(server: *mut Server, output: *mut Text) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { pending(server, output) })
}

/// # Safety
/// As [`barewire_server_output`].
unsafe fn pending(server: *mut Server, output: *mut Text) -> Result<()> {
    // SAFETY: by the caller's promise.
    let place = unsafe { Out::new(output) }?;
    // SAFETY: by the caller's promise.
    let text = unsafe {
        enter(server, |body| {
            let text = Text::of(body.link.output());
            body.pending = text.length;
            Ok(text)
        })
    }?;
    if text.length == 0 {
        place.put(Text::NONE);
        return Err(BAREWIRE_NONE);
    }
    place.put(text);
    Ok(())
}

/// So many bytes of the output were sent.
///
/// # Safety
/// `server` was made by `barewire_server_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_sent(server: *mut Server, count: usize) -> Status {
    // SAFETY: by the caller's promise.
    let result = unsafe {
        enter(server, |body| {
            body.pending = body.pending.checked_sub(count).ok_or(BAREWIRE_ERROR_RANGE)?;
            body.link.sent(count);
            Ok(())
        })
    };
    status::of(result)
}

/// Where to receive into.
///
/// # Safety
/// `server` was made by `barewire_server_init`; `place` and `size` are good for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_space(
    server: *mut Server,
    place: *mut *mut c_void,
    size: *mut usize,
) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { space(server, place, size) })
}

/// # Safety
/// As [`barewire_server_space`].
unsafe fn space(server: *mut Server, place: *mut *mut c_void, size: *mut usize) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (place, size) = unsafe { (Out::new(place)?, Out::new(size)?) };
    // SAFETY: by the caller's promise.
    let (data, length) = unsafe {
        enter(server, |body| {
            let space = body.link.space();
            Ok((space.as_mut_ptr(), space.len()))
        })
    }?;
    place.put(data.cast());
    size.put(length);
    if length == 0 {
        return Err(BAREWIRE_MORE);
    }
    Ok(())
}

/// So many bytes were received into the space.
///
/// # Safety
/// `server` was made by `barewire_server_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_received(server: *mut Server, count: usize) -> Status {
    // SAFETY: by the caller's promise.
    let result = unsafe {
        enter(server, |body| {
            if count > body.link.space().len() {
                return Err(BAREWIRE_ERROR_RANGE);
            }
            body.link.received(count);
            Ok(())
        })
    };
    status::of(result)
}

/// Copies received bytes in.
///
/// # Safety
/// `server` was made by `barewire_server_init`; `bytes` is good for `length` bytes, `taken` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_receive(
    server: *mut Server,
    bytes: *const c_void,
    length: usize,
    taken: *mut usize,
) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { receive(server, bytes, length, taken) })
}

/// # Safety
/// As [`barewire_server_receive`].
unsafe fn receive(server: *mut Server, bytes: *const c_void, length: usize, taken: *mut usize) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (bytes, taken) = unsafe { (border::bytes(bytes, length)?, Out::new(taken)?) };
    let from = (bytes.as_ptr().cast::<c_void>(), bytes.len());
    // SAFETY: by the caller's promise.
    let count = unsafe {
        enter(server, |body| {
            if overlap(body.input, from) {
                return Err(BAREWIRE_ERROR_OVERLAP);
            }
            let space = body.link.space();
            let count = space.len().min(bytes.len());
            for (place, byte) in space.iter_mut().zip(bytes) {
                *place = *byte;
            }
            body.link.received(count);
            Ok(count)
        })
    }?;
    taken.put(count);
    if count == 0 && length > 0 {
        return Err(BAREWIRE_MORE);
    }
    Ok(())
}

/// The receiver lost bytes.
///
/// # Safety
/// `server` was made by `barewire_server_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_lost(server: *mut Server) -> Status {
    // SAFETY: by the caller's promise.
    let result = unsafe {
        enter(server, |body| {
            body.link.lost();
            Ok(())
        })
    };
    status::of(result)
}

/// The stream has ended.
///
/// # Safety
/// `server` was made by `barewire_server_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_end_of_input(server: *mut Server) -> Status {
    // SAFETY: by the caller's promise.
    let result = unsafe {
        enter(server, |body| {
            body.link.end_of_input();
            Ok(())
        })
    };
    status::of(result)
}

/// Starts afresh for another peer.
///
/// # Safety
/// `server` was made by `barewire_server_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_server_reset(server: *mut Server) -> Status {
    // SAFETY: by the caller's promise.
    let result = unsafe {
        enter(server, |body| {
            body.link.reset();
            body.pending = 0;
            Ok(())
        })
    };
    status::of(result)
}
