//! Profiles: the parts of the protocol that a server is built with.

use crate::json::JsonStr;
use crate::mcp::{Capabilities, Method, Part};

/// Profile of a server: the parts of the protocol that it is built with. A part that is left out costs no flash, and its methods do not
/// exist for the client: the server answers them with -32601.
///
/// Ready-made profiles are [`Full`], [`LegacyOnly`], [`ModernOnly`] and [`ToolsOnly`]. An application can define another one; each
/// constant is true by default:
///
/// ```
/// use barewire::engine::Parts;
///
/// /// Tools and resources, for legacy clients.
/// struct Lean;
///
/// impl Parts for Lean {
///     const MODERN: bool = false;
///     const PROMPTS: bool = false;
///     const COMPLETIONS: bool = false;
///     const SUBSCRIPTIONS: bool = false;
///     const ASKING: bool = false;
///     const TASKS: bool = false;
/// }
/// ```
pub trait Parts {
    /// Legacy era: revisions with a handshake, up to 2025-11-25. Without it `initialize` is answered with -32022 and the list of
    /// supported revisions.
    const LEGACY: bool = true;
    /// Modern era: 2026-07-28. Without it the metadata of that revision is ignored.
    const MODERN: bool = true;
    /// Resources and resource templates.
    const RESOURCES: bool = true;
    /// Prompts.
    const PROMPTS: bool = true;
    /// Completion of arguments.
    const COMPLETIONS: bool = true;
    /// Log messages. Without them the log level in a request is ignored.
    const LOGGING: bool = true;
    /// Subscriptions, and notifications of changed lists and resources.
    const SUBSCRIPTIONS: bool = true;
    /// Input requests: elicitation, sampling, roots.
    const ASKING: bool = true;
    /// Tasks.
    const TASKS: bool = true;
    /// Random source of task ids, for servers with several clients. The function fills the array from a cryptographic source.
    ///
    /// A task belongs to the legacy session and the [`Principal`](super::Principal) of its call; for all others it is unknown. Anonymous
    /// clients without a session cannot be told apart: they need the id, and `tasks/list` shows them nothing. Id and principal take 24
    /// bytes of the storage's `BYTES`.
    ///
    /// Without a source, task ids are numbers that anyone can compute, principals are not compared, and HTTP exchanges are offered no tasks.
    const TASK_RANDOM: Option<fn(&mut [u8; 16])> = None;
    /// Deferred calls. False if the storage has no slot for calls.
    const CALLS: bool = true;
}

/// Profile with all parts and both eras.
#[derive(Debug, Clone, Copy)]
pub struct Full;

impl Parts for Full {}

/// Profile with all parts for legacy clients.
#[derive(Debug, Clone, Copy)]
pub struct LegacyOnly;

impl Parts for LegacyOnly {
    const MODERN: bool = false;
}

/// Profile with all parts for modern clients.
#[derive(Debug, Clone, Copy)]
pub struct ModernOnly;

impl Parts for ModernOnly {
    const LEGACY: bool = false;
}

/// Profile with tools only, in both eras.
#[derive(Debug, Clone, Copy)]
pub struct ToolsOnly;

impl Parts for ToolsOnly {
    const RESOURCES: bool = false;
    const PROMPTS: bool = false;
    const COMPLETIONS: bool = false;
    const LOGGING: bool = false;
    const SUBSCRIPTIONS: bool = false;
    const ASKING: bool = false;
    const TASKS: bool = false;
}

/// Whether a server of this profile has `part`.
const fn has<P: Parts>(part: Part) -> bool {
    match part {
        Part::Core | Part::Progress => true,
        Part::Resources => P::RESOURCES,
        Part::Prompts => P::PROMPTS,
        Part::Completions => P::COMPLETIONS,
        Part::Logging => P::LOGGING,
        Part::Subscriptions => P::SUBSCRIPTIONS,
        Part::Asking => P::ASKING,
        Part::Tasks => P::TASKS,
    }
}

/// Method of a client's request, by name, if the profile has it.
pub(super) fn request_of<P: Parts>(name: JsonStr<'_>) -> Option<Method> {
    Method::of_client_request(name, has::<P>)
}

/// Capabilities that a server of this profile cannot have.
pub(super) const fn left_out<P: Parts>() -> Capabilities {
    use Capabilities as C;
    let mut left_out = C::NONE;
    left_out.set(C::RESOURCES.with(C::RESOURCES_LIST_CHANGED), !P::RESOURCES);
    left_out.set(C::RESOURCES_SUBSCRIBE, !(P::RESOURCES && P::SUBSCRIPTIONS));
    left_out.set(C::PROMPTS.with(C::PROMPTS_LIST_CHANGED), !P::PROMPTS);
    left_out.set(C::COMPLETIONS, !P::COMPLETIONS);
    left_out.set(C::LOGGING, !P::LOGGING);
    left_out.set(C::TASKS, !P::TASKS);
    left_out
}
