//! What a client offers.

use super::{Feature, Method, ProtocolVersion};
use crate::json::{Object, RawValue, Writer};

/// The tasks extension (2026-07-28).
pub(crate) const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// What a client offers. A server must not ask for anything else.
///
/// A mode or a detail without the capability that it belongs to counts as both: `sampling_tools` alone is written as
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
/// assert!(capabilities.roots && capabilities.elicitation_form && !capabilities.sampling);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// Messages of a model.
    pub sampling: bool,
    /// `includeContext` other than `none` (2025-11-25 and later).
    pub sampling_context: bool,
    /// Tools in sampling (2025-11-25 and later).
    pub sampling_tools: bool,
    /// Directories that the server may work in.
    pub roots: bool,
    /// The client tells when they change (until 2025-11-25).
    pub roots_list_changed: bool,
    /// Questions to the user, answered in a form (2025-06-18 and later).
    pub elicitation_form: bool,
    /// A URL for the user to visit (2025-11-25 and later).
    pub elicitation_url: bool,
    /// The client keeps tasks (2025-11-25 only) and lists them.
    pub tasks_list: bool,
    /// The client keeps tasks (2025-11-25 only) and cancels them.
    pub tasks_cancel: bool,
    /// Sampling may be a task (2025-11-25 only).
    pub tasks_sampling: bool,
    /// Elicitation may be a task (2025-11-25 only).
    pub tasks_elicitation: bool,
    /// The extension `io.modelcontextprotocol/tasks`: the server may answer a call with a task (2026-07-28).
    pub tasks_extension: bool,
}

impl ClientCapabilities {
    /// Nothing.
    pub const NONE: Self = Self {
        sampling: false,
        sampling_context: false,
        sampling_tools: false,
        roots: false,
        roots_list_changed: false,
        elicitation_form: false,
        elicitation_url: false,
        tasks_list: false,
        tasks_cancel: false,
        tasks_sampling: false,
        tasks_elicitation: false,
        tasks_extension: false,
    };

    /// Whether all of `needed` is among them.
    pub fn has(&self, needed: &Self) -> bool {
        self.packed().has(needed)
    }

    /// The same in a few bits.
    pub(crate) const fn packed(&self) -> PackedCapabilities {
        PackedCapabilities(
            self.sampling as u16
                | (self.sampling_context as u16) << 1
                | (self.sampling_tools as u16) << 2
                | (self.roots as u16) << 3
                | (self.roots_list_changed as u16) << 4
                | (self.elicitation_form as u16) << 5
                | (self.elicitation_url as u16) << 6
                | (self.tasks_list as u16) << 7
                | (self.tasks_cancel as u16) << 8
                | (self.tasks_sampling as u16) << 9
                | (self.tasks_elicitation as u16) << 10
                | (self.tasks_extension as u16) << 11,
        )
    }

