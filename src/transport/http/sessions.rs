//! Legacy sessions: their ids, their owners, their standing streams.

use core::hint::black_box;

use crate::engine::{Channel, Principal};

/// Memory for a legacy session of an [`Endpoint`](super::Endpoint).
#[derive(Debug, Clone, Copy)]
pub struct SessionEntry {
    /// `None` if the entry is free.
    id: Option<SessionId>,
    principal: Principal,
    /// Exchange of the standing stream.
    stream: Option<Channel>,
    /// Time of the last request, in milliseconds.
    used: u64,
}

impl SessionEntry {
    /// An unused entry.
    pub const FREE: Self = Self { id: None, principal: Principal::ANONYMOUS, stream: None, used: 0 };
}

/// Id of a session: 128 random bits.
pub(super) type SessionId = [u8; 16];

/// The sessions of an endpoint. The place of an entry is the place of the session in the storage of the server.
pub(super) struct Sessions<'a>(pub(super) &'a mut [SessionEntry]);

impl Sessions<'_> {
    /// Place of the session with this id, if it belongs to this principal. Every entry is compared, and to its end, so that the time does
    /// not depend on how much of an id is right.
    pub(super) fn find(&self, id: &SessionId, principal: Principal) -> Option<u16> {
        let mut found = None;
        for (place, entry) in (0..=u16::MAX).zip(self.0.iter()) {
            let is_used = entry.id.is_some();
            if is_equal(&entry.id.unwrap_or_default(), id) & is_used & (entry.principal == principal) {
                found = Some(place);
            }
        }
        found
    }

    /// Notes that the session in this place was used.
    pub(super) fn touch(&mut self, place: u16, now: u64) {
        if let Some(entry) = self.0.get_mut(usize::from(place)) {
            entry.used = now;
        }
    }

    /// The first free place.
    pub(super) fn free_place(&self) -> Option<u16> {
        let mut entries = (0..=u16::MAX).zip(self.0.iter());
        entries.find(|(_, entry)| entry.id.is_none()).map(|(place, _)| place)
    }

    /// Place of the session that is idle for the longest time, and that time. A session is not idle while it has a standing stream, or is
    /// busy.
    pub(super) fn longest_idle(&self, mut is_busy: impl FnMut(u16) -> bool) -> Option<(u16, u64)> {
        let entries = (0..=u16::MAX).zip(self.0.iter());
        let idle =
            entries.filter(|(place, entry)| entry.id.is_some() && entry.stream.is_none() && !is_busy(*place));
        idle.map(|(place, entry)| (place, entry.used)).min_by_key(|(_, used)| *used)
    }

    /// Notes that the sessions with a standing stream are in use, and those that are busy.
    pub(super) fn touch_each(&mut self, now: u64, mut is_busy: impl FnMut(u16) -> bool) {
        for (place, entry) in (0..=u16::MAX).zip(self.0.iter_mut()) {
            if entry.stream.is_some() || is_busy(place) {
                entry.used = now;
            }
        }
    }

    /// Time of the last use of the session that was not used for the longest time.
    pub(super) fn least_used(&self) -> Option<u64> {
        self.0.iter().filter(|entry| entry.id.is_some()).map(|entry| entry.used).min()
    }

    /// Whether a session has this id.
    pub(super) fn has(&self, id: &SessionId) -> bool {
        self.0.iter().any(|entry| entry.id == Some(*id))
    }

    /// Keeps a session.
    pub(super) fn open(&mut self, place: u16, id: SessionId, principal: Principal, now: u64) {
        if let Some(entry) = self.0.get_mut(usize::from(place)) {
            *entry = SessionEntry { id: Some(id), principal, stream: None, used: now };
        }
    }

    /// Forgets a session.
    pub(super) fn forget(&mut self, place: u16) {
        if let Some(entry) = self.0.get_mut(usize::from(place)) {
            *entry = SessionEntry::FREE;
        }
    }

    /// Exchange of the standing stream of a session.
    pub(super) fn stream_of(&self, place: u16) -> Option<Channel> {
        self.0.get(usize::from(place)).and_then(|entry| entry.stream)
    }

    /// Makes an exchange the standing stream of a session. The exchange that it replaces.
    pub(super) fn open_stream(&mut self, place: u16, channel: Channel) -> Option<Channel> {
        self.0.get_mut(usize::from(place)).and_then(|entry| entry.stream.replace(channel))
    }

    /// Forgets the standing stream on this exchange, if it is one.
    pub(super) fn close_stream(&mut self, channel: Channel, now: u64) {
        for entry in self.0.iter_mut().filter(|entry| entry.stream == Some(channel)) {
            entry.stream = None;
            entry.used = now;
        }
    }

    /// Whether an exchange is the standing stream of a session.
    pub(super) fn has_stream(&self, channel: Channel) -> bool {
        self.0.iter().any(|entry| entry.stream == Some(channel))
    }
}

