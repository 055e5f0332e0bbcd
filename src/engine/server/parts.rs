//! Which parts of the protocol a server is built with.

use crate::json::JsonStr;
use crate::mcp::{Capabilities, Method, Names};

/// The parts of the protocol that a server is built with. What is left out costs no flash; to the peer it is as if the
/// revision that it speaks had no such methods, so a server answers them with -32601.
///
/// Everything is there unless said otherwise, by a type of the application's own or by one of [`Full`], [`LegacyOnly`],
/// [`ModernOnly`] and [`ToolsOnly`]:
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
    /// The era of the handshake, up to 2025-11-25. Without it `initialize` is answered with -32022, which names the
    /// revisions that are spoken.
    const LEGACY: bool = true;
    /// 2026-07-28. Without it the metadata of that revision mean nothing.
    const MODERN: bool = true;
    /// Resources and resource templates.
    const RESOURCES: bool = true;
    /// Prompts.
    const PROMPTS: bool = true;
    /// Completion of arguments.
    const COMPLETIONS: bool = true;
    /// Log messages. Without them the level that a request asks for means nothing.
    const LOGGING: bool = true;
    /// Changes of lists and of resources that a client listens to.
    const SUBSCRIPTIONS: bool = true;
    /// Questions to the client.
    const ASKING: bool = true;
    /// Tasks.
    const TASKS: bool = true;
}

/// Everything.
#[derive(Debug, Clone, Copy)]
pub struct Full;

impl Parts for Full {}

/// Everything, for peers of the legacy era.
#[derive(Debug, Clone, Copy)]
pub struct LegacyOnly;

impl Parts for LegacyOnly {
    const MODERN: bool = false;
}

/// Everything, for peers of the modern era.
#[derive(Debug, Clone, Copy)]
pub struct ModernOnly;

impl Parts for ModernOnly {
    const LEGACY: bool = false;
}

/// Tools in both eras, and nothing else.
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

/// The requests of a client that every server knows.
const COMMON: Names<6> = Method::named([
    Method::ToolsCall,
    Method::ToolsList,
    Method::Initialize,
    Method::Ping,
    Method::ServerDiscover,
    Method::SubscriptionsListen,
]);
const RESOURCES: Names<5> = Method::named([
    Method::ResourcesRead,
    Method::ResourcesList,
    Method::ResourcesTemplatesList,
    Method::ResourcesSubscribe,
    Method::ResourcesUnsubscribe,
]);
const PROMPTS: Names<2> = Method::named([Method::PromptsGet, Method::PromptsList]);
const COMPLETIONS: Names<1> = Method::named([Method::CompletionComplete]);
const LOGGING: Names<1> = Method::named([Method::LoggingSetLevel]);
const TASKS: Names<5> = Method::named([
    Method::TasksGet,
    Method::TasksResult,
    Method::TasksCancel,
    Method::TasksList,
    Method::TasksUpdate,
]);

/// The request of that name that a client sends, if a server of these parts knows it.
pub(super) fn request_of<P: Parts>(name: JsonStr<'_>) -> Option<Method> {
    // One by one, so that the compiler sees which of the tables nobody looks at.
    let find = |has: bool, names| has.then(|| Method::among(names, name)).flatten();
    find(true, &COMMON)
        .or_else(|| find(P::RESOURCES, &RESOURCES))
        .or_else(|| find(P::PROMPTS, &PROMPTS))
        .or_else(|| find(P::COMPLETIONS, &COMPLETIONS))
        .or_else(|| find(P::LOGGING, &LOGGING))
        .or_else(|| find(P::TASKS, &TASKS))
}

/// What of `offered` a server of these parts can offer.
pub(super) fn of_parts<P: Parts>(mut offered: Capabilities) -> Capabilities {
    if !P::RESOURCES {
        offered.resources = false;
        offered.resources_list_changed = false;
    }
    if !P::PROMPTS {
        offered.prompts = false;
        offered.prompts_list_changed = false;
    }
    offered.resources_subscribe &= P::RESOURCES && P::SUBSCRIPTIONS;
    offered.completions &= P::COMPLETIONS;
    offered.tasks &= P::TASKS;
    offered.logging &= P::LOGGING;
    offered
}
