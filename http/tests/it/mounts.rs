//! The service in axum, and over HTTP/2.

use barewire_http::Mcp;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};

use crate::kit::{
    Client, ECHO, Seen, Server, build, call, json, modern, modern_result, post, request, result,
};

#[tokio::test]
async fn axum_routers() {
    let (mcp, _seen) = build(Mcp::builder());
    let app = axum::Router::new()
        .nest_service("/nested/mcp", mcp.clone())
        .route_service("/mcp", mcp)
        .route("/", axum::routing::get(|| async { "home" }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    let echo = post(&call("1", "echo", r#"{"text":"hi"}"#));
    for path in ["/mcp", "/nested/mcp", "/nested/mcp?a=b"] {
        let mut client = Client::connect(address).await;
        client.send(echo.replace("/mcp", path)).await;
        assert_eq!(client.response().await, json("200 OK", &result("1", "hi")), "{path}");
    }
    let mut client = Client::connect(address).await;
    client.send(request("GET", "", "").replace("/mcp", "/")).await;
    assert!(client.response().await.ends_with("\r\n\r\nhome"));
}

type Sender = hyper::client::conn::http2::SendRequest<Full<Bytes>>;

async fn connect(server: &Server) -> Sender {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (sender, connection) = handshake.await.unwrap();
    tokio::spawn(connection);
    sender
}

/// A request with the fields and the body of one of HTTP/1.1.
fn http2(text: &str, authority: &str) -> hyper::Request<Full<Bytes>> {
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let mut request = hyper::Request::post(format!("http://{authority}/mcp"));
    for line in head.lines().skip(1).filter(|line| !line.starts_with("Host")) {
        let (name, value) = line.split_once(": ").unwrap();
        request = request.header(name, value);
    }
    request.body(Full::from(body.to_owned())).unwrap()
}

#[tokio::test]
async fn over_http2() {
    let server = Server::start().await;
    let mut sender = connect(&server).await;
    let response = sender.send_request(http2(&modern(1, "tools/call", ECHO), "localhost")).await.unwrap();
    assert_eq!(response.status(), 200);
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, modern_result(1, "hi"));
    let response = sender.send_request(http2(&modern(1, "tools/call", ECHO), "evil.example")).await.unwrap();
    assert_eq!(response.status(), 403);

    // Two calls with the same id on one connection: one is answered, the other given up.
    let wait = modern(2, "tools/call", r#""name":"wait","arguments":{},"#);
    let given_up = tokio::spawn(sender.send_request(http2(&wait, "localhost")));
    let cancelled = server.deferred().await;
    let answered = tokio::spawn(sender.send_request(http2(&wait, "localhost")));
    let token = server.deferred().await;
    given_up.abort();
    assert_eq!(server.seen().await, Seen::Cancelled(cancelled));
    server.handle.progress(token, 1);
    let response = answered.await.unwrap().unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    drop(response);
    assert_eq!(server.seen().await, Seen::Cancelled(token));
}
