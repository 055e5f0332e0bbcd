//! Calls that continue with the client's answers.

use core::sync::atomic::{AtomicBool, Ordering};

#[cfg(feature = "std")]
use super::ToolCall;
use super::{CallError, Context};
#[cfg(any(feature = "embedded-io-async-v0_7", feature = "std"))]
use crate::json::RawValue;
use crate::json::{JsonStr, Object};
#[cfg(feature = "std")]
use crate::mcp::Tool;
use crate::mcp::{Elicited, Roots, Sampled};
use crate::rpc::ErrorObject;

/// Answer of a client to an input request.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Answer<'a> {
    /// The answer as it came. It is only checked for repeated members.
    Result(Object<'a>),
    /// An error: the user rejected it, or the client cannot do it (legacy era only).
    Error(ErrorObject<'a>),
    /// An answer that is not a valid response, or a result in which a member occurs twice (legacy era only; a modern
    /// request with such an answer is refused).
    Malformed,
    /// None came in time, or none will come since the session is over (legacy era only).
    TimedOut,
}

impl<'a> Answer<'a> {
    pub(super) fn of(outcome: Result<Object<'a>, ErrorObject<'a>>) -> Self {
        match outcome {
            Ok(result) if result.as_value().has_unique_names() => Self::Result(result),
            Ok(_) => Self::Malformed,
            Err(error) => Self::Error(error),
        }
    }

    /// No member occurs twice in it: that is checked before the handler runs, where the stack is less deep.
    fn result(self) -> Option<Object<'a>> {
        match self {
            Self::Result(result) => Some(result),
            Self::Error(_) | Self::Malformed | Self::TimedOut => None,
        }
    }

    /// The user's action, if the answer is well-formed.
    pub fn elicited(self) -> Option<Elicited<'a>> {
        self.result().and_then(Elicited::of_unique)
    }

    /// The model's message, if the answer is well-formed.
    pub fn sampled(self) -> Option<Sampled<'a>> {
        self.result().and_then(Sampled::of_unique)
    }

    /// The client's roots, if the answer is well-formed.
    pub fn roots(self) -> Option<Roots<'a>> {
        self.result().and_then(Roots::of_unique)
    }
}

/// A call that has asked the client, and continues. State and answers are whatever the client sent: in the modern era both are hostile
/// input.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{
///     Answer, CallError, Frame, Handler, Origin, Outcome, ResumedReply, Resumed, Server, ToolCall, ToolReply,
/// };
/// use barewire::mcp::{Implementation, InputRequest, Tool};
///
/// struct Finder;
///
/// impl Handler for Finder {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("finder", "1.0")
/// #     }
/// #
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[Tool::new("find", "Finds something in the client's first root.")] }
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         _: ToolCall<'a>,
///         reply: ToolReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         Ok(reply.ask("where", &InputRequest::Roots).keep("step 1"))
///     }
///
///     fn resume<'a>(&mut self, call: Resumed<'a>, reply: ResumedReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
///         let ResumedReply::Tool(reply) = reply else {
///             return Err(CallError::InvalidParams);
///         };
///         // A modern client may send answers with a call of any tool.
///         if !call.is("find") || call.state() != "step 1" {
///             return Err(CallError::InvalidParams);
///         }
///         let roots = call.answer("where").and_then(Answer::roots).ok_or(CallError::InvalidParams)?;
///         let root = roots.iter().next().ok_or(CallError::Failed("there is no root"))?;
///         Ok(reply.text(root.uri))
///     }
/// }
///
/// const META: &str = concat!(
///     r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
///     r#""io.modelcontextprotocol/clientCapabilities":{"roots":{}}}"#
/// );
///
/// let mut server = Server::new();
/// let mut answer = |members: &str| {
///     let params = format!(r#"{{"name":"find",{members}{META}}}"#);
///     let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
///     let mut memory = [0; 512];
///     let mut out = Sink::new(&mut memory);
///     let _ = server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut Finder, &mut out);
///     String::from_utf8_lossy(out.finish().unwrap_or_default()).into_owned()
/// };
/// let asked = r#""resultType":"input_required","inputRequests":{"where":{"method":"roots/list"}},"requestState":"step 1""#;
/// assert!(answer("").contains(asked));
/// // The client sends the call again, with its answer and with the state.
/// let roots = r#""inputResponses":{"where":{"roots":[{"uri":"file:///a"}]}}"#;
/// let found = answer(&format!(r#"{roots},"requestState":"step 1","#));
/// assert!(found.contains(r#""content":[{"type":"text","text":"file:///a"}],"isError":false"#));
/// let forged = answer(&format!(r#"{roots},"requestState":"step 2","#));
/// assert!(forged.contains(r#""error":{"code":-32602,"message":"Invalid params"}"#));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Resumed<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) subject: JsonStr<'a>,
    pub(super) state: JsonStr<'a>,
    pub(super) answers: Answers<'a>,
}