/// Compares all bytes.
fn is_equal(one: &SessionId, other: &SessionId) -> bool {
    let mut difference = 0;
    for (one, other) in one.iter().zip(other) {
        // Keeps the compiler from leaving the loop early.
        difference = black_box(difference | (one ^ other));
    }
    difference == 0
}

/// Number of digits of a session id on the wire.
const DIGITS: usize = 32;

/// The hexadecimal digits of an id, as they are on the wire.
pub(super) fn digits_of(id: &SessionId) -> [u8; DIGITS] {
    let mut digits = [0; DIGITS];
    let halves = id.iter().flat_map(|byte| [byte >> 4, byte & 0xF]);
    for (place, half) in digits.iter_mut().zip(halves) {
        *place = match half {
            0..=9 => b'0'.wrapping_add(half),
            _ => b'a'.wrapping_sub(10).wrapping_add(half),
        };
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHER: Principal = Principal::new(7);

    #[test]
    fn h63_a_session_is_found_by_its_owner_alone() {
        let mut entries = [SessionEntry::FREE; 3];
        let mut sessions = Sessions(&mut entries);
        assert_eq!(sessions.find(&[0; 16], Principal::ANONYMOUS), None);
        sessions.open(1, [0; 16], Principal::ANONYMOUS, 5);
        sessions.open(2, [9; 16], OTHER, 6);
        assert_eq!(sessions.find(&[0; 16], Principal::ANONYMOUS), Some(1));
        assert_eq!(sessions.find(&[0; 16], OTHER), None);
        assert_eq!(sessions.find(&[9; 16], OTHER), Some(2));
        assert_eq!(sessions.find(&[9; 16], Principal::ANONYMOUS), None);
        for place in 0..16 {
            let mut id = [9; 16];
            id[place] ^= 0x10;
            assert_eq!(sessions.find(&id, OTHER), None);
        }
        sessions.forget(2);
        assert_eq!(sessions.find(&[9; 16], OTHER), None);
    }

    #[test]
    fn h71_the_longest_idle_session_is_neither_busy_nor_streaming() {
        let mut entries = [SessionEntry::FREE; 4];
        let mut sessions = Sessions(&mut entries);
        for (place, used) in [(0, 40), (1, 10), (2, 20)] {
            assert_eq!(sessions.free_place(), Some(place));
            sessions.open(place, [place as u8; 16], OTHER, used);
        }
        assert_eq!(sessions.longest_idle(|_| false), Some((1, 10)));
        assert_eq!(sessions.longest_idle(|place| place == 1), Some((2, 20)));
        assert_eq!(sessions.open_stream(2, Channel(8)), None);
        assert_eq!(sessions.longest_idle(|place| place == 1), Some((0, 40)));
        assert_eq!(sessions.open_stream(2, Channel(9)), Some(Channel(8)));
        sessions.close_stream(Channel(8), 60);
        assert!(sessions.has_stream(Channel(9)));
        sessions.close_stream(Channel(9), 60);
        sessions.touch(1, 70);
        assert_eq!(sessions.longest_idle(|_| false), Some((0, 40)));
        assert_eq!(sessions.longest_idle(|_| true), None);
    }

    #[test]
    fn h63_an_id_has_32_digits() {
        let id = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0, 0xFF, 0x10, 0x0F, 0x9A, 0xA9, 0x5, 0x50];
        assert_eq!(&digits_of(&id), b"0123456789abcdef00ff100f9aa90550");
    }
}
