//! Requests of one side: those in flight, and those that were answered or cancelled.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use barewire::json::RawValue;
use barewire::mcp::Method;
use barewire::rpc::RequestId;

use super::forgotten::Forgotten;
use super::record::{Fault, Subject};

/// Capacity for requests in flight, and for past ones. A peer that never answers, or runs for a year, must not fill the
/// memory.
const MOST: usize = 1 << 14;

/// Capacity for the texts of requests in flight, and of past ones, in bytes: an id may be as long as a line.
const ROOM: usize = 16 << 20;

/// Length of an id for which every peer should have room.
const LONG_ID: usize = 48;

/// A request that has passed.
pub(super) struct Request {
    pub(super) at: Instant,
    pub(super) subject: Subject,
    /// Number of the legacy session; `None` for a modern request, and for an invalid one.
    pub(super) session: Option<u64>,
    /// Whether the request is invalid: it may be answered or not.
    pub(super) is_invalid: bool,
}

impl Request {
    pub(super) fn is(&self, method: Method) -> bool {
        self.subject.method.as_deref() == Some(method.name())
    }

    /// The bytes of its texts.
    fn size(&self) -> usize {
        let subject = &self.subject;
        let texts = [&subject.id, &subject.method, &subject.target, &subject.version];
        texts.into_iter().flatten().map(String::len).sum()
    }
}

/// One or more requests with the same id that are no longer in flight.
#[derive(Default)]
struct Past {
    session: Option<u64>,
    /// Number of answers that may still come: to cancelled requests, and to those that used an id in flight.
    late: u32,
    /// The last cancelled request.
    cancelled: Option<Request>,
}

impl Past {
    fn size(&self) -> usize {
        self.cancelled.as_ref().map_or(0, Request::size)
    }
}

/// The request that a response answers.
pub(super) struct Answer {
    pub(super) request: Request,
    /// False while a cancelled request with the same id may still be answered.
    pub(super) is_sure: bool,
    /// Whether the request was cancelled: the answer and the cancellation may have crossed.
    pub(super) is_late: bool,
}

#[derive(Default)]
pub(super) struct Requests {
    in_flight: HashMap<String, Request>,
    in_flight_bytes: usize,
    past: HashMap<String, Past>,
    past_bytes: usize,
    /// The ids of past requests, the oldest first.
    order: VecDeque<String>,
    /// Ids of requests that may still be answered but are in neither of the two tables.
    forgotten: Forgotten,
    /// Number of requests for which there was no room when they came.
    pub(super) untracked: u64,
}

impl Requests {
    /// Adds a request. Returns the fault in its id, if any.
    pub(super) fn open(&mut self, id: RequestId<'_>, request: Request) -> Option<Fault> {
        let key = key(id);
        match self.in_flight.get(&key) {
            Some(earlier) if earlier.is_invalid && !request.is_invalid => {
                // The valid request must be answered, and the earlier one may be.
                self.cancel(id);
            }
            Some(_) => {
                // Both may be answered.
                self.remember(key, request.session, 1, None);
                return Some(Fault::IdInUse);
            }
            None => {}
        }
        let past = self.past.get(&key).and_then(|past| past.session);
        let is_reused = request.session.is_some() && past == request.session;
        let size = key.len() + request.size();
        if self.in_flight.len() < MOST && self.in_flight_bytes + size <= ROOM {
            self.in_flight_bytes += size;
            self.in_flight.insert(key, request);
        } else {
            self.forgotten.insert(&key);
            self.untracked += 1;
        }
        is_reused.then_some(Fault::IdReused)
    }

    /// Removes the request with this id from those that may be answered.
    ///
    /// # Errors
    /// No such request is known; with the fault, unless it may be a forgotten one.
    pub(super) fn answer(&mut self, id: RequestId<'_>) -> Result<Answer, Option<Fault>> {
        let key = key(id);
        if let Some(request) = self.take(&key) {
            let is_sure = self.past.get(&key).is_none_or(|past| past.late == 0);
            self.remember(key, request.session, 0, None);
            let is_late = false;
            return Ok(Answer { request, is_sure, is_late });
        }
        match self.past.get_mut(&key) {
            Some(past) if past.late > 0 => {
                past.late -= 1;
                self.past_bytes -= past.size();
                // Other requests may have used the id since.
                let request = past.cancelled.take().ok_or(None)?;
                let (is_sure, is_late) = (false, true);
                Ok(Answer { request, is_sure, is_late })
            }
            Some(_) => Err(Some(Fault::AnsweredTwice)),
            // Perhaps a request for which the tables had no room.
            None if self.forgotten.contains(&key) => Err(None),
            None => Err(Some(Fault::UnknownId)),
        }
    }

