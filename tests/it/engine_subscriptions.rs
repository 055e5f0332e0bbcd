//! Who hears of which change: the legacy session, and the streams of `subscriptions/listen`.

use barewire::demo::{Demo, NoHost};
use barewire::engine::{Fixed, Frame, Full, List, Origin, Sent, Server};
use barewire::mcp::{Capabilities, Resource, ResourceTemplate, Tool, UriTemplate};

use crate::engine_kit::{
    App, Hosted, Status, answer, cancel, error, initialize, modern, request, result, written,
};

type Wide = Hosted<App, Fixed<Full, 4, 4>>;

fn wide(app: App) -> Wide {
    Hosted::of(Server::with_storage(Fixed::new()), app)
}

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Everything that can change, changes.
fn app() -> App {
    App {
        tools: vec![Tool::new("t", "A tool.")],
        resources: vec![Resource::new("r:1", "r"), Resource::new("r:2", "r")],
        templates: vec![ResourceTemplate::new(UriTemplate::new("t:///{x}"), "t")],
        offers: |offered| {
            offered.insert(
                Capabilities::PROMPTS
                    | Capabilities::TOOLS_LIST_CHANGED
                    | Capabilities::PROMPTS_LIST_CHANGED
                    | Capabilities::RESOURCES_LIST_CHANGED
                    | Capabilities::RESOURCES_SUBSCRIBE,
            );
        },
        ..App::new()
    }
}

