//! Questions of a deferred call to its client.

use crate::bytes::Sink;
#[cfg(feature = "seal")]
use crate::engine::server::Origin;
use crate::engine::server::answer::Written;
use crate::engine::server::close::Extra;
use crate::engine::server::engine::context_of;
use crate::engine::server::reply::{Asking, Draft, Line, ToolReply, Way};
use crate::engine::server::settle::Settled;
use crate::engine::server::storage::{CallState, Storage};
use crate::engine::server::{CallToken, Handler, Server};
use crate::json::{JsonStr, Object};
use crate::mcp::{ClientCapabilities, InputRequest};

/// A question to a modern client, which is the result of its call.
pub(crate) struct Question<'q> {
    pub(crate) key: &'q str,
    pub(crate) request: &'q InputRequest<'q>,
    pub(crate) client: ClientCapabilities,
    /// Name of the tool.
    #[cfg(feature = "seal")]
    pub(crate) subject: JsonStr<'q>,
    /// Origin of the call.
    #[cfg(feature = "seal")]
    pub(crate) origin: Origin,
    /// Answers of this round and of earlier ones, which come back with the next.
    pub(crate) answers: [Object<'q>; 2],
}

impl<S: Storage> Server<S> {
    /// Ends a deferred call of a modern client with a question. The client makes the call again, with the answer.
    pub(crate) fn ask_with_result<H: Handler + ?Sized>(
        &mut self,
        token: CallToken,
        question: &Question<'_>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) {
        let mut engine = self.engine(app);
        let Some(place) = engine.state.find_deferred(token) else {
            return;
        };
        let Some(call) = engine.state.calls.get(place) else {
            return;
        };
        let log_level = engine.state.log_level_of(call);
        let mut context = context_of(engine.state.arena.texts(), call, log_level);
        context.client = question.client;
        #[cfg(feature = "seal")]
        {
            context.origin = question.origin;
        }
        let mut draft = Draft::new(out, context.version, None);
        let mut asking = Asking::new(Way::Result, context.client, JsonStr::EMPTY, &mut []);
        #[cfg(feature = "seal")]
        {
            asking.subject = question.subject;
            asking.seal = engine.state.core.seal();
        }
        let reply = ToolReply::new(Line::new(out, &context, &mut draft, Some(&mut asking)));
        let [new, old] = question.answers;
        let outcome = reply.ask(question.key, question.request).keep_with(|json| {
            json.begin_object();
            for member in old.members().filter(|old| new.members().all(|new| new.name != old.name)) {
                json.member(member);
            }
            for member in new.members() {
                json.member(member);
            }
            json.end_object();
        });
        let settled = engine.app.settle::<S::Parts>(&context, Ok(outcome), &draft, Extra::Nothing, out);
        // Without room for an error the link forgets the call.
        if let Settled::Answered(Written::Yes | Written::Instead) = settled {
            engine.state.remove_call(place);
        }
    }

    /// Withdraws a question of the server's own: the client is told, and its answer is not waited for.
    pub(crate) fn withdraw(&mut self, token: CallToken) {
        let mut state = self.state();
        let is_it = |call: &super::super::CallSlot| call.state == CallState::Own && call.token == token;
        if let Some(place) = state.calls().iter().position(is_it) {
            state.withdraw(place);
        }
    }
}
