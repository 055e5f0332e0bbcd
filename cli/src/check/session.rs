//! A session with the server: sends requests, and waits for their answers, which may come in any order.

mod incoming;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::time::{Duration, Instant};

use barewire::json::RawValue;
use barewire::mcp::{Era, Method, ProtocolVersion};

use super::expected::Expected;
use super::lines::Lines;
use super::process::{Process, Received};
use super::reply::{Reply, key};
use super::table::Table;
use super::templates;

/// Time in which late messages may come after the answer to a later request.
const SETTLE: Duration = Duration::from_millis(60);

/// Longest time for late messages, if the server was seen to answer out of order.
const SETTLE_MOST: Duration = Duration::from_secs(2);

/// Time to wait for an answer before other requests are sent. It may still come later.
const BRIEF: Duration = Duration::from_millis(500);

/// Factor by which a server may take longer for its first answer.
const STARTING: u32 = 3;

/// Largest number of messages that are kept; a server that floods writes more.
const MOST: usize = 10_000;

/// The command of a server, and its times.
pub(super) struct Start<'a> {
    pub(super) command: &'a [OsString],
    pub(super) timeout: Duration,
    pub(super) shows_stderr: bool,
    /// Longest time by which an answer came after the answer to a later request.
    pub(super) lag: Cell<Duration>,
}

/// An unanswered request.
struct Pending {
    /// The id as it was sent.
    id: String,
    key: String,
    method: String,
    /// The params without the metadata.
    params: String,
    row: &'static str,
    expected: Expected,
    /// Time at which the request was sent, or a request before it was answered: a server may handle one after the
    /// other.
    since: Instant,
    limit: Duration,
    is_modern: bool,
    /// Whether the request only tests that the server lives.
    is_sentinel: bool,
    /// Time at which a later request was answered.
    overtaken: Option<Instant>,
}

pub(super) struct Session<'a> {
    process: Process,
    pub(super) table: &'a mut Table,
    start: &'a Start<'a>,
    pub(super) era: Era,
    lines: Lines,
    /// Whether `notifications/initialized` was sent.
    is_initialized: bool,
    next_id: u32,
    pending: Vec<Pending>,
    /// Answers by key; `None` once an answer is no longer expected.
    answers: HashMap<String, Option<Reply>>,
    /// Methods that were not answered in time.
    silent: HashSet<String>,
    /// Index of the method of [`templates::sentinels`] that answers.
    sentinel: usize,
    knows_sentinel: bool,
    /// Ids in lines that need no answer, with the row and the allowed answers.
    expected_by_id: HashMap<String, (&'static str, Expected)>,
    /// Unmatched responses that may answer lines that are not requests; `None` while only requests are sent.
    unmatched: Option<Vec<Reply>>,
    has_sent_other_lines: bool,
    notifications: Vec<Reply>,
    /// Ids of the server's requests.
    server_ids: HashSet<String>,
    is_dead: bool,
    /// The exit of the server, if it has exited, as the end of a sentence: `: the server exited with status 1`.
    pub(super) exit: String,
}

impl<'a> Session<'a> {
    pub(super) fn start(start: &'a Start<'a>, table: &'a mut Table, era: Era) -> Result<Self, String> {
        table.set_revision(match era {
            Era::Legacy => "before 2026-07-28",
            Era::Modern => "2026-07-28",
        });
        Ok(Self {
            process: Process::start(start.command, start.shows_stderr)?,
            table,
            start,
            era,
            lines: Lines::default(),
            is_initialized: era == Era::Modern,
            next_id: 800_000,
            pending: Vec::new(),
            answers: HashMap::new(),
            silent: HashSet::new(),
            sentinel: 0,
            knows_sentinel: false,
            expected_by_id: HashMap::new(),
            unmatched: None,
            has_sent_other_lines: false,
            notifications: Vec::new(),
            server_ids: HashSet::new(),
            is_dead: false,
            exit: String::new(),
        })
    }

    /// Sets the negotiated revision.
    pub(super) fn set_version(&mut self, version: ProtocolVersion) {
        self.lines.has_batches = version == ProtocolVersion::V2025_03_26;
        self.table.set_revision(version.as_str());
    }

