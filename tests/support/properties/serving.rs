//! A server owes one answer to each request, and none to anything else.

mod actions;
mod batches;
mod ledger;
mod lines;
mod look;
mod settle;
mod tasks;

use core::time::Duration;

use barewire::bytes::{Next, Sink};
use barewire::engine::{AskError, Full, Lifecycle, Options, Server, Status};
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

/// With tables of this size, ids and texts of so many bytes. The handler is a reference: it is to be as good as the
/// application itself.
type Tested<'h, const N: usize, const ID: usize, const TEXT: usize> =
    Server<&'h mut Application, Full, N, N, ID, TEXT, N>;

/// Room that is enough for some answer.
const LEAST: usize = Tested::<1, 1, 1>::MIN_OUTPUT;
/// After how many milliseconds a question is given up.
const TIMEOUT: u64 = 1000;
/// How many milliseconds a task lives at most.
const LIFE: u64 = 3000;

/// A session of at most so many steps; the first choices are the size of the tables, the room in the output and the
/// options.
pub(super) fn a_session_owes_one_answer_to_each_request(entropy: &mut Entropy<'_>) {
    match entropy.once_in(2) {
        false => play::<1, 16, 24>(entropy),
        true => play::<2, 24, 48>(entropy),
    }
}

/// The same for these steps, each with the script that handlers follow, in a session with tables of this size.
pub(super) fn these_steps_are_owed_one_answer_each<const N: usize>(room: usize, steps: &[(Step, &[u8])]) {
    let mut application = Application::default();
    let mut session = Session::<N, 24, 48>::new(&mut application, room, 0);
    for (step, script) in steps {
        session.take(step, script);
    }
    session.end();
}

fn play<const N: usize, const ID: usize, const TEXT: usize>(entropy: &mut Entropy<'_>) {
    let room = 160 + entropy.below(353);
    let flags = entropy.byte();
    let mut application = Application::default();
    let mut session = Session::<N, ID, TEXT>::new(&mut application, room, flags);
    if flags & 0x40 > 0 {
        session.take(&Step::Tick(0), &[]);
    }
    for text in handshake(entropy) {
        let step = Step::Frame {
            frame: text.into_bytes(),
            is_too_long: false,
        };
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

struct Session<'h, const N: usize, const ID: usize, const TEXT: usize> {
    server: Tested<'h, N, ID, TEXT>,
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
    /// What was done and what was written, to be printed with a finding.
    transcript: Vec<String>,
}

impl<const N: usize, const ID: usize, const TEXT: usize> Drop for Session<'_, N, ID, TEXT> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "tables of {N}, output of {}\n{}",
                self.room,
                self.transcript.join("\n")
            );
        }
    }
}

impl<'h, const N: usize, const ID: usize, const TEXT: usize> Session<'h, N, ID, TEXT> {
    fn new(application: &'h mut Application, room: usize, flags: u8) -> Self {
        let is_restartable = flags & 1 > 0;
        let null_params = flags & 2 > 0;
        let is_strict = flags & 28 == 28;
        let lifecycle = if is_strict {
            Lifecycle::Strict
        } else {
            Lifecycle::Lenient
        };
        let is_impatient = flags & 0xE0 == 0xE0;
        let timeout = if is_impatient { 0 } else { TIMEOUT };
        let options = Options::DEFAULT
            .with_restart(is_restartable)
            .with_lifecycle(lifecycle)
            .with_question_timeout(Duration::from_millis(timeout))
            .with_task_ttl(Duration::from_millis(LIFE))
            .with_rules(Rules::STRICT.with_null_params(null_params));
        Self {
            server: Server::with_options(application, options),
            room,
            leniency: Leniency {
                null_params,
                ..Leniency::STRICT
            },
            is_restartable,
            is_strict,
            // A question is never late in the very moment in which it is asked.
            patience: timeout.max(1),
            now: 0,
            has_time: false,
            serial: 0,
            ledger: Ledger::default(),
            transcript: Vec::new(),
        }
    }

    fn take(&mut self, step: &Step, script: &[u8]) {
        self.server.handler_mut().follow(script);
        self.transcript.push(format!("# {} {script:?}", step.name()));
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
        self.check(step);
    }

    /// What must hold between all steps.
    fn check(&mut self, step: &Step) {
        let waiting = self.ledger.calls.iter();
        let waiting = waiting
            .filter(|call| !matches!(call.waits, Waits::Client(_)))
            .count();
        assert_eq!(self.server.in_flight(), waiting, "after {step:?}");
        assert!(self.ledger.taken() <= N, "after {step:?}: {:?}", self.ledger);
        assert!(
            self.ledger.streams.len() <= N,
            "after {step:?}: {:?}",
            self.ledger
        );
        assert!(self.ledger.kept_tasks() <= N, "after {step:?}: {:?}", self.ledger);
        assert_eq!(
            self.server.next_deadline(),
            self.ledger.next_deadline(self.now).map(Duration::from_millis),
            "after {step:?}"
        );
        self.tasks_agree();
    }

