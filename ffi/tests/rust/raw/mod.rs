//! The functions called with whatever bytes there are, each text and each buffer in memory of its own that has no byte
//! more: with the address sanitizer every access beside them is seen. The fuzz target `ffi` is made of this file too.

mod server;
mod tools;

use core::ffi::c_void;
use core::ptr;
use std::boxed::Box;
use std::vec::Vec;
use std::{assert, assert_eq, matches, vec};

use super::ffi::status::*;
use super::ffi::*;

/// What the bytes behind the first one are for is the choice of that one.
pub fn calls(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    match kind % 4 {
        0 => texts_and_buffers(rest),
        1 => a_framer(rest),
        2 => bad_pointers(rest),
        _ => server::a_session(rest),
    }
}

/// Memory for exactly these bytes, somewhere.
fn owned(bytes: &[u8]) -> Box<[u8]> {
    Vec::from(bytes).into_boxed_slice()
}

fn text(bytes: &[u8]) -> Text {
    Text { data: bytes.as_ptr().cast(), length: bytes.len() }
}

const NONE: Text = Text { data: ptr::null(), length: 0 };

/// Whether a text that came out is a part of `whole`.
pub(super) fn is_in(part: Text, whole: &[u8]) -> bool {
    let (start, end) = (whole.as_ptr().addr(), whole.as_ptr().addr() + whole.len());
    part.length == 0 || (start <= part.data.addr() && part.data.addr() + part.length <= end)
}

/// Two texts, with a NUL between them.
fn halves(bytes: &[u8]) -> [Box<[u8]>; 2] {
    let at = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (one, other) = bytes.split_at(at);
    [owned(one), owned(other.get(1..).unwrap_or_default())]
}

/// Every function that reads texts, and every one that fills a buffer.
fn texts_and_buffers(data: &[u8]) {
    let Some((size, rest)) = data.split_first() else {
        return;
    };
    let (size, halves) = (usize::from(*size), halves(rest));
    let [a, b] = &halves;
    let (one, other) = (text(a), text(b));
    reads(one, other, a);
    // SAFETY: the texts are good, and so is the buffer that each is given.
    let writers: [&dyn Fn(*mut c_void, usize, *mut usize) -> Status; 8] = unsafe {
        [
            &move |buffer, size, length| barewire_write_request(one, other, one, buffer, size, length),
            &move |buffer, size, length| barewire_write_request(one, other, NONE, buffer, size, length),
            &move |buffer, size, length| barewire_write_notification(other, one, buffer, size, length),
            &move |buffer, size, length| barewire_write_result(other, one, buffer, size, length),
            &move |buffer, size, length| barewire_write_error(one, -7, other, one, buffer, size, length),
            &move |buffer, size, length| barewire_write_error(NONE, 7, other, NONE, buffer, size, length),
            &move |buffer, size, length| barewire_get_string(one, other, buffer, size, length),
            &move |buffer, size, length| barewire_string_decode(one, buffer, size, length),
        ]
    };
    for write in writers {
        fills(write, size);
    }
    for rules in [BAREWIRE_RULES_STRICT, BAREWIRE_RULES_LENIENT] {
        classifies(a, rules);
        // SAFETY: the frame is good, and so is the buffer.
        let write = move |buffer, size, length| unsafe {
            barewire_write_rejection(one.data.cast(), one.length, rules, buffer, size, length)
        };
        fills(&write, size);
    }
    overlaps(a, b);
}

/// A function that fills a buffer says what it needs; that is enough, and a byte less is not.
fn fills(write: &dyn Fn(*mut c_void, usize, *mut usize) -> Status, size: usize) {
    let call = |size: usize| {
        let mut memory = vec![0xA5_u8; size].into_boxed_slice();
        let mut length = usize::MAX;
        let status = write(memory.as_mut_ptr().cast(), size, &raw mut length);
        (status, length, memory)
    };
    let (status, length, memory) = call(size);
    match status {
        BAREWIRE_OK => {
            assert!(length <= size);
            assert!(memory[length..].iter().all(|byte| *byte == 0xA5));
            if length > 0 {
                let (status, needed, _) = call(length - 1);
                assert_eq!((status, needed), (BAREWIRE_ERROR_TOO_SMALL, length));
            }
        }
        BAREWIRE_ERROR_TOO_SMALL => {
            assert!(length > size);
            let (status, written, _) = call(length);
            assert_eq!((status, written), (BAREWIRE_OK, length));
            let mut needed = 0;
            let status = write(ptr::null_mut(), 0, &raw mut needed);
            assert_eq!((status, needed), (BAREWIRE_ERROR_TOO_SMALL, length));
        }
        BAREWIRE_NONE => assert!(matches!(length, 0 | usize::MAX)),
        _ => {
            assert!((BAREWIRE_ERROR_SURROGATE..=BAREWIRE_ERROR_NULL).contains(&status), "{status}");
            assert_eq!(length, usize::MAX);
        }
    }
}

