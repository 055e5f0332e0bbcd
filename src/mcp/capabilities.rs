//! What a server offers.

use super::{Chapter, Feature, Method, ProtocolVersion, TASKS_EXTENSION};
use crate::json::Writer;

/// What a server offers. A method whose capability is not offered is answered with -32601.
///
/// ```
/// use barewire::mcp::{Capabilities, Method};
///
/// let mut offered = Capabilities::NONE;
/// (offered.tools, offered.tools_list_changed) = (true, true);
/// assert!(offered.offer(Method::ToolsCall) && !offered.offer(Method::PromptsList));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Capabilities {
    /// Tools.
    pub tools: bool,
    /// The list of tools changes at run time.
    pub tools_list_changed: bool,
    /// Resources and resource templates.
    pub resources: bool,
    /// A client may ask to hear of a resource's changes.
    pub resources_subscribe: bool,
    /// The list of resources changes at run time.
    pub resources_list_changed: bool,
    /// Prompts.
    pub prompts: bool,
    /// The list of prompts changes at run time.
    pub prompts_list_changed: bool,
    /// Completion of arguments.
    pub completions: bool,
    /// Log messages.
    pub logging: bool,
    /// Calls of tools that go on as tasks (2025-11-25; the tasks extension of 2026-07-28).
    pub tasks: bool,
}

impl Capabilities {
    /// Nothing.
    pub const NONE: Self = Self {
        tools: false,
        tools_list_changed: false,
        resources: false,
        resources_subscribe: false,
        resources_list_changed: false,
        prompts: false,
        prompts_list_changed: false,
        completions: false,
        logging: false,
        tasks: false,
    };

    /// Whether the server offers what `method` needs.
    pub fn offer(&self, method: Method) -> bool {
        match method.chapter() {
            Chapter::Lifecycle | Chapter::Utilities | Chapter::Subscriptions => true,
            Chapter::Tools => self.tools,
            Chapter::Resources => match method {
                Method::ResourcesSubscribe | Method::ResourcesUnsubscribe => {
                    self.resources && self.resources_subscribe
                }
                _ => self.resources,
            },
            Chapter::Prompts => self.prompts,
            Chapter::Completion => self.completions,
            Chapter::Logging => self.logging,
            Chapter::Tasks => self.tasks,
            Chapter::Roots | Chapter::Sampling | Chapter::Elicitation => false,
        }
    }

    /// As a value, with the members that `version` has.
    pub(crate) fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        if self.logging {
            json.name("logging").begin_object().end_object();
        }
        if self.completions && version.has(Feature::CompletionsCapability) {
            json.name("completions").begin_object().end_object();
        }
        if self.prompts {
            json.name("prompts").begin_object();
            flag(json, "listChanged", self.prompts_list_changed);
            json.end_object();
        }
        if self.resources {
            json.name("resources").begin_object();
            flag(json, "subscribe", self.resources_subscribe);
            flag(json, "listChanged", self.resources_list_changed);
            json.end_object();
        }
        if self.tools {
            json.name("tools").begin_object();
            flag(json, "listChanged", self.tools_list_changed);
            json.end_object();
        }
        if self.tasks {
            write_tasks(json, version);
        }
        json.end_object();
    }
}

/// A capability of the core in one revision, an extension in another.
fn write_tasks(json: &mut Writer<'_, '_>, version: ProtocolVersion) {
    if version.has(Feature::Tasks) {
        json.verbatim(r#""tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}"#);
    } else if version.has(Feature::Extensions) {
        json.name("extensions").begin_object();
        json.name(TASKS_EXTENSION).begin_object().end_object();
        json.end_object();
    }
}

/// A flag that is left out when it is not set.
fn flag(json: &mut Writer<'_, '_>, name: &str, set: bool) {
    if set {
        json.name(name).boolean(true);
    }
}
