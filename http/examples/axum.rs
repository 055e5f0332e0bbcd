//! The oven of `examples/oven_server.rs` behind axum, with a token. Further arguments are the names by which clients reach it.
//!
//! ```sh
//! OVEN_TOKEN=secret cargo run -p barewire-http --example axum -- 127.0.0.1:3000 oven.example
//! ```

use std::time::Duration;

use barewire::engine::{CallError, Outcome, Progress, ToolReply};
use barewire::transport::{Jobs, jobs};
use barewire_http::Mcp;

struct Oven {
    degrees: u16,
    jobs: Jobs,
}

#[barewire::server(name = "oven", version = "1.0")]
impl Oven {
    /// Sets the temperature.
    #[tool(idempotent)]
    fn set_degrees(
        &mut self,
        #[arg(min = 30, max = 250, doc = "Degrees Celsius")] degrees: u16,
    ) -> &'static str {
        self.degrees = degrees;
        "set"
    }

    /// Waits until the oven is hot.
    #[tool(read_only)]
    fn wait(&self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        let (token, outcome) = reply.defer()?;
        let wanted = self.degrees;
        // On a thread of the pool: the server answers other requests meanwhile.
        self.jobs.run(token, move |job| {
            for degrees in (20..=wanted).step_by(40) {
                job.progress(Progress::new(degrees).of(wanted));
                if !job.sleep(Duration::from_millis(250)) {
                    break; // The client has gone.
                }
            }
            move |result| Ok(result.text(format_args!("{wanted} °C")).done())
        });
        Ok(outcome)
    }

    /// The temperature that was set.
    #[resource("oven://degrees", mime_type = "text/plain")]
    fn degrees(&self) -> u16 {
        self.degrees
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:3000".to_owned());
    let token = std::env::var("OVEN_TOKEN").map_err(|_| "set the token of the clients: OVEN_TOKEN=…")?;

    let (jobs, queue) = jobs();
    let mcp = Mcp::builder().hosts(arguments).token(token).jobs(queue, 4)?.build(Oven { degrees: 0, jobs });

    let app = axum::Router::new()
        .nest_service("/mcp", mcp.clone())
        .route("/", axum::routing::get(|| async { "An MCP server is at /mcp.\n" }));
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let end = async move {
        let _ = tokio::signal::ctrl_c().await;
        mcp.shutdown().await;
    };
    axum::serve(listener, app).with_graceful_shutdown(end).await?;
    Ok(())
}
