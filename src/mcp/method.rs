//! The methods of all revisions, one row each.

use super::{Capabilities, ClientCapabilities, Era, ProtocolVersion, Versions};
use crate::json::JsonStr;

/// The sender of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Both the client and the server.
    Both,
}

/// The chapters of the specification that define methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs, reason = "the names are those of the chapters")]
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

/// The parts of the protocol that a profile can leave out, and the core that it cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Lifecycle, utilities and tools: part of every profile.
    Core,
    Resources,
    Prompts,
    Completions,
    Logging,
    Progress,
    /// Changes of lists and of resources.
    Subscriptions,
    /// Input requests: elicitation, sampling and roots.
    Asking,
    Tasks,
}

/// The two kinds of messages that have a method.
#[derive(Clone, Copy)]
enum MessageKind {
    Request,
    Notification,
}

/// All facts about a method.
struct Row {
    method: Method,
    name: &'static str,
    kind: MessageKind,
    sender: Sender,
    versions: Versions,
    chapter: Chapter,
    part: Part,
    /// The capabilities that the method needs: all of the server's, and at least one of the client's.
    needs: (Capabilities, ClientCapabilities),
}

macro_rules! needs {
    (Server($($capability:ident),*)) => {
        (Capabilities::NONE$(.with(Capabilities::$capability))*, ClientCapabilities::NONE)
    };
    (Client($($capability:ident),*)) => {
        (Capabilities::NONE, ClientCapabilities::NONE$(.with(ClientCapabilities::$capability))*)
    };
}

