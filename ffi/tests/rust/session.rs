//! A session through the functions, with tools in Rust: small enough for Miri.

use core::ffi::c_void;
use core::ptr;
use std::vec::Vec;
use std::{assert, assert_eq, vec};

use crate::status::{BAREWIRE_DEFERRED, BAREWIRE_MORE, BAREWIRE_NONE, BAREWIRE_OK, Status};
use crate::{
    BAREWIRE_SERVER_TOOLS_CHANGE, Call, Config, Reply, Server, Text, ToolEntry, barewire_get_integer,
    barewire_reply_defer, barewire_reply_fixed, barewire_reply_progress, barewire_reply_text,
    barewire_server_answer, barewire_server_end_of_input, barewire_server_init, barewire_server_output,
    barewire_server_receive, barewire_server_received, barewire_server_reset, barewire_server_sent,
    barewire_server_set_tools, barewire_server_size, barewire_server_space, barewire_server_tools_changed,
};

const SCHEMA: &str = r#"{"type":"object"}"#;

fn text(text: &str) -> Text {
    Text::of(text.as_bytes())
}

unsafe extern "C" fn double(_: *mut c_void, call: *const Call, reply: *mut Reply) -> Status {
    let mut value = 0;
    // SAFETY: called by the library, with a call and a reply that are good.
    unsafe {
        barewire_reply_progress(reply, 1, 0, text("at work"));
        match barewire_get_integer((*call).arguments, text("n"), &raw mut value) {
            BAREWIRE_OK => barewire_reply_fixed(reply, value * 2, 0),
            status => status,
        }
    }
}

unsafe extern "C" fn later(user: *mut c_void, _: *const Call, reply: *mut Reply) -> Status {
    // SAFETY: called by the library with a reply that is good; `user` is the token's place.
    match unsafe { barewire_reply_defer(reply, user.cast()) } {
        BAREWIRE_OK => BAREWIRE_DEFERRED,
        status => status,
    }
}

unsafe extern "C" fn answer(_: *mut c_void, reply: *mut Reply) -> Status {
    // SAFETY: called by the library with a reply that is good.
    unsafe { barewire_reply_text(reply, text("late")) }
}

