//! A request that runs or waits for the application.

use std::sync::Arc;
use std::vec::Vec;

use tokio::sync::RwLock;
use tokio::task::spawn_blocking;

use super::desk::CallDesk;
use super::hub::{Hub, Work};
use crate::engine::{AsyncHandler, CallError, Peer, Shared, Storage, ToolMode};

/// Runs a request: a tool with `&self` beside others, everything else alone, in the order in which they came.
pub(super) async fn run<A: AsyncHandler + Send + Sync + 'static, S: Storage<Parts: 'static> + Send>(
    app: &Arc<RwLock<A>>,
    hub: &Shared<Hub<S, A>>,
    work: Work,
    mut frame: Vec<u8>,
) {
    let Work { token, may_be_task, started } = work;
    let Some(mut started) = started.filter(|started| A::mode(started.tool()) != ToolMode::Sync) else {
        let mut app = Arc::clone(app).write_owned().await;
        if may_be_task {
            hub.with(|hub| hub.serve(&frame, &mut *app));
            return;
        }
        let Some(mut aside) = hub.with(Hub::aside) else {
            return;
        };
        let served = spawn_blocking(move || {
            aside.serve(&frame, &mut *app);
            (aside, frame, app)
        });
        match served.await {
            // The application is free once the answer is written.
            Ok((mut aside, frame, _app)) => hub.with(|hub| hub.rejoin(token, &mut aside, &frame)),
            Err(_) => hub.with(|hub| hub.fail(token, CallError::Internal)),
        };
        return;
    };
    if !started.decode_state(&mut frame) {
        hub.with(|hub| hub.fail(token, CallError::InvalidParams));
        return;
    }
    let desk = Shared::new(CallDesk { hub, token });
    let peer = Peer::new(&desk, &started, &frame);
    if A::mode(started.tool()) == ToolMode::Shared {
        let app = app.read().await;
        let answer = app.call_shared(started.call(&frame), &peer).await;
        hub.with(|hub| hub.complete(token, answer));
    } else {
        let mut app = app.write().await;
        let answer = app.call_async(started.call(&frame), &peer).await;
        hub.with(|hub| hub.complete(token, answer));
    }
}
