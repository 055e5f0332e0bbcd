//! Sessions that went wrong once, step by step. The model of `tests/support` watches them, as in `props`.

use barewire::engine::TaskEnd;

use crate::support::application;
use crate::support::properties::session_of;
use crate::support::session::Step;

type Steps<'s> = Vec<(Step, &'s [u8])>;

fn frame(text: &str) -> Step {
    Step::Frame { frame: text.as_bytes().to_vec(), is_too_long: false }
}

/// A client of that revision that can be asked everything.
fn client(version: &str) -> Steps<'static> {
    let capabilities = r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}"#;
    let initialize = format!(
        r#"{{"jsonrpc":"2.0","id":"i","method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{capabilities}}}}}"#
    );
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    vec![
        // From here on time is known.
        (Step::Tick(0), &[]),
        (frame(&initialize), &[]),
        (frame(initialized), &[]),
    ]
}

/// A call of the tool that does what the script says.
fn call(id: &str, more: &str) -> Step {
    frame(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"do"{more}}}}}"#))
}

const MODERN: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#;

fn about_task(id: &str, method: &str) -> Step {
    frame(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"taskId":"$T0"}}}}"#))
}

fn cancel(id: &str) -> Step {
    frame(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#))
}

/// What handlers do, as `tests/support/application/decisions.rs` has it.
const DEFER: &[u8] = &[application::DEFER];
const ASK_FORM: &[u8] = &[4, 0];
const TASK: &[u8] = &[application::BEGIN_TASK];

fn after(mut steps: Steps<'static>, more: Steps<'static>) -> Steps<'static> {
    steps.extend(more);
    steps
}

#[test]
fn a_page_to_visit_is_for_clients_of_2025_11_25_and_later() {
    for version in ["2025-06-18", "2025-03-26", "2025-11-25"] {
        session_of::<1>(512, &after(client(version), vec![(Step::Ask(Some(3)), &[])]));
    }
}

#[test]
fn an_application_s_long_message_costs_no_id() {
    let steps: Steps<'_> = vec![(call("\"a request\"", ""), &[19, 45])];
    for room in 180..260 {
        session_of::<1>(room, &steps);
    }
}

#[test]
fn streams_that_end_together_get_a_whole_result_each() {
    let listen = |id: &str| {
        frame(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{"notifications":{{}},"_meta":{MODERN}}}}}"#
        ))
    };
    for room in 200..400 {
        session_of::<2>(room, &[(listen("1"), &[]), (listen("\"two\""), &[]), (Step::EndStreams, &[])]);
    }
}

