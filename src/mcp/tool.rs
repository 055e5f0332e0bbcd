//! Tools (MCP tools).

use super::icon::write_icons;
use super::parameter::check_parameters;
use super::schema::write_parameters;
use super::{ArgumentError, Feature, Icon, Parameter, ProtocolVersion, Schema, TaskSupport, arguments};
use crate::json::{Object, RawValue, Writer};

/// A tool: its name, what it is for, and what it takes. Made for `const` tables.
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
    input: Input<'a>,
    output: Option<Schema<'a>>,
    annotations: ToolAnnotations<'a>,
    task_support: TaskSupport,
    icons: &'a [Icon<'a>],
    meta: Option<Object<'a>>,
    terse: bool,
}

/// How the arguments are described.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Input<'a> {
    Parameters {
        parameters: &'a [Parameter<'a>],
        allow_unknown: bool,
    },
    Schema(Schema<'a>),
}

/// Hints about what a tool does (2025-03-26 and later). Each is left out unless set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ToolAnnotations<'a> {
    /// A name for people, from before tools had a title.
    pub title: Option<&'a str>,
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Calling it twice does no more than calling it once.
    pub idempotent: Option<bool>,
    /// It reaches beyond the server.
    pub open_world: Option<bool>,
}

impl<'a> ToolAnnotations<'a> {
    /// No hint.
    pub const NONE: Self = Self {
        title: None,
        read_only: None,
        destructive: None,
        idempotent: None,
        open_world: None,
    };

    /// It changes nothing.
    pub const READ_ONLY: Self = Self {
        read_only: Some(true),
        ..Self::NONE
    };

    fn write(&self, json: &mut Writer<'_, '_>) {
        if *self == Self::NONE {
            return;
        }
        json.name("annotations").begin_object();
        if let Some(title) = self.title {
            json.name("title").string(title);
        }
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
    /// When `name` is not 1 to 128 of `A-Z a-z 0-9 _ - .` (MCP tools, tool names); in a `const`, where tables live, that
    /// is a compile error. So for every other panic of this type. [`is_name`](Tool::is_name) is for names that are only
    /// known at run time.
    pub const fn new(name: &'a str, description: &'a str) -> Self {
        assert!(
            Self::is_name(name),
            "a tool's name is 1 to 128 of A-Z a-z 0-9 _ - ."
        );
        Self {
            name,
            title: None,
            description,
            input: Input::Parameters {
                parameters: &[],
                allow_unknown: false,
            },
            output: None,
            annotations: ToolAnnotations::NONE,
            task_support: TaskSupport::Forbidden,
            icons: &[],
            meta: None,
            terse: false,
        }
    }

    /// Whether `name` can name a tool.
    #[allow(
        clippy::indexing_slicing,
        reason = "behind a check of the length; `get` is not const"
    )]
    pub const fn is_name(name: &str) -> bool {
        let bytes = name.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if !(bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'_' | b'-' | b'.')) {
                return false;
            }
            at = at.saturating_add(1);
        }
        !bytes.is_empty() && bytes.len() <= 128
    }

    /// What it takes. The listed schema and the check of the arguments both come from this.
    ///
    /// # Panics
    /// When an object has more than 64 parameters or two of one name, or they nest deeper than
    /// [`MAX_SCHEMA_DEPTH`](super::MAX_SCHEMA_DEPTH).
    pub const fn with_parameters(mut self, parameters: &'a [Parameter<'a>]) -> Self {
        check_parameters(parameters);
        self.input = Input::Parameters {
            parameters,
            allow_unknown: false,
        };
        self
    }

    /// What it takes, and anything else too.
    ///
    /// # Panics
    /// As [`with_parameters`](Tool::with_parameters).
    pub const fn with_open_parameters(mut self, parameters: &'a [Parameter<'a>]) -> Self {
        check_parameters(parameters);
        self.input = Input::Parameters {
            parameters,
            allow_unknown: true,
        };
        self
    }

    /// What it takes, as a schema literal. Then the handler checks the arguments; here they only have to be an object.
    pub const fn with_schema(mut self, schema: Schema<'a>) -> Self {
        self.input = Input::Schema(schema);
        self
    }

    /// What its structured content is (2025-06-18 and later).
    pub const fn with_output_schema(mut self, schema: Schema<'a>) -> Self {
        self.output = Some(schema);
        self
    }

    /// A name for people (2025-06-18 and later).
    pub const fn with_title(mut self, title: &'a str) -> Self {
        self.title = Some(title);
        self
    }

    /// Hints about what it does.
    pub const fn with_annotations(mut self, annotations: ToolAnnotations<'a>) -> Self {
        self.annotations = annotations;
        self
    }

    /// Whether a call may be a task: one that goes on behind its answer, and is asked for later.
    pub const fn with_task_support(mut self, task_support: TaskSupport) -> Self {
        self.task_support = task_support;
        self
    }

    /// Icons (2025-11-25 and later).
    pub const fn with_icons(mut self, icons: &'a [Icon<'a>]) -> Self {
        self.icons = icons;
        self
    }

    /// The tool's `_meta`, a JSON object (2025-06-18 and later).
    ///
    /// # Panics
    /// When `meta` is no JSON object.
    #[allow(
        clippy::panic,
        reason = "where tables live, in a `const`, it is a compile error"
    )]
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

    /// Wrong arguments are answered without saying what is wrong with them.
    pub const fn with_terse_errors(mut self) -> Self {
        self.terse = true;
        self
    }

    /// Its name.
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

    /// Whether the arguments fit the parameters.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check<'c>(&'c self, arguments: Object<'c>) -> Result<(), ArgumentError<'c>> {
        match self.input {
            Input::Parameters {
                parameters,
                allow_unknown,
            } => arguments::check(arguments, parameters, allow_unknown),
            Input::Schema(_) => Ok(()),
        }
    }

    pub(crate) fn write(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        json.begin_object();
        json.name("name").string(self.name);
        if let Some(title) = self.title
            && version.has(Feature::Title)
        {
            json.name("title").string(title);
        }
        json.name("description").string(self.description);
        json.name("inputSchema");
        match self.input {
            Input::Parameters {
                parameters,
                allow_unknown,
            } => write_parameters(json, parameters, allow_unknown),
            Input::Schema(schema) => {
                json.raw(schema.as_value());
            }
        }
        if let Some(schema) = self.output
            && version.has(Feature::StructuredContent)
        {
            json.name("outputSchema").raw(schema.as_value());
        }
        if version.has(Feature::ToolAnnotations) {
            self.annotations.write(json);
        }
        if version.has(Feature::Tasks) && self.task_support != TaskSupport::Forbidden {
            json.name("execution").begin_object();
            json.name("taskSupport").string(self.task_support.as_str());
            json.end_object();
        }
        if version.has(Feature::Icons) {
            write_icons(json, self.icons);
        }
        if let Some(meta) = self.meta
            && version.has(Feature::ItemMeta)
        {
            json.name("_meta").raw(meta.as_value());
        }
        json.end_object();
    }
}
