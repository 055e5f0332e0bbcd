//! A table of cases: two peers follow the same script in turn.

use super::stage::{CHANNELS, Stage, Step, Wire};
use super::{INITIALIZED, frame, handshake, legacy, listen, modern_call, subscribe};
use crate::engine_kit::{cancel, initialize_with, request};

/// A script that both peers follow in turn, and the lines and events of each; `$P` stands for the peer, `$C` for its channel.
struct Case {
    name: &'static str,
    script: Vec<Step>,
    lines: &'static [&'static str],
    events: &'static [&'static str],
}

fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "answers at once, with what belongs to them",
            script: vec![legacy("1", "now", ""), modern_call("1", "now")],
            lines: &[
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"now"}}"#,
                r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"now $C"}],"isError":false}}"#,
                r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"now $C"}],"isError":false,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"desk","version":"1"}}}}"#,
            ],
            events: &[],
        },
        Case {
            name: "late answers, with progress and log messages",
            script: vec![
                legacy("1", "later", r#","_meta":{"progressToken":1}"#),
                Step::Progress(5),
                Step::Progress(5),
                Step::LogFor,
                Step::Complete,
                Step::Complete,
            ],
            lines: &[
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":5}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"later"}}"#,
                r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"later for peer $P"}],"isError":false}}"#,
            ],
            events: &[],
        },
        Case {
            name: "ids in use, and free again once the call is cancelled",
            script: vec![
                legacy("1", "later", ""),
                modern_call("1", "later"),
                frame(&cancel("1")),
                frame(&request("1", "ping", "")),
                Step::Complete,
            ],
            lines: &[
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Request id in use"}}"#,
                r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            ],
            events: &["call cancelled"],
        },
        Case {
            name: "input requests, and answers to those of the other",
            script: vec![
                legacy("1", "ask", ""),
                Step::AnswerOfTheOther,
                Step::Answer,
                modern_call("2", "ask"),
            ],
            lines: &[
                r#"{"jsonrpc":"2.0","id":"question 0","method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}"#,
                r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"for $C: {'action':'decline'}"}],"isError":false}}"#,
                r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"for $C","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"desk","version":"1"}}}}"#,
            ],
            events: &[],
        },
        Case {
            name: "an input request that is cancelled, and one that times out",
            script: vec![
                legacy("1", "ask", ""),
                frame(&cancel("1")),
                Step::Poll,
                legacy("1", "ask", ""),
                Step::Tick(300_000),
                Step::Poll,
            ],
            lines: &[
                r#"{"jsonrpc":"2.0","id":"question 0","method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"question 0"}}"#,
                r#"{"jsonrpc":"2.0","id":"question 1","method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"question 1"}}"#,
                r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"for $C: timed out"}],"isError":false}}"#,
            ],
            events: &[],
        },
        Case {
            name: "a question of the application's own",
            script: vec![Step::AskRoots, Step::AnswerOfTheOther, Step::Answer],
            lines: &[r#"{"jsonrpc":"2.0","id":"question 0","method":"roots/list"}"#],
            events: &[r#"answered {"action":"decline"}"#],
        },
        Case {
            name: "a task that asks, ends, and whose result was waited for",
            script: vec![
                legacy("1", "task", r#","task":{}"#),
                Step::AboutTask("2", "tasks/result"),
                Step::AboutTaskOfTheOther("3", "tasks/get"),
                Step::AboutTaskOfTheOther("3", "tasks/cancel"),
                Step::NeedsInput,
                Step::Answer,
                Step::Finish,
                Step::Poll,
            ],
            lines: &[
                r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"task 0","status":"working","createdAt":"1970-01-01T00:00:00.000Z","lastUpdatedAt":"1970-01-01T00:00:00.000Z","ttl":300000,"pollInterval":1000}}}"#,
                r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown task"}}"#,
                r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown task"}}"#,
                r#"{"jsonrpc":"2.0","id":"question 0","method":"elicitation/create","params":{"message":"For peer $P?","requestedSchema":{"type":"object","properties":{}},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"task 0"}}}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"task 0","status":"completed","createdAt":"1970-01-01T00:00:00.000Z","lastUpdatedAt":"1970-01-01T00:00:00.000Z","ttl":300000,"pollInterval":1000}}"#,
                r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"task of peer $P"}],"isError":false,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"task 0"}}}}"#,
            ],
            events: &[r#"task answered {"action":"decline"}"#],
        },
        Case {
            name: "the task of another session, and the end of one's own",
            script: vec![
                modern_call("1", "task"),
                Step::AboutTaskOfTheOther("3", "tasks/result"),
                Step::AboutTask("3", "tasks/cancel"),
                Step::EndSession,
            ],
            lines: &[
                r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"task 0","status":"working","createdAt":"1970-01-01T00:00:00.000Z","lastUpdatedAt":"1970-01-01T00:00:00.000Z","ttlMs":300000,"pollIntervalMs":1000,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"desk","version":"1"}}}}"#,
                r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown task"}}"#,
                r#"{"jsonrpc":"2.0","id":3,"result":{"taskId":"task 0","status":"cancelled","createdAt":"1970-01-01T00:00:00.000Z","lastUpdatedAt":"1970-01-01T00:00:00.000Z","ttl":300000,"pollInterval":1000}}"#,
            ],
            events: &["task cancelled", "task forgotten"],
        },
        Case {
            name: "changes, and the end of a stream",
            script: vec![
                subscribe("r:2"),
                listen("1"),
                Step::Updated("r:1"),
                Step::Updated("r:2"),
                Step::ToolsChanged,
                Step::ToolsChanged,
                Step::EndStreams,
                Step::Poll,
                Step::ToolsChanged,
                Step::Poll,
            ],
            lines: &[
                r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["r:1"]},"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"r:1","_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"r:2"}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#,
                r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"desk","version":"1"},"io.modelcontextprotocol/subscriptionId":1}}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
            ],
            events: &[],
        },
        Case {
            name: "a log message of the server, and the level of a session",
            script: vec![
                Step::Log,
                frame(&request("1", "logging/setLevel", r#"{"level":"error"}"#)),
                Step::Log,
                legacy("1", "now", ""),
            ],
            lines: &[
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"log"}}"#,
                r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
                r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"now $C"}],"isError":false}}"#,
            ],
            events: &[],
        },
        Case {
            name: "a batch, one element at a time",
            script: vec![
                Step::Reset,
                frame(&initialize_with("2025-03-26", "{}")),
                frame(&format!(
                    "[{},{},{}]",
                    request("1", "ping", ""),
                    INITIALIZED,
                    request("2", "ping", "")
                )),
                Step::Continue,
                Step::Continue,
            ],
            lines: &[
                r#"{"jsonrpc":"2.0","id":"init","result":{"protocolVersion":"2025-03-26","capabilities":{"logging":{},"resources":{"subscribe":true},"tools":{"listChanged":true}},"serverInfo":{"name":"desk","version":"1"}}}"#,
                r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
                r#"{"jsonrpc":"2.0","id":2,"result":{}}"#,
            ],
            events: &[],
        },
    ]
}

