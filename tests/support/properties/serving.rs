//! A server owes one answer to each request, and none to anything else.

use barewire::bytes::Sink;
use barewire::engine::{Full, List, Options, Progress, Server, Status};
use barewire::mcp::{LoggingLevel, ProtocolVersion};
use barewire::rpc::{Message, RequestId, Rules, classify};

use super::super::application::Application;
use super::super::entropy::Entropy;
use super::super::session::{Step, step};
use super::super::slow::{self, Leniency, Owed, Verdict};

/// Small tables, so that they are full now and then.
type Tested = Server<Application, Full, 2, 2, 24, 16>;

/// Room that is enough for some answer.
const LEAST: usize = Tested::MIN_OUTPUT;

/// A session of at most so many steps; the first choices are the room in the output and the options.
pub(super) fn a_session_owes_one_answer_to_each_request(entropy: &mut Entropy<'_>) {
    let room = match entropy.below(4) {
        0 => LEAST,
        1 => LEAST + entropy.below(200),
        2 => 512,
        _ => 8192,
    };
    let is_restartable = entropy.once_in(2);
    let null_params = entropy.once_in(2);
    let leniency = Leniency {
        null_params,
        ..Leniency::STRICT
    };
    let options = Options::DEFAULT
        .with_restart(is_restartable)
        .with_rules(Rules::STRICT.with_null_params(null_params));
    let mut session = Session {
        server: Tested::with_options(Application::default(), options),
        room,
        leniency,
        is_restartable,
        waiting: Vec::new(),
        streams: Vec::new(),
    };
    for _ in 0..40 {
        let step = step(entropy);
        session.take(&step);
    }
    session.end();
}

/// The id of the answer that a message is owed.
fn owed_to(element: &str, leniency: Leniency) -> Option<String> {
    match slow::classify(element.as_bytes(), &[leniency]).remove(0) {
        Verdict::Request { id, .. } => Some(id.to_owned()),
        Verdict::Invalid { owed, .. } => match owed {
            Owed::Nobody => None,
            Owed::To(id) => Some(id.to_owned()),
            Owed::Null | Owed::Anything => Some("null".to_owned()),
        },
        _ => None,
    }
}

struct Session {
    server: Tested,
    room: usize,
    leniency: Leniency,
    /// `initialize` starts afresh.
    is_restartable: bool,
    /// The ids of the deferred calls, as their requests have them, in the order of the application's tokens.
    waiting: Vec<String>,
    /// The ids of the open streams.
    streams: Vec<String>,
}

/// The server before a frame.
struct Before {
    in_flight: usize,
    cancelled: usize,
}

impl Session {
    fn take(&mut self, step: &Step) {
        match step {
            Step::Frame { frame, is_too_long } => self.frame(frame, *is_too_long),
            Step::Batch(elements) => self.batch(elements),
            Step::Complete(at) => self.complete(*at),
            Step::Progress(at, progress) => self.during(*at, |server, token, out| {
                let _ = server.progress(token, &Progress::new(*progress), out);
            }),
            Step::Log(at) => self.during(*at, |server, token, out| {
                let _ = server.log_for(token, LoggingLevel::Error, None, "text", out);
            }),
            Step::ListChanged(which) => {
                let list = [List::Tools, List::Resources, List::Prompts][*which];
                self.tell(|server, out| server.list_changed(list, out));
            }
            Step::ResourceUpdated(uri) => self.tell(|server, out| server.resource_updated(uri, out)),
            Step::EndStreams => self.end_streams(),
            Step::Reset => {
                self.server.reset();
                self.waiting.clear();
                self.streams.clear();
            }
        }
        let waiting = self.server.in_flight();
        assert_eq!(waiting, self.waiting.len(), "after {step:?}");
    }

