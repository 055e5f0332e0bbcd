//! Icons of tools, resources, prompts and implementations (2025-11-25 and later).

use super::members::{write_strings, write_text_member};
use super::named_enum::named_enum;
use super::setters::setters;
use super::{Feature, ProtocolVersion};
use crate::json::Writer;

/// An image that a client shows beside a name.
///
/// ```
/// use barewire::mcp::{Icon, Theme, Tool};
///
/// const ICONS: &[Icon<'_>] = &[Icon::new("https://example.org/lamp.svg").with_sizes(&["any"]).with_theme(Theme::Dark)];
/// const SET_LAMP: Tool<'_> = Tool::new("set_lamp", "Switches the lamp.").with_icons(ICONS);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Icon<'a> {
    src: &'a str,
    mime_type: Option<&'a str>,
    sizes: &'a [&'a str],
    theme: Option<Theme>,
}

named_enum! {
    /// The background that an icon is made for.
    #[allow(missing_docs, reason = "the names are those of the specification")]
    Theme {
        Light => "light",
        Dark => "dark",
    }
}

impl<'a> Icon<'a> {
    /// An icon with the given source, an `https` or `data` URI.
    pub const fn new(src: &'a str) -> Self {
        Self { src, mime_type: None, sizes: &[], theme: None }
    }

    setters! {
        /// The media type, where that of the server cannot be trusted.
        with_mime_type(mime_type: &'a str) => mime_type = Some(mime_type);
        /// The sizes: `48x48` and the like, or `any`.
        with_sizes(sizes: &'a [&'a str]) => sizes = sizes;
        /// The background that the icon is made for.
        with_theme(theme: Theme) => theme = Some(theme);
    }

    fn write(&self, json: &mut Writer<'_, '_>) {
        json.begin_object();
        json.name("src").string(self.src);
        write_text_member(json, "mimeType", self.mime_type);
        write_strings(json, "sizes", self.sizes);
        write_text_member(json, "theme", self.theme.map(Theme::as_str));
        json.end_object();
    }
}

/// Writes the member `icons`, if there are any and `version` has them.
pub(super) fn write_icons(json: &mut Writer<'_, '_>, icons: &[Icon<'_>], version: ProtocolVersion) {
    if icons.is_empty() || !version.has(Feature::Icons) {
        return;
    }
    json.name("icons").begin_array();
    for icon in icons {
        icon.write(json);
    }
    json.end_array();
}
