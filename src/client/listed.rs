//! Entries of lists, which own their memory.

use std::string::String;

use super::owned::{OwnedValue, array, text};
use crate::json::{Object, RawValue};

/// Types of entries: a required member, optional texts, and all members as JSON.
macro_rules! entries {
    ($(
        $(#[$about:meta])*
        $type:ident {
            required { $(#[doc = $required_doc:literal] $required:ident: $required_name:literal;)+ }
            optional { $(#[doc = $optional_doc:literal] $optional:ident: $optional_name:literal;)* }
        }
    )*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $type {
            $($required: String,)+
            $($optional: Option<String>,)*
            all: OwnedValue,
        }

        impl $type {
            pub(super) fn of(entry: Object<'_>) -> Self {
                Self {
                    $($required: text(entry, $required_name).unwrap_or_default(),)+
                    $($optional: text(entry, $optional_name),)*
                    all: OwnedValue::of(entry.as_value()),
                }
            }

            $(
                #[doc = $required_doc]
                pub fn $required(&self) -> &str {
                    &self.$required
                }
            )+

            $(
                #[doc = $optional_doc]
                pub fn $optional(&self) -> Option<&str> {
                    self.$optional.as_deref()
                }
            )*

            /// All members.
            pub fn object(&self) -> Object<'_> {
                self.all.object()
            }
        }
    )*};
}

entries! {
    /// Tool of a server, as listed (MCP tools).
    ListedTool {
        required {
            /// The name, for [`Client::call_tool`](super::Client::call_tool).
            name: "name";
        }
        optional {
            /// Name for people (2025-06-18 and later).
            title: "title";
            /// Description for a model.
            description: "description";
        }
    }

    /// Resource of a server, as listed (MCP resources).
    ListedResource {
        required {
            /// The URI, for [`Client::read_resource`](super::Client::read_resource).
            uri: "uri";
            /// The name.
            name: "name";
        }
        optional {
            /// Name for people (2025-06-18 and later).
            title: "title";
            /// Description for a model.
            description: "description";
            /// The MIME type.
            mime_type: "mimeType";
        }
    }

    /// Template of resources, as listed (MCP resources).
    ListedResourceTemplate {
        required {
            /// The URI template (RFC 6570).
            uri_template: "uriTemplate";
            /// The name.
            name: "name";
        }
        optional {
            /// Name for people (2025-06-18 and later).
            title: "title";
            /// Description for a model.
            description: "description";
            /// The MIME type of all its resources.
            mime_type: "mimeType";
        }
    }

    /// Prompt of a server, as listed (MCP prompts).
    ListedPrompt {
        required {
            /// The name, for [`Client::get_prompt`](super::Client::get_prompt).
            name: "name";
        }
        optional {
            /// Name for people (2025-06-18 and later).
            title: "title";
            /// Description for people.
            description: "description";
        }
    }
}

impl ListedTool {
    /// The JSON schema of the arguments.
    pub fn input_schema(&self) -> Object<'_> {
        self.schema("inputSchema").unwrap_or(Object::EMPTY)
    }

    /// The JSON schema of the structured content (2025-06-18 and later).
    pub fn output_schema(&self) -> Option<Object<'_>> {
        self.schema("outputSchema")
    }

    fn schema(&self, name: &str) -> Option<Object<'_>> {
        self.object().get(name).and_then(RawValue::as_object)
    }
}

impl ListedResource {
    /// Number of bytes, if known.
    pub fn size(&self) -> Option<u64> {
        self.object().get("size")?.as_number()?.to_u64().ok()
    }
}

impl ListedPrompt {
    /// The arguments: objects with `name`, `description` and `required`.
    pub fn arguments(&self) -> impl Iterator<Item = Object<'_>> {
        array(self.object(), "arguments").elements().filter_map(RawValue::as_object)
    }
}
