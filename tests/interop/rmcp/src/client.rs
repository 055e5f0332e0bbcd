//! rmcp, and what can be asked of it.
//!
//! The handshake: the configuration names the revision. 2026-07-28: `auto` probes with `server/discover` and may fall
//! back, `pin` probes and may not.
#![expect(
    deprecated,
    reason = "what 2026-07-28 dropped is called in the revisions that have it"
)]

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientConfig, ClientRequest, CustomRequest,
    GetPromptRequestParams, Implementation, ProtocolVersion, ReadResourceRequestParams, RequestMetaObject,
    ServerResult, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{
    ClientLifecycleMode, PeerRequestOptions, RequestHandle, RunningService, Subscription,
    serve_client_with_lifecycle,
};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::sleep;

use crate::answer;
use crate::answers::Answers;
use crate::listener::{Heard, Listener};

pub(crate) type Outcome = Result<Value, Box<dyn Error>>;

pub(crate) struct Client {
    pub(crate) service: RunningService<RoleClient, Listener>,
    heard: Arc<Heard>,
    answers: Arc<Answers>,
    config: ClientConfig,
    subscription: Option<Subscription>,
    pub(crate) watching: Option<RequestHandle<RoleClient>>,
}

impl Client {
    pub(crate) async fn connect(
        revision: &str,
        mode: &str,
        declares: &str,
        program: &str,
        arguments: &[String],
    ) -> Result<Self, Box<dyn Error>> {
        let version: ProtocolVersion = serde_json::from_value(json!(revision))?;
        let lifecycle = match mode {
            "handshake" => ClientLifecycleMode::Initialize,
            "auto" => ClientLifecycleMode::Auto {
                preferred_versions: vec![version.clone()],
                legacy_version: None,
            },
            "pin" => ClientLifecycleMode::Discover {
                preferred_versions: vec![version.clone()],
            },
            _ => return Err(format!("no mode {mode}").into()),
        };
        let capabilities = match (declares, mode) {
            ("all", "handshake") => {
                json!({ "elicitation": {}, "sampling": {}, "roots": { "listChanged": true } })
            }
            ("all", _) => json!({
                "elicitation": {},
                "sampling": {},
                "roots": {},
                "extensions": { "io.modelcontextprotocol/tasks": {} },
            }),
            _ => json!({}),
        };
        let capabilities = serde_json::from_value(capabilities)?;
        let config = ClientConfig::new(capabilities, Implementation::new("interop-rmcp", "1"))
            .with_protocol_version(version);
        let (heard, answers) = <(Arc<Heard>, Arc<Answers>)>::default();
        let listener = Listener {
            config: config.clone(),
            heard: heard.clone(),
            answers: answers.clone(),
        };
        let mut command = Command::new(program);
        command.args(arguments);
        let service =
            serve_client_with_lifecycle(listener, TokioChildProcess::new(command)?, lifecycle).await?;
        Ok(Self {
            service,
            heard,
            answers,
            config,
            subscription: None,
            watching: None,
        })
    }

    pub(crate) fn about(&self) -> Outcome {
        let info = self
            .service
            .peer_info()
            .ok_or("the server did not introduce itself")?;
        Ok(json!({
            "version": info.protocol_version,
            "server": info.server_info,
            "instructions": info.instructions,
            "capabilities": info.capabilities,
        }))
    }

    pub(crate) async fn close(mut self) -> Result<(), Box<dyn Error>> {
        self.service.close().await?;
        Ok(())
    }

