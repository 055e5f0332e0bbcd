//! The capabilities of a server.

use super::capability_set::{capability_set, declares, is_true, object, write_capability};
use super::{Era, Feature, ProtocolVersion, TASKS_EXTENSION};
use crate::json::{Object, Writer};

capability_set! {
    /// The capabilities of a server. A request whose method needs others is answered with -32601.
    ///
    /// ```
    /// use barewire::mcp::{Capabilities, Method, ProtocolVersion};
    ///
    /// let mut offered = Capabilities::TOOLS | Capabilities::TOOLS_LIST_CHANGED;
    /// assert!(offered.offers(Method::ToolsCall, ProtocolVersion::V2025_11_25));
    /// assert!(!offered.offers(Method::PromptsList, ProtocolVersion::V2025_11_25));
    /// offered.insert(Capabilities::PROMPTS);
    /// assert!(offered.has(Capabilities::TOOLS | Capabilities::PROMPTS));
    /// assert_eq!(format!("{offered:?}"), "{TOOLS, TOOLS_LIST_CHANGED, PROMPTS}");
    /// ```
    Capabilities {
        /// Tools.
        TOOLS,
        /// Notifications when the list of tools changes.
        TOOLS_LIST_CHANGED,
        /// Resources and resource templates.
        RESOURCES,
        /// Subscriptions to single resources.
        RESOURCES_SUBSCRIBE,
        /// Notifications when the list of resources changes.
        RESOURCES_LIST_CHANGED,
        /// Prompts.
        PROMPTS,
        /// Notifications when the list of prompts changes.
        PROMPTS_LIST_CHANGED,
        /// Completion of arguments.
        COMPLETIONS,
        /// Log messages.
        LOGGING,
        /// Tasks (2025-11-25 only).
        TASKS_CORE,
        /// Listing of tasks (2025-11-25 only).
        TASKS_LIST,
        /// Cancellation of tasks (2025-11-25 only).
        TASKS_CANCEL,
        /// Calls of tools as tasks (2025-11-25 only).
        TASKS_CALL,
        /// The extension `io.modelcontextprotocol/tasks` (2026-07-28).
        TASKS_EXTENSION,
    }
}

