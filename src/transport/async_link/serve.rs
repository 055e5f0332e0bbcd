//! Work of the engine for a link, with its application or without.

use super::lines::Line;
use super::outgoing::Outgoing;
use crate::engine::{AsyncHandler, CallError, CallToken, Deferring, Frame, Origin, Server, Storage};

/// Serves a line, of a batch only one element. The line gets the place of the next element, or 0.
pub(super) fn receive<'a, A: AsyncHandler, S: Storage>(
    server: &mut Server<S>,
    app: Option<&'a mut A>,
    line: &mut Line,
    memory: &'a [u8],
    outgoing: &mut Outgoing<'_>,
) -> Deferring<'a, A> {
    let text = memory.get(line.text.clone()).unwrap_or_default();
    let mut frame = Frame::at(text, line.place);
    let mut app = Deferring::new(app, text);
    // Only a whole line can be received again.
    app.can_wait = line.place == 0;
    let _ = outgoing.write(|out| server.receive_part(Origin::ONLY, &mut frame, &mut app, out));
    line.place = if frame.is_done() { 0 } else { frame.place() };
    app
}

/// Writes a line that is due.
pub(super) fn poll<'a, A: AsyncHandler, S: Storage>(
    server: &mut Server<S>,
    app: Option<&'a mut A>,
    outgoing: &mut Outgoing<'_>,
) -> Deferring<'a, A> {
    let mut app = Deferring::new(app, &[]);
    let _ = outgoing.write(|out| server.poll(|_| true, &mut app, out));
    app
}

/// Answers a deferred request with an error.
pub(super) fn fail<A: AsyncHandler, S: Storage>(
    server: &mut Server<S>,
    token: CallToken,
    error: CallError<'_>,
    outgoing: &mut Outgoing<'_>,
) {
    let mut lent = Deferring::<A>::new(None, &[]);
    let _ = outgoing.write(|out| server.fail(token, error, &mut lent, out));
}
