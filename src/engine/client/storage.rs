//! Memory of a client engine.

use core::marker::PhantomData;

use heapless::Vec;

use super::ids::{Counter, IdSource};
use super::parts::ClientParts;
use super::pending::{Entry, Pending};
use crate::engine::Full;

/// Memory of a [`ClientEngine`](super::ClientEngine), and the types that it is built with. [`ClientFixed`] implements it.
pub trait ClientStorage {
    /// Context that the caller attaches to each request.
    type Context;
    /// Source of the request ids.
    type Ids: IdSource;
    /// Parts of the protocol that are linked.
    type Parts: ClientParts;

    /// The requests in flight.
    #[doc(hidden)]
    fn pending(&self) -> &Pending<Self::Context, IdOf<Self>>;

    /// The requests in flight.
    #[doc(hidden)]
    fn pending_mut(&mut self) -> &mut Pending<Self::Context, IdOf<Self>>;
}

/// Kept form of an id.
pub(super) type IdOf<S> = <<S as ClientStorage>::Ids as IdSource>::Id;

/// Storage of fixed size for a client with `CALLS` requests in flight, each with a context `C`. The ids come from `I`; `P`
/// is the set of [parts](ClientParts) that are linked.
///
/// ```
/// use barewire::engine::ToolsOnly;
/// use barewire::engine::client::{ClientEngine, ClientFixed, ClientOptions, Counter};
///
/// type Storage = ClientFixed<u8, 2, Counter, ToolsOnly>;
///
/// static CLIENT: std::sync::Mutex<ClientEngine<Storage>> =
///     std::sync::Mutex::new(ClientEngine::with(Storage::new(), ClientOptions::DEFAULT, Counter::new()));
/// ```
#[derive(Debug)]
pub struct ClientFixed<C = (), const CALLS: usize = 4, I: IdSource = Counter, P: ClientParts = Full> {
    pending: Vec<Entry<C, I::Id>, CALLS>,
    parts: PhantomData<fn() -> P>,
}

impl<C, const CALLS: usize, I: IdSource, P: ClientParts> ClientFixed<C, CALLS, I, P> {
    /// Empty storage. `const`, so that it can live in a `static`.
    pub const fn new() -> Self {
        Self { pending: Vec::new(), parts: PhantomData }
    }
}

impl<C, const CALLS: usize, I: IdSource, P: ClientParts> Default for ClientFixed<C, CALLS, I, P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C, const CALLS: usize, I: IdSource, P: ClientParts> ClientStorage for ClientFixed<C, CALLS, I, P> {
    type Context = C;
    type Ids = I;
    type Parts = P;

    fn pending(&self) -> &Pending<C, I::Id> {
        &self.pending
    }

    fn pending_mut(&mut self) -> &mut Pending<C, I::Id> {
        &mut self.pending
    }
}
