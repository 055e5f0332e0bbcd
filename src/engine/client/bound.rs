//! A client engine together with its application.

use core::ops::{Deref, DerefMut};

use super::engine::ClientEngine;
use super::handler::ClientHandler;
use super::storage::ClientStorage;

/// Client engine that can call the application `H`: it sends requests and receives frames.
///
/// Made by [`ClientEngine::bind`], for one call or for many. It dereferences to the engine.
pub struct BoundClient<'a, S: ClientStorage, H: ClientHandler + ?Sized> {
    pub(super) engine: &'a mut ClientEngine<S>,
    pub(super) app: &'a mut H,
}

impl<S: ClientStorage> ClientEngine<S> {
    /// Lends the engine its application. Pass the same one each time: the server is told its capabilities once, in a legacy
    /// session.
    pub const fn bind<'a, H: ClientHandler + ?Sized>(&'a mut self, app: &'a mut H) -> BoundClient<'a, S, H> {
        BoundClient { engine: self, app }
    }
}

impl<S: ClientStorage, H: ClientHandler + ?Sized> BoundClient<'_, S, H> {
    /// The application.
    pub const fn app(&mut self) -> &mut H {
        self.app
    }
}

impl<S: ClientStorage, H: ClientHandler + ?Sized> Deref for BoundClient<'_, S, H> {
    type Target = ClientEngine<S>;

    fn deref(&self) -> &ClientEngine<S> {
        self.engine
    }
}

impl<S: ClientStorage, H: ClientHandler + ?Sized> DerefMut for BoundClient<'_, S, H> {
    fn deref_mut(&mut self) -> &mut ClientEngine<S> {
        self.engine
    }
}
