//! Lists are paged by the room in the output; what has no room is an error, and never silence or half a line.

use barewire::demo::{Demo, NoHost};
use barewire::engine::MIN_OUTPUT;
use barewire::mcp::{Capabilities, Prompt, Resource, ResourceTemplate, Tool, UriTemplate};
use barewire::rpc::{Message, RequestId, classify};
use serde_json::Value;

use crate::engine_kit::{
    App, DEMO_REQUESTS, Hosted, Status, answer_in, error, json, modern, request, written,
};

const HUNDRED: usize = 100;

/// Text that lives as long as the tables.
fn leaked(text: String) -> &'static str {
    text.leak()
}

/// A hundred of each, of different lengths.
fn stocked() -> App {
    let name = |kind: &str, at: usize| leaked(format!("{kind}-{at}{}", "x".repeat(at % 7)));
    let about = |at: usize| leaked("a word ".repeat(at % 5 + 1));
    App {
        tools: (0..HUNDRED).map(|at| Tool::new(name("tool", at), about(at))).collect(),
        resources: (0..HUNDRED)
            .map(|at| Resource::new(name("r:", at), name("resource", at)).with_description(about(at)))
            .collect(),
        templates: (0..HUNDRED)
            .map(|at| {
                let template = UriTemplate::new(leaked(format!("t{at}:///{{x}}")));
                ResourceTemplate::new(template, name("template", at)).with_description(about(at))
            })
            .collect(),
        prompts: (0..HUNDRED).map(|at| Prompt::new(name("prompt", at)).with_description(about(at))).collect(),
        ..App::new()
    }
}

const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
    ("prompts/list", "prompts"),
];