/// Answers of a client, by the keys of the input requests.
#[derive(Debug, Clone, Copy)]
pub struct Answers<'a>(Form<'a>);

#[derive(Debug, Clone, Copy)]
enum Form<'a> {
    /// From a modern client: the member `inputResponses`, and whether an answer that the handler wanted is not an
    /// object. The flag is atomic so that answers can be sent to another thread.
    All(Object<'a>, &'a AtomicBool),
    /// Of a legacy client: to the question of this key.
    One(JsonStr<'a>, Answer<'a>),
}

impl<'a> Answers<'a> {
    pub(super) const fn all(answers: Object<'a>, is_malformed: &'a AtomicBool) -> Self {
        Self(Form::All(answers, is_malformed))
    }

    pub(super) const fn one(key: JsonStr<'a>, answer: Answer<'a>) -> Self {
        Self(Form::One(key, answer))
    }

    /// The answer to the question of that key, if there is one. Linear in the length of the answers.
    ///
    /// `None` also if the answer of a modern request is not an object; the request is then refused, whatever the
    /// handler does.
    pub fn get(&self, key: &str) -> Option<Answer<'a>> {
        match self.0 {
            Form::All(answers, is_malformed) => {
                let answer = answers.get(key)?.as_object();
                if answer.is_none() {
                    is_malformed.store(true, Ordering::Relaxed);
                }
                answer.map(Answer::Result)
            }
            Form::One(asked, answer) => (asked == *key).then_some(answer),
        }
    }
}

#[cfg(any(feature = "embedded-io-async-v0_7", feature = "std"))]
impl<'a> Resumed<'a> {
    /// All answers of a modern client, checked only for repeated members.
    pub(crate) fn all_answers(&self) -> Object<'a> {
        match self.answers.0 {
            Form::All(answers, _) => answers,
            Form::One(..) => Object::EMPTY,
        }
    }

    /// The arguments of a call of a tool by a modern client. They were checked as those of any call.
    pub(super) fn arguments(&self) -> Object<'a> {
        let arguments = self.context.params.and_then(|params| params.get("arguments"));
        arguments.and_then(RawValue::as_object).unwrap_or(Object::EMPTY)
    }

    /// The call of a modern client without its answers, as it came for the first time.
    #[cfg(feature = "std")]
    pub(crate) fn again(&self, tools: &[Tool<'_>]) -> Option<ToolCall<'a>> {
        let index = tools.iter().position(|tool| self.is(tool.name()))?;
        Some(ToolCall { context: self.context, name: self.subject, index, arguments: self.arguments() })
    }
}

impl<'a> Resumed<'a> {
    /// The outcome of the handler, or an error if an answer that it wanted is not an object.
    pub(super) fn judged<T>(&self, outcome: Result<T, CallError<'a>>) -> Result<T, CallError<'a>> {
        match self.answers.0 {
            Form::All(_, is_malformed) if is_malformed.load(Ordering::Relaxed) => {
                Err(CallError::InvalidParams)
            }
            _ => outcome,
        }
    }

    /// Whether it is the tool or the prompt of that name, or the resource of that URI, that goes on.
    pub fn is(&self, subject: &str) -> bool {
        self.subject == *subject
    }

    /// The name of the tool or prompt, or the URI of the resource.
    pub const fn subject(&self) -> JsonStr<'a> {
        self.subject
    }

    /// The state that the handler kept when it asked.
    pub const fn state(&self) -> JsonStr<'a> {
        self.state
    }

    /// The answer to the question of that key, if there is one. When it is still needed, ask again. Linear in the length
    /// of the answers.
    pub fn answer(&self, key: &str) -> Option<Answer<'a>> {
        self.answers.get(key)
    }

    /// Whether the call may become a task, as [`ToolCall::may_be_task`](super::ToolCall::may_be_task) has it; never in the legacy era.
    pub const fn may_be_task(&self) -> bool {
        self.context.task.token.is_some()
    }

    /// The request's context: id, revision, client, progress token. Its params are not kept in the legacy era.
    pub const fn context(&self) -> &'a Context<'a> {
        self.context
    }
}
