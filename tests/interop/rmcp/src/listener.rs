//! What the client hears without asking.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::ClientHandler;
use rmcp::RoleClient;
use rmcp::model::{ClientConfig, ProgressNotificationParam, ProgressToken, ResourceUpdatedNotificationParam};
use rmcp::service::NotificationContext;
use tokio::time::{Instant, sleep};

/// The notifications so far.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) updates: Mutex<Vec<String>>,
    pub(crate) progress: Mutex<Vec<(ProgressToken, f64, Option<f64>)>>,
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

    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }
}
