//! Tables of the demo server, as constants.

use crate::mcp::{
    Annotations, Parameter, Prompt, PromptArgument, Resource, ResourceTemplate, Schema, TaskSupport, Tool,
    ToolAnnotations, Type, UriTemplate,
};

/// Tool that [`echo`](super::echo) answers.
pub const ECHO: Tool<'_> = Tool::new("echo", "Returns the given text unchanged.")
    .with_parameters(&[Parameter::required("text", Type::STRING)])
    .with_annotations(ToolAnnotations::READ_ONLY)
    .with_terse_errors();

/// Tool that [`add`](super::add) answers.
pub const ADD: Tool<'_> = Tool::new("add", "Adds two finite numbers.")
    .with_parameters(&[Parameter::required("a", Type::NUMBER), Parameter::required("b", Type::NUMBER)])
    .with_annotations(ToolAnnotations::READ_ONLY)
    .with_terse_errors();

/// Tools, in the order of the list.
///
/// ```
/// use barewire::demo::TOOLS;
/// use barewire::mcp::TaskSupport;
///
/// let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name()).collect();
/// assert_eq!(
///     names.join(" "),
///     "echo add slow measure pixel count set_limit summarize list_roots simulate"
/// );
/// let tasks = TOOLS.iter().filter(|tool| tool.task_support() != TaskSupport::Forbidden);
/// assert_eq!(tasks.map(|tool| tool.name()).collect::<Vec<_>>(), ["simulate"]);
/// ```
pub const TOOLS: &[Tool<'_>] = &[
    ECHO,
    ADD,
    Tool::new("slow", "Waits for a while, reports progress, can be cancelled.").with_parameters(&[
        Parameter::optional("ms", Type::integer_in(0, 600_000)).with_description("Milliseconds; 600 by default."),
    ]),
    Tool::new("measure", "Reads a simulated sensor.")
        .with_title("Measure")
        .with_parameters(&[Parameter::optional("unit", Type::Choice(&["celsius", "kelvin"]))])
        .with_output_schema(Schema::new(
            r#"{"type":"object","properties":{"value":{"type":"number"},"unit":{"type":"string"}},"required":["value","unit"]}"#,
        ))
        .with_annotations(ToolAnnotations::READ_ONLY),
    Tool::new("pixel", "Returns an image of one pixel, and a link to its resource.")
        .with_annotations(ToolAnnotations::READ_ONLY),
    Tool::new("count", "Adds one to the counter resource, and notifies its subscribers."),
    Tool::new("set_limit", "Changes the limit, after the user has agreed.").with_parameters(&[
        Parameter::required("max", Type::integer_in(0, MAX_LIMIT as i64)),
    ]),
    Tool::new("summarize", "Lets the client's model summarize a text.")
        .with_parameters(&[Parameter::required("text", Type::STRING)])
        .with_annotations(ToolAnnotations::READ_ONLY),
    Tool::new("list_roots", "Returns the roots of the client.").with_annotations(ToolAnnotations::READ_ONLY),
    Tool::new("simulate", "Waits for a while, as a task if the client wants one.")
        .with_parameters(&[
            Parameter::optional("ms", Type::integer_in(0, 600_000)).with_description("Milliseconds; 600 by default."),
        ])
        .with_task_support(TaskSupport::Optional),
];

/// Greatest limit, and initial limit.
pub(super) const MAX_LIMIT: u16 = 1000;

/// Result of the tool `simulate` as a task.
pub(super) const SIMULATED: &str = "done";

/// Form that the tool `set_limit` shows to the user.
pub(super) const SURE: Schema<'_> = Schema::new(
    r#"{"type":"object","properties":{"yes":{"type":"boolean","title":"Yes"}},"required":["yes"]}"#,
);

/// URI of the resource that the tool `count` changes.
pub const COUNTER_URI: &str = "demo://counter";

pub(super) const README_URI: &str = "demo://readme";
pub(super) const PIXEL_URI: &str = "demo://pixel.png";

/// Resources, in the order of the list.
pub const RESOURCES: &[Resource<'_>] = &[
    Resource::new(README_URI, "readme")
        .with_description("Description of this server.")
        .with_mime_type("text/plain")
        .with_size(README.len() as u64),
    PIXEL_RESOURCE,
    Resource::new(COUNTER_URI, "counter")
        .with_description("Number of calls of the tool count.")
        .with_mime_type("text/plain"),
];

pub(super) const PIXEL_RESOURCE: Resource<'_> = Resource::new(PIXEL_URI, "pixel")
    .with_description("A picture of one pixel.")
    .with_mime_type("image/png")
    .with_annotations(Annotations::NONE.for_user())
    .with_size(PIXEL.len() as u64);

pub(super) const SQUARE: UriTemplate<'_> = UriTemplate::new("demo://square/{number}");

/// Resource templates.
pub const TEMPLATES: &[ResourceTemplate<'_>] = &[ResourceTemplate::new(SQUARE, "square")
    .with_description("The square of a number from 0 to 65535.")
    .with_mime_type("text/plain")];

/// Prompts.
pub const PROMPTS: &[Prompt<'_>] = &[Prompt::new("greet")
    .with_title("Greet somebody")
    .with_description("Asks for a greeting.")
    .with_arguments(&[
        PromptArgument::required("name").with_description("Name of the person to greet."),
        PromptArgument::optional("language").with_description("Language of the greeting; has completions."),
    ])];

/// Values of the argument `language`, for completion.
pub(super) const LANGUAGES: &[&str] = &["english", "finnish", "french", "german", "greek", "spanish"];

pub(super) const README: &str =
    "The demo server of barewire: one small tool, resource and prompt of each kind.\n";

/// PNG image of one transparent pixel.
pub(super) const PIXEL: &[u8] = &[
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1F, 0x15, 0xC4, 0x89, 0x00,
    0x00, 0x00, 0x0B, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x60, 0x00, 0x02, 0x00, 0x00, 0x05, 0x00,
    0x01, 0xE9, 0xFA, 0xDC, 0xD8, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
];
