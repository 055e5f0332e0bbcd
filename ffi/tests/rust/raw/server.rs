//! A server whose client, tools and application do anything.

use core::ffi::c_void;
use core::ptr;
use std::boxed::Box;
use std::vec::Vec;
use std::{assert, assert_eq, matches, vec};

use super::super::ffi::status::*;
use super::super::ffi::*;
use super::tools::{World, answer, event, tool};
use super::{NONE, is_in, owned, read, text};

/// A `u64` is not aligned to 8 on every 32-bit host.
#[derive(Clone, Copy)]
#[repr(align(8))]
struct Unit(#[allow(dead_code, reason = "only its place is used")] [u8; 8]);

const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

fn entry(name: &'static [u8], schema: &'static [u8], user: *mut World) -> ToolEntry {
    ToolEntry {
        name: text(name),
        title: NONE,
        description: text(b"A tool."),
        input_schema: text(schema),
        output_schema: NONE,
        hints: 3,
        function: Some(tool as ToolFunction),
        user: user.cast(),
    }
}

/// The first bytes are the flags and the sizes of the buffers; a byte above 0x7F is something that the application does,
/// what stands between such bytes is received.
pub(super) fn a_session(data: &[u8]) {
    let [flags, input, output, rest @ ..] = data else {
        return;
    };
    let mut world =
        Box::new(World { server: ptr::null_mut(), script: Vec::new(), waiting: Vec::new(), events: 0 });
    let user: *mut World = &raw mut *world;
    let tools = [entry(b"free", b"{\"type\":\"object\"}", user), entry(b"bare", b"", user)];
    let mut memory = vec![Unit([0; 8]); barewire_server_size(2).div_ceil(8)].into_boxed_slice();
    let mut lines = vec![0xA5_u8; 1 + usize::from(*input)].into_boxed_slice();
    let mut answers = vec![0xA5_u8; BAREWIRE_MIN_OUTPUT + 2 * usize::from(*output)].into_boxed_slice();
    let config = Config {
        name: text(b"raw"),
        version: text(b"1"),
        title: NONE,
        instructions: NONE,
        tools: tools.as_ptr(),
        tool_count: tools.len(),
        input: lines.as_mut_ptr().cast(),
        input_size: lines.len(),
        output: answers.as_mut_ptr().cast(),
        output_size: answers.len(),
        flags: u32::from(*flags) % 64,
        event: Some(event as EventFunction),
        user: user.cast(),
    };
    let mut server = ptr::null_mut();
    // SAFETY: everything is good, and outlives the server.
    let status = unsafe {
        let size = memory.len() * 8;
        barewire_server_init(memory.as_mut_ptr().cast(), size, &raw const config, &raw mut server)
    };
    assert_eq!(status, BAREWIRE_OK);
    // SAFETY: nobody else uses the world now.
    unsafe { (*user).server = server };
    let mut session = Session {
        server,
        world: user,
        tools: &tools,
        output: (answers.as_ptr(), answers.len()),
        written: Vec::new(),
    };
    session.go(rest);
    let input_size = config.input_size;
    session.works_at_the_end(input_size);
}

struct Session<'t> {
    server: *mut Server,
    world: *mut World,
    tools: &'t [ToolEntry],
    /// Where output stands.
    output: (*const u8, usize),
    /// What was sent of a line that has not ended.
    written: Vec<u8>,
}

