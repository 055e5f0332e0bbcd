//! The requests to a server, as a table that one player plays in both eras.
//!
//! No tool of the server is called, no resource is read and no prompt fetched: such requests use names that no server
//! has, or no name, and must be refused. Lists are read.

use barewire::mcp::{Era, ProtocolVersion};

use super::judge::is_empty;
use super::reply::Reply;
use super::session::Session;
use super::subscription;

/// A check of an answer.
pub(super) type Expected = fn(&Reply) -> bool;

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

pub(super) fn any(_: &Reply) -> bool {
    true
}

fn none(_: &Reply) -> bool {
    false
}

pub(super) fn result(reply: &Reply) -> bool {
    reply.get("result").is_some()
}

fn error(reply: &Reply) -> bool {
    reply.get("error").is_some()
}

fn not_found(reply: &Reply) -> bool {
    reply.code() == Some(-32_601)
}

pub(super) fn invalid(reply: &Reply) -> bool {
    reply.code() == Some(-32_602)
}

fn no_resource(reply: &Reply) -> bool {
    reply.code() == Some(-32_002)
}

/// Templates are optional where there are resources.
fn result_or_not_found(reply: &Reply) -> bool {
    result(reply) || not_found(reply)
}

fn invalid_or_not_found(reply: &Reply) -> bool {
    invalid(reply) || not_found(reply)
}

fn not_json(reply: &Reply) -> bool {
    reply.code() == Some(-32_700)
}

fn to_910001(reply: &Reply) -> bool {
    error(reply) && reply.id().is_some_and(|id| id.to_i64() == Some(910_001))
}

fn to_910002(reply: &Reply) -> bool {
    error(reply) && reply.id().is_some_and(|id| id.to_i64() == Some(910_002))
}

fn completion(reply: &Reply) -> bool {
    let values = reply.at(&["result", "completion", "values"]);
    match values.and_then(|values| values.as_array()) {
        Some(values) => values.elements().count() <= 100,
        None => error(reply),
    }
}

