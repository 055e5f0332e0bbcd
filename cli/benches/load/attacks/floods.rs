//! Many messages.

use super::{FIXED, MODERN, each, slow};
use crate::flood::Attack;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "flood of initialize",
        size: 500_000,
        send: |size, out| {
            each(size, out, |n, out| {
                writeln!(
                    out,
                    r#"{{"jsonrpc":"2.0","id":{n},"method":"initialize","params":{{"protocolVersion":"2025-11-25"}}}}"#
                )
            })
        },
        lines: |size| size,
        last: "Already initialized",
        memory: FIXED,
    },
    Attack {
        name: "flood of cancellations",
        size: 1_000_000,
        send: |size, out| {
            each(size, out, |n, out| {
                writeln!(
                    out,
                    r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{n}}}}}"#
                )
            })
        },
        lines: |_| 0,
        last: "",
        memory: FIXED,
    },
    Attack {
        name: "calls, each cancelled at once",
        size: 200_000,
        send: |size, out| {
            each(size, out, |n, out| {
                slow(&n.to_string(), out)?;
                writeln!(
                    out,
                    r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{n}}}}}"#
                )
            })
        },
        lines: |_| 0,
        last: "",
        memory: FIXED,
    },
    Attack {
        name: "calls cancelled while every thread is busy",
        size: 500_000,
        send: |size, out| {
            each(100, out, |n, out| slow(&format!("\"busy {n}\""), out))?;
            each(size, out, |n, out| {
                slow(&n.to_string(), out)?;
                writeln!(
                    out,
                    r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{n}}}}}"#
                )
            })
        },
        lines: |_| 0,
        last: "",
        memory: FIXED,
    },
    Attack {
        name: "flood of changes",
        size: 1_000_000,
        send: |size, out| {
            writeln!(
                out,
                r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-11-25"}}}}"#
            )?;
            writeln!(
                out,
                r#"{{"jsonrpc":"2.0","id":0,"method":"resources/subscribe","params":{{"uri":"demo://counter"}}}}"#
            )?;
            each(size, out, |n, out| {
                writeln!(
                    out,
                    r#"{{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{{"name":"count"}}}}"#
                )
            })
        },
        lines: |size| 2 + 2 * size,
        last: "notifications/resources/updated",
        memory: FIXED,
    },
    Attack {
        name: "calls in flight beyond the table",
        size: 500_000,
        send: |size, out| each(size, out, |n, out| slow(&n.to_string(), out)),
        lines: |size| size.saturating_sub(1024),
        last: "Server busy",
        memory: FIXED,
    },
    Attack {
        name: "flood of subscriptions",
        size: 65_000,
        send: |size, out| {
            each(size, out, |n, out| {
                writeln!(
                    out,
                    r#"{{"jsonrpc":"2.0","id":{n},"method":"resources/subscribe","params":{{"uri":"demo://square/{n}"}}}}"#
                )
            })
        },
        lines: |size| size,
        last: "Server busy",
        memory: FIXED,
    },
    Attack {
        name: "flood of streams",
        size: 200_000,
        send: |size, out| {
            each(size, out, |n, out| {
                writeln!(
                    out,
                    r#"{{"jsonrpc":"2.0","id":{n},"method":"subscriptions/listen","params":{{"notifications":{{}},{MODERN}}}}}"#
                )
            })
        },
        lines: |size| size,
        last: "Server busy",
        memory: FIXED,
    },
    Attack {
        name: "flood of tasks",
        size: 200_000,
        send: |size, out| {
            each(size, out, |n, out| {
                writeln!(
                    out,
                    r#"{{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{{"name":"simulate","arguments":{{"ms":600000}},"task":{{}}}}}}"#
                )
            })
        },
        lines: |size| size,
        last: "Server busy",
        memory: FIXED,
    },
    Attack {
        name: "flood of responses",
        size: 1_000_000,
        send: |size, out| {
            each(size, out, |n, out| writeln!(out, r#"{{"jsonrpc":"2.0","id":{n},"result":{{}}}}"#))
        },
        lines: |_| 0,
        last: "",
        memory: FIXED,
    },
    Attack {
        name: "lines of garbage",
        size: 1_000_000,
        send: |size, out| each(size, out, |_, out| writeln!(out, "}}")),
        lines: |size| size,
        last: "Parse error",
        memory: FIXED,
    },
    Attack {
        name: "blank lines",
        size: 10_000_000,
        send: |size, out| each(size, out, |_, out| writeln!(out)),
        lines: |_| 0,
        last: "",
        memory: FIXED,
    },
];
