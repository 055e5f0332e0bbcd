//! Clients that are built without a part of the protocol.

use core::time::Duration;

use barewire::bytes::{BufferFull, Sink};
use barewire::engine::client::{
    Answered, ClientEngine, ClientFixed, ClientHandler, ClientOptions, ClientOutcome, ClientParts, Counter,
    Incoming, Plain, RequestError, RequestOptions, Subscription, Ticket,
};
use barewire::engine::{Full, LegacyOnly, ModernOnly, ToolsOnly};
use barewire::mcp::{
    Capabilities, ClientCapabilities, Era, Implementation, LoggingLevel, Method, ProtocolVersion,
};
use barewire::rpc::RequestId;
use serde_json::{Value, json};

use crate::client_kit::{
    Bound, Host, HostClient, MODERN_META, NOW, OFFERS_ALL, ask, connect_parts, event, feed, line, sent, show,
    unsent, with_parts, written, written_and,
};

const LEGACY: ProtocolVersion = ProtocolVersion::V2025_11_25;
const MODERN: ProtocolVersion = ProtocolVersion::V2026_07_28;

/// How long requests wait.
const MINUTE: Duration = Duration::from_secs(60);

struct NoAsking;

impl ClientParts for NoAsking {
    const ASKING: bool = false;
}

struct NoProgress;

impl ClientParts for NoProgress {
    const PROGRESS: bool = false;
}

struct NoLogging;

impl ClientParts for NoLogging {
    const LOGGING: bool = false;
}

struct NoSubscriptions;

impl ClientParts for NoSubscriptions {
    const SUBSCRIPTIONS: bool = false;
}

struct NoTasks;

impl ClientParts for NoTasks {
    const TASKS: bool = false;
}

struct NoEra;

impl ClientParts for NoEra {
    const LEGACY: bool = false;
    const MODERN: bool = false;
}

/// All that a client can declare.
fn all(offered: &mut ClientCapabilities) {
    offered.insert(
        ClientCapabilities::ROOTS
            | ClientCapabilities::ROOTS_LIST_CHANGED
            | ClientCapabilities::SAMPLING_TOOLS
            | ClientCapabilities::ELICITATION_FORM
            | ClientCapabilities::ELICITATION_URL
            | ClientCapabilities::TASKS_LIST
            | ClientCapabilities::TASKS_SAMPLING
            | ClientCapabilities::TASKS_EXTENSION,
    );
}

fn before<P: ClientParts>(host: Host) -> HostClient<4, P> {
    with_parts(host)
}

fn connected<P: ClientParts>(version: ProtocolVersion) -> HostClient<4, P> {
    connect_parts(Host::offering(all), version, OFFERS_ALL)
}

/// What the client says first.
fn first<P: ClientParts>(client: &mut HostClient<4, P>) -> String {
    line(&written(client, |client, out| client.connect(NOW, out).unwrap())).to_owned()
}

/// What the passing of a minute comes to, where it makes the client say nothing.
fn after_a_minute<P: ClientParts>(client: &mut HostClient<4, P>) -> String {
    let (text, event) =
        written_and(client, |client, out| client.expire(NOW + MINUTE, out).map(|incoming| show(&incoming)));
    assert_eq!(text, "");
    event.expect("something is late")
}

fn error(code: i32, data: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"no"{data}}}}}"#)
}

fn supported(versions: &str) -> String {
    error(-32022, &format!(r#","data":{{"supported":{versions}}}"#))
}

#[test]
fn a_modern_client_probes_and_falls_back_to_nothing() {
    let probe =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{MODERN_META}}}}}"#);
    let cases = [
        (error(-32601, ""), "incompatible: refused -32601 no"),
        (supported(r#"["2025-11-25"]"#), r#"incompatible: no common version {"supported":["2025-11-25"]}"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(), "incompatible: invalid Result"),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2025-06-18"]}}"#.to_owned(),
            r#"incompatible: no common version {"supportedVersions":["2025-06-18"]}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":[]}"#.to_owned(),
            "incompatible: invalid Envelope(ResultNotAnObject)",
        ),
    ];
    for (answer, expected) in cases {
        let mut client = before::<ModernOnly>(Host::default());
        assert_eq!(first(&mut client), probe);
        assert!(client.is_probing());
        assert_eq!(event(&mut client, &answer), expected);
        assert!(!client.is_connecting());
    }
}

