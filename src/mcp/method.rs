//! The methods and notifications of all revisions, as one table.

use super::{Era, ProtocolVersion, Versions};
use crate::json::JsonStr;

/// A method or a notification of MCP.
///
/// ```
/// use barewire::mcp::{Method, ProtocolVersion, Sender};
///
/// assert_eq!(Method::ToolsCall.name(), "tools/call");
/// assert_eq!(Method::RootsList.sender(), Sender::Server);
/// assert!(!Method::Initialize.is_in(ProtocolVersion::V2026_07_28));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs, reason = "each is its name on the wire")]
#[non_exhaustive]
pub enum Method {
    Initialize,
    Ping,
    ServerDiscover,
    ToolsList,
    ToolsCall,
    ResourcesList,
    ResourcesTemplatesList,
    ResourcesRead,
    ResourcesSubscribe,
    ResourcesUnsubscribe,
    SubscriptionsListen,
    PromptsList,
    PromptsGet,
    CompletionComplete,
    LoggingSetLevel,
    RootsList,
    SamplingCreateMessage,
    ElicitationCreate,
    TasksGet,
    TasksResult,
    TasksCancel,
    TasksList,
    TasksUpdate,
    Initialized,
    Cancelled,
    Progress,
    LogMessage,
    ToolsListChanged,
    PromptsListChanged,
    ResourcesListChanged,
    ResourcesUpdated,
    RootsListChanged,
    ElicitationComplete,
    TasksStatus,
    Tasks,
    SubscriptionsAcknowledged,
}

/// Who sends a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Sender {
    /// The client, to the server.
    Client,
    /// The server, to the client.
    Server,
    /// Either.
    Both,
}

/// What a method is about: the chapters of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs, reason = "the names are the chapters'")]
#[non_exhaustive]
pub enum Chapter {
    Lifecycle,
    Utilities,
    Tools,
    Resources,
    Prompts,
    Completion,
    Logging,
    Subscriptions,
    Roots,
    Sampling,
    Elicitation,
    Tasks,
}

struct Row {
    method: Method,
    name: &'static str,
    sender: Sender,
    versions: Versions,
    chapter: Chapter,
}

const fn row(
    method: Method,
    name: &'static str,
    sender: Sender,
    versions: Versions,
    chapter: Chapter,
) -> Row {
    Row {
        method,
        name,
        sender,
        versions,
        chapter,
    }
}

/// In the order of the enum, so that a method is the index of its row.
#[rustfmt::skip]
const TABLE: [Row; 36] = {
    use Chapter as C;
    use Method as M;
    use Sender::{Both, Client, Server};
    use Versions as V;
    [
        row(M::Initialize, "initialize", Client, V::LEGACY, C::Lifecycle),
        row(M::Ping, "ping", Both, V::LEGACY, C::Utilities),
        row(M::ServerDiscover, "server/discover", Client, V::MODERN, C::Lifecycle),
        row(M::ToolsList, "tools/list", Client, V::ALL, C::Tools),
        row(M::ToolsCall, "tools/call", Client, V::ALL, C::Tools),
        row(M::ResourcesList, "resources/list", Client, V::ALL, C::Resources),
        row(M::ResourcesTemplatesList, "resources/templates/list", Client, V::ALL, C::Resources),
        row(M::ResourcesRead, "resources/read", Client, V::ALL, C::Resources),
        row(M::ResourcesSubscribe, "resources/subscribe", Client, V::LEGACY, C::Resources),
        row(M::ResourcesUnsubscribe, "resources/unsubscribe", Client, V::LEGACY, C::Resources),
        row(M::SubscriptionsListen, "subscriptions/listen", Client, V::MODERN, C::Subscriptions),
        row(M::PromptsList, "prompts/list", Client, V::ALL, C::Prompts),
        row(M::PromptsGet, "prompts/get", Client, V::ALL, C::Prompts),
        row(M::CompletionComplete, "completion/complete", Client, V::ALL, C::Completion),
        row(M::LoggingSetLevel, "logging/setLevel", Client, V::LEGACY, C::Logging),
        row(M::RootsList, "roots/list", Server, V::LEGACY, C::Roots),
        row(M::SamplingCreateMessage, "sampling/createMessage", Server, V::LEGACY, C::Sampling),
        row(M::ElicitationCreate, "elicitation/create", Server, V::LEGACY_SINCE_2025_06_18, C::Elicitation),
        row(M::TasksGet, "tasks/get", Both, V::SINCE_2025_11_25, C::Tasks),
        row(M::TasksResult, "tasks/result", Both, V::ONLY_2025_11_25, C::Tasks),
        row(M::TasksCancel, "tasks/cancel", Both, V::SINCE_2025_11_25, C::Tasks),
        row(M::TasksList, "tasks/list", Both, V::ONLY_2025_11_25, C::Tasks),
        row(M::TasksUpdate, "tasks/update", Client, V::MODERN, C::Tasks),
        row(M::Initialized, "notifications/initialized", Client, V::LEGACY, C::Lifecycle),
        row(M::Cancelled, "notifications/cancelled", Both, V::ALL, C::Utilities),
        row(M::Progress, "notifications/progress", Both, V::ALL, C::Utilities),
        row(M::LogMessage, "notifications/message", Server, V::ALL, C::Logging),
        row(M::ToolsListChanged, "notifications/tools/list_changed", Server, V::ALL, C::Tools),
        row(M::PromptsListChanged, "notifications/prompts/list_changed", Server, V::ALL, C::Prompts),
        row(M::ResourcesListChanged, "notifications/resources/list_changed", Server, V::ALL, C::Resources),
        row(M::ResourcesUpdated, "notifications/resources/updated", Server, V::ALL, C::Resources),
        row(M::RootsListChanged, "notifications/roots/list_changed", Client, V::LEGACY, C::Roots),
        row(M::ElicitationComplete, "notifications/elicitation/complete", Server, V::ONLY_2025_11_25, C::Elicitation),
        row(M::TasksStatus, "notifications/tasks/status", Both, V::ONLY_2025_11_25, C::Tasks),
        row(M::Tasks, "notifications/tasks", Server, V::MODERN, C::Tasks),
        row(M::SubscriptionsAcknowledged, "notifications/subscriptions/acknowledged", Server, V::MODERN, C::Subscriptions),
    ]
};

