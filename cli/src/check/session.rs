//! A session with the server: lines out, lines in, each of these judged by the rules that hold for every line.

use std::collections::HashMap;
use std::ffi::OsString;
use std::time::{Duration, Instant};

use barewire::json::RawValue;
use barewire::mcp::Method;
use barewire::rpc::{Message, Reason, Rules, classify_with};

use super::process::{Came, Line, Process};
use super::reply::{Exchange, Reply, excerpt, is_envelope, modern, request};
use super::table::Table;

/// How long stragglers have after the answer that was waited for.
const SETTLE: Duration = Duration::from_millis(60);

/// How long an answer may come after one to a later request.
const GRACE: Duration = Duration::from_secs(2);

/// How many times longer a server may take for its first answer.
const STARTING: u32 = 3;

/// How many lines of an exchange are kept; a server that floods writes more.
const MOST: usize = 10_000;

/// How many lines a message that was cut by newlines is looked for.
const PIECES: usize = 1000;

/// How to start a server.
pub(super) struct Start<'a> {
    pub(super) command: &'a [OsString],
    pub(super) timeout: Duration,
    pub(super) shows_stderr: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    Legacy,
    Modern,
}

pub(super) struct Session<'a> {
    process: Process,
    table: &'a mut Table,
    timeout: Duration,
    era: Era,
    /// Whether `notifications/initialized` was sent.
    pub(super) is_initialized: bool,
    /// Whether arrays are messages here.
    pub(super) has_batches: bool,
    next_id: u32,
    /// How often each id was answered.
    answered: HashMap<String, u32>,
    /// Ids of requests of the server's.
    asked: Vec<String>,
    /// Lines that begin a message and do not end it.
    broken: Vec<u8>,
    broken_lines: usize,
}

impl<'a> Session<'a> {
    pub(super) fn start(start: &Start<'_>, table: &'a mut Table, era: Era) -> Result<Self, String> {
        Ok(Self {
            process: Process::start(start.command, start.shows_stderr)?,
            table,
            timeout: start.timeout,
            era,
            is_initialized: era == Era::Modern,
            has_batches: false,
            next_id: 0,
            answered: HashMap::new(),
            asked: Vec::new(),
            broken: Vec::new(),
            broken_lines: 0,
        })
    }

    pub(super) fn table(&mut self) -> &mut Table {
        self.table
    }

    /// From here on results are those of a handshake.
    pub(super) fn era_is_legacy(&mut self) {
        self.era = Era::Legacy;
    }

    /// An id that was not used yet: a string, since some servers have trouble with other kinds.
    pub(super) fn fresh_id(&mut self) -> String {
        self.next_id += 1;
        format!("\"c{}\"", self.next_id)
    }

    /// Asks one thing.
    pub(super) fn ask(&mut self, method: &str, params: &str) -> (String, Exchange) {
        let id = self.fresh_id();
        let line = request(&id, method, params);
        let exchange = self.exchange(&[line.into_bytes()], &[&id]);
        (id, exchange)
    }

    /// Sends lines, then a request that every server answers, and returns what came until then. The answers to `wanted`
    /// are waited for a little longer.
    pub(super) fn exchange(&mut self, lines: &[Vec<u8>], wanted: &[&str]) -> Exchange {
        self.send(lines);
        let sentinel = self.fresh_id();
        let (method, params) = match self.era {
            Era::Legacy => ("ping", String::new()),
            Era::Modern => ("server/discover", modern("")),
        };
        self.send(&[request(&sentinel, method, &params).into_bytes()]);
        self.collect(&sentinel, wanted, usize::MAX, self.timeout)
    }

    /// Sends one message that so many answers are expected to. Only where there are fewer, more are waited for.
    pub(super) fn exchange_counted(&mut self, line: &[u8], expected: usize) -> Exchange {
        let sentinel = self.fresh_id();
        self.send(&[line.to_vec(), request(&sentinel, "ping", "").into_bytes()]);
        let enough = if expected == 0 { usize::MAX } else { expected + 1 };
        self.collect(&sentinel, &[], enough, self.timeout)
    }

    /// Only asks, for a server that is not ready to answer anything else: it may still be starting, which takes longer.
    pub(super) fn only(&mut self, line: &str, id: &str) -> Exchange {
        self.send(&[line.as_bytes().to_vec()]);
        self.collect(id, &[], usize::MAX, self.timeout * STARTING)
    }

    pub(super) fn send(&self, lines: &[Vec<u8>]) {
        for line in lines {
            let mut bytes = line.clone();
            bytes.push(b'\n');
            self.process.send(&bytes);
        }
    }