/// What a server's memory is made of. A `u64` is not aligned to 8 on every 32-bit host.
#[derive(Clone, Copy)]
#[repr(align(8))]
pub(super) struct Unit(#[allow(dead_code, reason = "only its place is used")] [u8; 8]);

/// Memory for a server with so many tools.
pub(super) fn server_memory(tools: usize) -> Vec<Unit> {
    vec![Unit([0; 8]); barewire_server_size(tools).div_ceil(8)]
}

/// All that a server needs, each part with memory of its own, so that every access outside is seen.
struct Setup {
    memory: Vec<Unit>,
    input: Vec<u8>,
    output: Vec<u8>,
    tools: Vec<ToolEntry>,
    token: u32,
}

impl Setup {
    fn new(input: usize, output: usize) -> Self {
        Self {
            memory: server_memory(2),
            input: vec![0xFF; input],
            output: vec![0xFF; output],
            tools: Vec::new(),
            token: 0,
        }
    }

    fn start(&mut self) -> *mut Server {
        let token = &raw mut self.token;
        let entry = |name, function| ToolEntry {
            name: text(name),
            title: Text::NONE,
            description: text("A tool."),
            input_schema: text(SCHEMA),
            output_schema: Text::NONE,
            hints: 1,
            function: Some(function),
            user: token.cast(),
        };
        self.tools = vec![entry("double", double as crate::ToolFunction), entry("later", later)];
        let config = Config {
            name: text("test"),
            version: text("1"),
            title: Text::NONE,
            instructions: Text::NONE,
            tools: self.tools.as_ptr(),
            tool_count: self.tools.len(),
            input: self.input.as_mut_ptr().cast(),
            input_size: self.input.len(),
            output: self.output.as_mut_ptr().cast(),
            output_size: self.output.len(),
            flags: BAREWIRE_SERVER_TOOLS_CHANGE,
            event: None,
            user: ptr::null_mut(),
        };
        let mut server = ptr::null_mut();
        // SAFETY: everything is good, and outlives the server.
        let status = unsafe {
            barewire_server_init(
                self.memory.as_mut_ptr().cast(),
                self.memory.len() * 8,
                &raw const config,
                &raw mut server,
            )
        };
        assert_eq!(status, BAREWIRE_OK);
        server
    }
}

/// All output, taken a few bytes at a time.
fn drain(server: *mut Server) -> Vec<u8> {
    let mut sent = Vec::new();
    let mut out = Text::NONE;
    // SAFETY: the server is good, and so is the output until the next call.
    unsafe {
        while barewire_server_output(server, &raw mut out) == BAREWIRE_OK {
            let count = out.length.min(50);
            sent.extend_from_slice(core::slice::from_raw_parts(out.data.cast(), count));
            assert_eq!(barewire_server_sent(server, count), BAREWIRE_OK);
        }
    }
    sent
}

fn talk(server: *mut Server, mut bytes: &[u8]) -> Vec<u8> {
    let mut sent = Vec::new();
    while !bytes.is_empty() {
        let mut taken = 0;
        // SAFETY: the server and the bytes are good.
        let status =
            unsafe { barewire_server_receive(server, bytes.as_ptr().cast(), bytes.len(), &raw mut taken) };
        assert!(matches!(status, BAREWIRE_OK | BAREWIRE_MORE));
        bytes = &bytes[taken..];
        sent.extend(drain(server));
    }
    sent
}

#[test]
fn a_session() {
    let mut setup = Setup::new(192, 256);
    let server = setup.start();
    let call = |name: &str| {
        std::format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{{"n":21}},"_meta":{{"progressToken":5}}}}}}
"#
        )
    };
    let answers = talk(server, call("double").as_bytes());
    assert_eq!(
        core::str::from_utf8(&answers),
        Ok(concat!(
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1,"message":"at work"}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"42"}],"isError":false}}"#,
            "\n"
        ))
    );
    assert_eq!(talk(server, call("later").as_bytes()), b"");
    // SAFETY: everything is good.
    unsafe {
        assert_eq!(barewire_server_answer(server, setup.token, Some(answer), ptr::null_mut()), BAREWIRE_OK);
        assert!(drain(server).ends_with(b"\"text\":\"late\"}],\"isError\":false}}\n"));
        // The store of the tools is written again.
        assert_eq!(barewire_server_set_tools(server, setup.tools.as_ptr().add(1), 1), BAREWIRE_OK);
        assert_eq!(barewire_server_tools_changed(server), BAREWIRE_OK);
        let (mut place, mut size) = (ptr::null_mut::<c_void>(), 0);
        assert_eq!(barewire_server_space(server, &raw mut place, &raw mut size), BAREWIRE_OK);
        place.cast::<u8>().write(b'x');
        assert_eq!(barewire_server_received(server, 1), BAREWIRE_OK);
        assert_eq!(barewire_server_end_of_input(server), BAREWIRE_OK);
        assert!(drain(server).ends_with(b"\"Parse error\"}}\n"));
        let list = talk(server, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
        assert!(!list.windows(6).any(|part| part == b"double"));
        assert_eq!(barewire_server_reset(server), BAREWIRE_OK);
        let mut out = Text::NONE;
        assert_eq!(barewire_server_output(server, &raw mut out), BAREWIRE_NONE);
    }
}

#[test]
fn servers_of_any_size_of_buffer() {
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    for input in [1, 2, 3, 41, 42, 43] {
        let mut setup = Setup::new(input, 96);
        let server = setup.start();
        for _ in 0..2 {
            let answer = talk(server, line);
            let expected: &[u8] = if input < line.len() {
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32700,\"message\":\"Message too long\"}}\n"
            } else {
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
            };
            assert_eq!(answer, expected, "{input}");
        }
    }
}
