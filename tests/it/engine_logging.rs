//! Log messages: to a session by its level, to a modern request by its own.

use barewire::json::JsonStr;
use barewire::mcp::{Capabilities, InputRequest, LoggingLevel, Prompt, Resource, Role};

use crate::engine_kit::{
    App, Hosted, answer, call, error, initialize, initialize_with, modern_with, reply, request, result, text,
    written,
};

/// Logs once on each level before its answer.
fn app() -> App {
    App {
        offers: |offered| offered.insert(Capabilities::LOGGING),
        ..App::of_tool(|_, _, mut reply| {
            for level in LoggingLevel::ALL {
                reply.log(level, None, level.as_str());
            }
            Ok(reply.text("x"))
        })
    }
}

fn notification(level: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{\"level\":\"{level}\",\"data\":\"{level}\"}}}}\n"
    )
}

/// The notifications from this level on.
fn from(least: LoggingLevel) -> String {
    LoggingLevel::ALL
        .iter()
        .filter(|level| **level >= least)
        .map(|level| notification(level.as_str()))
        .collect()
}

/// What the application can send to the session at any time.
fn logged(server: &mut Hosted<App>) -> String {
    LoggingLevel::ALL
        .iter()
        .map(|level| {
            let (line, is_written) =
                written(server, 512, |server, out| server.log(*level, None, level.as_str(), out));
            assert_eq!(is_written, !line.is_empty());
            line
        })
        .collect()
}

