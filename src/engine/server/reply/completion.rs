//! The values of a completion (MCP completion).

use super::{Line, Reply};
use crate::bytes::Sink;
use crate::engine::server::Context;

/// The most values that one completion may have (MCP completion).
const MAX_VALUES: u32 = 100;

/// The reply to a completion: at most 100 values, best first. Further ones are counted, not sent.
pub struct CompletionReply<'r, 'm> {
    line: Line<'r, 'm>,
    values: u32,
    total: Option<u32>,
}

impl<'r, 'm> CompletionReply<'r, 'm> {
    pub(in crate::engine::server) fn new(out: &'r mut Sink<'m>, context: &'r Context<'r>) -> Self {
        Self {
            line: Line::new(out, context, None, None),
            values: 0,
            total: None,
        }
    }

    fn begin(&mut self) {
        self.line.begin(|json| {
            json.name("completion").begin_object();
            json.name("values").begin_array();
        });
    }

    /// A value.
    pub fn value(&mut self, value: &str) -> &mut Self {
        self.begin();
        if self.values < MAX_VALUES {
            self.line.json.string(value);
        }
        self.values = self.values.saturating_add(1);
        self
    }

    /// How many values there are in all, those that are not given here included.
    pub const fn set_total(&mut self, total: u32) -> &mut Self {
        self.total = Some(total);
        self
    }
}

impl<'r, 'm> Reply<'r, 'm> for CompletionReply<'r, 'm> {
    fn close(&mut self) {
        self.begin();
        let total = self.total.unwrap_or(self.values).max(self.values);
        let json = &mut self.line.json;
        json.end_array();
        json.name("total").unsigned(u64::from(total));
        json.name("hasMore").boolean(total > self.values.min(MAX_VALUES));
        json.end_object();
    }

    fn line(&mut self) -> &mut Line<'r, 'm> {
        &mut self.line
    }
}
