//! Calls that run beside the loop.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::program::{Session, done, slow};

#[test]
fn others_are_served_while_a_slow_call_runs() {
    let mut session = Session::serve(&[]);
    session.send(&slow("1", 600_000));
    session.check(&[
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"x"}],"isError":false}}"#,
        ),
    ]);
    // A later call may be answered before it.
    assert_eq!(session.ask(&slow("4", 1)), done("4"));
}

#[test]
fn a_cancelled_call_is_never_answered() {
    let start = Instant::now();
    let mut session = Session::serve(&[]);
    for id in ["1", r#""a""#, r#""a\u0062""#] {
        session.send(&slow(id, 600_000));
    }
    for cancel in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#,
        // The same id, spelled in another way.
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"ab"}}"#,
        // Once more is no fault.
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    ] {
        session.send(cancel);
    }
    session.assert_silent("the cancellations");
    // Nothing is in flight, so nothing is waited for.
    let outcome = session.close();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn a_number_does_not_cancel_a_string() {
    let mut session = Session::serve(&[]);
    session.send(&slow(r#""1""#, 300));
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    assert_eq!(session.line(), done(r#""1""#));
}

#[test]
fn progress_is_reported_to_whom_asked_with_the_token_as_it_was_sent() {
    for token in ["7", r#""t\u006f""#, "12345678901234567890"] {
        let mut session = Session::serve(&[]);
        session.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"slow","arguments":{{"ms":50}},"_meta":{{"progressToken":{token}}}}}}}"#
        ));
        for step in 1..=10 {
            assert_eq!(
                session.line(),
                format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{step},"total":10}}}}"#
                )
            );
        }
        assert_eq!(session.line(), done("1"));
        session.assert_silent("the answer");
    }
}

#[test]
fn sixty_four_slow_calls_run_at_a_time() {
    let start = Instant::now();
    let mut session = Session::serve(&[]);
    let ids: BTreeSet<String> = (0..64).map(|id| id.to_string()).collect();
    for id in &ids {
        session.send(&slow(id, 1000));
    }
    let answers: BTreeSet<String> = ids.iter().map(|_| session.line()).collect();
    assert_eq!(answers, ids.iter().map(|id| done(id)).collect());
    // One after the other they take 64 seconds.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn calls_beyond_the_threads_wait_for_their_turn() {
    let mut session = Session::serve(&[]);
    let ids: BTreeSet<String> = (0..128).map(|id| id.to_string()).collect();
    for id in &ids {
        session.send(&slow(id, 20));
    }
    let answers: BTreeSet<String> = ids.iter().map(|_| session.line()).collect();
    assert_eq!(answers, ids.iter().map(|id| done(id)).collect());
}

#[test]
fn immediate_answers_keep_the_order_of_the_input() {
    let mut session = Session::serve(&[]);
    session.send(&slow(r#""s""#, 600_000));
    let mut input = String::new();
    for id in 0..500 {
        input += &format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
    }
    session.send_bytes(input.as_bytes());
    for id in 0..500 {
        assert_eq!(session.line(), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
}

#[test]
fn a_stream_of_subscriptions_is_acknowledged_fed_and_ended() {
    let mut session = Session::serve(&[]);
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let listen = format!(
        r#"{{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{{"notifications":{{"toolsListChanged":true,"resourceSubscriptions":["demo://counter"]}},{meta}}}}}"#
    );
    // The list of tools never changes, so it is not acknowledged.
    assert_eq!(
        session.ask(&listen),
        r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"resourceSubscriptions":["demo://counter"]},"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#
    );
    let count = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}}"#;
    assert_eq!(
        session.ask(count),
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"1"}],"isError":false}}"#
    );
    assert_eq!(
        session.line(),
        r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"demo://counter","_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}"#
    );
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}"#);
    session.ask(count);
    session.assert_silent("the end of the stream");
}
