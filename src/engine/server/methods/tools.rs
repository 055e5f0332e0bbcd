//! `tools/call` (MCP tools).

use super::params::name_and_arguments;
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Written, invalid_params};
use crate::engine::server::close::Extra;
use crate::engine::server::engine::Engine;
use crate::engine::server::reply::{Draft, Line, ToolReply};
use crate::engine::server::run::Turn;
use crate::engine::server::{Context, Handler, Parts, ToolCall, Unfit};
use crate::json::Writer;
use crate::rpc::ErrorCode;

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    pub(super) fn call_tool(&mut self, context: &mut Context<'_>, out: &mut Sink<'_>) -> Written {
        let Some((name, arguments)) = name_and_arguments(context.params) else {
            return invalid_params(out, &context.id);
        };
        let mut tools = self.app.tools().iter().enumerate();
        let Some((index, tool)) = tools.find(|(_, tool)| name == tool.name()) else {
            return answer::error(out, &context.id, ErrorCode::INVALID_PARAMS, "Unknown tool");
        };
        context.task = match self.task_offer(context, tool.task_support()) {
            Ok(offer) => offer,
            Err(error) => return self.app.refuse_call::<P>(context, &error, out),
        };
        if let Err(fault) = tool.check(arguments) {
            if context.task.is_asked {
                // There is no task, and nothing else may be the answer.
                return invalid_params(out, &context.id);
            }
            return match self.write_fault(context, &Unfit::new(tool, arguments, fault), out) {
                true => Written::Yes,
                false => self.app.tool_too_large::<P>(context, Extra::Nothing, out),
            };
        }
        let call = ToolCall { context, name, index, arguments };
        self.call(context, &Turn::Tool(call), out)
    }

    /// Writes the tool error that says what is wrong with the arguments. Whether it fits.
    fn write_fault(&self, context: &Context<'_>, unfit: &Unfit<'_>, out: &mut Sink<'_>) -> bool {
        let mut draft = Draft::new(out, context.version, None);
        let content = ToolReply::new(Line::new(out, context, &mut draft, None)).content();
        let _ = self.app.explain(unfit, content.set_error()).done();
        self.app.close::<P>(&mut Writer::resumed(out, true), context.version, Extra::Nothing);
        answer::is_whole(out, draft.start)
    }
}
