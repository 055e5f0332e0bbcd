//! Reading resources: parts, templates, URIs as they were sent.

use barewire::demo::{Demo, NoHost};
use barewire::engine::CallError;
use barewire::mcp::{Capabilities, Resource, ResourceTemplate, UriTemplate};

use crate::engine_kit::{App, Hosted, answer, error, modern, request, result};

const ROOM: UriTemplate<'_> = UriTemplate::new("home:///{floor}/{room}.json");

fn read(uri: &str) -> String {
    request("1", "resources/read", &format!(r#"{{"uri":"{uri}"}}"#))
}

fn app() -> App {
    App {
        resources: vec![Resource::new("home:///all", "all")],
        templates: vec![ResourceTemplate::new(ROOM, "room")],
        read: |_, read, reply| {
            if read.is("home:///all") {
                let contents = reply
                    .contents()
                    .text(Some("text/plain"), "a")
                    .text(None, ["b", "c"])
                    .text_with(None, |json| {
                        json.begin_array().end_array();
                    })
                    .text(Some("a/b"), format_args!("{}\"", 7))
                    .blob(Some("image/png"), b"d")
                    .text_at("home:///1", None, "e")
                    .blob_at("home:///2", None, b"");
                return Ok(contents.done());
            }
            let part = |name| read.variable(ROOM, name).ok_or(CallError::NotFound);
            let (floor, room) = (part("floor")?, part("room")?);
            Ok(reply.contents().text(None, floor).text(None, room).done())
        },
        ..App::new()
    }
}

#[test]
fn a_resource_may_have_several_parts() {
    let mut server: Hosted<App> = Hosted::new(app());
    let parts = [
        r#"{"uri":"home:///all","mimeType":"text/plain","text":"a"}"#,
        r#"{"uri":"home:///all","text":"bc"}"#,
        r#"{"uri":"home:///all","text":"[]"}"#,
        r#"{"uri":"home:///all","mimeType":"a/b","text":"7\""}"#,
        r#"{"uri":"home:///all","mimeType":"image/png","blob":"ZA=="}"#,
        r#"{"uri":"home:///1","text":"e"}"#,
        r#"{"uri":"home:///2","blob":""}"#,
    ];
    assert_eq!(
        answer(&mut server, &read("home:///all")),
        result("1", &format!(r#""contents":[{}]"#, parts.join(",")))
    );
}

#[test]
fn a_template_matches_whole_uris_and_gives_its_variables() {
    let mut server: Hosted<App> = Hosted::new(app());
    for (uri, floor, room) in [
        ("home:///1/kitchen.json", "1", "kitchen"),
        ("home:///a%2Fb/c.d.json", "a%2Fb", "c.d"),
        ("home:///~/-._~.json", "~", "-._~"),
        (r"home:\/\/\/\u0031/k.json", "1", "k"),
        ("home:///1/.json.json", "1", ".json"),
    ] {
        let contents =
            format!(r#""contents":[{{"uri":"{uri}","text":"{floor}"}},{{"uri":"{uri}","text":"{room}"}}]"#);
        assert_eq!(answer(&mut server, &read(uri)), result("1", &contents), "{uri}");
    }
    for uri in [
        "home:///1/kitchen",
        "home:///1/.json",
        "home:////k.json",
        "home:///1/2/k.json",
        "home:///1/k.json/",
        "home:///1/k.jsonx",
        "Home:///1/k.json",
        "home:///1/k k.json",
        "home:///\u{e9}/k.json",
        r"home:///\ud800/k.json",
        "",
    ] {
        assert_eq!(answer(&mut server, &read(uri)), error("1", -32002, "Resource not found"), "{uri}");
    }
}

/// A URI with whatever a client may percent-encode.
#[test]
fn the_demo_decodes_the_number_of_its_template() {
    let mut server: Hosted<Demo<NoHost>> = Hosted::new(Demo::new(NoHost));
    for uri in [
        "demo://square/12",
        "demo://square/%31%32",
        "demo://square/1%32",
        r"demo:\/\/square\/12",
        r"demo://square/\u0031\u0032",
        r"demo://square/\u002531%3\u0032",
        "demo://square/%30%30%30%30%30%30%31%32",
    ] {
        let contents = format!(r#""contents":[{{"uri":"{uri}","mimeType":"text/plain","text":"144"}}]"#);
        assert_eq!(answer(&mut server, &read(uri)), result("1", &contents), "{uri}");
    }
    for uri in [
        "demo://square/",
        "demo://square/%31%2F%32",
        "demo://square/1%2F2",
        "demo://square/%2531",
        "demo://square/%2B1",
        "demo://square/%D9%A1",
        "demo://square/65536",
        "demo://square/%36%35%35%33%36",
        "demo://square/1%00",
        "demo://square/%00",
        "demo://square/%",
        "demo://square/1%3",
        "demo://square/%3G",
        "demo://square/%FF",
        "demo://square/%C3",
        r"demo://square/%\ud8001",
        "demo://%73quare/12",
        "%64emo://square/12",
    ] {
        let not_found = error("1", -32002, "Resource not found");
        assert_eq!(answer(&mut server, &read(uri)), not_found, "{uri}");
    }
    // The same URIs can be watched.
    let subscribe = |uri: &str| request("1", "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#));
    assert_eq!(answer(&mut server, &subscribe("demo://square/%31%32")), result("1", ""));
    for uri in ["demo://square/1%00", "demo://square/%3", "demo://square/%FF"] {
        let not_found = error("1", -32002, "Resource not found");
        assert_eq!(answer(&mut server, &subscribe(uri)), not_found, "{uri}");
    }
}

/// A handler gets both forms of a value.
#[test]
fn a_value_as_it_was_sent_and_decoded() {
    let mut server: Hosted<App> = Hosted::new(App {
        read: |log, read, reply| {
            let room = read.decoded(ROOM, "room").ok_or(CallError::NotFound)?;
            assert_eq!(read.variable(ROOM, "room"), Some(room.as_sent()));
            log.notes.push(format!("{} {room}", room.as_sent()));
            Ok(reply.text(None, "ok"))
        },
        ..app()
    });
    for (name, room, notes) in [
        ("plain", "kitchen", "kitchen kitchen"),
        ("a slash and dots", "..%2f..%2Fetc", "..%2f..%2Fetc ../../etc"),
        ("decoded once", "%252F", "%252F %2F"),
        ("a character of several bytes", "%C3%A9", "%C3%A9 \u{e9}"),
        ("JSON escapes too", r"\u0025\u0034\u0031", "%41 A"),
    ] {
        answer(&mut server, &read(&format!("home:///1/{room}.json")));
        let found = server.handler_mut().log.notes.pop();
        assert_eq!(found.as_deref(), Some(notes), "{name}");
    }
    for (name, uri) in [
        ("the value is broken", "home:///1/%80.json"),
        ("another value is broken", "home:///%80/kitchen.json"),
        ("an escape is cut", "home:///1/k%2.json"),
    ] {
        let not_found = error("1", -32002, "Resource not found");
        assert_eq!(answer(&mut server, &read(uri)), not_found, "{name}");
    }
}

#[test]
fn the_uri_is_echoed_as_it_was_sent() {
    let mut server: Hosted<App> = Hosted::new(app());
    let missing = answer(&mut server, &modern("1", "resources/read", r#""uri":"no\u003a\ud800""#));
    assert_eq!(
        missing,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"Resource not found\",\"data\":{\"uri\":\"no\\u003a\\ud800\"}}}\n"
    );
}

#[test]
fn a_resource_need_not_be_listed() {
    let mut server: Hosted<App> = Hosted::new(App {
        offers: |offered| offered.insert(Capabilities::RESOURCES),
        read: |_, read, reply| Ok(reply.text(None, read.uri())),
        ..App::new()
    });
    assert_eq!(
        answer(&mut server, &read("any:thing")),
        result("1", r#""contents":[{"uri":"any:thing","text":"any:thing"}]"#)
    );
}
