//! Prompts (MCP prompts).

use super::icon::write_icons;
use super::members::{write_text_member, write_title};
use super::setters::setters;
use super::{Icon, ProtocolVersion};
use crate::json::Writer;

/// A prompt in a server's list.
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

/// An argument of a prompt. Its values are strings.
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
        Self { name, title: None, description: None, arguments: &[], icons: &[] }
    }

    setters! {
        /// A name for people (2025-06-18 and later).
        with_title(title: &'a str) => title = Some(title);
        /// A description of its purpose.
        with_description(description: &'a str) => description = Some(description);
        /// The arguments.
        with_arguments(arguments: &'a [PromptArgument<'a>]) => arguments = arguments;
        /// Icons (2025-11-25 and later).
        with_icons(icons: &'a [Icon<'a>]) => icons = icons;
    }

    /// The name.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// The arguments.
    pub const fn arguments(&self) -> &'a [PromptArgument<'a>] {
        self.arguments
    }

    pub(crate) fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        json.name("name").string(self.name);
        write_title(json, self.title, version);
        write_text_member(json, "description", self.description);
        if !self.arguments.is_empty() {
            json.name("arguments").begin_array();
            for argument in self.arguments {
                argument.write(json, version);
            }
            json.end_array();
        }
        write_icons(json, self.icons, version);
        json.end_object();
    }
}

impl<'a> PromptArgument<'a> {
    /// A required argument.
    pub const fn required(name: &'a str) -> Self {
        Self { name, title: None, description: None, required: true }
    }

    /// An optional argument.
    pub const fn optional(name: &'a str) -> Self {
        Self { required: false, ..Self::required(name) }
    }

    setters! {
        /// A name for people (2025-06-18 and later).
        with_title(title: &'a str) => title = Some(title);
        /// A description of its purpose.
        with_description(description: &'a str) => description = Some(description);
    }

    /// The name.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Whether the argument is required.
    pub const fn is_required(&self) -> bool {
        self.required
    }

    fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        json.name("name").string(self.name);
        write_title(json, self.title, version);
        write_text_member(json, "description", self.description);
        if self.required {
            json.name("required").boolean(true);
        }
        json.end_object();
    }
}
