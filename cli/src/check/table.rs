//! The requirements, and the verdict on each.

use barewire::mcp::Era;

use super::reply::Reply;

const ALL: &str = "all";
const LEGACY: &str = "before 2026-07-28";
const MODERN: &str = "2026-07-28";

/// The requirements for the message layer of a server: the number in the documentation, the revisions, and the text.
#[rustfmt::skip]
const REQUIREMENTS: &[(&str, &str, &str)] = &[
    ("1", ALL, "Every message has jsonrpc \"2.0\"."),
    ("1.1", ALL, "A request gets exactly one response."),
    ("2", ALL, "An id is a string or an integer, never null in a request."),
    ("3", ALL, "A notification has no id."),
    ("4", ALL, "A notification is never answered, unknown and malformed ones included."),
    ("5", ALL, "A server uses an id of its own once."),
    ("6", ALL, "A response has the id of its request, with value and type unchanged."),
    ("7", ALL, "A response has a result or an error, not both."),
    ("8", ALL, "An error has an integer code and a string message."),
    ("9", ALL, "An error for a message whose id can be read has that id."),
    ("10", ALL, "A result is an object."),
    ("11", ALL, "Params that are an array or a scalar are refused; absent params are taken."),
    ("12", "2025-03-26", "A batch is answered, one response for each request; nothing for notifications alone."),
    ("13", "2025-06-18 and later", "A batch is refused and not processed."),
    ("14", ALL, "Unknown members of the envelope, of params and of _meta are ignored."),
    ("15", ALL, "What is not JSON gets -32700 or silence, and the next line works."),
    ("16", ALL, "A message is one line of valid JSON in UTF-8, control characters escaped."),
    ("17", ALL, "Standard output has nothing but messages."),
    ("18", ALL, "Requests sent without waiting are each answered."),
    ("19", ALL, "A response to an id that nobody used is ignored."),
    ("20", ALL, "Method names are case-sensitive, and compared after unescaping."),
    ("21", LEGACY, "initialize with a supported version is answered with that version."),
    ("22", LEGACY, "initialize with an unknown version is answered with a supported one."),
    ("23", LEGACY, "The result of initialize has protocolVersion, capabilities and serverInfo with name and version."),
    ("26", LEGACY, "Before initialized a server sends no request but ping."),
    ("27", LEGACY, "ping is answered with an empty result at any time."),
    ("29", LEGACY, "A method of a capability that is not declared gets -32601."),
    ("30", ALL, "An unknown method gets -32601."),
    ("31", MODERN, "A request without the required _meta keys gets -32602."),
    ("32", MODERN, "A request without clientInfo is served."),
    ("33", MODERN, "An unknown version gets -32022 with the supported ones and the requested one."),
    ("35", MODERN, "server/discover works as the first message, and its result is complete."),
    ("36", MODERN, "Every result has resultType."),
    ("36 L", LEGACY, "No result should have resultType, ttlMs or cacheScope."),
    ("37", MODERN, "Every result should have the server's name in _meta."),
    ("39", MODERN, "A method that the revision has removed gets -32601, initialize and ping among them."),
    ("40", MODERN, "A method of a capability that is not declared gets -32601."),
    ("41", MODERN, "A server sends no requests."),
    ("51", MODERN, "A list has ttlMs of at least 0 and a cacheScope."),
    ("52", MODERN, "cacheScope is public or private."),
    ("53", MODERN, "The acknowledgement is the first message of a subscription."),
    ("54", MODERN, "The acknowledgement has only kinds that were asked for."),
    ("56", MODERN, "A message of a subscription has the id of its request, with its type."),
    ("57", MODERN, "subscriptions/listen without notifications gets -32602."),
    ("58", MODERN, "After its cancellation a subscription has no further message."),
    ("63", LEGACY, "logging/setLevel is answered with an empty result, an unknown level with -32602."),
    ("64", ALL, "A server sends no progress that was not asked for."),
    ("66", ALL, "A cancellation of an unknown request, or a malformed one, is ignored."),
    ("69", ALL, "A list is served as an array, in a finite number of pages without a repeated cursor."),
    ("70", ALL, "An unknown cursor should get -32602."),
    ("71", ALL, "tools/call gets -32602 for an unknown tool, and without a name."),
    ("75", ALL, "The input schema of a tool is an object of type object."),
    ("77", ALL, "prompts/get gets -32602 for an unknown prompt, and without a name."),
    ("78", LEGACY, "An unknown resource should get -32002, and resources/read without a uri -32602."),
    ("78 M", MODERN, "resources/read gets -32602 for an unknown resource, and without a uri."),
    ("79", ALL, "A completion is an error or has at most 100 values; without a reference it gets -32602."),
    ("83", MODERN, "Of the codes -32020 to -32099 only the three of the specification are used."),
    ("85", "both eras", "initialize should work after server/discover."),
    ("90", LEGACY, "An unknown task gets -32602."),
    ("91", MODERN, "With the extension for tasks, tasks/get for an unknown task gets -32602."),
    ("92", ALL, "The server should end when its input ends."),
];