    fn filled(&mut self, frame: &[u8]) -> Vec<u8> {
        self.serial += 1;
        let frame = match std::str::from_utf8(frame) {
            Ok(text) => self.ledger.fill(text, self.serial).into_bytes(),
            Err(_) => frame.to_vec(),
        };
        self.transcript
            .push(format!("> {}", String::from_utf8_lossy(&frame)));
        frame
    }

    /// What one call writes.
    fn written<R>(
        &mut self,
        call: impl FnOnce(&mut Tested<'_, N, ID, TEXT>, &mut Sink<'_>) -> R,
    ) -> (Vec<Line>, R) {
        let mut memory = vec![0; self.room];
        let mut out = Sink::new(&mut memory);
        let result = call(&mut self.server, &mut out);
        let output = out.finish().expect("what does not fit is taken back");
        self.transcript
            .push(format!("< {}", String::from_utf8_lossy(output)));
        (lines::lines(output), result)
    }

    /// A line whose id is kept in `ID` bytes; a longer one is unreadable.
    fn too_long(&mut self, frame: &[u8]) {
        let (lines, ()) = self.written(|server, out| {
            // Of a line that was damaged nothing is left.
            assert_eq!(
                server.receive(Next::Part(b"{\"id\":\"lost\","), out),
                Some(Status::Done)
            );
            assert_eq!(server.receive(Next::Lost, out), Some(Status::Done));
            for piece in frame.chunks(7) {
                assert_eq!(server.receive(Next::Part(piece), out), Some(Status::Done));
            }
            assert!(server.receive(Next::NeedMore, out).is_none() && out.is_empty());
            assert_eq!(server.receive(Next::TooLong, out), Some(Status::Done));
        });
        let text = String::from_utf8_lossy(frame);
        match slow::owed_unread(frame) {
            Owed::Nobody => return self.broken_response(&lines, frame, &text),
            Owed::To(id) if id.len() <= ID => self.one_answer(&lines, id, &text),
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
        let (lines, status) = self.written(|server, out| server.receive(Next::Line(frame), out));
        assert_eq!(status, Some(Status::Done));
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
        assert!(
            answered == Some(id) || (has_no_room && answered == Some("null")),
            "{line:?} to {text}"
        );
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
        let mut open = calls.chain(&self.ledger.streams);
        open.find(|open| RequestId::parse(open.as_bytes()) == Some(id))
            .cloned()
    }

    /// It is never answered. What it has asked need not be answered either.
    fn cancelled(&mut self, lines: &[Line], id: &str) {
        let is_notice = |line: &Line| line.notifies_of("notifications/cancelled");
        assert!(lines.len() <= 1 && lines.iter().all(is_notice), "{lines:?}");
        self.settle(lines, Cause::Cancelled(id.to_owned()));
        self.ledger.calls.retain(|call| call.id != id);
        self.ledger.streams.retain(|stream| stream != id);
        for question in &mut self.ledger.questions {
            question.is_open &= question.asker != Asker::Call(id.to_owned());
        }
    }

    /// A response goes to the question that is open, or nowhere.
    fn answered(&mut self, lines: &[Line], id: &str, text: &str) {
        let Some(id) = self.ledger.open_question(id) else {
            assert_eq!(lines, [], "{text}");
            assert_eq!(self.server.handler_mut().seen().responses, 1, "{text}");
            return self.settle(lines, Cause::Nothing);
        };
        self.ends_question(lines, id, text);
    }

    fn ends_question(&mut self, lines: &[Line], id: i64, text: &str) {
        self.settle(lines, Cause::Answer(id));
        let is_open = self.ledger.question(id).is_some_and(|question| question.is_open);
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
        let mut skipper = Skipper::<ID>::new();
        skipper.feed(frame);
        let id = skipper.response_id().map(|id| id.to_string());
        let is_response = skipper.finish().reply() == Reply::Nobody;
        match id
            .filter(|_| is_response)
            .and_then(|id| self.ledger.open_question(&id))
        {
            Some(id) => self.ends_question(lines, id, text),
            None => {
                assert!(lines.len() <= 1, "{text}");
                self.settle(&[], Cause::Nothing);
            }
        }
    }

    fn serves_batches(&self) -> bool {
        self.server.session() == Some(ProtocolVersion::V2025_03_26)
    }
}

/// Why a client was not asked.
fn of_question(error: AskError) -> &'static str {
    match error {
        AskError::NotRunning => "the task has ended",
        AskError::NoSession => "no session whose client can be asked",
        AskError::MissingCapability => "the client has not declared the capability",
        AskError::NothingAsked => "nothing was asked",
        AskError::TooLong => "what is kept of the question is too long",
        AskError::Busy => "the table of calls in flight is full",
        AskError::NoRoom => "no room in the output",
        other => panic!("{other:?}"),
    }
}