fn unsupported(reply: &Reply) -> bool {
    let data = |name| reply.at(&["error", "data", name]);
    let supported = data("supported").and_then(|value| value.as_array());
    let requested = data("requested").and_then(|value| value.as_string());
    reply.code() == Some(-32_022)
        && supported.is_some_and(|supported| !supported.is_empty())
        && requested.is_some_and(|requested| requested == "2099-01-01")
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
        rule(["14", "14"], Always, Template("a request with unknown members", r#"{"jsonrpc":"2.0","id":$ID,"method":"$ALIVE","barewire":[1],"params":{"barewire":{},"_meta":{$META"example.com/x":1}}}"#, result)),
        rule(["18", "18"], Always, Burst(20)),
        rule(["20", ""], Always, Request(r"p\u0069ng", "", result)),
        rule(["20", ""], Always, Request("PING", "", error)),
        rule(["", "20"], Always, Request(r"server\/discover", "", result)),
        rule(["", "20"], Always, Request("SERVER/DISCOVER", "", error)),
        rule(["30", "30"], Always, Request("barewire/unknown", "", not_found)),
        rule(["30", "30"], Always, Request("barewire/unknown", r#""x":1"#, not_found)),
        rule(["27", ""], Always, Request("ping", "", is_empty)),
        // Methods of the other era must be answered in some way.
        rule(["1.1", ""], Always, Request("server/discover", "", any)),
        rule(["1.1", ""], Always, Template("server/discover", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#, any)),
        rule(["1.1", ""], Always, Request("subscriptions/listen", "", any)),
        rule(["1.1", ""], Always, Request("resources/subscribe", NO_RESOURCE, any)),
        rule(["1.1", ""], Always, Request("resources/unsubscribe", NO_RESOURCE, any)),
        rule(["", "39"], Always, Request("ping", "", not_found)),
        rule(["", "39"], Always, Request("initialize", r#""protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}"#, not_found)),
        rule(["", "39"], Always, Request("logging/setLevel", r#""level":"error""#, not_found)),
        rule(["", "39"], Always, Request("resources/subscribe", NO_RESOURCE, not_found)),
        rule(["", "39"], Always, Request("resources/unsubscribe", NO_RESOURCE, not_found)),
        rule(["", "39"], Always, Request("tasks/list", "", not_found)),
        rule(["", "39"], Always, Request("tasks/result", NO_TASK, not_found)),
        // The metadata of 2026-07-28.
        rule(["", "31"], Always, Template("a request without clientCapabilities", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#, invalid)),
        rule(["", "31"], Always, Template("a request without protocolVersion", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}"#, invalid)),
        rule(["", "31"], Always, Template("a request whose protocolVersion is 7", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7,"io.modelcontextprotocol/clientCapabilities":{}}}}"#, invalid)),
        rule(["", "32"], Always, Template("server/discover", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#, result)),
        rule(["", "33"], Always, Template("server/discover of 2099-01-01", r#"{"jsonrpc":"2.0","id":$ID,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#, unsupported)),
        // Tools.
        rule(["11", ""], Has(TOOLS), Request("tools/list", "", result)),
        rule(["69", "69"], Has(TOOLS), Request("tools/list", "", result)),
        rule(["70", "70"], Has(TOOLS), Request("tools/list", NO_CURSOR, invalid)),
        rule(["71", "71"], Has(TOOLS), Request("tools/call", NO_TOOL, invalid)),
        rule(["71", "71"], Has(TOOLS), Request("tools/call", r#""arguments":{}"#, invalid)),
        rule(["71", "71"], Has(TOOLS), Request("tools/call", r#""name":7"#, invalid)),
        rule(["71", "71"], Has(TOOLS), Request("tools/call", r#""name":"barewire-check-no-such-tool","arguments":7"#, invalid)),
        rule(["29", "40"], Lacks(TOOLS), Request("tools/list", "", not_found)),
        rule(["29", "40"], Lacks(TOOLS), Request("tools/call", NO_TOOL, not_found)),
        // Resources.
        rule(["11", ""], Has(RESOURCES), Request("resources/list", "", result)),
        rule(["69", "69"], Has(RESOURCES), Request("resources/list", "", result)),
        rule(["69", "69"], Has(RESOURCES), Request("resources/templates/list", "", result_or_not_found)),
        rule(["70", "70"], Has(RESOURCES), Request("resources/list", NO_CURSOR, invalid)),
        rule(["70", "70"], Has(RESOURCES), Request("resources/templates/list", NO_CURSOR, invalid_or_not_found)),
        rule(["78", "78 M"], Has(RESOURCES), Request("resources/read", "", invalid)),
        rule(["78", ""], Has(RESOURCES), Request("resources/read", NO_RESOURCE, no_resource)),
        rule(["", "78 M"], Has(RESOURCES), Request("resources/read", NO_RESOURCE, invalid)),
        rule(["29", "40"], Lacks(RESOURCES), Request("resources/list", "", not_found)),
        rule(["29", "40"], Lacks(RESOURCES), Request("resources/templates/list", "", not_found)),
        rule(["29", "40"], Lacks(RESOURCES), Request("resources/read", NO_RESOURCE, not_found)),
        // Prompts.
        rule(["11", ""], Has(PROMPTS), Request("prompts/list", "", result)),
        rule(["69", "69"], Has(PROMPTS), Request("prompts/list", "", result)),
        rule(["70", "70"], Has(PROMPTS), Request("prompts/list", NO_CURSOR, invalid)),
        rule(["77", "77"], Has(PROMPTS), Request("prompts/get", NO_PROMPT, invalid)),
        rule(["77", "77"], Has(PROMPTS), Request("prompts/get", "", invalid)),
        rule(["29", "40"], Lacks(PROMPTS), Request("prompts/list", "", not_found)),
        rule(["29", "40"], Lacks(PROMPTS), Request("prompts/get", NO_PROMPT, not_found)),
        // Completion, logging, tasks.
        rule(["79", "79"], Has(COMPLETIONS), Request("completion/complete", NO_COMPLETION, completion)),
        rule(["79", "79"], Has(COMPLETIONS), Request("completion/complete", "", invalid)),
        rule(["29", "40"], Lacks(COMPLETIONS), Request("completion/complete", NO_COMPLETION, not_found)),
        rule(["63", ""], Has(LOGGING), Request("logging/setLevel", r#""level":"emergency""#, is_empty)),
        rule(["63", ""], Has(LOGGING), Request("logging/setLevel", r#""level":"loud""#, invalid)),
        rule(["29", ""], Lacks(LOGGING), Request("logging/setLevel", r#""level":"error""#, not_found)),
        rule(["90", ""], Has(TASKS), Request("tasks/get", NO_TASK, invalid)),
        rule(["90", ""], Has(TASKS), Request("tasks/result", NO_TASK, invalid)),
        rule(["90", ""], Has(TASKS), Request("tasks/cancel", NO_TASK, invalid_or_not_found)),
        rule(["69", ""], Has(TASK_LISTS), Request("tasks/list", "", result)),
        rule(["29", ""], Lacks(TASKS), Request("tasks/get", NO_TASK, not_found)),
        rule(["29", ""], Lacks(TASKS), Request("tasks/result", NO_TASK, not_found)),
        rule(["29", ""], Lacks(TASKS), Request("tasks/cancel", NO_TASK, not_found)),
        rule(["29", ""], Lacks(TASK_LISTS), Request("tasks/list", "", not_found)),
        rule(["", "91"], Has(TASKS_MODERN), Template("tasks/get", r#"{"jsonrpc":"2.0","id":$ID,"method":"tasks/get","params":{"taskId":"barewire-check-no-such-task","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}"#, invalid)),
        rule(["", "1.1"], Has(TASKS_MODERN), Request("tasks/update", r#""taskId":"barewire-check-no-such-task","inputResponses":{}"#, any)),
        rule(["", "1.1"], Has(TASKS_MODERN), Request("tasks/cancel", NO_TASK, any)),
        rule(["", "40"], Lacks(TASKS_MODERN), Request("tasks/get", NO_TASK, not_found)),
        rule(["", "40"], Lacks(TASKS_MODERN), Request("tasks/update", NO_TASK, not_found)),
        rule(["", "40"], Lacks(TASKS_MODERN), Request("tasks/cancel", NO_TASK, not_found)),
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
        ], none)),
        rule(["66", "66"], Always, Others(&[
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody's"}}"#,
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4711,"reason":"x"}}"#,
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        ], none)),
        rule(["19", "19"], Always, Others(&[
            br#"{"jsonrpc":"2.0","id":987654,"result":{}}"#,
            br#"{"jsonrpc":"2.0","id":"nobody's","error":{"code":-32603,"message":"x"}}"#,
        ], none)),
        rule(["11", "11"], Has(TOOLS), Others(&[
            br#"{"jsonrpc":"2.0","id":950001,"method":"tools/list","params":[1]}"#,
            br#"{"jsonrpc":"2.0","id":950002,"method":"tools/list","params":7}"#,
            br#"{"jsonrpc":"2.0","id":950003,"method":"tools/list","params":"x"}"#,
        ], error)),
        rule(["11", "11"], Has(RESOURCES), Others(&[br#"{"jsonrpc":"2.0","id":950004,"method":"resources/list","params":[1]}"#], error)),
        rule(["11", "11"], Has(PROMPTS), Others(&[br#"{"jsonrpc":"2.0","id":950005,"method":"prompts/list","params":[1]}"#], error)),
        rule(["9", "9"], Always, OthersAnswered(&[br#"{"jsonrpc":"2.0","id":910001,"method":7}"#], to_910001)),
        rule(["9", "9"], Always, OthersAnswered(&[br#"{"jsonrpc":"2.0","id":910002,"method":"$ALIVE","params":3}"#], to_910002)),
        rule(["13", "13"], Revision(refuses_batches, "the server speaks earlier revisions only"), Others(&[BATCH], error)),
        rule(["15", "15"], Always, Others(&[
            b"hello",
            br#"{"jsonrpc":"2.0","id":1,"method":"ping""#,
            br#"{"jsonrpc":"2.0","id":1,"method":"ping",}"#,
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xff\"}",
            b"]",
            b"\0",
        ], not_json)),
    ]
};

fn refuses_batches(declared: &Reply) -> bool {
    // The answer to `server/discover` has no version.
    declared.at(&["result", "protocolVersion"]).is_none()
        || declared
            .version()
            .is_some_and(|version| version >= ProtocolVersion::V2025_06_18)
}
