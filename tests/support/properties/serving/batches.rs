//! Batches of a session of 2025-03-26.

use barewire::engine::{Frame, Origin};

use super::super::super::slow::{self, Leniency, Owed, Verdict};
use super::Session;
use super::settle::Cause;

/// The id of the answer that a message is owed.
fn owed_to(element: &str, leniency: Leniency) -> Option<String> {
    match slow::classify(element.as_bytes(), &[leniency]).remove(0) {
        Verdict::Request { id, .. } => Some(id.to_owned()),
        Verdict::Invalid { owed, .. } => match owed {
            Owed::Nobody => None,
            Owed::To(id) => Some(id.to_owned()),
            Owed::Null | Owed::Anything => Some("null".to_owned()),
        },
        _ => None,
    }
}

impl<const N: usize, const BYTES: usize> Session<N, BYTES> {
    /// What each element is owed, in order; where there are no batches, one error.
    pub(super) fn batch(&mut self, elements: &[String], other: Option<&(usize, Vec<u8>)>) {
        let fill = |session: &mut Self, text: &[u8]| String::from_utf8(session.filled(text)).expect("UTF-8");
        let mut all: Vec<String> = elements.iter().map(|element| fill(self, element.as_bytes())).collect();
        let other = other.map(|(at, text)| (*at, fill(self, text)));
        let before = other.as_ref().map_or(all.len(), |(at, _)| *at);
        let owed = |elements: &[String]| -> Vec<String> {
            elements.iter().filter_map(|element| owed_to(element, self.leniency)).collect()
        };
        let (mut expected, owed_before) = (owed(&all), owed(&all[..before]).len());
        if let Some((at, text)) = &other {
            all.insert(*at, text.clone());
        }
        let frame = format!("[{}]", all.join(","));
        let is_served = self.serves_batches() && !all.is_empty();
        let mut rounds = Vec::new();
        let mut received = Frame::new(frame.as_bytes());
        while !received.is_done() {
            let (lines, _) =
                self.written(|server, app, out| server.receive(Origin::ONLY, &mut received, app, out));
            assert!(received.is_done() || !lines.is_empty(), "nothing to send");
            if !lines.is_empty() {
                rounds.push(lines);
            }
        }
        if !is_served {
            expected = vec!["null".to_owned()];
        } else if let Some((_, text)) = &other {
            // Each of the others that is owed an answer has an output of its own, so one more is this one's.
            let is_loud = rounds.len() > expected.len();
            let lines = if is_loud { rounds.remove(owed_before) } else { Vec::new() };
            // Nobody waits for the responses among the others.
            self.app.seen().responses = 1;
            self.judge(text.as_bytes(), &lines);
        }
        assert_eq!(rounds.len(), expected.len(), "{frame}");
        for (lines, id) in rounds.iter().zip(&expected) {
            self.one_answer(lines, id, &frame);
        }
        self.settle(&[], Cause::Nothing);
    }
}
