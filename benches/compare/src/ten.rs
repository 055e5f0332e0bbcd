//! Ten tools, the first of them `echo`, as a server of this crate and as one of rmcp's.

use barewire::engine::{CallError, Handler, Outcome, ToolCall, ToolReply};
use barewire::mcp::{Implementation, Parameter, Tool, Type};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

pub const NAMES: [&str; 10] =
    ["echo", "read", "write", "list", "find", "open", "close", "move", "copy", "delete"];
const DESCRIPTION: &str = "Answers the text that it was given, unchanged.";
const PARAMETERS: &[Parameter<'_>] = &[Parameter::required("text", Type::STRING)];
const TOOLS: [Tool<'_>; 10] = {
    let mut tools = [Tool::new("echo", DESCRIPTION).with_parameters(PARAMETERS); 10];
    let mut at = 0;
    while at < tools.len() {
        tools[at] = Tool::new(NAMES[at], DESCRIPTION).with_parameters(PARAMETERS);
        at += 1;
    }
    tools
};

pub struct Ten;

impl Handler for Ten {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("ten", "1.0.0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        const { &TOOLS }
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let text = call.string("text").ok_or(CallError::Internal)?;
        Ok(reply.text(text))
    }
}

impl ServerHandler for Ten {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}"#;
        let schema: JsonObject = serde_json::from_str(schema).expect("a schema");
        let schema = std::sync::Arc::new(schema);
        let tools = NAMES.map(|name| rmcp::model::Tool::new(name, DESCRIPTION, schema.clone()));
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request
            .arguments
            .as_ref()
            .and_then(|arguments| arguments.get("text"))
            .and_then(|text| text.as_str())
            .ok_or_else(|| ErrorData::invalid_params("no text", None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}
