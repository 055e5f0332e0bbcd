//! `tools/call` (MCP tools).

use core::sync::atomic::AtomicBool;

use super::params::{Malformed, name_and_arguments};
use super::{Turn, apart, invalid_params, refuse};
use crate::bytes::Sink;
use crate::engine::server::answer::{Tail, Written};
use crate::engine::server::reply::{Finished, Reply};
use crate::engine::server::{CallError, Context, Disposition, Handler, Parts, Server, ToolCall, ToolReply};
use crate::json::{JsonStr, Object};
use crate::mcp::{ArgumentError, Tool};
use crate::rpc::ErrorCode;

impl<
    H: Handler + ?Sized,
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const ID: usize,
    const TEXT: usize,
    const TASKS: usize,
> Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>
{
    #[inline(never)]
    pub(in crate::engine::server) fn call_tool(
        &mut self,
        context: &mut Context<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        let called = match apart::<P, _>(|| self.called(context, out)) {
            Ok(called) => called,
            Err(written) => return written,
        };
        let call = ToolCall {
            context,
            name: called.name,
            index: called.index,
            arguments: called.arguments,
        };
        match self.turn(context, call.name, &AtomicBool::new(false), call) {
            Ok(turn) => self.run_tool(turn, None, out),
            Err(Malformed) => invalid_params(out, context),
        }
    }

    /// What is called, and in the context what it may become; or the error that there is in its place.
    fn called<'a>(&mut self, context: &mut Context<'a>, out: &mut Sink<'_>) -> Result<Called<'a>, Written> {
        let Some((name, arguments)) = name_and_arguments(context.params) else {
            return Err(invalid_params(out, context));
        };
        let mut tools = self.handler.tools().iter().enumerate();
        let Some((index, tool)) = tools.find(|(_, tool)| name == tool.name()) else {
            return Err(refuse(out, context, ErrorCode::INVALID_PARAMS, "Unknown tool"));
        };
        let offer = match self.task_offer(context, tool.task_support()) {
            Ok(offer) => offer,
            Err(error) => return Err(self.refuse_call(context, &error, out)),
        };
        context.task = offer;
        if let Err(fault) = tool.check(arguments) {
            if offer.is_asked {
                // There is no task, and nothing else may be the answer.
                return Err(invalid_params(out, context));
            }
            let finished = self.write_fault(context, tool, &fault, out);
            return Err(self.finished(context, finished, out));
        }
        Ok(Called {
            name,
            index,
            arguments,
        })
    }

    /// The tool error that says what is wrong with the arguments.
    #[inline(never)]
    fn write_fault(
        &self,
        context: &Context<'_>,
        tool: &Tool<'_>,
        fault: &ArgumentError<'_>,
        out: &mut Sink<'_>,
    ) -> Finished {
        let mut reply = ToolReply::new(out, context, None, None);
        reply.set_error();
        let head = ["Invalid arguments for ", tool.name()];
        if tool.is_terse() {
            reply.text_of(&head);
        } else {
            reply.text_about(&head, fault.member, fault.fault.as_str());
        }
        reply.finish(&Tail::<_, P>::new(&self.handler, context.version))
    }

    /// Lets the handler answer a call of a tool.
    #[inline(never)]
    pub(in crate::engine::server) fn run_tool<'a>(
        &mut self,
        turn: Turn<'a, ToolCall<'a>>,
        progress: Option<i64>,
        out: &mut Sink<'_>,
    ) -> Written {
        let (context, subject) = match &turn {
            Turn::First(call) => (call.context, call.name),
            Turn::Again(resumed) => (resumed.context, resumed.subject),
        };
        let mut memory = [0; TEXT];
        let settled = apart::<P, _>(|| {
            let mut asking = self.asking(context, subject, &mut memory);
            let mut reply = ToolReply::new(out, context, progress, asking.as_mut());
            let outcome = match turn {
                Turn::First(call) => {
                    let mut outcome = self.handler.call_tool(call, &mut reply);
                    if P::TASKS && context.task.is_asked {
                        only_a_task(&mut outcome);
                    }
                    outcome
                }
                Turn::Again(resumed) if P::ASKING => {
                    resumed.judged(self.handler.resume_tool(resumed, &mut reply))
                }
                Turn::Again(_) => Ok(Disposition::Done),
            };
            reply.settle(outcome, &Tail::<_, P>::new(&self.handler, context.version))
        });
        self.conclude(context, settled, &memory, out)
    }
}

/// A call that may be made.
struct Called<'a> {
    name: JsonStr<'a>,
    index: usize,
    arguments: Object<'a>,
}

/// Where the client takes nothing but a task, there is that or an error.
fn only_a_task(outcome: &mut Result<Disposition, CallError<'_>>) {
    match *outcome {
        Ok(Disposition::Task(_)) => {}
        Ok(_) => *outcome = Err(CallError::Internal),
        Err(CallError::Failed(message)) => {
            *outcome = Err(CallError::Refused {
                code: ErrorCode::INTERNAL_ERROR,
                message,
                data: None,
            });
        }
        Err(_) => {}
    }
}