impl Session<'_> {
    fn go(&mut self, mut rest: &[u8]) {
        while let Some((byte, behind)) = rest.split_first() {
            if *byte >= 0x80 {
                let argument = behind.first().copied().unwrap_or_default();
                self.act(byte & 0x1F, argument);
                rest = behind.get(1..).unwrap_or_default();
                continue;
            }
            let end = rest.iter().position(|byte| *byte >= 0x80).unwrap_or(rest.len());
            let (piece, behind) = rest.split_at(end);
            self.receive(&owned(piece));
            rest = behind;
        }
    }

    fn receive(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let mut taken = usize::MAX;
            // SAFETY: the server, the bytes and the place are good.
            let status = unsafe {
                barewire_server_receive(self.server, bytes.as_ptr().cast(), bytes.len(), &raw mut taken)
            };
            assert!(matches!(status, BAREWIRE_OK | BAREWIRE_MORE), "{status}");
            if status == BAREWIRE_OK {
                bytes = &bytes[taken..];
            }
            self.drain(usize::MAX);
        }
    }

    /// Sends all output, in pieces of at most so many bytes. Its lines are messages.
    fn drain(&mut self, most: usize) {
        let mut out = NONE;
        // SAFETY: the server and the place are good.
        while unsafe { barewire_server_output(self.server, &raw mut out) } == BAREWIRE_OK {
            // SAFETY: the buffer is as long as it was made.
            let whole = unsafe { core::slice::from_raw_parts(self.output.0, self.output.1) };
            assert!(is_in(out, whole) && out.length > 0);
            // SAFETY: good until the next call.
            let bytes = unsafe { read(out) };
            let count = bytes.len().min(most.max(1));
            self.written.extend_from_slice(&bytes[..count]);
            // SAFETY: the server is good.
            unsafe {
                assert_eq!(barewire_server_sent(self.server, bytes.len() + 1), BAREWIRE_ERROR_RANGE);
                assert_eq!(barewire_server_sent(self.server, count), BAREWIRE_OK);
            }
        }
        assert!(self.written.is_empty() || self.written.ends_with(b"\n"), "half a line");
        for line in self.written.split_inclusive(|byte| *byte == b'\n') {
            let written = core::str::from_utf8(line).expect("UTF-8");
            // An error to a line that had no id may leave it out, which is no message to a strict reader.
            assert!(barewire::rpc::classify_with(line, &barewire::rpc::Rules::LENIENT).is_ok(), "{written}");
        }
        self.written.clear();
    }

    /// Something that the application does.
    fn act(&mut self, action: u8, argument: u8) {
        let token = {
            // SAFETY: no function of the library runs now, which is who else uses the world.
            let world = unsafe { &mut *self.world };
            world.script.push(argument);
            world.script.truncate(64);
            world.waiting.get(usize::from(argument % 4)).copied()
        };
        let token = token.unwrap_or(u32::from(argument));
        let mut status = BAREWIRE_OK;
        // SAFETY: the server, the texts, the table and the world are good.
        unsafe {
            match action {
                0..=7 => {}
                8..=11 => {
                    let was_in_flight = barewire_server_is_in_flight(self.server, token) == BAREWIRE_OK;
                    status = barewire_server_answer(
                        self.server,
                        token,
                        Some(answer as AnswerFunction),
                        self.world.cast(),
                    );
                    if status != BAREWIRE_MORE {
                        assert_eq!(was_in_flight, status != BAREWIRE_ERROR_NOT_IN_FLIGHT);
                    }
                    if status == BAREWIRE_OK
                        && barewire_server_is_in_flight(self.server, token) != BAREWIRE_OK
                    {
                        (*self.world).waiting.retain(|waiting| *waiting != token);
                    }
                }
                12 | 13 => {
                    status =
                        barewire_server_progress(self.server, token, argument.into(), 0, text(b"at work"));
                }
                14 => status = barewire_server_lost(self.server),
                15 => status = barewire_server_end_of_input(self.server),
                16 => {
                    status = barewire_server_reset(self.server);
                    self.written.clear();
                    assert!((*self.world).waiting.is_empty());
                }
                17 => {
                    let count = usize::from(argument % 4);
                    let count = count.min(self.tools.len());
                    status = barewire_server_set_tools(self.server, self.tools.as_ptr(), count);
                }
                18 => status = barewire_server_tools_changed(self.server),
                19 => status = barewire_server_end_streams(self.server),
                20 => {
                    let (mut place, mut size) = (ptr::null_mut::<c_void>(), usize::MAX);
                    status = barewire_server_space(self.server, &raw mut place, &raw mut size);
                    if status == BAREWIRE_OK && size > 0 {
                        ptr::write_bytes(place.cast::<u8>(), argument, size);
                        assert_eq!(barewire_server_received(self.server, size + 1), BAREWIRE_ERROR_RANGE);
                        assert_eq!(
                            barewire_server_received(self.server, usize::from(argument) % (size + 1)),
                            BAREWIRE_OK
                        );
                    }
                }
                21 => status = barewire_server_answer(self.server, token, None, ptr::null_mut()),
                22 => status = barewire_server_set_tools(self.server, ptr::null(), 2),
                _ => return self.drain(usize::from(argument)),
            }
        }
        assert!((BAREWIRE_ERROR_FLAGS..=BAREWIRE_MORE).contains(&status), "{status} of {action}");
        if status == BAREWIRE_MORE {
            self.drain(usize::from(argument));
        }
    }

    /// Afterwards an honest client is served, if its line has room.
    fn works_at_the_end(&mut self, input_size: usize) {
        self.drain(7);
        // SAFETY: the server is good.
        assert_eq!(unsafe { barewire_server_reset(self.server) }, BAREWIRE_OK);
        let mut taken = 0;
        let mut rest = PING;
        let mut out = NONE;
        let mut answered = Vec::new();
        while !rest.is_empty() {
            // SAFETY: the server, the bytes and the places are good.
            unsafe {
                barewire_server_receive(self.server, rest.as_ptr().cast(), rest.len(), &raw mut taken);
                while barewire_server_output(self.server, &raw mut out) == BAREWIRE_OK {
                    answered.extend(read(out));
                    barewire_server_sent(self.server, out.length);
                }
            }
            rest = &rest[taken..];
        }
        if input_size >= PING.len() {
            assert_eq!(answered, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
        }
    }
}

/// # Safety
/// `crooked` is not aligned.
pub(super) unsafe fn bad_memory(crooked: *mut c_void) {
    let mut server = ptr::null_mut();
    let mut out = NONE;
    let mut zeroes = [Unit([0; 8]); 300];
    let place: *mut c_void = zeroes.as_mut_ptr().cast();
    // SAFETY: what is not good is refused by its address, or by what is not there.
    unsafe {
        let status = barewire_server_init(place, 2400, ptr::null(), &raw mut server);
        assert_eq!(status, BAREWIRE_ERROR_NULL);
        assert_eq!(barewire_server_output(ptr::null_mut(), &raw mut out), BAREWIRE_ERROR_NULL);
        assert_eq!(barewire_server_output(crooked.cast(), &raw mut out), BAREWIRE_ERROR_ALIGNMENT);
        assert_eq!(barewire_server_output(place.cast(), &raw mut out), BAREWIRE_ERROR_NOT_INITIALIZED);
        assert_eq!(barewire_server_output(place.cast(), ptr::null_mut()), BAREWIRE_ERROR_NULL);
    }
}
