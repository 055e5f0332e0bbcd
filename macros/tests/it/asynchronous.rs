//! A server with `async` tools, on a link without a heap and on tokio.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, pending, poll_fn};
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use barewire::engine::{AsyncCall, AsyncHandler, CallError, Handler, Peer, Progress, ToolMode};
use barewire::mcp::{Capabilities, Elicitation, Schema};
use barewire::transport::{AsyncLink, AsyncStdio};
use embedded_io_async::{ErrorType, Read, Write};

use crate::kit::{call, failure, text};

const AGREE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"agree":{"type":"boolean"}}}"#);

#[derive(Default)]
struct Oven<'a> {
    degrees: i64,
    label: &'a str,
}

/// Reads what the client has agreed to.
async fn agrees(peer: &Peer<'_>) -> Result<bool, CallError<'static>> {
    let question = Elicitation::form("Clean it?", AGREE).into();
    let agrees = peer.ask("agree", &question, |answer| answer.elicited()?.content.get("agree")?.as_bool());
    Ok(agrees.await? == Some(true))
}

/// Long enough for a report to be written.
async fn pause() {
    let mut polls = 0;
    poll_fn(|context| {
        context.waker().wake_by_ref();
        polls += 1;
        if polls > 3 { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[barewire::server(name = "oven", version = "1.0", scratch = 16)]
impl<'a> Oven<'a> {
    /// Heats the oven.
    #[tool]
    async fn heat(
        &mut self,
        peer: &Peer<'_>,
        #[arg(min = 0, max = 250)] degrees: i64,
    ) -> Result<i64, &'static str> {
        while self.degrees < degrees {
            pause().await;
            self.degrees += 100;
            peer.progress(Progress::new(self.degrees).of(degrees));
        }
        if degrees == 250 { Err("The fuse has blown.") } else { Ok(self.degrees) }
    }

    /// The temperature.
    #[tool(read_only)]
    fn degrees(&self) -> i64 {
        self.degrees
    }

    /// Says a text after a while.
    #[tool(name = "say.it")]
    async fn say(text: &str, #[arg(default = 1)] times: u8) -> String {
        for _ in 0..times {
            pause().await;
        }
        format!("{text}!")
    }

    /// Burns the oven clean, if the user agrees.
    #[tool(destructive)]
    async fn clean(&mut self, peer: &Peer<'_>) -> Result<&'a str, CallError<'static>> {
        if !agrees(peer).await? {
            return Err(CallError::Failed("the user does not agree"));
        }
        self.degrees = 500;
        Ok(self.label)
    }

    /// Waits for a cancellation.
    #[tool]
    async fn wait(&self, call: AsyncCall<'_>) {
        assert!(call.is("wait"));
        pending().await
    }

    /// The label.
    #[resource("oven://label")]
    fn label(&self) -> &str {
        self.label
    }

    /// Explains the oven.
    #[prompt]
    fn explain() -> &'static str {
        "Explain the oven."
    }

    #[handler]
    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::LOGGING);
    }
}

/// Lines of the client, each read when the tool has nothing more to do at once.
struct Io {
    lines: VecDeque<String>,
    sent: Vec<u8>,
    waits: u8,
}

impl ErrorType for Io {
    type Error = Infallible;
}

impl Read for Io {
    async fn read(&mut self, memory: &mut [u8]) -> Result<usize, Infallible> {
        poll_fn(|_| {
            self.waits = (self.waits + 1) % 8;
            if self.waits != 0 { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
        let Some(line) = self.lines.pop_front() else {
            return Ok(0);
        };
        memory[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

impl Write for Io {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        self.sent.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    let mut polls = (0..10_000).map(|_| future.as_mut().poll(&mut context));
    polls.find_map(|poll| if let Poll::Ready(output) = poll { Some(output) } else { None }).expect("it ends")
}

const LABEL: &str = "No. 7";

fn oven() -> Oven<'static> {
    Oven { degrees: 0, label: LABEL }
}

/// The lines that a link answers.
fn serve(lines: &[String]) -> Vec<String> {
    let lines = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut io = Io { lines, sent: Vec::new(), waits: 0 };
    let mut link = AsyncLink::new(oven(), [0; 1024], [0; 2048]);
    block_on(link.run_async(&mut io)).expect("no error");
    String::from_utf8(io.sent).expect("text").lines().map(String::from).collect()
}

fn tool(id: u8, name: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{arguments},"_meta":{{"progressToken":{id}}}}}}}"#
    )
}

fn answered(id: u8, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},{result}}}"#)
}

fn progress(id: u8, degrees: u16, of: u16) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{id},"progress":{degrees},"total":{of}}}}}"#
    )
}

#[test]
fn each_tool_has_its_mode_and_both_handlers_the_same_tables() {
    let modes = [0, 1, 2, 3, 4].map(Oven::mode);
    use ToolMode::{Exclusive, Shared, Sync};
    assert_eq!(modes, [Exclusive, Sync, Shared, Exclusive, Shared]);
    let (oven, tables) = (oven(), Oven::TABLES);
    assert_eq!(oven.info(), tables.info());
    assert_eq!(oven.tools(), tables.tools());
    assert_eq!(oven.resources(), tables.resources());
    assert_eq!(oven.prompts(), tables.prompts());
    let names: Vec<&str> = tables.tools().iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["heat", "degrees", "say.it", "clean", "wait"]);
    for handler in [&oven as &dyn Handler, &tables] {
        let mut offered = Capabilities::NONE;
        handler.capabilities(&mut offered);
        assert!(offered.has(Capabilities::LOGGING));
    }
}

