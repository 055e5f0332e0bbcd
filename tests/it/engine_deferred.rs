//! Calls that are answered later: once, in their own era, and never after a cancellation.

use barewire::engine::{CallError, NotInFlight, Progress, Role};
use barewire::mcp::{LoggingLevel, Prompt, Resource};
use barewire::rpc::ErrorCode;

use crate::engine_kit::{
    App, Call, Hosted, Status, answer, call, cancel, error, initialize, json, modern, request, result, text,
    written,
};

/// Tool, resource and prompt, all of which are answered later.
fn app() -> App {
    App {
        resources: vec![Resource::new("r:1", "r")],
        prompts: vec![Prompt::new("p")],
        read: |log, _, reply| {
            let (token, outcome) = reply.defer()?;
            log.tokens.push(token);
            Ok(outcome)
        },
        prompt: |log, _, reply| {
            let (token, outcome) = reply.defer()?;
            log.tokens.push(token);
            Ok(outcome)
        },
        ..App::deferring()
    }
}

fn done(server: &mut Hosted<App>, at: usize) -> (String, Result<Status, NotInFlight>) {
    let token = server.handler().log.tokens[at];
    written(server, 512, |server, out| {
        server.complete_tool(token, out, |result| Ok(result.text("done").done()))
    })
}

#[test]
fn a_call_is_answered_exactly_once() {
    let mut server: Hosted<App> = Hosted::new(app());
    assert_eq!(answer(&mut server, &call("1")), "");
    assert_eq!(server.in_flight(), 1);
    assert_eq!(done(&mut server, 0), (text("1", "done", false), Ok(Status::Done)));
    assert_eq!(server.in_flight(), 0);
    assert_eq!(done(&mut server, 0), (String::new(), Err(NotInFlight)));
}

