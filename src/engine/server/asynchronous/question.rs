//! A question to a modern client, which is the result of its call.

use crate::json::{Object, Writer};
use crate::mcp::{InputRequest, ProtocolVersion};

/// A question, with the answers that come back with the next round.
pub(crate) struct Question<'q> {
    pub(super) key: &'q str,
    pub(super) request: &'q InputRequest<'q>,
    pub(super) version: ProtocolVersion,
    /// Answers of this round and of earlier ones.
    pub(super) answers: [Object<'q>; 2],
}

impl Question<'_> {
    /// Writes the members of the result. The state is an object of all answers.
    pub(crate) fn write(&self, json: &mut Writer<'_, '_>) {
        json.name("inputRequests").begin_object();
        json.name(self.key).begin_object();
        self.request.write_members(json, self.version, None);
        json.end_object().end_object();
        json.name("requestState").quoted(|json| self.write_answers(json));
    }

    fn write_answers(&self, json: &mut Writer<'_, '_>) {
        let [new, old] = self.answers;
        json.begin_object();
        for member in old.members().filter(|old| new.members().all(|new| new.name != old.name)) {
            json.member(member);
        }
        for member in new.members() {
            json.member(member);
        }
        json.end_object();
    }
}