#[test]
fn tools_report_and_answer_while_others_are_served() {
    let lines = [
        tool(1, "heat", r#"{"degrees":200}"#),
        tool(2, "degrees", "{}"),
        tool(3, "say.it", r#"{"text":"a\tb","times":3}"#),
        tool(4, "heat", r#"{"degrees":250}"#),
        r#"{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"oven://label"}}"#.into(),
    ];
    let expected = [
        progress(1, 100, 200),
        progress(1, 200, 200),
        answered(1, &text("200")),
        answered(2, &text("200")),
        answered(3, &text(r"a\tb!")),
        progress(4, 300, 250),
        answered(4, &failure("The fuse has blown.")),
        answered(5, r#""result":{"contents":[{"uri":"oven://label","text":"No. 7"}]}"#),
    ];
    assert_eq!(serve(&lines), expected);
}

#[test]
fn arguments_that_do_not_fit_are_tool_errors() {
    let lines = [
        tool(1, "heat", r#"{"degrees":251}"#),
        tool(2, "say.it", r#"{"text":"longer than\n the scratch"}"#),
        tool(3, "say.it", r#"{"text":"longer than the scratch, but plain"}"#),
        tool(4, "say.it", r#"{"text":"\ud800"}"#),
    ];
    let expected = [
        answered(1, &failure("Invalid arguments for heat: degrees: is out of range: 0 to 250")),
        answered(2, &failure("Invalid arguments for say.it: text: is too long")),
        answered(3, &text("longer than the scratch, but plain!")),
        answered(4, &failure("Invalid arguments for say.it: text: has half a surrogate pair")),
    ];
    assert_eq!(serve(&lines), expected);
}

#[test]
fn a_cancelled_tool_has_no_answer() {
    let lines = [
        tool(1, "wait", "{}"),
        r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#.into(),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#.into(),
        tool(3, "degrees", "{}"),
    ];
    let expected = [r#"{"jsonrpc":"2.0","id":2,"result":{}}"#.into(), answered(3, &text("0"))];
    assert_eq!(serve(&lines), expected);
}

#[test]
fn a_legacy_client_is_asked_by_a_request() {
    for (agree, expected) in [("true", text(LABEL)), ("false", failure("the user does not agree"))] {
        let lines = [
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}}}}"#.into(),
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into(),
            tool(2, "clean", "{}"),
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"action":"accept","content":{{"agree":{agree}}}}}}}"#),
        ];
        let answers = serve(&lines);
        let asked =
            r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Clean it?""#;
        assert!(answers.iter().any(|line| line.starts_with(asked)), "{answers:?}");
        assert_eq!(answers.last(), Some(&answered(2, &expected)));
    }
}

#[test]
fn a_modern_client_is_asked_by_a_result() {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;
    let lines = [
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"clean",{meta}}}}}"#),
        format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"clean","inputResponses":{{"agree":{{"action":"accept","content":{{"agree":true}}}}}},"requestState":"{{}}",{meta}}}}}"#
        ),
    ];
    let answers = serve(&lines);
    let [asked, done] = answers.as_slice() else {
        panic!("{answers:?}");
    };
    assert!(asked.contains(r#""inputRequests":{"agree":{"method":"elicitation/create""#), "{asked}");
    assert!(done.contains(r#""content":[{"type":"text","text":"No. 7"}]"#), "{done}");
}

/// A loop for synchronous tools never gets as far as an `async` one.
#[test]
fn another_loop_serves_the_synchronous_tools_only() {
    assert_eq!(call(&mut oven(), "degrees", "{}"), text("0"));
    assert_eq!(call(&mut oven(), "wait", "{}"), r#""error":{"code":-32602,"message":"Unknown tool"}"#);
}

#[tokio::test]
async fn shared_tools_run_at_the_same_time_on_tokio() -> io::Result<()> {
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let lines = [
        tool(1, "wait", "{}"),
        tool(2, "say.it", r#"{"text":"\"now\""}"#),
        tool(3, "say.it", r#"{"text":"longer than\n the scratch"}"#),
        cancel.into(),
        tool(4, "heat", r#"{"degrees":100}"#),
    ];
    let mut input = Vec::new();
    for line in lines {
        input.extend_from_slice(line.as_bytes());
        input.push(b'\n');
    }
    let (mut output, served) = (Vec::new(), io::Cursor::new(input));
    AsyncStdio::new().serve_on(oven(), served, &mut output).await?;
    let output = String::from_utf8_lossy(&output);
    let answer = |id| output.lines().find(|line| line.contains(&format!(r#""id":{id},"#)));
    assert_eq!(answer(1), None);
    assert_eq!(answer(2), Some(answered(2, &text(r#"\"now\"!"#)).as_str()));
    let too_long = answered(3, &failure("Invalid arguments for say.it: text: is too long"));
    assert_eq!(answer(3), Some(too_long.as_str()));
    assert_eq!(answer(4), Some(answered(4, &text("100")).as_str()));
    Ok(())
}
