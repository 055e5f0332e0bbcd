//! A link with any timing of client, wire and application: the stream is cut anywhere, frames arrive between any two
//! outputs, deferred calls are answered at any time. The answers are those of a session in which everything happens in
//! turn.
//!
//! Changes of lists and the like are left out: several of them become one notification, which depends on the time.

use barewire::engine::{
    CallError, CallToken, Event, Fixed, Full, Handler, Outcome, Progress, Resumed, ResumedReply, Sent,
    Server, ToolCall, ToolReply,
};
use barewire::mcp::{Capabilities, Implementation, InputRequest, Schema, Tool};
use barewire::transport::Link;

use crate::support::entropy::Entropy;
use crate::support::replies::Answering;
use crate::support::tree;

/// Number of calls that are deferred, or ask, in one session.
const CALLS: usize = 24;
/// Room for a batch of three calls.
const LONGEST: usize = 260;
const ROOM: usize = 300;

type Tested = Link<Worker, [u8; LONGEST], [u8; ROOM], Fixed<Full, CALLS>>;

const ANYTHING: Schema<'_> = Schema::new(r#"{"type":"object"}"#);
const TOOLS: &[Tool<'_>] = &[
    Tool::new("now", "").with_schema(ANYTHING),
    Tool::new("later", "").with_schema(ANYTHING),
    Tool::new("ask", "").with_schema(ANYTHING),
];

/// Answers with the id of the request, now or later.
#[derive(Default)]
struct Worker {
    /// The deferred calls, with the texts of their ids.
    waiting: Vec<(CallToken, String)>,
    /// Calls that were cancelled before they were answered.
    cancelled: Vec<String>,
}

impl Handler for Worker {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("w", "1")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::LOGGING);
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        mut reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let id = call.context().id().to_string();
        if call.is("later") {
            let (token, outcome) = reply.defer()?;
            self.waiting.push((token, id));
            return Ok(outcome);
        }
        reply.progress(Progress::new(1));
        Ok(match call.is("ask") {
            true => reply.ask("k", &InputRequest::Roots).keep(&id),
            false => reply.text(id.as_str()),
        })
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let is_answered = call.answer("k").is_some();
        Ok(reply.text(&format!("{} {is_answered:?}", call.state())))
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Cancelled(cancelled) = event {
            let at = self.waiting.iter().position(|(token, _)| *token == cancelled);
            let (_, id) = self.waiting.remove(at.expect("a call that waits"));
            self.cancelled.push(id);
        }
    }
}

/// The lines of a client.
struct Script {
    lines: Vec<Vec<u8>>,
    /// The ids of the requests that are answered at once.
    now: Vec<String>,
    /// The ids of the deferred calls.
    later: Vec<String>,
    /// Whether the revision of the session has batches.
    has_batches: bool,
    /// Number of questions of the server.
    asked: usize,
    serial: usize,
}