    /// One of them as a person would name it: a mode or a detail before what it belongs to.
    pub(crate) const fn name(&self) -> &'static str {
        if self.sampling_tools {
            "sampling.tools"
        } else if self.sampling_context {
            "sampling.context"
        } else if self.sampling {
            "sampling"
        } else if self.elicitation_url {
            "elicitation.url"
        } else if self.elicitation_form {
            "elicitation"
        } else if self.roots || self.roots_list_changed {
            "roots"
        } else {
            "tasks"
        }
    }

    /// What `capabilities` of an `initialize`, or of a modern request, declares. Linear in the length of its text.
    ///
    /// A member is declared by an object; other values, and members that are not known, are ignored. An `elicitation`
    /// that names no mode means forms, and so do all of 2025-06-18.
    pub fn from_object(capabilities: Object<'_>) -> Self {
        let mut found = Self::NONE;
        for (name, value) in objects(capabilities) {
            match name {
                Name::Sampling => {
                    found.sampling = true;
                    found.sampling_context |= declares(value, "context");
                    found.sampling_tools |= declares(value, "tools");
                }
                Name::Roots => {
                    found.roots = true;
                    let flag = value.get("listChanged").and_then(RawValue::as_bool);
                    found.roots_list_changed |= flag == Some(true);
                }
                Name::Elicitation => {
                    let url = declares(value, "url");
                    found.elicitation_form |= declares(value, "form") || !url;
                    found.elicitation_url |= url;
                }
                Name::Tasks => {
                    found.tasks_list |= declares(value, "list");
                    found.tasks_cancel |= declares(value, "cancel");
                    let requests = member(value, "requests").unwrap_or(Object::EMPTY);
                    let of = |kind, method| {
                        member(requests, kind).is_some_and(|methods| declares(methods, method))
                    };
                    found.tasks_sampling |= of("sampling", "createMessage");
                    found.tasks_elicitation |= of("elicitation", "create");
                }
                Name::Extensions => found.tasks_extension |= declares(value, TASKS_EXTENSION),
            }
        }
        found
    }

    /// As a value, with the members that `version` has.
    pub fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        let has_modes = version.has(Feature::CapabilityModes);
        json.begin_object();
        if self.sampling || self.sampling_context || self.sampling_tools {
            json.name("sampling").begin_object();
            empty(json, "context", self.sampling_context && has_modes);
            empty(json, "tools", self.sampling_tools && has_modes);
            json.end_object();
        }
        if self.roots || self.roots_list_changed {
            json.name("roots").begin_object();
            if self.roots_list_changed && Method::RootsListChanged.is_in(version) {
                json.name("listChanged").boolean(true);
            }
            json.end_object();
        }
        let url = self.elicitation_url && has_modes;
        if version.has(Feature::Elicitation) && (self.elicitation_form || url) {
            json.name("elicitation").begin_object();
            // `{}` is understood by every revision that has forms.
            empty(json, "form", self.elicitation_form && url);
            empty(json, "url", url);
            json.end_object();
        }
        if version.has(Feature::Tasks) {
            self.write_tasks(json);
        }
        if self.tasks_extension && version.has(Feature::Extensions) {
            json.name("extensions").begin_object();
            empty(json, TASKS_EXTENSION, true);
            json.end_object();
        }
        json.end_object();
    }

    fn write_tasks(&self, json: &mut Writer<'_, '_>) {
        let has_requests = self.tasks_sampling || self.tasks_elicitation;
        if !has_requests && !self.tasks_list && !self.tasks_cancel {
            return;
        }
        json.name("tasks").begin_object();
        empty(json, "list", self.tasks_list);
        empty(json, "cancel", self.tasks_cancel);
        if has_requests {
            json.name("requests").begin_object();
            for (kind, method, is_set) in [
                ("sampling", "createMessage", self.tasks_sampling),
                ("elicitation", "create", self.tasks_elicitation),
            ] {
                if is_set {
                    json.name(kind).begin_object();
                    empty(json, method, true);
                    json.end_object();
                }
            }
            json.end_object();
        }
        json.end_object();
    }
}

/// [`ClientCapabilities`], a bit for each: where they are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PackedCapabilities(u16);

impl PackedCapabilities {
    pub(crate) const NONE: Self = ClientCapabilities::NONE.packed();

    /// Whether all of `needed` is among them.
    pub(crate) const fn has(self, needed: &ClientCapabilities) -> bool {
        needed.packed().0 & !self.0 == 0
    }

    pub(crate) const fn unpacked(self) -> ClientCapabilities {
        ClientCapabilities {
            sampling: self.0 & 1 != 0,
            sampling_context: self.0 & 1 << 1 != 0,
            sampling_tools: self.0 & 1 << 2 != 0,
            roots: self.0 & 1 << 3 != 0,
            roots_list_changed: self.0 & 1 << 4 != 0,
            elicitation_form: self.0 & 1 << 5 != 0,
            elicitation_url: self.0 & 1 << 6 != 0,
            tasks_list: self.0 & 1 << 7 != 0,
            tasks_cancel: self.0 & 1 << 8 != 0,
            tasks_sampling: self.0 & 1 << 9 != 0,
            tasks_elicitation: self.0 & 1 << 10 != 0,
            tasks_extension: self.0 & 1 << 11 != 0,
        }
    }
}

#[derive(Clone, Copy)]
enum Name {
    Sampling,
    Roots,
    Elicitation,
    Tasks,
    Extensions,
}

