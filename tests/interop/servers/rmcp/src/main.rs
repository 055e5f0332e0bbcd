//! A server made with rmcp, on stdio: what `call.py` expects of every server.

use std::error::Error;
use std::time::Duration;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ServerCapabilities, ServerInfo};
use rmcp::{ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};

#[derive(Clone)]
struct Adder;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[tool_router]
impl Adder {
    #[tool(description = "Adds two integers.")]
    fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
        (a + b).to_string()
    }

    #[tool(description = "Always fails.")]
    fn fail(&self) -> Result<String, String> {
        Err("out of order".to_owned())
    }

    #[tool(description = "Takes its time.")]
    async fn slow(&self) -> String {
        tokio::time::sleep(Duration::from_secs(30)).await;
        "done".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Adder {
    fn get_info(&self) -> ServerInfo {
        ServerInfo::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    Adder.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
