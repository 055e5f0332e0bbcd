//! Questions of asynchronous tools: one source for both eras.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use barewire::engine::{
    Answer, AsyncCall, AsyncHandler, CallError, Handler, Options, Outcome, Peer, Resumed, ResumedReply,
    Server, ToolAnswer, ToolCall, ToolMode, ToolReply,
};
use barewire::mcp::{ElicitAction, Elicitation, Implementation, InputRequest, Schema, Tool};
use barewire::transport::{AsyncLink, Change, Outside};

use crate::async_kit::Do::{Bytes, Yield};
use crate::async_kit::{Do, Io, block_on, failed, line, ping, pong};
use crate::engine_kit::{cancel, initialize_with, json, modern_of, request};

const NAME: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#);

const TOOLS: &[Tool<'_>] = &[
    Tool::new("greet", "Asks for two names."),
    Tool::new("both", "Asks two questions at a time."),
    Tool::new("sync", "Asks, and is not asynchronous."),
];

struct Tables;

impl Handler for Tables {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("asker", "1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }
}

#[derive(Default)]
struct Asker {
    begun: u32,
}

impl Handler for Asker {
    fn info(&self) -> Implementation<'_> {
        Tables.info()
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(&mut self, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        Ok(reply.ask("sync", &question("Sync?")).done())
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match (call.answer("sync"), reply) {
            (Some(answer), ResumedReply::Tool(reply)) => Ok(reply.text(name(answer).as_str())),
            _ => Err(CallError::InvalidParams),
        }
    }
}

struct Text(String);

impl ToolAnswer for Text {
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        Ok(reply.text(self.0.as_str()))
    }
}

/// The name in the answer, or what the answer is instead.
fn name(answer: Answer<'_>) -> String {
    match (answer.elicited(), answer) {
        (Some(elicited), _) if elicited.action == ElicitAction::Accept => {
            let content = elicited.content.get("name");
            content.and_then(|name| name.as_string()).map_or("nobody".into(), |name| name.to_string())
        }
        (Some(_), _) => "declined".into(),
        (None, Answer::Error(error)) => error.message().to_string(),
        (None, Answer::Malformed) => "malformed".into(),
        (None, Answer::TimedOut) => "late".into(),
        (None, Answer::Result(_)) => "odd".into(),
    }
}

fn question(message: &str) -> InputRequest<'_> {
    Elicitation::form(message, NAME).into()
}

impl AsyncHandler for Asker {
    type Tables = Tables;
    const TABLES: Tables = Tables;

    fn mode(tool: usize) -> ToolMode {
        if tool == 2 { ToolMode::Sync } else { ToolMode::Exclusive }
    }

    async fn call_async(&mut self, call: AsyncCall<'_>, peer: &Peer<'_>) -> impl ToolAnswer {
        self.begun += 1;
        let (first, second) = (question("First?"), question("Second?"));
        let (first, second) = match call.index() {
            0 => (peer.ask("first", &first, name).await?, peer.ask("second", &second, name).await?),
            _ => {
                let mut asked = std::pin::pin!(peer.ask("first", &first, name));
                let mut other = std::pin::pin!(peer.ask("second", &second, name));
                let mut names = (None, None);
                poll_fn(|context| {
                    if names.0.is_none()
                        && let Poll::Ready(name) = asked.as_mut().poll(context)
                    {
                        names.0 = Some(name);
                    }
                    if names.1.is_none()
                        && let Poll::Ready(name) = other.as_mut().poll(context)
                    {
                        names.1 = Some(name);
                    }
                    if names.0.is_some() && names.1.is_some() { Poll::Ready(()) } else { Poll::Pending }
                })
                .await;
                (names.0.expect("answered")?, names.1.expect("answered")?)
            }
        };
        Ok::<_, CallError<'static>>(Text(format!("{first} and {second}")))
    }
}

/// A millisecond for each poll.
struct Clock(Cell<u64>);

impl Outside for Clock {
    fn now(&self) -> Option<Duration> {
        Some(Duration::from_millis(self.0.get()))
    }

