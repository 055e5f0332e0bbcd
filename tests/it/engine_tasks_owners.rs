//! Tasks of several clients: each belongs to the legacy session and the principal of its call, and nobody else knows of it.

use barewire::bytes::Sink;
use barewire::engine::{
    Address, Channel, Fixed, Frame, Full, Options, Origin, Principal, Progress, Sent, Server, Storage,
    TaskEnd, TaskToken,
};
use serde_json::{Value, json};

use crate::engine_kit::{App, Shared, error, initialize, json, modern_of, request};

const EXTENSION: &str = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

type Roomy<P> = Fixed<P, 16, 16, 16, 4096, 2>;

/// A server whose clients use a new HTTP exchange for each frame.
struct Http<S> {
    server: Server<S>,
    app: App,
    exchanges: u32,
}

impl<S: Storage> Http<S> {
    fn new(storage: S) -> Self {
        Self { server: Server::with_storage(storage), app: App::of_tasks(), exchanges: 0 }
    }

    /// The next exchange of this client.
    fn exchange(&mut self, client: Client) -> Origin {
        self.exchanges += 1;
        let channel = Channel(self.exchanges);
        let origin = match client.session {
            Some(session) => Origin::exchange_in(channel, session),
            None => Origin::exchange(channel),
        };
        origin.of(Principal::new(client.principal))
    }

    fn send(&mut self, origin: Origin, line: &str) -> String {
        let mut memory = [0; 1 << 14];
        let mut out = Sink::new(&mut memory);
        let sent = self.server.receive(origin, &mut Frame::new(line.as_bytes()), &mut self.app, &mut out);
        assert!(sent.fitted());
        String::from_utf8(out.finish().expect("whole lines").to_vec()).expect("UTF-8")
    }

    fn answer(&mut self, client: Client, line: &str) -> Value {
        let origin = self.exchange(client);
        json(&self.send(origin, line))
    }

    /// Starts a task, and returns its id and its token.
    fn start(&mut self, client: Client, is_modern: bool) -> (String, TaskToken) {
        let found = self.answer(client, &call("optional", is_modern));
        let id = found["result"].pointer(if is_modern { "/taskId" } else { "/task/taskId" });
        let id = id.and_then(Value::as_str).expect("a task").to_owned();
        (id, *self.app.log.tasks.last().expect("a token"))
    }

    fn get(&mut self, client: Client, is_modern: bool, task: &str) -> Value {
        self.answer(client, &about("tasks/get", is_modern, task))
    }

    /// Ids of the tasks that a legacy client is told of.
    fn listed(&mut self, client: Client) -> Vec<String> {
        let found = self.answer(client, &request("1", "tasks/list", ""));
        let tasks = found["result"]["tasks"].as_array().expect("a list").iter();
        tasks.map(|task| task["taskId"].as_str().expect("an id").to_owned()).collect()
    }