impl Script {
    fn of(entropy: &mut Entropy<'_>) -> Self {
        let mut script = Self {
            lines: Vec::new(),
            now: vec!["0".to_owned()],
            later: Vec::new(),
            has_batches: false,
            asked: 0,
            serial: 0,
        };
        let version = entropy.pick(&["2025-03-26", "2025-03-26", "2025-11-25"]);
        script.has_batches = version == "2025-03-26";
        script.line(&format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{"roots":{{}}}}}}}}"#
        ));
        for _ in 0..1 + entropy.below(20) {
            let line = script.any(entropy);
            script.line(&line);
        }
        script
    }

    fn line(&mut self, line: &str) {
        self.lines.push(line.as_bytes().to_vec());
    }

    fn id(&mut self, entropy: &mut Entropy<'_>) -> String {
        self.serial += 1;
        match entropy.once_in(3) {
            true => format!("\"s{}\"", self.serial),
            false => self.serial.to_string(),
        }
    }

    fn any(&mut self, entropy: &mut Entropy<'_>) -> String {
        match entropy.below(16) {
            0..=6 => self.request(entropy),
            7 | 8 => {
                let known = (self.now.len(), self.later.len());
                let requests: Vec<String> =
                    (0..2 + entropy.below(2)).map(|_| self.short_request(entropy)).collect();
                if !self.has_batches {
                    // Refused as a whole.
                    self.now.truncate(known.0);
                    self.later.truncate(known.1);
                }
                format!("[{}]", requests.join(","))
            }
            9 | 10 => {
                let question = 1 + entropy.below(self.asked + 1);
                let body = entropy.pick(&[
                    r#""result":{"roots":[]}"#,
                    r#""result":{"roots":[],"roots":[]}"#,
                    r#""error":{"code":1,"message":""}"#,
                    r#""result":7"#,
                ]);
                format!(r#"{{"jsonrpc":"2.0","id":{question},{body}}}"#)
            }
            11 => match self.later.len() {
                0 => String::new(),
                count => format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{}}}}}"#,
                    self.later[entropy.below(count)]
                ),
            },
            12 => {
                let id = self.id(entropy);
                self.now.push(id.clone());
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping","x":"{}"}}"#, "x".repeat(LONGEST))
            }
            13 => entropy.pick(&["garbage", "{}", "7", "", "\r", "[]"]).to_owned(),
            14 => r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
            _ => {
                let id = self.id(entropy);
                self.now.push(id.clone());
                let level = entropy.pick(&["debug", "error", "none"]);
                format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"method":"logging/setLevel","params":{{"level":"{level}"}}}}"#
                )
            }
        }
    }

    /// A request that fits a batch of them.
    fn short_request(&mut self, entropy: &mut Entropy<'_>) -> String {
        let id = self.id(entropy);
        if entropy.once_in(3) && self.has_room() {
            self.later.push(id.clone());
            return format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"later"}}}}"#
            );
        }
        self.now.push(id.clone());
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
    }

    fn has_room(&self) -> bool {
        self.later.len() + self.asked < CALLS
    }

    fn request(&mut self, entropy: &mut Entropy<'_>) -> String {
        let id = self.id(entropy);
        let name = entropy.pick(&["now", "later", "later", "ask", "tools/list", "ping", "nope"]);
        let name = match name {
            "later" | "ask" if !self.has_room() => "now",
            name => name,
        };
        match name {
            "later" => self.later.push(id.clone()),
            "ask" => self.asked += 1,
            "now" => self.now.push(id.clone()),
            method => {
                self.now.push(id.clone());
                return format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#);
            }
        }
        let meta = match entropy.once_in(2) {
            true => format!(r#","_meta":{{"progressToken":{id}}}"#),
            false => String::new(),
        };
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}"{meta}}}}}"#)
    }
}

struct Session {
    link: Box<Tested>,
    sent: Vec<u8>,
}

impl Session {
    fn new() -> Self {
        Self {
            link: Box::new(Link::with_server(
                Server::with_storage(Fixed::new()),
                Worker::default(),
                [0; LONGEST],
                [0; ROOM],
            )),
            sent: Vec::new(),
        }
    }

    /// Sends at most this number of bytes, and returns how many it sent.
    fn send(&mut self, most: usize) -> usize {
        let output = self.link.output();
        let count = output.len().min(most);
        self.sent.extend_from_slice(&output[..count]);
        self.link.sent(count);
        count
    }

    /// Takes at most this number of bytes from the input, and returns how many it took.
    fn receive(&mut self, input: &mut &[u8], most: usize) -> usize {
        let space = self.link.space();
        let count = space.len().min(most).min(input.len());
        space[..count].copy_from_slice(&input[..count]);
        *input = &input[count..];
        self.link.received(count);
        count
    }

    /// Answers the call that waits in this place. Returns false if output is still to be sent, or no call waits.
    fn complete(&mut self, at: usize) -> bool {
        let waiting = &self.link.app().waiting;
        let Some((token, id)) = waiting.get(at % waiting.len().max(1)).cloned() else {
            return false;
        };
        let completed = self.link.write(|server, app, out| {
            server.complete_tool(token, app, out, |content| Ok(content.text(id.as_str()).done()))
        });
        let Some(sent) = completed else {
            return false;
        };
        assert!(matches!(sent, Ok(Sent::To(_))), "{id}: {sent:?}");
        self.link.app_mut().waiting.retain(|(waiting, _)| *waiting != token);
        true
    }

    fn report(&mut self, at: usize, value: i64) {
        let waiting = &self.link.app().waiting;
        if let Some((token, _)) = waiting.get(at % waiting.len().max(1)).cloned() {
            let reported =
                self.link.write(|server, _, out| server.progress(token, Progress::new(value), out));
            assert!(reported.is_none_or(|reported| reported.is_ok()));
        }
    }

