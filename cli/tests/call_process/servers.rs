//! Servers that are a few lines of shell each.

/// The arguments that run a script.
pub(crate) fn script(text: &str) -> [&str; 3] {
    ["/bin/sh", "-c", text]
}

/// A legacy server without `server/discover`, whose tools never fail.
pub(crate) const LEGACY: &str = r#"
while read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}
    case $line in
        *'"initialize"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"sh\",\"version\":\"1\"}}}" ;;
        *'"tools/call"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[]}}" ;;
        *'"notifications/'*) ;;
        *) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}" ;;
    esac
done
"#;

/// A server that exits at a request before `initialize`.
pub(crate) const DIES_ON_THE_PROBE: &str = r#"
read -r line
case $line in *'"initialize"'*) ;; *) exit 1 ;; esac
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"sh","version":"1"}}}'
read -r line; read -r line
echo '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}'
"#;

/// A server that reads and never answers.
pub(crate) const SILENT: &str = "cat >/dev/null";

/// A server that writes an invalid line, and then refuses every request.
pub(crate) const REFUSES: &str = r#"
echo 'garbage from the server is no log of its own' >&2
echo 'hello'
read -r line
echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}'
read -r line
printf '%s\n' '{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no \u001b[2Jroom"}}'
cat >/dev/null
"#;

/// A server with an endless list of tools; each page begins at `cursor`, which is a word of the shell.
pub(crate) fn endless(cursor: &str) -> String {
    format!(
        r#"
page=0
while read -r line; do
    id=${{line#*\"id\":}}; id=${{id%%,*}}; page=$((page + 1))
    case $line in
        *'"initialize"'*) echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{{\"tools\":{{}}}},\"serverInfo\":{{\"name\":\"sh\",\"version\":\"1\"}}}}}}" ;;
        *'"notifications/'*) ;;
        *) echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"tools\":[{{\"name\":\"t\",\"inputSchema\":{{}}}}],\"nextCursor\":\"{cursor}\"}}}}" ;;
    esac
done
"#
    )
}

/// A server of 2025-06-18 that declares these capabilities, and answers each method with its result; other methods are
/// unknown. Each request is also written to standard error.
pub(crate) fn answering(capabilities: &str, answers: &[(&str, &str)]) -> String {
    let answers: String = answers
        .iter()
        .map(|(method, result)| {
            format!(
                r#"        *'"method":"{method}"'*) answer '"result":{}' ;;
"#,
                result.replace('\'', r"'\''")
            )
        })
        .collect();
    format!(
        r#"
answer() {{ printf '%s\n' "{{\"jsonrpc\":\"2.0\",\"id\":$id,$1}}"; }}
while read -r line; do
    printf '%s\n' "$line" >&2
    id=${{line#*\"id\":}}; id=${{id%%,*}}; id=${{id%%\}}*}}
    case $line in
        *'"method":"initialize"'*) answer '"result":{{"protocolVersion":"2025-06-18","capabilities":{capabilities},"serverInfo":{{"name":"sh","version":"1"}}}}' ;;
        *'"method":"notifications/'*) ;;
{answers}        *) answer '"error":{{"code":-32601,"message":"Method not found"}}' ;;
    esac
done
"#
    )
}
