//! Hints about content and resources (MCP resources, annotations).

use super::{Feature, ProtocolVersion};
use crate::json::Writer;

/// Hints about a block or a resource (MCP resources, annotations).
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
    /// No hint.
    pub const NONE: Self = Self {
        for_user: false,
        for_assistant: false,
        priority: None,
        last_modified: None,
    };

    /// Made for people.
    pub const fn for_user(self) -> Self {
        Self {
            for_user: true,
            ..self
        }
    }

    /// Made for the model.
    pub const fn for_assistant(self) -> Self {
        Self {
            for_assistant: true,
            ..self
        }
    }

    /// How important it is, in hundredths: 0 is optional, 100 required.
    pub const fn with_priority(self, hundredths: u8) -> Self {
        Self {
            priority: Some(if hundredths > 100 { 100 } else { hundredths }),
            ..self
        }
    }

    /// When it changed last, as ISO 8601 (2025-06-18 and later).
    pub const fn with_last_modified(self, time: &'a str) -> Self {
        Self {
            last_modified: Some(time),
            ..self
        }
    }
}

/// The member `annotations`, if there is any hint.
pub(super) fn write_annotations(
    json: &mut Writer<'_, '_>,
    annotations: &Annotations<'_>,
    version: ProtocolVersion,
) {
    let annotations = Annotations {
        last_modified: annotations
            .last_modified
            .filter(|_| version.has(Feature::LastModified)),
        ..*annotations
    };
    if annotations == Annotations::NONE {
        return;
    }
    json.name("annotations").begin_object();
    if annotations.for_user || annotations.for_assistant {
        json.name("audience").begin_array();
        if annotations.for_user {
            json.string("user");
        }
        if annotations.for_assistant {
            json.string("assistant");
        }
        json.end_array();
    }
    match annotations.priority {
        Some(100) => {
            json.name("priority").integer(1);
        }
        Some(hundredths) => {
            json.name("priority").fixed(i64::from(hundredths), 2);
        }
        None => {}
    }
    if let Some(time) = annotations.last_modified {
        json.name("lastModified").string(time);
    }
    json.end_object();
}
