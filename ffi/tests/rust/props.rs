//! Random bytes through every function that takes bytes: the statuses are those of the header, what comes out stands in what
//! went in, and agrees with the crate.

use core::ffi::c_void;
use core::ptr;
use std::vec::Vec;
use std::{assert, assert_eq, vec};

use barewire::bytes::{Framer, Next};
use barewire::json::RawValue;
use barewire::rpc::{self, Message};
use proptest::prelude::*;

use crate::message::rules_of;
use crate::status::*;
use crate::tests::raw::{calls, classified, is_in};
use crate::tests::session::server_memory;
use crate::*;

/// Bytes that are often nearly a message.
fn frame() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::sample::select(vec![
        &b"{"[..],
        b"}",
        b"[",
        b"]",
        b",",
        b"\"jsonrpc\":\"2.0\"",
        b"\"jsonrpc\":\"1.0\"",
        b"\"id\":7",
        b"\"id\":\"a\\u0062\"",
        b"\"id\":null",
        b"\"method\":\"tools/call\"",
        b"\"method\":\"a\\ud800\"",
        b"\"params\":{\"name\":\"x\",\"a\":1.50,\"s\":\"\\n\"}",
        b"\"params\":[]",
        b"\"result\":{}",
        b"\"error\":{\"code\":1,\"message\":\"m\",\"data\":2}",
        b" ",
        b"\xff",
        b"\n",
    ]);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..64),
        prop::collection::vec(pieces.clone(), 0..10).prop_map(|pieces| pieces.concat()),
        prop::collection::vec(pieces, 1..5).prop_map(|pieces| {
            let inner: Vec<u8> = pieces.join(&b","[..]);
            [b"{\"jsonrpc\":\"2.0\",", &inner[..], b"}"].concat()
        }),
    ]
}

fn contents(text: Text) -> Vec<u8> {
    // SAFETY: the texts of these tests are good.
    unsafe { text.bytes() }.unwrap().to_vec()
}

/// What `barewire_classify` and `barewire_write_rejection` say is what the crate says, and stands in the frame.
fn check_classify(frame: &[u8], rules: u32) {
    let (seen, texts) = classified(frame, rules);
    for text in texts {
        assert!(is_in(text, frame));
        assert!(text.length == 0 || RawValue::new(&contents(text)).is_ok());
    }
    let mut memory = [0; 256];
    let mut length = 0;
    // SAFETY: the frame and the buffer are good.
    let status = unsafe {
        barewire_write_rejection(
            frame.as_ptr().cast(),
            frame.len(),
            rules,
            memory.as_mut_ptr().cast(),
            memory.len(),
            &raw mut length,
        )
    };
    match rpc::classify_with(frame, &rules_of(rules).unwrap()) {
        Ok(message) => {
            let kind = match message {
                Message::Request(_) => BAREWIRE_REQUEST,
                Message::Notification(_) => BAREWIRE_NOTIFICATION,
                Message::Response(response) if response.outcome().is_ok() => BAREWIRE_RESULT,
                Message::Response(_) => BAREWIRE_ERROR,
            };
            assert_eq!((seen.kind, status), (kind, BAREWIRE_NONE));
            let [id, method, target] = [seen.id, seen.method, seen.target].map(contents);
            let string = |text| RawValue::new(text).ok().and_then(RawValue::as_string);
            assert_eq!(rpc::RequestId::parse(&id), message.id());
            assert_eq!(string(&method), message.method());
            assert_eq!(string(&target), message.target());
        }
        Err(rejection) => {
            assert_eq!((seen.kind, seen.code), (BAREWIRE_INVALID, rejection.code().0));
            let mut expected = [0; 256];
            match rpc::rejection_response(&mut expected, &rejection).unwrap() {
                Some(expected) => {
                    assert_eq!(status, BAREWIRE_OK);
                    assert_eq!(&memory[..length], expected);
                }
                None => assert_eq!(status, BAREWIRE_NONE),
            }
        }
    }
}

/// The inputs of the fuzz target `classify`.
#[cfg(not(miri))]
#[test]
fn the_corpus_is_classified_as_by_the_crate() {
    let mut frames = 0;
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/classify")).unwrap() {
        let frame = std::fs::read(file.unwrap().path()).unwrap();
        // Longer ids than the test's buffer are not its subject.
        if frame.len() < 200 {
            frames += 1;
            check_classify(&frame, BAREWIRE_RULES_STRICT);
            check_classify(&frame, BAREWIRE_RULES_LENIENT);
        }
    }
    assert!(frames > 50, "{frames}");
}

