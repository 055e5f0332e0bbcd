//! The requests to a server, as a table that one player plays in both eras.
//!
//! No tool of the server is called, no resource is read and no prompt fetched: such requests use names that no server
//! has, or no name, and must be refused. Lists are read.

use barewire::mcp::{Era, ProtocolVersion};

use super::expected::{Expected, INVALID, INVALID_OR_NOT_FOUND, NO_SUCH_RESOURCE, NOT_FOUND, NOT_JSON};
use super::reply::Reply;
use super::session::Session;
use super::subscription;

/// Lines to send to the server, and the allowed answers.
pub(super) struct Rule {
    /// The rows of the requirements, with and without a handshake. In an era without a row the rule is not played.
    rows: [&'static str; 2],
    pub(super) when: When,
    pub(super) probe: Probe,
}

impl Rule {
    pub(super) fn row(&self, era: Era) -> Option<&'static str> {
        let [legacy, modern] = self.rows;
        let row = match era {
            Era::Legacy => legacy,
            Era::Modern => modern,
        };
        Some(row).filter(|row| !row.is_empty())
    }
}

/// Condition for playing a rule.
pub(super) enum When {
    Always,
    /// Only with this capability, given by the names that lead to it.
    Has(&'static [&'static str]),
    Lacks(&'static [&'static str]),
    /// Only if this holds for the server's declaration; otherwise the row has this reason.
    Revision(fn(&Reply) -> bool, &'static str),
}