/// The verdict on a requirement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Met,
    NotMet(String),
    NotApplicable(String),
}

impl Verdict {
    /// The reason, if there is one.
    pub(super) fn why(&self) -> Option<&str> {
        match self {
            Self::Met => None,
            Self::NotMet(why) | Self::NotApplicable(why) => Some(why.as_str()).filter(|why| !why.is_empty()),
        }
    }
}

/// A row of the result.
pub(super) struct Row {
    pub(super) number: String,
    pub(super) revisions: &'static str,
    pub(super) text: String,
    pub(super) verdict: Verdict,
}

/// All rows. A requirement that was not checked is not applicable.
pub(super) struct Table {
    rows: Vec<Row>,
    /// The revisions that are being checked, for the text of a fault.
    revision: String,
}

impl Table {
    pub(super) fn new() -> Self {
        let rows = REQUIREMENTS.iter().map(|(number, revisions, text)| Row {
            number: (*number).to_owned(),
            revisions,
            text: (*text).to_owned(),
            verdict: Verdict::NotApplicable(String::new()),
        });
        Self { rows: rows.collect(), revision: String::new() }
    }

    /// Sets the revisions for the verdicts that follow.
    pub(super) fn set_revision(&mut self, revision: &str) {
        revision.clone_into(&mut self.revision);
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(super) fn has_faults(&self) -> bool {
        let mut verdicts = self.rows.iter().map(|row| &row.verdict);
        verdicts.any(|verdict| matches!(verdict, Verdict::NotMet(_)))
    }

    pub(super) fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Notes that the requirement was checked without a fault, unless it has one.
    pub(super) fn met(&mut self, number: &str) {
        self.update(number, |verdict| {
            if let Verdict::NotApplicable(_) = verdict {
                *verdict = Verdict::Met;
            }
        });
    }

    /// Notes a fault. The first one is kept.
    pub(super) fn fault(&mut self, number: &str, why: impl Into<String>) {
        let why = match self.revision.as_str() {
            "" => why.into(),
            revision => format!("{revision}: {}", why.into()),
        };
        self.update(number, |verdict| {
            if !matches!(verdict, Verdict::NotMet(_)) {
                *verdict = Verdict::NotMet(why);
            }
        });
    }

    /// Notes why a requirement is not checked.
    pub(super) fn not_applicable(&mut self, number: &str, why: &str) {
        self.update(number, |verdict| {
            if *verdict == Verdict::NotApplicable(String::new()) {
                *verdict = Verdict::NotApplicable(why.to_owned());
            }
        });
    }

    /// Notes that the requirement is met, or why it is not.
    pub(super) fn judge(&mut self, number: &str, is_met: bool, why: impl FnOnce() -> String) {
        match is_met {
            true => self.met(number),
            false => self.fault(number, why()),
        }
    }

    /// [`judge`](Self::judge) with the beginning of the message as the reason.
    pub(super) fn judge_reply(&mut self, number: &str, is_met: bool, reply: &Reply) {
        self.judge(number, is_met, || reply.excerpt());
    }

    /// Notes the same reason for all unchecked requirements of these revisions.
    pub(super) fn skip(&mut self, era: Era, why: &str) {
        for row in &mut self.rows {
            if (row.revisions == MODERN) == (era == Era::Modern)
                && row.verdict == Verdict::NotApplicable(String::new())
            {
                row.verdict = Verdict::NotApplicable(why.to_owned());
            }
        }
    }

    fn update(&mut self, number: &str, update: impl FnOnce(&mut Verdict)) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.number == number) {
            update(&mut row.verdict);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::check::rules::RULES;

    #[test]
    fn numbers_are_unique() {
        let numbers: HashSet<&str> = REQUIREMENTS.iter().map(|(number, ..)| *number).collect();
        assert_eq!(numbers.len(), REQUIREMENTS.len());
    }

    #[test]
    fn every_rule_has_its_row() {
        for rule in RULES {
            for era in [Era::Legacy, Era::Modern] {
                let known = |row| REQUIREMENTS.iter().any(|(number, ..)| *number == row);
                assert!(rule.row(era).is_none_or(known), "{:?}", rule.row(era));
            }
            assert!(rule.row(Era::Legacy).or(rule.row(Era::Modern)).is_some());
        }
    }

    #[test]
    fn a_fault_names_its_revision() {
        let mut table = Table::new();
        table.set_revision("2025-11-25");
        table.fault("1", "a");
        assert_eq!(table.rows()[0].verdict, Verdict::NotMet("2025-11-25: a".to_owned()));
    }

    #[test]
    fn the_first_fault_stays() {
        let mut table = Table::new();
        table.met("1");
        table.fault("1", "a");
        table.fault("1", "b");
        table.met("1");
        table.not_applicable("1", "c");
        assert_eq!(table.rows()[0].verdict, Verdict::NotMet("a".to_owned()));
    }
}
