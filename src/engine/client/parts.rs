//! Which parts of the protocol a client is built with.

use crate::engine::{Full, LegacyOnly, ModernOnly, ToolsOnly};
use crate::json::JsonStr;
use crate::mcp::{ClientCapabilities, Era, Method, Part, ProtocolVersion};

/// The parts of the protocol that a client is built with. What is left out costs no flash; it is as if the revision that is
/// spoken had no such messages:
///
/// - A notification of such a part is [`Incoming::Notification`](super::Incoming::Notification), a request is answered with
///   -32601, a `resultType` is not known ([`Fault::ResultType`](super::Fault::ResultType)).
/// - A method of the client's that needs it is [`RequestError::NotInRevision`](super::RequestError::NotInRevision).
/// - What the handler declares of it is not told to the server.
///
/// Everything is there unless said otherwise, by a type of the application's own or by one of [`Full`], [`LegacyOnly`],
/// [`ModernOnly`] and [`ToolsOnly`], which say the same of a client as of a server. With neither era a client cannot
/// connect.
///
/// ```
/// use barewire::engine::client::{Client, ClientParts, Counter, Options, Plain};
/// use barewire::mcp::Implementation;
///
/// /// Calls of tools, and how far they are, from a modern server.
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
/// let host = Plain(Implementation::new("probe", "1.0"));
/// let client: Client<Plain, (), 4, Counter, Lean> = Client::with_parts(host, Options::DEFAULT, Counter::new());
/// assert_eq!(client.version(), None);
/// ```
pub trait ClientParts {
    /// The era of the handshake, up to 2025-11-25, with the batches of 2025-03-26. Without it there is nothing to fall back
    /// to: all but a server of 2026-07-28 is [`Incoming::Incompatible`](super::Incoming::Incompatible).
    const LEGACY: bool = true;
    /// 2026-07-28. Without it [`connect`](super::Client::connect) starts with `initialize`.
    const MODERN: bool = true;
    /// Questions of the server: its requests but `ping`, and what it wants to know before it gives a result. Without them
    /// the handler only says who the client is.
    const ASKING: bool = true;
    /// How far a request is. Without it [`Ask::with_progress`](super::Ask::with_progress) and
    /// [`Ask::extended_by_progress`](super::Ask::extended_by_progress) mean nothing.
    const PROGRESS: bool = true;
    /// Log messages. Without them [`Ask::with_log_level`](super::Ask::with_log_level) means nothing.
    const LOGGING: bool = true;
    /// Changes of lists and of resources.
    const SUBSCRIPTIONS: bool = true;
    /// Tasks that the server makes of calls. (Those that it asks for are requests: `ASKING`.)
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

/// The notification of that name that a server sends, if a client of these parts does not just hand it on.
pub(super) fn heard<P: ClientParts>(name: JsonStr<'_>) -> Option<Method> {
    Method::of_server_notification(name, |part| match part {
        // Cancellations of requests, of subscriptions.
        Part::Core => P::ASKING && P::LEGACY || P::SUBSCRIPTIONS && P::MODERN,
        Part::Asking | Part::Tasks => false,
        part => has::<P>(part),
    })
}

/// Whether a client of these parts sends `method`, in a revision that has it.
pub(super) fn sends<P: ClientParts>(method: Method) -> bool {
    // The client's own progress needs nothing that could be left out.
    method == Method::Progress || has::<P>(method.part())
}

/// Whether a revision that a client of these parts speaks is of the modern era.
pub(super) fn is_modern<P: ClientParts>(version: ProtocolVersion) -> bool {
    P::MODERN && (!P::LEGACY || version.era() == Era::Modern)
}

/// What of `offered` a client of these parts can offer.
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