    async fn wait(&self, until: Option<Duration>) -> Change<'_> {
        poll_fn(|_| {
            self.0.set(self.0.get() + 1);
            match until {
                Some(until) if Duration::from_millis(self.0.get()) >= until => Poll::Ready(Change::Nothing),
                _ => Poll::Pending,
            }
        })
        .await
    }
}

/// The lines that are written for the script, and how often the tool has begun.
fn serve(script: &[Do], is_slow: bool) -> (Vec<String>, u32) {
    serve_with(Server::new(), script, is_slow)
}

fn serve_with(server: Server, script: &[Do], is_slow: bool) -> (Vec<String>, u32) {
    let gate = Cell::new(false);
    let mut io = Io::new(script, &gate, is_slow);
    let server = server.with_options(Options::DEFAULT.with_question_timeout(Duration::from_millis(40)));
    let mut link = AsyncLink::with_server(server, Asker::default(), [0; 1024], [0; 768]);
    let clock = Clock(Cell::new(0));
    block_on(link.run_async_with(&mut io, &clock), 100_000).expect("it ends").expect("no error");
    assert_eq!(link.server_mut().in_flight(), 0);
    (io.lines(), link.app().begun)
}

fn begin(tool: &str) -> Vec<Do> {
    vec![
        line(initialize_with("2025-11-25", r#"{"elicitation":{}}"#)),
        line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
        line(request("1", "tools/call", &format!(r#"{{"name":"{tool}"}}"#))),
        Yield,
    ]
}

fn accept(id: u32, name: &str) -> Do {
    let content = format!(r#"{{"action":"accept","content":{{"name":"{name}"}}}}"#);
    line(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{content}}}"#))
}

fn asked(id: u32, message: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{{"message":"{message}","requestedSchema":{{"type":"object","properties":{{"name":{{"type":"string"}}}}}}}}}}"#
    )
}

fn said(text: &str) -> String {
    crate::async_kit::said("1", text)
}

#[test]
fn a_legacy_client_is_sent_requests_and_the_tool_waits() {
    for is_slow in [false, true] {
        let mut script = begin("greet");
        script.extend([
            line(ping("7")),
            Yield,
            accept(1, "Ada"),
            Yield,
            line(ping("8")),
            Yield,
            accept(2, "B\\u006fb"),
        ]);
        let (lines, begun) = serve(&script, is_slow);
        let expected = [asked(1, "First?"), pong("7"), asked(2, "Second?"), pong("8"), said("Ada and Bob")];
        assert_eq!((&lines[1..], begun), (&expected[..], 1));
    }
}

#[test]
fn an_answer_in_pieces_and_among_other_lines_is_read() {
    let answers = [
        r#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no user"}}"#,
    ];
    let all = answers.join("\n") + "\n";
    for size in 1..60 {
        let mut script = begin("greet");
        let pieces = all.as_bytes().chunks(size);
        script.extend(pieces.map(|piece| Bytes(String::from_utf8(piece.to_vec()).unwrap())));
        let (lines, _) = serve(&script, false);
        assert_eq!(lines.last(), Some(&said("declined and no user")), "{size}");
        assert_eq!(lines.len(), 5);
    }
}

#[test]
fn several_questions_may_be_open() {
    for is_slow in [false, true] {
        let mut script = begin("both");
        script.extend([Yield, accept(2, "Bob"), Yield, accept(1, "Ada")]);
        let (lines, _) = serve(&script, is_slow);
        assert_eq!(lines[1..], [asked(1, "First?"), asked(2, "Second?"), said("Ada and Bob")]);
    }
}

#[test]
fn a_question_times_out_or_is_withdrawn() {
    let withdrawn = |id: u32| {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
    };
    let mut script = begin("greet");
    script.extend(vec![Yield; 100]);
    let (lines, _) = serve(&script, false);
    let expected =
        [asked(1, "First?"), withdrawn(1), asked(2, "Second?"), withdrawn(2), said("late and late")];
    assert_eq!(lines[1..], expected);
    // Nobody answers after the end of the input, and nobody can be asked.
    let (lines, _) = serve(&begin("greet"), false);
    assert_eq!(lines[1..3], [asked(1, "First?"), withdrawn(1)]);
    assert!(lines[3].contains("Missing required client capability"));
    // The tool is dropped with its question.
    let mut script = begin("greet");
    script.extend([line(cancel("1")), Yield, accept(1, "Ada"), line(ping("7"))]);
    let (lines, _) = serve(&script, false);
    assert_eq!(lines[1..], [asked(1, "First?"), withdrawn(1), pong("7")]);
    // One that cannot be read is an answer, too.
    let mut script = begin("greet");
    script.extend([line(r#"{"jsonrpc":"2.0","id":1,"result":5}"#), Yield, Yield]);
    script.push(line(r#"{"jsonrpc":"2.0","id":2,"result":{"action":"accept","action":"accept"}}"#));
    assert_eq!(serve(&script, false).0.last(), Some(&said("malformed and malformed")));
}

#[test]
fn a_client_that_cannot_be_asked_gets_an_error() {
    let mut script = begin("greet");
    script[0] = line(initialize_with("2025-11-25", "{}"));
    let (lines, _) = serve(&script, false);
    let text = "Missing required client capability: elicitation";
    assert_eq!(lines[1], said(text).replace("false", "true"));
    let (lines, _) = serve(&[line(modern_of("1", "tools/call", r#""name":"greet""#, "{}"))], false);
    assert!(lines[0].contains(r#""error":{"code":-32021,"#), "{lines:?}");
}

fn modern_call(id: &str, members: &str) -> Do {
    let members = format!(r#""name":"greet"{members}"#);
    line(modern_of(id, "tools/call", &members, r#"{"elicitation":{}}"#))
}

#[test]
fn a_modern_client_makes_the_call_again_with_its_answers() {
    let answer = |name: &str| format!(r#"{{"action":"accept","content":{{"name":"{name}"}}}}"#);
    let mut members = String::new();
    let mut results = Vec::new();
    for answers in [
        format!(r#""first":{}"#, answer(r#"A\u0064\ud83d\ude00\"a"#)),
        format!(r#""second":{}"#, answer("Bob")),
    ] {
        let (lines, begun) = serve(&[modern_call("1", &members), line(ping("2"))], true);
        assert_eq!((lines.len(), begun), (2, 1), "{lines:?}");
        let result = json(&(lines[0].clone() + "\n"))["result"].clone();
        assert_eq!(result["resultType"], "input_required", "{result}");
        members = format!(r#","inputResponses":{{{answers}}},"requestState":{}"#, result["requestState"]);
        results.push(result);
    }
    assert_eq!(results[0]["inputRequests"]["first"]["method"], "elicitation/create");
    assert_eq!(results[0]["requestState"], "{}");
    assert_eq!(results[1]["inputRequests"]["second"]["params"]["message"], "Second?");
    let (lines, _) = serve(&[modern_call("1", &members)], false);
    let result = json(&(lines[0].clone() + "\n"))["result"].clone();
    assert_eq!(result["content"][0]["text"], "Ad\u{1f600}\"a and Bob");
    // All answers at once do as well, and so does one that is given again.
    let both = format!(r#""first":{},"second":{}"#, answer("Ada"), answer("Bob"));
    let state = r#""{\"first\":{\"action\":\"decline\"}}""#;
    let (lines, _) =
        serve(&[modern_call("1", &format!(r#","inputResponses":{{{both}}},"requestState":{state}"#))], false);
    assert!(lines[0].contains("Ada and Bob"));
    // Without a state, or with an empty one, there are no answers of earlier rounds.
    for state in ["", r#","requestState":"""#] {
        let (lines, _) =
            serve(&[modern_call("1", &format!(r#","inputResponses":{{{both}}}{state}"#))], false);
        assert!(lines[0].contains("Ada and Bob"), "{lines:?}");
    }
}

/// Answers of earlier rounds are sealed: a client cannot change them, nor use them for another tool.
#[cfg(feature = "seal")]
#[test]
fn the_state_of_an_asynchronous_tool_is_sealed() {
    let serve = |members: &str, tool: &str| {
        let call = format!(r#""name":"{tool}"{members}"#);
        let call = line(modern_of("1", "tools/call", &call, r#"{"elicitation":{}}"#));
        let (lines, _) =
            serve_with(Server::new().with_seal(barewire::engine::Seal::new([5; 32])), &[call], false);
        json(&(lines[0].clone() + "\n"))
    };
    let state_of =
        |found: &serde_json::Value| found["result"]["requestState"].as_str().expect("a state").to_owned();
    let again = |key: &str, name: &str, state: &str| {
        let state = serde_json::Value::from(state);
        format!(
            r#","inputResponses":{{"{key}":{{"action":"accept","content":{{"name":"{name}"}}}}}},"requestState":{state}"#
        )
    };
    let first = state_of(&serve("", "greet"));
    assert!(first.starts_with("{}.") && first.len() == 35, "{first}");
    let second = state_of(&serve(&again("first", "Ada", &first), "greet"));
    let found = serve(&again("second", "Bob", &second), "greet");
    assert_eq!(found["result"]["content"][0]["text"], "Ada and Bob");
    for (state, tool) in [
        (second.replace("Ada", "Eve"), "greet"),
        (second[..second.len() - 33].to_owned(), "greet"),
        (second, "both"),
        (first, "sync"),
        ("{}".to_owned(), "greet"),
    ] {
        let found = serve(&again("second", "Bob", &state), tool);
        assert_eq!(found["error"]["message"], "Invalid request state", "{state} {tool}");
    }
}

#[test]
fn a_state_that_is_made_up_is_refused() {
    let invalid = failed("1", -32602, "Invalid params");
    for state in [
        r#""x""#,
        r#""[]""#,
        r#""{\"first\":1,\"first\":2}""#,
        r#""{\"first\":\"\\ud800""#,
        r#""\ud800""#,
        r#""{\"first\":5}""#,
        r#""{} {}""#,
        "7",
    ] {
        let members = format!(r#","inputResponses":{{}},"requestState":{state}"#);
        let (lines, _) = serve(&[modern_call("1", &members), line(ping("2"))], false);
        assert_eq!(lines, [invalid.clone(), pong("2")], "{state}");
    }
    let members = r#","inputResponses":{"first":[]},"requestState":"{}""#;
    assert_eq!(serve(&[modern_call("1", members)], false).0, [invalid]);
    // The longest nesting that a message may have is no deeper in the state.
    let deep = "[".repeat(200) + &"]".repeat(200);
    let members = format!(r#","inputResponses":{{}},"requestState":"{{\"first\":{deep}}}""#);
    assert!(serve(&[modern_call("1", &members)], false).0[0].contains("Invalid params"));
}

#[test]
fn a_modern_call_that_waits_keeps_its_answers() {
    let answer = r#"{"action":"accept","content":{"name":"Ada"}}"#;
    let again = format!(r#","inputResponses":{{"first":{answer},"second":{answer}}},"requestState":"{{}}""#);
    let mut script = begin("greet");
    script.extend([modern_call("2", &again), Yield, accept(1, "A"), Yield, accept(2, "B"), Yield]);
    let (lines, begun) = serve(&script, false);
    assert_eq!(begun, 2);
    assert_eq!(lines[3], said("A and B"));
    assert!(lines[4].contains(r#""id":2,"#) && lines[4].contains("Ada and Ada"), "{lines:?}");
}

#[test]
fn a_synchronous_tool_that_has_asked_is_refused_while_another_runs() {
    let sync = request("7", "tools/call", r#"{"name":"sync"}"#);
    let mut script = begin("sync");
    script.extend([
        Yield,
        accept(1, "Ada"),
        line(&sync),
        Yield,
        line(request("8", "tools/call", r#"{"name":"greet"}"#)),
    ]);
    script.extend([Yield, accept(2, "Bob"), Yield, accept(3, "C"), Yield, accept(4, "D"), Yield]);
    let (lines, _) = serve(&script, false);
    assert_eq!(lines[1..3], [asked(1, "Sync?"), said("Ada")]);
    assert_eq!(lines[3..5], [asked(2, "Sync?"), asked(3, "First?")]);
    assert_eq!(lines[5], failed("7", -32603, "Server busy"));
    assert!(lines[7].contains("C and D"), "{lines:#?}");
}
