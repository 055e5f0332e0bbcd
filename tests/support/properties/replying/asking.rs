//! A call that asks the client, and goes on with what it answers.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::{
    Answer, CallError, Handler, Outcome, PromptGet, PromptReply, ResourceRead, ResourceReply, Resumed,
    ResumedReply, ToolCall, ToolReply,
};
use barewire::mcp::{Implementation, InputRequest, Prompt, ProtocolVersion, Resource, TaskSupport, Tool};
use serde_json::{Value, json};

use super::ends::End;
use super::{Kind, completed, initialize, text_of, value_of};
use crate::support::entropy::Entropy;
use crate::support::generate;
use crate::support::hosted::{Hosted, Status};
use crate::support::replies::Answering;

const TOOLS: &[Tool<'_>] = &[Tool::new("q", "").with_task_support(TaskSupport::Optional)];
const RESOURCES: &[Resource<'_>] = &[Resource::new("q", "q")];
const PROMPTS: &[Prompt<'_>] = &[Prompt::new("q")];
const ID: &str = "\"i\\u0064\"";

/// What is kept of a call.
#[derive(Debug)]
enum State {
    Nothing,
    Text(String),
    /// Written by a writer.
    Number(i64),
}

impl State {
    fn text(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Text(text) => text.clone(),
            Self::Number(number) => format!("[{number},\"\"]"),
        }
    }
}

/// A question, and what comes of it.
#[derive(Debug)]
struct Inquiry {
    kind: Kind,
    version: ProtocolVersion,
    /// The client has roots.
    is_declared: bool,
    state: State,
    answer: usize,
}

impl Inquiry {
    fn capabilities(&self) -> &'static str {
        match self.is_declared {
            true => "{\"roots\":{}}",
            false => "{}",
        }
    }
}

/// The members of the client's responses; behind them, none comes.
const ANSWERS: [&str; 3] = [
    "\"result\":{\"roots\":[{\"uri\":\"file:\\u002f\",\"name\":\"n\"},7]}",
    "\"result\":{\"x\":1}",
    "\"error\":{\"code\":-1,\"message\":\"no\"}",
];

struct Inquirer<'q> {
    inquiry: &'q Inquiry,
    goes_on: usize,
}

impl Inquirer<'_> {
    /// What the handler sees of the answer, as a text.
    fn look_at(&mut self, resumed: &Resumed<'_>) -> &'static str {
        self.goes_on += 1;
        assert!(resumed.is("q") && resumed.subject() == "q");
        assert_eq!(resumed.state().to_string(), self.inquiry.state.text());
        assert_eq!(resumed.context().version(), self.inquiry.version);
        assert!(resumed.answer("l").is_none() && !resumed.may_be_task());
        let answer = resumed.answer("k").expect("an answer");
        assert!(answer.elicited().is_none() && answer.sampled().is_none());
        match (self.inquiry.answer, answer) {
            (0, Answer::Result(_)) => {
                let roots = answer.roots().expect("roots");
                let found: Vec<_> = roots.iter().map(|root| (root.uri, root.name)).collect();
                let [(uri, Some(name))] = found[..] else {
                    panic!("{found:?}");
                };
                assert!(uri == "file:/" && name == "n");
                "roots"
            }
            (1, Answer::Result(result)) => {
                assert!(answer.roots().is_none());
                assert_eq!(result.as_value().as_json(), "{\"x\":1}");
                "nothing"
            }
            (2, Answer::Error(error)) => {
                assert!(answer.roots().is_none() && error.code().0 == -1);
                "an error"
            }
            (3, Answer::TimedOut) => {
                assert!(answer.roots().is_none());
                "no answer"
            }
            (_, other) => panic!("{:?}: {other:?}", self.inquiry),
        }
    }
}

/// Asks, and keeps what the handler must know.
fn inquire(reply: ResumedReply<'_, '_>, state: &State) -> Outcome {
    let questions = reply.ask("k", &InputRequest::Roots);
    match state {
        State::Nothing => questions.done(),
        State::Text(text) => questions.keep(text),
        State::Number(number) => questions.keep_with(|json| {
            json.begin_array().integer(*number).string("").end_array();
        }),
    }
}

impl Handler for Inquirer<'_> {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("author", "1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(&mut self, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        Ok(inquire(ResumedReply::Tool(reply), &self.inquiry.state))
    }

    fn resources(&self) -> &[Resource<'_>] {
        RESOURCES
    }

    fn read_resource<'a>(
        &mut self,
        _: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(inquire(ResumedReply::Resource(reply), &self.inquiry.state))
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        PROMPTS
    }

    fn get_prompt<'a>(
        &mut self,
        _: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(inquire(ResumedReply::Prompt(reply), &self.inquiry.state))
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(reply.text(self.look_at(&call)))
    }
}

type Tested<'q> = Hosted<Inquirer<'q>>;

