//! Large messages.

use super::{FIXED, LONG_LINES, MODERN, each, fill, slow};
use crate::flood::Attack;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "one stream of many resources",
        size: 500_000,
        send: |size, out| {
            write!(
                out,
                r#"{{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{{{MODERN},"notifications":{{"resourceSubscriptions":["demo://readme""#
            )?;
            each(size, out, |n, out| write!(out, r#","demo://square/{}""#, n % 65_536))?;
            writeln!(out, "]}}}}}}")
        },
        lines: |_| 1,
        last: "notifications/subscriptions/acknowledged",
        memory: LONG_LINES,
    },
    Attack {
        name: "requests with ids of 1 MiB",
        size: 40,
        send: |size, out| {
            each(size, out, |_, out| {
                write!(out, r#"{{"jsonrpc":"2.0","id":""#)?;
                fill(1 << 20, "i", out)?;
                writeln!(out, r#"","method":"ping"}}"#)
            })
        },
        lines: |size| size,
        last: r#"","result":{}}"#,
        memory: LONG_LINES,
    },
    Attack {
        name: "calls to be kept, with ids of 5 MiB",
        size: 40,
        send: |size, out| each(size, out, |_, out| slow(&format!("\"{}\"", "i".repeat(5 << 20)), out)),
        lines: |size| size,
        last: "Request id too long",
        memory: LONG_LINES,
    },
    Attack {
        name: "a line of 100 MiB, its id at the end",
        size: 100 << 20,
        send: |size, out| {
            write!(out, r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":""#)?;
            fill(size.max(17 << 20), "a", out)?;
            writeln!(out, r#""}},"id":"last"}}"#)
        },
        lines: |_| 1,
        last: r#""id":"last","error":{"code":-32700,"message":"Message too long"}"#,
        memory: LONG_LINES,
    },
    Attack {
        name: "a line of 100 MiB of backslashes",
        size: 100 << 20,
        send: |size, out| {
            write!(out, "\"")?;
            fill(size.max(17 << 20), "\\", out)?;
            writeln!(out)
        },
        lines: |_| 1,
        last: "Message too long",
        memory: LONG_LINES,
    },
    Attack {
        name: "a million members of the params",
        size: 1_000_000,
        send: |size, out| {
            write!(out, r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"#)?;
            each(size, out, |n, out| write!(out, r#""m{n}":0,"#))?;
            writeln!(out, r#""name":"nope"}}}}"#)
        },
        lines: |_| 1,
        last: "Unknown tool",
        memory: LONG_LINES,
    },
    Attack {
        name: "a million arguments",
        size: 1_000_000,
        send: |size, out| {
            write!(
                out,
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"add","arguments":{{"a":1,"b":2"#
            )?;
            each(size, out, |n, out| write!(out, r#","m{n}":0"#))?;
            writeln!(out, "}}}}}}")
        },
        lines: |_| 1,
        last: "Invalid arguments for add",
        memory: LONG_LINES,
    },
    Attack {
        name: "a million members of the envelope",
        size: 1_000_000,
        send: |size, out| {
            write!(out, "{{")?;
            each(size, out, |n, out| write!(out, r#""m{n}":0,"#))?;
            writeln!(out, r#""jsonrpc":"2.0","id":1,"method":"nope"}}"#)
        },
        lines: |_| 1,
        last: "Method not found",
        memory: LONG_LINES,
    },
    Attack {
        name: "a million ids in one message",
        size: 1_000_000,
        send: |size, out| {
            write!(out, "{{")?;
            each(size, out, |n, out| write!(out, r#""id":{n},"#))?;
            writeln!(out, r#""jsonrpc":"2.0","method":"ping"}}"#)
        },
        lines: |_| 1,
        last: r#""id":null,"error":{"code":-32600"#,
        memory: LONG_LINES,
    },
    Attack {
        name: "ten million open brackets",
        size: 10_000_000,
        send: |size, out| {
            fill(size.max(1000), "[", out)?;
            writeln!(out)
        },
        lines: |_| 1,
        last: "Message too deep",
        memory: LONG_LINES,
    },
    Attack {
        name: "a batch of a million elements, without a session",
        size: 1_000_000,
        send: |size, out| {
            write!(out, "[")?;
            each(size, out, |_, out| write!(out, r#"{{"id":1}},"#))?;
            writeln!(out, "1]")
        },
        lines: |_| 1,
        last: "Invalid Request",
        memory: LONG_LINES,
    },
    Attack {
        name: "a batch of half a million elements, in its session",
        size: 500_000,
        send: |size, out| {
            writeln!(
                out,
                r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-03-26"}}}}"#
            )?;
            write!(out, "[0")?;
            each(size, out, |_, out| write!(out, ",{{}}"))?;
            writeln!(out, "]")
        },
        lines: |size| size + 2,
        last: "Invalid Request",
        memory: LONG_LINES,
    },
    Attack {
        name: "an argument of two million escapes",
        size: 2_000_000,
        send: |size, out| {
            write!(
                out,
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":""#
            )?;
            fill(size * 6, r"\u0000", out)?;
            writeln!(out, r#""}}}}}}"#)
        },
        lines: |_| 1,
        last: r#""}],"isError":false}"#,
        memory: LONG_LINES,
    },
    Attack {
        name: "a URI of 12 MB against the template",
        size: 12_000_000,
        send: |size, out| {
            write!(
                out,
                r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{"uri":"demo://square/"#
            )?;
            fill(size, "7", out)?;
            writeln!(out, r#""}}}}"#)
        },
        lines: |_| 1,
        last: "Resource not found",
        memory: LONG_LINES,
    },
    Attack {
        name: "a cursor of 12 MB",
        size: 12_000_000,
        send: |size, out| {
            write!(out, r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"cursor":""#)?;
            fill(size, "1", out)?;
            writeln!(out, r#""}}}}"#)
        },
        lines: |_| 1,
        last: "Invalid cursor",
        memory: LONG_LINES,
    },
    Attack {
        name: "a completion with a million arguments of context",
        size: 1_000_000,
        send: |size, out| {
            write!(
                out,
                r#"{{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{{"ref":{{"type":"ref/prompt","name":"greet"}},"argument":{{"name":"language","value":"fin"}},"context":{{"arguments":{{"a":"b""#
            )?;
            each(size, out, |n, out| write!(out, r#","m{n}":"""#))?;
            writeln!(out, "}}}}}}}}")
        },
        lines: |_| 1,
        // More names than the server compares count as repeated.
        last: "Invalid params",
        memory: LONG_LINES,
    },
    Attack {
        name: "answers to a question that nobody asked, a million in one request",
        size: 1_000_000,
        send: |size, out| {
            write!(
                out,
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{MODERN},"name":"set_limit","arguments":{{"max":1}},"requestState":"x","inputResponses":{{"a":{{}}"#
            )?;
            each(size, out, |n, out| write!(out, r#","m{n}":{{}}"#))?;
            writeln!(out, "}}}}}}")
        },
        lines: |_| 1,
        last: r#""id":1,"error":{"code":-32602"#,
        memory: LONG_LINES,
    },
    Attack {
        name: "a request that comes byte by byte",
        size: 20_000,
        send: |size, out| {
            for byte in
                format!("{}{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}\n", " ".repeat(size)).bytes()
            {
                out.write_all(&[byte])?;
                out.flush()?;
            }
            Ok(())
        },
        lines: |_| 1,
        last: r#""id":1,"result":{}"#,
        memory: FIXED,
    },
];