    /// Removes a cancelled request from those in flight; it may still be answered. Returns false if it is not in
    /// flight.
    pub(super) fn cancel(&mut self, id: RequestId<'_>) -> bool {
        let key = key(id);
        let request = self.take(&key);
        request.is_some_and(|request| {
            self.remember(key, request.session, 1, Some(request));
            true
        })
    }

    /// The request in flight with this id.
    pub(super) fn in_flight(&self, id: RequestId<'_>) -> Option<&Request> {
        self.in_flight.get(&key(id))
    }

    /// Whether an error without an id may answer a request in flight: any, if the error is about an unreadable line; else
    /// one whose id is too long for a small peer.
    pub(super) fn may_have_error_without_id(&self, is_unreadable: bool) -> bool {
        let is_long = |request: &Request| request.subject.id.as_ref().is_some_and(|id| id.len() > LONG_ID);
        let mut requests = self.in_flight.values();
        requests.any(|request| is_unreadable || is_long(request))
    }

    /// Whether a request with this id may have been sent.
    pub(super) fn knows(&self, id: RequestId<'_>) -> bool {
        let key = key(id);
        self.in_flight.contains_key(&key) || self.past.contains_key(&key) || self.forgotten.contains(&key)
    }

    /// The requests in flight, the oldest first.
    pub(super) fn unanswered(&self) -> Vec<&Request> {
        let mut unanswered: Vec<&Request> = self.in_flight.values().collect();
        unanswered.sort_by_key(|request| request.at);
        unanswered
    }

    fn take(&mut self, key: &str) -> Option<Request> {
        let request = self.in_flight.remove(key)?;
        self.in_flight_bytes -= key.len() + request.size();
        Some(request)
    }

    fn remember(&mut self, key: String, session: Option<u64>, late: u32, cancelled: Option<Request>) {
        let past = match self.past.get_mut(&key) {
            Some(past) => past,
            None => {
                self.past_bytes += key.len();
                self.order.push_back(key.clone());
                let late = u32::from(self.forgotten.contains(&key));
                self.past.entry(key).or_insert(Past { late, ..Past::default() })
            }
        };
        past.session = session;
        past.late = past.late.saturating_add(late);
        if cancelled.is_some() {
            self.past_bytes -= past.size();
            past.cancelled = cancelled;
            self.past_bytes += past.size();
        }
        while (self.order.len() > MOST || self.past_bytes > ROOM)
            && let Some(oldest) = self.order.pop_front()
            && let Some(past) = self.past.remove(&oldest)
        {
            self.past_bytes -= oldest.len() + past.size();
            if past.late > 0 {
                self.forgotten.insert(&oldest);
            }
        }
    }
}

