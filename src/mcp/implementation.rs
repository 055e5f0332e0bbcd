//! The programs that speak MCP: `serverInfo` and `clientInfo`.

use super::icon::write_icons;
use super::members::{write_text_member, write_title};
use super::setters::setters;
use super::{Feature, Icon, ProtocolVersion};
use crate::json::Writer;

/// The name and version of a program.
///
/// ```
/// use barewire::mcp::Implementation;
///
/// const INFO: Implementation<'_> = Implementation::new("thermo", "2.0").with_title("Thermometer");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Implementation<'a> {
    name: &'a str,
    version: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    website_url: Option<&'a str>,
    icons: &'a [Icon<'a>],
}

impl<'a> Implementation<'a> {
    /// An implementation with the members that every revision has.
    pub const fn new(name: &'a str, version: &'a str) -> Self {
        Self { name, version, title: None, description: None, website_url: None, icons: &[] }
    }

    setters! {
        /// A name for people (2025-06-18 and later).
        with_title(title: &'a str) => title = Some(title);
        /// A description (2025-11-25 and later).
        with_description(description: &'a str) => description = Some(description);
        /// The address of a page with more information (2025-11-25 and later).
        with_website_url(website_url: &'a str) => website_url = Some(website_url);
        /// Icons (2025-11-25 and later).
        with_icons(icons: &'a [Icon<'a>]) => icons = icons;
    }

    /// Writes the object, with the members that `version` has.
    pub(crate) fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        json.name("name").string(self.name);
        write_title(json, self.title, version);
        json.name("version").string(self.version);
        if version.has(Feature::ImplementationDetails) {
            write_text_member(json, "description", self.description);
            write_text_member(json, "websiteUrl", self.website_url);
        }
        write_icons(json, self.icons, version);
        json.end_object();
    }
}
