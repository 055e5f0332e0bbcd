//! The table, for people and for programs.

use std::io::{self, Write};

use super::table::{Row, Verdict};
use crate::json;
use crate::terminal::{DIM, GREEN, RED, painted, shown};

/// One line per requirement, with the reason below it. Unmet requirements come first.
pub(super) fn table(rows: &[Row], colours: bool, output: &mut impl Write) -> io::Result<()> {
    for row in failures_first(rows) {
        let (word, style) = match &row.verdict {
            Verdict::Met => ("met", GREEN),
            Verdict::NotMet(_) => ("NOT MET", RED),
            Verdict::NotApplicable(_) => ("n/a", DIM),
        };
        let word = painted(&format!("{word:<8}"), style, colours);
        writeln!(output, "{word} {:<14} {}  [{}]", row.number, row.text, row.revisions)?;
        if let Some(why) = row.verdict.why() {
            writeln!(output, "         {:<14} {}", "", shown(why))?;
        }
    }
    let [met, not_met, not_applicable] = counts(rows);
    writeln!(output, "{met} met, {not_met} not met, {not_applicable} not applicable")
}

/// One object per line, and one for the counts. Unmet requirements come first.
pub(super) fn lines(rows: &[Row], output: &mut impl Write) -> io::Result<()> {
    for row in failures_first(rows) {
        let line = json::line(|json| {
            json.name("requirement").string(&row.number);
            json.name("revisions").string(row.revisions);
            json.name("text").string(&row.text);
            json.name("verdict").string(match &row.verdict {
                Verdict::Met => "met",
                Verdict::NotMet(_) => "not-met",
                Verdict::NotApplicable(_) => "not-applicable",
            });
            if let Some(why) = row.verdict.why() {
                json.name("why").string(why);
            }
        });
        output.write_all(&line)?;
    }
    let [met, not_met, not_applicable] = counts(rows);
    let line = json::line(|json| {
        json.name("met").unsigned(met);
        json.name("not_met").unsigned(not_met);
        json.name("not_applicable").unsigned(not_applicable);
    });
    output.write_all(&line)
}

fn failures_first(rows: &[Row]) -> impl Iterator<Item = &Row> {
    let is_failure = |row: &&Row| matches!(row.verdict, Verdict::NotMet(_));
    let rest = rows.iter().filter(move |row| !is_failure(row));
    rows.iter().filter(is_failure).chain(rest)
}

fn counts(rows: &[Row]) -> [u64; 3] {
    let mut counts = [0; 3];
    for row in rows {
        counts[match row.verdict {
            Verdict::Met => 0,
            Verdict::NotMet(_) => 1,
            Verdict::NotApplicable(_) => 2,
        }] += 1;
    }
    counts
}
