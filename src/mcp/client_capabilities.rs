//! The capabilities of a client.

use super::capability_set::{capability_set, declares, is_true, object, write_capability};
use super::{Feature, ProtocolVersion};
use crate::json::{Object, Writer};

/// The name of the extension for tasks (2026-07-28).
pub(crate) const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

capability_set! {
    /// The capabilities of a client. A server must not send input requests that need others.
    ///
    /// A mode or a detail without the capability that it belongs to counts as both: `SAMPLING_TOOLS` alone is written as
    /// `"sampling":{"tools":{}}`.
    ///
    /// ```
    /// use barewire::json::RawValue;
    /// use barewire::mcp::ClientCapabilities;
    ///
    /// # fn main() -> Result<(), barewire::json::Error> {
    /// let text = br#"{"roots":{"listChanged":true},"elicitation":{}}"#;
    /// let object = RawValue::new(text)?.as_object().unwrap();
    /// let capabilities = ClientCapabilities::from_object(object);
    /// assert!(capabilities.has(ClientCapabilities::ROOTS | ClientCapabilities::ELICITATION_FORM));
    /// assert!(!capabilities.has(ClientCapabilities::SAMPLING));
    /// # Ok(())
    /// # }
    /// ```
    ClientCapabilities {
        /// Sampling: messages of a model.
        SAMPLING,
        /// `includeContext` other than `none` (2025-11-25 and later).
        SAMPLING_CONTEXT,
        /// Tools in sampling (2025-11-25 and later).
        SAMPLING_TOOLS,
        /// Roots: the directories that the server may work in.
        ROOTS,
        /// Notifications when the roots change (until 2025-11-25).
        ROOTS_LIST_CHANGED,
        /// Elicitation by a form (2025-06-18 and later).
        ELICITATION_FORM,
        /// Elicitation by a URL that the user visits (2025-11-25 and later).
        ELICITATION_URL,
        /// Listing of tasks that the client runs (2025-11-25 only).
        TASKS_LIST,
        /// Cancellation of tasks that the client runs (2025-11-25 only).
        TASKS_CANCEL,
        /// Sampling as a task (2025-11-25 only).
        TASKS_SAMPLING,
        /// Elicitation as a task (2025-11-25 only).
        TASKS_ELICITATION,
        /// The extension `io.modelcontextprotocol/tasks`: a call may be answered with a task (2026-07-28).
        TASKS_EXTENSION,
    }
}

impl ClientCapabilities {
    /// Sampling, with or without details.
    pub(crate) const ANY_SAMPLING: Self =
        Self::SAMPLING.with(Self::SAMPLING_CONTEXT).with(Self::SAMPLING_TOOLS);
    /// Roots, with or without notifications.
    pub(crate) const ANY_ROOTS: Self = Self::ROOTS.with(Self::ROOTS_LIST_CHANGED);
    /// Requests that may be tasks.
    const TASKS_REQUESTS: Self = Self::TASKS_SAMPLING.with(Self::TASKS_ELICITATION);

