//! What the device offers, as constants in flash.

use barewire::demo;
use barewire::mcp::{
    Parameter, Prompt, PromptArgument, Resource, ResourceTemplate, Schema, Tool, ToolAnnotations, Type,
    UriTemplate,
};

use crate::tools::REGISTERS;

/// The tools, in the order they are listed.
pub(crate) const TOOLS: &[Tool<'_>] = &[
    Tool::new("set_led", "Switches the LED.").with_parameters(&[Parameter::required("on", Type::Boolean)]),
    Tool::new("read_sensor", "Reads the temperature of the board.")
        .with_parameters(&[Parameter::optional("unit", Type::Choice(&["celsius", "kelvin"]))])
        .with_output_schema(Schema::new(
            r#"{"type":"object","properties":{"value":{"type":"number"},"unit":{"type":"string"}},"required":["value","unit"]}"#,
        ))
        .with_annotations(ToolAnnotations::READ_ONLY),
    Tool::new("dump_registers", "Reads 16 of the 64 registers, and says where the next ones start.")
        .with_parameters(&[Parameter::optional("from", Type::integer_in(0, REGISTERS as i64 - 1))])
        .with_annotations(ToolAnnotations::READ_ONLY),
    demo::ECHO,
    demo::ADD,
];

/// The resource that changes when the LED does.
pub const STATUS_URI: &str = "device://status";

/// The resources, in the order they are listed.
pub(crate) const RESOURCES: &[Resource<'_>] = &[Resource::new(STATUS_URI, "status")
    .with_description("The LED, and how often the sensor was read.")
    .with_mime_type("application/json")];

pub(crate) const REGISTER: UriTemplate<'_> = UriTemplate::new("device://register/{number}");

/// The resource templates.
pub(crate) const TEMPLATES: &[ResourceTemplate<'_>] = &[ResourceTemplate::new(REGISTER, "register")
    .with_description("One register, by its number from 0 to 63.")
    .with_mime_type("text/plain")];

/// The prompts.
pub(crate) const PROMPTS: &[Prompt<'_>] = &[Prompt::new("diagnose")
    .with_description("Looks for a fault of the board.")
    .with_arguments(&[PromptArgument::required("symptom").with_description("What was seen.")])];