fn listen(id: &str, filter: &str) -> String {
    modern(id, "subscriptions/listen", &format!(r#""notifications":{{{filter}}}"#))
}

fn acknowledged(id: &str, filter: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{{\"notifications\":{{{filter}}},\"_meta\":{{\"io.modelcontextprotocol/subscriptionId\":{id}}}}}}}\n"
    )
}

fn updated(uri: &str, id: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{{\"uri\":\"{uri}\",\"_meta\":{{\"io.modelcontextprotocol/subscriptionId\":{id}}}}}}}\n"
    )
}

fn updated_for_session(uri: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{{\"uri\":\"{uri}\"}}}}\n"
    )
}

fn list_changed(list: &str, id: Option<&str>) -> String {
    let params = id.map_or(String::new(), |id| {
        format!(r#","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}"#)
    });
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/{list}/list_changed\"{params}}}\n")
}

fn ended(id: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"resultType\":\"complete\",\"_meta\":{{\"io.modelcontextprotocol/serverInfo\":{{\"name\":\"app\",\"version\":\"1\"}},\"io.modelcontextprotocol/subscriptionId\":{id}}}}}}}\n"
    )
}

fn update(server: &mut Wide, uri: &str) -> String {
    let (lines, status) = written(server, 4096, |server, out| server.resource_updated(uri, out));
    assert_eq!(status, Status::Done);
    lines
}

fn change(server: &mut Wide, list: List) -> String {
    let (lines, status) = written(server, 4096, |server, out| server.list_changed(list, out));
    assert_eq!(status, Status::Done);
    lines
}

#[test]
fn a_session_hears_of_what_it_watches_until_it_does_not() {
    let mut server = wide(app());
    let subscribe = |uri: &str| request("1", "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#));
    let unsubscribe = |uri: &str| request("1", "resources/unsubscribe", &format!(r#"{{"uri":"{uri}"}}"#));
    let done = result("1", "");
    answer(&mut server, &initialize("2025-06-18"));
    answer(&mut server, INITIALIZED);
    assert_eq!(update(&mut server, "r:1"), "");
    assert_eq!(answer(&mut server, &subscribe("r:1")), done);
    // Twice is once.
    assert_eq!(answer(&mut server, &subscribe(r"r\u003a1")), done);
    assert_eq!(update(&mut server, "r:1"), updated_for_session("r:1"));
    assert_eq!(update(&mut server, "r:2"), "");
    // One of a template's.
    assert_eq!(answer(&mut server, &subscribe("t:///a")), done);
    assert_eq!(update(&mut server, "t:///a"), updated_for_session("t:///a"));
    assert_eq!(update(&mut server, "t:///b"), "");
    for unknown in ["r:3", "t:///a/b", "t:///"] {
        assert_eq!(answer(&mut server, &subscribe(unknown)), error("1", -32002, "Resource not found"));
    }
    assert_eq!(answer(&mut server, &unsubscribe("r:1")), done);
    assert_eq!(update(&mut server, "r:1"), "");
    // What is not watched can be left too.
    assert_eq!(answer(&mut server, &unsubscribe("r:1")), done);
    assert_eq!(answer(&mut server, &unsubscribe("r:3")), done);
}

#[test]
fn without_the_capability_nothing_is_watched() {
    let mut server = wide(App { offers: |_| {}, ..app() });
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        assert_eq!(
            answer(&mut server, &request("1", method, r#"{"uri":"r:1"}"#)),
            error("1", -32601, "Method not found")
        );
    }
    // A stream is acknowledged with what is left of its wishes.
    assert_eq!(
        answer(
            &mut server,
            &listen(
                "1",
                r#""toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["r:1"]"#
            )
        ),
        acknowledged("1", "")
    );
    answer(&mut server, &initialize("2025-06-18"));
    answer(&mut server, INITIALIZED);
    for list in [List::Tools, List::Prompts, List::Resources] {
        assert_eq!(change(&mut server, list), "");
    }
    assert_eq!(update(&mut server, "r:1"), "");
}

#[test]
fn a_stream_hears_of_what_it_asked_for_and_of_nothing_else() {
    let mut server = wide(app());
    let wishes = [
        (r#""a""#, r#""toolsListChanged":true"#),
        ("2", r#""promptsListChanged":true,"resourcesListChanged":true"#),
        (r#""\u0033""#, r#""resourceSubscriptions":["r:1","no:such"]"#),
        ("4", ""),
    ];
    for (id, filter) in wishes {
        assert_eq!(answer(&mut server, &listen(id, filter)), acknowledged(id, filter));
    }
    assert_eq!(change(&mut server, List::Tools), list_changed("tools", Some(r#""a""#)));
    assert_eq!(change(&mut server, List::Prompts), list_changed("prompts", Some("2")));
    assert_eq!(change(&mut server, List::Resources), list_changed("resources", Some("2")));
    assert_eq!(update(&mut server, "r:1"), updated("r:1", r#""\u0033""#));
    assert_eq!(update(&mut server, "no:such"), updated("no:such", r#""\u0033""#));
    assert_eq!(update(&mut server, "r:2"), "");
}

#[test]
fn the_filter_is_read_strictly() {
    let mut server = wide(app());
    for (filter, accepted) in [
        (r#""toolsListChanged":false"#, ""),
        (r#""toolsListChanged":false,"unknown":7"#, ""),
        (r#""resourceSubscriptions":[]"#, r#""resourceSubscriptions":[]"#),
        (r#""resourceSubscriptions":["r:1","r:\u0031"]"#, r#""resourceSubscriptions":["r:1"]"#),
        (
            r#""resourceSubscriptions":["r:1"],"toolsL\u0069stChanged":true"#,
            r#""toolsListChanged":true,"resourceSubscriptions":["r:1"]"#,
        ),
        (r#""taskIds":["a"]"#, ""),
        (r#""toolsListChanged":null,"resourceSubscriptions":null"#, ""),
    ] {
        assert_eq!(answer(&mut server, &listen("1", filter)), acknowledged("1", accepted), "{filter}");
        answer(&mut server, &cancel("1"));
    }
    let invalid = error("1", -32602, "Invalid params");
    for members in [
        "",
        r#""notifications":null"#,
        r#""notifications":[]"#,
        r#""notifications":{},"notifications":{}"#,
        r#""notifications":{"toolsListChanged":1}"#,
        r#""notifications":{"promptsListChanged":"true"}"#,
        r#""notifications":{"resourcesListChanged":true,"resourcesListChanged":true}"#,
        r#""notifications":{"resourceSubscriptions":"r:1"}"#,
        r#""notifications":{"resourceSubscriptions":["r:1",7]}"#,
    ] {
        let line = modern("1", "subscriptions/listen", members);
        assert_eq!(answer(&mut server, &line), invalid, "{members}");
    }
}

#[test]
fn tasks_are_watched_with_the_extension_only() {
    let mut server = Hosted::new(Demo::new(NoHost));
    assert_eq!(
        answer(&mut server, &listen("1", r#""taskIds":["a"]"#)),
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"Missing required client capability","#,
            r#""data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}"#,
            "\n"
        )
    );
    assert_eq!(answer(&mut server, &listen("1", "")), acknowledged("1", ""));
}

#[test]
fn everybody_who_watches_gets_one_copy() {
    let mut server = wide(app());
    answer(&mut server, &initialize("2025-11-25"));
    answer(&mut server, INITIALIZED);
    answer(&mut server, &request("1", "resources/subscribe", r#"{"uri":"r:1"}"#));
    answer(&mut server, &listen("2", r#""toolsListChanged":true,"resourceSubscriptions":["r:1"]"#));
    answer(&mut server, &listen("3", r#""toolsListChanged":true,"resourceSubscriptions":["r:1","r:1"]"#));
    assert_eq!(
        update(&mut server, "r:1"),
        [updated_for_session("r:1"), updated("r:1", "2"), updated("r:1", "3")].concat()
    );
    assert_eq!(
        change(&mut server, List::Tools),
        [list_changed("tools", None), list_changed("tools", Some("2")), list_changed("tools", Some("3"))]
            .concat()
    );
    // The end of one is not the end of the others.
    assert_eq!(answer(&mut server, &cancel("2")), "");
    assert_eq!(update(&mut server, "r:1"), [updated_for_session("r:1"), updated("r:1", "3")].concat());
    answer(&mut server, &request("1", "resources/unsubscribe", r#"{"uri":"r:1"}"#));
    assert_eq!(update(&mut server, "r:1"), updated("r:1", "3"));
}

#[test]
fn the_places_of_a_stream_are_free_when_it_has_ended() {
    let mut server = wide(app());
    for round in 0..20 {
        let id = round.to_string();
        let filter = r#""resourceSubscriptions":["r:1","r:2","r:3"]"#;
        assert_eq!(answer(&mut server, &listen(&id, filter)), acknowledged(&id, filter));
        if round % 2 == 0 {
            answer(&mut server, &cancel(&id));
        } else {
            assert_eq!(written(&mut server, 512, |server, out| server.end_streams(out)).0, ended(&id));
        }
    }
    // More than there are places: what has none is not acknowledged.
    let filter = r#""resourceSubscriptions":["r:1","r:2","r:3","r:4","r:5"]"#;
    let accepted = r#""resourceSubscriptions":["r:1","r:2","r:3","r:4"]"#;
    assert_eq!(answer(&mut server, &listen("77", filter)), acknowledged("77", accepted));
}

#[test]
fn a_small_output_takes_several_rounds() {
    let mut server = wide(app());
    answer(&mut server, &initialize("2025-11-25"));
    answer(&mut server, INITIALIZED);
    for id in ["2", "3", "4"] {
        answer(&mut server, &listen(id, r#""toolsListChanged":true"#));
    }
    let all = [
        list_changed("tools", None),
        list_changed("tools", Some("2")),
        list_changed("tools", Some("3")),
        list_changed("tools", Some("4")),
    ]
    .concat();
    for room in list_changed("tools", Some("2")).len()..all.len() + 10 {
        let mut told = String::new();
        loop {
            let (lines, status) =
                written(&mut server, room, |server, out| server.list_changed(List::Tools, out));
            told += &lines;
            if status == Status::Done {
                break;
            }
            assert!(!lines.is_empty());
        }
        assert_eq!(told, all, "{room}");
    }
    // What fits no output of this size is told to the application, and the rest goes on.
    let (lines, status) = written(&mut server, list_changed("tools", None).len(), |server, out| {
        server.list_changed(List::Tools, out)
    });
    assert_eq!((lines, status), (list_changed("tools", None), Status::More));
    let (lines, status) = written(&mut server, list_changed("tools", None).len(), |server, out| {
        server.list_changed(List::Tools, out)
    });
    assert_eq!((lines.as_str(), status), ("", Status::Done));
    assert_eq!(server.handler().log.events.iter().filter(|event| *event == "no room").count(), 3);
    assert_eq!(change(&mut server, List::Tools), all);
}

#[test]
fn streams_end_with_a_response_each() {
    let mut server = wide(app());
    for id in ["1", r#""b""#, "3"] {
        answer(&mut server, &listen(id, r#""toolsListChanged":true"#));
    }
    let all = [ended("1"), ended(r#""b""#), ended("3")].concat();
    let mut found = String::new();
    let mut rounds = 0;
    loop {
        let (lines, status) =
            written(&mut server, ended(r#""b""#).len(), |server, out| server.end_streams(out));
        found += &lines;
        rounds += 1;
        if status == Status::Done {
            break;
        }
    }
    assert_eq!((found, rounds), (all, 3));
    assert_eq!(change(&mut server, List::Tools), "");
    assert_eq!(
        written(&mut server, 512, |server, out| server.end_streams(out)),
        (String::new(), Status::Done)
    );
    // The ids are free.
    assert_eq!(answer(&mut server, &listen("1", "")), acknowledged("1", ""));
}

#[test]
fn a_session_hears_nothing_before_it_is_open() {
    let mut server = wide(app());
    assert_eq!(change(&mut server, List::Tools), "");
    // Served without a session, but there is nobody to tell.
    assert_eq!(
        answer(&mut server, &request("1", "resources/subscribe", r#"{"uri":"r:1"}"#)),
        result("1", "")
    );
    assert_eq!(update(&mut server, "r:1"), "");
    answer(&mut server, &initialize("2025-11-25"));
    // The client has not said yet that it is ready.
    assert_eq!(change(&mut server, List::Tools), "");
    answer(&mut server, &request("2", "ping", ""));
    assert_eq!(change(&mut server, List::Tools), "");
    answer(&mut server, INITIALIZED);
    assert_eq!(change(&mut server, List::Tools), list_changed("tools", None));
    assert_eq!(update(&mut server, "r:1"), updated_for_session("r:1"));
}

#[test]
fn a_client_that_sends_requests_is_ready() {
    let mut server = wide(app());
    answer(&mut server, &initialize("2025-11-25"));
    answer(&mut server, &modern("1", "tools/list", ""));
    assert_eq!(change(&mut server, List::Tools), "");
    // Another handshake, which is refused, says no more than the first.
    answer(&mut server, &initialize("2025-11-25"));
    assert_eq!(change(&mut server, List::Tools), "");
    answer(&mut server, &request("2", "tools/list", ""));
    assert_eq!(change(&mut server, List::Tools), list_changed("tools", None));
}

#[test]
fn a_reset_forgets_the_session_and_the_streams() {
    let mut server = wide(app());
    answer(&mut server, &initialize("2025-11-25"));
    answer(&mut server, INITIALIZED);
    answer(&mut server, &request("1", "resources/subscribe", r#"{"uri":"r:1"}"#));
    answer(&mut server, &listen("2", r#""toolsListChanged":true,"resourceSubscriptions":["r:1"]"#));
    server.reset();
    assert_eq!(update(&mut server, "r:1"), "");
    assert_eq!(change(&mut server, List::Tools), "");
    assert_eq!(written(&mut server, 512, |server, out| server.end_streams(out)).0, "");
    answer(&mut server, &initialize("2025-11-25"));
    answer(&mut server, INITIALIZED);
    assert_eq!(update(&mut server, "r:1"), "");
    assert_eq!(answer(&mut server, &listen("2", "")), acknowledged("2", ""));
}

#[test]
fn a_reset_between_two_rounds_starts_the_next_change_at_its_beginning() {
    let mut server = wide(app());
    for id in ["1", "2"] {
        answer(&mut server, &listen(id, r#""toolsListChanged":true"#));
    }
    let (_, status) = written(&mut server, list_changed("tools", Some("1")).len(), |server, out| {
        server.list_changed(List::Tools, out)
    });
    assert_eq!(status, Status::More);
    server.reset();
    answer(&mut server, &listen("1", r#""toolsListChanged":true"#));
    assert_eq!(change(&mut server, List::Tools), list_changed("tools", Some("1")));
}

#[test]
fn a_stream_that_ends_between_two_rounds_takes_nothing_from_the_others() {
    for (gone, left) in [("1", &["2", "3", "4"][..]), ("3", &["2", "4"])] {
        let mut server = wide(app());
        for id in ["1", "2", "3", "4"] {
            answer(&mut server, &listen(id, r#""toolsListChanged":true"#));
        }
        let room = list_changed("tools", Some("1")).len();
        let round = |server: &mut Wide| written(server, room, Wide::drain);
        let line = |id| list_changed("tools", Some(id));
        server.server.list_changed(List::Tools);
        assert_eq!(round(&mut server), (line("1"), Status::More));
        let (lines, sent) = written(&mut server, 0, |hosted, out| {
            let cancel = cancel(gone);
            let mut frame = Frame::new(cancel.as_bytes());
            hosted.server.receive(Origin::ONLY, &mut frame, &mut hosted.app, out)
        });
        assert_eq!((lines.as_str(), sent), ("", Sent::Nothing));
        let rest: String = left.iter().map(|_| round(&mut server).0).collect();
        let expected: String = left.iter().map(|id| line(id)).collect();
        assert_eq!(rest, expected, "without {gone}");
        assert_eq!(round(&mut server), (String::new(), Status::Done));
    }
}

#[test]
fn changes_of_one_thing_are_one_notification_until_it_is_sent() {
    let mut server = wide(app());
    answer(&mut server, &listen("1", r#""toolsListChanged":true,"resourceSubscriptions":["r:1","r:2"]"#));
    for uri in ["r:2", "r:1", "r:2"] {
        server.server.resource_updated(uri);
        server.server.list_changed(List::Tools);
    }
    // In the order in which they came due first.
    let expected = [updated("r:2", "1"), list_changed("tools", Some("1")), updated("r:1", "1")];
    assert_eq!(written(&mut server, 4096, Wide::drain), (expected.concat(), Status::Done));
    assert_eq!(update(&mut server, "r:1"), updated("r:1", "1"));
}
