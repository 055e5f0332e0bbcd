//! A call of an asynchronous tool.

use super::piece::Piece;
use crate::engine::server::ask::Caller;
use crate::engine::server::call::argument_methods;
use crate::engine::server::{Context, Origin, Resumed, ToolCall};
use crate::json::{JsonStr, Number, Object, ParseError, RawValue};
use crate::mcp::{ClientCapabilities, ProtocolVersion};

/// A call of an asynchronous tool. Its arguments fit the declared parameters. Revision and capabilities of the client are in the
/// [`Peer`](super::Peer).
#[derive(Debug, Clone, Copy)]
pub struct AsyncCall<'a> {
    name: JsonStr<'a>,
    index: usize,
    arguments: Object<'a>,
}

impl<'a> AsyncCall<'a> {
    /// Whether it is the tool of that name that is called.
    pub fn is(&self, name: &str) -> bool {
        self.name == *name
    }

    /// The tool's name.
    pub const fn name(&self) -> JsonStr<'a> {
        self.name
    }

    /// The tool's place in [`Handler::tools`](crate::engine::Handler::tools).
    pub const fn index(&self) -> usize {
        self.index
    }

    argument_methods!();
}

/// A call of an asynchronous tool that is deferred and about to run. Its texts are in the frame that it came with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Started {
    index: usize,
    name: Piece,
    arguments: Piece,
    pub(super) version: ProtocolVersion,
    pub(super) client: ClientCapabilities,
    pub(super) wants_progress: bool,
    #[cfg(feature = "seal")]
    origin: Origin,
    /// Answers that a modern client has sent with the call.
    answers: Piece,
    /// The state that came back from a modern client.
    state: Piece,
}

impl Started {
    /// A call that came for the first time.
    pub(super) fn new(call: &ToolCall<'_>, frame: &[u8]) -> Self {
        Self::of(call.context(), call.index(), call.name(), call.arguments(), frame)
    }

    /// A call that came again, with answers. Its arguments were checked as those of any call.
    pub(super) fn again(index: usize, call: &Resumed<'_>, frame: &[u8]) -> Self {
        Self {
            answers: Piece::of_object(frame, call.all_answers()),
            state: Piece::of(frame, call.state().as_escaped_bytes()),
            ..Self::of(call.context(), index, call.subject(), call.arguments(), frame)
        }
    }

    fn of(
        context: &Context<'_>,
        index: usize,
        name: JsonStr<'_>,
        arguments: Object<'_>,
        frame: &[u8],
    ) -> Self {
        Self {
            answers: Piece::NONE,
            state: Piece::NONE,
            index,
            name: Piece::of(frame, name.as_escaped_bytes()),
            arguments: Piece::of_object(frame, arguments),
            version: context.version(),
            client: context.client(),
            wants_progress: context.wants_progress(),
            #[cfg(feature = "seal")]
            origin: context.origin(),
        }
    }

    /// The tool's place in the table.
    #[cfg(feature = "tokio")]
    pub(crate) const fn tool(&self) -> usize {
        self.index
    }

    /// The call, with its frame again.
    pub(crate) fn call<'f>(&self, frame: &'f [u8]) -> AsyncCall<'f> {
        AsyncCall {
            name: self.name.string(frame),
            index: self.index,
            arguments: self.arguments.object(frame),
        }
    }
    /// The caller, for a seal.
    pub(super) fn caller<'f>(&self, frame: &'f [u8]) -> Caller<'f> {
        #[cfg(feature = "seal")]
        let origin = self.origin;
        #[cfg(not(feature = "seal"))]
        let origin = Origin::ONLY;
        Caller::new(origin, self.name.string(frame))
    }

    /// Decodes the state in its place: the answers of earlier rounds as an object. False if it is none; the client may have made it up.
    pub(crate) fn decode_state(&mut self, frame: &mut [u8]) -> bool {
        if self.state.is_empty() {
            return true;
        }
        let Some(decoded) = self.state.decode(frame) else {
            return false;
        };
        self.state = decoded;
        decoded.is_object(frame)
    }

    /// The client's answers: those of this round, and those of earlier ones.
    pub(crate) fn answers<'f>(&self, frame: &'f [u8]) -> [Object<'f>; 2] {
        [self.answers.object(frame), self.state.object(frame)]
    }
}