pub(super) enum Probe {
    /// A method, the members of its params, and the answer.
    Request(&'static str, &'static str, Expected),
    /// A name for messages, a request with placeholders, and the answer.
    Template(&'static str, &'static str, Expected),
    /// A request with this id.
    Id(&'static str),
    /// This number of requests without waiting for answers.
    Burst(usize),
    /// All pages of a list, and the name of its array.
    Pages(&'static str, &'static str),
    /// Lines that are not requests, and the answers that they may get.
    Others(&'static [&'static [u8]], Expected),
    /// As `Others`, but silence does not show whether the rule is met.
    OthersAnswered(&'static [&'static [u8]], Expected),
    /// Any other exchange. Returns whether the server lives.
    Custom(fn(&mut Session<'_>) -> bool),
}

const fn rule(rows: [&'static str; 2], when: When, probe: Probe) -> Rule {
    Rule { rows, when, probe }
}

const TOOLS: &[&str] = &["tools"];
const RESOURCES: &[&str] = &["resources"];
const PROMPTS: &[&str] = &["prompts"];
const COMPLETIONS: &[&str] = &["completions"];
const LOGGING: &[&str] = &["logging"];
const TASKS: &[&str] = &["tasks"];
const TASK_LISTS: &[&str] = &["tasks", "list"];
const TASKS_MODERN: &[&str] = &["extensions", "io.modelcontextprotocol/tasks"];

const NO_TOOL: &str = r#""name":"barewire-check-no-such-tool","arguments":{}"#;
const NO_PROMPT: &str = r#""name":"barewire-check-no-such-prompt""#;
const NO_RESOURCE: &str = r#""uri":"barewire-check://nothing""#;
const NO_CURSOR: &str = r#""cursor":"barewire-check-no-such-cursor""#;
const NO_TASK: &str = r#""taskId":"barewire-check-no-such-task""#;
const NO_COMPLETION: &str = r#""ref":{"type":"ref/prompt","name":"barewire-check-no-such-prompt"},"argument":{"name":"x","value":""}"#;

const BATCH: &[u8] = br#"[{"jsonrpc":"2.0","id":920001,"method":"$ALIVE"$PARAMS},{"jsonrpc":"2.0","method":"notifications/barewire/unknown"},{"jsonrpc":"2.0","id":920002,"method":"$ALIVE"$PARAMS}]"#;

/// Rules without an order first, then rules that need one, and last the lines that a server may not survive.
#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &{
    use Expected::{Any, Completion, Empty, Error, ErrorTo, Nothing, Optional, UnsupportedVersion};
    use Probe::{Burst, Custom, Id, Others, OthersAnswered, Pages, Request, Template};
    use When::{Always, Has, Lacks, Revision};
    [
        // Any request.
        rule(["6", "6"], Always, Id("900001")),
        rule(["6", "6"], Always, Id("-3")),
        rule(["6", "6"], Always, Id("0")),
        rule(["6", "6"], Always, Id(r#""7""#)),
        rule(["6", "6"], Always, Id(r#""""#)),
        rule(["6", "6"], Always, Id("\"é \u{1F600}\"")),
        rule(["6", "6"], Always, Id(r#""a b/\"c\"""#)),
        rule(["14", "14"], Always, Template("a request with unknown members", r#"{"jsonrpc":"2.0","id":$ID,"method":"$ALIVE","barewire":[1],"params":{"barewire":{},"_meta":{$META"example.com/x":1}}}"#, Expected::Result)),
        rule(["18", "18"], Always, Burst(20)),
        rule(["20", ""], Always, Request(r"p\u0069ng", "", Expected::Result)),
        rule(["20", ""], Always, Request("PING", "", Error)),
        rule(["", "20"], Always, Request(r"server\/discover", "", Expected::Result)),
        rule(["", "20"], Always, Request("SERVER/DISCOVER", "", Error)),
        rule(["30", "30"], Always, Request("barewire/unknown", "", NOT_FOUND)),
        rule(["30", "30"], Always, Request("barewire/unknown", r#""x":1"#, NOT_FOUND)),
        rule(["27", ""], Always, Request("ping", "", Empty)),
        // Methods of the other era must be answered in some way.
        rule(["1.1", ""], Always, Request("server/discover", "", Any)),
        rule(["1.1", ""], Always, Template("server/discover", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#, Any)),
        rule(["1.1", ""], Always, Request("subscriptions/listen", "", Any)),
        rule(["1.1", ""], Always, Request("resources/subscribe", NO_RESOURCE, Any)),
        rule(["1.1", ""], Always, Request("resources/unsubscribe", NO_RESOURCE, Any)),
        rule(["", "39"], Always, Request("ping", "", NOT_FOUND)),
        rule(["", "39"], Always, Request("initialize", r#""protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}"#, NOT_FOUND)),
        rule(["", "39"], Always, Request("logging/setLevel", r#""level":"error""#, NOT_FOUND)),
        rule(["", "39"], Always, Request("resources/subscribe", NO_RESOURCE, NOT_FOUND)),
        rule(["", "39"], Always, Request("resources/unsubscribe", NO_RESOURCE, NOT_FOUND)),
        rule(["", "39"], Always, Request("tasks/list", "", NOT_FOUND)),
        rule(["", "39"], Always, Request("tasks/result", NO_TASK, NOT_FOUND)),
        // The metadata of 2026-07-28.
        rule(["", "31"], Always, Template("a request without clientCapabilities", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#, INVALID)),
        rule(["", "31"], Always, Template("a request without protocolVersion", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}"#, INVALID)),
        rule(["", "31"], Always, Template("a request whose protocolVersion is 7", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7,"io.modelcontextprotocol/clientCapabilities":{}}}}"#, INVALID)),
        rule(["", "32"], Always, Template("server/discover", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#, Expected::Result)),
        rule(["", "33"], Always, Template("server/discover of 2099-01-01", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#, UnsupportedVersion)),
        // Tools.
        rule(["11", ""], Has(TOOLS), Request("tools/list", "", Expected::Result)),
        rule(["69", "69"], Has(TOOLS), Request("tools/list", "", Expected::Result)),
        rule(["70", "70"], Has(TOOLS), Request("tools/list", NO_CURSOR, INVALID)),
        rule(["71", "71"], Has(TOOLS), Request("tools/call", NO_TOOL, INVALID)),
        rule(["71", "71"], Has(TOOLS), Request("tools/call", r#""arguments":{}"#, INVALID)),
        rule(["71", "71"], Has(TOOLS), Request("tools/call", r#""name":7"#, INVALID)),
        rule(["71", "71"], Has(TOOLS), Request("tools/call", r#""name":"barewire-check-no-such-tool","arguments":7"#, INVALID)),
        rule(["29", "40"], Lacks(TOOLS), Request("tools/list", "", NOT_FOUND)),
        rule(["29", "40"], Lacks(TOOLS), Request("tools/call", NO_TOOL, NOT_FOUND)),
        // Resources.
        rule(["11", ""], Has(RESOURCES), Request("resources/list", "", Expected::Result)),
        rule(["69", "69"], Has(RESOURCES), Request("resources/list", "", Expected::Result)),
        rule(["69", "69"], Has(RESOURCES), Request("resources/templates/list", "", Optional)),
        rule(["70", "70"], Has(RESOURCES), Request("resources/list", NO_CURSOR, INVALID)),
        rule(["70", "70"], Has(RESOURCES), Request("resources/templates/list", NO_CURSOR, INVALID_OR_NOT_FOUND)),
        rule(["78", "78 M"], Has(RESOURCES), Request("resources/read", "", INVALID)),
        rule(["78", ""], Has(RESOURCES), Request("resources/read", NO_RESOURCE, NO_SUCH_RESOURCE)),
        rule(["", "78 M"], Has(RESOURCES), Request("resources/read", NO_RESOURCE, INVALID)),
        rule(["29", "40"], Lacks(RESOURCES), Request("resources/list", "", NOT_FOUND)),
        rule(["29", "40"], Lacks(RESOURCES), Request("resources/templates/list", "", NOT_FOUND)),
        rule(["29", "40"], Lacks(RESOURCES), Request("resources/read", NO_RESOURCE, NOT_FOUND)),
        // Prompts.
        rule(["11", ""], Has(PROMPTS), Request("prompts/list", "", Expected::Result)),
        rule(["69", "69"], Has(PROMPTS), Request("prompts/list", "", Expected::Result)),
        rule(["70", "70"], Has(PROMPTS), Request("prompts/list", NO_CURSOR, INVALID)),
        rule(["77", "77"], Has(PROMPTS), Request("prompts/get", NO_PROMPT, INVALID)),
        rule(["77", "77"], Has(PROMPTS), Request("prompts/get", "", INVALID)),
        rule(["29", "40"], Lacks(PROMPTS), Request("prompts/list", "", NOT_FOUND)),
        rule(["29", "40"], Lacks(PROMPTS), Request("prompts/get", NO_PROMPT, NOT_FOUND)),
        // Completion, logging, tasks.
        rule(["79", "79"], Has(COMPLETIONS), Request("completion/complete", NO_COMPLETION, Completion)),
        rule(["79", "79"], Has(COMPLETIONS), Request("completion/complete", "", INVALID)),
        rule(["29", "40"], Lacks(COMPLETIONS), Request("completion/complete", NO_COMPLETION, NOT_FOUND)),
        rule(["63", ""], Has(LOGGING), Request("logging/setLevel", r#""level":"emergency""#, Empty)),
        rule(["63", ""], Has(LOGGING), Request("logging/setLevel", r#""level":"loud""#, INVALID)),
        rule(["29", ""], Lacks(LOGGING), Request("logging/setLevel", r#""level":"error""#, NOT_FOUND)),
        rule(["90", ""], Has(TASKS), Request("tasks/get", NO_TASK, INVALID)),
        rule(["90", ""], Has(TASKS), Request("tasks/result", NO_TASK, INVALID)),
        rule(["90", ""], Has(TASKS), Request("tasks/cancel", NO_TASK, INVALID_OR_NOT_FOUND)),
        rule(["69", ""], Has(TASK_LISTS), Request("tasks/list", "", Expected::Result)),
        rule(["29", ""], Lacks(TASKS), Request("tasks/get", NO_TASK, NOT_FOUND)),
        rule(["29", ""], Lacks(TASKS), Request("tasks/result", NO_TASK, NOT_FOUND)),
        rule(["29", ""], Lacks(TASKS), Request("tasks/cancel", NO_TASK, NOT_FOUND)),
        rule(["29", ""], Lacks(TASK_LISTS), Request("tasks/list", "", NOT_FOUND)),
        rule(["", "91"], Has(TASKS_MODERN), Template("tasks/get", r#"{"jsonrpc":"2.0","id":$ID,"method":"tasks/get","params":{"taskId":"barewire-check-no-such-task","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}"#, INVALID)),
        rule(["", "1.1"], Has(TASKS_MODERN), Request("tasks/update", r#""taskId":"barewire-check-no-such-task","inputResponses":{}"#, Any)),
        rule(["", "1.1"], Has(TASKS_MODERN), Request("tasks/cancel", NO_TASK, Any)),
        rule(["", "40"], Lacks(TASKS_MODERN), Request("tasks/get", NO_TASK, NOT_FOUND)),
        rule(["", "40"], Lacks(TASKS_MODERN), Request("tasks/update", NO_TASK, NOT_FOUND)),
        rule(["", "40"], Lacks(TASKS_MODERN), Request("tasks/cancel", NO_TASK, NOT_FOUND)),
        // Rules that need an order.
        rule(["69", "69"], Has(TOOLS), Pages("tools/list", "tools")),
        rule(["69", "69"], Has(RESOURCES), Pages("resources/list", "resources")),
        rule(["69", "69"], Has(RESOURCES), Pages("resources/templates/list", "resourceTemplates")),
        rule(["69", "69"], Has(PROMPTS), Pages("prompts/list", "prompts")),
        rule(["", "53"], Always, Custom(subscription::play)),
        // Messages that are not requests.
        rule(["4", "4"], Always, Others(&[
            br#"{"jsonrpc":"2.0","method":"notifications/barewire/unknown"}"#,
            br#"{"jsonrpc":"2.0","method":"barewire/unknown","params":{}}"#,
            br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":"x"}}"#,
            br#"{"jsonrpc":"2.0","method":"$ALIVE"$PARAMS}"#,
            br#"{"jsonrpc":"2.0","method":"tools/list"$PARAMS}"#,
        ], Nothing)),
        rule(["66", "66"], Always, Others(&[
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody's"}}"#,
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4711,"reason":"x"}}"#,
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        ], Nothing)),
        rule(["19", "19"], Always, Others(&[
            br#"{"jsonrpc":"2.0","id":987654,"result":{}}"#,
            br#"{"jsonrpc":"2.0","id":"nobody's","error":{"code":-32603,"message":"x"}}"#,
        ], Nothing)),
        rule(["11", "11"], Has(TOOLS), Others(&[
            br#"{"jsonrpc":"2.0","id":950001,"method":"tools/list","params":[1]}"#,
            br#"{"jsonrpc":"2.0","id":950002,"method":"tools/list","params":7}"#,
            br#"{"jsonrpc":"2.0","id":950003,"method":"tools/list","params":"x"}"#,
        ], Error)),
        rule(["11", "11"], Has(RESOURCES), Others(&[br#"{"jsonrpc":"2.0","id":950004,"method":"resources/list","params":[1]}"#], Error)),
        rule(["11", "11"], Has(PROMPTS), Others(&[br#"{"jsonrpc":"2.0","id":950005,"method":"prompts/list","params":[1]}"#], Error)),
        rule(["9", "9"], Always, OthersAnswered(&[br#"{"jsonrpc":"2.0","id":910001,"method":7}"#], ErrorTo(910_001))),
        rule(["9", "9"], Always, OthersAnswered(&[br#"{"jsonrpc":"2.0","id":910002,"method":"$ALIVE","params":3}"#], ErrorTo(910_002))),
        rule(["13", "13"], Revision(refuses_batches, "the server speaks earlier revisions only"), Others(&[BATCH], Error)),
        rule(["15", "15"], Always, Others(&[
            b"hello",
            br#"{"jsonrpc":"2.0","id":1,"method":"ping""#,
            br#"{"jsonrpc":"2.0","id":1,"method":"ping",}"#,
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xff\"}",
            b"]",
            b"\0",
        ], NOT_JSON)),
    ]
};

fn refuses_batches(declared: &Reply) -> bool {
    // The answer to `server/discover` has no version.
    declared.at(&["result", "protocolVersion"]).is_none()
        || declared.version().is_some_and(|version| version >= ProtocolVersion::V2025_06_18)
}
