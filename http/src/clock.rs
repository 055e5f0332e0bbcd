//! The task that does what is due at some time.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use tokio::runtime::Handle;
use tokio::time::timeout_at;

use crate::hub::{Clock, Hub};

/// Starts the task unless it runs. It ends with the hub, or with its runtime.
pub(crate) fn start(hub: &Arc<Hub>) {
    if hub.clock.is_running.load(Ordering::Relaxed) {
        return;
    }
    if let Ok(runtime) = Handle::try_current()
        && !hub.clock.is_running.swap(true, Ordering::SeqCst)
    {
        let running = Running(Arc::clone(&hub.clock));
        runtime.spawn(run(Arc::downgrade(hub), running));
    }
}

/// The running task. If it is dropped, another one may start.
struct Running(Arc<Clock>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.is_running.store(false, Ordering::SeqCst);
    }
}

async fn run(hub: Weak<Hub>, running: Running) {
    loop {
        let Some(next) = hub.upgrade().map(|hub| hub.tick()) else {
            return;
        };
        let changed = running.0.changed.notified();
        match next {
            Some(next) => drop(timeout_at(next, changed).await),
            None => changed.await,
        }
    }
}
