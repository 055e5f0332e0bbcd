//! The thread that inspects the forwarded bytes, and writes the log.

use std::io;
use std::iter;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use barewire::mcp::Method;
use crossbeam_channel::{Receiver, Sender, bounded};

use super::conversation::Conversation;
use super::handoff::{Arrivals, Content, Item, Side};
use super::record::{Kind, Record};
use super::report::Report;
use crate::lines::{Lines, Piece};
use crate::terminal::note;
use crate::threads;

/// Time without progress after which the log is given up at the end.
const STANDSTILL: Duration = Duration::from_secs(2);

/// Longest line of standard error that is shown; longer ones are shown by their size.
const LONGEST_DIAGNOSTIC: usize = 1 << 16;

/// Factor by which the inspection rests longer than it has worked when it cannot keep up with the stream.
const REST: u32 = 19;

/// A handle to wait for the end of the thread.
pub(super) struct Inspection {
    /// One message for each inspected item or several; disconnected at the end.
    progress: Receiver<()>,
}

impl Inspection {
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn start(arrivals: Arrivals, report: Report) -> io::Result<Self> {
        let (worked, progress) = bounded(1);
        let mut inspector = Inspector {
            conversation: Conversation::new(),
            diagnostics: Lines::new(LONGEST_DIAGNOSTIC),
            report,
        };
        threads::spawn(move || {
            inspector.work(&arrivals, &worked);
            inspector.end();
        })?;
        Ok(Self { progress })
    }

    /// Waits until everything is in the log, for as long as it makes progress.
    pub(super) fn wait(self) {
        while self.progress.recv_timeout(STANDSTILL).is_ok() {}
    }
}

struct Inspector {
    conversation: Conversation,
    /// Standard error of the server.
    diagnostics: Lines,
    report: Report,
}

impl Inspector {
    /// Inspects all items until the exit of the server.
    fn work(&mut self, arrivals: &Arrivals, worked: &Sender<()>) {
        loop {
            let first = arrivals.take().or_else(|| {
                // The log shows everything so far before it waits for more.
                self.report.flush();
                arrivals.wait()
            });
            let Some(first) = first else { return };
            let start = Instant::now();
            let mut has_gaps = false;
            let more = iter::from_fn(|| arrivals.take()).take(arrivals.len());
            for item in iter::once(first).chain(more) {
                self.item(&item);
                let _ = worked.try_send(());
                match item.content {
                    Content::Exit(_) => return,
                    Content::Gap(_) => has_gaps = true,
                    _ => {}
                }
            }
            if has_gaps {
                // It cannot keep up, so it should leave the processor to the stream.
                self.report.flush();
                arrivals.rest(start.elapsed() * REST);
            }
        }
    }

    fn item(&mut self, item: &Item) {
        let (at, side) = (item.at, item.side);
        let (conversation, report) = (&mut self.conversation, &mut self.report);
        match &item.content {
            Content::Bytes(bytes) => {
                report.bytes(side, bytes.len() as u64);
                conversation.bytes(side, at, bytes, &mut |record| report.record(at, &record));
                report.untracked(at, side, conversation.state(side).requests.untracked);
            }
            Content::Gap(gap) => {
                report.bytes(side, gap.bytes);
                conversation.gap(side, at, gap, &mut |record| report.record(at, &record));
            }
            Content::Diagnostics(bytes) => {
                let mut found = |piece: Piece<'_>| report.record(at, &diagnostic(&piece));
                self.diagnostics.feed(bytes, &mut found);
            }
            Content::Closed(why) => {
                conversation.closed(side, at, &mut |record| report.record(at, &record));
                let why = why.as_ref().map(ToString::to_string);
                report.record(at, &Record::new(side, Kind::Closed(why), 0));
            }
            Content::Refused(why) => {
                report.record(at, &Record::new(side, Kind::Refused(why.to_string()), 0));
            }
            Content::Exit(status) => self.exit(at, *status),
        }
    }

    fn exit(&mut self, at: Instant, status: ExitStatus) {
        let report = &mut self.report;
        let mut found = |piece: Piece<'_>| report.record(at, &diagnostic(&piece));
        self.diagnostics.finish(&mut found);
        // "exit status: 1", "signal: 9 (SIGKILL)".
        let how = status.to_string();
        report.totals.exit.clone_from(&how);
        let code = status.code();
        report.record(at, &Record::new(Side::Server, Kind::Exit { code, how }, 0));
        for (side, other) in [(Side::Client, Side::Server), (Side::Server, Side::Client)] {
            let state = self.conversation.state(side);
            let has_gaps = state.has_gaps || self.conversation.state(other).has_gaps;
            let is_sure = !has_gaps && !state.has_doubtful_answers;
            for request in state.requests.unanswered() {
                // A subscription stream stays open until either side ends it.
                if !request.is_invalid && !request.is(Method::SubscriptionsListen) {
                    report.unanswered(at, side, request, is_sure);
                }
            }
        }
        report.summary(at);
    }

    fn end(mut self) {
        self.report.flush();
        if let Some(error) = self.report.failure() {
            note!("barewire: the log could not be written: {error}");
        }
    }
}

fn diagnostic(piece: &Piece<'_>) -> Record {
    let text = match piece {
        Piece::Line(line) => String::from_utf8_lossy(line.trim_ascii_end()).into_owned(),
        Piece::Long { bytes, .. } | Piece::Unseen { bytes, .. } => format!("({bytes} B)"),
    };
    Record::new(Side::Server, Kind::Diagnostic(text), 0)
}