/// The known members that are objects.
fn objects(capabilities: Object<'_>) -> impl Iterator<Item = (Name, Object<'_>)> {
    const NAMES: [(&str, Name); 5] = [
        ("sampling", Name::Sampling),
        ("roots", Name::Roots),
        ("elicitation", Name::Elicitation),
        ("tasks", Name::Tasks),
        ("extensions", Name::Extensions),
    ];
    capabilities.members().filter_map(|member| {
        let (_, name) = NAMES.iter().find(|(name, _)| member.name == **name)?;
        Some((*name, member.value.as_object()?))
    })
}

fn member<'a>(object: Object<'a>, name: &str) -> Option<Object<'a>> {
    object.get(name).and_then(RawValue::as_object)
}

/// Presence is the declaration.
fn declares(object: Object<'_>, name: &str) -> bool {
    member(object, name).is_some()
}

/// A member whose value is `{}`, or none.
fn empty(json: &mut Writer<'_, '_>, name: &str, is_set: bool) {
    if is_set {
        json.name(name).begin_object().end_object();
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::bytes::Sink;
    use std::string::String;

    fn read(text: &str) -> ClientCapabilities {
        ClientCapabilities::from_object(RawValue::new(text.as_bytes()).unwrap().as_object().unwrap())
    }

    #[test]
    fn each_capability_has_a_bit_of_its_own() {
        let flags: [fn(&mut ClientCapabilities) -> &mut bool; 12] = [
            |all| &mut all.sampling,
            |all| &mut all.sampling_context,
            |all| &mut all.sampling_tools,
            |all| &mut all.roots,
            |all| &mut all.roots_list_changed,
            |all| &mut all.elicitation_form,
            |all| &mut all.elicitation_url,
            |all| &mut all.tasks_list,
            |all| &mut all.tasks_cancel,
            |all| &mut all.tasks_sampling,
            |all| &mut all.tasks_elicitation,
            |all| &mut all.tasks_extension,
        ];
        let mut all = ClientCapabilities::NONE;
        for flag in flags {
            let mut one = ClientCapabilities::NONE;
            *flag(&mut one) = true;
            assert_eq!(one.packed().unpacked(), one);
            assert!(!all.packed().has(&one), "{one:?}");
            *flag(&mut all) = true;
            assert!(all.packed().has(&one), "{one:?}");
            assert_eq!(all.packed().unpacked(), all);
        }
        assert_eq!(PackedCapabilities::NONE.unpacked(), ClientCapabilities::NONE);
    }

    fn written(capabilities: &ClientCapabilities, version: ProtocolVersion) -> String {
        let mut memory = [0; 512];
        let mut sink = Sink::new(&mut memory);
        capabilities.write(&mut Writer::new(&mut sink), version);
        String::from_utf8_lossy(sink.finish().unwrap()).into_owned()
    }

    /// What is declared, and what the oldest revision, 2025-06-18, 2025-11-25 and 2026-07-28 make of it.
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
            [
                "{}",
                r#"{"elicitation":{}}"#,
                r#"{"elicitation":{}}"#,
                r#"{"elicitation":{}}"#,
            ],
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
            [
                "{}",
                "{}",
                r#"{"elicitation":{"url":{}}}"#,
                r#"{"elicitation":{"url":{}}}"#,
            ],
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
            [
                "{}",
                "{}",
                "{}",
                r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
            ],
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
                assert_eq!(written(&read(text), version), *expected, "{text} in {version}");
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
    fn flags_are_read_one_by_one() {
        let read_roots = read(r#"{"\u0072oots":{"listChanged":false,"x":1}}"#);
        assert!(read_roots.roots && !read_roots.roots_list_changed);
        let forms = read(r#"{"elicitation":{"form":{}}}"#);
        assert!(forms.elicitation_form && !forms.elicitation_url);
        let tools = read(r#"{"sampling":{"tools":{}}}"#);
        assert!(tools.sampling && tools.sampling_tools && !tools.sampling_context);
        let alone = ClientCapabilities {
            sampling_tools: true,
            ..ClientCapabilities::NONE
        };
        assert_eq!(
            written(&alone, ProtocolVersion::V2025_11_25),
            r#"{"sampling":{"tools":{}}}"#
        );
    }
}
