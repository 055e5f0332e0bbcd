//! What a server declares, as its client reads it.

use super::client_capabilities::TASKS_EXTENSION;
use super::{Capabilities, Method};
use crate::json::{Object, RawValue};

impl Capabilities {
    /// What `capabilities` of an `initialize` result, or of a discovery, declares. Linear in the length of its text.
    ///
    /// A member is declared by an object, the first of its name; other values, and members that are not known, are ignored.
    ///
    /// ```
    /// use barewire::json::RawValue;
    /// use barewire::mcp::Capabilities;
    ///
    /// # fn main() -> Result<(), barewire::json::Error> {
    /// let text = br#"{"tools":{"listChanged":true},"resources":{}}"#;
    /// let offered = Capabilities::from_object(RawValue::new(text)?.as_object().unwrap());
    /// assert!(offered.tools && offered.tools_list_changed && offered.resources);
    /// assert!(!offered.resources_subscribe && !offered.prompts);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_object(capabilities: Object<'_>) -> Self {
        Self::beside(&TaskCapabilities::from_object(capabilities), capabilities)
    }

    /// The same, where what it says of tasks was read before.
    pub(crate) fn beside(tasks: &TaskCapabilities, capabilities: Object<'_>) -> Self {
        let member = |name| capabilities.get(name).and_then(RawValue::as_object);
        let is_set = |object: Option<Object<'_>>, name| {
            let flag = object.and_then(|object| object.get(name));
            flag.and_then(RawValue::as_bool) == Some(true)
        };
        let (tools, resources, prompts) = (member("tools"), member("resources"), member("prompts"));
        Self {
            tools: tools.is_some(),
            tools_list_changed: is_set(tools, "listChanged"),
            resources: resources.is_some(),
            resources_subscribe: is_set(resources, "subscribe"),
            resources_list_changed: is_set(resources, "listChanged"),
            prompts: prompts.is_some(),
            prompts_list_changed: is_set(prompts, "listChanged"),
            completions: member("completions").is_some(),
            logging: member("logging").is_some(),
            tasks: tasks.tools_call || tasks.extension,
        }
    }
}

/// What a server declares of tasks.
///
/// ```
/// use barewire::json::{Object, RawValue};
/// use barewire::mcp::{Method, TaskCapabilities};
///
/// # fn main() -> Result<(), barewire::json::Error> {
/// let text = br#"{"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}}"#;
/// let offered = TaskCapabilities::from_object(RawValue::new(text)?.as_object().unwrap_or(Object::EMPTY));
/// assert!(offered.core && offered.tools_call && !offered.extension);
/// assert!(offered.offer(Method::TasksCancel) && !offered.offer(Method::TasksList));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct TaskCapabilities {
    /// There are tasks (2025-11-25 only).
    pub core: bool,
    /// They can be listed.
    pub list: bool,
    /// They can be cancelled.
    pub cancel: bool,
    /// A call of a tool may be one.
    pub tools_call: bool,
    /// The extension `io.modelcontextprotocol/tasks` (2026-07-28).
    pub extension: bool,
}

impl TaskCapabilities {
    /// None.
    pub const NONE: Self = Self {
        core: false,
        list: false,
        cancel: false,
        tools_call: false,
        extension: false,
    };

    /// What a server's `capabilities` declares. Linear in the length of its text.
    pub fn from_object(capabilities: Object<'_>) -> Self {
        let member = |object: Object<'_>, name| object.get(name).and_then(RawValue::as_object).is_some();
        let extensions = capabilities.get("extensions").and_then(RawValue::as_object);
        let mut found = Self {
            extension: extensions.is_some_and(|extensions| member(extensions, TASKS_EXTENSION)),
            ..Self::NONE
        };
        let Some(tasks) = capabilities.get("tasks").and_then(RawValue::as_object) else {
            return found;
        };
        found.core = true;
        found.list = member(tasks, "list");
        found.cancel = member(tasks, "cancel");
        let of_tools = tasks
            .get("requests")
            .and_then(|requests| requests.as_object()?.get("tools")?.as_object());
        found.tools_call = of_tools.is_some_and(|tools| member(tools, "call"));
        found
    }

    /// Whether the server offers this method of the chapter on tasks.
    pub fn offer(&self, method: Method) -> bool {
        match method {
            Method::TasksList => self.list,
            Method::TasksCancel => self.cancel || self.extension,
            Method::TasksResult => self.core,
            Method::TasksUpdate => self.extension,
            _ => self.core || self.extension,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object<'_> {
        RawValue::new(text.as_bytes()).unwrap().as_object().unwrap()
    }

    #[test]
    fn capabilities_are_read_as_declared() {
        let all = Capabilities {
            tools: true,
            tools_list_changed: true,
            resources: true,
            resources_subscribe: true,
            resources_list_changed: true,
            prompts: true,
            prompts_list_changed: true,
            completions: true,
            logging: true,
            tasks: true,
        };
        let text = r#"{"\u0074ools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{"x":1},"y":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
        assert_eq!(Capabilities::from_object(object(text)), all);
        let least = Capabilities {
            tools: true,
            resources: true,
            prompts: true,
            ..Capabilities::NONE
        };
        let text = r#"{"tools":{"listChanged":false},"resources":{"subscribe":1},"prompts":{},"logging":true,"completions":null,"tasks":{}}"#;
        assert_eq!(Capabilities::from_object(object(text)), least);
        assert_eq!(Capabilities::from_object(object("{}")), Capabilities::NONE);
        let twice = r#"{"tools":{},"prompts":1,"tools":{"listChanged":true},"prompts":{}}"#;
        let first = Capabilities {
            tools: true,
            ..Capabilities::NONE
        };
        assert_eq!(Capabilities::from_object(object(twice)), first);
    }

    #[test]
    fn tasks_of_both_kinds() {
        let cases = [
            ("{}", TaskCapabilities::NONE),
            (
                r#"{"tasks":{}}"#,
                TaskCapabilities {
                    core: true,
                    ..TaskCapabilities::NONE
                },
            ),
            (
                r#"{"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}"#,
                TaskCapabilities {
                    core: true,
                    list: true,
                    cancel: true,
                    tools_call: true,
                    extension: false,
                },
            ),
            (
                r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
                TaskCapabilities {
                    extension: true,
                    ..TaskCapabilities::NONE
                },
            ),
            (r#"{"tasks":true,"extensions":[]}"#, TaskCapabilities::NONE),
        ];
        for (text, expected) in cases {
            assert_eq!(TaskCapabilities::from_object(object(text)), expected, "{text}");
        }
    }
}
