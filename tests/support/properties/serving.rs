//! A server owes one answer to each request, and none to anything else.
//!
//! What a call writes is settled at once. What is due is written by `poll`, sometimes not before the next steps.

mod actions;
mod batches;
mod ledger;
mod lines;
mod look;
mod settle;
mod tasks;

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::{
    Address, AskError, Fixed, Frame, Full, Lifecycle, MIN_OUTPUT, Options, Origin, Sent, Server,
};
use barewire::mcp::ProtocolVersion;
use barewire::rpc::{Reply, RequestId, Rules, Skipper};

use super::super::application::{ASK, Application, BEGIN_TASK};
use super::super::entropy::Entropy;
use super::super::session::{Step, Theme, handshake, step};
use super::super::slow::{self, Leniency, Owed, Verdict};
use super::super::tree;
use ledger::{Asker, Ledger, Waits};
use lines::Line;
use settle::{Cause, Received};

/// With tables of this size, and so many bytes for texts.
type Tested<const N: usize, const BYTES: usize> = Server<Fixed<Full, N, N, N, BYTES>>;

/// Room that is enough for some answer.
const LEAST: usize = MIN_OUTPUT;
/// Bytes that the id of a line that is too long may have.
const SKIPPED: usize = 24;
/// After how many milliseconds a question is given up.
const TIMEOUT: u64 = 1000;
/// How many milliseconds a task lives at most.
const LIFE: u64 = 3000;

/// A session of at most so many steps; the first choices are the size of the tables, the room in the output and the
/// options.
pub(super) fn a_session_owes_one_answer_to_each_request(entropy: &mut Entropy<'_>) {
    match entropy.once_in(2) {
        false => play::<1, 48>(entropy),
        true => play::<2, 96>(entropy),
    }
}

/// The same for these steps, each with the script that handlers follow, in a session with tables of this size.
pub(super) fn these_steps_are_owed_one_answer_each<const N: usize>(room: usize, steps: &[(Step, &[u8])]) {
    let mut session = Session::<N, 96>::new(room, 0);
    for (step, script) in steps {
        session.take(step, script);
    }
    session.end();
}

fn play<const N: usize, const BYTES: usize>(entropy: &mut Entropy<'_>) {
    let room = 160 + entropy.below(353);
    let flags = entropy.byte();
    let mut session = Session::<N, BYTES>::new(room, flags);
    if flags & 0x40 > 0 {
        session.take(&Step::Tick(0), &[]);
    }
    for text in handshake(entropy) {
        let step = Step::Frame { frame: text.into_bytes(), is_too_long: false };
        session.take(&step, &[]);
    }
    let theme = entropy.pick(&[Theme::Tasks, Theme::Questions, Theme::Any]);
    for _ in 0..40 {
        if entropy.is_used_up() {
            break;
        }
        let (step, mut script) = (step(entropy, theme), [(); 4].map(|()| entropy.byte()));
        // Half of the runs do what the session is about.
        match theme {
            Theme::Tasks if script[3] < 128 => script[0] = BEGIN_TASK,
            Theme::Questions if script[3] < 128 => script[0] = ASK + script[0] % 4,
            _ => {}
        }
        session.take(&step, &script);
    }
    session.end();
}

struct Session<const N: usize, const BYTES: usize> {
    server: Tested<N, BYTES>,
    app: Application,
    room: usize,
    leniency: Leniency,
    /// `initialize` starts afresh.
    is_restartable: bool,
    /// Nothing is served before `initialize`.
    is_strict: bool,
    /// After how many milliseconds a question is given up.
    patience: u64,
    /// In milliseconds; none is known before the first.
    now: u64,
    has_time: bool,
    /// How many frames there were.
    serial: usize,
    ledger: Ledger,
    /// Nothing is due.
    is_settled: bool,
    /// Lines that were due, since the step began.
    sent: Vec<String>,
    /// What was done and what was written, to be printed with a finding.
    transcript: Vec<String>,
}

impl<const N: usize, const BYTES: usize> Drop for Session<N, BYTES> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("tables of {N}, output of {}\n{}", self.room, self.transcript.join("\n"));
        }
    }
}