#[test]
fn calls_are_answered_in_any_order() {
    let mut server: Hosted<App> = Hosted::new(app());
    for id in ["1", r#""1""#, "2"] {
        answer(&mut server, &call(id));
    }
    assert_eq!(done(&mut server, 1).0, text(r#""1""#, "done", false));
    assert_eq!(done(&mut server, 2).0, text("2", "done", false));
    // A place that is free is used again, under another token.
    answer(&mut server, &call("2"));
    assert_eq!(done(&mut server, 2).1, Err(NotInFlight));
    assert_eq!(done(&mut server, 3).0, text("2", "done", false));
    assert_eq!(done(&mut server, 0).0, text("1", "done", false));
    assert_eq!(server.in_flight(), 0);
}

/// A handler may have begun the work when it fails: that must not answer the call of somebody else.
#[test]
fn a_token_that_was_taken_in_vain_is_not_given_again() {
    let wrongs: [Call; 2] = [
        |log, _, reply| {
            log.tokens.push(reply.defer()?.0);
            Err(CallError::Failed("no"))
        },
        |log, _, reply| {
            log.tokens.push(reply.defer()?.0);
            Err(CallError::Internal)
        },
    ];
    for wrong in wrongs {
        let right = app();
        let call_right = right.call;
        let mut server: Hosted<App> = Hosted::new(App { call: wrong, ..right });
        assert!(answer(&mut server, &call("1")).contains(r#""id":1"#));
        server.handler_mut().call = call_right;
        assert_eq!(answer(&mut server, &call("2")), "");
        assert_eq!(done(&mut server, 0), (String::new(), Err(NotInFlight)));
        assert_eq!(done(&mut server, 1), (text("2", "done", false), Ok(Status::Done)));
    }
    // A read that finds nothing is answered in a way of its own.
    for read in
        [request("1", "resources/read", r#"{"uri":"r:1"}"#), modern("1", "resources/read", r#""uri":"r:1""#)]
    {
        let mut server: Hosted<App> = Hosted::new(App {
            read: |log, _, reply| {
                log.tokens.push(reply.defer()?.0);
                Err(CallError::NotFound)
            },
            ..app()
        });
        assert!(answer(&mut server, &read).contains("Resource not found"));
        assert_eq!(answer(&mut server, &call("2")), "");
        assert_eq!(done(&mut server, 0), (String::new(), Err(NotInFlight)));
        assert_eq!(done(&mut server, 1), (text("2", "done", false), Ok(Status::Done)));
    }
}

#[test]
fn a_cancelled_call_is_never_answered() {
    let mut server: Hosted<App> = Hosted::new(app());
    for id in ["1", "2", r#""\u0061""#] {
        answer(&mut server, &call(id));
    }
    assert_eq!(answer(&mut server, &cancel("2")), "");
    assert_eq!(answer(&mut server, &cancel(r#""a""#)), "");
    let log = &server.handler().log;
    assert_eq!(log.cancelled, [log.tokens[1], log.tokens[2]]);
    for at in [1, 2] {
        let token = server.handler().log.tokens[at];
        assert_eq!(done(&mut server, at), (String::new(), Err(NotInFlight)));
        let (line, known) =
            written(&mut server, 512, |server, out| server.progress(token, Progress::new(1), out));
        assert_eq!((line.as_str(), known), ("", Err(NotInFlight)));
        let (line, known) = written(&mut server, 512, |server, out| {
            server.log_for(token, LoggingLevel::Emergency, None, "x", out)
        });
        assert_eq!((line.as_str(), known), ("", Err(NotInFlight)));
    }
    // Once more, or for what was answered, it has no effect.
    assert_eq!(done(&mut server, 0).0, text("1", "done", false));
    for id in ["1", "2", "7", "null", "[]", "1.0"] {
        assert_eq!(answer(&mut server, &cancel(id)), "");
    }
    assert_eq!(server.handler().log.cancelled.len(), 2);
}

#[test]
fn a_malformed_cancellation_cancels_nothing() {
    let mut server: Hosted<App> = Hosted::new(app());
    answer(&mut server, &call("1"));
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/Cancelled","params":{"requestId":1}}"#,
    ] {
        assert_eq!(answer(&mut server, line), "");
    }
    // As a request it is none of the methods.
    assert_eq!(
        answer(&mut server, &request("2", "notifications/cancelled", r#"{"requestId":1}"#)),
        error("2", -32601, "Method not found")
    );
    assert_eq!(server.in_flight(), 1);
}

#[test]
fn each_kind_of_call_has_its_own_completion() {
    let mut server: Hosted<App> = Hosted::new(app());
    answer(&mut server, &call("1"));
    answer(&mut server, &request("2", "resources/read", r#"{"uri":"r:1"}"#));
    answer(&mut server, &request("3", "prompts/get", r#"{"name":"p"}"#));
    let [tool, read, prompt] = server.handler().log.tokens[..] else { panic!("three calls") };
    for token in [read, prompt] {
        let (line, known) = written(&mut server, 512, |server, out| {
            server.complete_tool(token, out, |result| Ok(result.done()))
        });
        assert_eq!((line.as_str(), known), ("", Err(NotInFlight)));
    }
    for token in [tool, prompt] {
        let (line, known) = written(&mut server, 512, |server, out| {
            server.complete_read(token, "r:1", out, |contents| Ok(contents.done()))
        });
        assert_eq!((line.as_str(), known), ("", Err(NotInFlight)));
    }
    for token in [tool, read] {
        let (line, known) = written(&mut server, 512, |server, out| {
            server.complete_prompt(token, out, |messages| Ok(messages.done()))
        });
        assert_eq!((line.as_str(), known), ("", Err(NotInFlight)));
    }
    assert_eq!(server.in_flight(), 3);
    let (line, status) = written(&mut server, 512, |server, out| {
        server.complete_read(read, "r:1", out, |contents| Ok(contents.text(Some("text/plain"), "x").done()))
    });
    assert_eq!(
        (line, status),
        (result("2", r#""contents":[{"uri":"r:1","mimeType":"text/plain","text":"x"}]"#), Ok(Status::Done))
    );
    let (line, status) = written(&mut server, 512, |server, out| {
        server.complete_prompt(prompt, out, |messages| Ok(messages.text(Role::Assistant, "x").done()))
    });
    assert_eq!(
        (line, status),
        (
            result("3", r#""messages":[{"role":"assistant","content":{"type":"text","text":"x"}}]"#),
            Ok(Status::Done)
        )
    );
}

#[test]
fn errors_come_late_too() {
    let cases: [(CallError<'static>, [String; 3]); 5] = [
        (
            CallError::Failed("no"),
            [
                text("1", "no", true),
                error("1", -32603, "Internal error"),
                error("1", -32603, "Internal error"),
            ],
        ),
        (CallError::Internal, [(); 3].map(|()| error("1", -32603, "Internal error"))),
        (CallError::InvalidParams, [(); 3].map(|()| error("1", -32602, "Invalid params"))),
        (
            CallError::NotFound,
            [
                error("1", -32602, "Unknown tool"),
                error("1", -32002, "Resource not found"),
                error("1", -32602, "Unknown prompt"),
            ],
        ),
        (
            CallError::Refused { code: ErrorCode(7), message: "not you", data: None },
            [(); 3].map(|()| error("1", 7, "not you")),
        ),
    ];
    for (failure, expected) in cases {
        let mut server: Hosted<App> = Hosted::new(app());
        answer(&mut server, &call("1"));
        let token = server.handler().log.tokens[0];
        let (line, status) = written(&mut server, 512, |server, out| {
            server.complete_tool(token, out, |result| {
                let _ = result.text("half a result");
                Err(failure.clone())
            })
        });
        assert_eq!((line, status), (expected[0].clone(), Ok(Status::Done)));
        answer(&mut server, &request("1", "resources/read", r#"{"uri":"r:1"}"#));
        let token = server.handler().log.tokens[1];
        let (line, status) = written(&mut server, 512, |server, out| {
            server.complete_read(token, "r:1", out, |contents| {
                let _ = contents.text(None, "half a result");
                Err(failure.clone())
            })
        });
        assert_eq!((line, status), (expected[1].clone(), Ok(Status::Done)));
        answer(&mut server, &request("1", "prompts/get", r#"{"name":"p"}"#));
        let token = server.handler().log.tokens[2];
        let (line, status) = written(&mut server, 512, |server, out| {
            server.complete_prompt(token, out, |messages| {
                let _ = messages.text(Role::User, "half a result");
                Err(failure.clone())
            })
        });
        assert_eq!((line, status), (expected[2].clone(), Ok(Status::Done)));
        assert_eq!(server.in_flight(), 0);
    }
}

#[test]
fn a_resource_that_is_not_found_late_is_named_in_the_modern_era() {
    let mut server: Hosted<App> = Hosted::new(app());
    answer(&mut server, &modern("1", "resources/read", r#""uri":"r:1""#));
    let token = server.handler().log.tokens[0];
    let (line, _) = written(&mut server, 512, |server, out| {
        server.complete_read(token, "r:1", out, |_| Err(CallError::NotFound))
    });
    assert_eq!(
        line,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"Resource not found\",\"data\":{\"uri\":\"r:1\"}}}\n"
    );
}

#[test]
fn a_late_read_of_the_modern_era_has_the_hints_of_an_early_one() {
    let mut server: Hosted<App> = Hosted::new(app());
    answer(&mut server, &modern("1", "resources/read", r#""uri":"r:1""#));
    let token = server.handler().log.tokens[0];
    let (line, _) = written(&mut server, 512, |server, out| {
        server.complete_read(token, "r:1", out, |contents| Ok(contents.done()))
    });
    assert_eq!(
        line,
        result(
            "1",
            r#""resultType":"complete","contents":[],"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"app","version":"1"}}"#
        )
    );
}

#[test]
fn an_answer_keeps_the_revision_of_its_request() {
    let mut server: Hosted<App> = Hosted::new(app());
    // Before a session a request is of the newest revision with one.
    answer(&mut server, &call("1"));
    answer(&mut server, &initialize("2024-11-05"));
    answer(&mut server, &call("2"));
    answer(&mut server, &modern("3", "tools/call", r#""name":"t""#));
    let structured = |server: &mut Hosted<App>, at: usize| {
        let token = server.handler().log.tokens[at];
        let (line, _) = written(server, 512, |server, out| {
            server.complete_tool(token, out, |result| {
                let result = result.structured_with(|json| {
                    json.begin_object().end_object();
                });
                Ok(result.done())
            })
        });
        json(&line)["result"].clone()
    };
    let newest = structured(&mut server, 0);
    assert!(newest.get("structuredContent").is_some() && newest.get("resultType").is_none());
    let oldest = structured(&mut server, 1);
    assert!(oldest.get("structuredContent").is_none() && oldest.get("resultType").is_none());
    let modern = structured(&mut server, 2);
    assert!(modern.get("structuredContent").is_some() && modern["resultType"] == "complete");
}

#[test]
fn progress_goes_up_and_only_to_whom_asked() {
    let mut server: Hosted<App> = Hosted::new(app());
    let with_token = request("1", "tools/call", r#"{"name":"t","_meta":{"progressToken":"p\u0041"}}"#);
    answer(&mut server, &with_token);
    answer(&mut server, &call("2"));
    let token = server.handler().log.tokens[0];
    let report_to = |server: &mut Hosted<App>, progress: Progress<'_>| {
        let (line, known) = written(server, 512, |server, out| server.progress(token, progress, out));
        assert_eq!(known, Ok(!line.is_empty()));
        line
    };
    let mut report = |progress: Progress<'_>| report_to(&mut server, progress);
    let notification = |rest: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":\"p\\u0041\",{rest}}}}}\n"
        )
    };
    assert_eq!(report(Progress::new(-5)), notification(r#""progress":-5"#));
    assert_eq!(report(Progress::new(-5)), "");
    assert_eq!(report(Progress::new(-6)), "");
    assert_eq!(report(Progress::new(0).of(10)), notification(r#""progress":0,"total":10"#));
    assert_eq!(
        report(Progress::new(3).with_message("a \"b\"")),
        notification(r#""progress":3,"message":"a \"b\"""#)
    );
    assert_eq!(report(Progress::new(2)), "");
    let other = server.handler().log.tokens[1];
    let (line, known) =
        written(&mut server, 512, |server, out| server.progress(other, Progress::new(1), out));
    assert_eq!((line.as_str(), known), ("", Ok(false)));
    // What had no room was not reported.
    let (line, known) = written(&mut server, 20, |server, out| server.progress(token, Progress::new(4), out));
    assert_eq!((line.as_str(), known), ("", Ok(false)));
    let (line, _) = written(&mut server, 512, |server, out| server.progress(token, Progress::new(4), out));
    assert_eq!(line, notification(r#""progress":4"#));
    // Any number counts.
    let mut report = |progress: Progress<'_>| report_to(&mut server, progress);
    assert_eq!(report(4.5.into()), notification(r#""progress":4.5"#));
    assert_eq!(report(4.into()), "");
    assert_eq!(report(4.5_f32.into()), "");
    assert_eq!(report(Progress::new(5_u8).of(7.25)), notification(r#""progress":5,"total":7.25"#));
    // After the answer there is no more.
    assert_eq!(done(&mut server, 0).1, Ok(Status::Done));
    let (line, known) =
        written(&mut server, 512, |server, out| server.progress(token, Progress::new(9), out));
    assert_eq!((line.as_str(), known), ("", Err(NotInFlight)));
}

#[test]
fn a_reset_cancels_what_is_in_flight() {
    let mut server: Hosted<App> = Hosted::new(app());
    answer(&mut server, &initialize("2025-06-18"));
    answer(&mut server, &call("1"));
    answer(&mut server, &call("2"));
    server.reset();
    assert_eq!((server.in_flight(), server.session()), (0, None));
    assert_eq!(server.handler().log.cancelled.len(), 2);
    assert_eq!(done(&mut server, 0), (String::new(), Err(NotInFlight)));
    // The ids are free for the next client, under new tokens.
    assert_eq!(answer(&mut server, &call("1")), "");
    assert_eq!(done(&mut server, 0).1, Err(NotInFlight));
    assert_eq!(done(&mut server, 2).0, text("1", "done", false));
}
