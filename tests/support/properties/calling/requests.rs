//! The requests of a client, by its methods and as values.

use barewire::bytes::Sink;
use barewire::engine::client::{CompletionFor, RequestError, RequestOptions, Subscription, Ticket};
use barewire::json::{JsonStr, RawValue};
use barewire::mcp::{LoggingLevel, ProtocolVersion, Text};
use serde_json::{Value, json};

use super::Tested;
use crate::support::entropy::Entropy;
use crate::support::generate;

/// A request: which, and its texts.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) method: &'static str,
    text: String,
    /// A token of a string, as it was received.
    cursor: Option<&'static str>,
    choice: usize,
    level: LoggingLevel,
}

const METHODS: [&str; 21] = [
    "tools/call",
    "ping",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "tasks/list",
    "prompts/get",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "completion/complete",
    "logging/setLevel",
    "tasks/get",
    "tasks/result",
    "tasks/cancel",
    "tasks/update",
    "x/y",
    "initialize",
    "tools/call",
];

pub(super) fn call(entropy: &mut Entropy<'_>) -> Call {
    Call {
        method: entropy.pick(&METHODS),
        text: generate::text(entropy),
        cursor: entropy.pick(&[None, Some("\"c\""), Some("\"\\u0063\\n\"")]),
        choice: entropy.below(4),
        level: entropy.pick(&LoggingLevel::ALL),
    }
}

impl Call {
    /// Whether a client may ask for it in this revision.
    pub(super) fn is_in(&self, version: ProtocolVersion) -> bool {
        let is_modern = version == ProtocolVersion::V2026_07_28;
        let has_tasks = version >= ProtocolVersion::V2025_11_25;
        match self.method {
            "ping" | "resources/subscribe" | "resources/unsubscribe" | "logging/setLevel" | "initialize" => {
                !is_modern
            }
            "tasks/list" | "tasks/result" => has_tasks && !is_modern,
            "tasks/get" | "tasks/cancel" => has_tasks,
            "tasks/update" | "subscriptions/listen" => is_modern,
            _ => true,
        }
    }

    pub(super) fn is_about_a_task(&self) -> bool {
        self.method.starts_with("tasks/")
    }

    /// The members of its params.
    pub(super) fn params(&self, version: ProtocolVersion) -> Value {
        let text = &self.text;
        match self.method {
            "ping" | "initialize" => json!({}),
            "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" | "tasks/list" => {
                match self.cursor {
                    Some(cursor) => {
                        let cursor: Value = serde_json::from_str(cursor).expect("a string");
                        json!({"cursor": cursor})
                    }
                    None => json!({}),
                }
            }
            "tools/call" => json!({"name": text, "arguments": {"a": text}}),
            "prompts/get" => json!({"name": text, "arguments": {}}),
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => json!({"uri": text}),
            "subscriptions/listen" => match self.choice {
                0 => json!({"notifications": {}}),
                1 => {
                    json!({"notifications": {"toolsListChanged": true, "resourceSubscriptions": [text, "r"]}})
                }
                _ => json!({"notifications": {
                    "promptsListChanged": true, "resourcesListChanged": true, "taskIds": [text],
                }}),
            },
            "completion/complete" => {
                let of = match self.choice % 2 {
                    0 => json!({"type": "ref/prompt", "name": text}),
                    _ => json!({"type": "ref/resource", "uri": text}),
                };
                let mut params = json!({"ref": of, "argument": {"name": "a", "value": text}});
                if self.choice > 1 && version >= ProtocolVersion::V2025_06_18 {
                    params["context"] = json!({"arguments": {"b": text}});
                }
                params
            }
            "logging/setLevel" => json!({"level": self.level.as_str()}),
            "tasks/update" => json!({"taskId": text, "inputResponses": {"k": {}}}),
            "x/y" => match self.choice {
                0 => json!({}),
                _ => json!({"k": text}),
            },
            _ => json!({"taskId": text}),
        }
    }

    /// By the client's method for it.
    pub(super) fn send(
        &self,
        client: &mut Tested<'_>,
        ask: RequestOptions<'_, u64>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        let text = self.text.as_str();
        match self.method {
            "ping" => client.ping(ask, out),
            "tools/list" => client.list_tools(ask, self.cursor(), out),
            "resources/list" => client.list_resources(ask, self.cursor(), out),
            "resources/templates/list" => client.list_resource_templates(ask, self.cursor(), out),
            "prompts/list" => client.list_prompts(ask, self.cursor(), out),
            "tasks/list" => client.list_tasks(ask, self.cursor(), out),
            "tools/call" => client.call_tool(ask, text, out, |arguments| {
                arguments.name("a").string(text);
            }),
            "prompts/get" => client.get_prompt(ask, text, out, |_| {}),
            "resources/read" => client.read_resource(ask, text, out),
            "resources/subscribe" => client.subscribe(ask, text, out),
            "resources/unsubscribe" => client.unsubscribe(ask, text, out),
            "subscriptions/listen" => {
                let of_resources = [text, "r"];
                let of_tasks = [text];
                let filter = match self.choice {
                    0 => Subscription::default(),
                    1 => {
                        Subscription { tools: true, resource_uris: &of_resources, ..Subscription::default() }
                    }
                    _ => Subscription {
                        prompts: true,
                        resources: true,
                        task_ids: &of_tasks,
                        ..Subscription::default()
                    },
                };
                client.listen(ask, &filter, out)
            }
            "completion/complete" => {
                let of = match self.choice % 2 {
                    0 => CompletionFor::Prompt(Text::Plain(text)),
                    _ => CompletionFor::Resource(Text::Plain(text)),
                };
                client.complete(ask, of, "a", text, out, |known| {
                    if self.choice > 1 {
                        known.name("b").string(text);
                    }
                })
            }
            "logging/setLevel" => client.set_level(ask, self.level, out),
            "tasks/get" => client.get_task(ask, text, out),
            "tasks/result" => client.task_result(ask, text, out),
            "tasks/cancel" => client.cancel_task(ask, text, out),
            "tasks/update" => client.update_task(ask, text, out, |responses| {
                responses.name("k").begin_object().end_object();
            }),
            other => client.request(ask, other, out, |params| {
                if other == "x/y" && self.choice > 0 {
                    params.name("k").string(text);
                }
            }),
        }
    }

    fn cursor(&self) -> Option<JsonStr<'static>> {
        RawValue::new(self.cursor?.as_bytes()).ok()?.as_string()
    }
}