impl<const N: usize, const BYTES: usize> Session<N, BYTES> {
    fn new(room: usize, flags: u8) -> Self {
        let is_restartable = flags & 1 > 0;
        let null_params = flags & 2 > 0;
        let is_strict = flags & 28 == 28;
        let lifecycle = if is_strict { Lifecycle::Strict } else { Lifecycle::Lenient };
        let is_impatient = flags & 0xE0 == 0xE0;
        let timeout = if is_impatient { 0 } else { TIMEOUT };
        let options = Options::DEFAULT
            .with_restart(is_restartable)
            .with_lifecycle(lifecycle)
            .with_question_timeout(Duration::from_millis(timeout))
            .with_task_ttl(Duration::from_millis(LIFE))
            .with_rules(Rules::STRICT.with_null_params(null_params));
        Self {
            server: Server::with_storage(Fixed::new()).with_options(options),
            app: Application::default(),
            room,
            leniency: Leniency { null_params, ..Leniency::STRICT },
            is_restartable,
            is_strict,
            // A question is never late in the very moment in which it is asked.
            patience: timeout.max(1),
            now: 0,
            has_time: false,
            serial: 0,
            ledger: Ledger::default(),
            is_settled: true,
            sent: Vec::new(),
            transcript: Vec::new(),
        }
    }

    fn take(&mut self, step: &Step, script: &[u8]) {
        self.app.follow(script);
        self.transcript.push(format!("# {} {script:?}", step.name()));
        self.sent.clear();
        let was_settled = self.is_settled;
        match step {
            Step::Frame { frame, is_too_long } => {
                let frame = self.filled(frame);
                match is_too_long {
                    true => self.too_long(&frame),
                    false => self.frame(&frame),
                }
            }
            Step::Batch { elements, other } => self.batch(elements, other.as_ref()),
            _ => self.act(step, script),
        }
        self.send(script.get(2).copied().unwrap_or(u8::MAX));
        if was_settled && matches!(step, Step::ListChanged(_) | Step::ResourceUpdated(_)) {
            self.is_told_once();
        }
        self.check(step);
    }

    /// Writes what is due: a few lines of it, or first what is not for one kind of receiver, or all of it.
    fn send(&mut self, choice: u8) {
        self.is_settled = choice >= 48;
        if !self.is_settled {
            for _ in 0..choice % 3 {
                self.poll(|_| true);
            }
            return;
        }
        if choice < 96 {
            while self.poll(|address| kind_of(address) != choice % 3) {}
        }
        while self.poll(|_| true) {}
    }

    /// Writes a line that is due. False if there is none.
    fn poll(&mut self, writable: impl Fn(Address) -> bool) -> bool {
        let mut filled = self.transcript.len() * 37 % self.room;
        loop {
            let (lines, sent) =
                self.written_behind(filled, |server, app, out| server.poll(&writable, app, out));
            if filled > 0 {
                let is_too_short = lines.iter().any(Line::is_for_want_of_room);
                assert!(!is_too_short, "there is an empty output: {lines:?}");
            }
            self.settle(&lines, Cause::Due);
            match sent {
                Sent::To(address) => {
                    assert!(!lines.is_empty() && writable(address));
                    let is_for_stream = |line: &Line| Self::stream_of(line).is_some();
                    let is_stream = matches!(address, Address::Stream(_));
                    assert!(is_stream || !lines.iter().any(is_for_stream), "{address:?}: {lines:?}");
                    self.sent.extend(lines.into_iter().map(|line| line.text));
                    return true;
                }
                Sent::Nothing => {
                    assert_eq!(lines, []);
                    return false;
                }
                Sent::NoRoom => {
                    assert_eq!(lines, []);
                    assert!(std::mem::take(&mut filled) > 0, "no room in an empty output");
                }
            }
        }
    }

    /// Every receiver is told of a change at most once.
    fn is_told_once(&self) {
        let mut all = self.sent.clone();
        assert!(all.len() <= 1 + self.ledger.streams.len());
        all.sort();
        all.dedup();
        assert_eq!(all.len(), self.sent.len(), "told twice");
    }

    /// What must hold between all steps.
    fn check(&mut self, step: &Step) {
        let waiting = self.ledger.calls.iter();
        let waiting = waiting.filter(|call| !matches!(call.waits, Waits::Client(_))).count();
        assert_eq!(self.server.in_flight(), waiting, "after {step:?}");
        assert!(self.ledger.taken() <= N, "after {step:?}: {:?}", self.ledger);
        assert!(self.ledger.streams.len() <= N, "after {step:?}: {:?}", self.ledger);
        assert!(self.ledger.kept_tasks() <= N, "after {step:?}: {:?}", self.ledger);
        // It may be the time of something that is over meanwhile.
        let [found, expected] =
            [self.server.next_deadline(), self.ledger.next_deadline(self.now).map(Duration::from_millis)]
                .map(|deadline| deadline.unwrap_or(Duration::MAX));
        assert!(found <= expected, "after {step:?}: {found:?}, {expected:?}");
        self.tasks_agree();
        if self.is_settled {
            self.ledger.is_settled(self.now);
        }
    }

