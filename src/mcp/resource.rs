//! Resources and resource templates (MCP resources).

use super::annotations::write_annotations;
use super::icon::write_icons;
use super::{Annotations, Feature, Icon, ProtocolVersion, UriTemplate};
use crate::json::Writer;

/// A resource that is listed.
///
/// ```
/// use barewire::mcp::Resource;
///
/// const LIMITS: Resource<'_> = Resource::new("thermo://limits", "limits")
///     .with_description("The limits of all rooms.")
///     .with_mime_type("text/csv");
/// assert_eq!((LIMITS.uri(), LIMITS.mime_type()), ("thermo://limits", Some("text/csv")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resource<'a> {
    uri: &'a str,
    details: Details<'a>,
    size: Option<u64>,
}

/// A family of resources, by a URI template.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResourceTemplate<'a> {
    template: UriTemplate<'a>,
    details: Details<'a>,
}

/// What both have.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Details<'a> {
    name: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    mime_type: Option<&'a str>,
    annotations: Annotations<'a>,
    icons: &'a [Icon<'a>],
}

impl<'a> Details<'a> {
    const fn new(name: &'a str) -> Self {
        Self {
            name,
            title: None,
            description: None,
            mime_type: None,
            annotations: Annotations::NONE,
            icons: &[],
        }
    }

    fn write_members(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.name("name").string(self.name);
        if let Some(title) = self.title
            && version.has(Feature::Title)
        {
            json.name("title").string(title);
        }
        if let Some(description) = self.description {
            json.name("description").string(description);
        }
        if let Some(mime_type) = self.mime_type {
            json.name("mimeType").string(mime_type);
        }
        write_annotations(json, &self.annotations, version);
        if version.has(Feature::Icons) {
            write_icons(json, self.icons);
        }
    }
}

impl<'a> Resource<'a> {
    /// `uri` is what a client reads it by; `name` is for programs.
    pub const fn new(uri: &'a str, name: &'a str) -> Self {
        Self {
            uri,
            details: Details::new(name),
            size: None,
        }
    }

    /// A name for people (2025-06-18 and later).
    pub const fn with_title(mut self, title: &'a str) -> Self {
        self.details.title = Some(title);
        self
    }

    /// What it is.
    pub const fn with_description(mut self, description: &'a str) -> Self {
        self.details.description = Some(description);
        self
    }

    /// The media type of its contents.
    pub const fn with_mime_type(mut self, mime_type: &'a str) -> Self {
        self.details.mime_type = Some(mime_type);
        self
    }

    /// Hints.
    pub const fn with_annotations(mut self, annotations: Annotations<'a>) -> Self {
        self.details.annotations = annotations;
        self
    }

    /// Icons (2025-11-25 and later).
    pub const fn with_icons(mut self, icons: &'a [Icon<'a>]) -> Self {
        self.details.icons = icons;
        self
    }

    /// How many bytes it has, before any encoding.
    pub const fn with_size(mut self, size: u64) -> Self {
        self.size = Some(size);
        self
    }

    /// Its URI.
    pub const fn uri(&self) -> &'a str {
        self.uri
    }

    /// The media type of its contents.
    pub const fn mime_type(&self) -> Option<&'a str> {
        self.details.mime_type
    }

    pub(crate) fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        self.write_members(json, version);
        json.end_object();
    }

    pub(super) fn write_members(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.name("uri").string(self.uri);
        self.details.write_members(json, version);
        if let Some(size) = self.size {
            json.name("size").unsigned(size);
        }
    }
}

impl<'a> ResourceTemplate<'a> {
    /// `template` says which URIs; `name` is for programs.
    pub const fn new(template: UriTemplate<'a>, name: &'a str) -> Self {
        Self {
            template,
            details: Details::new(name),
        }
    }

    /// A name for people (2025-06-18 and later).
    pub const fn with_title(mut self, title: &'a str) -> Self {
        self.details.title = Some(title);
        self
    }

    /// What they are.
    pub const fn with_description(mut self, description: &'a str) -> Self {
        self.details.description = Some(description);
        self
    }

    /// The media type, if all of them have the same.
    pub const fn with_mime_type(mut self, mime_type: &'a str) -> Self {
        self.details.mime_type = Some(mime_type);
        self
    }

    /// Hints.
    pub const fn with_annotations(mut self, annotations: Annotations<'a>) -> Self {
        self.details.annotations = annotations;
        self
    }

    /// Icons (2025-11-25 and later).
    pub const fn with_icons(mut self, icons: &'a [Icon<'a>]) -> Self {
        self.details.icons = icons;
        self
    }

    /// Its URIs.
    pub const fn template(&self) -> UriTemplate<'a> {
        self.template
    }

    pub(crate) fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        json.name("uriTemplate").string(self.template.as_str());
        self.details.write_members(json, version);
        json.end_object();
    }
}