    pub(crate) async fn run(&mut self, command: &Value) -> Outcome {
        let text = |member: &str| command[member].as_str().unwrap_or_default().to_owned();
        let number = |member: &str| command[member].as_u64().unwrap_or_default();
        match text("op").as_str() {
            "tools" => Ok(json!(self.service.list_all_tools().await?)),
            "resources" => Ok(json!(self.service.list_all_resources().await?)),
            "templates" => Ok(json!(self.service.list_all_resource_templates().await?)),
            "prompts" => Ok(json!(self.service.list_all_prompts().await?)),
            "call" => Ok(json!(
                self.service
                    .call_tool(serde_json::from_value(command.clone())?)
                    .await?
            )),
            "calls" => self.calls(&command["calls"]).await,
            "during" => self.during(command).await,
            "progress" => self.progress(serde_json::from_value(command.clone())?).await,
            "cancel" => {
                self.cancel(serde_json::from_value(command.clone())?, number("after_ms"))
                    .await
            }
            "read" => {
                let read = ReadResourceRequestParams::new(text("uri"));
                Ok(json!(self.service.read_resource(read).await?))
            }
            "prompt" => {
                let get: GetPromptRequestParams = serde_json::from_value(command.clone())?;
                Ok(json!(self.service.get_prompt(get).await?))
            }
            "complete" => {
                let completion = self
                    .service
                    .complete_prompt_argument(text("prompt"), text("argument"), text("value"), None)
                    .await?;
                Ok(json!({ "completion": completion }))
            }
            "ping" => self.send(ClientRequest::PingRequest(Default::default())).await,
            "level" => {
                let level = serde_json::from_value(command["level"].clone())?;
                self.service.set_level(SetLevelRequestParams::new(level)).await?;
                Ok(json!({}))
            }
            "subscribe" => {
                self.service
                    .subscribe(SubscribeRequestParams::new(text("uri")))
                    .await?;
                Ok(json!({}))
            }
            "unsubscribe" => {
                self.service
                    .unsubscribe(UnsubscribeRequestParams::new(text("uri")))
                    .await?;
                Ok(json!({}))
            }
            "updates" => self.updates(number("count") as usize, number("ms")).await,
            "listen" => {
                let uris: Vec<String> = serde_json::from_value(command["uris"].clone())?;
                let filter = SubscriptionFilter::builder().resource_subscriptions(uris).build();
                let subscription = self.service.listen(filter).await?;
                let honored = json!(subscription.acknowledged());
                self.subscription = Some(subscription);
                Ok(honored)
            }
            "unlisten" => {
                let mut subscription = self.subscription.take().ok_or("no subscription")?;
                subscription.cancel().await?;
                Ok(json!({}))
            }
            "discover" => {
                let meta = RequestMetaObject::with_client_context(
                    self.config.protocol_version.clone(),
                    self.config.client_info.clone(),
                    self.config.capabilities.clone(),
                );
                Ok(json!(self.service.discover(meta).await?))
            }
            "say" => {
                self.answers.set(command.clone());
                Ok(json!({}))
            }
            "asked" => Ok(self.answers.take()),
            "startTask" => self.start_task(command).await,
            "getTask" => self.task("tasks/get", command).await,
            "taskResult" => self.task("tasks/result", command).await,
            "cancelTask" => self.task("tasks/cancel", command).await,
            "updateTask" => self.task("tasks/update", command).await,
            "tasks" => self.tasks().await,
            "watchTasks" => self.watch_tasks(command).await,
            "unwatchTasks" => self.unwatch_tasks().await,
            "statuses" => Ok(json!(*self.heard.statuses.lock().expect("no holder panics"))),
            "request" => {
                let request = CustomRequest::new(text("method"), Some(command["params"].clone()));
                self.send(ClientRequest::CustomRequest(request)).await
            }
            other => Err(format!("no operation {other}").into()),
        }
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.config.protocol_version.as_str() >= "2026"
    }

    pub(crate) async fn send(&self, request: ClientRequest) -> Outcome {
        Ok(json!(self.service.send_request(request).await?))
    }

    /// All at once.
    async fn calls(&self, calls: &Value) -> Outcome {
        let mut running = Vec::new();
        for call in calls.as_array().ok_or("no calls")? {
            let call = serde_json::from_value(json!({ "name": call[0], "arguments": call[1] }))?;
            running.push(self.service.call_tool(call));
        }
        let results = join_all(running).await.into_iter();
        let answers = results.map(|result| answer(result.map(|result| json!(result)).map_err(Box::from)));
        Ok(answers.collect::<Vec<_>>().into())
    }

    /// Runs the commands while a call runs.
    async fn during(&mut self, command: &Value) -> Outcome {
        let call = serde_json::from_value(command.clone())?;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call));
        let options = PeerRequestOptions::no_options();
        let handle = self.service.send_cancellable_request(request, options).await?;
        let call = tokio::spawn(handle.await_response());
        let mut answers = Vec::new();
        for command in command["commands"].as_array().ok_or("no commands")? {
            answers.push(answer(Box::pin(self.run(command)).await));
        }
        let has_ended = call.is_finished();
        let call = answer(call.await?.map(|result| json!(result)).map_err(Box::from));
        Ok(json!({ "answers": answers, "hasEnded": has_ended, "call": call }))
    }

    async fn progress(&self, call: CallToolRequestParams) -> Outcome {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call));
        let handle = self
            .service
            .send_cancellable_request(request, PeerRequestOptions::no_options())
            .await?;
        let token = handle.progress_token.clone();
        let ServerResult::CallToolResult(result) = handle.await_response().await? else {
            return Err("not the result of a tool".into());
        };
        // Notifications are handled in tasks of their own.
        sleep(Duration::from_millis(50)).await;
        let progress = self.heard.progress.lock().expect("no holder panics");
        let seen: Vec<_> = progress
            .iter()
            .filter(|(of, _, _)| *of == token)
            .map(|(_, progress, total)| (progress, total))
            .collect();
        Ok(json!({ "result": result, "progress": seen }))
    }

    async fn cancel(&self, call: CallToolRequestParams, after_ms: u64) -> Outcome {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call));
        let handle = self
            .service
            .send_cancellable_request(request, PeerRequestOptions::no_options())
            .await?;
        sleep(Duration::from_millis(after_ms)).await;
        handle.cancel(Some("not needed any more".to_owned())).await?;
        Ok(json!("cancelled"))
    }

    /// Legacy ones come to the listener, modern ones to the subscription.
    async fn updates(&mut self, count: usize, ms: u64) -> Outcome {
        let Some(subscription) = &mut self.subscription else {
            return Ok(json!(self.heard.updates(count, ms).await));
        };
        let mut updates = self.heard.updates(0, 0).await;
        while updates.len() < count {
            match tokio::time::timeout(Duration::from_millis(ms), subscription.next()).await {
                Ok(event) => match event? {
                    Some(rmcp::model::ServerNotification::ResourceUpdatedNotification(updated)) => {
                        updates.push(updated.params.uri);
                    }
                    Some(other) => return Err(format!("not an update: {other:?}").into()),
                    None => return Err("the subscription ended".into()),
                },
                Err(_) => break,
            }
        }
        self.heard
            .updates
            .lock()
            .expect("no holder panics")
            .clone_from(&updates);
        Ok(json!(updates))
    }
}
