//! A session with the server: sends requests, reads messages, and checks each answer whenever it comes.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::time::{Duration, Instant};

use barewire::json::RawValue;
use barewire::mcp::{Method, ProtocolVersion};
use barewire::rpc::{Message, RequestId};

use super::judge;
use super::lines::Lines;
use super::process::{Came, Process};
use super::reply::{Reply, key};
use super::rules::{Expected, any};
use super::table::Table;

/// Time that stragglers have after the answer to a later request.
const SETTLE: Duration = Duration::from_millis(60);

/// Longest time for stragglers, if the server was seen to answer out of order.
const SETTLE_MOST: Duration = Duration::from_secs(2);

/// Time to wait for an answer before other requests are sent. It may still come later.
const PATIENCE: Duration = Duration::from_millis(500);

/// Factor by which a server may take longer for its first answer.
const STARTING: u32 = 3;

/// Number of messages read in one wait; a server that floods writes more.
const MOST: usize = 10_000;

/// The required keys of modern metadata, and the optional one.
pub(super) const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;
const CLIENT_INFO: &str = r#""io.modelcontextprotocol/clientInfo":{"name":"barewire check","version":"1"}"#;

/// The command and the times of a server.
pub(super) struct Start<'a> {
    pub(super) command: &'a [OsString],
    pub(super) timeout: Duration,
    pub(super) shows_stderr: bool,
    /// Longest time by which an answer came after the answer to a later request.
    pub(super) lag: Cell<Duration>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    Legacy,
    Modern,
}

/// An unanswered request.
struct Owed {
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
    owed: Vec<Owed>,
    /// Unanswered requests by key; `None` once an answer is no longer expected.
    answers: HashMap<String, Option<Reply>>,
    /// Methods that were not answered in time.
    silent: HashSet<String>,
    /// Index of the method of [`Session::sentinels`] that answers.
    sentinel: usize,
    knows_sentinel: bool,
    /// Ids in messages that need no answer, with the row and the allowed answers.
    odd_ids: HashMap<String, (&'static str, Expected)>,
    /// Unmatched responses that may answer messages that are not requests; `None` while only requests are sent.
    strays: Option<Vec<Reply>>,
    notifications: Vec<Reply>,
    has_odd: bool,
    /// Ids of the server's requests.
    asked: HashSet<String>,
    is_dead: bool,
    /// The exit of the server as the end of a sentence, if it has exited.
    exit: Option<String>,
}

impl<'a> Session<'a> {
    pub(super) fn start(start: &'a Start<'a>, table: &'a mut Table, era: Era) -> Result<Self, String> {
        table.says(match era {
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
            owed: Vec::new(),
            answers: HashMap::new(),
            silent: HashSet::new(),
            sentinel: 0,
            knows_sentinel: false,
            odd_ids: HashMap::new(),
            strays: None,
            notifications: Vec::new(),
            has_odd: false,
            asked: HashSet::new(),
            is_dead: false,
            exit: None,
        })
    }

    /// The negotiated revision.
    pub(super) fn speaks(&mut self, version: ProtocolVersion) {
        self.lines.has_batches = version == ProtocolVersion::V2025_03_26;
        self.table.says(version.as_str());
    }

