//! What a server says, against a model that has no engine: what a request is answered with follows from its text, the
//! revision of the session and a few flags.
//!
//! The server is the demo without a clock, so that nothing is put off; what may ask the client is not called.

mod judge;
mod model;
mod prompts;
mod tables;

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::demo::{Demo, NoHost};
use barewire::engine::{Fixed, Full, Lifecycle, MIN_OUTPUT, Options, Server, UnreadableId};
use barewire::rpc::{Reason, Rules};

use crate::support::entropy::Entropy;
use crate::support::hosted::{Hosted, Status};
use crate::support::session::{frame, handshake};
use crate::support::slow::{self, Leniency, Owed, Verdict};
use crate::support::{strings, tree};
use model::{Expected, Model};

/// Nothing is kept in it: no call waits, and there are no subscriptions. So ids have all of its bytes.
type Tested = Hosted<Demo<NoHost>, Fixed<Full, 4, 0, 2, 48>>;

/// Room for every answer of the demo.
const ROOM: usize = 1 << 16;

/// Lines as they stand, or choices that frames are generated from; the first byte has the options.
pub(super) fn answers_say_what_the_model_says(data: &[u8]) {
    let Some((flags, rest)) = data.split_first() else {
        return;
    };
    let mut session = Session::new(*flags);
    if flags & 0x80 > 0 {
        for line in rest.split(|byte| *byte == b'\n').take(24) {
            session.frame(line);
        }
        return;
    }
    let entropy = &mut Entropy::new(rest);
    for text in handshake(entropy) {
        session.frame(fill(&text, 0).as_bytes());
    }
    for serial in 1..16 {
        if entropy.is_used_up() {
            break;
        }
        let frame = frame(entropy);
        match std::str::from_utf8(&frame) {
            Ok(text) => session.frame(fill(text, serial).as_bytes()),
            Err(_) => session.frame(&frame),
        }
    }
}

/// The places of a generated frame: here are no questions, no tasks and no open calls.
fn fill(text: &str, serial: usize) -> String {
    let mut text = text.replace("$N", &serial.to_string());
    for (place, value) in [("$Q", "1"), ("$T", "none"), ("$C", "1")] {
        for at in 0..4 {
            text = text.replace(&format!("{place}{at}"), value);
        }
    }
    text
}

struct Session {
    server: Tested,
    unreadable_id: UnreadableId,
    model: Model,
}

impl Session {
    fn new(flags: u8) -> Self {
        let is_restartable = flags & 1 > 0;
        let is_strict = flags & 2 > 0;
        let null_params = flags & 4 > 0;
        let lifecycle = match is_strict {
            true => Lifecycle::Strict,
            false => Lifecycle::Lenient,
        };
        let unreadable_id = match flags >> 3 & 3 {
            1 => UnreadableId::Omit,
            2 => UnreadableId::Silent,
            _ => UnreadableId::Null,
        };
        let options = Options::default()
            .with_unreadable_id(unreadable_id)
            // Which nothing here depends on.
            .with_task_seed(u64::from(flags))
            .with_task_poll_interval(Duration::MAX)
            .with_restart(is_restartable)
            .with_lifecycle(lifecycle)
            .with_rules(Rules::STRICT.with_null_params(null_params));
        Self {
            server: Hosted::of(Server::with_storage(Fixed::new()).with_options(options), Demo::new(NoHost)),
            unreadable_id,
            model: Model {
                session: None,
                is_strict,
                is_restartable,
                counted: 0,
                leniency: Leniency { null_params, ..Leniency::STRICT },
            },
        }
    }

    fn frame(&mut self, frame: &[u8]) {
        let Some(expected) = self.expected_lines(frame) else {
            return;
        };
        let mut memory = vec![0; ROOM];
        let mut written = String::new();
        loop {
            let mut out = Sink::new(&mut memory);
            let status = self.server.handle_frame(frame, &mut out);
            written += std::str::from_utf8(out.finish().expect("room")).expect("UTF-8");
            if status == Status::Done {
                break;
            }
        }
        let mut lines = written.split_inclusive('\n');
        for expected in expected {
            let line = match expected {
                Expected::Nothing => "",
                _ => lines.next().unwrap_or_default(),
            };
            judge::is(line, &expected, &String::from_utf8_lossy(frame));
        }
        assert_eq!(lines.next(), None, "one line more to {}", frame.escape_ascii());
        assert_eq!(self.server.in_flight(), 0);
        assert_eq!(self.server.session().map(|version| version.as_str()), self.model.session);
    }