    pub(super) fn initialized(&mut self) {
        self.is_initialized = true;
        self.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    /// Sends a request, and returns the key of its answer. The id is a string of digits, so that a change of its type
    /// is noticed.
    pub(super) fn request(
        &mut self,
        row: &'static str,
        method: &str,
        template: &str,
        expected: Expected,
    ) -> String {
        self.next_id += 1;
        let id = format!("\"{}\"", self.next_id);
        let line = templates::expand(self.era, template).replace("$ID", &id);
        let key = self.expect_answer(row, method, &id, expected);
        let pending = self.last_pending();
        pending.is_modern = line.contains("io.modelcontextprotocol/");
        pending.params = templates::own_params(template);
        self.send(line.as_bytes());
        key
    }

    /// Expects an answer to this id, and returns its key.
    pub(super) fn expect_answer(
        &mut self,
        row: &'static str,
        method: &str,
        id: &str,
        expected: Expected,
    ) -> String {
        let key = RawValue::new(id.as_bytes()).map(key).ok().flatten();
        let key = key.unwrap_or_default();
        self.pending.push(Pending {
            id: id.to_owned(),
            key: key.clone(),
            method: method.to_owned(),
            params: String::new(),
            row,
            expected,
            since: Instant::now(),
            limit: self.start.timeout,
            is_modern: self.era == Era::Modern,
            is_sentinel: false,
            overtaken: None,
        });
        key
    }

    fn last_pending(&mut self) -> &mut Pending {
        self.pending.last_mut().expect("a request was added before")
    }

    /// Sends a request to a server that may still be starting, which takes longer. A missing answer is not a fault
    /// here.
    pub(super) fn first(&mut self, row: &'static str, method: &str, line: &str) -> Option<Reply> {
        let key = self.request(row, method, line, Expected::Any);
        let limit = self.start.timeout * STARTING;
        self.last_pending().limit = limit;
        self.wait(limit, |session| session.has_answer(&key));
        self.pending.clear();
        self.answer(&key)
    }

    /// Gives up the unanswered requests. A handshake cannot be cancelled.
    fn cancel(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            if pending.method != Method::Initialize.name() {
                self.send(templates::cancelled(&pending.id).as_bytes());
            }
        }
    }

    /// Sends a line of any kind.
    pub(super) fn send(&mut self, line: &[u8]) {
        let mut bytes = match std::str::from_utf8(line) {
            Ok(line) => templates::expand(self.era, line).into_bytes(),
            Err(_) => line.to_vec(),
        };
        bytes.push(b'\n');
        self.process.send(&bytes);
    }

    fn answer(&self, key: &str) -> Option<Reply> {
        self.answers.get(key).cloned().flatten()
    }

    fn has_answer(&self, key: &str) -> bool {
        self.answers.contains_key(key)
    }

    /// Whether a request of this method was not answered in time.
    pub(super) fn is_silent(&self, method: &str) -> bool {
        self.silent.contains(method)
    }

    /// Waits briefly for an answer, which may also come later. Returns whether the server lives.
    pub(super) fn wait_briefly(&mut self, key: &str, method: &str) -> bool {
        let mut pending = self.pending.iter();
        let is_slow =
            self.is_silent(method) || pending.any(|pending| pending.method == method && pending.key != key);
        let longest = if is_slow { SETTLE } else { BRIEF };
        self.wait(longest, |session| session.has_answer(key)) || self.is_alive()
    }

    /// Waits briefly for several answers. Returns whether they came.
    pub(super) fn wait_for_all(&mut self, keys: &[String]) -> bool {
        self.wait(BRIEF, |session| keys.iter().all(|key| session.has_answer(key)))
    }

    /// Waits for as long as the answer may take.
    pub(super) fn wait_for(&mut self, key: &str) -> Option<Reply> {
        self.wait(self.start.timeout, |session| session.has_answer(key));
        self.answer(key)
    }

    /// Whether the server answers a request that every server answers. If it does not answer the first of these
    /// methods, the others are tried.
    pub(super) fn is_alive(&mut self) -> bool {
        let sentinels = templates::sentinels(self.era);
        let mut keys = vec![self.request_sentinel(sentinels[self.sentinel])];
        let is_known = self.knows_sentinel;
        let longest = if is_known { self.start.timeout } else { BRIEF };
        if !self.wait(longest, |session| session.has_answer(&keys[0])) && !is_known {
            for method in &sentinels[self.sentinel + 1..] {
                keys.push(self.request_sentinel(method));
            }
            let has_any = |session: &Self| keys.iter().any(|key| session.has_answer(key));
            self.wait(self.start.timeout, has_any);
        }
        match keys.iter().position(|key| self.has_answer(key)) {
            Some(index) => {
                self.sentinel += index;
                self.knows_sentinel = true;
            }
            None => self.is_dead = true,
        }
        !self.is_dead
    }

