//! Requests that are answered by one message: exact bytes.

use tokio::task::yield_now;

use crate::kit::{
    ECHO, INITIALIZE, Server, call, json, modern, modern_result, modern_with, post, post_with, request,
    result,
};

const HI: &str = r#"{"text":"hi"}"#;

fn error(status: &str, id: &str, code: i32, message: &str) -> String {
    let id = match id {
        "" => String::new(),
        id => format!(r#""id":{id},"#),
    };
    json(status, &format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":{code},"message":"{message}"}}}}"#))
}

fn refused(status: &str, message: &str) -> String {
    error(status, "", -32600, message)
}

fn empty(status: &str, fields: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{fields}content-length: 0\r\n\r\n")
}

const EVIL: &str = "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\n\r\n";
const ABSOLUTE: &str =
    "POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n";
const CHUNKED: &str = "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n";
const METHODS: &str = "allow: POST, GET, DELETE\r\n";

/// Requests, and their answers but for the date. The connection stays open after each.
fn table() -> Vec<(String, String)> {
    let echo = call("7", "echo", HI);
    let (start, end) = echo.split_at(50);
    let chunks = format!("{:x}\r\n{start}\r\n{:X};x=y\r\n{end}\r\n0\r\n\r\n", start.len(), end.len());
    let chunked = format!("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:80\r\n{CHUNKED}\r\n{chunks}");
    let answer = json("200 OK", &result("7", "hi"));
    vec![
        (post(&echo), answer.clone()),
        (chunked, answer.clone()),
        (request("POST", "Content-Type: application/json\r\n", &echo), answer.clone()),
        (post_with("MCP-Protocol-Version: 2025-03-26\r\n", &format!("[{echo}]")), {
            json("200 OK", &format!("[{}]", result("7", "hi")))
        }),
        (modern(8, "tools/call", ECHO), json("200 OK", &modern_result(8, "hi"))),
        (modern(8, "nothing", ""), error("404 Not Found", "8", -32601, "Method not found")),
        (
            modern_with("Mcp-Method: tools/call\r\n", 8, "tools/call", ECHO),
            error("400 Bad Request", "8", -32020, "Repeated Mcp-Method header"),
        ),
        (post(&call("7", "none", "{}")), error("200 OK", "7", -32602, "Unknown tool")),
        (post(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#), {
            json("200 OK", r#"{"jsonrpc":"2.0","id":"a","result":{}}"#)
        }),
        (post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), empty("202 Accepted", "")),
        (post("{"), error("400 Bad Request", "null", -32700, "Parse error")),
        (post(""), error("400 Bad Request", "null", -32700, "Parse error")),
        (post_with("Mcp-Session-Id: 1\r\n", &echo), error("404 Not Found", "7", -32600, "Session not found")),
        (
            request("GET", "Accept: text/event-stream\r\n", ""),
            empty("405 Method Not Allowed", "allow: POST\r\n"),
        ),
        (request("DELETE", "", ""), empty("400 Bad Request", "")),
        (request("OPTIONS", "", ""), empty("405 Method Not Allowed", METHODS)),
        (request("PUT", "", ""), empty("405 Method Not Allowed", METHODS)),
        (EVIL.to_owned(), refused("403 Forbidden", "Host not allowed")),
        (ABSOLUTE.to_owned(), refused("403 Forbidden", "Host not allowed")),
        (post_with("Origin: http://evil.example\r\n", &echo), refused("403 Forbidden", "Origin not allowed")),
        (post_with("Host: localhost\r\n", &echo), refused("400 Bad Request", "Malformed Host header")),
        (request("POST", "", "{}"), {
            refused("415 Unsupported Media Type", "Content-Type must be application/json")
        }),
        (request("POST", "Content-Type: application/json\r\nAccept: text/html\r\n", "{}"), {
            refused(
                "406 Not Acceptable",
                "Accept must allow the media types application/json and text/event-stream",
            )
        }),
    ]
}

#[tokio::test]
async fn each_answer_is_exact() {
    let server = Server::start().await;
    let mut wrong = Vec::new();
    for (request, expected) in table() {
        let answer = server.answer(&request).await;
        if answer != expected {
            wrong.push(format!("{request}\nexpected {expected:?}\nbut got  {answer:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[tokio::test]
async fn requests_may_be_split_at_every_byte() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.stream.set_nodelay(true).unwrap();
    let table = table();
    assert!(table.len() >= 20);
    for (request, answer) in table {
        for place in 1..request.len() {
            let (start, end) = request.split_at(place);
            client.send(start).await;
            for _ in 0..3 {
                yield_now().await;
            }
            client.send(end).await;
            assert_eq!(client.response().await, answer, "{start}|{end}");
        }
    }
}

#[tokio::test]
async fn requests_may_follow_each_other_without_waiting() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let echo = |id: u32| post(&call(&id.to_string(), "echo", HI));
    client.send((0..20).map(echo).collect::<String>()).await;
    for id in 0..20_u32 {
        assert_eq!(client.response().await, json("200 OK", &result(&id.to_string(), "hi")));
    }
}

#[tokio::test]
async fn the_answer_to_initialize_has_a_session() {
    let server = Server::start().await;
    let response = server.answer(post(INITIALIZE)).await;
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let id = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    assert_eq!(id.len(), 32);
    assert_eq!(
        head,
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nmcp-session-id: {id}\r\ncontent-length: {}",
            body.len()
        )
    );
    assert!(body.starts_with(r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","#));
    assert_ne!(server.answer(post(INITIALIZE)).await, response);
}

#[tokio::test]
async fn a_panic_fails_only_its_request() {
    let server = Server::start().await;
    for _ in 0..3 {
        assert_eq!(
            server.answer(post(&call("7", "panic", "{}"))).await,
            error("200 OK", "7", -32603, "Internal error")
        );
        assert_eq!(server.answer(post(&call("7", "echo", HI))).await, json("200 OK", &result("7", "hi")));
    }
    let token = {
        let mut client = server.connect().await;
        client.send(post(&call("7", "wait", "{}"))).await;
        let token = server.deferred().await;
        server.handle.complete_tool(token, |_| panic!("a panic of the application, as the test wants it"));
        assert_eq!(client.response().await, error("200 OK", "7", -32603, "Internal error"));
        token
    };
    // It was answered.
    server.handle.complete_tool(token, |result| Ok(result.text("again").done()));
    assert!(!server.handle.is_in_flight(token));
}

#[tokio::test]
async fn a_client_may_wait_for_permission_to_send_its_body() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let request = post_with("Expect: 100-continue\r\n", &call("7", "echo", HI));
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    client.send(format!("{head}\r\n\r\n")).await;
    assert_eq!(client.head().await, "HTTP/1.1 100 Continue\r\n\r\n");
    client.send(body).await;
    assert_eq!(client.response().await, json("200 OK", &result("7", "hi")));

    // Refused by its head: there is no permission.
    let mut client = server.connect().await;
    client.send(head.replace("localhost", "evil.example") + "\r\n\r\n").await;
    assert_eq!(client.response().await, refused("403 Forbidden", "Host not allowed"));
}
