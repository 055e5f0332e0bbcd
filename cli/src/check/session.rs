//! A session with the server: sends requests, reads messages, and checks each answer whenever it comes.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::time::{Duration, Instant};

use barewire::json::RawValue;
use barewire::mcp::{Era, Method, ProtocolVersion};
use barewire::rpc::{Message, RequestId};

use super::judge;
use super::lines::Lines;
use super::process::{Process, Received};
use super::reply::{Reply, key};
use super::rules::Expected;
use super::table::Table;

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

/// The required keys of modern metadata, and the optional one.
const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"barewire check","version":"1"}"#;

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

impl Pending {
    fn no_answer(&self, exit: &str) -> String {
        format!(
            "{}: no answer within {} s{exit}",
            self.method,
            self.limit.as_secs_f32()
        )
    }
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
    /// Index of the method of [`Session::sentinels`] that answers.
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

    /// A request as text; `members` are the params without the metadata of the era.
    pub(super) fn line(&self, method: &str, members: &str) -> String {
        let params = match (self.era, members) {
            (Era::Legacy, "") => String::new(),
            (Era::Legacy, members) => format!(r#","params":{{{members}}}"#),
            (Era::Modern, "") => "$PARAMS".to_owned(),
            (Era::Modern, members) => format!(r#","params":{{{members},"_meta":{{{META}}}}}"#),
        };
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"method":"{method}"{params}}}"#)
    }

