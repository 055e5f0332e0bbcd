//! An application with asynchronous tools, a scripted stream, and a way to poll.

use std::cell::Cell;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use barewire::engine::{
    AsyncCall, AsyncHandler, CallError, Handler, Outcome, Peer, ResourceRead, ResourceReply, ToolAnswer,
    ToolCall, ToolMode, ToolReply,
};
use barewire::mcp::{Capabilities, Implementation, LoggingLevel, Parameter, Resource, Tool, Type};
use embedded_io_async_v0_7::{ErrorType, Read, Write};

/// A piece of work of the scripted stream.
#[derive(Debug, Clone)]
pub(crate) enum Do {
    Bytes(String),
    /// One read that has nothing yet.
    Yield,
    /// Lets the slow tool end.
    Open,
}

pub(crate) fn line(text: impl Into<String>) -> Do {
    Do::Bytes(text.into() + "\n")
}

pub(crate) struct Io<'a> {
    pub(crate) script: VecDeque<Do>,
    pub(crate) sent: Vec<u8>,
    pub(crate) gate: &'a Cell<bool>,
    /// One byte for each second poll.
    pub(crate) is_slow: bool,
    pub(crate) is_ready: bool,
}

impl<'a> Io<'a> {
    pub(crate) fn new(script: &[Do], gate: &'a Cell<bool>, is_slow: bool) -> Self {
        Self { script: script.to_vec().into(), sent: Vec::new(), gate, is_slow, is_ready: false }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let sent = std::str::from_utf8(&self.sent).expect("UTF-8");
        assert!(sent.is_empty() || sent.ends_with('\n'), "whole lines");
        sent.lines().map(String::from).collect()
    }
}

impl ErrorType for Io<'_> {
    type Error = Infallible;
}

impl Read for Io<'_> {
    async fn read(&mut self, memory: &mut [u8]) -> Result<usize, Infallible> {
        poll_fn(|_| match self.script.pop_front() {
            None => Poll::Ready(Ok(0)),
            Some(Do::Yield) => Poll::Pending,
            Some(Do::Open) => {
                self.gate.set(true);
                Poll::Pending
            }
            Some(Do::Bytes(bytes)) => {
                assert!(!memory.is_empty(), "there is room for {bytes}");
                let count = bytes.len().min(memory.len());
                memory[..count].copy_from_slice(&bytes.as_bytes()[..count]);
                if count < bytes.len() {
                    self.script.push_front(Do::Bytes(bytes[count..].to_string()));
                }
                Poll::Ready(Ok(count))
            }
        })
        .await
    }
}

impl Write for Io<'_> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        if self.is_slow {
            poll_fn(|_| {
                self.is_ready ^= true;
                if self.is_ready { Poll::Pending } else { Poll::Ready(()) }
            })
            .await;
        }
        let count = if self.is_slow { 1 } else { bytes.len() };
        self.sent.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    async fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

const TOOLS: &[Tool<'_>] = &[
    Tool::new("slow", "Waits for the gate, and says `v`.")
        .with_parameters(&[Parameter::optional("v", Type::STRING)]),
    Tool::new("quick", "Is done at once."),
    Tool::new("sync", "Is not asynchronous."),
    Tool::new("chatty", "Logs, and reports changes."),
    Tool::new("refused", "Fails."),
    Tool::new("long", "Answers more than fits."),
];

const RESOURCES: &[Resource<'_>] = &[Resource::new("r:1", "r")];

pub(crate) struct Tables;

impl Handler for Tables {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("device", "1")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::LOGGING);
        offered.insert(Capabilities::TOOLS_LIST_CHANGED);
        offered.insert(Capabilities::RESOURCES_SUBSCRIBE);
        offered.insert(Capabilities::COMPLETIONS);
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn resources(&self) -> &[Resource<'_>] {
        RESOURCES
    }
}

pub(crate) struct Device<'a> {
    pub(crate) gate: &'a Cell<bool>,
    /// Number of tools that were dropped before their end.
    pub(crate) dropped: &'a Cell<u32>,
    pub(crate) calls: u32,
}

struct Guard<'a>(&'a Cell<u32>);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

impl Handler for Device<'_> {
    fn info(&self) -> Implementation<'_> {
        Tables.info()
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        Tables.capabilities(offered);
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn resources(&self) -> &[Resource<'_>] {
        RESOURCES
    }

    fn call_tool<'a>(&mut self, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        self.calls += 1;
        Ok(reply.text("sync"))
    }

    fn read_resource<'a>(
        &mut self,
        _: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(reply.text(None, "content"))
    }
}

pub(crate) async fn pause() {
    let mut once = false;
    poll_fn(|_| if std::mem::replace(&mut once, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

impl AsyncHandler for Device<'_> {
    type Tables = Tables;
    const TABLES: Tables = Tables;

    fn mode(tool: usize) -> ToolMode {
        if TOOLS[tool].name() == "sync" { ToolMode::Sync } else { ToolMode::Exclusive }
    }

    async fn call_async(&mut self, call: AsyncCall<'_>, peer: &Peer<'_>) -> impl ToolAnswer {
        let guard = Guard(self.dropped);
        self.calls += 1;
        // Borrows the input over an await.
        let text = call.string("v").and_then(|v| v.as_str()).unwrap_or("none");
        let answer = match TOOLS[call.index()].name() {
            "slow" => {
                peer.progress(1);
                poll_fn(|_| if self.gate.get() { Poll::Ready(()) } else { Poll::Pending }).await;
                Ok(text)
            }
            "chatty" => {
                for data in ["one", "two"] {
                    assert!(peer.log(LoggingLevel::Info, None, data).await);
                }
                assert!(!peer.log(LoggingLevel::Debug, None, "not wanted").await);
                peer.resource_updated("r:1");
                pause().await;
                Ok("said")
            }
            "refused" => {
                pause().await;
                Err(CallError::InvalidParams)
            }
            "long" => {
                pause().await;
                const { Ok(long_text()) }
            }
            _ => Ok("quick"),
        };
        std::mem::forget(guard);
        answer
    }
}

/// A text that is longer than the output.
const fn long_text() -> &'static str {
    match std::str::from_utf8(&[b'a'; 600]) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// Polls until the future is ready, at most so many times.
pub(crate) fn block_on<F: Future>(future: F, polls: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..polls).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    })
}

/// A call of this tool.
pub(crate) fn tool(id: &str, name: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","_meta":{{"progressToken":"p{}"}}}}}}"#,
        id.trim_matches('"')
    )
}

/// A call of the slow tool.
pub(crate) fn slow(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"slow","arguments":{{"v":"hello"}},"_meta":{{"progressToken":"p{}"}}}}}}"#,
        id.trim_matches('"')
    )
}

pub(crate) fn ping(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

pub(crate) fn pong(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

pub(crate) fn progress(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":"p{id}","progress":1}}}}"#
    )
}

/// The answer with this text.
pub(crate) fn said(id: &str, text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}"#
    )
}

pub(crate) fn failed(id: &str, code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}
