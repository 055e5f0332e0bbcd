//! What the client hears and is asked.
#![expect(deprecated, reason = "what 2026-07-28 deprecated is still to be answered")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    ClientConfig, CreateMessageRequestParams, CreateMessageResult, CustomNotification, ElicitRequestParams,
    ElicitResult, ListRootsResult, ProgressNotificationParam, ProgressToken,
    ResourceUpdatedNotificationParam, TaskStatusNotificationParams,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::answers::Answers;

/// The notifications so far.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) updates: Mutex<Vec<String>>,
    pub(crate) progress: Mutex<Vec<(ProgressToken, f64, Option<f64>)>>,
    pub(crate) statuses: Mutex<Vec<Value>>,
}

impl Heard {
    /// The URIs of changed resources, once there are `count` or `ms` milliseconds have passed.
    pub(crate) async fn updates(&self, count: usize, ms: u64) -> Vec<String> {
        let end = Instant::now() + Duration::from_millis(ms);
        loop {
            let so_far = self.updates.lock().expect("no holder panics").clone();
            if so_far.len() >= count || Instant::now() >= end {
                return so_far;
            }
            sleep(Duration::from_millis(5)).await;
        }
    }
}

pub(crate) struct Listener {
    pub(crate) config: ClientConfig,
    pub(crate) heard: Arc<Heard>,
    pub(crate) answers: Arc<Answers>,
}

impl ClientHandler for Listener {
    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let mut progress = self.heard.progress.lock().expect("no holder panics");
        progress.push((params.progress_token, params.progress, params.total));
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.heard
            .updates
            .lock()
            .expect("no holder panics")
            .push(params.uri);
    }

    async fn on_task_status(&self, params: TaskStatusNotificationParams, _: NotificationContext<RoleClient>) {
        let task = json!(params.task);
        let mut statuses = self.heard.statuses.lock().expect("no holder panics");
        statuses.push(json!([task["taskId"], task["status"]]));
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleClient>,
    ) {
        if notification.method == "notifications/tasks/status" {
            let params = notification.params.unwrap_or_default();
            let mut statuses = self.heard.statuses.lock().expect("no holder panics");
            statuses.push(json!([params["taskId"], params["status"]]));
        }
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.answers.elicitation(json!(request)).await
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.answers.sampling(json!(params))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.answers.roots()
    }

    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }
}
