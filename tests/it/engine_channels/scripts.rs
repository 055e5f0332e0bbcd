//! A property: two random scripts on one server, interleaved in any way, go as each does on a server of its own.

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any};
use proptest::sample::select;
use proptest::test_runner::TestRunner;

use super::stage::{Stage, Step, Wire};
use super::{frame, handshake, legacy, listen, modern_call, subscribe};
use crate::engine_kit::{cancel, request};

/// Doer of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Peer(usize),
    All,
}

/// Lines and events of these peers, in the order in which each got them.
fn heard(wire: Wire, steps: &[(Who, Step)], peers: &[usize]) -> Vec<(Vec<String>, Vec<String>)> {
    let mut stage = Stage::new(wire);
    for (who, step) in steps {
        match who {
            Who::All => stage.step_for_all(step),
            Who::Peer(peer) if peers.contains(peer) => stage.step(*peer, step),
            Who::Peer(_) => {}
        }
    }
    for peer in peers {
        stage.poll(*peer);
    }
    assert!(stage.is_idle());
    let of = |peer: &usize| {
        let events = stage.events(*peer).into_iter().map(str::to_owned).collect();
        (stage.peers[*peer].lines.clone(), events)
    };
    peers.iter().map(of).collect()
}

/// Steps of which a script is made.
fn steps() -> Vec<Step> {
    let mut steps = Vec::new();
    for version in ["2025-11-25", "2025-03-26", "2025-06-18"] {
        steps.extend(handshake(version));
    }
    for id in ["1", "2"] {
        let token = format!(r#","_meta":{{"progressToken":{id}}}"#);
        steps.push(legacy(id, "now", ""));
        steps.push(legacy(id, "later", &token));
        steps.push(legacy(id, "ask", ""));
        steps.push(legacy(id, "task", r#","task":{"ttl":5000}"#));
        steps.push(modern_call(id, "later"));
        steps.push(modern_call(id, "task"));
        steps.push(listen(id));
        steps.push(frame(&cancel(id)));
    }
    for uri in ["r:1", "r:2"] {
        steps.push(subscribe(uri));
        steps.push(Step::Updated(uri));
    }
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        steps.push(Step::AboutTask("3", method));
        steps.push(Step::AboutTaskOfTheOther("3", method));
    }
    steps.push(modern_call("3", "ask"));
    steps.push(frame(&request("3", "tasks/list", "")));
    steps.push(frame(&request("3", "logging/setLevel", r#"{"level":"error"}"#)));
    let batch = [
        request("1", "ping", ""),
        request("2", "tools/call", r#"{"name":"later"}"#),
        request("3", "ping", ""),
    ];
    steps.push(frame(&format!("[{}]", batch.join(","))));
    steps.extend([
        Step::Continue,
        Step::Answer,
        Step::Answer,
        Step::AnswerOfTheOther,
        Step::Complete,
        Step::Progress(3),
        Step::Progress(4),
        Step::LogFor,
        Step::Finish,
        Step::NeedsInput,
        Step::Log,
        Step::AskRoots,
        Step::Poll,
        Step::Poll,
        Step::Closed,
        Step::EndSession,
        Step::Reset,
        Step::ToolsChanged,
        Step::Tick(3000),
        Step::Tick(300_000),
        Step::EndStreams,
        Step::EndQuestions,
    ]);
    steps
}

fn two_scripts_go_as_each_does_alone(wire: Wire) {
    let step = (0..2_usize, select(steps())).prop_map(|(peer, step)| match step.is_for_all() {
        true => (Who::All, step),
        false => (Who::Peer(peer), step),
    });
    // Mostly in open sessions.
    let script = (any::<bool>(), vec(step, 0..80)).prop_map(|(is_open, steps)| {
        let mut script = Vec::new();
        for peer in [0, 1] {
            let handshake = handshake("2025-11-25").map(|step| (Who::Peer(peer), step));
            script.extend(handshake.into_iter().filter(|_| is_open));
        }
        script.extend(steps);
        script
    });
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&script, |script| {
        let together = heard(wire, &script, &[0, 1]);
        let alone = [heard(wire, &script, &[0]), heard(wire, &script, &[1])].concat();
        assert_eq!(together, alone);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn two_scripts_on_streams_of_one_server_go_as_each_does_alone() {
    two_scripts_go_as_each_does_alone(Wire::Streams);
}

#[test]
fn two_scripts_over_exchanges_with_one_server_go_as_each_does_alone() {
    two_scripts_go_as_each_does_alone(Wire::Exchanges);
}