/// The functions that have no buffer.
fn reads(one: Text, other: Text, whole: &[u8]) {
    let (mut kind, mut integer, mut flag, mut value) = (-1, 0, false, NONE);
    // SAFETY: the texts and the places are good.
    let statuses = unsafe {
        [
            barewire_json_kind(one, &raw mut kind),
            barewire_get(one, other, &raw mut value),
            barewire_get_integer(one, other, &raw mut integer),
            barewire_get_fixed(one, other, 3, &raw mut integer),
            barewire_get_boolean(one, other, &raw mut flag),
            barewire_string_equals(one, other),
        ]
    };
    let known = BAREWIRE_ERROR_REPEATED..=BAREWIRE_NONE;
    assert!(statuses.iter().all(|status| known.contains(status)), "{statuses:?}");
    assert!(is_in(value, whole));
    assert_eq!(statuses[0] == BAREWIRE_OK, kind >= 0);
    assert_eq!(statuses[1] == BAREWIRE_OK, value.length > 0);
}

/// What is said of a frame, and all its texts.
pub(super) fn classified(frame: &[u8], rules: u32) -> (Classified, [Text; 7]) {
    let mut seen = core::mem::MaybeUninit::<Classified>::uninit();
    // SAFETY: the frame and the place are good.
    let status = unsafe { barewire_classify(frame.as_ptr().cast(), frame.len(), rules, seen.as_mut_ptr()) };
    assert_eq!(status, BAREWIRE_OK);
    // SAFETY: written, as the status says.
    let seen = unsafe { seen.assume_init() };
    let texts =
        [seen.id, seen.method, seen.target, seen.params, seen.result, seen.error_message, seen.error_data];
    (seen, texts)
}

/// All that a message shows stands in its frame.
fn classifies(frame: &[u8], rules: u32) {
    let (seen, texts) = classified(frame, rules);
    for part in texts {
        assert!(is_in(part, frame));
        let mut kind = -1;
        // SAFETY: the text stands in the frame.
        let status = unsafe { barewire_json_kind(part, &raw mut kind) };
        assert!(part.length == 0 || status == BAREWIRE_OK);
    }
    assert_eq!(seen.kind == BAREWIRE_INVALID, seen.reason != BAREWIRE_REASON_NONE);
    assert!(seen.offset == usize::MAX || seen.offset <= frame.len());
}

/// A buffer that shares a byte with what is read is refused, and nothing is written.
fn overlaps(a: &[u8], b: &[u8]) {
    let mut shared = owned(a);
    let before = shared.clone();
    let mut length = 0;
    let place = shared.as_mut_ptr();
    let one = Text { data: place.cast_const().cast(), length: shared.len() };
    // SAFETY: the texts are good; that the buffer is one of them is what is refused.
    let status =
        unsafe { barewire_write_notification(text(b), one, place.cast(), shared.len(), &raw mut length) };
    assert_ne_ok(status, one.length);
    assert_eq!(shared, before);
}

/// Where nothing is shared, since there is nothing, it may well be written.
fn assert_ne_ok(status: Status, length: usize) {
    assert!(status < 0 || length == 0, "{status}");
}

