//! Prompts (MCP prompts).

use super::icon::write_icons;
use super::{Feature, Icon, ProtocolVersion};
use crate::json::Writer;

/// A prompt that is listed.
///
/// ```
/// use barewire::mcp::{Prompt, PromptArgument};
///
/// const EXPLAIN: Prompt<'_> = Prompt::new("explain")
///     .with_description("Explains the temperature of a room.")
///     .with_arguments(&[PromptArgument::required("room"), PromptArgument::optional("language")]);
/// assert!(EXPLAIN.arguments()[0].is_required() && !EXPLAIN.arguments()[1].is_required());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prompt<'a> {
    name: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    arguments: &'a [PromptArgument<'a>],
    icons: &'a [Icon<'a>],
}

/// An argument of a prompt; its values are strings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PromptArgument<'a> {
    name: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    required: bool,
}

impl<'a> Prompt<'a> {
    /// A prompt without arguments.
    pub const fn new(name: &'a str) -> Self {
        Self {
            name,
            title: None,
            description: None,
            arguments: &[],
            icons: &[],
        }
    }

    /// A name for people (2025-06-18 and later).
    pub const fn with_title(mut self, title: &'a str) -> Self {
        self.title = Some(title);
        self
    }

    /// What it is for.
    pub const fn with_description(mut self, description: &'a str) -> Self {
        self.description = Some(description);
        self
    }

    /// Its arguments.
    pub const fn with_arguments(mut self, arguments: &'a [PromptArgument<'a>]) -> Self {
        self.arguments = arguments;
        self
    }

    /// Icons (2025-11-25 and later).
    pub const fn with_icons(mut self, icons: &'a [Icon<'a>]) -> Self {
        self.icons = icons;
        self
    }

    /// Its name.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Its arguments.
    pub const fn arguments(&self) -> &'a [PromptArgument<'a>] {
        self.arguments
    }

    pub(crate) fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        json.name("name").string(self.name);
        write_title(json, self.title, version);
        if let Some(description) = self.description {
            json.name("description").string(description);
        }
        if !self.arguments.is_empty() {
            json.name("arguments").begin_array();
            for argument in self.arguments {
                argument.write(json, version);
            }
            json.end_array();
        }
        if version.has(Feature::Icons) {
            write_icons(json, self.icons);
        }
        json.end_object();
    }
}

impl<'a> PromptArgument<'a> {
    /// An argument that must be given.
    pub const fn required(name: &'a str) -> Self {
        Self {
            name,
            title: None,
            description: None,
            required: true,
        }
    }

    /// An argument that may be given.
    pub const fn optional(name: &'a str) -> Self {
        Self {
            required: false,
            ..Self::required(name)
        }
    }

    /// A name for people (2025-06-18 and later).
    pub const fn with_title(self, title: &'a str) -> Self {
        Self {
            title: Some(title),
            ..self
        }
    }

    /// What it is for.
    pub const fn with_description(self, description: &'a str) -> Self {
        Self {
            description: Some(description),
            ..self
        }
    }

    /// Its name.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Whether it must be given.
    pub const fn is_required(&self) -> bool {
        self.required
    }

    fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        json.name("name").string(self.name);
        write_title(json, self.title, version);
        if let Some(description) = self.description {
            json.name("description").string(description);
        }
        if self.required {
            json.name("required").boolean(true);
        }
        json.end_object();
    }
}

fn write_title(json: &mut Writer<'_, '_>, title: Option<&str>, version: ProtocolVersion) {
    if let Some(title) = title
        && version.has(Feature::Title)
    {
        json.name("title").string(title);
    }
}