    /// Runs until there is nothing to do.
    fn finish(mut self, mut input: &[u8]) -> Played {
        let mut has_ended = false;
        loop {
            if self.send(usize::MAX) > 0 || self.receive(&mut input, usize::MAX) > 0 || self.complete(0) {
                continue;
            }
            if has_ended {
                break;
            }
            has_ended = true;
            self.link.end_of_input();
        }
        assert!(input.is_empty());
        let text = String::from_utf8(self.sent).expect("UTF-8");
        assert!(text.is_empty() || text.ends_with('\n'), "half a line: {text}");
        Played {
            lines: text.lines().map(str::to_owned).collect(),
            cancelled: std::mem::take(&mut self.link.app_mut().cancelled),
        }
    }
}

/// The outcome of a session.
struct Played {
    lines: Vec<String>,
    cancelled: Vec<String>,
}

impl Played {
    fn answers_to(&self, id: &str) -> Vec<&String> {
        let is_answer = |line: &&String| answered(line) == Some(id);
        self.lines.iter().filter(is_answer).collect()
    }

    /// All lines except those of deferred calls, whose time is open.
    fn in_order(&self, later: &[String]) -> Vec<&String> {
        let belongs = |line: &str| {
            let token = tree::at(line, &["params", "progressToken"]);
            let id = answered(line).or(token);
            id.is_some_and(|id| later.iter().any(|later| later == id))
        };
        self.lines.iter().filter(|line| !belongs(line)).collect()
    }

    fn place(&self, is_it: impl Fn(&str) -> bool) -> Option<usize> {
        self.lines.iter().rposition(|line| is_it(line))
    }
}

/// The id that a line answers; none for a request or a notification.
fn answered(line: &str) -> Option<&str> {
    let is_answer = tree::has(line, &["result"]) || tree::has(line, &["error"]);
    tree::at(line, &["id"]).filter(|_| is_answer)
}

pub(super) fn answers_are_those_of_a_session_in_turn(entropy: &mut Entropy<'_>) {
    let script = Script::of(entropy);
    let ends_with_newline = entropy.once_in(2);
    let mut stream = script.lines.join(&b'\n');
    if ends_with_newline {
        stream.push(b'\n');
    }

    // Each line is served, and each waiting call answered, before the next line comes.
    let mut in_turn = Session::new();
    for line in &script.lines {
        let mut rest = &[line, &b"\n"[..]].concat()[..];
        while !rest.is_empty() {
            in_turn.receive(&mut rest, usize::MAX);
            while in_turn.send(usize::MAX) > 0 || in_turn.complete(0) {}
        }
    }
    let in_turn = in_turn.finish(&[]);

    let mut session = Session::new();
    let mut input = &stream[..];
    let mut progress = 1;
    while !entropy.is_used_up() {
        let most = 1 + entropy.below(60);
        match entropy.below(8) {
            0..=2 => {
                session.receive(&mut input, most);
            }
            3..=5 => {
                session.send(most);
            }
            6 => {
                session.complete(most);
            }
            _ => {
                progress += 1;
                session.report(most, progress);
            }
        }
    }
    let played = session.finish(input);
    compare(&script, &played, &in_turn);
}

fn compare(script: &Script, played: &Played, in_turn: &Played) {
    let context = || {
        let lines = script.lines.iter().map(|line| String::from_utf8_lossy(line));
        let lines: Vec<_> = lines.collect();
        format!("{}\n--\n{}\n--\n{}", lines.join("\n"), played.lines.join("\n"), in_turn.lines.join("\n"))
    };
    for line in &played.lines {
        assert!(tree::members(line).is_some(), "no message: {line}");
    }
    assert_eq!(played.in_order(&script.later), in_turn.in_order(&script.later), "{}", context());
    for id in script.now.iter().chain(&script.later) {
        assert_eq!(in_turn.answers_to(id).len(), 1, "{id}: {}", context());
    }
    for id in &script.later {
        let wanted = match played.cancelled.contains(id) {
            true => Vec::new(),
            false => in_turn.answers_to(id),
        };
        assert_eq!(played.answers_to(id), wanted, "{id}: {}", context());
        let answer = played.place(|line| answered(line) == Some(id));
        let report = played.place(|line| tree::at(line, &["params", "progressToken"]) == Some(id));
        assert!(
            answer.is_none() || report.is_none() || report < answer,
            "{id} reports after its answer: {}",
            context()
        );
    }
}