    fn request_sentinel(&mut self, method: &str) -> String {
        let key = self.request("1.1", method, &templates::request(self.era, method, ""), Expected::Any);
        self.last_pending().is_sentinel = true;
        key
    }

    /// Registers the row and the allowed answers of lines that are not requests.
    pub(super) fn expect_at_most(&mut self, row: &'static str, lines: &[&[u8]], expected: Expected) {
        for id in lines.iter().flat_map(|line| templates::ids(line)) {
            self.expected_by_id.insert(id, (row, expected));
        }
    }

    /// Sends lines that are not requests. Returns whether the server lives, and the unmatched responses that came after
    /// them.
    pub(super) fn send_others(&mut self, lines: &[&[u8]]) -> (bool, Vec<Reply>) {
        self.send_others_until(lines, usize::MAX, Duration::ZERO)
    }

    /// As [`send_others`](Self::send_others), but stops waiting after `enough` responses, and waits that much longer
    /// without them.
    pub(super) fn send_others_until(
        &mut self,
        lines: &[&[u8]],
        enough: usize,
        longer: Duration,
    ) -> (bool, Vec<Reply>) {
        self.has_sent_other_lines = true;
        self.unmatched = Some(Vec::new());
        let is_alive = lines.iter().all(|line| {
            self.send(line);
            self.is_alive()
        });
        if is_alive {
            let has_enough =
                |session: &Self| session.unmatched.as_ref().is_some_and(|all| all.len() >= enough);
            self.settle(has_enough);
            self.wait(longer, has_enough);
        }
        (is_alive, self.unmatched.take().unwrap_or_default())
    }

    /// Waits for messages that come after an answer to a later request.
    pub(super) fn settle(&mut self, done: impl Fn(&Self) -> bool) {
        let longest = SETTLE.max(self.start.lag.get() * 2).min(SETTLE_MOST);
        self.wait(longest, done);
    }

    /// The notifications since the last call.
    pub(super) fn notifications(&mut self) -> Vec<Reply> {
        std::mem::take(&mut self.notifications)
    }

    /// Waits for every request as long as its time allows, and reports those without an answer.
    pub(super) fn wait_for_pending(&mut self) {
        // An answer may extend the time of others.
        while let Some(last) = self.pending.iter().map(|pending| pending.since + pending.limit).max()
            && let longest = last.saturating_duration_since(Instant::now())
            && !longest.is_zero()
            && !self.is_dead
        {
            self.wait(longest, |session| session.pending.is_empty());
        }
        let mut missing: Vec<String> = Vec::new();
        for pending in std::mem::take(&mut self.pending) {
            self.answers.insert(pending.key.clone(), None);
            // This request has shown that the server died.
            if pending.is_sentinel && self.is_dead {
                continue;
            }
            if pending.row != "1.1" {
                let (method, limit) = (&pending.method, pending.limit.as_secs_f32());
                let why = format!("{method}: no answer within {limit} s{}", self.exit);
                self.table.fault(pending.row, why);
            }
            self.silent.insert(pending.method.clone());
            if !missing.contains(&pending.method) {
                missing.push(pending.method);
            }
        }
        if !missing.is_empty() {
            let (limit, missing) = (self.start.timeout.as_secs_f32(), missing.join(", "));
            let why = format!("no answer within {limit} s to {missing}{}", self.exit);
            self.table.fault("1.1", why);
        }
    }

    /// Closes the input, and returns whether the server ends.
    pub(super) fn ends(mut self) -> bool {
        self.process.close();
        self.process.ends_in(self.start.timeout)
    }

    /// Reads until `is_done`, or for that long. Returns whether it is done.
    pub(super) fn wait(&mut self, longest: Duration, is_done: impl Fn(&Self) -> bool) -> bool {
        let until = Instant::now() + longest;
        while !is_done(self) {
            if self.is_dead || Instant::now() >= until {
                return false;
            }
            match self.process.receive(until) {
                Received::Line(line) => {
                    for message in self.lines.messages(line, self.table) {
                        self.message(Reply(message));
                    }
                }
                Received::Nothing => return is_done(self),
                Received::End => {
                    self.is_dead = true;
                    let exit = self.process.exit();
                    self.exit = exit.map_or(String::new(), |exit| format!(": the server {exit}"));
                }
                Received::Interrupted => {
                    self.is_dead = true;
                    self.cancel();
                }
            }
        }
        true
    }
}
