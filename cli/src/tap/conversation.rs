//! The conversation: lines of both sides, and the state against which messages are checked.

use std::time::Instant;

use super::handoff::{Gap, Side};
use super::judge::Judge;
use super::record::{Fault, Kind, Record};
use super::state::{PeerState, Session};
use crate::lines::Lines;

/// Length of the longest line that is inspected.
const LONGEST: usize = 1 << 20;

/// State of the conversation.
pub(super) struct Conversation {
    client: Peer,
    server: Peer,
    session: Session,
}

/// State of one side.
struct Peer {
    lines: Lines,
    state: PeerState,
}

impl Conversation {
    pub(super) fn new() -> Self {
        let peer = || Peer { lines: Lines::new(LONGEST), state: PeerState::default() };
        Self { client: peer(), server: peer(), session: Session::default() }
    }

    /// Reads output of `side`.
    pub(super) fn bytes(&mut self, side: Side, at: Instant, bytes: &[u8], report: &mut dyn FnMut(Record)) {
        let (lines, mut judge) = self.of(side, at);
        lines.feed(bytes, &mut |piece| judge.piece(piece, report));
    }

    /// Notes that output of `side` was not inspected.
    pub(super) fn gap(&mut self, side: Side, at: Instant, gap: &Gap, report: &mut dyn FnMut(Record)) {
        let (lines, mut judge) = self.of(side, at);
        judge.own.has_gaps = true;
        // It may contain a handshake.
        judge.session.number += 1;
        lines.lost(gap.bytes, gap.is_several, gap.ends_line, &mut |piece| {
            judge.piece(piece, report);
        });
    }

    /// Notes that `side` writes nothing more.
    pub(super) fn closed(&mut self, side: Side, at: Instant, report: &mut dyn FnMut(Record)) {
        let (lines, mut judge) = self.of(side, at);
        lines.finish(&mut |piece| {
            judge.piece(piece, &mut |mut record| {
                if !matches!(record.kind, Kind::Unseen) {
                    record.faults.push(Fault::NoNewline);
                }
                report(record);
            });
        });
    }

    /// The state of `side`.
    pub(super) const fn state(&self, side: Side) -> &PeerState {
        match side {
            Side::Client => &self.client.state,
            Side::Server => &self.server.state,
        }
    }

    fn of(&mut self, side: Side, at: Instant) -> (&mut Lines, Judge<'_>) {
        let (own, other) = match side {
            Side::Client => (&mut self.client, &mut self.server),
            Side::Server => (&mut self.server, &mut self.client),
        };
        let judge =
            Judge { side, at, own: &mut own.state, other: &mut other.state, session: &mut self.session };
        (&mut own.lines, judge)
    }
}