/// The inputs of the fuzz target `ffi`.
#[cfg(not(miri))]
#[test]
fn the_corpus_of_calls_holds() {
    let fuzz = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz"));
    let mut inputs = 0;
    for directory in ["corpus/ffi", "regressions/ffi"] {
        let Ok(files) = std::fs::read_dir(fuzz.join(directory)) else {
            continue;
        };
        for file in files {
            let file = file.unwrap().path();
            std::println!("{}", file.display());
            calls(&std::fs::read(file).unwrap());
            inputs += 1;
        }
    }
    assert!(inputs > 10, "{inputs}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 8 } else { 512 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn calls_with_any_bytes(kind in 0u8..4, head in any::<[u8; 3]>(), bytes in prop::collection::vec(frame(), 0..4)) {
        calls(&[&[kind][..], &head, &bytes.concat()].concat());
    }

    #[test]
    fn classify_agrees_with_the_crate(frame in frame(), rules in 0u32..8) {
        check_classify(&frame, rules);
    }

    /// Whatever two texts are, each function does it, or says why not; memory behind the size is not touched.
    #[test]
    fn readers_and_writers_take_anything(a in frame(), b in frame(), size in 0usize..80) {
        let (a, b) = (Text::of(&a), Text::of(&b));
        let mut memory = vec![0xA5u8; size];
        let (mut length, mut kind, mut integer, mut flag, mut text) = (0, 0, 0, false, Text::NONE);
        let data: *mut c_void = memory.as_mut_ptr().cast();
        // SAFETY: all texts and places are good; no buffer overlaps a text.
        let statuses = unsafe {
            [
                barewire_write_request(a, b, a, data, size, &raw mut length),
                barewire_write_notification(a, b, data, size, &raw mut length),
                barewire_write_result(a, b, data, size, &raw mut length),
                barewire_write_error(a, 1, b, a, data, size, &raw mut length),
                barewire_json_kind(a, &raw mut kind),
                barewire_get(a, b, &raw mut text),
                barewire_get_integer(a, b, &raw mut integer),
                barewire_get_fixed(a, b, 2, &raw mut integer),
                barewire_get_boolean(a, b, &raw mut flag),
                barewire_get_string(a, b, data, size, &raw mut length),
                barewire_string_decode(a, data, size, &raw mut length),
                barewire_string_equals(a, b),
            ]
        };
        prop_assert!(statuses.iter().all(|status| (BAREWIRE_ERROR_SURROGATE..=BAREWIRE_NONE).contains(status)));
    }

    #[test]
    fn the_framer_is_that_of_the_crate(input in prop::collection::vec(frame(), 0..5), size in 1usize..40, cut in 1usize..9) {
        let (mut memory, mut own) = (vec![0u8; size], vec![0u8; size]);
        let mut framer = core::mem::MaybeUninit::<LineFramer>::zeroed();
        let framer = framer.as_mut_ptr();
        let mut expected = Framer::new(&mut own[..]);
        // SAFETY: all places are good.
        unsafe {
            prop_assert_eq!(barewire_framer_init(framer, memory.as_mut_ptr().cast(), size), BAREWIRE_OK);
            for mut bytes in input.concat().chunks(cut) {
                while !bytes.is_empty() {
                    let mut taken = 0;
                    prop_assert_eq!(
                        barewire_framer_push(framer, bytes.as_ptr().cast(), bytes.len(), &raw mut taken),
                        BAREWIRE_OK
                    );
                    prop_assert_eq!(expected.push(bytes), taken);
                    bytes = &bytes[taken..];
                    loop {
                        let (mut kind, mut line) = (0, Text::NONE);
                        prop_assert_eq!(barewire_framer_next(framer, &raw mut kind, &raw mut line), BAREWIRE_OK);
                        let (wanted, text): (i32, &[u8]) = match expected.next() {
                            Next::Line(text) => (BAREWIRE_LINE_WHOLE, text),
                            Next::Part(text) => (BAREWIRE_LINE_PART, text),
                            Next::TooLong => (BAREWIRE_LINE_TOO_LONG, b""),
                            Next::Lost => (BAREWIRE_LINE_LOST, b""),
                            Next::NeedMore => (BAREWIRE_LINE_NEED_MORE, b""),
                        };
                        prop_assert_eq!(kind, wanted);
                        prop_assert_eq!(contents(line), text);
                        if kind == BAREWIRE_LINE_NEED_MORE {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// A server is fed anything: every output is whole lines, each a message; afterwards it works.
    #[test]
    fn a_server_survives_anything(input in prop::collection::vec(frame(), 0..6), size in 1usize..200) {
        let mut memory = server_memory(0);
        let (mut lines, mut answers) = (vec![0u8; size], vec![0u8; 160]);
        let config = Config {
            name: Text::of(b"n"),
            version: Text::of(b"1"),
            title: Text::NONE,
            instructions: Text::NONE,
            tools: ptr::null(),
            tool_count: 0,
            input: lines.as_mut_ptr().cast(),
            input_size: lines.len(),
            output: answers.as_mut_ptr().cast(),
            output_size: answers.len(),
            flags: BAREWIRE_SERVER_RESTART,
            event: None,
            user: ptr::null_mut(),
        };
        let mut server = ptr::null_mut();
        // SAFETY: all places are good, and outlive the server.
        unsafe {
            let status = barewire_server_init(
                memory.as_mut_ptr().cast(), memory.len() * 8, &raw const config, &raw mut server,
            );
            prop_assert_eq!(status, BAREWIRE_OK);
            let all = input.concat();
            let mut rest = &all[..];
            while !rest.is_empty() {
                let mut taken = 0;
                prop_assert!(barewire_server_receive(server, rest.as_ptr().cast(), rest.len(), &raw mut taken) >= 0);
                rest = &rest[taken..];
                let mut out = Text::NONE;
                while barewire_server_output(server, &raw mut out) == BAREWIRE_OK {
                    let out = contents(out);
                    prop_assert_eq!(out.last(), Some(&b'\n'));
                    prop_assert!(rpc::classify(&out).is_ok());
                    prop_assert_eq!(barewire_server_sent(server, out.len()), BAREWIRE_OK);
                }
            }
        }
    }
}
