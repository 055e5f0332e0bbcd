//! Icons of tools, resources, prompts and implementations (2025-11-25 and later).

use crate::json::Writer;

/// An image to show for something.
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

/// The background that an icon is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs, reason = "the names are the specification's")]
pub enum Theme {
    Light,
    Dark,
}

impl<'a> Icon<'a> {
    /// `src` is an https or a data URI.
    pub const fn new(src: &'a str) -> Self {
        Self {
            src,
            mime_type: None,
            sizes: &[],
            theme: None,
        }
    }

    /// The media type, if the server's is not to be trusted.
    pub const fn with_mime_type(self, mime_type: &'a str) -> Self {
        Self {
            mime_type: Some(mime_type),
            ..self
        }
    }

    /// The sizes, as `48x48` or `any`.
    pub const fn with_sizes(self, sizes: &'a [&'a str]) -> Self {
        Self { sizes, ..self }
    }

    /// The background.
    pub const fn with_theme(self, theme: Theme) -> Self {
        Self {
            theme: Some(theme),
            ..self
        }
    }

    fn write(&self, json: &mut Writer<'_, '_>) {
        json.begin_object();
        json.name("src").string(self.src);
        if let Some(mime_type) = self.mime_type {
            json.name("mimeType").string(mime_type);
        }
        if !self.sizes.is_empty() {
            json.name("sizes").begin_array();
            for size in self.sizes {
                json.string(size);
            }
            json.end_array();
        }
        if let Some(theme) = self.theme {
            json.name("theme").string(match theme {
                Theme::Light => "light",
                Theme::Dark => "dark",
            });
        }
        json.end_object();
    }
}

/// The member `icons`, if there are any.
pub(super) fn write_icons(json: &mut Writer<'_, '_>, icons: &[Icon<'_>]) {
    if icons.is_empty() {
        return;
    }
    json.name("icons").begin_array();
    for icon in icons {
        icon.write(json);
    }
    json.end_array();
}
