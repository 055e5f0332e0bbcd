//! Who speaks: `serverInfo`, `clientInfo`.

use super::icon::write_icons;
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
    /// What every revision has.
    pub const fn new(name: &'a str, version: &'a str) -> Self {
        Self {
            name,
            version,
            title: None,
            description: None,
            website_url: None,
            icons: &[],
        }
    }

    /// A name for people (2025-06-18 and later).
    pub const fn with_title(self, title: &'a str) -> Self {
        Self {
            title: Some(title),
            ..self
        }
    }

    /// What it is (2025-11-25 and later).
    pub const fn with_description(self, description: &'a str) -> Self {
        Self {
            description: Some(description),
            ..self
        }
    }

    /// Where to read more (2025-11-25 and later).
    pub const fn with_website_url(self, website_url: &'a str) -> Self {
        Self {
            website_url: Some(website_url),
            ..self
        }
    }

    /// Icons (2025-11-25 and later).
    pub const fn with_icons(self, icons: &'a [Icon<'a>]) -> Self {
        Self { icons, ..self }
    }

    /// As a value, with the members that `version` has.
    pub(crate) fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        json.name("name").string(self.name);
        if let Some(title) = self.title
            && version.has(Feature::Title)
        {
            json.name("title").string(title);
        }
        json.name("version").string(self.version);
        if version.has(Feature::ImplementationDetails) {
            if let Some(description) = self.description {
                json.name("description").string(description);
            }
            if let Some(website_url) = self.website_url {
                json.name("websiteUrl").string(website_url);
            }
        }
        if version.has(Feature::Icons) {
            write_icons(json, self.icons);
        }
        json.end_object();
    }
}
