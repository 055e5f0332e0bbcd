//! Texts that are longer than the memory that keeps them: each has its own error, whatever the tables hold, and none
//! gives `Server busy` or `Internal error`.

use barewire::engine::{AskError, Disposition, Full, Options, Progress, Server};
use barewire::mcp::{InputRequest, Prompt, Resource, ResourceTemplate, UriTemplate};

use crate::engine_kit::{
    App, answer, call, cancel, error, initialize_with, json, modern, modern_of, question, reply, request,
    result, text, written,
};
use crate::engine_tasks::{about, call_of, server_of, start};

/// Ids and progress tokens have 16 bytes, other texts 24.
type Small<const N: usize> = Server<App, Full, N, N, 16, 24>;

const ROOTS: &str = r#"{"roots":{}}"#;

fn watching() -> App {
    App {
        templates: vec![ResourceTemplate::new(UriTemplate::new("r:{x}"), "r")],
        offers: |offered| offered.resources_subscribe = true,
        ..App::new()
    }
}

fn uri(length: usize) -> String {
    format!("r:{}", "a".repeat(length - 2))
}

#[test]
fn a_uri_that_is_too_long_to_be_watched() {
    let too_long = error("1", -32602, "Resource URI too long");
    let subscribe = |uri: &str| request("1", "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#));
    let mut server = Small::<2>::new(watching());
    for _ in 0..2 {
        for length in [25, 26, 100, 5000] {
            assert_eq!(
                answer(&mut server, &subscribe(&uri(length))),
                too_long,
                "{length}"
            );
        }
        // The same twice, to take both places.
        for taken in [uri(24), uri(3)] {
            assert_eq!(answer(&mut server, &subscribe(&taken)), result("1", ""));
        }
    }
    assert_eq!(
        answer(&mut server, &subscribe(&uri(4))),
        error("1", -32603, "Server busy")
    );
    // As it is written.
    assert_eq!(
        answer(&mut server, &subscribe(r"r:\u0061\u0061\u0061\u0061")),
        too_long
    );
    // An unknown resource is not found, however long its URI.
    assert_eq!(
        answer(&mut server, &subscribe(&"x".repeat(100))),
        error("1", -32002, "Resource not found")
    );
    // A resource that cannot be watched can still be unsubscribed from.
    let unsubscribe = request(
        "1",
        "resources/unsubscribe",
        &format!(r#"{{"uri":"{}"}}"#, uri(100)),
    );
    assert_eq!(answer(&mut server, &unsubscribe), result("1", ""));
}

#[test]
fn a_uri_that_is_too_long_for_a_stream() {
    let listen = |uris: &str| {
        modern(
            "1",
            "subscriptions/listen",
            &format!(r#""notifications":{{"resourceSubscriptions":[{uris}]}}"#),
        )
    };
    let too_long = error("1", -32602, "Resource URI too long");
    let mut server = Small::<2>::new(watching());
    for uris in [
        format!(r#""{}""#, uri(25)),
        format!(r#""r:1","{}""#, uri(25)),
        format!(r#""r:1","r:2","r:3","{}""#, uri(5000)),
    ] {
        assert_eq!(answer(&mut server, &listen(&uris)), too_long, "{uris}");
    }
    // No stream was opened: the id is free.
    let fits = listen(&format!(r#""{}""#, uri(24)));
    assert!(answer(&mut server, &fits).contains(&uri(24)));
    answer(&mut server, &cancel("1"));
    // A server whose resources cannot be watched keeps no URI.
    let mut server = Small::<2>::new(App {
        offers: |_| {},
        ..watching()
    });
    assert!(answer(&mut server, &listen(&format!(r#""{}""#, uri(25)))).contains("acknowledged"));
}

#[test]
fn an_id_or_a_token_that_is_too_long_is_not_a_matter_of_room() {
    let (long_id, long_token) = ("1".repeat(17), "2".repeat(16));
    let with_token = request(
        "7",
        "tools/call",
        &format!(r#"{{"name":"t","_meta":{{"progressToken":{long_token}}}}}"#),
    );
    let listen = modern(&long_id, "subscriptions/listen", r#""notifications":{}"#);
    let id_too_long = error(&long_id, -32603, "Request id too long");
    let token_too_long = error("7", -32603, "Progress token too long");
    let mut server = Small::<1>::new(App::deferring());
    for is_full in [false, true] {
        assert_eq!(answer(&mut server, &call(&long_id)), id_too_long, "{is_full}");
        assert_eq!(answer(&mut server, &with_token), token_too_long, "{is_full}");
        assert_eq!(answer(&mut server, &listen), id_too_long, "{is_full}");
        if !is_full {
            assert_eq!(answer(&mut server, &call("1")), "");
            answer(
                &mut server,
                &modern("2", "subscriptions/listen", r#""notifications":{}"#),
            );
        }
    }
    assert_eq!(answer(&mut server, &call("3")), error("3", -32603, "Server busy"));
    // A call that is answered at once keeps nothing.
    let mut server = Small::<1>::new(App::of_tool(|_, _, reply| {
        reply.progress(&Progress::new(1));
        reply.text("x");
        Ok(Disposition::Done)
    }));
    assert!(answer(&mut server, &with_token).ends_with(&text("7", "x", false)));
}

#[test]
fn a_token_that_is_too_long_for_a_task() {
    let long = "2".repeat(49);
    let mut server = server_of::<4, 2>(App::of_tasks(), Options::DEFAULT);
    let asked = |token: &str| {
        call_of(
            "1",
            "optional",
            &format!(r#""task":{{}},"_meta":{{"progressToken":{token}}}"#),
        )
    };
    for _ in 0..3 {
        assert_eq!(
            answer(&mut server, &asked(&long)),
            error("1", -32603, "Progress token too long")
        );
    }
    assert!(server.handler().log.tasks.is_empty(), "the tool does not run");
    assert!(answer(&mut server, &asked(&long[..48])).contains("taskId"));
    let token = server.handler().log.tasks[0];
    let (line, _) = written(&mut server, 512, |server, out| {
        server.task_progress(token, &Progress::new(1), out)
    });
    assert!(line.contains(&long[..48]));
    // A modern task reports no progress after its response, so it keeps no token.
    let capabilities = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
    let modern = modern_of("2", "tools/call", r#""name":"optional""#, capabilities)
        .replace(r#""_meta":{"#, &format!(r#""_meta":{{"progressToken":{long},"#));
    assert!(answer(&mut server, &modern).contains("taskId"));
}

#[test]
fn a_request_for_the_result_of_a_task_keeps_its_id_only() {
    let mut server = server_of::<1, 2>(App::of_tasks(), Options::DEFAULT);
    let (id, _) = start(&mut server, "{}");
    let long = "1".repeat(49);
    for is_full in [false, true] {
        assert_eq!(
            answer(&mut server, &about(&long, "tasks/result", &id)),
            error(&long, -32603, "Request id too long"),
            "{is_full}"
        );
        if !is_full {
            // No progress is reported under its token.
            let params = format!(r#"{{"taskId":"{id}","_meta":{{"progressToken":{long}}}}}"#);
            assert_eq!(answer(&mut server, &request("2", "tasks/result", &params)), "");
        }
    }
    assert_eq!(
        answer(&mut server, &about("3", "tasks/result", &id)),
        error("3", -32603, "Server busy")
    );
}

#[test]
fn a_task_that_is_watched_is_kept_as_the_server_spells_it() {
    let capabilities = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
    let mut server: Server<App, Full, 2, 2, 48, 16> = Server::new(App::of_tasks());
    let started = answer(
        &mut server,
        &modern_of("1", "tools/call", r#""name":"optional""#, capabilities),
    );
    let id = json(&started)["result"]["taskId"]
        .as_str()
        .expect("a task")
        .to_owned();
    let escaped: String = id
        .chars()
        .map(|digit| format!("\\u{:04x}", u32::from(digit)))
        .collect();
    let listen = modern_of(
        "2",
        "subscriptions/listen",
        &format!(r#""notifications":{{"taskIds":["{escaped}"]}}"#),
        capabilities,
    );
    assert!(answer(&mut server, &listen).contains(&format!(r#""taskIds":["{escaped}"]"#)));
    let token = server.handler().log.tasks[0];
    let (line, _) = written(&mut server, 1024, |server, out| {
        server.finish_task(token, barewire::engine::TaskEnd::Completed, out)
    });
    assert!(
        line.contains(&id) && line.contains("notifications/tasks"),
        "{line}"
    );
}

/// Asks with a state of the length in the id of the request.
fn asking() -> App {
    App {
        resources: vec![Resource::new("r:1", "r")],
        templates: vec![ResourceTemplate::new(UriTemplate::new("r:{x}"), "r")],
        prompts: vec![Prompt::new("p")],
        read: |_, read, reply| {
            let length = read.context().id().to_i64().unwrap_or_default();
            reply
                .ask("k", &InputRequest::Roots)
                .keep(&"s".repeat(usize::try_from(length).unwrap_or_default()));
            Ok(Disposition::Asked)
        },
        prompt: |_, get, reply| {
            let length = get.context().id().to_i64().unwrap_or_default();
            reply
                .ask("k", &InputRequest::Roots)
                .keep(&"s".repeat(usize::try_from(length).unwrap_or_default()));
            Ok(Disposition::Asked)
        },
        resume: |_, resumed, reply| {
            assert!(resumed.is("t"));
            reply.text("x");
            Ok(Disposition::Done)
        },
        ..App::of_tool(|_, call, reply| {
            let length = call.context().id().to_i64().unwrap_or_default();
            reply
                .ask("k", &InputRequest::Roots)
                .keep(&"s".repeat(usize::try_from(length).unwrap_or_default()));
            Ok(Disposition::Asked)
        })
    }
}

fn session() -> Small<2> {
    let mut server = Small::new(asking());
    answer(&mut server, &initialize_with("2025-11-25", ROOTS));
    server.handler_mut().log.events.clear();
    server
}

#[test]
fn a_state_that_is_too_long() {
    // `["k","t","…"]` in 24 bytes, and the same for a prompt and a resource.
    for (method, params, most) in [
        ("tools/call", r#"{"name":"t"}"#, 12),
        // However the client spells a declared name.
        ("tools/call", r#"{"name":"\u0074"}"#, 12),
        ("prompts/get", r#"{"name":"p"}"#, 12),
        ("prompts/get", r#"{"name":"\u0070"}"#, 12),
        ("resources/read", r#"{"uri":"r:1"}"#, 10),
    ] {
        for length in [0, most, most + 1, most + 2, 100] {
            let mut server = session();
            let id = length.to_string();
            let line = request(&id, method, params);
            if length <= most {
                assert_eq!(
                    answer(&mut server, &line),
                    question(1, "roots/list", ""),
                    "{method} {length}"
                );
                assert!(server.handler().log.events.is_empty());
                continue;
            }
            assert_eq!(
                answer(&mut server, &line),
                error(&id, -32603, "State too long"),
                "{method} {length}"
            );
            assert_eq!(
                server.handler().log.events,
                ["misuse: an input request and its state are longer than `TEXT`"]
            );
            // The call is not in flight, and has used no id.
            assert_eq!(server.next_deadline(), None);
            assert_eq!(answer(&mut server, &request("0", "ping", "")), result("0", ""));
        }
    }
    // A modern client keeps it.
    let mut server = session();
    let line = modern_of("100", "tools/call", r#""name":"t""#, ROOTS);
    assert!(answer(&mut server, &line).contains(&"s".repeat(100)));
}

#[test]
fn a_name_that_is_spelled_with_escapes_is_kept() {
    let mut server = session();
    let line = request("12", "tools/call", r#"{"name":"\u0074"}"#);
    assert_eq!(answer(&mut server, &line), question(1, "roots/list", ""));
    assert_eq!(
        answer(&mut server, &reply("1", r#""roots":[]"#)),
        text("12", "x", false)
    );
}

#[test]
fn a_uri_that_is_too_long_to_ask_about() {
    let read = |length: usize| request("0", "resources/read", &format!(r#"{{"uri":"{}"}}"#, uri(length)));
    // `["k","…",""]` in 24 bytes.
    for length in [14, 16, 24, 25, 5000] {
        let mut server = session();
        for _ in 0..2 {
            assert_eq!(
                answer(&mut server, &read(length)),
                error("0", -32602, "Resource URI too long"),
                "{length}"
            );
        }
        assert!(server.handler().log.events.is_empty(), "not the handler's fault");
        assert_eq!(server.next_deadline(), None);
    }
    let mut server = session();
    assert_eq!(answer(&mut server, &read(13)), question(1, "roots/list", ""));
}

#[test]
fn a_task_whose_question_is_too_long() {
    let app = App {
        task_asks: |_, _, questions| {
            questions.ask("a key that is longer than that", &InputRequest::Roots);
        },
        ..App::of_tasks()
    };
    let mut server: Server<App, Full, 4, 2, 48, 24> = Server::new(app);
    answer(&mut server, &initialize_with("2025-11-25", ROOTS));
    answer(
        &mut server,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    );
    answer(&mut server, &call_of("1", "optional", r#""task":{}"#));
    let token = server.handler().log.tasks[0];
    for _ in 0..2 {
        let (line, asked) = written(&mut server, 512, |server, out| {
            server.task_needs_input(token, out)
        });
        assert_eq!((line.as_str(), asked), ("", Err(AskError::TooLong)));
    }
}

/// No table keeps more than 65535 bytes, whatever its capacity. The test has a stack for tables of that size.
#[test]
fn what_no_table_keeps_is_too_long_too() {
    let thread = std::thread::Builder::new().stack_size(1 << 26);
    let tested = thread.spawn(in_large_tables).expect("a thread");
    tested.join().expect("no panic");
}

fn in_large_tables() {
    const ROOM: usize = 70_000;
    let mut server: Box<Server<App, Full, 1, 1, ROOM, ROOM>> = Box::new(Server::new(App {
        resources: Vec::new(),
        templates: vec![ResourceTemplate::new(UriTemplate::new("r:{x}"), "r")],
        offers: |offered| offered.resources_subscribe = true,
        ..App::deferring()
    }));
    let subscribe = |length| {
        request(
            "1",
            "resources/subscribe",
            &format!(r#"{{"uri":"{}"}}"#, uri(length)),
        )
    };
    assert_eq!(
        answer(&mut server, &subscribe(65_536)),
        error("1", -32602, "Resource URI too long")
    );
    assert_eq!(answer(&mut server, &subscribe(65_535)), result("1", ""));
    let digits = "1".repeat(65_536);
    let found = crate::engine_kit::answer_in(&mut server, 1 << 18, &call(&digits));
    assert!(
        found.contains("Request id too long"),
        "{}",
        &found[found.len() - 100..]
    );
    let with_token = |token: &str| {
        let params = format!(r#"{{"name":"t","_meta":{{"progressToken":{token}}}}}"#);
        request("7", "tools/call", &params)
    };
    assert_eq!(
        answer(&mut server, &with_token(&digits)),
        error("7", -32603, "Progress token too long")
    );
    assert_eq!(answer(&mut server, &with_token(&digits[..65_534])), "");
}
