//! Lines out of a byte stream, in memory of the caller's.

use core::ffi::c_void;

use barewire::bytes::{Framer, Next};

use crate::border::{self, Out, Text, check_bytes, check_pointer, overlap};
use crate::status::{
    self, BAREWIRE_ERROR_NOT_INITIALIZED, BAREWIRE_ERROR_OVERLAP, BAREWIRE_ERROR_TOO_SMALL, Result, Status,
};

/// Nothing more until bytes go in.
pub const BAREWIRE_LINE_NEED_MORE: i32 = 0;
/// A whole line, without its newline.
pub const BAREWIRE_LINE_WHOLE: i32 = 1;
/// A piece of a line that is longer than the memory.
pub const BAREWIRE_LINE_PART: i32 = 2;
/// The line whose pieces came before has ended.
pub const BAREWIRE_LINE_TOO_LONG: i32 = 3;
/// A line with missing bytes has ended.
pub const BAREWIRE_LINE_LOST: i32 = 4;

/// How many words `barewire_framer` has.
pub const BAREWIRE_FRAMER_WORDS: usize = 16;

const MAGIC: usize = 0x6272_6677;

/// `barewire_framer`: what C keeps for a framer.
#[derive(Debug)]
pub struct LineFramer {
    magic: usize,
    /// Where lines are put together.
    memory: (*const c_void, usize),
    framer: Framer<&'static mut [u8]>,
}

const _: () = assert!(size_of::<LineFramer>() <= BAREWIRE_FRAMER_WORDS * size_of::<usize>());
const _: () = assert!(align_of::<LineFramer>() <= align_of::<usize>());

/// Makes a framer.
///
/// # Safety
/// `framer` is good for its size, `memory` for `size` bytes, and both stay so, used by nobody else, while the framer is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_framer_init(
    framer: *mut LineFramer,
    memory: *mut c_void,
    size: usize,
) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { init(framer, memory, size) })
}

/// # Safety
/// As [`barewire_framer_init`].
unsafe fn init(place: *mut LineFramer, memory: *mut c_void, size: usize) -> Result<()> {
    // SAFETY: by the caller's promise.
    let out = unsafe { Out::new(place) }?;
    if size == 0 {
        return Err(BAREWIRE_ERROR_TOO_SMALL);
    }
    check_bytes(memory, size)?;
    let own = (place.cast_const().cast(), size_of::<LineFramer>());
    if overlap(own, (memory, size)) {
        return Err(BAREWIRE_ERROR_OVERLAP);
    }
    // SAFETY: by the caller's promise; zeroed, since `commit` may take over bytes that were never written.
    let lines = unsafe { border::zeroed(memory, size) }?;
    out.put(LineFramer { magic: MAGIC, memory: (memory.cast_const(), size), framer: Framer::new(lines) });
    Ok(())
}

/// # Safety
/// `framer` is `NULL` or points to memory of its size that nobody else uses.
unsafe fn of<'a>(framer: *mut LineFramer) -> Result<&'a mut LineFramer> {
    check_pointer(framer)?;
    // SAFETY: not null, aligned, and good for reads by the caller's promise. Only the magic number is read.
    if unsafe { (&raw const (*framer).magic).read() } != MAGIC {
        return Err(BAREWIRE_ERROR_NOT_INITIALIZED);
    }
    // SAFETY: made by `init`, as the magic number says, and not shared by the caller's promise.
    Ok(unsafe { &mut *framer })
}

/// Copies bytes in.
///
/// # Safety
/// `framer` was made by `barewire_framer_init`; `bytes` is good for `length` bytes, `taken` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_framer_push(
    framer: *mut LineFramer,
    bytes: *const c_void,
    length: usize,
    taken: *mut usize,
) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { push(framer, bytes, length, taken) })
}

/// # Safety
/// As [`barewire_framer_push`].
unsafe fn push(
    framer: *mut LineFramer,
    bytes: *const c_void,
    length: usize,
    taken: *mut usize,
) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (framer, bytes, taken) = unsafe { (of(framer)?, border::bytes(bytes, length)?, Out::new(taken)?) };
    if overlap(framer.memory, (bytes.as_ptr().cast(), bytes.len())) {
        return Err(BAREWIRE_ERROR_OVERLAP);
    }
    taken.put(framer.framer.push(bytes));
    Ok(())
}

/// What comes next.
///
/// # Safety
/// `framer` was made by `barewire_framer_init`; `kind` and `line` are good for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_framer_next(
    framer: *mut LineFramer,
    kind: *mut i32,
    line: *mut Text,
) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { next(framer, kind, line, |framer| framer.next()) })
}

/// What is left at the end of the stream.
///
/// # Safety
/// As [`barewire_framer_next`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_framer_finish(
    framer: *mut LineFramer,
    kind: *mut i32,
    line: *mut Text,
) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { next(framer, kind, line, |framer| framer.finish()) })
}

/// # Safety
/// As [`barewire_framer_next`].
unsafe fn next(
    framer: *mut LineFramer,
    kind: *mut i32,
    line: *mut Text,
    step: impl for<'a> FnOnce(&'a mut Framer<&'static mut [u8]>) -> Next<'a>,
) -> Result<()> {
    // SAFETY: by the caller's promise.
    let (framer, kind, line) = unsafe { (of(framer)?, Out::new(kind)?, Out::new(line)?) };
    let (number, text) = match step(&mut framer.framer) {
        Next::Line(text) => (BAREWIRE_LINE_WHOLE, Text::of(text)),
        Next::Part(text) => (BAREWIRE_LINE_PART, Text::of(text)),
        Next::TooLong => (BAREWIRE_LINE_TOO_LONG, Text::NONE),
        Next::Lost => (BAREWIRE_LINE_LOST, Text::NONE),
        Next::NeedMore => (BAREWIRE_LINE_NEED_MORE, Text::NONE),
    };
    kind.put(number);
    line.put(text);
    Ok(())
}

/// The receiver lost bytes.
///
/// # Safety
/// `framer` was made by `barewire_framer_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_framer_lost(framer: *mut LineFramer) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { of(framer) }.map(|framer| framer.framer.lost()))
}

/// Starts at the beginning of a new stream.
///
/// # Safety
/// `framer` was made by `barewire_framer_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn barewire_framer_reset(framer: *mut LineFramer) -> Status {
    // SAFETY: by the caller's promise.
    status::of(unsafe { of(framer) }.map(|framer| framer.framer.reset()))
}