    fn collect(&mut self, sentinel: &str, wanted: &[&str], enough: usize, timeout: Duration) -> Exchange {
        let mut replies: Vec<Reply> = Vec::new();
        let mut is_alive = false;
        let mut exit = None;
        let start = Instant::now();
        let last = start + timeout + GRACE;
        let mut until = start + timeout;
        loop {
            match self.process.next(until) {
                Came::Line(line) => self.line(line, &mut replies),
                Came::Silence => break,
                Came::End => {
                    exit = self.process.exit();
                    break;
                }
                Came::Interrupted => {
                    self.cancel(sentinel, wanted);
                    break;
                }
            }
            let has = |id: &str| {
                replies
                    .iter()
                    .any(|reply| reply.is_response() && reply.id() == Some(id))
            };
            if !is_alive && has(sentinel) {
                is_alive = true;
                until = (Instant::now() + GRACE).min(last);
            }
            if is_alive && wanted.iter().all(|id| has(id)) {
                until = until.min(Instant::now() + SETTLE);
            }
            if is_alive && replies.iter().filter(|reply| reply.is_response()).count() >= enough {
                break;
            }
            if Instant::now() >= last || replies.len() >= MOST {
                break;
            }
        }
        Exchange {
            replies,
            is_alive,
            exit,
        }
    }

    /// Gives up the requests of an exchange.
    fn cancel(&self, sentinel: &str, wanted: &[&str]) {
        for id in wanted.iter().chain([&sentinel]) {
            let cancelled = format!(
                r#"{{"jsonrpc":"2.0","method":"{}","params":{{"requestId":{id}}}}}"#,
                Method::Cancelled.name()
            );
            self.send(&[cancelled.into_bytes()]);
        }
    }

    /// What comes in that time.
    pub(super) fn listen(&mut self, longest: Duration) -> Vec<Reply> {
        let until = Instant::now() + longest;
        let mut replies = Vec::new();
        while let Came::Line(line) = self.process.next(until) {
            self.line(line, &mut replies);
            if Instant::now() >= until || replies.len() >= MOST {
                break;
            }
        }
        replies
    }

    /// Closes the input; whether the server ends.
    pub(super) fn ends(mut self) -> bool {
        self.process.close();
        self.process.ends_in(self.timeout)
    }

    fn line(&mut self, line: Line, replies: &mut Vec<Reply>) {
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong => {
                self.table.fault("17", "a line of more than 16 MiB");
                return;
            }
            Line::Cut(bytes) => {
                self.table
                    .fault("16", format!("no newline after: {}", excerpt(&bytes)));
                bytes
            }
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match RawValue::new(&bytes) {
            Ok(value) if self.broken_lines == 0 || is_envelope(value) => {
                self.end_broken();
                match value.as_array() {
                    Some(elements) => {
                        self.table
                            .judge("17", self.has_batches, || format!("a batch: {}", excerpt(&bytes)));
                        for element in elements.elements() {
                            self.message(element.as_bytes().to_vec(), replies);
                        }
                    }
                    None => self.message(bytes, replies),
                }
            }
            // On its own it may be an element of a list that has a line for each.
            _ => self.no_json(&bytes, replies),
        }
    }

    /// A line that is not JSON may be a piece of a message.
    fn no_json(&mut self, line: &[u8], replies: &mut Vec<Reply>) {
        if std::str::from_utf8(line).is_err()
            || line.iter().any(|byte| matches!(byte, 0..=8 | 11 | 12 | 14..=31))
        {
            self.table.fault("16", excerpt(line));
            // What it would be, to go on with.
            let repaired: String = String::from_utf8_lossy(line)
                .chars()
                .map(|character| if character.is_control() { '?' } else { character })
                .collect();
            if RawValue::new(repaired.as_bytes()).is_ok() {
                self.message(repaired.into_bytes(), replies);
            }
            return;
        }
        if self.broken.is_empty() && !line.trim_ascii_start().starts_with(b"{") {
            self.table.fault("17", excerpt(line));
            return;
        }
        if self.broken_lines > 0 {
            self.broken.push(b'\n');
        }
        self.broken.extend_from_slice(line);
        self.broken_lines += 1;
        if self.broken_lines > PIECES || self.broken.len() > 1 << 20 {
            self.end_broken();
        } else if line.trim_ascii_end().ends_with(b"}") {
            self.join(replies);
        }
    }