#[test]
fn peers_that_take_turns_hear_what_concerns_them() {
    for case in cases() {
        // Who goes first, and how many steps ahead of the other.
        for (first, ahead) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let mut stage = Stage::new(Wire::Streams);
            for peer in [0, 1] {
                for step in handshake("2025-11-25") {
                    stage.step(peer, &step);
                }
                stage.peers[peer].lines.clear();
            }
            let is_for_all = case.script.iter().any(Step::is_for_all);
            let ahead = if is_for_all { 0 } else { ahead };
            for turn in 0..case.script.len() + ahead {
                if let Some(step) = case.script.get(turn).filter(|step| step.is_for_all()) {
                    stage.step_for_all(step);
                    continue;
                }
                if let Some(step) = case.script.get(turn) {
                    stage.step(first, step);
                }
                if let Some(step) = turn.checked_sub(ahead).and_then(|turn| case.script.get(turn)) {
                    stage.step(1 - first, step);
                }
            }
            for (peer, channel) in CHANNELS.into_iter().enumerate() {
                let expected: Vec<String> = case
                    .lines
                    .iter()
                    .map(|line| line.replace("$C", &channel.0.to_string()))
                    .map(|line| line.replace("$P", &peer.to_string()))
                    .collect();
                let name = format!("{}: channel {}, {first} first, {ahead} ahead", case.name, channel.0);
                assert_eq!(stage.peers[peer].lines, expected, "{name}");
                assert_eq!(stage.events(peer), case.events, "{name}");
            }
            assert!(stage.is_idle(), "{}", case.name);
        }
    }
}
