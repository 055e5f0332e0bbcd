//! Tools that do what the choice behind `user` says, rules broken among it.

use core::ffi::c_void;
use std::{assert, assert_eq};

use super::super::ffi::status::*;
use super::super::ffi::*;
use super::{NONE, read, text};

/// What tools and events know of the session.
pub(super) struct World {
    pub(super) server: *mut Server,
    /// What tools do next, the last one first.
    pub(super) script: std::vec::Vec<u8>,
    /// The tokens of the calls that wait.
    pub(super) waiting: std::vec::Vec<Token>,
    pub(super) events: usize,
}

pub(super) unsafe extern "C" fn event(user: *mut c_void, event: *const HostEvent) {
    // SAFETY: the library gives back the pointer that it got, and an event that is good.
    let (world, event) = unsafe { (&mut *user.cast::<World>(), &*event) };
    world.events += 1;
    assert!((BAREWIRE_EVENT_INITIALIZED..=BAREWIRE_EVENT_RESPONSE).contains(&event.kind));
    // SAFETY: good until the function returns.
    let _ = unsafe { read(event.text) };
    if event.kind == BAREWIRE_EVENT_CANCELLED {
        world.waiting.retain(|token| *token != event.token);
    }
}

pub(super) unsafe extern "C" fn tool(user: *mut c_void, call: *const Call, reply: *mut Reply) -> Status {
    // SAFETY: the library gives back the pointer that it got, and a call that is good.
    let (world, call) = unsafe { (&mut *user.cast::<World>(), &*call) };
    // SAFETY: good until the function returns.
    let texts = unsafe { [call.name, call.arguments, call.params, call.version].map(|text| read(text)) };
    assert!(texts[1].starts_with(b"{") && texts[2].starts_with(b"{"), "{texts:?}");
    let mut out = NONE;
    // SAFETY: the server is good, and at work.
    let status = unsafe { barewire_server_output(world.server, &raw mut out) };
    assert_eq!(status, BAREWIRE_ERROR_IN_USE);
    // SAFETY: the reply is good.
    unsafe { fill(world, reply, call.arguments) }
}

pub(super) unsafe extern "C" fn answer(user: *mut c_void, reply: *mut Reply) -> Status {
    // SAFETY: the library gives back the pointer that it got.
    let world = unsafe { &mut *user.cast::<World>() };
    // SAFETY: the reply is good.
    unsafe { fill(world, reply, NONE) }
}

/// # Safety
/// The reply is one that the library has given, and so is the text.
unsafe fn fill(world: &mut World, reply: *mut Reply, arguments: Text) -> Status {
    // At most four things are done with one reply.
    for _ in 0..4 {
        let choice = world.script.pop().unwrap_or_default();
        // SAFETY: the reply, the texts and the place for the token are good.
        let status = unsafe {
            match choice % 16 {
                0 => return BAREWIRE_OK,
                1 => return 4 - Status::from(choice),
                2 => return BAREWIRE_DEFERRED,
                3 => barewire_reply_text(reply, text(b"a \"text\"\n")),
                4 => barewire_reply_text(reply, arguments),
                5 => barewire_reply_text(reply, text(b"\xFF")),
                6 => barewire_reply_fixed(reply, i64::from(choice) * -1234, choice),
                7 => barewire_reply_json(reply, arguments),
                8 => barewire_reply_json(reply, text(b"{ \"a\" : [1]}")),
                9 => barewire_reply_fail(reply, text("\u{e9}\u{1F600}".as_bytes())),
                10 => barewire_reply_refuse(reply, 7, text(b"no"), text(b"{\"why\":1}")),
                11 => barewire_reply_refuse(reply, i64::MIN, text(b""), text(b"[")),
                12 => barewire_reply_progress(reply, choice.into(), 200, text(b"half")),
                13 => barewire_reply_text(core::ptr::null_mut(), arguments),
                14 => barewire_reply_text(reply, text(&[b'x'; 90])),
                _ => {
                    let mut token = 0;
                    let status = barewire_reply_defer(reply, &raw mut token);
                    if status == BAREWIRE_OK {
                        world.waiting.push(token);
                        return BAREWIRE_DEFERRED;
                    }
                    status
                }
            }
        };
        let is_known = (BAREWIRE_ERROR_FLAGS..=BAREWIRE_NONE).contains(&status);
        assert!(is_known, "{status} for {choice}");
    }
    BAREWIRE_OK
}
