//! Requests that run or wait for the application.

use core::panic::AssertUnwindSafe;
use core::pin::Pin;
use core::task::{Context, Poll};
use std::boxed::Box;
use std::panic::catch_unwind;
use std::vec::Vec;

use tokio::sync::RwLock;

use super::desk::CallDesk;
use super::hub::{Hub, Work};
use crate::engine::{AsyncHandler, CallError, CallToken, Peer, Shared, Storage, ToolMode};

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

/// Futures of requests, in the order in which they came.
pub(super) struct Running<F>(Vec<(CallToken, Pin<Box<F>>)>);

impl<F: Future<Output = ()>> Running<F> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, token: CallToken, future: F) {
        self.0.push((token, Box::pin(future)));
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Polls all of them, and drops those that are done. `failed` gets those that have panicked.
    pub(super) fn poll(&mut self, context: &mut Context<'_>, mut failed: impl FnMut(CallToken)) {
        self.0.retain_mut(|(token, future)| {
            let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)));
            if polled.is_err() {
                failed(*token);
            }
            matches!(polled, Ok(Poll::Pending))
        });
    }

    /// Drops those that are not wanted any more.
    pub(super) fn retain(&mut self, mut is_wanted: impl FnMut(CallToken) -> bool) {
        self.0.retain(|(token, _)| is_wanted(*token));
    }

    /// Drops all of them.
    pub(super) fn take(&mut self) -> Vec<CallToken> {
        self.0.drain(..).map(|(token, _)| token).collect()
    }
}
