//! Calls of a tool over 64 connections that stay open, beside a bare service of hyper that answers with the same bytes.
//!
//! ```sh
//! cargo bench -p barewire-http --bench load
//! ```

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use barewire_http::Mcp;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

struct Words;

#[barewire::server(name = "words", version = "1.0")]
impl Words {
    /// Counts the words of a text.
    #[tool]
    fn count_words(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

const CONNECTIONS: usize = 64;
const TIME: Duration = Duration::from_secs(3);
const BODY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count_words","arguments":{"text":"a b c"}}}"#;
const ANSWER: &str =
    r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"3"}],"isError":false}}"#;

fn request() -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n{BODY}",
        BODY.len()
    )
}

/// Receives the whole body, as any server must, and answers.
async fn echo(request: hyper::Request<Incoming>) -> Result<hyper::Response<Full<Bytes>>, Infallible> {
    let _ = request.into_body().collect().await;
    let mut response = hyper::Response::new(Full::new(Bytes::from_static(ANSWER.as_bytes())));
    let json = hyper::header::HeaderValue::from_static("application/json");
    response.headers_mut().insert("content-type", json);
    Ok(response)
}

/// Serves each connection by `serve`.
async fn listen<F>(serve: impl Fn(TokioIo<TcpStream>) -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(TokioIo::new(stream)));
        }
    });
    address
}

/// Sends requests until the time is over. The time of each, in microseconds.
async fn client(address: SocketAddr) -> Vec<u32> {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let (request, mut received, mut times) = (request(), Vec::new(), Vec::new());
    let start = Instant::now();
    while start.elapsed() < TIME {
        let sent = Instant::now();
        stream.write_all(request.as_bytes()).await.expect("sent");
        received.clear();
        while !received.ends_with(ANSWER.as_bytes()) {
            assert_ne!(stream.read_buf(&mut received).await.expect("received"), 0);
        }
        times.push(u32::try_from(sent.elapsed().as_micros()).expect("a short time"));
    }
    times
}

async fn measure(name: &str, address: SocketAddr) {
    let clients: Vec<_> = (0..CONNECTIONS).map(|_| tokio::spawn(client(address))).collect();
    let mut times = Vec::new();
    for client in clients {
        times.extend(client.await.expect("a client"));
    }
    times.sort_unstable();
    let at = |percent: usize| f64::from(times[times.len() * percent / 100]) / 1000.0;
    let rate = times.len() as f64 / TIME.as_secs_f64();
    println!("{name:10} {rate:8.0} requests/s   p50 {:6.2} ms   p99 {:6.2} ms", at(50), at(99));
}

#[tokio::main]
async fn main() {
    let mcp = Mcp::new(Words);
    let barewire = listen(move |io| {
        let service = TowerToHyperService::new(mcp.clone());
        async move {
            let _ = http1::Builder::new().serve_connection(io, service).await;
        }
    });
    let hyper = listen(|io| async move {
        let _ = http1::Builder::new().serve_connection(io, service_fn(echo)).await;
    });
    let (barewire, hyper) = (barewire.await, hyper.await);
    for _ in 0..2 {
        measure("hyper", hyper).await;
        measure("barewire", barewire).await;
    }
}
