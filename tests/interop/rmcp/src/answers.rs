//! What the server asks of the client, and what the client answers.

use std::sync::Mutex;
use std::time::Duration;

use rmcp::ErrorData;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::sleep;

/// The user, the model and the directories.
pub(crate) struct Answers {
    asked: Mutex<Vec<Value>>,
    say: Mutex<Value>,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            asked: Mutex::default(),
            say: Mutex::new(json!({ "action": "accept", "content": { "yes": true } })),
        }
    }
}

impl Answers {
    /// From now on.
    pub(crate) fn set(&self, say: Value) {
        *self.say.lock().expect("no holder panics") = say;
    }

    pub(crate) fn take(&self) -> Value {
        std::mem::take(&mut *self.asked.lock().expect("no holder panics")).into()
    }

    fn note(&self, method: &str, params: Value) -> Value {
        let mut asked = self.asked.lock().expect("no holder panics");
        asked.push(json!([method, params]));
        self.say.lock().expect("no holder panics").clone()
    }

    pub(crate) async fn elicitation<T: DeserializeOwned>(&self, params: Value) -> Result<T, ErrorData> {
        let say = self.note("elicitation/create", params);
        sleep(Duration::from_millis(
            say["after_ms"].as_u64().unwrap_or_default(),
        ))
        .await;
        read(say)
    }

    pub(crate) fn sampling<T: DeserializeOwned>(&self, params: Value) -> Result<T, ErrorData> {
        let content = &params["messages"][0]["content"];
        let text = [&content["text"], &content[0]["text"]].map(|text| text.as_str().unwrap_or_default());
        let text = format!("In short: {}", text.concat());
        let say = self.note("sampling/createMessage", params);
        if let Some(refusal) = say.get("refusal") {
            return Err(read(refusal.clone())?);
        }
        read(json!({
            "role": "assistant",
            "content": { "type": "text", "text": text },
            "model": "interop",
            "stopReason": "endTurn",
        }))
    }

    pub(crate) fn roots<T: DeserializeOwned>(&self) -> Result<T, ErrorData> {
        self.note("roots/list", json!({}));
        read(json!({ "roots": [{ "uri": "file:///srv/one", "name": "one" }, { "uri": "file:///srv/two" }] }))
    }
}

fn read<T: DeserializeOwned>(answer: Value) -> Result<T, ErrorData> {
    serde_json::from_value(answer).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