/// Makes the type [`Method`] and the table out of one row for each method. Names are looked up in this order: the most frequent come first.
macro_rules! methods {
    ($(#[$attribute:meta])* $(
        $method:ident: $name:literal, $kind:ident, $sender:ident, $versions:ident, $chapter:ident, $part:ident,
        $needs:ident($($capability:ident),*);
    )*) => {
        $(#[$attribute])*
        pub enum Method {
            $($method,)*
        }

        const TABLE: &[Row] = &[$(Row {
            method: Method::$method,
            name: $name,
            kind: MessageKind::$kind,
            sender: Sender::$sender,
            versions: Versions::$versions,
            chapter: Chapter::$chapter,
            part: Part::$part,
            needs: needs!($needs($($capability),*)),
        },)*];
    };
}

methods! {
    /// A method of MCP, of a request or of a notification.
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
    #[allow(missing_docs, reason = "the names are those on the wire")]
    #[non_exhaustive]
    ToolsCall:                 "tools/call",                               Request,      Client, ALL,                     Tools,         Core,          Server(TOOLS);
    ToolsList:                 "tools/list",                               Request,      Client, ALL,                     Tools,         Core,          Server(TOOLS);
    Ping:                      "ping",                                     Request,      Both,   LEGACY,                  Utilities,     Core,          Server();
    Initialize:                "initialize",                               Request,      Client, LEGACY,                  Lifecycle,     Core,          Server();
    ServerDiscover:            "server/discover",                          Request,      Client, MODERN,                  Lifecycle,     Core,          Server();
    ResourcesList:             "resources/list",                           Request,      Client, ALL,                     Resources,     Resources,     Server(RESOURCES);
    ResourcesTemplatesList:    "resources/templates/list",                 Request,      Client, ALL,                     Resources,     Resources,     Server(RESOURCES);
    ResourcesRead:             "resources/read",                           Request,      Client, ALL,                     Resources,     Resources,     Server(RESOURCES);
    ResourcesSubscribe:        "resources/subscribe",                      Request,      Client, LEGACY,                  Resources,     Subscriptions, Server(RESOURCES, RESOURCES_SUBSCRIBE);
    ResourcesUnsubscribe:      "resources/unsubscribe",                    Request,      Client, LEGACY,                  Resources,     Subscriptions, Server(RESOURCES, RESOURCES_SUBSCRIBE);
    SubscriptionsListen:       "subscriptions/listen",                     Request,      Client, MODERN,                  Subscriptions, Subscriptions, Server();
    PromptsList:               "prompts/list",                             Request,      Client, ALL,                     Prompts,       Prompts,       Server(PROMPTS);
    PromptsGet:                "prompts/get",                              Request,      Client, ALL,                     Prompts,       Prompts,       Server(PROMPTS);
    CompletionComplete:        "completion/complete",                      Request,      Client, ALL,                     Completion,    Completions,   Server(COMPLETIONS);
    LoggingSetLevel:           "logging/setLevel",                         Request,      Client, LEGACY,                  Logging,       Logging,       Server(LOGGING);
    RootsList:                 "roots/list",                               Request,      Server, LEGACY,                  Roots,         Asking,        Client(ANY_ROOTS);
    SamplingCreateMessage:     "sampling/createMessage",                   Request,      Server, LEGACY,                  Sampling,      Asking,        Client(ANY_SAMPLING);
    ElicitationCreate:         "elicitation/create",                       Request,      Server, LEGACY_SINCE_2025_06_18, Elicitation,   Asking,        Client(ELICITATION_FORM, ELICITATION_URL);
    TasksGet:                  "tasks/get",                                Request,      Both,   SINCE_2025_11_25,        Tasks,         Tasks,         Server(TASKS_CORE);
    TasksResult:               "tasks/result",                             Request,      Both,   ONLY_2025_11_25,         Tasks,         Tasks,         Server(TASKS_CORE);
    TasksCancel:               "tasks/cancel",                             Request,      Both,   SINCE_2025_11_25,        Tasks,         Tasks,         Server(TASKS_CANCEL);
    TasksList:                 "tasks/list",                               Request,      Both,   ONLY_2025_11_25,         Tasks,         Tasks,         Server(TASKS_LIST);
    TasksUpdate:               "tasks/update",                             Request,      Client, MODERN,                  Tasks,         Tasks,         Server(TASKS_EXTENSION);
    Initialized:               "notifications/initialized",                Notification, Client, LEGACY,                  Lifecycle,     Core,          Server();
    Cancelled:                 "notifications/cancelled",                  Notification, Both,   ALL,                     Utilities,     Core,          Server();
    Progress:                  "notifications/progress",                   Notification, Both,   ALL,                     Utilities,     Progress,      Server();
    LogMessage:                "notifications/message",                    Notification, Server, ALL,                     Logging,       Logging,       Server(LOGGING);
    ToolsListChanged:          "notifications/tools/list_changed",         Notification, Server, ALL,                     Tools,         Subscriptions, Server(TOOLS_LIST_CHANGED);
    PromptsListChanged:        "notifications/prompts/list_changed",       Notification, Server, ALL,                     Prompts,       Subscriptions, Server(PROMPTS_LIST_CHANGED);
    ResourcesListChanged:      "notifications/resources/list_changed",     Notification, Server, ALL,                     Resources,     Subscriptions, Server(RESOURCES_LIST_CHANGED);
    ResourcesUpdated:          "notifications/resources/updated",          Notification, Server, ALL,                     Resources,     Subscriptions, Server(RESOURCES, RESOURCES_SUBSCRIBE);
    RootsListChanged:          "notifications/roots/list_changed",         Notification, Client, LEGACY,                  Roots,         Asking,        Client(ROOTS_LIST_CHANGED);
    ElicitationComplete:       "notifications/elicitation/complete",       Notification, Server, ONLY_2025_11_25,         Elicitation,   Asking,        Client(ELICITATION_URL);
    TasksStatus:               "notifications/tasks/status",               Notification, Both,   ONLY_2025_11_25,         Tasks,         Tasks,         Server(TASKS_CORE);
    Tasks:                     "notifications/tasks",                      Notification, Server, MODERN,                  Tasks,         Tasks,         Server(TASKS_CORE);
    SubscriptionsAcknowledged: "notifications/subscriptions/acknowledged", Notification, Server, MODERN,                  Subscriptions, Subscriptions, Server();
}

/// The value of one column in the row of a method. Each column is an array of its own, so that a program contains only
/// the columns that it reads.
macro_rules! column {
    ($method:ident.$column:ident$(.$of:tt)?, $type:ty, $otherwise:expr) => {{
        const COLUMN: [$type; TABLE.len()] = {
            let mut column = [$otherwise; TABLE.len()];
            let (mut rows, mut cells): (_, &mut [_]) = (TABLE, &mut column);
            while let ([row, other_rows @ ..], [cell, other_cells @ ..]) = (rows, cells) {
                *cell = row.$column$(.$of)?;
                (rows, cells) = (other_rows, other_cells);
            }
            column
        };
        COLUMN.get($method as usize).copied().unwrap_or($otherwise)
    }};
}

/// The methods of one kind of message that one peer sends to the other.
#[derive(Clone, Copy)]
enum Group {
    ClientRequests,
    ServerRequests,
    ServerNotifications,
}

impl Group {
    /// Whether the row is in this group and belongs to `part`.
    const fn contains(self, row: &Row, part: Part) -> bool {
        let is_request = matches!(row.kind, MessageKind::Request);
        let is_in_group = match self {
            Self::ClientRequests => is_request && !matches!(row.sender, Sender::Server),
            Self::ServerRequests => is_request && !matches!(row.sender, Sender::Client),
            Self::ServerNotifications => !is_request && !matches!(row.sender, Sender::Client),
        };
        is_in_group && row.part as u8 == part as u8
    }

    /// The number of rows that the group contains for `part`.
    const fn count(self, part: Part) -> usize {
        let (mut count, mut rows) = (0_usize, TABLE);
        while let [row, other_rows @ ..] = rows {
            if self.contains(row, part) {
                count = count.saturating_add(1);
            }
            rows = other_rows;
        }
        count
    }

    /// The names and methods of the `N` rows that the group contains for `part`.
    const fn names<const N: usize>(self, part: Part) -> [(&'static str, Method); N] {
        let mut names = [("", Method::Ping); N];
        let (mut left, mut rows): (&mut [_], _) = (&mut names, TABLE);
        while let [row, other_rows @ ..] = rows {
            if self.contains(row, part)
                && let [name, other_names @ ..] = left
            {
                *name = (row.name, row.method);
                left = other_names;
            }
            rows = other_rows;
        }
        names
    }
}

/// Looks up a name in a group, one part after the other. The names of each part are an array of their own: where `$has`
/// is constant, the compiler drops the arrays of the parts that are left out.
macro_rules! find {
    ($group:expr, $name:ident, $has:ident, [$($part:ident),*]) => {
        None$(.or_else(|| {
            const NAMES: [(&str, Method); $group.count(Part::$part)] = $group.names(Part::$part);
            $has(Part::$part).then(|| among(&NAMES, $name)).flatten()
        }))*
    };
}

fn among(names: &[(&str, Method)], name: JsonStr<'_>) -> Option<Method> {
    let found = names.iter().find(|(known, _)| name == **known);
    found.map(|(_, method)| *method)
}

impl Method {
    /// The method with the given name, compared after unescaping; case-sensitive.
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
        Self::all().find(|method| name == *method.name())
    }

    /// The method of a client's request, if it belongs to a part for which `has` returns `true`. The names of the other
    /// parts are not linked if `has` is constant.
    pub(crate) fn of_client_request(name: JsonStr<'_>, has: impl Fn(Part) -> bool) -> Option<Self> {
        find!(
            Group::ClientRequests,
            name,
            has,
            [Core, Resources, Prompts, Completions, Logging, Subscriptions, Tasks]
        )
    }

    /// The method of a server's notification, as [`of_client_request`](Self::of_client_request).
    pub(crate) fn of_server_notification(name: JsonStr<'_>, has: impl Fn(Part) -> bool) -> Option<Self> {
        find!(Group::ServerNotifications, name, has, [Progress, Logging, Subscriptions, Core, Asking, Tasks])
    }

    /// The method of an input request, in both eras.
    pub(crate) fn of_input_request(name: JsonStr<'_>) -> Option<Self> {
        let in_any_profile = |_| true;
        find!(Group::ServerRequests, name, in_any_profile, [Asking])
    }

    /// All methods.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.method)
    }

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        column!(self.name, &'static str, "")
    }

    /// Whether the message is a notification.
    pub const fn is_notification(self) -> bool {
        self as u8 >= Self::Initialized as u8
    }

    /// The sender, in any revision.
    pub fn sender(self) -> Sender {
        column!(self.sender, Sender, Sender::Both)
    }

    /// The sender in the given revision. A modern server sends no requests, so a modern client reports no progress
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

    /// Whether the method is a message of its own in the given revision.
    pub fn is_in(self, version: ProtocolVersion) -> bool {
        column!(self.versions, Versions, Versions::ALL).contains(version)
    }

    /// The chapter of the specification that defines the method.
    pub fn chapter(self) -> Chapter {
        column!(self.chapter, Chapter, Chapter::Utilities)
    }

    /// The capabilities of a server that the method needs, in the legacy era.
    pub(super) fn server_needs(self) -> Capabilities {
        column!(self.needs.0, Capabilities, Capabilities::NONE)
    }

    /// Whether the method needs a capability of the server.
    pub(crate) fn needs_server(self) -> bool {
        self.server_needs() != Capabilities::NONE
    }

    /// The capabilities of a client of which the method needs at least one.
    pub(super) fn client_needs(self) -> ClientCapabilities {
        column!(self.needs.1, ClientCapabilities, ClientCapabilities::NONE)
    }

    /// The part of the protocol that the method belongs to.
    pub(crate) fn part(self) -> Part {
        column!(self.part, Part, Part::Core)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sender of a method differs between the eras.
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
            assert_eq!(method.sender_in(ProtocolVersion::V2026_07_28), modern, "{}", method.name());
            for version in ProtocolVersion::ALL.into_iter().filter(|version| version.era() == Era::Legacy) {
                assert_eq!(method.sender_in(version), method.sender(), "{}", method.name());
            }
        }
    }

    #[test]
    fn each_method_is_found_where_its_part_is_built_in() {
        for row in TABLE {
            let name = JsonStr::from_escaped(row.name).unwrap();
            let in_group = |group: Group| group.contains(row, row.part).then_some(row.method);
            let is_input_request = row.part == Part::Asking;
            assert_eq!(Method::of_client_request(name, |_| true), in_group(Group::ClientRequests));
            assert_eq!(Method::of_server_notification(name, |_| true), in_group(Group::ServerNotifications));
            assert_eq!(
                Method::of_input_request(name),
                in_group(Group::ServerRequests).filter(|_| is_input_request)
            );
            assert_eq!(Method::of_client_request(name, |part| part != row.part), None);
            assert_eq!(Method::of_server_notification(name, |part| part != row.part), None);
        }
    }

    #[test]
    fn a_method_is_the_index_of_its_row() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.method as usize, index, "{}", row.name);
            assert_eq!(row.method.name(), row.name);
            assert_eq!(row.method.is_notification(), row.name.starts_with("notifications/"), "{}", row.name);
            assert_eq!(JsonStr::from_escaped(row.name).and_then(Method::from_name), Some(row.method));
        }
    }
}
