//! Tasks of 2025-11-25 that ask the client.

use core::time::Duration;

use barewire::engine::{AskError, Fixed, Full, Options, Server, TaskEnd, TaskToken};
use barewire::mcp::{Elicitation, InputRequest, Schema};

use crate::engine_kit::{
    App, Hosted, Status, answer, answer_text, given_up, initialize_with, question, reply, written,
};
use crate::engine_tasks::{
    ALL, EPOCH, Tasks, about, call_of, finish, get, server_of, start, status_line, tick,
};

const FORM: Schema<'_> = Schema::new(r#"{"type":"object","properties":{}}"#);

/// Tasks that ask for a form, and then for the roots.
fn asking() -> App {
    App {
        task_questions: |_, _, questions| {
            questions.ask("f", &Elicitation::form("Sure?", FORM).into()).ask("r", &InputRequest::Roots);
        },
        task_answered: |log, _, answers| {
            let answers = ["f", "r"].map(|key| answer_text(answers.get(key)));
            log.notes.push(answers.join(" | "));
        },
        ..App::of_tasks()
    }
}

fn form_of(id: u32, task: &str) -> String {
    question(
        id,
        "elicitation/create",
        &format!(
            r#"{{"message":"Sure?","requestedSchema":{{"type":"object","properties":{{}}}},"_meta":{{"io.modelcontextprotocol/related-task":{{"taskId":"{task}"}}}}}}"#
        ),
    )
}

fn needs_input<const C: usize, const N: usize>(
    server: &mut Tasks<C, N>,
    room: usize,
    token: TaskToken,
) -> (String, Result<Status, AskError>) {
    written(server, room, |server, out| server.task_needs_input(token, out))
}