    /// Lines that one call wrote: each whole, valid, and a response or a notification.
    fn written<R>(&mut self, call: impl FnOnce(&mut Tested, &mut Sink<'_>) -> R) -> (Vec<String>, R) {
        let mut memory = vec![0; self.room];
        let mut out = Sink::new(&mut memory);
        let result = call(&mut self.server, &mut out);
        let text = out.finish().expect("what does not fit is taken back");
        let text = std::str::from_utf8(text).expect("output is UTF-8");
        assert!(text.is_empty() || text.ends_with('\n'));
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for line in &lines {
            match classify(line.as_bytes()) {
                Ok(Message::Response(_) | Message::Notification(_)) => {}
                other => panic!("{line}: {other:?}"),
            }
            serde_json::from_str::<&serde_json::value::RawValue>(line).expect("output is JSON");
        }
        (lines, result)
    }

    /// The id token of a response; a notification has none.
    fn id_of(line: &str) -> Option<String> {
        match classify(line.as_bytes()) {
            Ok(Message::Response(response)) => {
                Some(response.id().map_or("null".to_owned(), |id| id.to_string()))
            }
            _ => None,
        }
    }

    /// What each element is owed, in order; where there are no batches, one error.
    fn batch(&mut self, elements: &[String]) {
        let frame = format!("[{}]", elements.join(","));
        let mut responses = Vec::new();
        loop {
            let (lines, status) = self.written(|server, out| server.handle_frame(frame.as_bytes(), out));
            assert!(lines.len() <= 1 && (status == Status::Done || lines.len() == 1));
            responses.extend(lines.iter().filter_map(|line| Self::id_of(line)));
            if status == Status::Done {
                break;
            }
        }
        let is_served = self.server.session() == Some(ProtocolVersion::V2025_03_26);
        let owed: Vec<String> = elements
            .iter()
            .filter_map(|element| owed_to(element, self.leniency))
            .collect();
        let expected = match is_served && !elements.is_empty() {
            true => owed,
            false => vec!["null".to_owned()],
        };
        assert_eq!(responses.len(), expected.len(), "{frame}");
        for (response, id) in responses.iter().zip(&expected) {
            self.one_answer(std::slice::from_ref(response), id, &frame);
        }
    }

    fn frame(&mut self, frame: &[u8], is_too_long: bool) {
        let is_batch = frame.trim_ascii_start().starts_with(b"[");
        if is_batch && self.server.session() == Some(ProtocolVersion::V2025_03_26) {
            // Batches have a step of their own.
            return;
        }
        let before = Before {
            in_flight: self.server.in_flight(),
            cancelled: self.server.handler_mut().seen().cancelled.len(),
        };
        let no_room_before = self.server.handler_mut().seen().no_room;
        let (lines, ()) = self.written(|server, out| match is_too_long {
            true => {
                for piece in frame.chunks(7) {
                    server.skip(piece);
                }
                server.skipped(out);
            }
            false => assert_eq!(server.handle_frame(frame, out), Status::Done),
        });
        let responses: Vec<String> = lines.iter().filter_map(|line| Self::id_of(line)).collect();
        assert_eq!(
            self.server.handler_mut().seen().no_room,
            no_room_before,
            "there is room for some answer"
        );
        let text = String::from_utf8_lossy(frame);
        if is_too_long {
            // The id is kept in 24 bytes; a longer one is unreadable.
            match slow::owed_unread(frame) {
                Owed::Nobody => assert_eq!(responses, [""; 0], "{text}"),
                Owed::To(id) if id.len() <= 24 => self.one_answer(&responses, id, &text),
                Owed::Null | Owed::To(_) => assert_eq!(responses, ["null"], "{text}"),
                Owed::Anything => {}
            }
            return;
        }
        if frame.iter().all(|byte| b" \t\r\n".contains(byte)) {
            assert!(lines.is_empty());
            return;
        }
        match slow::classify(frame, &[self.leniency]).remove(0) {
            Verdict::Request { id, .. } => self.request(frame, id, &before, &lines, &responses),
            Verdict::Notification { params, .. } => {
                assert!(lines.is_empty(), "{text}");
                self.maybe_cancelled(frame, params);
            }
            Verdict::Result { .. } | Verdict::Error { .. } => assert!(lines.is_empty(), "{text}"),
            Verdict::Invalid { owed, .. } => match owed {
                Owed::Nobody => assert!(lines.is_empty(), "{text}"),
                Owed::Null => assert_eq!(responses, ["null"], "{text}"),
                Owed::To(id) => self.one_answer(&responses, id, &text),
                Owed::Anything => assert!(responses.len() <= 1, "{text}"),
            },
        }
    }

    /// With the id of the request, or `null` where that has no room.
    fn one_answer(&self, responses: &[String], id: &str, text: &str) {
        let has_no_room = LEAST + id.len() > self.room;
        let expected = responses == [id] || (has_no_room && responses == ["null"]);
        assert!(expected, "{responses:?} to {text}");
    }

    fn request(&mut self, frame: &[u8], id: &str, before: &Before, lines: &[String], responses: &[String]) {
        let text = String::from_utf8_lossy(frame);
        // A second `initialize` starts afresh where that is allowed.
        let initialized = lines
            .iter()
            .any(|line| line.contains("\"result\":{\"protocolVersion\""));
        let restarted = self.server.handler_mut().seen().cancelled.len() - before.cancelled;
        if initialized && self.is_restartable {
            assert_eq!(restarted, before.in_flight);
            self.waiting.clear();
            self.streams.clear();
        } else {
            assert_eq!(restarted, 0, "{text}");
        }
        if self.server.in_flight() > before.in_flight - restarted {
            assert_eq!(responses, [""; 0], "a deferred call has no answer yet: {text}");
            self.waiting.push(id.to_owned());
            return;
        }
        if let [line] = lines
            && line.contains("notifications/subscriptions/acknowledged")
        {
            let message = classify(line.as_bytes()).unwrap();
            let subscription = message.subscription_id().unwrap().unwrap();
            assert_eq!(subscription.as_str(), id, "{text}");
            self.streams.push(id.to_owned());
            return;
        }
        self.one_answer(responses, id, &text);
    }

    /// A notification that names a waiting call, or a stream, ends it.
    fn maybe_cancelled(&mut self, frame: &[u8], params: Option<&str>) {
        let Ok(Message::Notification(notification)) = classify(frame) else {
            return;
        };
        if notification.method() != "notifications/cancelled" || params.is_none() {
            return;
        }
        let Some(id) = notification
            .params()
            .and_then(|params| params.get_once("requestId").ok().flatten())
            .and_then(RequestId::of)
        else {
            return;
        };
        let is_other = |kept: &String| RequestId::parse(kept.as_bytes()) != Some(id);
        self.waiting.retain(is_other);
        self.streams.retain(is_other);
    }

    fn complete(&mut self, at: usize) {
        let tokens = self.server.handler_mut().seen().deferred.clone();
        let Some(token) = tokens.get(at).copied() else {
            return;
        };
        let (lines, result) = self.written(|server, out| {
            server.complete_tool(token, out, |reply| {
                reply.text("done");
                Ok(())
            })
        });
        assert_eq!(result, Ok(Status::Done));
        let responses: Vec<String> = lines.iter().filter_map(|line| Self::id_of(line)).collect();
        let id = self.waiting.remove(at);
        self.one_answer(&responses, &id, "a deferred call");
        self.server.handler_mut().seen().deferred.remove(at);
        let (lines, result) = self.written(|server, out| server.complete_tool(token, out, |_| Ok(())));
        assert!(lines.is_empty() && result.is_err(), "answered twice");
    }

    fn during(
        &mut self,
        at: usize,
        call: impl FnOnce(&mut Tested, barewire::engine::CallToken, &mut Sink<'_>),
    ) {
        let tokens = self.server.handler_mut().seen().deferred.clone();
        if let Some(token) = tokens.get(at) {
            let (lines, ()) = self.written(|server, out| call(server, *token, out));
            assert!(lines.len() <= 1);
            assert!(lines.iter().all(|line| Self::id_of(line).is_none()));
        }
    }

    /// Every receiver is told at most once.
    fn tell(&mut self, mut call: impl FnMut(&mut Tested, &mut Sink<'_>) -> Status) {
        let mut all = Vec::new();
        loop {
            let (lines, status) = self.written(&mut call);
            assert!(lines.iter().all(|line| Self::id_of(line).is_none()));
            assert!(!lines.is_empty() || status == Status::Done);
            all.extend(lines);
            if status == Status::Done {
                break;
            }
        }
        assert!(all.len() <= 1 + self.streams.len());
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "told twice");
        self.server.handler_mut().seen().no_room = 0;
    }

    /// Each stream gets its one response.
    fn end_streams(&mut self) {
        let mut responses = Vec::new();
        loop {
            let (lines, status) = self.written(Tested::end_streams);
            responses.extend(lines.iter().filter_map(|line| Self::id_of(line)));
            if status == Status::Done {
                break;
            }
        }
        let (mut found, mut expected) = (responses, std::mem::take(&mut self.streams));
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }

    fn end(&mut self) {
        while !self.waiting.is_empty() {
            self.complete(0);
        }
        self.end_streams();
        assert_eq!(self.server.in_flight(), 0);
    }
}
