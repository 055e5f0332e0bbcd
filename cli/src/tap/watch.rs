//! The inspection: messages of both sides, judged by what came before.

use std::time::Instant;

use barewire::json::{Array, JsonStr, Object, RawValue};
use barewire::mcp::{Era, Feature, Method, ProtocolVersion, Sender};
use barewire::rpc::{
    Message, Notification, Reason, Rejection, Reply, Request, RequestId, Response, Rules, classify_value,
    classify_with,
};

use super::handoff::{Gap, Side};
use super::record::{Fault, Kind, Record};
use super::requests::{self, Answered, Opened, Requests};
use crate::lines::{Lines, Piece};

/// What is known of the conversation.
pub(super) struct Watch {
    client: Talk,
    server: Talk,
    /// What the handshake has agreed on.
    session: Option<ProtocolVersion>,
}

/// What one side has said.
struct Talk {
    lines: Lines,
    about: Said,
}

/// Of the messages of one side.
#[derive(Default)]
pub(super) struct Said {
    pub(super) requests: Requests,
    /// Whether some of it was not inspected: then nothing can be said about what is missing.
    pub(super) has_gaps: bool,
    notifications: u64,
    /// How many errors without an id the other side may answer with.
    unreadable: u64,
}

/// Longest line that is inspected.
const LONGEST: usize = 1 << 20;

/// How much of an invalid line is shown.
const EXCERPT: usize = 100;

/// What deployed peers send and everybody takes is no fault in a log.
const RULES: Rules = Rules::LENIENT;

impl Watch {
    pub(super) fn new() -> Self {
        let talk = || Talk {
            lines: Lines::new(LONGEST),
            about: Said::default(),
        };
        Self {
            client: talk(),
            server: talk(),
            session: None,
        }
    }

    /// Reads what `side` has written.
    pub(super) fn bytes(&mut self, side: Side, at: Instant, bytes: &[u8], show: &mut dyn FnMut(Record)) {
        let (own, lines, mut judge) = self.of(side, at);
        lines.feed(bytes, &mut |piece| judge.piece(own, piece, show));
    }

    /// Notes that `side` has written what was not inspected.
    pub(super) fn gap(&mut self, side: Side, at: Instant, gap: &Gap, show: &mut dyn FnMut(Record)) {
        let (own, lines, mut judge) = self.of(side, at);
        own.has_gaps = true;
        lines.lost(gap.bytes, gap.is_several, gap.ends_line, &mut |piece| {
            judge.piece(own, piece, show);
        });
    }

    /// `side` writes no more.
    pub(super) fn closed(&mut self, side: Side, at: Instant, show: &mut dyn FnMut(Record)) {
        let (own, lines, mut judge) = self.of(side, at);
        lines.finish(&mut |piece| {
            judge.piece(own, piece, &mut |mut record| {
                if !matches!(record.kind, Kind::Unseen) {
                    record.faults.push(Fault::NoNewline);
                }
                show(record);
            });
        });
    }

    /// The requests of `side`.
    pub(super) const fn said(&self, side: Side) -> &Said {
        match side {
            Side::Client => &self.client.about,
            Side::Server => &self.server.about,
        }
    }

    fn of(&mut self, side: Side, at: Instant) -> (&mut Said, &mut Lines, Judge<'_>) {
        let (own, other) = match side {
            Side::Client => (&mut self.client, &mut self.server),
            Side::Server => (&mut self.server, &mut self.client),
        };
        let judge = Judge {
            side,
            at,
            other: &mut other.about,
            session: &mut self.session,
        };
        (&mut own.about, &mut own.lines, judge)
    }
}

/// Judges one message.
struct Judge<'w> {
    side: Side,
    at: Instant,
    other: &'w mut Said,
    session: &'w mut Option<ProtocolVersion>,
}