#[test]
fn a_task_asks_by_a_request_that_names_it() {
    let mut server: Tasks<4, 2> = server_of(asking(), Options::DEFAULT);
    let (id, token) = start(&mut server, "{}");
    let (lines, status) = needs_input(&mut server, 1024, token);
    assert_eq!(lines, form_of(1, &id) + &status_line(&id, "input_required", "", EPOCH));
    assert_eq!(status, Ok(Status::Done));
    assert_eq!(get(&mut server, &id)["result"]["status"], "input_required");
    // It is asked once, whatever the application says meanwhile.
    let (lines, status) = needs_input(&mut server, 1024, token);
    assert_eq!(lines, status_line(&id, "input_required", "", EPOCH));
    assert_eq!(status, Ok(Status::Done));
    assert_eq!(answer(&mut server, &reply(r#""1""#, "")), "");
    assert_eq!(answer(&mut server, &reply("1", r#""action":"accept""#)), "");
    assert_eq!(get(&mut server, &id)["result"]["status"], "working");
    assert_eq!(server.handler().log.notes, [r#"{"action":"accept"} | nothing"#]);
    assert_eq!(answer(&mut server, &reply("1", r#""action":"accept""#)), "");
    assert_eq!(server.handler().log.notes.len(), 1);
    // It may ask again, and be refused, or get no answer.
    assert_eq!(needs_input(&mut server, 1024, token).1, Ok(Status::Done));
    answer(&mut server, r#"{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}"#);
    assert_eq!(needs_input(&mut server, 1024, token).1, Ok(Status::Done));
    let options_deadline = server.next_deadline();
    assert_eq!(options_deadline, Some(Duration::from_millis(300_000)));
    assert_eq!(server.handler().log.notes, [r#"{"action":"accept"} | nothing"#, "error -1 | nothing"]);
}

#[test]
fn a_task_hears_that_no_answer_came() {
    let options = Options::DEFAULT.with_question_timeout(Duration::from_millis(100));
    let mut server: Tasks<4, 2> = server_of(asking(), options);
    let (id, token) = start(&mut server, "{}");
    assert_eq!(needs_input(&mut server, 1024, token).1, Ok(Status::Done));
    assert_eq!(tick(&mut server, 99), "");
    assert_eq!(tick(&mut server, 100), given_up(1));
    assert_eq!(server.handler().log.notes, ["timed out | nothing"]);
    assert_eq!(get(&mut server, &id)["result"]["status"], "working");
}

#[test]
fn a_task_that_is_over_takes_its_question_with_it() {
    // Finished, cancelled, forgotten.
    for way in 0..3 {
        let mut server: Tasks<4, 2> =
            server_of(asking(), Options::DEFAULT.with_question_timeout(Duration::MAX));
        let (id, token) = start(&mut server, r#"{"ttl":50}"#);
        assert_eq!(needs_input(&mut server, 1024, token).1, Ok(Status::Done));
        let lines = match way {
            0 => finish(&mut server, 1024, token, TaskEnd::Completed).0,
            1 => answer(&mut server, &about("2", "tasks/cancel", &id)),
            _ => tick(&mut server, 50),
        };
        assert!(lines.contains(&given_up(1)), "{way} {lines}");
        assert_eq!(answer(&mut server, &reply("1", r#""action":"accept""#)), "");
        assert!(server.handler().log.notes.is_empty(), "{way}");
        // There is room in the table of calls again.
        assert_eq!(server.handler().log.events.last().map(String::as_str), Some("response"));
    }
}

#[test]
fn a_task_whose_client_cannot_be_asked_is_told_so() {
    // Nothing declared; nothing asked; no room at all; what is kept does not fit; the table is full.
    let mut server: Tasks<4, 2> = Hosted::of(Server::new(), asking());
    answer(&mut server, &initialize_with("2025-11-25", r#"{"sampling":{}}"#));
    let (id, token) = start(&mut server, "{}");
    assert_eq!(needs_input(&mut server, 1024, token), (String::new(), Err(AskError::MissingCapability)));
    assert_eq!(get(&mut server, &id)["result"]["status"], "working");
    let mut server: Tasks<4, 2> = server_of(App::of_tasks(), Options::DEFAULT);
    let (_, token) = start(&mut server, "{}");
    assert_eq!(needs_input(&mut server, 1024, token), (String::new(), Err(AskError::NothingAsked)));
    assert_eq!(server.next_deadline(), Some(Duration::from_millis(300_000)));
    let mut server: Tasks<4, 2> = server_of(asking(), Options::DEFAULT);
    let (id, token) = start(&mut server, "{}");
    let whole = form_of(1, &id).len();
    for room in [0, 96, whole - 1] {
        assert_eq!(needs_input(&mut server, room, token), (String::new(), Err(AskError::NoRoom)));
    }
    // In room for one of them the question goes first, and then the word of it.
    let told = status_line(&id, "input_required", "", EPOCH);
    let room = whole.max(told.len());
    assert_eq!(needs_input(&mut server, room, token), (form_of(1, &id), Ok(Status::More)));
    assert_eq!(needs_input(&mut server, room, token), (told, Ok(Status::Done)));
    let storage = Fixed::<Full, 4, 2, 2, 8>::new();
    let mut server = Hosted::of(Server::with_storage(storage), asking());
    answer(&mut server, &initialize_with("2025-11-25", ALL));
    answer(&mut server, &call_of("1", "optional", r#""task":{}"#));
    let token = server.handler().log.tasks[0];
    let asked = written(&mut server, 1024, |server, out| server.task_needs_input(token, out));
    assert_eq!(asked, (String::new(), Err(AskError::TooLong)));
    let mut server: Tasks<1, 2> = server_of(asking(), Options::DEFAULT);
    let (id, token) = start(&mut server, "{}");
    answer(&mut server, &about("7", "tasks/result", &id));
    assert_eq!(needs_input(&mut server, 1024, token), (String::new(), Err(AskError::Busy)));
}

#[test]
fn a_task_of_before_the_session_asks_no_client_of_another_revision() {
    let mut server: Tasks<4, 2> = Hosted::of(Server::new(), asking());
    let (_, token) = start(&mut server, "{}");
    assert_eq!(needs_input(&mut server, 1024, token), (String::new(), Err(AskError::NoSession)));
    answer(&mut server, &initialize_with("2025-03-26", ALL));
    answer(&mut server, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(needs_input(&mut server, 1024, token), (String::new(), Err(AskError::NoSession)));
}
