//! Checks one message against those before it.
//!
//! A fault is reported only if no legal conversation looks the same: an answer may cross the cancellation of its
//! request, and a server may have limits that are not known here.

use std::time::Instant;

use barewire::json::{Array, JsonStr, Object, RawValue};
use barewire::mcp::{Era, Feature, Method, ProtocolVersion, Sender};
use barewire::rpc::{
    ErrorCode, Message, Notification, Reason, Rejection, Reply, RequestId, Response, Rules, Skipper,
    classify_value, classify_with,
};

use super::handoff::Side;
use super::record::{Fault, Kind, Record, Subject};
use super::requests::{Answer, Request};
use super::state::{PeerState, Session};
use crate::json::decoded;
use crate::lines::Piece;
use crate::terminal::beginning;

/// Number of characters that are shown of an invalid line.
const EXCERPT: usize = 100;

/// Deviations that deployed peers send and accept are not faults in a log.
const RULES: Rules = Rules::LENIENT;

/// Checks one message.
pub(super) struct Judge<'w> {
    pub(super) side: Side,
    pub(super) at: Instant,
    /// State of the side that has sent the message.
    pub(super) own: &'w mut PeerState,
    pub(super) other: &'w mut PeerState,
    pub(super) session: &'w mut Session,
}

/// The revision of a message.
struct Revision {
    /// As the message or its session names it.
    name: Option<String>,
    known: Option<ProtocolVersion>,
    /// The message has the metadata of a modern request.
    is_modern: bool,
}

