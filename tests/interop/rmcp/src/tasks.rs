//! Calls that go on as tasks.
//!
//! The SDK knows those of 2026-07-28 only. Those of 2025-11-25 are asked for as requests that it does not know, and so
//! is what it reads for something else.

use rmcp::model::{
    CallToolResponse, CancelTaskParams, ClientRequest, CustomRequest, GetTaskParams, UpdateTaskParams,
};
use rmcp::service::PeerRequestOptions;
use serde_json::{Value, json};

use crate::client::{Client, Outcome};

impl Client {
    pub(crate) async fn start_task(&self, command: &Value) -> Outcome {
        if self.is_modern() {
            let call = serde_json::from_value(command.clone())?;
            return match self.service.call_tool_once(call).await? {
                CallToolResponse::Task(started) => Ok(json!(started)),
                other => Err(format!("not a task: {other:?}").into()),
            };
        }
        let params = json!({
            "name": command["name"],
            "arguments": command["arguments"],
            "task": { "ttl": command["ttl"] },
        });
        let started = self.custom("tools/call", params).await?;
        Ok(started["task"].clone())
    }

    pub(crate) async fn task(&self, method: &str, command: &Value) -> Outcome {
        let id = command["id"].as_str().unwrap_or_default();
        if !self.is_modern() {
            return self.custom(method, json!({ "taskId": id })).await;
        }
        match method {
            "tasks/get" => Ok(json!(self.service.get_task(GetTaskParams::new(id)).await?)),
            "tasks/cancel" => {
                self.service.cancel_task(CancelTaskParams::new(id)).await?;
                Ok(json!({}))
            }
            "tasks/update" => {
                let responses = serde_json::from_value(command["inputResponses"].clone())?;
                let params = UpdateTaskParams::new(id, responses);
                self.service.update_task(params).await?;
                Ok(json!({}))
            }
            _ => self.custom(method, json!({ "taskId": id })).await,
        }
    }

    pub(crate) async fn tasks(&self) -> Outcome {
        let (mut items, mut params) = (Vec::new(), json!({}));
        loop {
            let page = self.custom("tasks/list", params).await?;
            items.extend(page["tasks"].as_array().into_iter().flatten().cloned());
            match page.get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return Ok(items.into()),
            }
        }
    }

    /// Its own subscriptions are to no task.
    pub(crate) async fn watch_tasks(&mut self, command: &Value) -> Outcome {
        let params = json!({ "notifications": { "taskIds": command["ids"] } });
        let listen = CustomRequest::new("subscriptions/listen", Some(params));
        let request = ClientRequest::CustomRequest(listen);
        let options = PeerRequestOptions::no_options();
        self.watching = Some(self.service.send_cancellable_request(request, options).await?);
        Ok(json!({}))
    }

    pub(crate) async fn unwatch_tasks(&mut self) -> Outcome {
        let watching = self.watching.take().ok_or("no task is watched")?;
        watching.cancel(None).await?;
        Ok(json!({}))
    }

    async fn custom(&self, method: &str, params: Value) -> Outcome {
        let request = CustomRequest::new(method, Some(params));
        self.send(ClientRequest::CustomRequest(request)).await
    }
}