    /// Looks whether the pieces are a message by now.
    fn join(&mut self, replies: &mut Vec<Reply>) {
        // A newline between tokens, or one inside a string.
        let escaped: Vec<u8> = self
            .broken
            .iter()
            .flat_map(|byte| match byte {
                b'\n' => b"\\n".to_vec(),
                byte => vec![*byte],
            })
            .collect();
        for text in [self.broken.clone(), escaped] {
            if RawValue::new(&text).is_ok() {
                self.table
                    .fault("16", format!("newlines inside of: {}", excerpt(&self.broken)));
                self.broken.clear();
                self.broken_lines = 0;
                self.message(text, replies);
                return;
            }
        }
    }

    fn end_broken(&mut self) {
        if self.broken_lines > 0 {
            let text = excerpt(&self.broken);
            self.table.fault("17", text);
            self.broken.clear();
            self.broken_lines = 0;
        }
    }

    /// Judges one message, and answers it if it is a request.
    fn message(&mut self, bytes: Vec<u8>, replies: &mut Vec<Reply>) {
        let reply = Reply(bytes);
        for number in ["16", "17"] {
            self.table.met(number);
        }
        match classify_with(&reply.0, &Rules::LENIENT) {
            Ok(message) => {
                for number in ["1", "2"] {
                    self.table.met(number);
                }
                match message {
                    Message::Request(request) => self.request(&reply, request.id().to_string()),
                    Message::Notification(_) => self.notification(&reply),
                    Message::Response(_) => {}
                }
            }
            Err(rejection) => {
                let number = match rejection.reason() {
                    Reason::MissingVersion | Reason::WrongVersion => "1",
                    Reason::InvalidId => "2",
                    Reason::ResultAndError => "7",
                    Reason::ErrorNotAnObject
                    | Reason::InvalidErrorCode
                    | Reason::InvalidErrorMessage
                    | Reason::RepeatedErrorMember => "8",
                    Reason::ResultNotAnObject => "10",
                    Reason::ResultWithoutId => "6",
                    _ => "17",
                };
                self.table.fault(number, reply.excerpt());
            }
        }
        if reply.is_response() {
            self.response(&reply);
        }
        replies.push(reply);
    }

    fn request(&mut self, reply: &Reply, id: String) {
        let method = reply.method().unwrap_or_default().to_owned();
        if method.starts_with("notifications/") {
            self.table.fault("3", reply.excerpt());
            return;
        }
        let is_new = !self.asked.contains(&id);
        self.table
            .judge("5", is_new, || format!("used twice: {}", reply.excerpt()));
        self.asked.push(id.clone());
        match self.era {
            Era::Modern => self.table.fault("41", reply.excerpt()),
            Era::Legacy if !self.is_initialized && method != Method::Ping.name() => {
                self.table.fault("26", reply.excerpt());
            }
            Era::Legacy => {}
        }
        let answer = if method == Method::Ping.name() {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        } else {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#)
        };
        if self.era == Era::Legacy {
            self.process.answer(format!("{answer}\n").as_bytes());
        }
    }

    fn notification(&mut self, reply: &Reply) {
        self.table.met("3");
        let method = reply.method().unwrap_or_default();
        if method == Method::Progress.name() {
            // No request of this program has a progress token.
            self.table.fault("64", reply.excerpt());
        }
        if !self.is_initialized && method != Method::LogMessage.name() {
            self.table.fault("26", reply.excerpt());
        }
    }

    fn response(&mut self, reply: &Reply) {
        if let Some(id) = reply.id().filter(|id| *id != "null") {
            let count = self.answered.entry(id.to_owned()).or_default();
            *count += 1;
            let is_first = *count == 1;
            self.table
                .judge("1.1", is_first, || format!("answered again: {}", reply.excerpt()));
        }
        if let Some(code) = reply.code()
            && self.era == Era::Modern
        {
            let is_known = !(-32_099..=-32_020).contains(&code) || matches!(code, -32_022..=-32_020);
            self.table.judge("83", is_known, || reply.excerpt());
        }
        if reply.get("error").is_some() {
            self.table.met("8");
        }
        let Some(result) = reply.result() else { return };
        self.table.met("7");
        self.table.met("10");
        match self.era {
            Era::Legacy => {
                let added = ["resultType", "ttlMs", "cacheScope"];
                let is_plain = added.iter().all(|name| result.get(name).is_none());
                self.table.judge("36 L", is_plain, || reply.excerpt());
            }
            Era::Modern => {
                self.table
                    .judge("36", result.get("resultType").is_some(), || reply.excerpt());
                let info = result
                    .get("_meta")
                    .and_then(RawValue::as_object)
                    .and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"))
                    .and_then(RawValue::as_object);
                self.table.judge("37", info.is_some(), || reply.excerpt());
            }
        }
    }
}
