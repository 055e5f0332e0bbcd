//! Tasks (MCP tasks of 2025-11-25; the extension `io.modelcontextprotocol/tasks` of 2026-07-28).

use super::members::write_text_member;
use super::named_enum::named_enum;
use super::time::write_time;
use super::{Feature, ProtocolVersion, keys};
use crate::json::{JsonStr, Writer};

named_enum! {
    /// Whether a call of a tool may be a task.
    ///
    /// ```
    /// use barewire::mcp::{TaskSupport, Tool};
    ///
    /// const PRINT: Tool<'_> = Tool::new("print", "Prints a book.").with_task_support(TaskSupport::Optional);
    /// assert_eq!(PRINT.task_support(), TaskSupport::Optional);
    /// ```
    #[derive(Default)]
    TaskSupport {
        /// No call is a task.
        #[default]
        Forbidden => "forbidden",
        /// A call is a task if the client asks for one, or accepts one.
        Optional => "optional",
        /// Every call is a task.
        Required => "required",
    }
}

named_enum! {
    /// The status of a task. The last three are final.
    TaskStatus {
        /// The task is running.
        Working => "working",
        /// The task waits for the answer to an input request.
        InputRequired => "input_required",
        /// The task has a result.
        Completed => "completed",
        /// The task has failed.
        Failed => "failed",
        /// The client has cancelled the task.
        Cancelled => "cancelled",
    }
}

impl TaskStatus {
    /// Whether the status cannot change any more.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// The id of a task: 16 hexadecimal digits, or 32 random ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskId<'t>(&'t [u8]);

/// Memory for the digits of an id.
pub(crate) type TaskDigits = [[u8; 16]; 2];

impl<'t> TaskId<'t> {
    /// The id of the task with the given number: the steps of `SplitMix64`. Different numbers have different ids, and
    /// different seeds have different sequences of ids. An id is not a secret, since each step can be undone.
    pub(crate) fn of(seed: u64, number: u32, digits: &'t mut TaskDigits) -> Self {
        let place = u64::from(number).wrapping_add(1);
        let mut bits = seed.wrapping_add(place.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let [digits, _] = digits;
        write_digits(bits ^ (bits >> 31), digits);
        Self(digits)
    }

    /// A random id of 16 bytes.
    pub(crate) fn random(bytes: &[u8], digits: &'t mut TaskDigits) -> Self {
        for (digits, bytes) in digits.iter_mut().zip(bytes.chunks_exact(8)) {
            write_digits(bytes.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte)), digits);
        }
        Self(digits.as_flattened())
    }

    pub(crate) fn write(self, json: &mut Writer<'_, '_>) {
        json.plain_string(|sink| sink.write(self.0));
    }

    /// Writes the metadata of a message that belongs to this task (2025-11-25).
    pub(crate) fn write_related(self, json: &mut Writer<'_, '_>) {
        json.name(keys::RELATED_TASK).begin_object();
        self.write(json.name("taskId"));
        json.end_object();
    }

    /// Whether `text` is this id.
    pub(crate) fn is(self, text: JsonStr<'_>) -> bool {
        core::str::from_utf8(self.0).is_ok_and(|digits| text == *digits)
    }

    /// Whether `text` is this id. The time does not depend on the number of digits that are right.
    pub(crate) fn is_secret(self, text: JsonStr<'_>) -> bool {
        let (mut digits, mut steps, mut differences) = (self.0.iter(), text.steps(), 0);
        while let Some(character) = steps.next() {
            differences |= character ^ digits.next().map_or(u32::MAX, |digit| u32::from(*digit));
        }
        differences == 0 && digits.next().is_none()
    }
}

fn write_digits(mut bits: u64, digits: &mut [u8; 16]) {
    for digit in digits.iter_mut().rev() {
        *digit = match u8::try_from(bits & 0xF).unwrap_or_default() {
            low @ 0..=9 => b'0' | low,
            high => b'a'.saturating_add(high.saturating_sub(10)),
        };
        bits >>= 4;
    }
}

/// The state of a task, as messages describe it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskView<'t> {
    pub(crate) id: TaskId<'t>,
    pub(crate) status: TaskStatus,
    pub(crate) message: Option<&'static str>,
    /// The time of creation, in milliseconds since 1970.
    pub(crate) created: u64,
    /// The time of the last change, in milliseconds since 1970.
    pub(crate) updated: u64,
    /// In milliseconds.
    pub(crate) ttl: u32,
    /// In milliseconds.
    pub(crate) poll_interval: u32,
}

