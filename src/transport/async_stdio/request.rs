//! A request that runs or waits for the application.

use std::vec::Vec;

use tokio::sync::RwLock;

use super::desk::CallDesk;
use super::hub::{Hub, Work};
use crate::engine::{AsyncHandler, CallError, Peer, Shared, Storage, ToolMode};

/// Runs a request: a tool with `&self` beside others, everything else alone, in the order in which they came.
pub(super) async fn run<A: AsyncHandler, S: Storage + Send>(
    app: &RwLock<A>,
    hub: &Shared<Hub<S, A>>,
    work: Work,
    mut frame: Vec<u8>,
) {
    let Work { token, started } = work;
    let Some(mut started) = started.filter(|started| A::mode(started.tool()) != ToolMode::Sync) else {
        let mut app = app.write().await;
        hub.with(|hub| hub.serve(&frame, &mut *app));
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
