//! Tools (MCP tools).

#[cfg(feature = "macros")]
use super::explained::Explained;
use super::icon::write_icons;
use super::members::{write_text_member, write_title};
use super::parameter::{check_members, check_parameters};
use super::schema::write_parameters;
use super::setters::setters;
use super::{ArgumentError, Feature, Icon, Parameter, ProtocolVersion, Schema, TaskSupport, Type, arguments};
use crate::json::{Object, RawValue, Writer};

/// A tool: its name, its description and its parameters. Made for `const` tables.
///
/// ```
/// use barewire::mcp::{Parameter, Tool, Type};
///
/// const TOOLS: &[Tool<'_>] = &[Tool::new("set_led", "Switches the LED on or off.")
///     .with_parameters(&[Parameter::required("on", Type::Boolean)])];
/// ```
///
/// A broken name or declaration does not compile:
///
/// ```compile_fail
/// # use barewire::mcp::Tool;
/// const BROKEN: Tool<'_> = Tool::new("set led", "A name has no space.");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tool<'a> {
    name: &'a str,
    title: Option<&'a str>,
    description: &'a str,
    input: InputSchema<'a>,
    output: Option<OutputSchema<'a>>,
    annotations: ToolAnnotations<'a>,
    task_support: TaskSupport,
    icons: &'a [Icon<'a>],
    meta: Option<Object<'a>>,
    terse: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum InputSchema<'a> {
    /// Generated from an object type.
    Generated(Type<'a>),
    Literal(Schema<'a>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum OutputSchema<'a> {
    /// Generated from the members of an object.
    Generated(&'a [Parameter<'a>]),
    Literal(Schema<'a>),
}

/// Hints about the effects of a tool (2025-03-26 and later). A hint that is not set is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ToolAnnotations<'a> {
    /// A name for people. Older than the title of the tool itself.
    pub title: Option<&'a str>,
    /// Whether the tool changes nothing.
    pub read_only: Option<bool>,
    /// Whether the tool may destroy something.
    pub destructive: Option<bool>,
    /// Whether a second call with the same arguments has no further effect.
    pub idempotent: Option<bool>,
    /// Whether the tool reaches beyond the server.
    pub open_world: Option<bool>,
}

impl<'a> ToolAnnotations<'a> {
    /// No hints.
    pub const NONE: Self =
        Self { title: None, read_only: None, destructive: None, idempotent: None, open_world: None };

    /// The hint that the tool changes nothing.
    pub const READ_ONLY: Self = Self { read_only: Some(true), ..Self::NONE };

    fn write(&self, json: &mut Writer<'_, '_>) {
        if *self == Self::NONE {
            return;
        }
        json.name("annotations").begin_object();
        write_text_member(json, "title", self.title);
        let hints = [
            ("readOnlyHint", self.read_only),
            ("destructiveHint", self.destructive),
            ("idempotentHint", self.idempotent),
            ("openWorldHint", self.open_world),
        ];
        for (name, hint) in hints {
            if let Some(hint) = hint {
                json.name(name).boolean(hint);
            }
        }
        json.end_object();
    }
}

impl<'a> Tool<'a> {
    /// A tool without parameters.
    ///
    /// # Panics
    /// If `name` is not 1 to 128 of `A-Z a-z 0-9 _ - .` (MCP tools, tool names). In a `const` this is a compile error, as
    /// every other panic of this type. Check names that are only known at run time with [`is_name`](Tool::is_name).
    pub const fn new(name: &'a str, description: &'a str) -> Self {
        assert!(Self::is_name(name), "a tool's name is 1 to 128 of A-Z a-z 0-9 _ - .");
        Self {
            name,
            title: None,
            description,
            input: InputSchema::Generated(Type::object_of(&[])),
            output: None,
            annotations: ToolAnnotations::NONE,
            task_support: TaskSupport::Forbidden,
            icons: &[],
            meta: None,
            terse: false,
        }
    }

    /// Whether `name` is a valid name of a tool.
    pub const fn is_name(name: &str) -> bool {
        let mut bytes = name.as_bytes();
        while let [byte, rest @ ..] = bytes {
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')) {
                return false;
            }
            bytes = rest;
        }
        !name.is_empty() && name.len() <= 128
    }

    /// The parameters. The listed schema and the check of the arguments both come from them.
    ///
    /// # Panics
    /// If an object has more than 64 parameters or two of one name, if they nest deeper than
    /// [`MAX_SCHEMA_DEPTH`](super::MAX_SCHEMA_DEPTH), or if a [header](Parameter::with_header) is not allowed.
    pub const fn with_parameters(mut self, parameters: &'a [Parameter<'a>]) -> Self {
        check_parameters(parameters);
        self.input = InputSchema::Generated(Type::object_of(parameters));
        self
    }

    /// The parameters, where calls may have other arguments too.
    ///
    /// # Panics
    /// As [`with_parameters`](Tool::with_parameters).
    pub const fn with_open_parameters(mut self, parameters: &'a [Parameter<'a>]) -> Self {
        check_parameters(parameters);
        self.input = InputSchema::Generated(Type::Object { parameters, allow_unknown: true });
        self
    }

    /// The members of the structured content, from which its schema is generated (2025-06-18 and later).
    ///
    /// # Panics
    /// As [`with_parameters`](Tool::with_parameters).
    pub const fn with_output(mut self, members: &'a [Parameter<'a>]) -> Self {
        check_members(members);
        self.output = Some(OutputSchema::Generated(members));
        self
    }

    setters! {
        /// The parameters as a schema literal. The handler checks the arguments, which only have to be an object.
        with_schema(schema: Schema<'a>) => input = InputSchema::Literal(schema);
        /// The schema of the structured content as a literal (2025-06-18 and later).
        with_output_schema(schema: Schema<'a>) => output = Some(OutputSchema::Literal(schema));
        /// A name for people (2025-06-18 and later).
        with_title(title: &'a str) => title = Some(title);
        /// Hints about the effects of the tool.
        with_annotations(annotations: ToolAnnotations<'a>) => annotations = annotations;
        /// Whether a call may be a task, which runs on after its response.
        with_task_support(task_support: TaskSupport) => task_support = task_support;
        /// Icons (2025-11-25 and later).
        with_icons(icons: &'a [Icon<'a>]) => icons = icons;
    }

    /// The `_meta` of the tool, a JSON object (2025-06-18 and later).
    ///
    /// # Panics
    /// If `meta` is not a JSON object.
    #[allow(clippy::panic, reason = "a compile error in a `const`")]
    pub const fn with_meta(mut self, meta: &'a str) -> Self {
        match RawValue::new(meta.as_bytes()) {
            Ok(value) => match value.as_object() {
                Some(object) => self.meta = Some(object),
                None => panic!("_meta is a JSON object"),
            },
            Err(_) => panic!("_meta is a JSON object"),
        }
        self
    }

    /// Leaves out of the answer to wrong arguments what is wrong with them.
    pub const fn with_terse_errors(mut self) -> Self {
        self.terse = true;
        self
    }

    /// The name.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    pub(crate) const fn is_terse(&self) -> bool {
        self.terse
    }

    /// Whether a call may be a task.
    pub const fn task_support(&self) -> TaskSupport {
        self.task_support
    }

    /// The type of the arguments, or their schema literal.
    pub(super) const fn input(&self) -> Result<&Type<'a>, Schema<'a>> {
        match &self.input {
            InputSchema::Generated(ty) => Ok(ty),
            InputSchema::Literal(schema) => Err(*schema),
        }
    }

    /// Whether the arguments fit the parameters.
    ///
    /// # Errors
    /// The first argument that does not fit.
    pub fn check<'c>(&'c self, arguments: Object<'c>) -> Result<(), ArgumentError<'c>> {
        match &self.input {
            InputSchema::Generated(ty) => arguments::check(arguments, ty),
            InputSchema::Literal(_) => Ok(()),
        }
    }

    /// A text about arguments that do not fit the parameters.
    #[cfg(feature = "macros")]
    pub(crate) const fn explain<'c>(&'c self, arguments: Object<'c>) -> Option<Explained<'c>> {
        match &self.input {
            InputSchema::Generated(ty) => Some(Explained::new(arguments, ty)),
            InputSchema::Literal(_) => None,
        }
    }

    /// Whether that text can say more than the fault.
    #[cfg(feature = "macros")]
    pub(crate) const fn has_details(&self) -> bool {
        let InputSchema::Generated(Type::Object { mut parameters, .. }) = self.input else {
            return false;
        };
        while let [parameter, rest @ ..] = parameters {
            if !matches!(parameter.ty(), Type::Boolean | Type::String { min_length: 0, max_length: u32::MAX })
            {
                return true;
            }
            parameters = rest;
        }
        false
    }

    pub(crate) fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        json.name("name").string(self.name);
        write_title(json, self.title, version);
        json.name("description").string(self.description);
        match &self.input {
            InputSchema::Generated(ty) => write_parameters(json.name("inputSchema"), ty, version),
            InputSchema::Literal(schema) => {
                json.name("inputSchema").raw(schema.as_value());
            }
        }
        match &self.output {
            Some(output) if version.has(Feature::StructuredContent) => {
                json.name("outputSchema");
                match output {
                    OutputSchema::Generated(members) => {
                        write_parameters(json, &Type::object_of(members), version)
                    }
                    OutputSchema::Literal(schema) => {
                        json.raw(schema.as_value());
                    }
                }
            }
            _ => {}
        }
        if version.has(Feature::ToolAnnotations) {
            self.annotations.write(json);
        }
        if version.has(Feature::Tasks) && self.task_support != TaskSupport::Forbidden {
            json.name("execution").begin_object();
            json.name("taskSupport").string(self.task_support.as_str());
            json.end_object();
        }
        write_icons(json, self.icons, version);
        if let Some(meta) = self.meta
            && version.has(Feature::ItemMeta)
        {
            json.name("_meta").raw(meta.as_value());
        }
        json.end_object();
    }
}
