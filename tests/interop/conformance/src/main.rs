//! The server that the official conformance suite expects: its tools, resources and prompts, over Streamable HTTP.
//!
//! ```sh
//! cargo run -- 127.0.0.1:3000    # http://127.0.0.1:3000/mcp
//! ```

mod fixture;
mod questions;
mod samples;
mod tasks;

use barewire::engine::Seal;
use barewire::transport::jobs;
use barewire_http::Mcp;

use fixture::Fixture;

/// Threads for tools that ask the client while they run.
const THREADS: usize = 4;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let (jobs, queue) = jobs();
    // Nobody outside of the tests relies on the seal, so its key need not be secret.
    let mcp = Mcp::builder()
        .seal(Seal::new([7; 32]))
        .jobs(queue, THREADS)?
        .build_with(|handle| Fixture::new(handle, jobs));
    let app = axum::Router::new().nest_service("/mcp", mcp);
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, app).await
}
