//! Parts of the protocol that a client is built with.

use crate::engine::{Full, LegacyOnly, ModernOnly, ToolsOnly};
use crate::json::JsonStr;
use crate::mcp::{ClientCapabilities, Era, Method, Part, ProtocolVersion};

/// Parts of the protocol that a client is built with. An omitted part costs no flash; the client behaves as if the revision
/// had no such messages:
///
/// - A notification of the part is [`Incoming::Notification`](super::Incoming::Notification), a request is answered with
///   -32601, a `resultType` is unknown ([`ResponseFault::ResultType`](super::ResponseFault::ResultType)).
/// - A method of the client that needs the part returns
///   [`RequestError::NotInRevision`](super::RequestError::NotInRevision).
/// - Capabilities of the part that the application declares are not sent.
///
/// By default everything is included. Implement this trait for a type of your own, or use one of [`Full`], [`LegacyOnly`],
/// [`ModernOnly`] and [`ToolsOnly`], which mean the same for a client as for a server. A client with neither era cannot
/// connect.
///
/// ```
/// use barewire::engine::client::{ClientEngine, ClientFixed, ClientOptions, ClientParts, Counter};
///
/// /// Tool calls with progress, to a modern server.
/// struct Lean;
///
/// impl ClientParts for Lean {
///     const LEGACY: bool = false;
///     const ASKING: bool = false;
///     const LOGGING: bool = false;
///     const SUBSCRIPTIONS: bool = false;
///     const TASKS: bool = false;
/// }
///
/// let storage = ClientFixed::<(), 4, Counter, Lean>::new();
/// let client = ClientEngine::with(storage, ClientOptions::DEFAULT, Counter::new());
/// assert_eq!(client.version(), None);
/// ```
pub trait ClientParts {
    /// The legacy era, up to 2025-11-25, with the batches of 2025-03-26. Without it any server but one of 2026-07-28 is
    /// [`Incoming::Incompatible`](super::Incoming::Incompatible).
    const LEGACY: bool = true;
    /// The modern era, 2026-07-28. Without it [`connect`](super::BoundClient::connect) starts with `initialize`.
    const MODERN: bool = true;
    /// Requests of the server except `ping`, and input requests. Without this part the handler only provides the identity of
    /// the client.
    const ASKING: bool = true;
    /// Progress. Without this part [`with_progress`](super::RequestOptions::with_progress) and
    /// [`extended_by_progress`](super::RequestOptions::extended_by_progress) have no effect.
    const PROGRESS: bool = true;
    /// Log messages. Without this part [`with_log_level`](super::RequestOptions::with_log_level) has no effect.
    const LOGGING: bool = true;
    /// Changes of lists and of resources.
    const SUBSCRIPTIONS: bool = true;
    /// Calls that the server runs as tasks. (Tasks that it requests from the client are requests: `ASKING`.)
    const TASKS: bool = true;
}

impl ClientParts for Full {}

impl ClientParts for LegacyOnly {
    const MODERN: bool = false;
}

impl ClientParts for ModernOnly {
    const LEGACY: bool = false;
}

impl ClientParts for ToolsOnly {
    const ASKING: bool = false;
    const PROGRESS: bool = false;
    const LOGGING: bool = false;
    const SUBSCRIPTIONS: bool = false;
    const TASKS: bool = false;
}

/// Whether a client of these parts is built with `part`.
const fn has<P: ClientParts>(part: Part) -> bool {
    match part {
        Part::Core | Part::Resources | Part::Prompts | Part::Completions => true,
        Part::Logging => P::LOGGING,
        Part::Progress => P::PROGRESS,
        Part::Subscriptions => P::SUBSCRIPTIONS,
        Part::Asking => P::ASKING,
        Part::Tasks => P::TASKS,
    }
}

/// The notification of that name, if a client of these parts handles it.
pub(super) fn known_notification<P: ClientParts>(name: JsonStr<'_>) -> Option<Method> {
    Method::of_server_notification(name, |part| match part {
        // Cancellations of requests, of subscriptions.
        Part::Core => P::ASKING && P::LEGACY || P::SUBSCRIPTIONS && P::MODERN,
        Part::Asking | Part::Tasks => false,
        part => has::<P>(part),
    })
}

/// Whether a client of these parts sends `method`, in a revision that has it.
pub(super) fn sends<P: ClientParts>(method: Method) -> bool {
    // Progress of the client itself is part of every client.
    method == Method::Progress || has::<P>(method.part())
}

/// Whether a revision is modern, for a client of these parts.
pub(super) fn is_modern<P: ClientParts>(version: ProtocolVersion) -> bool {
    P::MODERN && (!P::LEGACY || version.era() == Era::Modern)
}

/// The capabilities of `offered` that a client of these parts can have.
pub(super) const fn of_parts<P: ClientParts>(offered: ClientCapabilities) -> ClientCapabilities {
    const EXTENSION: ClientCapabilities = ClientCapabilities::TASKS_EXTENSION;
    let asked = match P::ASKING {
        true => offered,
        false => ClientCapabilities::NONE,
    };
    match P::TASKS && offered.has(EXTENSION) {
        true => asked.with(EXTENSION),
        false => asked.without(EXTENSION),
    }
}