impl Judge<'_> {
    fn piece(&mut self, own: &mut Said, piece: Piece<'_>, show: &mut dyn FnMut(Record)) {
        let record = match piece {
            Piece::Line(line) if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) => return,
            Piece::Line(line) => match classify_with(line, &RULES) {
                Err(rejection) if rejection.reason() == Reason::Batch && self.has_batches() => {
                    return self.batch(own, line, &rejection, show);
                }
                judged => self.message(own, line, judged),
            },
            Piece::Long { bytes, outline, id } => self.long(own, bytes, outline, id),
            Piece::Unseen { bytes } => Record::new(self.side, Kind::Unseen, bytes),
        };
        show(record);
    }

    fn has_batches(&self) -> bool {
        self.session.is_some_and(|version| version.has(Feature::Batches))
    }

    /// Each element is a message of its own; an empty batch is none.
    fn batch(
        &mut self,
        own: &mut Said,
        line: &[u8],
        rejection: &Rejection<'_>,
        show: &mut dyn FnMut(Record),
    ) {
        let batch = RawValue::new(line).ok().and_then(RawValue::as_array);
        let batch = batch.unwrap_or(Array::EMPTY);
        if batch.is_empty() {
            show(self.invalid(own, line, rejection));
        }
        for element in batch.elements() {
            let judged = classify_value(element, &RULES);
            show(self.message(own, element.as_bytes(), judged));
        }
    }

    fn message(
        &mut self,
        own: &mut Said,
        frame: &[u8],
        judged: Result<Message<'_>, Rejection<'_>>,
    ) -> Record {
        match judged {
            Ok(Message::Request(request)) => self.request(own, &request),
            Ok(Message::Notification(notification)) => self.notification(own, &notification),
            Ok(Message::Response(response)) => self.response(&response),
            Err(rejection) => self.invalid(own, frame, &rejection),
        }
    }

    fn request(&mut self, own: &mut Said, request: &Request<'_>) -> Record {
        let mut record = self.record(Kind::Request, request.frame());
        let version = self.version(request.params());
        self.name(
            &mut record,
            request.method(),
            request.target(),
            version.as_deref(),
        );
        self.open(own, &mut record, request.id(), is_modern(version.as_deref()));
        record.version = version;
        record
    }

    fn open(&self, own: &mut Said, record: &mut Record, id: RequestId<'_>, is_modern: bool) {
        record.id = Some(id.to_string());
        let request = requests::Request {
            at: self.at,
            id: id.to_string(),
            method: record.method.clone().unwrap_or_default(),
            target: record.target.clone(),
            is_modern,
            is_cancelled: false,
            is_invalid: matches!(record.kind, Kind::Invalid { .. }),
        };
        match own.requests.open(id, request) {
            Opened::New => {}
            Opened::InUse => record.faults.push(Fault::IdInUse),
            // Allowed since 2026-07-28.
            Opened::Reused if is_modern => {}
            Opened::Reused => record.faults.push(Fault::IdReused),
        }
    }

    fn notification(&mut self, own: &mut Said, notification: &Notification<'_>) -> Record {
        own.notifications += 1;
        let mut record = self.record(Kind::Notification, notification.frame());
        let params = notification.params();
        let version = self.version(params);
        self.name(
            &mut record,
            notification.method(),
            notification.target(),
            version.as_deref(),
        );
        if notification.method() == Method::Cancelled.name()
            && let Some(id) = params
                .and_then(|params| params.get("requestId"))
                .and_then(RequestId::of)
        {
            own.requests.cancel(id);
            record.id = Some(id.to_string());
        }
        record.version = version;
        record
    }

    /// Method and target, and whether this side may send that.
    fn name(
        &self,
        record: &mut Record,
        method: JsonStr<'_>,
        target: Option<JsonStr<'_>>,
        version: Option<&str>,
    ) {
        record.method = Some(decoded(method));
        record.target = target.map(decoded);
        let Some(method) = Method::from_name(method) else {
            return;
        };
        if method.is_notification() != matches!(record.kind, Kind::Notification) {
            record.faults.push(Fault::WrongKind);
        }
        let known = version.and_then(|version| {
            ProtocolVersion::ALL
                .into_iter()
                .find(|known| known.as_str() == version)
        });
        let sender = known.map_or_else(|| method.sender(), |version| method.sender_in(version));
        let allowed = match sender {
            Sender::Both => true,
            Sender::Client => self.side == Side::Client,
            Sender::Server => self.side == Side::Server,
        };
        if !allowed {
            record.faults.push(Fault::WrongDirection);
        }
        if known.is_some_and(|version| !method.is_in(version)) && method != Method::Initialize {
            record.faults.push(Fault::NotInRevision);
        }
    }

    fn response(&mut self, response: &Response<'_>) -> Record {
        let outcome = response.outcome();
        let kind = match &outcome {
            Ok(result) => Kind::Result {
                tool_failed: result.get("isError").and_then(RawValue::as_bool) == Some(true),
            },
            Err(error) => Kind::Error {
                code: error
                    .object()
                    .get("code")
                    .map_or_else(String::new, |code| code.to_string()),
                message: decoded(error.message()),
            },
        };
        let mut record = self.record(kind, response.frame());
        let Some(id) = response.id() else {
            self.without_id(&mut record);
            return record;
        };
        let Some(request) = self.answer(&mut record, id) else {
            return record;
        };
        if let Ok(result) = outcome {
            let has_result_type = result.get("resultType").is_some();
            match (request.is_modern, has_result_type) {
                (true, false) => record.faults.push(Fault::NoResultType),
                (false, true) => record.faults.push(Fault::HasResultType),
                _ => {}
            }
            if request.method == Method::Initialize.name() && self.side == Side::Server {
                *self.session = result
                    .get("protocolVersion")
                    .and_then(RawValue::as_string)
                    .and_then(ProtocolVersion::from_name);
            }
        }
        record.version = if request.is_modern {
            Some(ProtocolVersion::LATEST_MODERN.as_str().to_owned())
        } else {
            self.session.map(|version| version.as_str().to_owned())
        };
        record
    }

    /// Finds the request of a response.
    fn answer(&mut self, record: &mut Record, id: RequestId<'_>) -> Option<requests::Request> {
        record.id = Some(id.to_string());
        match self.other.requests.answer(id) {
            Answered::Now(request) => {
                record.latency = Some(self.at.saturating_duration_since(request.at));
                record.method = Some(request.method.clone()).filter(|method| !method.is_empty());
                record.target.clone_from(&request.target);
                if request.is_cancelled {
                    record.faults.push(Fault::AfterCancellation);
                }
                Some(request)
            }
            Answered::Again => {
                record.faults.push(Fault::AnsweredTwice);
                None
            }
            // The request may be among what was not inspected.
            Answered::Unknown if self.other.has_gaps || self.other.requests.forgotten > 0 => None,
            Answered::Unknown => {
                record.faults.push(Fault::UnknownId);
                None
            }
        }
    }

    fn without_id(&mut self, record: &mut Record) {
        if self.other.unreadable > 0 {
            self.other.unreadable -= 1;
        } else if self.other.has_gaps {
        } else if self.other.notifications > 0 {
            record.faults.push(Fault::ReplyToNotification);
        } else {
            record.faults.push(Fault::UnknownId);
        }
    }

    fn invalid(&mut self, own: &mut Said, line: &[u8], rejection: &Rejection<'_>) -> Record {
        let kind = Kind::Invalid {
            why: rejection.to_string(),
            reason: rejection.reason().name(),
            begins: begins(line),
        };
        let mut record = self.record(kind, line);
        self.owe(own, &mut record, rejection.reply());
        record
    }

    /// What is refused may be owed an answer.
    fn owe(&self, own: &mut Said, record: &mut Record, reply: Reply<'_>) {
        match reply {
            Reply::Nobody => {}
            Reply::Null => own.unreadable += 1,
            Reply::To(id) => self.open(own, record, id, false),
        }
    }

    fn long(
        &mut self,
        own: &mut Said,
        bytes: u64,
        outline: Option<Rejection<'_>>,
        id: Option<RequestId<'_>>,
    ) -> Record {
        let mut record = Record::new(self.side, Kind::Long, bytes);
        match (outline.map(|outline| outline.reply()), id) {
            (None, _) => own.has_gaps = true,
            (Some(Reply::Nobody), Some(id)) => {
                self.answer(&mut record, id);
            }
            (Some(reply), _) => self.owe(own, &mut record, reply),
        }
        record
    }

    fn record(&self, kind: Kind, frame: &[u8]) -> Record {
        Record::new(self.side, kind, frame.len() as u64)
    }

    /// What a message says of its revision, else that of the session.
    fn version(&self, params: Option<Object<'_>>) -> Option<String> {
        let own = params
            .and_then(|params| params.get("_meta"))
            .and_then(RawValue::as_object)
            .and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"))
            .and_then(RawValue::as_string);
        own.map(decoded)
            .or_else(|| self.session.map(|version| version.as_str().to_owned()))
    }
}

/// Whether a request of that version has its metadata with it.
fn is_modern(version: Option<&str>) -> bool {
    let known = ProtocolVersion::ALL
        .into_iter()
        .find(|known| Some(known.as_str()) == version);
    match known {
        Some(version) => version.era() == Era::Modern,
        // A version that is not known yet is named in the metadata alone.
        None => version.is_some(),
    }
}

/// The string, unescaped; as it stands, where it has half a surrogate pair.
fn decoded(string: JsonStr<'_>) -> String {
    string
        .chars()
        .collect::<Result<String, _>>()
        .unwrap_or_else(|_| string.as_escaped().to_owned())
}

fn begins(line: &[u8]) -> String {
    let start = &line[..line.len().min(EXCERPT)];
    let mut text = String::from_utf8_lossy(start).into_owned();
    if line.len() > EXCERPT {
        text.push('…');
    }
    text
}