#[test]
fn whoever_waits_for_a_result_gets_all_of_it() {
    for room in (200..512).step_by(7) {
        let steps = vec![
            (call("1", r#","task":{}"#), TASK),
            (about_task("\"first\"", "tasks/result"), &[]),
            (about_task("\"second\"", "tasks/result"), &[]),
            (Step::FinishTask(0, TaskEnd::Completed), &[0]),
        ];
        session_of::<2>(room, &after(client("2025-11-25"), steps));
    }
}

#[test]
fn what_times_out_together_is_answered_each() {
    for room in (180..512).step_by(7) {
        let steps = vec![
            (call("\"the first\"", ""), ASK_FORM),
            (call("\"the second\"", ""), ASK_FORM),
            (Step::Tick(1000), &[18, 50, 18, 50]),
        ];
        session_of::<2>(room, &after(client("2025-11-25"), steps));
        let steps = vec![
            (call("1", r#","task":{"ttl":50}"#), TASK),
            (about_task("\"the waiting\"", "tasks/result"), &[]),
            (call("\"the asking\"", ""), ASK_FORM),
            (Step::Tick(1000), &[18, 50]),
        ];
        session_of::<2>(room, &after(client("2025-11-25"), steps));
    }
}

#[test]
fn a_task_s_progress_goes_on_from_its_call_s() {
    let steps = vec![
        (call("1", r#","task":{},"_meta":{"progressToken":"p"}"#), &[17, 50][..]),
        (Step::TaskProgress(0, 20), &[]),
        (Step::TaskProgress(0, 50), &[]),
        (Step::TaskProgress(0, 51), &[]),
    ];
    session_of::<1>(512, &after(client("2025-11-25"), steps));
}

#[test]
fn only_deferred_calls_are_heard_of_when_they_are_cancelled() {
    let steps = vec![
        (call("1", r#","task":{}"#), TASK),
        (about_task("2", "tasks/result"), &[]),
        (cancel("2"), &[]),
        (call("3", ""), DEFER),
        (cancel("3"), &[]),
    ];
    session_of::<2>(512, &after(client("2025-11-25"), steps));
}

#[test]
fn a_task_s_question_that_fits_no_output_is_an_error() {
    let steps = vec![(call("1", r#","task":{}"#), TASK), (Step::TaskNeedsInput(0), &[6])];
    session_of::<1>(512, &after(client("2025-11-25"), steps));
}

#[test]
fn what_looks_like_a_response_ends_the_question_that_it_names() {
    let broken = r#"{"jsonrpc":"2.0","id":$Q0,"result":7}"#;
    let too_long = Step::Frame { frame: broken.as_bytes().to_vec(), is_too_long: true };
    let none =
        Step::Frame { frame: br#"{"jsonrpc":"2.0","id":$Q0,"params":{}}"#.to_vec(), is_too_long: true };
    for end in [frame(broken), too_long, none] {
        let steps =
            vec![(call("1", ""), ASK_FORM), (end, &[][..]), (Step::Ask(None), &[]), (frame(broken), &[])];
        session_of::<2>(512, &after(client("2025-11-25"), steps));
    }
}

#[test]
fn a_question_is_given_up_also_where_there_is_no_room_to_say_so() {
    for room in 180..420 {
        let steps = vec![(call("1", ""), ASK_FORM), (Step::Tick(999), &[][..]), (Step::Tick(1), &[18, 45])];
        session_of::<1>(room, &after(client("2025-11-25"), steps));
    }
}

#[test]
fn a_task_that_has_asked_a_legacy_client_is_answered_once_by_a_modern_one() {
    let update = frame(&format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tasks/update","params":{{"taskId":"$T0","inputResponses":{{"k":{{"action":"accept"}}}},"_meta":{MODERN}}}}}"#
    ));
    let answer = frame(r#"{"jsonrpc":"2.0","id":$Q0,"result":{"action":"decline"}}"#);
    let steps = vec![
        (call("1", r#","task":{}"#), TASK),
        (Step::TaskNeedsInput(0), &[0]),
        (update, &[]),
        (answer, &[]),
    ];
    session_of::<2>(512, &after(client("2025-11-25"), steps));
}

#[test]
fn what_was_asked_before_time_was_known_waits_from_then_on() {
    let mut steps = client("2025-11-25");
    steps.remove(0);
    let more = vec![
        (call("1", r#","task":{"ttl":50}"#), TASK),
        (call("2", ""), ASK_FORM),
        (Step::Tick(1 << 40), &[][..]),
        (Step::Tick(999), &[]),
        (Step::Tick(1), &[]),
    ];
    session_of::<2>(512, &after(steps, more));
}

/// A script of handlers, after which one line of what is due is written, and no more.
const ONE_LINE: &[u8] = &[0, 0, 1];

#[test]
fn a_withdrawn_question_has_no_answer_and_is_not_withdrawn_again() {
    let response = |id: &str| frame(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    for end in [cancel("1"), response("0"), response("$Q0"), Step::Reset] {
        let steps = vec![(call("1", ""), ASK_FORM), (Step::Tick(1000), ONE_LINE), (end, &[])];
        session_of::<1>(512, &after(client("2025-11-25"), steps));
    }
    for end in [about_task("2", "tasks/cancel"), Step::FinishTask(0, TaskEnd::Completed)] {
        let steps = vec![
            (call("1", r#","task":{}"#), TASK),
            (Step::TaskNeedsInput(0), &[0][..]),
            (Step::Tick(1000), ONE_LINE),
            (end, &[]),
        ];
        session_of::<1>(512, &after(client("2025-11-25"), steps));
    }
}

#[test]
fn an_outcome_of_another_call_is_refused() {
    for first in [&[0, 0], DEFER, ASK_FORM, TASK] {
        for again in [call("2", ""), call("\"by a modern client\"", &format!(r#","_meta":{MODERN}"#))] {
            let steps = vec![
                (call("1", r#","task":{}"#), first),
                (again, &[application::OLD]),
                (Step::Complete(0), &[]),
            ];
            session_of::<2>(512, &after(client("2025-11-25"), steps));
        }
    }
}
