//! `tools/call` (MCP tools).

use super::invalid_params;
use super::params::name_and_arguments;
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Written};
use crate::engine::server::reply::{Reply, To};
use crate::engine::server::{Context, Handler, Parts, Server, ToolCall, ToolReply};

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
    pub(in crate::engine::server) fn call_tool(
        &mut self,
        context: &Context<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        let Some((name, arguments)) = name_and_arguments(context.params) else {
            return invalid_params(out, context);
        };
        let mut tools = self.handler.tools().iter().enumerate();
        let Some((index, tool)) = tools.find(|(_, tool)| name == tool.name()) else {
            return answer::not_found(out, context);
        };
        if let Err(fault) = tool.check(arguments) {
            let mut reply = ToolReply::new(out, &To::request(context));
            reply.set_error();
            let head = ["Invalid arguments for ", tool.name()];
            if tool.is_terse() {
                reply.text_of(&head);
            } else {
                reply.text_about(&head, fault.member, fault.fault.as_str());
            }
            let finished = reply.finish(&self.tail(context.version));
            return self.finished(context, finished, out);
        }
        let call = ToolCall {
            context: *context,
            name,
            index,
            arguments,
        };
        let mut reply = ToolReply::new(out, &To::request(context));
        let outcome = self.handler.call_tool(call, &mut reply);
        let settled = reply.settle(outcome, &self.tail(context.version));
        self.conclude(context, settled, out)
    }
}