    /// The name of one capability in an error: that of a mode or a detail where there is one.
    pub(crate) fn name(self) -> &'static str {
        let names = [
            (Self::SAMPLING_TOOLS, "sampling.tools"),
            (Self::SAMPLING_CONTEXT, "sampling.context"),
            (Self::SAMPLING, "sampling"),
            (Self::ELICITATION_URL, "elicitation.url"),
            (Self::ELICITATION_FORM, "elicitation"),
            (Self::ANY_ROOTS, "roots"),
        ];
        let named = names.into_iter().find(|(capability, _)| self.has_any(*capability));
        named.map_or("tasks", |(_, name)| name)
    }

    /// The capabilities that the member `capabilities` of an `initialize`, or of a modern request, declares. Linear in
    /// the length of its text.
    ///
    /// A capability is declared by an object; other values and unknown members are ignored. An `elicitation` that names
    /// no mode means forms, as it always does in 2025-06-18.
    pub fn from_object(capabilities: Object<'_>) -> Self {
        let mut found = Self::NONE;
        for member in capabilities.members() {
            let Some(value) = member.value.as_object() else {
                continue;
            };
            let declared = |name, detail| match declares(value, name) {
                true => detail,
                false => Self::NONE,
            };
            found.insert(if member.name == "sampling" {
                Self::SAMPLING
                    | declared("context", Self::SAMPLING_CONTEXT)
                    | declared("tools", Self::SAMPLING_TOOLS)
            } else if member.name == "roots" {
                match is_true(value, "listChanged") {
                    true => Self::ANY_ROOTS,
                    false => Self::ROOTS,
                }
            } else if member.name == "elicitation" {
                let modes = declared("url", Self::ELICITATION_URL) | declared("form", Self::ELICITATION_FORM);
                match modes {
                    Self::NONE => Self::ELICITATION_FORM,
                    modes => modes,
                }
            } else if member.name == "tasks" {
                declared("list", Self::TASKS_LIST)
                    | declared("cancel", Self::TASKS_CANCEL)
                    | task_requests(value)
            } else if member.name == "extensions" {
                declared(TASKS_EXTENSION, Self::TASKS_EXTENSION)
            } else {
                Self::NONE
            });
        }
        found
    }

    /// Writes the object, with the members that `version` has.
    pub fn write(self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        let modes = match version.has(Feature::CapabilityModes) {
            true => self,
            false => Self::NONE,
        };
        json.begin_object();
        if self.has_any(Self::ANY_SAMPLING) {
            let details = [
                (modes.has(Self::SAMPLING_CONTEXT), r#""context":{}"#),
                (modes.has(Self::SAMPLING_TOOLS), r#""tools":{}"#),
            ];
            write_capability(json, "sampling", &details);
        }
        if self.has_any(Self::ANY_ROOTS) {
            let is_told = self.has(Self::ROOTS_LIST_CHANGED) && version.has(Feature::RootsListChanged);
            write_capability(json, "roots", &[(is_told, r#""listChanged":true"#)]);
        }
        let (form, url) = (self.has(Self::ELICITATION_FORM), modes.has(Self::ELICITATION_URL));
        if version.has(Feature::Elicitation) && (form || url) {
            // Every revision that has forms understands `{}`.
            let details = [(form && url, r#""form":{}"#), (url, r#""url":{}"#)];
            write_capability(json, "elicitation", &details);
        }
        let tasks = Self::TASKS_REQUESTS | Self::TASKS_LIST | Self::TASKS_CANCEL;
        if version.has(Feature::Tasks) && self.has_any(tasks) {
            self.write_tasks(json.name("tasks"));
        }
        if self.has(Self::TASKS_EXTENSION) && version.has(Feature::Extensions) {
            write_capability(json, "extensions", &[(true, r#""io.modelcontextprotocol/tasks":{}"#)]);
        }
        json.end_object();
    }

    fn write_tasks(self, json: &mut Writer<'_, '_>) {
        json.begin_object();
        if self.has(Self::TASKS_LIST) {
            json.verbatim(r#""list":{}"#);
        }
        if self.has(Self::TASKS_CANCEL) {
            json.verbatim(r#""cancel":{}"#);
        }
        if self.has_any(Self::TASKS_REQUESTS) {
            let requests = [
                (self.has(Self::TASKS_SAMPLING), r#""sampling":{"createMessage":{}}"#),
                (self.has(Self::TASKS_ELICITATION), r#""elicitation":{"create":{}}"#),
            ];
            write_capability(json, "requests", &requests);
        }
        json.end_object();
    }
}

/// The requests that `tasks` declares.
fn task_requests(tasks: Object<'_>) -> ClientCapabilities {
    let requests = object(tasks, "requests").unwrap_or(Object::EMPTY);
    let mut found = ClientCapabilities::NONE;
    for (kind, method, capability) in [
        ("sampling", "createMessage", ClientCapabilities::TASKS_SAMPLING),
        ("elicitation", "create", ClientCapabilities::TASKS_ELICITATION),
    ] {
        if object(requests, kind).is_some_and(|methods| declares(methods, method)) {
            found.insert(capability);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::bytes::Sink;
    use crate::json::RawValue;
    use std::string::String;

    fn read(text: &str) -> ClientCapabilities {
        ClientCapabilities::from_object(RawValue::new(text.as_bytes()).unwrap().as_object().unwrap())
    }

    fn written(capabilities: ClientCapabilities, version: ProtocolVersion) -> String {
        let mut memory = [0; 512];
        let mut sink = Sink::new(&mut memory);
        capabilities.write(&mut Writer::new(&mut sink), version);
        String::from_utf8_lossy(sink.finish().unwrap()).into_owned()
    }

    /// A declaration, and how the oldest revision, 2025-06-18, 2025-11-25 and 2026-07-28 write it.
    const DECLARATIONS: &[(&str, [&str; 4])] = &[
        ("{}", ["{}", "{}", "{}", "{}"]),
        (r#"{"sampling":{}}"#, [r#"{"sampling":{}}"#; 4]),
        (
            r#"{"sampling":{"context":{},"tools":{}}}"#,
            [
                r#"{"sampling":{}}"#,
                r#"{"sampling":{}}"#,
                r#"{"sampling":{"context":{},"tools":{}}}"#,
                r#"{"sampling":{"context":{},"tools":{}}}"#,
            ],
        ),
        (
            r#"{"sampling":{},"roots":{"listChanged":true}}"#,
            [
                r#"{"sampling":{},"roots":{"listChanged":true}}"#,
                r#"{"sampling":{},"roots":{"listChanged":true}}"#,
                r#"{"sampling":{},"roots":{"listChanged":true}}"#,
                r#"{"sampling":{},"roots":{}}"#,
            ],
        ),
        (
            r#"{"elicitation":{}}"#,
            ["{}", r#"{"elicitation":{}}"#, r#"{"elicitation":{}}"#, r#"{"elicitation":{}}"#],
        ),
        (
            r#"{"elicitation":{"form":{},"url":{}}}"#,
            [
                "{}",
                r#"{"elicitation":{}}"#,
                r#"{"elicitation":{"form":{},"url":{}}}"#,
                r#"{"elicitation":{"form":{},"url":{}}}"#,
            ],
        ),
        (
            r#"{"elicitation":{"url":{}}}"#,
            ["{}", "{}", r#"{"elicitation":{"url":{}}}"#, r#"{"elicitation":{"url":{}}}"#],
        ),
        (
            r#"{"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}"#,
            [
                "{}",
                "{}",
                r#"{"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}"#,
                "{}",
            ],
        ),
        (
            r#"{"extensions":{"io.modelcontextprotocol/tasks":{},"com.example/x":{}}}"#,
            ["{}", "{}", "{}", r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#],
        ),
    ];

    #[test]
    fn each_revision_has_its_members() {
        let versions = [
            ProtocolVersion::V2024_11_05,
            ProtocolVersion::V2025_06_18,
            ProtocolVersion::V2025_11_25,
            ProtocolVersion::V2026_07_28,
        ];
        for (text, expected) in DECLARATIONS {
            for (version, expected) in versions.into_iter().zip(expected) {
                assert_eq!(written(read(text), version), *expected, "{text} in {version}");
            }
        }
    }

    #[test]
    fn what_is_no_declaration_is_ignored() {
        let cases = [
            r#"{"sampling":true,"roots":null,"elicitation":[],"tasks":1,"extensions":"x"}"#,
            r#"{"experimental":{"sampling":{}},"Sampling":{}}"#,
            r#"{"tasks":{"requests":{"sampling":{},"elicitation":true}}}"#,
            r#"{"extensions":{"io.modelcontextprotocol/tasks":true}}"#,
        ];
        for text in cases {
            assert_eq!(read(text), ClientCapabilities::NONE, "{text}");
        }
    }

    #[test]
    fn details_are_read_one_by_one() {
        type C = ClientCapabilities;
        for (text, expected) in [
            (r#"{"\u0072oots":{"listChanged":false,"x":1}}"#, C::ROOTS),
            (r#"{"elicitation":{"form":{}}}"#, C::ELICITATION_FORM),
            (r#"{"sampling":{"tools":{}}}"#, C::SAMPLING | C::SAMPLING_TOOLS),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        assert_eq!(written(C::SAMPLING_TOOLS, ProtocolVersion::V2025_11_25), r#"{"sampling":{"tools":{}}}"#);
    }
}