impl TaskView<'_> {
    /// Writes the members into the open object.
    pub(crate) fn write_members(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        self.id.write(json.name("taskId"));
        json.name("status").string(self.status.as_str());
        write_text_member(json, "statusMessage", self.message);
        write_time(json.name("createdAt"), self.created);
        write_time(json.name("lastUpdatedAt"), self.updated);
        let (ttl, poll_interval) = match version.has(Feature::Extensions) {
            true => ("ttlMs", "pollIntervalMs"),
            false => ("ttl", "pollInterval"),
        };
        json.name(ttl).unsigned(u64::from(self.ttl));
        json.name(poll_interval).unsigned(u64::from(self.poll_interval));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Sink;

    fn written(write: impl FnOnce(&mut Writer<'_, '_>)) -> std::string::String {
        let mut memory = [0; 512];
        let mut sink = Sink::new(&mut memory);
        write(&mut Writer::new(&mut sink));
        std::string::String::from_utf8(sink.finish().unwrap().to_vec()).unwrap()
    }

    /// The first numbers of `SplitMix64`, as its authors publish them for the seed 1234567 and everybody knows them for 0.
    #[test]
    fn ids_are_sixteen_digits_and_never_the_same() {
        let rows = [
            (0, 0, "e220a8397b1dcdaf"),
            (0, 1, "6e789e6aa1b965f4"),
            (1_234_567, 0, "599ed017fb08fc85"),
            (1_234_567, 1, "2c73f08458540fa5"),
        ];
        for (seed, number, text) in rows {
            let mut digits = TaskDigits::default();
            let id = TaskId::of(seed, number, &mut digits);
            assert_eq!(written(|json| id.write(json)), std::format!("\"{text}\""));
            assert!(id.is(JsonStr::from_escaped(text).unwrap()));
            assert!(id.is_secret(JsonStr::from_escaped(text).unwrap()));
            for wrong in ["", &text[1..], &std::format!("{text}0"), &text.to_uppercase()] {
                let text = JsonStr::from_escaped(wrong).unwrap();
                assert!(!id.is(text) && !id.is_secret(text), "{wrong}");
            }
        }
        let numbers = (0..10_000).chain([u32::MAX]);
        let ids = numbers.map(|number| TaskId::of(7, number, &mut TaskDigits::default()).0.to_vec());
        let mut all: std::vec::Vec<std::vec::Vec<u8>> = ids.collect();
        all.sort_unstable();
        assert!(all.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_random_id_has_thirty_two_digits() {
        let bytes = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210_u128.to_be_bytes();
        let mut digits = TaskDigits::default();
        let id = TaskId::random(&bytes, &mut digits);
        assert_eq!(written(|json| id.write(json)), r#""0123456789abcdeffedcba9876543210""#);
        assert!(id.is_secret(JsonStr::from_escaped("0123456789abcdeffedcba9876543210").unwrap()));
    }

    #[test]
    fn the_members_of_a_task_by_revision() {
        let mut digits = TaskDigits::default();
        let view = TaskView {
            id: TaskId::of(0, 0, &mut digits),
            status: TaskStatus::InputRequired,
            message: Some("a \"b\""),
            created: 0,
            updated: 1,
            ttl: u32::MAX,
            poll_interval: 0,
        };
        let members = |version| {
            written(|json| {
                json.begin_object();
                view.write_members(json, version);
                json.end_object();
            })
        };
        let head = concat!(
            r#"{"taskId":"e220a8397b1dcdaf","status":"input_required","statusMessage":"a \"b\"","#,
            r#""createdAt":"1970-01-01T00:00:00.000Z","lastUpdatedAt":"1970-01-01T00:00:00.001Z","#
        );
        assert_eq!(
            members(ProtocolVersion::V2025_11_25),
            [head, r#""ttl":4294967295,"pollInterval":0}"#].concat()
        );
        assert_eq!(
            members(ProtocolVersion::V2026_07_28),
            [head, r#""ttlMs":4294967295,"pollIntervalMs":0}"#].concat()
        );
    }

    #[test]
    fn states_that_stay() {
        let names = [
            (TaskStatus::Working, "working", false),
            (TaskStatus::InputRequired, "input_required", false),
            (TaskStatus::Completed, "completed", true),
            (TaskStatus::Failed, "failed", true),
            (TaskStatus::Cancelled, "cancelled", true),
        ];
        for (status, name, is_final) in names {
            assert_eq!((status.as_str(), status.is_final()), (name, is_final));
        }
    }
}