    /// Fills in the placeholders: `$ALIVE` is a method that is always served, `$PARAMS` its params with a comma before
    /// them, `$META` the metadata of the era with a comma after it.
    fn expand(&self, template: &str) -> String {
        let (params, meta) = match self.era {
            Era::Legacy => (String::new(), String::new()),
            Era::Modern => (format!(r#","params":{{"_meta":{{{META}}}}}"#), format!("{META},")),
        };
        let line = template.replace("$ALIVE", self.alive());
        line.replace("$PARAMS", &params).replace("$META", &meta)
    }

    /// Methods that every server answers, at least with an error.
    const fn sentinels(&self) -> [&'static str; 3] {
        let first = match self.era {
            Era::Legacy => "ping",
            Era::Modern => "server/discover",
        };
        [first, "barewire/unknown", "tools/list"]
    }

    /// The method that is always served.
    pub(super) const fn alive(&self) -> &'static str {
        self.sentinels()[0]
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
        let line = self.expand(template).replace("$ID", &id);
        let key = self.expect_answer(row, method, &id, expected);
        let pending = self.last_pending();
        pending.is_modern = line.contains("io.modelcontextprotocol/");
        if let Some((_, params)) = template.split_once(r#""params":{"#) {
            let own = params.split(r#""_meta":"#).next().unwrap_or_default();
            let own = own.strip_suffix("}}").unwrap_or(own).trim_end_matches(',');
            if !own.is_empty() {
                pending.params = format!(" {{{own}}}");
            }
        }
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
        let key = RawValue::new(id.as_bytes())
            .ok()
            .and_then(key)
            .unwrap_or_default();
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
                self.send(cancelled(&pending.id).as_bytes());
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
        let sentinels = self.sentinels();
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
        let key = self.request("1.1", method, &self.line(method, ""), Expected::Any);
        self.last_pending().is_sentinel = true;
        key
    }

    /// Registers the row and the allowed answers of lines that are not requests.
    pub(super) fn expect_at_most(&mut self, row: &'static str, lines: &[&[u8]], expected: Expected) {
        for id in lines.iter().flat_map(|line| ids(line)) {
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
        while let Some(last) = self
            .pending
            .iter()
            .map(|pending| pending.since + pending.limit)
            .max()
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
                self.table.fault(pending.row, pending.no_answer(&self.exit));
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

    fn message(&mut self, reply: Reply) {
        match judge::message(self.table, &reply) {
            Some(Message::Request(request)) => self.server_request(&reply, &request.id().to_string()),
            Some(Message::Notification(_)) => self.notification(reply),
            None if reply.method().is_some() && reply.get("id").is_none() => self.notification(reply),
            // Read even if it is not quite valid.
            _ if reply.is_response() => self.response(reply),
            _ => {}
        }
    }

    /// Checks a request of the server, and answers it.
    fn server_request(&mut self, reply: &Reply, id: &str) {
        let method = reply.method().unwrap_or_default();
        if method.starts_with("notifications/") {
            return self.table.fault("3", reply.excerpt());
        }
        let is_new = self.server_ids.insert(id.to_owned());
        let again = || format!("used twice: {}", reply.excerpt());
        self.table.judge("5", is_new, again);
        let is_ping = method == Method::Ping.name();
        if self.era == Era::Modern {
            return self.table.fault("41", reply.excerpt());
        }
        if !self.is_initialized && !is_ping {
            self.table.fault("26", reply.excerpt());
        }
        let answer = match is_ping {
            true => r#""result":{}"#,
            false => r#""error":{"code":-32601,"message":"Method not found"}"#,
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
        let index = self
            .pending
            .iter()
            .position(|pending| Some(&pending.key) == key.as_ref());
        let Some(index) = index else {
            return self.unexpected(key, reply);
        };
        let now = Instant::now();
        let pending = self.pending.remove(index);
        for earlier in &mut self.pending[..index] {
            earlier.overtaken.get_or_insert(now);
        }
        let is_late = now > pending.since + pending.limit;
        if !is_late {
            for later in &mut self.pending[index..] {
                later.since = now;
            }
        }
        // Only for methods that every server answers at once; others may take their time.
        if let Some(overtaken) = pending.overtaken
            && !is_late
            && self.sentinels()[..2].contains(&pending.method.as_str())
        {
            let lag = now.duration_since(overtaken);
            self.start.lag.set(self.start.lag.get().max(lag));
        }
        let (table, method, found) = (&mut *self.table, &pending.method, reply.excerpt());
        table.judge("1.1", !is_late, || {
            format!("{method}: too late, after {:?}", now - pending.since)
        });
        let is_same = reply.id().is_some() && reply.id() == RequestId::parse(pending.id.as_bytes());
        table.judge("6", is_same, || format!("to id {}: {found}", pending.id));
        judge::response(table, pending.is_modern, method, &reply);
        if pending.row != "1.1" {
            let is_allowed = pending.expected.allows(&reply);
            table.judge(pending.row, is_allowed, || {
                format!("{method}{}: {found}", pending.params)
            });
        }
        self.answers.insert(pending.key, Some(reply));
    }

    /// Handles a response for which no request is waiting.
    fn unexpected(&mut self, key: Option<String>, reply: Reply) {
        match key.as_ref().and_then(|key| self.answers.get_mut(key)) {
            // The answer is late, which was reported.
            Some(late @ None) => *late = Some(reply),
            Some(Some(_)) => {
                let why = format!("answered again: {}", reply.excerpt());
                self.table.fault("1.1", why);
            }
            None => self.unmatched(key.as_deref(), reply),
        }
    }

    fn unmatched(&mut self, key: Option<&str>, reply: Reply) {
        if let Some((row, expected)) = key.and_then(|key| self.expected_by_id.get(key)) {
            self.table.judge_reply(row, expected.allows(&reply), &reply);
        } else if let Some(unmatched) = &mut self.unmatched {
            if unmatched.len() < MOST {
                unmatched.push(reply);
            }
        } else if !(self.has_sent_other_lines
            && key.is_none()
            && matches!(reply.code(), Some(-32_700 | -32_600)))
        {
            // Otherwise it may be a late answer to a line that was not a message.
            self.table
                .fault("6", format!("to no request: {}", reply.excerpt()));
        }
    }
}

/// The cancellation of the request with this id.
pub(super) fn cancelled(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

/// The ids in a line that may not even be JSON.
fn ids(line: &[u8]) -> Vec<String> {
    let line = String::from_utf8_lossy(line);
    let after = line.split("\"id\":").skip(1);
    after
        .chain(line.split("\"requestId\":").skip(1))
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