#[test]
fn a_session_has_one_level_that_it_can_set() {
    let mut server: Hosted<App> = Hosted::new(app());
    assert_eq!(logged(&mut server), "", "before the handshake");
    answer(&mut server, &initialize("2025-06-18"));
    assert_eq!(logged(&mut server), from(LoggingLevel::Info));
    for level in LoggingLevel::ALL {
        let line = request("1", "logging/setLevel", &format!(r#"{{"level":"{}"}}"#, level.as_str()));
        assert_eq!(answer(&mut server, &line), result("1", ""));
        assert_eq!(logged(&mut server), from(level));
        assert_eq!(answer(&mut server, &call("2")), from(level) + &text("2", "x", false));
    }
    for wrong in [r#""EMERGENCY""#, r#""fatal""#, r#""""#, "1", "null", r#"["info"]"#] {
        let line = request("1", "logging/setLevel", &format!(r#"{{"level":{wrong}}}"#));
        assert_eq!(answer(&mut server, &line), error("1", -32602, "Invalid params"), "{wrong}");
    }
    // What was refused changed nothing.
    assert_eq!(logged(&mut server), from(LoggingLevel::Emergency));
    // Through its escapes.
    answer(&mut server, &request("1", "logging/setLevel", r#"{"level":"\u0064ebug"}"#));
    assert_eq!(logged(&mut server), from(LoggingLevel::Debug));
    server.reset();
    answer(&mut server, &initialize("2025-06-18"));
    assert_eq!(logged(&mut server), from(LoggingLevel::Info));
}

#[test]
fn a_modern_request_has_its_own_level_or_none() {
    let mut server: Hosted<App> = Hosted::new(app());
    let modern_text = |id: &str| {
        result(
            id,
            r#""resultType":"complete","content":[{"type":"text","text":"x"}],"isError":false,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"app","version":"1"}}"#,
        )
    };
    answer(&mut server, &initialize("2025-06-18"));
    answer(&mut server, &request("1", "logging/setLevel", r#"{"level":"debug"}"#));
    let call = |meta: &str| modern_with("1", "tools/call", r#""name":"t""#, meta);
    assert_eq!(answer(&mut server, &call("")), modern_text("1"));
    for level in LoggingLevel::ALL {
        let meta = format!(r#""io.modelcontextprotocol/logLevel":"{}""#, level.as_str());
        assert_eq!(answer(&mut server, &call(&meta)), from(level) + &modern_text("1"));
    }
    // The next request starts from nothing.
    assert_eq!(answer(&mut server, &call("")), modern_text("1"));
    assert_eq!(answer(&mut server, &call(r#""io.modelcontextprotocol/logLevel":null"#)), modern_text("1"));
    for wrong in [r#""loud""#, "1", "[]"] {
        let meta = format!(r#""io.modelcontextprotocol/logLevel":{wrong}"#);
        assert_eq!(answer(&mut server, &call(&meta)), error("1", -32602, "Invalid params"), "{wrong}");
    }
}

#[test]
fn without_the_capability_nothing_is_logged() {
    let mut server: Hosted<App> = Hosted::new(App { offers: |_| {}, ..app() });
    answer(&mut server, &initialize("2025-06-18"));
    assert_eq!(logged(&mut server), "");
    assert_eq!(answer(&mut server, &call("1")), text("1", "x", false));
    assert_eq!(
        answer(&mut server, &request("1", "logging/setLevel", r#"{"level":"debug"}"#)),
        error("1", -32601, "Method not found")
    );
    let meta = r#""io.modelcontextprotocol/logLevel":"debug""#;
    let answer = answer(&mut server, &modern_with("1", "tools/call", r#""name":"t""#, meta));
    assert_eq!(answer.matches('\n').count(), 1);
}

#[test]
fn a_logger_can_be_named() {
    let mut server: Hosted<App> = Hosted::new(app());
    answer(&mut server, &initialize("2025-06-18"));
    let (line, _) =
        written(&mut server, 512, |server, out| server.log(LoggingLevel::Error, Some("a\"b"), "c\nd", out));
    assert_eq!(
        line,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"error\",\"logger\":\"a\\\"b\",\"data\":\"c\\nd\"}}\n"
    );
    let (line, is_written) =
        written(&mut server, 20, |server, out| server.log(LoggingLevel::Error, None, "x", out));
    assert_eq!((line.as_str(), is_written), ("", false));
}

#[test]
fn levels_are_the_eight_of_the_standard_in_their_order() {
    let names = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    let found = LoggingLevel::ALL.map(LoggingLevel::as_str);
    assert_eq!(found, names);
    assert!(LoggingLevel::ALL.is_sorted());
    for (name, level) in names.iter().zip(LoggingLevel::ALL) {
        assert_eq!(JsonStr::from_escaped(name).and_then(LoggingLevel::from_name), Some(level));
    }
}

#[test]
fn resources_and_prompts_log_before_their_result_begins() {
    let app = App {
        resources: vec![Resource::new("r:", "r")],
        prompts: vec![Prompt::new("p")],
        read: |_, _, mut reply| {
            assert!(reply.log(LoggingLevel::Emergency, None, "before"));
            Ok(reply.text(None, "x"))
        },
        prompt: |_, _, mut reply| {
            assert!(reply.log(LoggingLevel::Emergency, None, "before"));
            Ok(reply.text(Role::User, "x"))
        },
        ..app()
    };
    let mut server: Hosted<App> = Hosted::new(app);
    answer(&mut server, &initialize("2025-11-25"));
    for line in
        [request("1", "resources/read", r#"{"uri":"r:"}"#), request("2", "prompts/get", r#"{"name":"p"}"#)]
    {
        let answers = answer(&mut server, &line);
        let (message, answer) = answers.split_once('\n').expect("two lines");
        assert!(message.contains("before") && answer.contains("\"result\""), "{answers}");
    }
}

fn set_level(server: &mut Hosted<App>, level: &str) {
    let line = request(r#""level""#, "logging/setLevel", &format!(r#"{{"level":"{level}"}}"#));
    assert_eq!(answer(server, &line), result(r#""level""#, ""));
}

/// A deferred call of each era; the modern one has its own level.
fn deferred() -> Hosted<App> {
    let mut server: Hosted<App> =
        Hosted::new(App { offers: |offered| offered.insert(Capabilities::LOGGING), ..App::deferring() });
    answer(&mut server, &initialize("2025-11-25"));
    answer(&mut server, &call("1"));
    for (id, meta) in [("2", r#""io.modelcontextprotocol/logLevel":"warning""#), ("3", "")] {
        answer(&mut server, &modern_with(id, "tools/call", r#""name":"t""#, meta));
    }
    server
}

/// The log messages of the deferred call in this place.
fn logged_of(server: &mut Hosted<App>, at: usize) -> String {
    let token = server.handler().log.tokens[at];
    let messages = LoggingLevel::ALL.iter().map(|level| {
        let (line, is_written) =
            written(server, 512, |server, out| server.log_for(token, *level, None, level.as_str(), out));
        assert_eq!(is_written, Ok(!line.is_empty()));
        line
    });
    messages.collect()
}

#[test]
fn a_level_reaches_the_calls_that_are_put_off() {
    for level in LoggingLevel::ALL {
        let mut server = deferred();
        set_level(&mut server, "emergency");
        set_level(&mut server, level.as_str());
        assert_eq!(logged_of(&mut server, 0), from(level));
        // A modern request has the level that it came with, or none.
        assert_eq!(logged_of(&mut server, 1), from(LoggingLevel::Warning));
        assert_eq!(logged_of(&mut server, 2), "");
    }
}

#[test]
fn a_level_reaches_the_calls_that_ask() {
    for level in LoggingLevel::ALL {
        let mut server: Hosted<App> = Hosted::new(App {
            offers: |offered| offered.insert(Capabilities::LOGGING),
            resume: |_, _, mut reply| {
                for level in LoggingLevel::ALL {
                    reply.log(level, None, level.as_str());
                }
                Ok(reply.text("x"))
            },
            ..App::of_tool(|_, _, reply| Ok(reply.ask("k", &InputRequest::Roots).done()))
        });
        answer(&mut server, &initialize_with("2025-11-25", r#"{"roots":{}}"#));
        answer(&mut server, &call("1"));
        set_level(&mut server, level.as_str());
        assert_eq!(answer(&mut server, &reply("1", r#""roots":[]"#)), from(level) + &text("1", "x", false));
    }
}

#[test]
fn a_level_of_another_peer_does_not_reach_the_next() {
    let mut server = deferred();
    set_level(&mut server, "debug");
    server.reset();
    answer(&mut server, &initialize("2025-11-25"));
    answer(&mut server, &call("1"));
    assert_eq!(logged_of(&mut server, 3), from(LoggingLevel::Info));
}