    pub(super) fn initialized(&mut self) {
        self.is_initialized = true;
        self.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    /// A request as text; `members` are the params without the metadata of the era.
    pub(super) fn line(&self, method: &str, members: &str) -> String {
        let params = match (self.era, members) {
            (Era::Legacy, "") => String::new(),
            (Era::Legacy, members) => format!(r#","params":{{{members}}}"#),
            (Era::Modern, members) => {
                let comma = if members.is_empty() { "" } else { "," };
                format!(r#","params":{{{members}{comma}"_meta":{{{META},{CLIENT_INFO}}}}}"#)
            }
        };
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"method":"{method}"{params}}}"#)
    }

    /// Fills in the placeholders: `$ALIVE` is a method that is always served, `$PARAMS` its params with a comma before
    /// them, `$META` the metadata of the era with a comma after it.
    fn expand(&self, template: &str) -> String {
        let (params, meta) = match self.era {
            Era::Legacy => (String::new(), String::new()),
            Era::Modern => (
                format!(r#","params":{{"_meta":{{{META},{CLIENT_INFO}}}}}"#),
                format!("{META},{CLIENT_INFO},"),
            ),
        };
        template
            .replace("$ALIVE", self.alive())
            .replace("$PARAMS", &params)
            .replace("$META", &meta)
    }

    /// Methods that every server answers, at least with an error.
    fn sentinels(&self) -> [&'static str; 3] {
        let first = match self.era {
            Era::Legacy => "ping",
            Era::Modern => "server/discover",
        };
        [first, "barewire/unknown", "tools/list"]
    }

    /// The method that is always served.
    pub(super) fn alive(&self) -> &'static str {
        self.sentinels()[0]
    }

    /// Sends a request, and returns the key of its answer. The id is a string of digits, so that a change of its type
    /// is noticed.
    pub(super) fn ask(
        &mut self,
        row: &'static str,
        method: &str,
        template: &str,
        expected: Expected,
    ) -> String {
        let id = self.fresh_id();
        let line = self.expand(template).replace("$ID", &id);
        let is_modern = line.contains("io.modelcontextprotocol/");
        let key = self.owe(row, method, &id, is_modern, expected);
        if let Some(owed) = self.owed.last_mut()
            && let Some((_, params)) = template.split_once(r#""params":{"#)
        {
            let own = params.split(r#""_meta":"#).next().unwrap_or_default();
            let own = own.strip_suffix("}}").unwrap_or(own).trim_end_matches(',');
            if !own.is_empty() {
                owed.params = format!(" {{{own}}}");
            }
        }
        self.send(line.as_bytes());
        key
    }

    pub(super) fn fresh_id(&mut self) -> String {
        self.next_id += 1;
        format!("\"{}\"", self.next_id)
    }

    /// Expects an answer to this id.
    pub(super) fn owe(
        &mut self,
        row: &'static str,
        method: &str,
        id: &str,
        is_modern: bool,
        expected: Expected,
    ) -> String {
        let key = RawValue::new(id.as_bytes())
            .ok()
            .and_then(key)
            .unwrap_or_default();
        self.owed.push(Owed {
            id: id.to_owned(),
            key: key.clone(),
            method: method.to_owned(),
            params: String::new(),
            row,
            expected,
            since: Instant::now(),
            limit: self.start.timeout,
            is_modern,
            is_sentinel: false,
            overtaken: None,
        });
        key
    }

    /// Sends a request to a server that may still be starting, which takes longer. A missing answer is not a fault
    /// here.
    pub(super) fn first(&mut self, row: &'static str, method: &str, line: &str) -> Option<Reply> {
        let key = self.ask(row, method, line, any);
        let limit = self.start.timeout * STARTING;
        if let Some(owed) = self.owed.last_mut() {
            owed.limit = limit;
        }
        self.wait(limit, |session| session.has_answer(&key));
        self.owed.clear();
        self.answer(&key)
    }

    /// The exit of the server as part of a reason; empty while it runs.
    pub(super) fn but(&self) -> String {
        self.exit
            .as_ref()
            .map_or(String::new(), |exit| format!(": the server {exit}"))
    }

    /// Gives up the unanswered requests. A handshake cannot be cancelled.
    fn cancel(&mut self) {
        for owed in std::mem::take(&mut self.owed) {
            if owed.method != Method::Initialize.name() {
                let cancelled = format!(
                    r#"{{"jsonrpc":"2.0","method":"{}","params":{{"requestId":{}}}}}"#,
                    Method::Cancelled.name(),
                    owed.id
                );
                self.send(cancelled.as_bytes());
            }
        }
    }

    /// Sends a line of any kind.
    pub(super) fn send(&mut self, line: &[u8]) {
        let mut bytes = match std::str::from_utf8(line) {
            Ok(line) => self.expand(line).into_bytes(),
            Err(_) => line.to_vec(),
        };
        bytes.push(b'\n');
        self.process.send(&bytes);
    }

    pub(super) fn answer(&self, key: &str) -> Option<Reply> {
        self.answers.get(key).cloned().flatten()
    }

    fn has_answer(&self, key: &str) -> bool {
        self.answers.contains_key(key)
    }

    /// Whether a request of this method was not answered in time.
    pub(super) fn is_silent(&self, method: &str) -> bool {
        self.silent.contains(method)
    }

    /// Waits a little for an answer, which may also come later. Returns whether the server lives.
    pub(super) fn patience(&mut self, key: &str, method: &str) -> bool {
        let is_slow = self.is_silent(method)
            || self
                .owed
                .iter()
                .any(|owed| owed.method == method && owed.key != key);
        let longest = if is_slow { SETTLE } else { PATIENCE };
        self.wait(longest, |session| session.has_answer(key)) || self.is_alive()
    }

    /// Waits a little for several answers. Returns whether they came.
    pub(super) fn wait_for_all(&mut self, keys: &[String]) -> bool {
        self.wait(PATIENCE, |session| keys.iter().all(|key| session.has_answer(key)))
    }

    /// Waits for as long as the answer may take.
    pub(super) fn wait_for(&mut self, key: &str) -> Option<Reply> {
        self.wait(self.start.timeout, |session| session.has_answer(key));
        self.answer(key)
    }

    /// Whether the server answers a request that every server answers. If it does not answer the first of these
    /// methods, the others are tried.
    pub(super) fn is_alive(&mut self) -> bool {
        let sentinels = self.sentinels();
        let mut keys = vec![self.ask_sentinel(sentinels[self.sentinel])];
        let is_known = self.knows_sentinel;
        let longest = if is_known { self.start.timeout } else { PATIENCE };
        if !self.wait(longest, |session| session.has_answer(&keys[0])) && !is_known {
            for method in &sentinels[self.sentinel + 1..] {
                keys.push(self.ask_sentinel(method));
            }
            self.wait(self.start.timeout, |session| {
                keys.iter().any(|key| session.has_answer(key))
            });
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

    fn ask_sentinel(&mut self, method: &str) -> String {
        let key = self.ask("1.1", method, &self.line(method, ""), any);
        if let Some(owed) = self.owed.last_mut() {
            owed.is_sentinel = true;
        }
        key
    }

    /// Registers the row and the allowed answers of these lines.
    pub(super) fn expect_odd(&mut self, row: &'static str, lines: &[&[u8]], expected: Expected) {
        for id in lines.iter().flat_map(|line| ids(line)) {
            self.odd_ids.insert(id, (row, expected));
        }
    }

    /// Sends lines that are not requests. Returns whether the server lives, and the unmatched responses that came after
    /// them.
    pub(super) fn odd(&mut self, lines: &[&[u8]]) -> (bool, Vec<Reply>) {
        self.odd_until(lines, usize::MAX, Duration::ZERO)
    }

    /// [`odd`](Self::odd) that stops waiting after `enough` responses, and waits that much longer without them.
    pub(super) fn odd_until(
        &mut self,
        lines: &[&[u8]],
        enough: usize,
        longer: Duration,
    ) -> (bool, Vec<Reply>) {
        self.has_odd = true;
        self.strays = Some(Vec::new());
        let is_alive = lines.iter().all(|line| {
            self.send(line);
            self.is_alive()
        });
        if is_alive {
            let has_enough = |session: &Self| {
                session
                    .strays
                    .as_ref()
                    .is_some_and(|strays| strays.len() >= enough)
            };
            self.settle(has_enough);
            self.wait(longer, has_enough);
        }
        (is_alive, self.strays.take().unwrap_or_default())
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
    pub(super) fn settle_debts(&mut self) {
        // An answer may extend the time of others.
        while let Some(last) = self.owed.iter().map(|owed| owed.since + owed.limit).max()
            && let longest = last.saturating_duration_since(Instant::now())
            && !longest.is_zero()
            && !self.is_dead
        {
            self.wait(longest, |session| session.owed.is_empty());
        }
        let but = self.but();
        let mut missing: Vec<String> = Vec::new();
        for owed in std::mem::take(&mut self.owed) {
            self.answers.insert(owed.key, None);
            // This request has shown that the server died.
            if owed.is_sentinel && self.is_dead {
                continue;
            }
            let why = format!(
                "{}: no answer within {} s{but}",
                owed.method,
                owed.limit.as_secs_f32()
            );
            if owed.row != "1.1" {
                self.table.fault(owed.row, why);
            }
            self.silent.insert(owed.method.clone());
            if !missing.contains(&owed.method) {
                missing.push(owed.method);
            }
        }
        if !missing.is_empty() {
            self.table.fault(
                "1.1",
                format!(
                    "no answer within {} s to {}{but}",
                    self.start.timeout.as_secs_f32(),
                    missing.join(", ")
                ),
            );
        }
    }

    /// Closes the input, and returns whether the server ends.
    pub(super) fn ends(mut self) -> bool {
        self.process.close();
        self.process.ends_in(self.start.timeout)
    }

    /// Reads until `is_done`, or for that long. Returns whether it is done.
    pub(super) fn wait(&mut self, longest: Duration, done: impl Fn(&Self) -> bool) -> bool {
        let until = Instant::now() + longest;
        while !done(self) {
            if self.is_dead || Instant::now() >= until {
                return false;
            }
            match self.process.next(until) {
                Came::Line(line) => {
                    for message in self.lines.messages(line, self.table) {
                        self.message(Reply(message));
                    }
                }
                Came::Silence => return done(self),
                Came::End => {
                    self.is_dead = true;
                    self.exit = self.process.exit();
                }
                Came::Interrupted => {
                    self.is_dead = true;
                    self.cancel();
                }
            }
        }
        true
    }

    fn message(&mut self, reply: Reply) {
        match judge::message(self.table, &reply) {
            Some(Message::Request(request)) => self.request(&reply, &request.id().to_string()),
            Some(Message::Notification(_)) => self.notification(reply),
            None if reply.method().is_some() && reply.get("id").is_none() => self.notification(reply),
            // Read even if it is not quite valid.
            _ if reply.is_response() => self.response(reply),
            _ => {}
        }
    }

    /// Checks a request of the server, and answers it.
    fn request(&mut self, reply: &Reply, id: &str) {
        let method = reply.method().unwrap_or_default();
        if method.starts_with("notifications/") {
            self.table.fault("3", reply.excerpt());
            return;
        }
        let is_new = self.asked.insert(id.to_owned());
        self.table
            .judge("5", is_new, || format!("used twice: {}", reply.excerpt()));
        let is_ping = method == Method::Ping.name();
        if self.era == Era::Modern {
            self.table.fault("41", reply.excerpt());
            return;
        }
        if !self.is_initialized && !is_ping {
            self.table.fault("26", reply.excerpt());
        }
        let answer = if is_ping {
            r#""result":{}"#
        } else {
            r#""error":{"code":-32601,"message":"Method not found"}"#
        };
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{answer}}}\n");
        self.process.answer(line.as_bytes());
    }

    fn notification(&mut self, reply: Reply) {
        self.table.met("3");
        if reply.method().as_deref() == Some(Method::Progress.name()) {
            // The requests of this program have no progress token.
            self.table.fault("64", reply.excerpt());
        }
        if self.notifications.len() < MOST {
            self.notifications.push(reply);
        }
    }

    fn response(&mut self, reply: Reply) {
        let key = reply.get("id").and_then(key);
        let index = self.owed.iter().position(|owed| Some(&owed.key) == key.as_ref());
        let Some((index, key)) = index.zip(key.clone()) else {
            self.unexpected(key, reply);
            return;
        };
        let now = Instant::now();
        let owed = self.owed.remove(index);
        for earlier in &mut self.owed[..index] {
            earlier.overtaken.get_or_insert(now);
        }
        let is_late = now > owed.since + owed.limit;
        if !is_late {
            for later in &mut self.owed[index..] {
                later.since = now;
            }
        }
        // Only for methods that every server answers at once; others may take their time.
        if let Some(overtaken) = owed.overtaken
            && !is_late
            && self.sentinels()[..2].contains(&owed.method.as_str())
        {
            let lag = now.duration_since(overtaken);
            self.start.lag.set(self.start.lag.get().max(lag));
        }
        let told = || format!("{}{}: {}", owed.method, owed.params, reply.excerpt());
        self.table.judge("1.1", !is_late, || {
            format!("{}: too late, after {:?}", owed.method, now - owed.since)
        });
        let is_same = reply.id().is_some() && reply.id() == RequestId::parse(owed.id.as_bytes());
        self.table
            .judge("6", is_same, || format!("to id {}: {}", owed.id, reply.excerpt()));
        judge::response(self.table, owed.is_modern, &owed.method, &reply);
        if owed.row != "1.1" {
            self.table.judge(owed.row, (owed.expected)(&reply), told);
        }
        self.answers.insert(key, Some(reply));
    }

    /// Handles a response for which no request is waiting.
    fn unexpected(&mut self, key: Option<String>, reply: Reply) {
        match key.as_ref().and_then(|key| self.answers.get_mut(key)) {
            // The answer is late, which was reported.
            Some(late @ None) => *late = Some(reply),
            Some(Some(_)) => self
                .table
                .fault("1.1", format!("answered again: {}", reply.excerpt())),
            None => self.stray(key.as_deref(), reply),
        }
    }

    fn stray(&mut self, key: Option<&str>, reply: Reply) {
        if let Some((row, expected)) = key.and_then(|key| self.odd_ids.get(key)) {
            self.table.judge(row, expected(&reply), || reply.excerpt());
        } else if let Some(strays) = &mut self.strays {
            if strays.len() < MOST {
                strays.push(reply);
            }
        } else if !(self.has_odd && key.is_none() && matches!(reply.code(), Some(-32_700 | -32_600))) {
            // These may be late answers to something that was not a message.
            self.table
                .fault("6", format!("to no request: {}", reply.excerpt()));
        }
    }
}

/// The ids in a line that may not even be JSON.
fn ids(line: &[u8]) -> Vec<String> {
    let line = String::from_utf8_lossy(line);
    let after = line
        .split("\"id\":")
        .skip(1)
        .chain(line.split("\"requestId\":").skip(1));
    after
        .filter_map(|rest| rest.split([',', '}']).next())
        .filter_map(|id| RawValue::new(id.as_bytes()).ok().and_then(key))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::ids;

    #[test]
    fn ids_are_found_in_broken_lines_as_well() {
        for (line, expected) in [
            (&br#"{"jsonrpc":"2.0","id":1,"method":"ping""#[..], &["1"][..]),
            (
                br#"[{"id":"a","method":"x"},{"method":"x","id":-2}]"#,
                &["a", "-2"],
            ),
            (
                br#"{"method":"notifications/cancelled","params":{"requestId":"b"}}"#,
                &["b"],
            ),
            (b"\"id\":1\xff, hello", &[]),
            (b"hello", &[]),
        ] {
            assert_eq!(ids(line), expected, "{}", String::from_utf8_lossy(line));
        }
    }
}
