//! The conversation: lines of both sides, and the state by which messages are judged.

use std::time::Instant;

use barewire::mcp::ProtocolVersion;

use super::handoff::{Gap, Side};
use super::judge::Judge;
use super::record::{Fault, Kind, Record};
use super::requests::Requests;
use crate::lines::Lines;

/// Longest line that is inspected.
const LONGEST: usize = 1 << 20;

/// What is known of the conversation.
pub(super) struct Watch {
    client: Talk,
    server: Talk,
    session: Session,
}

/// One side.
struct Talk {
    lines: Lines,
    about: Said,
}

/// State of the messages of one side.
#[derive(Default)]
pub(super) struct Said {
    pub(super) requests: Requests,
    /// Some of it was not inspected: then nothing can be said about what is missing.
    pub(super) has_gaps: bool,
    /// The other side had an error without an id that may answer any of the requests.
    pub(super) has_doubtful_answers: bool,
    pub(super) notifications: u64,
    /// Number of errors without an id that the other side may still answer with.
    pub(super) unreadable: u64,
}

/// The legacy session, as far as there is one.
#[derive(Default)]
pub(super) struct Session {
    /// The revision that the handshake has agreed on.
    pub(super) version: Option<ProtocolVersion>,
    /// Number of `initialize` requests, each of which begins a session; those that may be in a gap count.
    pub(super) number: u64,
    /// The server has answered a modern request with a result.
    pub(super) has_modern_results: bool,
}

impl Session {
    /// Whether all of it is modern: no handshake was tried, and the server knows how to do without.
    pub(super) const fn is_modern(&self) -> bool {
        self.number == 0 && self.has_modern_results
    }
}

impl Watch {
    pub(super) fn new() -> Self {
        let talk = || Talk {
            lines: Lines::new(LONGEST),
            about: Said::default(),
        };
        Self {
            client: talk(),
            server: talk(),
            session: Session::default(),
        }
    }

    /// Reads what `side` has written.
    pub(super) fn bytes(&mut self, side: Side, at: Instant, bytes: &[u8], show: &mut dyn FnMut(Record)) {
        let (lines, mut judge) = self.of(side, at);
        lines.feed(bytes, &mut |piece| judge.piece(piece, show));
    }

    /// Notes that `side` has written what was not inspected.
    pub(super) fn gap(&mut self, side: Side, at: Instant, gap: &Gap, show: &mut dyn FnMut(Record)) {
        let (lines, mut judge) = self.of(side, at);
        judge.own.has_gaps = true;
        // There may be a handshake in it.
        judge.session.number += 1;
        lines.lost(gap.bytes, gap.is_several, gap.ends_line, &mut |piece| {
            judge.piece(piece, show);
        });
    }

    /// `side` writes no more.
    pub(super) fn closed(&mut self, side: Side, at: Instant, show: &mut dyn FnMut(Record)) {
        let (lines, mut judge) = self.of(side, at);
        lines.finish(&mut |piece| {
            judge.piece(piece, &mut |mut record| {
                if !matches!(record.kind, Kind::Unseen) {
                    record.faults.push(Fault::NoNewline);
                }
                show(record);
            });
        });
    }

    /// The state of `side`.
    pub(super) const fn said(&self, side: Side) -> &Said {
        match side {
            Side::Client => &self.client.about,
            Side::Server => &self.server.about,
        }
    }

    fn of(&mut self, side: Side, at: Instant) -> (&mut Lines, Judge<'_>) {
        let (own, other) = match side {
            Side::Client => (&mut self.client, &mut self.server),
            Side::Server => (&mut self.server, &mut self.client),
        };
        let judge = Judge {
            side,
            at,
            own: &mut own.about,
            other: &mut other.about,
            session: &mut self.session,
        };
        (&mut own.lines, judge)
    }
}