    fn filled(&mut self, frame: &[u8]) -> Vec<u8> {
        self.serial += 1;
        let frame = match std::str::from_utf8(frame) {
            Ok(text) => self.ledger.fill(text, self.serial).into_bytes(),
            Err(_) => frame.to_vec(),
        };
        self.transcript.push(format!("> {}", String::from_utf8_lossy(&frame)));
        frame
    }

    /// What one call writes.
    fn written<R>(
        &mut self,
        call: impl FnOnce(&mut Tested<N, BYTES>, &mut Application, &mut Sink<'_>) -> R,
    ) -> (Vec<Line>, R) {
        self.written_behind(0, call)
    }

    /// What one call writes into an output that has so many bytes already.
    fn written_behind<R>(
        &mut self,
        filled: usize,
        call: impl FnOnce(&mut Tested<N, BYTES>, &mut Application, &mut Sink<'_>) -> R,
    ) -> (Vec<Line>, R) {
        let mut memory = vec![0; self.room];
        let mut out = Sink::new(&mut memory);
        out.write(&vec![b' '; filled]);
        let result = call(&mut self.server, &mut self.app, &mut out);
        let output = &out.finish().expect("what does not fit is taken back")[filled..];
        self.transcript.push(format!("< {}", String::from_utf8_lossy(output)));
        (lines::lines(output), result)
    }

    /// A line whose id has at most [`SKIPPED`] bytes; a longer one is unreadable.
    fn too_long(&mut self, frame: &[u8]) {
        let mut skipper = Skipper::<SKIPPED>::new();
        frame.chunks(7).for_each(|piece| skipper.feed(piece));
        let (rejection, response) = (skipper.finish(), skipper.response_id());
        let (lines, _) = self.written(|server, app, out| {
            server.lost(app);
            server.receive_oversized(Origin::ONLY, &rejection, response, app, out)
        });
        let text = String::from_utf8_lossy(frame);
        match slow::owed_unread(frame) {
            Owed::Nobody => return self.broken_response(&lines, frame, &text),
            Owed::To(id) if id.len() <= SKIPPED => self.one_answer(&lines, id, &text),
            Owed::Null | Owed::To(_) => self.one_answer(&lines, "null", &text),
            Owed::Anything => return self.anything(&lines, frame, &text),
        }
        self.settle(&[], Cause::Nothing);
    }

    fn frame(&mut self, frame: &[u8]) {
        let is_batch = frame.trim_ascii_start().starts_with(b"[");
        if is_batch && self.serves_batches() {
            // Batches have a step of their own.
            return;
        }
        let mut received = Frame::new(frame);
        let (lines, sent) =
            self.written(|server, app, out| server.receive(Origin::ONLY, &mut received, app, out));
        assert!(received.is_done() && sent.fitted());
        assert_eq!(sent == Sent::Nothing, lines.is_empty());
        self.judge(frame, &lines);
    }

    /// The lines that one message was answered with.
    fn judge(&mut self, frame: &[u8], lines: &[Line]) {
        let text = String::from_utf8_lossy(frame).into_owned();
        if frame.iter().all(|byte| b" \t\r\n".contains(byte)) {
            assert_eq!(lines, []);
            return;
        }
        match slow::classify(frame, &[self.leniency]).remove(0) {
            Verdict::Request { id, method, .. } => {
                let received = Received::of(text.trim(), id, method);
                self.settle(lines, Cause::Request(received));
            }
            Verdict::Notification { params, method } => {
                match self.cancels(method, params) {
                    Some(id) => self.cancelled(lines, &id),
                    None => {
                        assert_eq!(lines, [], "{text}");
                        self.settle(lines, Cause::Nothing);
                    }
                };
            }
            Verdict::Result { id, .. } | Verdict::Error { id: Some(id), .. } => {
                self.answered(lines, id, &text)
            }
            Verdict::Error { id: None, .. } => {
                assert_eq!(lines, [], "{text}");
                self.settle(lines, Cause::Nothing);
            }
            Verdict::Invalid { owed, .. } => {
                match owed {
                    Owed::Nobody => return self.broken_response(lines, frame, &text),
                    Owed::Null => self.one_answer(lines, "null", &text),
                    Owed::To(id) => self.one_answer(lines, id, &text),
                    Owed::Anything => return self.anything(lines, frame, &text),
                }
                self.settle(&[], Cause::Nothing);
            }
        }
    }

    /// With the id of the request, or `null` where that has no room.
    fn one_answer(&self, lines: &[Line], id: &str, text: &str) {
        let [line] = lines else {
            panic!("{lines:?} to {text}");
        };
        let has_no_room = LEAST + id.len() > self.room;
        let answered = line.answered_id();
        assert!(answered == Some(id) || (has_no_room && answered == Some("null")), "{line:?} to {text}");
    }

    /// The id of the call or the stream that a notification ends.
    fn cancels(&self, method: &str, params: Option<&str>) -> Option<String> {
        if !super::super::strings::is(method, "notifications/cancelled") {
            return None;
        }
        let members = tree::members(params?)?;
        let [id] = slow::all(&members, "requestId")[..] else {
            return None;
        };
        let id = RequestId::parse(id.as_bytes())?;
        let calls = self.ledger.calls.iter().map(|call| &call.id);
        let mut open = calls.chain(self.ledger.streams.iter().map(|stream| &stream.id));
        open.find(|open| RequestId::parse(open.as_bytes()) == Some(id)).cloned()
    }

    /// It is never answered. What it has asked need not be answered either.
    fn cancelled(&mut self, lines: &[Line], id: &str) {
        assert_eq!(lines, []);
        self.settle(lines, Cause::Cancelled(id.to_owned()));
        self.ledger.calls.retain(|call| call.id != id);
        self.ledger.streams.retain(|stream| stream.id != id);
        let asker = Asker::Call(id.to_owned());
        self.ledger.withdraw(|of| *of == asker);
    }

    /// A response goes to the question that is open, or nowhere.
    fn answered(&mut self, lines: &[Line], id: &str, text: &str) {
        let Some(id) = self.ledger.open_question(id) else {
            assert_eq!(lines, [], "{text}");
            assert_eq!(self.app.seen().responses, 1, "{text}");
            return self.settle(lines, Cause::Nothing);
        };
        self.ends_question(lines, id, text);
    }

    fn ends_question(&mut self, lines: &[Line], id: i64, text: &str) {
        self.settle(lines, Cause::Answer(id));
        let is_open = self.ledger.question(id).is_some_and(|question| question.is_open());
        assert!(!is_open, "not taken for an answer: {text}");
    }

    /// What looks like a response and is none ends the question that it names: nobody will send another.
    fn broken_response(&mut self, lines: &[Line], frame: &[u8], text: &str) {
        let id = slow::response_id_unread(frame).and_then(|id| self.ledger.open_question(id));
        match id {
            Some(id) => self.ends_question(lines, id, text),
            None => {
                assert_eq!(lines, [], "{text}");
                self.settle(lines, Cause::Nothing);
            }
        }
    }

    /// Neither JSON nor read as a whole: it is what it looks like.
    fn anything(&mut self, lines: &[Line], frame: &[u8], text: &str) {
        let mut skipper = Skipper::<SKIPPED>::new();
        skipper.feed(frame);
        let id = skipper.response_id().map(|id| id.to_string());
        let is_response = skipper.finish().reply() == Reply::Nobody;
        match id.filter(|_| is_response).and_then(|id| self.ledger.open_question(&id)) {
            Some(id) => self.ends_question(lines, id, text),
            None => {
                assert!(lines.len() <= 1, "{text}");
                self.settle(&[], Cause::Nothing);
            }
        }
    }

    fn serves_batches(&mut self) -> bool {
        self.server.session(0) == Some(ProtocolVersion::V2025_03_26)
    }
}

/// Kind of a receiver.
const fn kind_of(address: Address) -> u8 {
    match address {
        Address::Request(_) => 0,
        Address::Stream(_) => 1,
        Address::Session(_) => 2,
    }
}

/// Why a client was not asked.
fn of_question(error: AskError) -> &'static str {
    match error {
        AskError::NotRunning => "the task has ended",
        AskError::NoSession => "no session whose client can be asked",
        AskError::MissingCapability => "the client has not declared the capability",
        AskError::NothingAsked => "nothing was asked",
        AskError::TooLong => "key and state of the question do not fit the storage",
        AskError::Busy => "the table of calls in flight is full",
        AskError::NoRoom => "no room in the output",
        other => panic!("{other:?}"),
    }
}