/// What a client is asked it can answer, and its call goes on with that answer and what was kept.
pub(in super::super) fn a_call_goes_on_with_the_answer(entropy: &mut Entropy<'_>) {
    let version = entropy.pick(&ProtocolVersion::ALL);
    let is_modern = version == ProtocolVersion::V2026_07_28;
    let inquiry = Inquiry {
        kind: entropy.pick(&[Kind::Tool, Kind::Prompt, Kind::Read]),
        version,
        is_declared: !entropy.once_in(4),
        state: match entropy.below(3) {
            0 => State::Number(i64::from(entropy.byte())),
            // The storage has 512 bytes, and each character may be an escape of six.
            1 => State::Text(generate::text(entropy).chars().take(64).collect()),
            _ => State::Nothing,
        },
        // A modern client sends no error, and comes again or does not.
        answer: entropy.below(if is_modern { 2 } else { 4 }),
    };
    let mut server = Tested::new(Inquirer { inquiry: &inquiry, goes_on: 0 });
    let first = asks(&mut server, &inquiry);
    if !inquiry.is_declared {
        let refused = json!({"jsonrpc": "2.0", "id": "id"});
        return assert_eq!(first, refusal(refused, &inquiry), "{inquiry:?}");
    }
    let answer = match is_modern {
        true => {
            let mut result = json!({
                "resultType": "input_required", "inputRequests": {"k": {"method": "roots/list"}},
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "author", "version": "1"}},
            });
            let mut state = String::new();
            if !inquiry.state.text().is_empty() {
                result["requestState"] = inquiry.state.text().into();
                state = format!("\"requestState\":{},", result["requestState"]);
            }
            assert_eq!(first, json!({"jsonrpc": "2.0", "id": "id", "result": result}), "{inquiry:?}");
            let answers = ANSWERS[inquiry.answer].strip_prefix("\"result\":").unwrap_or_default();
            let again = format!("\"inputResponses\":{{\"k\":{answers},\"m\":7}},{state}");
            said(&mut server, &request(&inquiry, &again))
        }
        false => {
            assert_eq!(first, json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}));
            match ANSWERS.get(inquiry.answer) {
                Some(answer) => said(&mut server, &format!("{{\"jsonrpc\":\"2.0\",\"id\":1,{answer}}}")),
                None => is_given_up(&mut server),
            }
        }
    };
    assert_eq!(server.handler().goes_on, 1, "{inquiry:?}");
    let text = ["roots", "nothing", "an error", "no answer"][inquiry.answer];
    let block = json!({"type": "text", "text": text});
    let result = match inquiry.kind {
        Kind::Tool => json!({"content": [block], "isError": false}),
        Kind::Prompt => json!({"messages": [{"role": "user", "content": block}]}),
        _ => json!({"contents": [{"uri": "q", "text": text}]}),
    };
    let result = completed(result, inquiry.kind, version);
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": "id", "result": result}), "{inquiry:?}");
    // The time of an answered question may still be due, for nothing.
    for now in [Duration::ZERO, Duration::from_secs(302)] {
        assert_eq!(server.tick(now, &mut Sink::new(&mut [])), Status::Done);
    }
    assert_eq!(server.next_deadline(), None);
}

/// Nobody is asked what he has not declared.
fn refusal(mut answer: Value, inquiry: &Inquiry) -> Value {
    let missing = End::Missing(false);
    match missing.as_tool_failure(inquiry.version).filter(|_| inquiry.kind == Kind::Tool) {
        Some(text) => answer["result"] = super::failed(&text),
        None => answer["error"] = missing.as_protocol_error(inquiry.kind, inquiry.version, "q"),
    }
    answer
}

fn request(inquiry: &Inquiry, members: &str) -> String {
    let (method, own) = match inquiry.kind {
        Kind::Tool => ("tools/call", "\"name\":\"q\""),
        Kind::Prompt => ("prompts/get", "\"name\":\"\\u0071\""),
        _ => ("resources/read", "\"uri\":\"q\""),
    };
    let meta = match inquiry.version {
        ProtocolVersion::V2026_07_28 => format!(
            "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
             \"io.modelcontextprotocol/clientCapabilities\":{}",
            inquiry.capabilities()
        ),
        _ => String::new(),
    };
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{ID},\"method\":\"{method}\",\"params\":{{{members}{own},\"_meta\":{{{meta}}}}}}}"
    )
}

/// The line that the request is answered with, in a session where it is of the legacy era.
fn asks(server: &mut Tested<'_>, inquiry: &Inquiry) -> Value {
    if inquiry.version != ProtocolVersion::V2026_07_28 {
        let initialize = initialize(inquiry.version, inquiry.capabilities());
        assert!(said(server, &initialize)["error"].is_null());
    }
    said(server, &request(inquiry, ""))
}

/// The only line that a frame is answered with.
fn said(server: &mut Tested<'_>, frame: &str) -> Value {
    let mut memory = [0; 1024];
    let mut out = Sink::new(&mut memory);
    assert_eq!(server.handle_frame(frame.as_bytes(), &mut out), Status::Done);
    serde_json::from_str(text_of(&out)).expect("one line")
}

/// The answer of a call whose question has become late; before it, the question is withdrawn.
fn is_given_up(server: &mut Tested<'_>) -> Value {
    let mut lines = Vec::new();
    for now in [Duration::ZERO, Duration::from_secs(301)] {
        let mut memory = [0; 1024];
        let mut out = Sink::new(&mut memory);
        let mut status = server.tick(now, &mut out);
        lines.extend(text_of(&out).lines().map(value_of));
        while status == Status::More {
            let mut out = Sink::new(&mut memory);
            status = server.drain(&mut out);
            lines.extend(text_of(&out).lines().map(value_of));
        }
    }
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    assert_eq!((lines.len(), &lines[0]), (2, &cancelled));
    lines.remove(1)
}
