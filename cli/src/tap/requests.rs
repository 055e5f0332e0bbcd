//! The requests of one side: which wait for an answer, and which had theirs.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Instant;

use barewire::json::RawValue;
use barewire::rpc::RequestId;

/// How many requests wait at a time at most, and how many ids that were answered are remembered: a peer that never
/// answers, or one that runs for a year, must not fill the memory.
const MOST: usize = 1 << 14;

/// How many bytes of text those that wait may have, and how many those that were answered: an id may be as long as a line.
const ROOM: usize = 16 << 20;

/// A request that was seen.
pub(super) struct Request {
    pub(super) at: Instant,
    /// As it stands in the message.
    pub(super) id: String,
    pub(super) method: String,
    pub(super) target: Option<String>,
    pub(super) is_modern: bool,
    pub(super) is_cancelled: bool,
    /// Whether it is no valid request: then it may be answered, and need not.
    pub(super) is_invalid: bool,
}

impl Request {
    /// The bytes of its texts, with its key.
    fn size(&self, key: &str) -> usize {
        key.len() + self.id.len() + self.method.len() + self.target.as_ref().map_or(0, String::len)
    }
}

/// How a request stands to those before it.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Opened {
    New,
    /// Its id waits for an answer already.
    InUse,
    /// Its id was used before.
    Reused,
}

/// What a response answers.
pub(super) enum Answered {
    Now(Request),
    Again,
    Unknown,
}

#[derive(Default)]
pub(super) struct Requests {
    waiting: HashMap<String, Request>,
    waiting_bytes: usize,
    answered: HashSet<String>,
    /// The same ids, oldest first.
    order: VecDeque<String>,
    /// Of one of the two.
    answered_bytes: usize,
    /// How many were not kept, for want of room.
    pub(super) forgotten: u64,
}

impl Requests {
    pub(super) fn open(&mut self, id: RequestId<'_>, request: Request) -> Opened {
        let key = key(id);
        if self.waiting.contains_key(&key) {
            return Opened::InUse;
        }
        let opened = if self.answered.contains(&key) {
            Opened::Reused
        } else {
            Opened::New
        };
        let size = request.size(&key);
        if self.waiting.len() < MOST && self.waiting_bytes + size <= ROOM {
            self.waiting_bytes += size;
            self.waiting.insert(key, request);
        } else {
            self.forgotten += 1;
        }
        opened
    }

    pub(super) fn answer(&mut self, id: RequestId<'_>) -> Answered {
        let key = key(id);
        match self.waiting.remove(&key) {
            Some(request) => {
                self.waiting_bytes -= request.size(&key);
                self.remember(key);
                Answered::Now(request)
            }
            None if self.answered.contains(&key) => Answered::Again,
            None => Answered::Unknown,
        }
    }

    pub(super) fn cancel(&mut self, id: RequestId<'_>) {
        if let Some(request) = self.waiting.get_mut(&key(id)) {
            request.is_cancelled = true;
        }
    }

    /// What still waits, the oldest first.
    pub(super) fn unanswered(&self) -> Vec<&Request> {
        let mut unanswered: Vec<&Request> = self.waiting.values().collect();
        unanswered.sort_by_key(|request| request.at);
        unanswered
    }

    fn remember(&mut self, key: String) {
        if self.answered.insert(key.clone()) {
            self.answered_bytes += key.len();
            self.order.push_back(key);
        }
        while (self.order.len() > MOST || self.answered_bytes > ROOM)
            && let Some(oldest) = self.order.pop_front()
        {
            self.answered_bytes -= oldest.len();
            self.answered.remove(&oldest);
        }
    }
}

/// The same text for equal ids: `"a"` and `"\u0061"`, but not `1` and `"1"`.
fn key(id: RequestId<'_>) -> String {
    let text = id.to_string();
    if !id.is_string() {
        return match text.as_str() {
            "-0" => "0".to_owned(),
            _ => text,
        };
    }
    let characters = RawValue::new(text.as_bytes())
        .ok()
        .and_then(RawValue::as_string)
        .map(|string| string.chars());
    match characters.and_then(|characters| characters.collect::<Result<String, _>>().ok()) {
        Some(decoded) => format!("\"{decoded}"),
        // Half a surrogate pair: only its own spelling is equal to it.
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> RequestId<'_> {
        RequestId::parse(text.as_bytes()).expect("an id")
    }

    fn request() -> Request {
        Request {
            at: Instant::now(),
            id: String::new(),
            method: String::new(),
            target: None,
            is_modern: false,
            is_cancelled: false,
            is_invalid: false,
        }
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
    fn an_id_is_new_then_in_use_then_reused() {
        let mut requests = Requests::default();
        assert_eq!(requests.open(id("1"), request()), Opened::New);
        assert_eq!(requests.open(id("1"), request()), Opened::InUse);
        assert!(matches!(requests.answer(id("2")), Answered::Unknown));
        assert!(matches!(requests.answer(id("1")), Answered::Now(_)));
        assert!(matches!(requests.answer(id("1")), Answered::Again));
        assert_eq!(requests.open(id("1"), request()), Opened::Reused);
    }

    #[test]
    fn memory_is_bounded() {
        let mut requests = Requests::default();
        for number in 0..2 * MOST as i64 {
            requests.open(RequestId::from(number), request());
        }
        assert_eq!((requests.waiting.len(), requests.forgotten), (MOST, MOST as u64));
        for number in 0..2 * MOST as i64 {
            requests.answer(RequestId::from(number));
            requests.open(RequestId::from(-1 - number), request());
            requests.answer(RequestId::from(-1 - number));
        }
        assert!(requests.waiting.is_empty());
        assert_eq!((requests.answered.len(), requests.order.len()), (MOST, MOST));
        assert_eq!(requests.waiting_bytes, 0);
    }

    #[test]
    fn memory_is_bounded_where_ids_are_long() {
        let mut requests = Requests::default();
        let long = |number: usize| format!("\"{number}{}\"", "x".repeat(1 << 20));
        for number in 0..20 {
            let text = long(number);
            requests.open(id(&text), request());
        }
        assert!(requests.waiting_bytes <= ROOM);
        assert_eq!(requests.waiting.len() as u64 + requests.forgotten, 20);
        for number in 0..20 {
            let text = long(number);
            requests.answer(id(&text));
            requests.open(id(&text), request());
            requests.answer(id(&text));
        }
        assert_eq!(requests.waiting_bytes, 0);
        assert!(requests.answered_bytes <= ROOM && requests.answered.len() == requests.order.len());
        // The last of them is still known.
        assert!(matches!(requests.answer(id(&long(19))), Answered::Again));
    }
}