/// The name of a member, and the capability that it declares.
type Declared = (&'static str, Capabilities);

/// Capabilities that an object declares, and those that flags in the object declare.
const DECLARED: &[(Declared, &[Declared])] = {
    use Capabilities as C;
    const LIST_CHANGED: &str = "listChanged";
    &[
        (("tools", C::TOOLS), &[(LIST_CHANGED, C::TOOLS_LIST_CHANGED)]),
        (
            ("resources", C::RESOURCES),
            &[("subscribe", C::RESOURCES_SUBSCRIBE), (LIST_CHANGED, C::RESOURCES_LIST_CHANGED)],
        ),
        (("prompts", C::PROMPTS), &[(LIST_CHANGED, C::PROMPTS_LIST_CHANGED)]),
        (("completions", C::COMPLETIONS), &[]),
        (("logging", C::LOGGING), &[]),
    ]
};

impl Capabilities {
    /// All capabilities for tasks, of both eras.
    pub const TASKS: Self = Self::TASKS_CORE
        .with(Self::TASKS_LIST)
        .with(Self::TASKS_CANCEL)
        .with(Self::TASKS_CALL)
        .with(Self::TASKS_EXTENSION);

    /// Notifications when a list changes.
    pub(crate) const LIST_CHANGES: Self =
        Self::TOOLS_LIST_CHANGED.with(Self::RESOURCES_LIST_CHANGED).with(Self::PROMPTS_LIST_CHANGED);

    /// Whether calls of tools can be tasks in `version`.
    pub(crate) fn has_task_calls(self, version: ProtocolVersion) -> bool {
        self.has(Self::TASKS_CALL.in_era(version.era()))
    }

    /// The same capabilities in the given era: in the modern one, tasks are one extension.
    pub(super) const fn in_era(self, era: Era) -> Self {
        match era {
            Era::Modern if self.has_any(Self::TASKS) => Self::TASKS_EXTENSION,
            _ => self,
        }
    }

    /// The capabilities that the member `capabilities` of an `initialize` result, or of a discovery, declares. Linear in
    /// the length of its text.
    ///
    /// A capability is declared by an object, the first of its name; other values and unknown members are ignored.
    ///
    /// ```
    /// use barewire::json::RawValue;
    /// use barewire::mcp::Capabilities;
    ///
    /// # fn main() -> Result<(), barewire::json::Error> {
    /// let text = br#"{"tools":{"listChanged":true},"resources":{}}"#;
    /// let offered = Capabilities::from_object(RawValue::new(text)?.as_object().unwrap());
    /// assert!(offered.has(Capabilities::TOOLS_LIST_CHANGED | Capabilities::RESOURCES));
    /// assert!(!offered.has_any(Capabilities::RESOURCES_SUBSCRIBE | Capabilities::PROMPTS));
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_object(capabilities: Object<'_>) -> Self {
        Self::without_tasks(capabilities) | Self::of_tasks(capabilities)
    }

    /// The declared capabilities, except those for tasks.
    pub(crate) fn without_tasks(capabilities: Object<'_>) -> Self {
        let mut found = Self::NONE;
        for ((name, capability), flags) in DECLARED {
            if let Some(declared) = object(capabilities, name) {
                found.insert(*capability);
                for (name, detail) in *flags {
                    found.set(*detail, is_true(declared, name));
                }
            }
        }
        found
    }

    /// The declared capabilities for tasks.
    pub(crate) fn of_tasks(capabilities: Object<'_>) -> Self {
        let mut found = Self::NONE;
        let extensions = object(capabilities, "extensions");
        found.set(
            Self::TASKS_EXTENSION,
            extensions.is_some_and(|extensions| declares(extensions, TASKS_EXTENSION)),
        );
        if let Some(tasks) = object(capabilities, "tasks") {
            found.insert(Self::TASKS_CORE);
            found.set(Self::TASKS_LIST, declares(tasks, "list"));
            found.set(Self::TASKS_CANCEL, declares(tasks, "cancel"));
            let tools = object(tasks, "requests").and_then(|requests| object(requests, "tools"));
            found.set(Self::TASKS_CALL, tools.is_some_and(|tools| declares(tools, "call")));
        }
        found
    }

    /// Writes the object, with the members that `version` has.
    pub(crate) fn write(self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        const LIST_CHANGED: &str = r#""listChanged":true"#;
        json.begin_object();
        if self.has(Self::LOGGING) {
            write_capability(json, "logging", &[]);
        }
        if self.has(Self::COMPLETIONS) && version.has(Feature::CompletionsCapability) {
            write_capability(json, "completions", &[]);
        }
        if self.has(Self::PROMPTS) {
            let details = [(self.has(Self::PROMPTS_LIST_CHANGED), LIST_CHANGED)];
            write_capability(json, "prompts", &details);
        }
        if self.has(Self::RESOURCES) {
            let details = [
                (self.has(Self::RESOURCES_SUBSCRIBE), r#""subscribe":true"#),
                (self.has(Self::RESOURCES_LIST_CHANGED), LIST_CHANGED),
            ];
            write_capability(json, "resources", &details);
        }
        if self.has(Self::TOOLS) {
            let details = [(self.has(Self::TOOLS_LIST_CHANGED), LIST_CHANGED)];
            write_capability(json, "tools", &details);
        }
        if self.has(Self::TASKS_CORE) && version.has(Feature::Tasks) {
            let details = [
                (self.has(Self::TASKS_LIST), r#""list":{}"#),
                (self.has(Self::TASKS_CANCEL), r#""cancel":{}"#),
                (self.has(Self::TASKS_CALL), r#""requests":{"tools":{"call":{}}}"#),
            ];
            write_capability(json, "tasks", &details);
        }
        if self.has(Self::TASKS_EXTENSION) && version.has(Feature::Extensions) {
            write_capability(json, "extensions", &[(true, r#""io.modelcontextprotocol/tasks":{}"#)]);
        }
        json.end_object();
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::bytes::Sink;
    use crate::json::RawValue;
    use crate::mcp::Method;
    use std::string::String;

    type C = Capabilities;

    fn read(text: &str) -> Capabilities {
        C::from_object(RawValue::new(text.as_bytes()).unwrap().as_object().unwrap())
    }

    #[test]
    fn capabilities_are_read_as_declared() {
        let all = C::TOOLS
            | C::RESOURCES
            | C::RESOURCES_SUBSCRIBE
            | C::PROMPTS
            | C::LIST_CHANGES
            | C::COMPLETIONS
            | C::LOGGING
            | C::TASKS_EXTENSION;
        let text = r#"{"\u0074ools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{"x":1},"y":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
        assert_eq!(read(text), all);
        let text = r#"{"tools":{"listChanged":false},"resources":{"subscribe":1},"prompts":{},"logging":true,"completions":null,"tasks":{}}"#;
        assert_eq!(read(text), C::TOOLS | C::RESOURCES | C::PROMPTS | C::TASKS_CORE);
        assert_eq!(read("{}"), C::NONE);
        let twice = r#"{"tools":{},"prompts":1,"tools":{"listChanged":true},"prompts":{}}"#;
        assert_eq!(read(twice), C::TOOLS);
    }

    #[test]
    fn sets_are_sets() {
        let mut set = C::TOOLS.with(C::PROMPTS);
        assert_eq!(set, C::PROMPTS | C::TOOLS);
        assert!(set.has(C::TOOLS) && set.has(C::NONE) && !set.has(C::TOOLS | C::LOGGING));
        assert!(set.has_any(C::TOOLS | C::LOGGING) && !set.has_any(C::LOGGING) && !set.has_any(C::NONE));
        assert_eq!(set.without(C::TOOLS | C::LOGGING), C::PROMPTS);
        set.set(C::LOGGING, true);
        set.set(C::TOOLS, false);
        set.insert(C::TASKS_LIST);
        assert_eq!(std::format!("{set:?}"), "{PROMPTS, LOGGING, TASKS_LIST}");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let [oldest, legacy, modern] =
            [ProtocolVersion::V2024_11_05, ProtocolVersion::LATEST_LEGACY, ProtocolVersion::LATEST_MODERN];
        for (capabilities, version, expected) in [
            (C::NONE, legacy, "{}"),
            (C::COMPLETIONS | C::LOGGING, oldest, r#"{"logging":{}}"#),
            (C::COMPLETIONS | C::LOGGING, modern, r#"{"logging":{},"completions":{}}"#),
            (
                C::TOOLS | C::RESOURCES | C::RESOURCES_SUBSCRIBE | C::PROMPTS | C::PROMPTS_LIST_CHANGED,
                legacy,
                r#"{"prompts":{"listChanged":true},"resources":{"subscribe":true},"tools":{}}"#,
            ),
            (C::TASKS_CORE | C::TASKS_LIST, legacy, r#"{"tasks":{"list":{}}}"#),
            (C::TASKS, legacy, r#"{"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}"#),
            (C::TASKS, modern, r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#),
            (C::TASKS, oldest, "{}"),
        ] {
            let mut memory = [0; 256];
            let mut sink = Sink::new(&mut memory);
            capabilities.write(&mut Writer::new(&mut sink), version);
            let written = String::from_utf8_lossy(sink.finish().unwrap()).into_owned();
            assert_eq!(written, expected, "{capabilities:?} in {version}");
            assert!(capabilities.has(read(&written)), "{written}");
        }
    }

    #[test]
    fn tasks_of_both_eras() {
        let core = C::TASKS.without(C::TASKS_EXTENSION);
        let cases = [
            ("{}", C::NONE),
            (r#"{"tasks":{}}"#, C::TASKS_CORE),
            (r#"{"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}"#, core),
            (r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#, C::TASKS_EXTENSION),
            (r#"{"tasks":true,"extensions":[]}"#, C::NONE),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
        let [legacy, modern] = [ProtocolVersion::LATEST_LEGACY, ProtocolVersion::LATEST_MODERN];
        for (method, needed) in [
            (Method::TasksGet, C::TASKS_CORE),
            (Method::TasksResult, C::TASKS_CORE),
            (Method::TasksCancel, C::TASKS_CANCEL),
            (Method::TasksList, C::TASKS_LIST),
        ] {
            assert!(needed.offers(method, legacy) && !C::TASKS_EXTENSION.offers(method, legacy));
            assert!(C::TASKS_EXTENSION.offers(method, modern) && !core.offers(method, modern));
        }
        assert!(core.has_task_calls(legacy) && !core.has_task_calls(modern));
    }
}
