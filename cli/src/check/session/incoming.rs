//! The messages of the server: each is checked, matched with its request, and answered if it is a request.

use std::time::Instant;

use barewire::mcp::{Era, Method};
use barewire::rpc::{Message, RequestId};

use super::{MOST, Pending, Session};
use crate::check::reply::{Reply, key};
use crate::check::{judge, templates};

impl Session<'_> {
    pub(super) fn message(&mut self, reply: Reply) {
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
        let is_answered = |pending: &Pending| Some(&pending.key) == key.as_ref();
        let Some(index) = self.pending.iter().position(is_answered) else {
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
            && templates::sentinels(self.era)[..2].contains(&pending.method.as_str())
        {
            let lag = now.duration_since(overtaken);
            self.start.lag.set(self.start.lag.get().max(lag));
        }
        let (table, method, found) = (&mut *self.table, &pending.method, reply.excerpt());
        table.judge("1.1", !is_late, || format!("{method}: too late, after {:?}", now - pending.since));
        let is_same = reply.id().is_some() && reply.id() == RequestId::parse(pending.id.as_bytes());
        table.judge("6", is_same, || format!("to id {}: {found}", pending.id));
        judge::response(table, pending.is_modern, method, &reply);
        if pending.row != "1.1" {
            let is_allowed = pending.expected.allows(&reply);
            table.judge(pending.row, is_allowed, || format!("{method}{}: {found}", pending.params));
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
            self.table.fault("6", format!("to no request: {}", reply.excerpt()));
        }
    }
}