/// The same text for equal ids: `"a"` and `"\u0061"`, but not `1` and `"1"`.
fn key(id: RequestId<'_>) -> String {
    let text = id.to_string();
    let string = RawValue::new(text.as_bytes()).ok().and_then(RawValue::as_string);
    match string {
        // Half a surrogate pair is equal only to its own spelling.
        Some(string) if string.chars().all(|character| character.is_ok()) => format!("\"{string}"),
        None if text == "-0" => "0".to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> RequestId<'_> {
        RequestId::parse(text.as_bytes()).expect("an id")
    }

    fn request(session: Option<u64>) -> Request {
        Request { at: Instant::now(), subject: Subject::default(), session, is_invalid: false }
    }

    #[test]
    fn ids_are_equal_by_value_and_type() {
        for (a, b) in [(r#""a""#, r#""\u0061""#), ("0", "-0"), (r#""\/""#, r#""/""#)] {
            assert_eq!(key(id(a)), key(id(b)));
        }
        for (a, b) in [("1", r#""1""#), (r#""\ud800""#, r#""\\ud800""#), ("1", "10")] {
            assert_ne!(key(id(a)), key(id(b)));
        }
    }

    #[test]
    fn an_id_is_reused_only_within_a_legacy_session() {
        for (before, after, expected) in [
            (Some(1), Some(1), Some(Fault::IdReused)),
            (Some(1), Some(2), None),
            (None, Some(1), None),
            (Some(1), None, None),
            (None, None, None),
        ] {
            let mut requests = Requests::default();
            assert_eq!(requests.open(id("1"), request(before)), None);
            assert!(matches!(requests.answer(id("2")), Err(Some(Fault::UnknownId))));
            assert!(matches!(requests.answer(id("1")), Ok(Answer { is_sure: true, is_late: false, .. })));
            assert!(matches!(requests.answer(id("1")), Err(Some(Fault::AnsweredTwice))));
            assert_eq!(requests.open(id("1"), request(after)), expected, "{before:?} {after:?}");
        }
    }

    #[test]
    fn a_request_that_uses_an_id_in_flight_may_be_answered_too() {
        let mut requests = Requests::default();
        assert_eq!(requests.open(id("1"), request(None)), None);
        assert_eq!(requests.open(id("1"), request(None)), Some(Fault::IdInUse));
        assert!(matches!(requests.answer(id("1")), Ok(Answer { is_sure: false, is_late: false, .. })));
        assert!(matches!(requests.answer(id("1")), Err(None)));
        assert!(matches!(requests.answer(id("1")), Err(Some(Fault::AnsweredTwice))));
    }

    #[test]
    fn each_cancelled_request_may_be_answered_once_and_need_not_be() {
        let mut requests = Requests::default();
        for _ in 0..2 {
            assert_eq!(requests.open(id("1"), request(None)), None);
            assert!(requests.cancel(id("1")));
            assert!(!requests.cancel(id("1")));
        }
        assert!(requests.unanswered().is_empty());
        assert!(matches!(requests.answer(id("1")), Ok(Answer { is_late: true, .. })));
        assert!(matches!(requests.answer(id("1")), Err(None)));
        assert!(matches!(requests.answer(id("1")), Err(Some(Fault::AnsweredTwice))));
    }

    #[test]
    fn cancelled_requests_make_room_and_stay_known() {
        let mut requests = Requests::default();
        for number in 0..3 * MOST as i64 {
            requests.open(RequestId::from(number), request(None));
            requests.cancel(RequestId::from(number));
        }
        assert_eq!((requests.past.len(), requests.order.len()), (MOST, MOST));
        assert_eq!((requests.untracked, requests.in_flight_bytes), (0, 0));
        assert!(matches!(requests.answer(id("0")), Err(None)));
        assert!(matches!(requests.answer(id("-1")), Err(Some(Fault::UnknownId))));
        // A request with a forgotten id, and then the answers to both.
        requests.open(id("0"), request(None));
        assert!(matches!(requests.answer(id("0")), Ok(Answer { is_late: false, .. })));
        assert!(matches!(requests.answer(id("0")), Err(None)));
        assert!(matches!(requests.answer(id("0")), Err(Some(Fault::AnsweredTwice))));
    }

    #[test]
    fn memory_is_bounded_where_nothing_is_answered() {
        let mut requests = Requests::default();
        for number in 0..2 * MOST as i64 {
            requests.open(RequestId::from(number), request(None));
        }
        assert_eq!((requests.in_flight.len(), requests.untracked), (MOST, MOST as u64));
        assert!((0..2 * MOST as i64).all(|number| {
            matches!(requests.answer(RequestId::from(number)), Ok(Answer { is_late: false, .. }) | Err(None))
        }));
        assert_eq!((requests.in_flight_bytes, requests.past.len()), (0, MOST));
        assert!(matches!(requests.answer(id("-1")), Err(Some(Fault::UnknownId))));
    }

    #[test]
    fn memory_is_bounded_where_texts_are_long() {
        let mut requests = Requests::default();
        let long = || Request {
            subject: Subject { method: Some("x".repeat(1 << 20)), ..Subject::default() },
            ..request(None)
        };
        for number in 0..20 {
            requests.open(RequestId::from(number), long());
        }
        assert!(requests.in_flight_bytes <= ROOM);
        assert_eq!(requests.in_flight.len() as u64 + requests.untracked, 20);
        for number in 0..20 {
            let _ = requests.answer(RequestId::from(number));
            requests.open(RequestId::from(number), long());
            requests.cancel(RequestId::from(number));
            assert!(requests.past_bytes <= ROOM && requests.past.len() == requests.order.len());
        }
        assert_eq!(requests.in_flight_bytes, 0);
        // The last of them is still known.
        assert!(matches!(requests.answer(id("19")), Ok(Answer { is_late: true, .. })));
    }
}
