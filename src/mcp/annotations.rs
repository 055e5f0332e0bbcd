//! Annotations: hints about content and resources (MCP resources, annotations).

use super::members::{write_strings, write_text_member};
use super::setters::setters;
use super::{Feature, ProtocolVersion};
use crate::json::Writer;

/// Hints about a content block or a resource (MCP resources, annotations).
///
/// ```
/// use barewire::mcp::{Annotations, Resource};
///
/// const MANUAL: Resource<'_> = Resource::new("thermo://manual", "manual")
///     .with_annotations(Annotations::NONE.for_assistant().with_priority(80));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Annotations<'a> {
    for_user: bool,
    for_assistant: bool,
    /// In hundredths.
    priority: Option<u8>,
    last_modified: Option<&'a str>,
}

impl<'a> Annotations<'a> {
    /// No hints.
    pub const NONE: Self =
        Self { for_user: false, for_assistant: false, priority: None, last_modified: None };

    /// Intended for people.
    pub const fn for_user(mut self) -> Self {
        self.for_user = true;
        self
    }

    /// Intended for the model.
    pub const fn for_assistant(mut self) -> Self {
        self.for_assistant = true;
        self
    }

    setters! {
        /// The importance in hundredths, from 0 (optional) to 100 (required).
        with_priority(hundredths: u8) => priority = Some(if hundredths > 100 { 100 } else { hundredths });
        /// The time of the last change, as ISO 8601 (2025-06-18 and later).
        with_last_modified(time: &'a str) => last_modified = Some(time);
    }
}

/// Writes the member `annotations`, if there is any hint that `version` has.
pub(super) fn write_annotations(
    json: &mut Writer<'_, '_>,
    annotations: &Annotations<'_>,
    version: ProtocolVersion,
) {
    let annotations = Annotations {
        last_modified: annotations.last_modified.filter(|_| version.has(Feature::LastModified)),
        ..*annotations
    };
    if annotations == Annotations::NONE {
        return;
    }
    json.name("annotations").begin_object();
    let audience: &[&str] = match (annotations.for_user, annotations.for_assistant) {
        (true, true) => &["user", "assistant"],
        (true, false) => &["user"],
        (false, true) => &["assistant"],
        (false, false) => &[],
    };
    write_strings(json, "audience", audience);
    match annotations.priority {
        Some(100) => {
            json.name("priority").integer(1);
        }
        Some(hundredths) => {
            json.name("priority").fixed(i64::from(hundredths), 2);
        }
        None => {}
    }
    write_text_member(json, "lastModified", annotations.last_modified);
    json.end_object();
}