impl Judge<'_> {
    pub(super) fn piece(&mut self, piece: Piece<'_>, report: &mut dyn FnMut(Record)) {
        let record = match piece {
            Piece::Line(line) if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) => return,
            Piece::Line(line) => match classify_with(line, &RULES) {
                Err(rejection) if rejection.reason() == Reason::Batch && self.has_batches() => {
                    return self.batch(line, &rejection, report);
                }
                judged => self.message(line, judged),
            },
            Piece::Long { bytes, outline, id } => self.long(bytes, outline, id),
            Piece::Unseen { bytes } => Record::new(self.side, Kind::Unseen, bytes),
        };
        report(record);
    }

    fn has_batches(&self) -> bool {
        let version = self.session.version;
        version.is_some_and(|version| version.has(Feature::Batches))
    }

    /// Each element is a message of its own; an empty batch is invalid.
    fn batch(&mut self, line: &[u8], rejection: &Rejection<'_>, report: &mut dyn FnMut(Record)) {
        let batch = elements(line);
        if batch.is_empty() {
            report(self.invalid(line, rejection));
        }
        for element in batch.elements() {
            let judged = classify_value(element, &RULES);
            report(self.message(element.as_bytes(), judged));
        }
    }

    fn message(&mut self, frame: &[u8], judged: Result<Message<'_>, Rejection<'_>>) -> Record {
        match judged {
            Ok(Message::Request(request)) => self.request(&request),
            Ok(Message::Notification(notification)) => self.notification(&notification),
            Ok(Message::Response(response)) => self.response(&response),
            // Such a message is legal, but not inspected.
            Err(rejection) if rejection.reason() == Reason::TooDeep => {
                let mut skipper = Skipper::<256>::new();
                skipper.feed(frame);
                self.long(frame.len() as u64, Some(rejection), skipper.id())
            }
            Err(rejection) => self.invalid(frame, &rejection),
        }
    }

    fn request(&mut self, request: &barewire::rpc::Request<'_>) -> Record {
        let mut record = self.record(Kind::Request, request.frame());
        let is_client = self.side == Side::Client;
        let mut revision = self.revision(request.params(), is_client);
        if is_client && request.method() == Method::Initialize.name() {
            self.session.number += 1;
            revision =
                Revision { name: request.params().and_then(protocol_version), known: None, is_modern: false };
        }
        let session = (!revision.is_modern).then_some(self.session.number);
        self.method(&mut record, request.method(), request.target(), revision);
        self.open(&mut record, request.id(), session);
        record
    }

    /// Notes a request that may be answered.
    fn open(&mut self, record: &mut Record, id: RequestId<'_>, session: Option<u64>) {
        record.subject.id = Some(id.to_string());
        let is_invalid = !matches!(record.kind, Kind::Request);
        // The answer to the earlier request may be in a gap, or have no id.
        let is_doubtful = self.own.has_gaps || self.other.has_gaps || self.own.has_doubtful_answers;
        let request = Request { at: self.at, subject: record.subject.clone(), session, is_invalid };
        let fault = self.own.requests.open(id, request);
        let is_hidden = |fault: &Fault| is_invalid || (is_doubtful && *fault == Fault::IdInUse);
        record.faults.extend(fault.filter(|fault| !is_hidden(fault)));
    }

    fn notification(&mut self, notification: &Notification<'_>) -> Record {
        self.own.notifications += 1;
        let mut record = self.record(Kind::Notification, notification.frame());
        let params = notification.params();
        let revision = self.revision(params, false);
        let (method, target) = (notification.method(), notification.target());
        self.method(&mut record, method, target, revision);
        let id = params.and_then(|params| RequestId::of(params.get("requestId")?));
        if let Some(id) = id.filter(|_| notification.method() == Method::Cancelled.name()) {
            record.subject.id = Some(id.to_string());
            self.cancel(&mut record, id);
        }
        record
    }

    /// A side cancels its own requests; a modern server also ends subscriptions of the client this way.
    fn cancel(&mut self, record: &mut Record, id: RequestId<'_>) {
        if let Some(request) = self.own.requests.in_flight(id) {
            if request.is(Method::Initialize) {
                record.faults.push(Fault::CancelsInitialize);
            }
            self.own.requests.cancel(id);
            return;
        }
        if self.side == Side::Client || self.own.requests.knows(id) || self.own.has_gaps {
            return;
        }
        match self.other.requests.in_flight(id) {
            Some(request) if request.is(Method::SubscriptionsListen) => {
                self.other.requests.cancel(id);
            }
            Some(request) if request.session.is_none() && !request.is_invalid => {
                record.faults.push(Fault::WrongDirection);
            }
            _ => {}
        }
    }

    /// Notes method, target and revision, with the fault if this side may not send the method.
    fn method(
        &self,
        record: &mut Record,
        method: JsonStr<'_>,
        target: Option<JsonStr<'_>>,
        revision: Revision,
    ) {
        record.subject = Subject {
            id: None,
            method: Some(decoded(method)),
            target: target.map(decoded),
            version: revision.name,
        };
        let version = revision.known;
        let is_request = matches!(record.kind, Kind::Request);
        let Some(method) = Method::from_name(method) else {
            if is_request && self.side == Side::Server && self.session.is_modern() {
                record.faults.push(Fault::WrongDirection);
            }
            return;
        };
        if method.is_notification() == is_request {
            record.faults.push(Fault::WrongKind);
        }
        let sender = version.map_or_else(|| method.sender(), |version| method.sender_in(version));
        let is_allowed = match sender {
            Sender::Both => true,
            Sender::Client => self.side == Side::Client,
            Sender::Server => self.side == Side::Server,
        };
        if version.is_some_and(|version| !method.is_in(version)) {
            record.faults.push(Fault::NotInRevision);
        } else if !is_allowed {
            record.faults.push(Fault::WrongDirection);
        }
    }

    fn response(&mut self, response: &Response<'_>) -> Record {
        let outcome = response.outcome();
        let kind = match &outcome {
            Ok(result) => {
                Kind::Result { tool_failed: result.get("isError").and_then(RawValue::as_bool) == Some(true) }
            }
            Err(error) => Kind::Error {
                code: error.object().get("code").unwrap_or(RawValue::NULL).to_string(),
                message: decoded(error.message()),
            },
        };
        let mut record = self.record(kind, response.frame());
        let Some(id) = response.id() else {
            let code = outcome.err().map(|error| error.code());
            self.without_id(&mut record, code);
            return record;
        };
        let answered = self.answer(&mut record, id);
        let (Some(Answer { request, is_sure, .. }), Ok(result)) = (answered, outcome) else {
            return record;
        };
        let has_result_type = result.get("resultType").is_some();
        let is_modern = request.session.is_none();
        if request.is(Method::Initialize) && self.side == Side::Server {
            record.subject.version = protocol_version(result);
            let agreed = result.get("protocolVersion").and_then(RawValue::as_string);
            let agreed = agreed.and_then(ProtocolVersion::from_name);
            self.session.version = agreed.filter(|version| version.era() == Era::Legacy);
        }
        if is_sure && !request.is_invalid {
            match (is_modern, has_result_type) {
                (true, false) => record.faults.push(Fault::NoResultType),
                (false, true) => record.faults.push(Fault::HasResultType),
                (true, true) => self.session.has_modern_results |= self.side == Side::Server,
                (false, false) => {}
            }
        }
        record
    }

    /// Finds the request of a response.
    fn answer(&mut self, record: &mut Record, id: RequestId<'_>) -> Option<Answer> {
        record.subject.id = Some(id.to_string());
        // The request may be among the bytes that were not inspected.
        let is_certain = !self.other.has_gaps;
        let answer = self.other.requests.answer(id);
        let answer = answer.map_err(|fault| record.faults.extend(fault.filter(|_| is_certain)));
        let answer = answer.ok()?;
        record.is_late = answer.is_late;
        record.latency = Some(self.at.saturating_duration_since(answer.request.at));
        record.subject.clone_from(&answer.request.subject);
        record.subject.id = Some(id.to_string());
        Some(answer)
    }

    fn without_id(&mut self, record: &mut Record, code: Option<ErrorCode>) {
        let is_unreadable = matches!(code, Some(ErrorCode::PARSE_ERROR | ErrorCode::INVALID_REQUEST));
        if self.other.unreadable > 0 {
            self.other.unreadable -= 1;
        } else if !self.other.has_gaps && self.other.requests.may_have_error_without_id(is_unreadable) {
            // The other side may have reached a limit.
            self.other.has_doubtful_answers = true;
        } else if !self.other.has_gaps {
            record.faults.push(match self.other.notifications {
                0 => Fault::UnknownId,
                _ => Fault::ReplyToNotification,
            });
        }
    }

    fn invalid(&mut self, line: &[u8], rejection: &Rejection<'_>) -> Record {
        let kind = Kind::Invalid {
            why: rejection.to_string(),
            reason: rejection.reason().name(),
            begins: beginning(line, EXCERPT),
        };
        let mut record = self.record(kind, line);
        self.refused(&mut record, rejection.reply());
        if rejection.reason() == Reason::Batch {
            self.refused_batch(line);
        } else if !matches!(rejection.reply(), Reply::To(_)) {
            let mut skipper = Skipper::<256>::new();
            skipper.feed(line);
            if let Some(id) = skipper.response_id() {
                self.invalid_response(&mut record, id);
            }
        }
        record
    }

    /// An invalid response is still an answer: its request is no longer in flight.
    fn invalid_response(&mut self, record: &mut Record, id: RequestId<'_>) {
        if self.other.requests.in_flight(id).is_some() {
            self.answer(record, id);
        }
    }

    /// A batch in a revision without batches is one fault; its requests may still be answered.
    fn refused_batch(&mut self, line: &[u8]) {
        let mut unseen = Record::new(self.side, Kind::Long, 0);
        for element in elements(line).elements() {
            match classify_value(element, &RULES) {
                Ok(Message::Request(request)) => self.open(&mut unseen, request.id(), None),
                Ok(Message::Response(response)) => {
                    if let Some(id) = response.id() {
                        self.invalid_response(&mut unseen, id);
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes the answer that a refused message may get.
    fn refused(&mut self, record: &mut Record, reply: Reply<'_>) {
        match reply {
            Reply::Nobody => {}
            Reply::Null => self.own.unreadable += 1,
            Reply::To(id) => self.open(record, id, None),
        }
    }

    fn long(&mut self, bytes: u64, outline: Option<Rejection<'_>>, id: Option<RequestId<'_>>) -> Record {
        let mut record = Record::new(self.side, Kind::Long, bytes);
        match (outline.map(|outline| outline.reply()), id) {
            (Some(Reply::Nobody), Some(id)) => {
                self.answer(&mut record, id);
            }
            (reply, _) => {
                // Without an id it may be a batch, or its id may be too long to be kept.
                self.own.has_gaps |= !matches!(reply, Some(Reply::To(_)));
                self.refused(&mut record, reply.unwrap_or(Reply::Nobody));
            }
        }
        record
    }

    fn record(&self, kind: Kind, frame: &[u8]) -> Record {
        Record::new(self.side, kind, frame.len() as u64)
    }

    /// The revision in the metadata of a message, else that of the session. A client's request without metadata is a
    /// legacy one, even without a session.
    fn revision(&self, params: Option<Object<'_>>, is_client_request: bool) -> Revision {
        let meta = params.and_then(|params| params.get("_meta")?.as_object());
        let meta = |key| meta.and_then(|meta| meta.get(key));
        let version = meta("io.modelcontextprotocol/protocolVersion");
        let is_modern = version.is_some() || meta("io.modelcontextprotocol/clientCapabilities").is_some();
        let has_subscription = meta("io.modelcontextprotocol/subscriptionId").is_some();
        let named = version.and_then(RawValue::as_string);
        let known = match named {
            Some(named) => ProtocolVersion::from_name(named),
            None if is_modern || has_subscription => Some(ProtocolVersion::LATEST_MODERN),
            None if self.session.is_modern() && !is_client_request => Some(ProtocolVersion::LATEST_MODERN),
            None => self.session.version,
        };
        let known_name = || Some(known?.as_str().to_owned());
        Revision { name: named.map(decoded).or_else(known_name), known, is_modern }
    }
}

fn elements(line: &[u8]) -> Array<'_> {
    let batch = RawValue::new(line).ok().and_then(RawValue::as_array);
    batch.unwrap_or(Array::EMPTY)
}

/// The `protocolVersion` of a handshake.
fn protocol_version(object: Object<'_>) -> Option<String> {
    let version = object.get("protocolVersion")?.as_string()?;
    Some(decoded(version))
}