    /// Everything that is due, by its receiver.
    fn poll(&mut self) -> Vec<(Address, Value)> {
        let mut lines = Vec::new();
        loop {
            let mut memory = [0; 1 << 12];
            let mut out = Sink::new(&mut memory);
            match self.server.poll(|_| true, &mut self.app, &mut out) {
                Sent::To(address) => {
                    let line = std::str::from_utf8(out.finish().expect("a line")).expect("UTF-8").to_owned();
                    lines.push((address, json(&line)));
                }
                Sent::Nothing => return lines,
                Sent::NoRoom => panic!("no room"),
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Client {
    session: Option<u16>,
    principal: u64,
}

const fn client(session: Option<u16>, principal: u64) -> Client {
    Client { session, principal }
}

const ANONYMOUS: Client = client(None, 0);
const ALICE: Client = client(None, 7);
const BOB: Client = client(None, 7 << 32);

/// Every kind of client, no two of whom are the same.
const CLIENTS: [Client; 8] = [
    ANONYMOUS,
    ALICE,
    BOB,
    client(None, u64::MAX),
    client(Some(0), 0),
    client(Some(1), 0),
    // A session of Alice, and one in which somebody else shows a token of Bob.
    client(Some(0), 7),
    client(Some(1), 7 << 32),
];

fn call(tool: &str, is_modern: bool) -> String {
    match is_modern {
        true => modern_of("1", "tools/call", &format!(r#""name":"{tool}""#), EXTENSION),
        false => request("1", "tools/call", &format!(r#"{{"name":"{tool}","task":{{}}}}"#)),
    }
}

fn about(method: &str, is_modern: bool, task: &str) -> String {
    match is_modern {
        true => modern_of("2", method, &format!(r#""taskId":"{task}","inputResponses":{{}}"#), EXTENSION),
        false => request("2", method, &format!(r#"{{"taskId":"{task}"}}"#)),
    }
}

fn listen(id: &str, task: &str) -> String {
    modern_of(id, "subscriptions/listen", &format!(r#""notifications":{{"taskIds":["{task}"]}}"#), EXTENSION)
}

fn unknown() -> Value {
    json(&error("2", -32602, "Unknown task"))
}

/// Methods that name a task, and whether they are modern.
const METHODS: [(&str, bool); 6] = [
    ("tasks/get", false),
    ("tasks/get", true),
    ("tasks/result", false),
    ("tasks/update", true),
    ("tasks/cancel", false),
    ("tasks/cancel", true),
];

#[test]
fn nobody_else_knows_of_a_task() {
    for owner in CLIENTS {
        for is_modern in [false, true] {
            let mut http = Http::new(Roomy::<Shared>::new());
            let (task, token) = http.start(owner, is_modern);
            let row = format!("{owner:?} {is_modern}");
            for other in CLIENTS.into_iter().filter(|other| *other != owner) {
                for (method, is_modern) in METHODS {
                    let found = http.answer(other, &about(method, is_modern, &task));
                    assert_eq!(found, unknown(), "{row}: {method} of {other:?}");
                }
                assert_eq!(http.listed(other), [""; 0], "{row}: {other:?}");
                let found = http.answer(other, &listen(r#""of another""#, &task));
                assert_eq!(found["params"]["notifications"], json!({"taskIds":[]}), "{row}: {other:?}");
            }
            assert!(http.server.is_task_running(token), "{row}");

            let mine = http.answer(owner, &listen(r#""mine""#, &task));
            assert_eq!(mine["params"]["notifications"], json!({"taskIds":[task]}), "{row}");
            let mine = Address::Stream(Channel(http.exchanges));
            // Anonymous clients without a session cannot be told apart: an id is all that they have.
            let listed = if owner == ANONYMOUS { vec![] } else { vec![task.clone()] };
            assert_eq!(http.listed(owner), listed, "{row}");
            http.server.finish_task(token, TaskEnd::Completed).expect("a running task");
            let lines = http.poll();
            let streams = lines.iter().filter(|(address, _)| !matches!(address, Address::Session(_)));
            let streams: Vec<_> =
                streams.map(|(address, line)| (*address, &line["params"]["taskId"])).collect();
            assert_eq!(streams, [(mine, &Value::from(task.clone()))], "{row}");
            assert_eq!(http.get(owner, true, &task)["result"]["status"], "completed", "{row}");
            let result = http.answer(owner, &about("tasks/result", false, &task));
            assert_eq!(result["result"]["content"][0]["text"], "the result", "{row}");
        }
    }
}

/// The status of a legacy task goes to its session, and to no other.
#[test]
fn only_the_session_of_a_task_hears_of_it() {
    let mut http = Http::new(Roomy::<Shared>::new());
    for session in [0, 1] {
        http.answer(client(Some(session), 0), &initialize("2025-11-25"));
        let origin = http.exchange(client(Some(session), 0));
        assert_eq!(http.send(origin, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), "");
    }
    let params = r#"{"name":"optional","task":{},"_meta":{"progressToken":"p"}}"#;
    http.answer(client(Some(1), 0), &request("1", "tools/call", params));
    let (mine, token) = (http.listed(client(Some(1), 0)), http.app.log.tasks[0]);

    let mut memory = [0; 512];
    let mut out = Sink::new(&mut memory);
    let sent = http.server.task_progress(token, Progress::new(1), &mut out);
    assert_eq!(sent, Ok(Sent::To(Address::Session(1))));
    let line = std::str::from_utf8(out.finish().expect("a line")).expect("UTF-8").to_owned();
    let line = json(&line);
    assert_eq!(line["params"]["progressToken"], "p");
    assert_eq!(line["params"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], mine[0]);

    http.server.finish_task(token, TaskEnd::Completed).expect("a running task");
    let lines = http.poll();
    let [(Address::Session(1), status)] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(status["params"]["taskId"], mine[0]);

    // The next client in the place of the session finds nothing.
    http.server.end_session(1, &mut http.app);
    assert_eq!(http.get(client(Some(1), 0), false, &mine[0]), unknown());
    assert_eq!(http.app.log.events.last().map(String::as_str), Some("task forgotten"));
}

#[test]
fn a_random_id_cannot_be_guessed_or_computed() {
    let mut http = Http::new(Roomy::<Shared>::new());
    let (first, _) = http.start(ALICE, true);
    let (task, _) = http.start(ALICE, true);
    assert_ne!(first, task);
    assert!(
        task.len() == 32 && task.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')),
        "{task}"
    );
    let mut guesses = vec![String::new(), task.to_uppercase(), format!("{task}0"), format!("0{task}")];
    for length in 0..32 {
        guesses.push(task[..length].to_owned());
        guesses.push(task[length + 1..].to_owned());
        let digit = if task.as_bytes()[length] == b'0' { "1" } else { "0" };
        guesses.push([&task[..length], digit, &task[length + 1..]].concat());
        guesses.push([&task[..length], r"\u0100", &task[length + 1..]].concat());
    }
    // The ids of a server without a source.
    let mut plain = Server::with_storage(Roomy::<Full>::new());
    for _ in 0..4 {
        let mut memory = [0; 1024];
        let mut out = Sink::new(&mut memory);
        let line = call("optional", true);
        let mut app = App::of_tasks();
        let _ = plain.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut app, &mut out);
        let line = std::str::from_utf8(out.finish().expect("a line")).expect("UTF-8").to_owned();
        let id = json(&line)["result"]["taskId"].as_str().expect("a task").to_owned();
        guesses.extend([[id.as_str(), &id].concat(), ["0000000000000000", &id].concat(), id]);
    }
    for guess in guesses {
        assert_eq!(http.get(ALICE, true, &guess), unknown(), "{guess}");
    }
    // An id is a JSON string like any other.
    let escaped = format!(r"\u{:04x}{}", task.as_bytes()[0], &task[1..]);
    for known in [&first, &task, &escaped] {
        assert_eq!(http.get(ALICE, true, known)["result"]["status"], "working", "{known}");
    }
}

/// Without a random source, streams have tasks, each of its own session, and HTTP exchanges have none.
#[test]
fn without_a_source_there_are_no_tasks_over_http() {
    let mut http = Http::new(Roomy::<Full>::new());
    http.server = http.server.with_options(Options::DEFAULT.with_task_seed(3));
    let streams = [0, 1].map(|place| Origin::stream(Channel(1000 + u32::from(place)), place));
    let [mut ids, mut expected] = [const { Vec::new() }; 2];
    for (number, origin) in streams.into_iter().enumerate() {
        let found = json(&http.send(origin, &call("optional", true)));
        ids.push(found["result"]["taskId"].as_str().expect("a task").to_owned());
        expected.push(format!("{:016x}", id_of(3, number)));
    }
    assert_eq!(ids, expected);
    for (place, origin) in streams.into_iter().enumerate() {
        let mine = json(&http.send(origin, &about("tasks/get", true, &ids[place])));
        assert_eq!(mine["result"]["status"], "working");
        assert_eq!(json(&http.send(origin, &about("tasks/get", true, &ids[1 - place]))), unknown());
        let listed = json(&http.send(origin, &request("1", "tasks/list", "")));
        assert_eq!(listed["result"]["tasks"].as_array().map(Vec::len), Some(1));
    }

    let of_tasks = |found: &Value| found["result"]["capabilities"].to_string().contains("tasks");
    assert!(of_tasks(&json(&http.send(streams[0], &modern_of("1", "server/discover", "", EXTENSION)))));
    for client in CLIENTS {
        assert!(!of_tasks(&http.answer(client, &modern_of("1", "server/discover", "", EXTENSION))));
        for (method, is_modern) in METHODS {
            let found = http.answer(client, &about(method, is_modern, &ids[0]));
            assert_eq!(found, json(&error("2", -32601, "Method not found")), "{method} {client:?}");
        }
        let found = http.answer(client, &request("2", "tasks/list", ""));
        assert_eq!(found, json(&error("2", -32601, "Method not found")), "{client:?}");
        for is_modern in [false, true] {
            for tool in ["optional", "required"] {
                let found = http.answer(client, &call(tool, is_modern));
                assert_eq!(found["result"]["content"][0]["text"], "direct", "{client:?}");
            }
        }
        let found = http.answer(client, &listen(r#""l""#, &ids[0]));
        assert_eq!(found["params"]["notifications"], json!({}), "{client:?}");
    }
    let found = http.answer(client(Some(0), 0), &initialize("2025-11-25"));
    assert!(found["result"]["capabilities"].is_object() && !of_tasks(&found), "{found}");
}

/// The steps of `SplitMix64`.
fn id_of(seed: u64, number: usize) -> u64 {
    let mut bits = seed.wrapping_add((number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A table full of the tasks of one principal is full for all, and shows nothing of them.
#[test]
fn a_full_table_shows_nothing_of_its_tasks() {
    let mut http = Http::new(Fixed::<Shared, 4, 0, 2, 4096, 2>::new());
    let tasks = [http.start(ALICE, true), http.start(ALICE, false)];
    for client in [BOB, ANONYMOUS, client(Some(0), 0)] {
        assert_eq!(http.answer(client, &call("optional", true))["result"]["content"][0]["text"], "direct");
        let busy = json(&error("1", -32603, "Server busy"));
        assert_eq!(http.answer(client, &call("required", true)), busy);
        assert_eq!(http.answer(client, &call("optional", false)), busy);
        assert_eq!(http.listed(client), [""; 0]);
        for (task, _) in &tasks {
            assert_eq!(http.get(client, true, task), unknown());
        }
    }
    // A result that was fetched makes room, for anybody.
    let (first, token) = &tasks[0];
    http.server.finish_task(*token, TaskEnd::Completed).expect("a running task");
    assert_eq!(http.get(ALICE, true, first)["result"]["status"], "completed");
    let (bobs, _) = http.start(BOB, true);
    assert_eq!(http.get(ALICE, true, first), unknown());
    assert_eq!(http.get(ALICE, true, &bobs), unknown());
    assert_eq!(http.get(BOB, true, &bobs)["result"]["status"], "working");
}

/// Id and principal of a task take 24 bytes, and are kept whole or not at all.
#[test]
fn a_task_whose_id_does_not_fit_is_not_begun() {
    // The id of the request could be kept as well.
    let mut http = Http::new(Fixed::<Shared, 4, 0, 4, 50, 2>::new());
    let tasks = [http.start(ALICE, true), http.start(ALICE, false)];
    assert_eq!(http.answer(ALICE, &call("optional", true))["result"]["content"][0]["text"], "direct");
    let busy = json(&error("1", -32603, "Server busy"));
    assert_eq!(http.answer(ALICE, &call("required", true)), busy);
    assert_eq!(http.answer(ALICE, &call("optional", false)), busy);
    for (task, token) in &tasks {
        assert!(http.server.is_task_running(*token));
        assert_eq!(http.get(ALICE, true, task)["result"]["status"], "working");
    }

    let mut http = Http::new(Fixed::<Shared, 4, 0, 4, 50, 2>::new());
    let with_token = |token: &str| {
        request(
            "1",
            "tools/call",
            &format!(r#"{{"name":"optional","task":{{}},"_meta":{{"progressToken":"{token}"}}}}"#),
        )
    };
    // 24 bytes, and 26 with the quotes.
    assert!(http.answer(ALICE, &with_token(&"p".repeat(24)))["result"]["task"].is_object());
    let mut http = Http::new(Fixed::<Shared, 4, 0, 4, 50, 2>::new());
    let too_long = json(&error("1", -32603, "Progress token too long"));
    assert_eq!(http.answer(ALICE, &with_token(&"p".repeat(25))), too_long);
}

/// Texts of the arena move when a task ends; the ids after it stay what they are.
#[test]
fn ids_stay_when_another_task_is_forgotten() {
    let mut http = Http::new(Roomy::<Shared>::new());
    let owners = [ALICE, client(Some(0), 0), BOB, client(Some(1), 0), ALICE];
    let tasks = owners.map(|owner| http.start(owner, false).0);
    http.server.end_session(0, &mut http.app);
    for (place, (owner, task)) in owners.into_iter().zip(&tasks).enumerate() {
        let found = http.get(owner, false, task);
        match place {
            1 => assert_eq!(found, unknown()),
            _ => assert_eq!(found["result"]["taskId"], *task),
        }
    }
    assert_eq!(http.listed(ALICE), [tasks[0].as_str(), &tasks[4]]);
}

#[test]
fn a_handler_sees_the_principal() {
    let mut http = Http::new(Roomy::<Shared>::new());
    http.app.call = |log, call, reply| {
        log.notes.push(format!("{:?}", call.context().origin().principal()));
        Ok(reply.text("direct"))
    };
    for client in [ANONYMOUS, BOB] {
        http.answer(client, &request("1", "tools/call", r#"{"name":"never"}"#));
    }
    assert_eq!(http.app.log.notes, ["Principal(0)", "Principal(30064771072)"]);
    assert_eq!(Principal::new(0), Principal::default());
    assert_eq!(Principal::new(u64::MAX).number(), u64::MAX);
}
