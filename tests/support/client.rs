//! A client engine with its application.
#![allow(missing_docs, reason = "the names say what they are")]

use core::ops::{Deref, DerefMut};
use core::time::Duration;

use barewire::bytes::{Next, Sink};
use barewire::engine::client::{
    BoundClient, ClientEngine, ClientFixed, ClientHandler, ClientOptions, ClientStorage, Counter, Incoming,
};

/// The two as one value. It dereferences to the engine.
pub struct Client<S: ClientStorage, H: ClientHandler> {
    pub engine: ClientEngine<S>,
    pub app: H,
}

impl<C, const CALLS: usize, H: ClientHandler> Client<ClientFixed<C, CALLS>, H> {
    pub const fn new(app: H) -> Self {
        Self::with(app, ClientOptions::DEFAULT)
    }

    pub const fn with(app: H, options: ClientOptions) -> Self {
        let engine = ClientEngine::with(ClientFixed::new(), options, Counter::new());
        Self { engine, app }
    }
}

impl<S: ClientStorage, H: ClientHandler> Client<S, H> {
    pub const fn bind(&mut self) -> BoundClient<'_, S, H> {
        self.engine.bind(&mut self.app)
    }

    pub fn handle_frame<'f>(
        &mut self,
        frame: &'f [u8],
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Incoming<'f, S::Context> {
        self.bind().handle_frame(frame, now, out)
    }

    pub fn receive<'f>(
        &mut self,
        next: Next<'f>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Option<Incoming<'f, S::Context>> {
        self.bind().receive(next, now, out)
    }

    pub fn expire(&mut self, now: Duration, out: &mut Sink<'_>) -> Option<Incoming<'static, S::Context>> {
        self.bind().expire(now, out)
    }
}

impl<S: ClientStorage, H: ClientHandler> Deref for Client<S, H> {
    type Target = ClientEngine<S>;

    fn deref(&self) -> &ClientEngine<S> {
        &self.engine
    }
}

impl<S: ClientStorage, H: ClientHandler> DerefMut for Client<S, H> {
    fn deref_mut(&mut self) -> &mut ClientEngine<S> {
        &mut self.engine
    }
}