/// The stream in pieces; both may have a size of 1.
fn a_framer(data: &[u8]) {
    let [size, cut, stream @ ..] = data else {
        return;
    };
    let (size, cut) = (usize::from(*size).max(1), usize::from(*cut % 16).max(1));
    let mut memory = vec![0u8; size].into_boxed_slice();
    let mut framer = Box::new(core::mem::MaybeUninit::<LineFramer>::zeroed());
    let framer = framer.as_mut_ptr();
    // SAFETY: the framer and its memory are good, and stay where they are.
    unsafe {
        let (mut kind, mut line, mut taken) = (0, NONE, 0);
        assert_eq!(
            barewire_framer_next(framer, &raw mut kind, &raw mut line),
            BAREWIRE_ERROR_NOT_INITIALIZED
        );
        let place = memory.as_mut_ptr().cast();
        assert_eq!(barewire_framer_init(framer, place, size), BAREWIRE_OK);
        let whole = core::slice::from_raw_parts(place.cast_const().cast::<u8>(), size);
        for piece in stream.chunks(cut) {
            let piece = owned(piece);
            let mut rest = &piece[..];
            while !rest.is_empty() {
                let status = barewire_framer_push(framer, rest.as_ptr().cast(), rest.len(), &raw mut taken);
                assert_eq!(status, BAREWIRE_OK);
                assert!(taken <= rest.len());
                rest = &rest[taken..];
                while barewire_framer_next(framer, &raw mut kind, &raw mut line) == BAREWIRE_OK
                    && kind != BAREWIRE_LINE_NEED_MORE
                {
                    assert!(is_in(line, whole) && read(line).iter().all(|byte| *byte != b'\n'));
                }
            }
            match piece[0] {
                0xFF => assert_eq!(barewire_framer_lost(framer), BAREWIRE_OK),
                0xFE => assert_eq!(barewire_framer_reset(framer), BAREWIRE_OK),
                _ => {}
            }
        }
        assert_eq!(barewire_framer_finish(framer, &raw mut kind, &raw mut line), BAREWIRE_OK);
        assert!(is_in(line, whole));
        let _ = read(line);
    }
}

/// All bytes of a text, each of them read.
///
/// # Safety
/// It is good.
unsafe fn read(text: Text) -> Vec<u8> {
    match text.length {
        0 => Vec::new(),
        // SAFETY: by the caller's promise.
        length => unsafe { core::slice::from_raw_parts(text.data.cast::<u8>(), length) }.to_vec(),
    }
}

/// What can be checked is checked before anything is read or written.
fn bad_pointers(data: &[u8]) {
    let text_of = owned(data);
    let good = text(&text_of);
    let missing = Text { data: ptr::null(), length: data.len().max(1) };
    let endless = Text { data: good.data, length: usize::MAX - data.len() };
    let mut words = [0_u64; 4];
    let crooked = words.as_mut_ptr().wrapping_byte_add(1);
    let mut length = 0;
    // SAFETY: what is not good is refused by its address or length.
    unsafe {
        for (bad, expected) in [(missing, BAREWIRE_ERROR_NULL), (endless, BAREWIRE_ERROR_LENGTH)] {
            let mut kind = 0;
            assert_eq!(barewire_json_kind(bad, &raw mut kind), expected);
            let mut message = core::mem::MaybeUninit::<Classified>::uninit();
            let status = barewire_classify(bad.data.cast(), bad.length, 0, message.as_mut_ptr());
            assert_eq!(status, expected);
        }
        assert_eq!(barewire_json_kind(good, ptr::null_mut()), BAREWIRE_ERROR_NULL);
        assert_eq!(barewire_json_kind(good, crooked.cast()), BAREWIRE_ERROR_ALIGNMENT);
        let status = barewire_classify(good.data.cast(), good.length, 0, crooked.cast());
        assert_eq!(status, BAREWIRE_ERROR_ALIGNMENT);
        let mut buffer = [0_u8; 64];
        let place: *mut c_void = buffer.as_mut_ptr().cast();
        let status = barewire_write_notification(good, NONE, place, 64, crooked.cast());
        assert!(matches!(status, BAREWIRE_ERROR_ALIGNMENT | BAREWIRE_ERROR_UTF8), "{status}");
        let status = barewire_write_notification(good, NONE, ptr::null_mut(), 64, &raw mut length);
        assert!(matches!(status, BAREWIRE_ERROR_NULL | BAREWIRE_ERROR_UTF8), "{status}");
        let framer: *mut LineFramer = crooked.cast();
        assert_eq!(barewire_framer_init(framer, place, 64), BAREWIRE_ERROR_ALIGNMENT);
        assert_eq!(barewire_framer_reset(ptr::null_mut()), BAREWIRE_ERROR_NULL);
        server::bad_memory(crooked.cast());
    }
}
