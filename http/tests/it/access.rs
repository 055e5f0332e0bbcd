//! Who may connect.

use barewire_http::{Hosts, Mcp, ResourceMetadata};

use crate::kit::{Server, call, json, post, post_with, request, result};

const METADATA: ResourceMetadata<'_> = ResourceMetadata::new(
    "https://mcp.example/.well-known/oauth-protected-resource/mcp",
    r#"{"resource":"https://mcp.example/mcp"}"#,
);

fn echo() -> String {
    call("1", "echo", r#"{"text":"hi"}"#)
}

#[tokio::test]
async fn a_token() {
    let server = Server::start_with(Mcp::builder().token("s3cret").metadata(METADATA).scope("a b")).await;
    let challenge = r#"www-authenticate: Bearer scope="a b", resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp""#;
    let unauthorized = format!("HTTP/1.1 401 Unauthorized\r\n{challenge}\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(server.answer(post(&echo())).await, unauthorized);
    assert_eq!(server.answer(post_with("Authorization: Bearer other\r\n", &echo())).await, unauthorized);
    assert_eq!(
        server.answer(post_with("Authorization: Bearer s3cret\r\n", &echo())).await,
        json("200 OK", &result("1", "hi"))
    );
    let metadata = request("GET", "", "").replace("/mcp", "/.well-known/oauth-protected-resource/mcp");
    assert_eq!(server.answer(metadata).await, json("200 OK", METADATA.document()));
}

#[tokio::test]
async fn hosts_origins_and_paths() {
    let builder = Mcp::builder().hosts([String::from("mcp.example:8443")]).origins(["https://app.example"]);
    let server = Server::start_with(builder.path("/mcp")).await;
    let with = |host: &str, path: &str| {
        post(&echo()).replace("localhost", host).replace("POST /mcp", &format!("POST {path}"))
    };
    for (host, path, status) in [
        ("mcp.example:8443", "/mcp", "200 OK"),
        ("MCP.example:8443", "/mcp?x=y", "200 OK"),
        ("mcp.example", "/mcp", "403 Forbidden"),
        ("mcp.example:8443.evil.example", "/mcp", "400 Bad Request"),
        ("[::1]:9", "/mcp", "200 OK"),
        ("10.0.0.1", "/mcp", "403 Forbidden"),
        ("localhost", "http://localhost:9/mcp", "200 OK"),
        ("localhost", "/mcp/", "404 Not Found"),
        ("localhost", "/", "404 Not Found"),
    ] {
        let answer = server.answer(with(host, path)).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{host} {path} {answer}");
    }
    let any = Server::start_with(Mcp::builder().allow_hosts(Hosts::Any)).await;
    assert_eq!(any.answer(with("evil.example", "/any")).await, json("200 OK", &result("1", "hi")));
    let origin = "Origin: https://app.example\r\n";
    assert_eq!(server.answer(post_with(origin, &echo())).await, json("200 OK", &result("1", "hi")));
}

#[tokio::test]
async fn pages_that_may_read_answers() {
    let server = Server::start_with(Mcp::builder().cors(["https://app.example"])).await;
    let origin = "Origin: https://app.example\r\n";
    let preflight =
        "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: mcp-method, mcp-param-a\r\n";
    assert_eq!(
        server.answer(request("OPTIONS", &format!("{origin}{preflight}"), "")).await,
        "HTTP/1.1 204 No Content\r\n\
         access-control-allow-methods: POST, GET, DELETE\r\n\
         access-control-allow-headers: content-type, accept, authorization, last-event-id, mcp-session-id, \
         mcp-protocol-version, mcp-method, mcp-name\r\n\
         access-control-allow-headers: mcp-param-a\r\n\
         access-control-max-age: 7200\r\n\
         vary: Origin\r\n\
         access-control-allow-origin: https://app.example\r\n\
         access-control-expose-headers: Mcp-Session-Id, WWW-Authenticate\r\n\r\n"
    );
    let fields = "vary: Origin\r\naccess-control-allow-origin: https://app.example\r\naccess-control-expose-headers: Mcp-Session-Id, WWW-Authenticate\r\n";
    for answer in [
        server.answer(post_with(origin, &echo())).await,
        server.answer(post_with(origin, "{")).await,
        server.answer(request("PUT", origin, "")).await,
    ] {
        assert!(answer.contains(fields), "{answer}");
    }
    let answer = server.answer(post(&echo())).await;
    assert!(answer.contains("vary: Origin\r\n") && !answer.contains("access-control"), "{answer}");
}