/// What there is to know of a method besides its name. By itself, so that a program which looks up few names carries few.
#[derive(Clone, Copy)]
struct Kind {
    sender: Sender,
    versions: Versions,
    chapter: Chapter,
}

#[allow(clippy::indexing_slicing, reason = "the compiler runs it; `get` is not const")]
const KINDS: [Kind; TABLE.len()] = {
    let mut kinds = [TABLE[0].kind(); TABLE.len()];
    let mut at = 1;
    while at < TABLE.len() {
        kinds[at] = TABLE[at].kind();
        at = at.saturating_add(1);
    }
    kinds
};

impl Row {
    const fn kind(&self) -> Kind {
        Kind {
            sender: self.sender,
            versions: self.versions,
            chapter: self.chapter,
        }
    }
}

/// Some methods and their names.
pub(crate) type Names<const N: usize> = [(&'static str, Method); N];

impl Method {
    /// The method of that name, compared after unescaping; case-sensitive.
    ///
    /// ```
    /// use barewire::json::JsonStr;
    /// use barewire::mcp::{Chapter, Method};
    ///
    /// let method = JsonStr::from_escaped(r"tools\/call").and_then(Method::from_name);
    /// assert_eq!(method, Some(Method::ToolsCall));
    /// assert_eq!(method.map(Method::chapter), Some(Chapter::Tools));
    /// ```
    pub fn from_name(name: JsonStr<'_>) -> Option<Self> {
        TABLE.iter().find(|row| name == *row.name).map(|row| row.method)
    }

    /// These methods, by their names: for a `const`, so that a program has the names in it that it looks for, and no others.
    #[allow(clippy::indexing_slicing, reason = "the compiler runs it; `get` is not const")]
    pub(crate) const fn named<const N: usize>(methods: [Self; N]) -> Names<N> {
        let mut names = [("", Self::Ping); N];
        let mut at = 0;
        while at < N {
            names[at] = (TABLE[methods[at] as usize].name, methods[at]);
            at = at.saturating_add(1);
        }
        names
    }

    /// The method of that name, if it is one of these.
    pub(crate) fn among(names: &[(&str, Self)], name: JsonStr<'_>) -> Option<Self> {
        let found = names.iter().find(|(known, _)| name == **known);
        found.map(|(_, method)| *method)
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.method)
    }

    fn kind(self) -> Option<&'static Kind> {
        KINDS.get(self as usize)
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        TABLE.get(self as usize).map_or("", |row| row.name)
    }

    /// Whether it is a notification.
    pub const fn is_notification(self) -> bool {
        self as u8 >= Self::Initialized as u8
    }

    /// Who sends it, in any revision.
    pub fn sender(self) -> Sender {
        self.kind().map_or(Sender::Both, |kind| kind.sender)
    }

    /// Who sends it in this revision: in the modern era a server makes no requests, and so a client reports no progress
    /// (2026-07-28, message patterns).
    ///
    /// ```
    /// use barewire::mcp::{Method, ProtocolVersion, Sender};
    ///
    /// assert_eq!(Method::Progress.sender_in(ProtocolVersion::V2025_11_25), Sender::Both);
    /// assert_eq!(Method::Progress.sender_in(ProtocolVersion::V2026_07_28), Sender::Server);
    /// ```
    pub fn sender_in(self, version: ProtocolVersion) -> Sender {
        match (self.sender(), version.era(), self) {
            (Sender::Both, Era::Modern, Self::Progress) => Sender::Server,
            (Sender::Both, Era::Modern, _) if !self.is_notification() => Sender::Client,
            (sender, ..) => sender,
        }
    }

    /// Whether `version` has it as a message of its own.
    pub fn is_in(self, version: ProtocolVersion) -> bool {
        self.kind().is_some_and(|kind| kind.versions.contains(version))
    }

    /// What it is about.
    pub fn chapter(self) -> Chapter {
        self.kind().map_or(Chapter::Utilities, |kind| kind.chapter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a revision differs from the others in who sends what.
    #[test]
    fn a_modern_server_makes_no_requests_and_a_modern_client_no_progress() {
        for method in Method::all() {
            let modern = match method {
                Method::Ping
                | Method::TasksGet
                | Method::TasksResult
                | Method::TasksCancel
                | Method::TasksList => Sender::Client,
                Method::Progress => Sender::Server,
                _ => method.sender(),
            };
            assert_eq!(
                method.sender_in(ProtocolVersion::V2026_07_28),
                modern,
                "{}",
                method.name()
            );
            for version in ProtocolVersion::ALL
                .into_iter()
                .filter(|version| version.era() == Era::Legacy)
            {
                assert_eq!(method.sender_in(version), method.sender(), "{}", method.name());
            }
        }
    }

    #[test]
    fn a_method_is_the_index_of_its_row() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.method as usize, index, "{}", row.name);
            assert_eq!(row.method.name(), row.name);
            assert_eq!(
                row.method.is_notification(),
                row.name.starts_with("notifications/"),
                "{}",
                row.name
            );
            assert_eq!(
                JsonStr::from_escaped(row.name).and_then(Method::from_name),
                Some(row.method)
            );
        }
    }
}