    /// What is to be said, and to each element of a batch where there are batches; `None` for what is not for this model.
    fn expected_lines(&mut self, frame: &[u8]) -> Option<Vec<Expected>> {
        let elements = tree::value(frame).and_then(tree::elements).unwrap_or_default();
        let verdict = slow::classify(frame, &[self.model.leniency]).remove(0);
        let is_batch = matches!(verdict, Verdict::Invalid { reason: Reason::Batch, .. });
        if !is_batch || elements.is_empty() || self.model.session != Some("2025-03-26") {
            return Some(vec![self.expected(frame)?]);
        }
        let mut verdicts = elements
            .iter()
            .map(|element| slow::classify(element.as_bytes(), &[self.model.leniency]).remove(0));
        let waits = |verdict| matches!(verdict, Verdict::Request { method, params, .. } if model::may_wait(method, params));
        if verdicts.any(waits) {
            return None;
        }
        elements
            .iter()
            .map(|element| match slow::classify(element.as_bytes(), &[self.model.leniency]).remove(0) {
                // It settles what a batch is, so it stands alone.
                Verdict::Request { id, method, .. } if strings::is(method, "initialize") => {
                    Some(Expected::error(id, -32600, "Invalid Request"))
                }
                _ => self.expected(element.as_bytes()),
            })
            .collect()
    }

    /// What is to be said; `None` for a frame that is not for this model.
    fn expected(&mut self, frame: &[u8]) -> Option<Expected> {
        if frame.iter().all(|byte| b" \t\r\n".contains(byte)) {
            return Some(Expected::Nothing);
        }
        match slow::classify(frame, &[self.model.leniency]).remove(0) {
            Verdict::Request { id, method, params } => {
                (!model::may_wait(method, params)).then(|| self.model.request(id, method, params))
            }
            // A cancellation of what is not there, and responses to nobody, among others.
            Verdict::Notification { .. } | Verdict::Result { .. } | Verdict::Error { .. } => {
                Some(Expected::Nothing)
            }
            Verdict::Invalid { reason, code, owed, .. } => {
                let message = match reason {
                    Reason::TooDeep => "Message too deep",
                    _ if code == -32700 => "Parse error",
                    _ => "Invalid Request",
                };
                Some(match owed {
                    Owed::Nobody => Expected::Nothing,
                    Owed::Null => match self.unreadable_id {
                        UnreadableId::Null => Expected::error("null", code, message),
                        UnreadableId::Omit => Expected::error_without_id(code, message),
                        UnreadableId::Silent => Expected::Nothing,
                    },
                    Owed::To(id) => Expected::error(id, code, message),
                    Owed::Anything => return None,
                })
            }
        }
    }
}

/// A list that comes in pages, whatever the room, has the entries of the whole list in their order.
pub(super) fn pages_make_the_list(entropy: &mut Entropy<'_>) {
    let room = MIN_OUTPUT + entropy.below(2000);
    let (method, name, expected) = entropy.pick(&tables::LISTS);
    let meta = match entropy.once_in(2) {
        true => tables::MODERN_META,
        false => "",
    };
    let expected = expected();
    let mut server: Tested = Hosted::of(Server::with_storage(Fixed::new()), Demo::new(NoHost));
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let frame = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{\"x\":1{cursor}{meta}}}}}"
        );
        let mut memory = vec![0; room];
        let mut out = Sink::new(&mut memory);
        assert_eq!(server.handle_frame(frame.as_bytes(), &mut out), Status::Done);
        let line =
            std::str::from_utf8(out.finish().expect("what does not fit is taken back")).expect("UTF-8");
        if let Some(code) = tree::at(line.trim_end(), &["error", "code"]) {
            // One entry alone has no room, nor has it in the place of a whole list.
            assert_eq!(code, "-32603", "{line}");
            assert!(line.contains("\"Response too large\""), "{line}");
            assert!(room < 1400, "{line} in {room}");
            break;
        }
        let names = judge::names(line.trim_end(), name);
        assert!(!names.is_empty(), "an empty page: {line}");
        found.extend(names);
        match tree::at(line.trim_end(), &["result", "nextCursor"]) {
            Some(next) => cursor = format!(",\"cursor\":{next}"),
            None => {
                assert_eq!(found, expected);
                return;
            }
        }
        assert!(found.len() < expected.len(), "a page behind the last: {line}");
    }
    assert_eq!(found, expected[..found.len()]);
}
