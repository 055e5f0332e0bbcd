//! Resources and resource templates (MCP resources).

use super::annotations::write_annotations;
use super::icon::write_icons;
use super::members::{write_text_member, write_title};
use super::setters::setters;
use super::{Annotations, Icon, ProtocolVersion, UriTemplate};
use crate::json::Writer;

/// A resource in a server's list.
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

/// A family of resources whose URIs match a template.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResourceTemplate<'a> {
    template: UriTemplate<'a>,
    details: Details<'a>,
}

/// The members that resources and resource templates share.
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
        write_title(json, self.title, version);
        write_text_member(json, "description", self.description);
        write_text_member(json, "mimeType", self.mime_type);
        write_annotations(json, &self.annotations, version);
        write_icons(json, self.icons, version);
    }
}

impl<'a> Resource<'a> {
    /// A resource that clients read under `uri`; `name` is for programs.
    pub const fn new(uri: &'a str, name: &'a str) -> Self {
        Self { uri, details: Details::new(name), size: None }
    }

    setters! {
        /// A name for people (2025-06-18 and later).
        with_title(title: &'a str) => details.title = Some(title);
        /// A description.
        with_description(description: &'a str) => details.description = Some(description);
        /// The media type of the contents.
        with_mime_type(mime_type: &'a str) => details.mime_type = Some(mime_type);
        /// Hints for the client.
        with_annotations(annotations: Annotations<'a>) => details.annotations = annotations;
        /// Icons (2025-11-25 and later).
        with_icons(icons: &'a [Icon<'a>]) => details.icons = icons;
        /// The number of bytes, before any encoding.
        with_size(size: u64) => size = Some(size);
    }

    /// The URI.
    pub const fn uri(&self) -> &'a str {
        self.uri
    }

    /// The media type of the contents.
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
    /// A family of resources whose URIs match `template`; `name` is for programs.
    pub const fn new(template: UriTemplate<'a>, name: &'a str) -> Self {
        Self { template, details: Details::new(name) }
    }

    setters! {
        /// A name for people (2025-06-18 and later).
        with_title(title: &'a str) => details.title = Some(title);
        /// A description.
        with_description(description: &'a str) => details.description = Some(description);
        /// The media type, if all resources of the family have the same.
        with_mime_type(mime_type: &'a str) => details.mime_type = Some(mime_type);
        /// Hints for the client.
        with_annotations(annotations: Annotations<'a>) => details.annotations = annotations;
        /// Icons (2025-11-25 and later).
        with_icons(icons: &'a [Icon<'a>]) => details.icons = icons;
    }

    /// The template that the URIs match.
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