/// There is nothing else to try, so there is no hurry either.
#[test]
fn a_modern_client_waits_as_for_any_request() {
    let mut client = before::<ModernOnly>(Host::default());
    first(&mut client);
    assert_eq!(client.next_deadline(), Some(NOW + MINUTE));
    assert_eq!(after_a_minute(&mut client), "incompatible: timed out");
}

#[test]
fn a_modern_client_sends_no_initialize() {
    let mut client = before::<ModernOnly>(Host::default());
    let error = unsent(&mut client, |client, out| client.initialize_with(LEGACY, NOW, out));
    assert_eq!(error, RequestError::NotInRevision);
    assert!(!client.is_connecting());
}

#[test]
fn a_modern_client_answers_nothing() {
    let mut client = connected::<ModernOnly>(MODERN);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(event(&mut client, ping), "request ping: Ignored");
    assert_eq!(event(&mut client, &format!("[{ping}]")), "rejected batch");
    let listed = sent(&mut client, |client, out| client.list_tools(ask(), None, out));
    assert!(listed.contains(r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#));
}

#[test]
fn a_legacy_client_starts_with_initialize() {
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}"#;
    let cases = [
        (error(-32601, ""), "incompatible: refused -32601 no"),
        (supported(r#"["2026-07-28"]"#), r#"incompatible: no common version {"supported":["2026-07-28"]}"#),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2026-07-28"}}"#.to_owned(),
            "incompatible: version 2026-07-28",
        ),
    ];
    for (answer, expected) in cases {
        let mut client = before::<LegacyOnly>(Host::default());
        assert_eq!(first(&mut client), initialize);
        assert!(client.is_connecting() && !client.is_probing());
        assert_eq!(event(&mut client, &answer), expected);
        assert!(!client.is_connecting());
    }
    let mut client = before::<LegacyOnly>(Host::default());
    let proposed = written(&mut client, |client, out| {
        client.initialize_with(MODERN, NOW, out).unwrap();
    });
    assert_eq!(line(&proposed), initialize);
}

#[test]
fn a_legacy_client_does_not_turn_modern() {
    let mut client = before::<LegacyOnly>(Host::default());
    first(&mut client);
    assert_eq!(after_a_minute(&mut client), "incompatible: timed out");

    let mut client = connected::<LegacyOnly>(LEGACY);
    assert_eq!(
        sent(&mut client, |client, out| client.list_tools(ask(), None, out)),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#
    );
    let typed = r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","tools":[]}}"#;
    assert_eq!(
        event(&mut client, typed),
        r#"tools/list c: result {"resultType":"input_required","tools":[]}"#
    );
}

#[test]
fn batches_are_of_the_legacy_era() {
    fn read<P: ClientParts>() {
        let mut client = connected::<P>(ProtocolVersion::V2025_03_26);
        let batch = r#"[{"jsonrpc":"2.0","method":"x/y"},{"jsonrpc":"2.0","method":"x/z"}]"#;
        assert_eq!(event(&mut client, batch), "notification x/y");
        assert!(client.has_more());
        assert_eq!(event(&mut client, batch), "notification x/z");
        assert!(!client.has_more());
    }
    read::<LegacyOnly>();
    read::<ToolsOnly>();
}

#[test]
fn without_an_era_there_is_no_connection() {
    let mut client = before::<NoEra>(Host::default());
    let error = unsent(&mut client, |client, out| client.connect(NOW, out));
    assert_eq!(error, RequestError::NotInRevision);
    let error = unsent(&mut client, |client, out| client.initialize_with(LEGACY, NOW, out));
    assert_eq!(error, RequestError::NotInRevision);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(event(&mut client, ping), "request ping: Ignored");
}

/// The parts whose notifications are known.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Asking,
    Progress,
    Logging,
    Subscriptions,
}

/// Notifications: the part that they are of, what they are, and what they come to.
const LEGACY_NOTIFICATIONS: [(Part, &str, &str, &str); 7] = [
    (
        Part::Progress,
        "notifications/progress",
        r#"{"progressToken":2,"progress":1}"#,
        "progress 1 of None None",
    ),
    (Part::Logging, "notifications/message", r#"{"level":"info","data":1}"#, "log Info None 1"),
    (Part::Subscriptions, "notifications/tools/list_changed", "{}", "Tools changed, unsubscribed"),
    (Part::Subscriptions, "notifications/prompts/list_changed", "{}", "Prompts changed, unsubscribed"),
    (Part::Subscriptions, "notifications/resources/list_changed", "{}", "Resources changed, unsubscribed"),
    (Part::Subscriptions, "notifications/resources/updated", r#"{"uri":"x:a"}"#, "x:a updated, unsubscribed"),
    (Part::Asking, "notifications/cancelled", r#"{"requestId":"q"}"#, r#"cancelled "q""#),
];

/// Those of a subscription with the id 3, its end last.
const MODERN_NOTIFICATIONS: [(Part, &str, &str, &str); 6] = [
    (
        Part::Progress,
        "notifications/progress",
        r#"{"progressToken":2,"progress":1}"#,
        "progress 1 of None None",
    ),
    (Part::Logging, "notifications/message", r#"{"level":"info","data":1}"#, "log Info None 1"),
    (
        Part::Subscriptions,
        "notifications/subscriptions/acknowledged",
        r#"{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":3}}"#,
        "acknowledged {}",
    ),
    (
        Part::Subscriptions,
        "notifications/tools/list_changed",
        r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":3}}"#,
        "Tools changed, subscribed",
    ),
    (
        Part::Subscriptions,
        "notifications/resources/updated",
        r#"{"uri":"x:a","_meta":{"io.modelcontextprotocol/subscriptionId":3}}"#,
        "x:a updated, subscribed",
    ),
    (
        Part::Subscriptions,
        "notifications/cancelled",
        r#"{"requestId":3}"#,
        "subscriptions/listen c: subscription ended",
    ),
];

/// All but those of the parts that are left out are known.
fn notified<P: ClientParts>(version: ProtocolVersion, left_out: &[Part]) {
    let mut client = connected::<P>(version);
    sent(&mut client, |client, out| client.call_tool(ask().with_progress(), "t", out, |_| {}));
    let notifications = match version.era() {
        Era::Legacy => &LEGACY_NOTIFICATIONS[..],
        Era::Modern => &MODERN_NOTIFICATIONS,
    };
    if version == MODERN && P::SUBSCRIPTIONS {
        sent(&mut client, |client, out| client.listen(ask(), &Subscription::default(), out));
    }
    for (part, method, params, known) in notifications {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        let expected = match left_out.contains(part) {
            true => format!("notification {method}"),
            false => (*known).to_owned(),
        };
        assert_eq!(event(&mut client, &line), expected);
    }
}

#[test]
fn notifications_of_a_part_that_is_left_out_are_handed_on() {
    use Part::{Asking, Logging, Progress, Subscriptions};
    for version in [LEGACY, MODERN] {
        notified::<Full>(version, &[]);
        notified::<NoTasks>(version, &[]);
        notified::<NoAsking>(version, &[Asking]);
        notified::<NoProgress>(version, &[Progress]);
        notified::<NoLogging>(version, &[Logging]);
        notified::<NoSubscriptions>(version, &[Subscriptions]);
        notified::<ToolsOnly>(version, &[Asking, Progress, Logging, Subscriptions]);
    }
    notified::<LegacyOnly>(LEGACY, &[]);
    notified::<ModernOnly>(MODERN, &[]);
}

#[test]
fn a_client_that_is_not_asked_answers_ping_alone() {
    fn ask_all<P: ClientParts>() {
        let mut client = connected::<P>(LEGACY);
        let ping = r#"{"jsonrpc":"2.0","id":"q","method":"p\u0069ng"}"#;
        let (event, written) = feed(&mut client, ping);
        assert_eq!(event, "request ping: Done");
        assert_eq!(line(&written), r#"{"jsonrpc":"2.0","id":"q","result":{}}"#);
        for method in
            ["roots/list", "sampling/createMessage", "elicitation/create", "tasks/get", "x/known", ""]
        {
            let asked = format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{"message":"m","messages":[]}}}}"#
            );
            let (event, written) = feed(&mut client, &asked);
            assert_eq!(event, format!("request {method}: Refused(ErrorCode(-32601))"));
            assert_eq!(
                line(&written),
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}"#
            );
        }
        assert!(client.app.asked.is_empty());
        let (text, answered) =
            written_and(&mut client, |client, out| client.answer(RequestId::from(7), out, |_| Ok(())));
        assert_eq!((text.as_str(), answered), ("", Answered::Ignored));
    }
    ask_all::<NoAsking>();
    ask_all::<ToolsOnly>();
}

/// The server asks a client while it waits for the answer to `initialize`, too.
#[test]
fn a_ping_during_the_handshake_is_answered() {
    let mut client = before::<ToolsOnly>(Host::default());
    written(&mut client, |client, out| {
        client.initialize_with(LEGACY, NOW, out).unwrap();
    });
    let (event, _) = feed(&mut client, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(event, "request ping: Done");
}

#[test]
fn an_answer_without_room_is_an_error_or_nothing() {
    let mut client = connected::<ToolsOnly>(LEGACY);
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let mut out_of = |room: usize| {
        let mut memory = [0; 100];
        let mut out = Sink::new(&mut memory[..room]);
        let Incoming::Request(_, answered) = client.handle_frame(ping, NOW, &mut out) else {
            unreachable!("it is a request")
        };
        (answered, out.len())
    };
    assert_eq!(out_of(37), (Answered::Done, 37));
    assert_eq!(out_of(36), (Answered::NoRoom(BufferFull { needed: 80 }), 0));
}

#[test]
fn what_is_left_out_is_not_declared() {
    fn declared<P: ClientParts>(version: ProtocolVersion) -> Value {
        let mut client = before::<P>(Host::offering(all));
        let (said, place) = match version.era() {
            Era::Modern => (first(&mut client), "/params/_meta/io.modelcontextprotocol~1clientCapabilities"),
            Era::Legacy => (
                written(&mut client, |client, out| {
                    client.initialize_with(version, NOW, out).unwrap();
                }),
                "/params/capabilities",
            ),
        };
        let said: Value = serde_json::from_str(&said).expect("one line");
        said.pointer(place).expect("it is declared").clone()
    }
    let extension = json!({"io.modelcontextprotocol/tasks": {}});
    let (legacy, modern) = (declared::<Full>(LEGACY), declared::<Full>(MODERN));
    assert!(legacy["tasks"].is_object() && legacy["roots"].is_object());
    assert!(modern["extensions"] == extension && modern["elicitation"].is_object());

    assert_eq!(declared::<NoAsking>(LEGACY), json!({}));
    assert_eq!(declared::<NoAsking>(MODERN), json!({"extensions": extension}));
    assert_eq!(declared::<NoTasks>(LEGACY), legacy);
    let mut without = modern;
    without.as_object_mut().unwrap().remove("extensions");
    assert_eq!(declared::<NoTasks>(MODERN), without);
    for version in [LEGACY, MODERN] {
        assert_eq!(declared::<ToolsOnly>(version), json!({}));
    }
}

/// How a call of a tool ends.
fn called<P: ClientParts>(version: ProtocolVersion, result: &str) -> String {
    let mut client = connected::<P>(version);
    sent(&mut client, |client, out| client.call_tool(ask(), "t", out, |_| {}));
    event(&mut client, &format!(r#"{{"jsonrpc":"2.0","id":2,"result":{result}}}"#))
}

#[test]
fn results_of_a_part_that_is_left_out_are_invalid() {
    const INPUT: &str = r#"{"resultType":"input_required","requestState":"s"}"#;
    const TASK: &str = r#"{"resultType":"task","taskId":"7","status":"working"}"#;
    const NEITHER: &str = "tools/call c: invalid ResultType";
    let input = r#"tools/call c: input required [] Some("s")"#;
    let task = called::<Full>(MODERN, TASK);
    assert!(task.starts_with("tools/call c: task"), "{task}");
    assert_eq!(called::<Full>(MODERN, INPUT), input);
    assert_eq!(called::<NoTasks>(MODERN, INPUT), input);
    assert_eq!(called::<NoTasks>(MODERN, TASK), NEITHER);
    assert_eq!(called::<NoAsking>(MODERN, INPUT), NEITHER);
    assert_eq!(called::<NoAsking>(MODERN, TASK), task);
    for result in [INPUT, TASK] {
        assert_eq!(called::<ToolsOnly>(MODERN, result), NEITHER);
        assert_eq!(called::<ToolsOnly>(LEGACY, result), format!("tools/call c: result {result}"));
    }
    let failed = r#"{"resultType":"complete","content":[],"isError":true}"#;
    for version in [LEGACY, MODERN] {
        assert_eq!(called::<ToolsOnly>(version, failed), format!("tools/call c: tool error {failed}"));
    }
}

#[test]
fn what_a_server_offers_of_tasks_is_not_read() {
    let client = connected::<NoTasks>(LEGACY);
    let offered = client.server_capabilities();
    assert!(
        offered.has(Capabilities::TOOLS)
            && offered.has(Capabilities::RESOURCES_SUBSCRIBE)
            && !offered.has_any(Capabilities::TASKS)
    );
    assert!(connected::<Full>(LEGACY).server_capabilities().has(Capabilities::TASKS_CALL));
}

/// What is not sent by a client without the part that has it, and is by one with it.
fn not_sent<P: ClientParts>(version: ProtocolVersion, methods: &[Method]) {
    let mut client = connected::<P>(version);
    let all = [
        Method::LoggingSetLevel,
        Method::ResourcesSubscribe,
        Method::ResourcesUnsubscribe,
        Method::SubscriptionsListen,
        Method::TasksGet,
        Method::TasksResult,
        Method::TasksCancel,
        Method::TasksList,
        Method::TasksUpdate,
        Method::ToolsList,
        Method::ResourcesRead,
        Method::PromptsGet,
        Method::CompletionComplete,
    ];
    for method in all.into_iter().filter(|method| method.is_in(version)) {
        let is_left_out = methods.contains(&method);
        for by_name in [false, true] {
            let call = |client: &mut Bound<'_, 4, P>, out: &mut Sink<'_>| match by_name {
                true => client.request(ask(), method.name(), out, |_| {}),
                false => send(client, method, out),
            };
            if is_left_out {
                assert_eq!(unsent(&mut client, call), RequestError::NotInRevision, "{method:?}");
            } else {
                let text = sent(&mut client, call);
                assert!(text.contains(&format!(r#""method":"{}""#, method.name())), "{text}");
                while client.disconnect().is_some() {}
                client = connected::<P>(version);
            }
        }
    }
}

fn send<P: ClientParts>(
    client: &mut Bound<'_, 4, P>,
    method: Method,
    out: &mut Sink<'_>,
) -> Result<Ticket, RequestError> {
    match method {
        Method::LoggingSetLevel => client.set_level(ask(), LoggingLevel::Info, out),
        Method::ResourcesSubscribe => client.subscribe(ask(), "x:a", out),
        Method::ResourcesUnsubscribe => client.unsubscribe(ask(), "x:a", out),
        Method::SubscriptionsListen => client.listen(ask(), &Subscription::default(), out),
        Method::TasksGet => client.get_task(ask(), "7", out),
        Method::TasksResult => client.task_result(ask(), "7", out),
        Method::TasksCancel => client.cancel_task(ask(), "7", out),
        Method::TasksList => client.list_tasks(ask(), None, out),
        Method::TasksUpdate => client.update_task(ask(), "7", out, |_| {}),
        other => client.request(ask(), other.name(), out, |_| {}),
    }
}

#[test]
fn requests_of_a_part_that_is_left_out_are_not_sent() {
    let logging = [Method::LoggingSetLevel];
    let subscriptions =
        [Method::ResourcesSubscribe, Method::ResourcesUnsubscribe, Method::SubscriptionsListen];
    let tasks =
        [Method::TasksGet, Method::TasksResult, Method::TasksCancel, Method::TasksList, Method::TasksUpdate];
    let of_tools = [&logging[..], &subscriptions, &tasks].concat();
    for version in [LEGACY, MODERN] {
        not_sent::<Full>(version, &[]);
        not_sent::<NoAsking>(version, &[]);
        not_sent::<NoProgress>(version, &[]);
        not_sent::<NoLogging>(version, &logging);
        not_sent::<NoSubscriptions>(version, &subscriptions);
        not_sent::<NoTasks>(version, &tasks);
        not_sent::<ToolsOnly>(version, &of_tools);
    }
}

#[test]
fn changes_of_roots_are_of_what_the_server_asks_for() {
    let mut client = connected::<NoAsking>(LEGACY);
    assert_eq!(unsent(&mut client, |client, out| client.roots_changed(out)), RequestError::NotInRevision);
    let method = Method::RootsListChanged.name();
    assert_eq!(
        unsent(&mut client, |client, out| client.notify(method, out, |_| {})),
        RequestError::NotInRevision
    );
    sent(&mut connected::<NoTasks>(LEGACY), |client, out| client.roots_changed(out));
}

#[test]
fn a_call_is_no_task_where_tasks_are_left_out() {
    let call = |client: &mut Bound<'_, 4, NoTasks>, out: &mut Sink<'_>| {
        client.call_tool(ask().as_task(None).even_if_not_offered(), "t", out, |_| {})
    };
    assert_eq!(unsent(&mut connected(LEGACY), call), RequestError::NotInRevision);
}

#[test]
fn nothing_is_asked_again_where_the_server_asks_nothing() {
    let mut full = connected::<Full>(MODERN);
    sent(&mut full, |client, out| client.call_tool(ask(), "t", out, |_| {}));
    let frame = br#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"s"}}"#;
    let Incoming::Ended(ended) = full.handle_frame(frame, NOW, &mut Sink::new(&mut [])) else {
        unreachable!("it has ended")
    };
    let ClientOutcome::InputRequired(input) = ended.outcome else {
        unreachable!("it wants to know something")
    };
    let mut client = connected::<NoAsking>(MODERN);
    let again = unsent(&mut client, |client, out| client.call_tool(ask().answering(input), "t", out, |_| {}));
    assert_eq!(again, RequestError::NotInRevision);
}

#[test]
fn without_progress_none_is_asked_for_and_none_extends_the_time() {
    let hour = Duration::from_secs(3600);
    let second = Duration::from_secs(1);
    let asked = ask().extended_by_progress(hour);
    let shorter = ask().extended_by_progress(second);
    let (mut full, mut client) = (connected::<Full>(LEGACY), connected::<NoProgress>(LEGACY));
    let mut call = |ask: RequestOptions<'static, &'static str>| {
        let with = sent(&mut full, |client, out| client.call_tool(ask, "t", out, |_| {}));
        assert!(with.contains("progressToken"), "{with}");
        let without = sent(&mut client, |client, out| client.call_tool(ask, "t", out, |_| {}));
        assert!(!without.contains("_meta"), "{without}");
    };
    call(asked);
    call(shorter);
    assert_eq!(full.next_deadline(), Some(NOW + second));
    assert_eq!(client.next_deadline(), Some(NOW + MINUTE));
}

#[test]
fn without_log_messages_a_level_means_nothing() {
    fn call<P: ClientParts>() -> String {
        sent(&mut connected::<P>(MODERN), |client, out| {
            client.call_tool(ask().with_log_level(LoggingLevel::Info), "t", out, |_| {})
        })
    }
    assert!(call::<Full>().contains(r#""io.modelcontextprotocol/logLevel":"info""#));
    assert!(!call::<NoLogging>().contains("logLevel"));
}

/// A client of parts in a `static`, with an application of a type that is not known.
#[test]
fn a_client_of_parts_takes_any_handler() {
    type Storage = ClientFixed<(), 2, Counter, ToolsOnly>;
    static CALLER: std::sync::Mutex<ClientEngine<Storage>> =
        std::sync::Mutex::new(ClientEngine::with(Storage::new(), ClientOptions::DEFAULT, Counter::new()));
    let mut probe = Plain(Implementation::new("probe", "1"));
    let handler: &mut dyn ClientHandler = &mut probe;
    let mut caller = CALLER.lock().expect("not poisoned");
    let mut any = caller.bind(handler);
    let mut memory = [0; 512];
    assert_eq!(any.connect(NOW, &mut Sink::new(&mut memory)), Ok(()));
    assert!(any.is_probing());
}
