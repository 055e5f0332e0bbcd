//! The conversation: lines of both sides, and the state against which messages are checked.

use std::time::Instant;

use barewire::mcp::ProtocolVersion;

use super::handoff::{Gap, Side};
use super::judge::Judge;
use super::record::{Fault, Kind, Record};
use super::requests::Requests;
use crate::lines::Lines;

/// Length of the longest line that is inspected.
const LONGEST: usize = 1 << 20;

/// State of the conversation.
pub(super) struct Watch {
    client: Talk,
    server: Talk,
    session: Session,
}

/// State of one side.
struct Talk {
    lines: Lines,
    about: Said,
}

/// State of the messages of one side.
#[derive(Default)]
pub(super) struct Said {
    pub(super) requests: Requests,
    /// Whether something was not inspected. Then nothing can be said about missing messages.
    pub(super) has_gaps: bool,
    /// Whether the other side sent an error without an id, which may answer any of the requests.
    pub(super) has_doubtful_answers: bool,
    pub(super) notifications: u64,
    /// Number of errors without an id that the other side may still send.
    pub(super) unreadable: u64,
}

/// The legacy session, if any.
#[derive(Default)]
pub(super) struct Session {
    /// The revision that the handshake has negotiated.
    pub(super) version: Option<ProtocolVersion>,
    /// Number of `initialize` requests, each of which begins a session; those that may be in a gap count too.
    pub(super) number: u64,
    /// Whether the server has answered a modern request with a result.
    pub(super) has_modern_results: bool,
}

impl Session {
    /// Whether the conversation is modern: no handshake was tried, and the server works without one.
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

    /// Reads output of `side`.
    pub(super) fn bytes(&mut self, side: Side, at: Instant, bytes: &[u8], show: &mut dyn FnMut(Record)) {
        let (lines, mut judge) = self.of(side, at);
        lines.feed(bytes, &mut |piece| judge.piece(piece, show));
    }

    /// Notes that output of `side` was not inspected.
    pub(super) fn gap(&mut self, side: Side, at: Instant, gap: &Gap, show: &mut dyn FnMut(Record)) {
        let (lines, mut judge) = self.of(side, at);
        judge.own.has_gaps = true;
        // It may contain a handshake.
        judge.session.number += 1;
        lines.lost(gap.bytes, gap.is_several, gap.ends_line, &mut |piece| {
            judge.piece(piece, show);
        });
    }

    /// Notes that `side` writes nothing more.
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
