//! rmcp's server with the ten tools on stdio, for `./stdio`.

#[path = "../ten.rs"]
#[allow(dead_code, reason = "the other half is for the other program")]
mod ten;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let service = rmcp::serve_server(ten::Ten, rmcp::transport::stdio()).await.expect("a session");
    service.waiting().await.expect("an end");
}