/// Follows the cursors, and returns each page's entries. Every page has at least one.
fn pages(
    server: &mut Hosted<App>,
    is_modern: bool,
    method: &str,
    list: &str,
    room: usize,
) -> Vec<Vec<Value>> {
    let mut pages = Vec::new();
    let mut cursor = String::new();
    loop {
        let line = match (is_modern, cursor.as_str()) {
            (true, cursor) => modern("1", method, cursor),
            (false, "") => request("1", method, ""),
            (false, cursor) => request("1", method, &format!("{{{cursor}}}")),
        };
        let answer = answer_in(server, room, &line);
        assert!(answer.len() <= room);
        let answer = json(&answer);
        let page = answer["result"][list].as_array().expect("a list").clone();
        assert!(!page.is_empty(), "an empty page of {method} in {room} bytes");
        assert_eq!(answer["result"]["resultType"].is_string(), is_modern);
        pages.push(page);
        match answer["result"].get("nextCursor") {
            Some(next) => cursor = format!(r#""cursor":{next}"#),
            None => return pages,
        }
    }
}

#[test]
fn a_hundred_entries_of_each_list_go_through_one_kibibyte() {
    let mut server: Hosted<App> = Hosted::new(stocked());
    for is_modern in [false, true] {
        for (method, list) in LISTS {
            let whole = pages(&mut server, is_modern, method, list, 1 << 20).concat();
            assert_eq!(whole.len(), HUNDRED);
            let paged = pages(&mut server, is_modern, method, list, 1024);
            assert!(paged.len() > 5, "{method}");
            assert_eq!(paged.concat(), whole, "{method}");
        }
    }
}

#[test]
fn a_list_is_the_same_for_every_room_that_holds_an_entry() {
    let mut app = stocked();
    app.tools.truncate(12);
    let mut server: Hosted<App> = Hosted::new(app);
    for is_modern in [false, true] {
        let whole = pages(&mut server, is_modern, "tools/list", "tools", 1 << 20).concat();
        // From the room for the largest entry alone, with its cursor, on.
        let least = if is_modern { 400 } else { 240 };
        for room in least..2000 {
            let paged = pages(&mut server, is_modern, "tools/list", "tools", room);
            assert_eq!(paged.concat(), whole, "{room}");
        }
    }
}

#[test]
fn a_page_holds_as_many_entries_as_fit() {
    let mut server: Hosted<App> = Hosted::new(stocked());
    let paged = pages(&mut server, false, "tools/list", "tools", 1024);
    let mut next = 0;
    for page in &paged[..paged.len() - 1] {
        next += page.len();
        let first_of_next = serde_json::to_string(&paged.concat()[next]).expect("JSON");
        let cursor = format!(r#","nextCursor":"{next}""#);
        let entries = serde_json::to_string(page).expect("JSON");
        let written =
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":}}"#.len() + entries.len() + cursor.len() + 1;
        assert!(written + 1 + first_of_next.len() > 1024, "page before {next}");
    }
}

#[test]
fn the_last_page_needs_no_room_for_a_cursor() {
    let mut app = stocked();
    app.tools.truncate(5);
    let mut server: Hosted<App> = Hosted::new(app);
    for is_modern in [false, true] {
        let line = match is_modern {
            true => modern("1", "tools/list", ""),
            false => request("1", "tools/list", ""),
        };
        let whole = answer_in(&mut server, 1 << 16, &line);
        assert_eq!(answer_in(&mut server, whole.len(), &line), whole);
        let cut = json(&answer_in(&mut server, whole.len() - 1, &line));
        assert!(cut["result"]["nextCursor"].is_string());
    }
}

#[test]
fn an_entry_without_room_is_an_error_with_the_id() {
    let huge = Tool::new("huge", leaked("x".repeat(600)));
    let small = Tool::new("small", "y");
    let too_large = error("7", -32603, "Response too large");
    for tools in [vec![huge], vec![huge, small]] {
        let mut server: Hosted<App> = Hosted::new(App { tools, ..App::new() });
        assert_eq!(answer_in(&mut server, 512, &request("7", "tools/list", "")), too_large);
        assert_eq!(answer_in(&mut server, 512, &modern("7", "tools/list", "")), too_large);
    }
    // What stands before it is listed; its own page is the error.
    let tools = vec![small, huge, small];
    let mut server: Hosted<App> = Hosted::new(App { tools, ..App::new() });
    let first = json(&answer_in(&mut server, 512, &request("7", "tools/list", "")));
    assert_eq!(first["result"]["tools"].as_array().map(Vec::len), Some(1));
    assert_eq!(first["result"]["nextCursor"], "1");
    let at = |cursor: &str| request("7", "tools/list", &format!(r#"{{"cursor":"{cursor}"}}"#));
    assert_eq!(answer_in(&mut server, 512, &at("1")), too_large);
    let last = json(&answer_in(&mut server, 512, &at("2")));
    assert_eq!(last["result"]["tools"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_empty_list_is_a_list_and_has_no_cursor() {
    let mut server: Hosted<App> = Hosted::new(App {
        offers: |offered| {
            offered.insert(Capabilities::TOOLS | Capabilities::RESOURCES | Capabilities::PROMPTS);
        },
        ..App::new()
    });
    for (method, list) in LISTS {
        assert_eq!(
            answer_in(&mut server, 512, &request("1", method, "")),
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"{list}\":[]}}}}\n")
        );
        for cursor in ["0", "1", ""] {
            assert_eq!(
                answer_in(&mut server, 512, &request("1", method, &format!(r#"{{"cursor":"{cursor}"}}"#))),
                error("1", -32602, "Invalid cursor"),
                "{method} {cursor}"
            );
        }
    }
}

/// A request for every method, good and bad, in both eras. None is kept, so each is owed one line.
fn requests() -> Vec<String> {
    let legacy = DEMO_REQUESTS.map(|(method, members)| request("1", method, &format!("{{{members}}}")));
    let modern = DEMO_REQUESTS.map(|(method, members)| modern("1", method, members));
    let others = [
        request("1", "ping", "[]"),
        request("null", "ping", ""),
        "not-json".to_string(),
        "[]".to_string(),
        request(
            "1",
            "ping",
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}}"#,
        ),
        request("1", "ping", &format!("{}{}", r#"{"a":"#.repeat(200), "}".repeat(200))),
    ];
    [legacy.as_slice(), modern.as_slice(), others.as_slice()].concat()
}

/// Whether it is one whole line: a response with the id 1, or an error without one.
fn is_one_response(line: &[u8], needs_id: bool) -> bool {
    let Some((b'\n', line)) = line.split_last() else {
        return false;
    };
    let Ok(Message::Response(response)) = classify(line) else {
        return false;
    };
    !line.contains(&b'\n')
        && match response.id() {
            Some(id) => id == RequestId::from(1),
            None => !needs_id && response.outcome().is_err(),
        }
}

#[test]
fn every_request_has_one_line_in_every_output_of_the_least_size_or_more() {
    let requests = requests();
    let mut memory = [0; 2048];
    for room in 0..=memory.len() {
        let mut server = Hosted::new(Demo::new(NoHost));
        for line in &requests {
            let mut out = barewire::bytes::Sink::new(&mut memory[..room]);
            assert_eq!(server.handle_frame(line.as_bytes(), &mut out), Status::Done);
            let written = out.finish().expect("nothing that does not fit");
            let has_id = line.contains(r#""id":1,"#);
            assert!(
                is_one_response(written, has_id && room >= MIN_OUTPUT)
                    || (written.is_empty() && room < MIN_OUTPUT),
                "{line} in {room} bytes: {}",
                String::from_utf8_lossy(written)
            );
        }
    }
}

#[test]
fn silence_for_want_of_room_is_told_to_the_application() {
    let mut server: Hosted<App> = Hosted::new(stocked());
    for line in requests() {
        for room in [0, 10, 30, 60] {
            let before = server.handler().log.events.len();
            let (written, status) =
                written(&mut server, room, |server, out| server.handle_frame(line.as_bytes(), out));
            assert_eq!(status, Status::Done);
            let events = &server.handler().log.events[before..];
            let told = events.iter().any(|event| event == "no room");
            assert_eq!(told, written.is_empty(), "{line} in {room} bytes");
        }
    }
}
