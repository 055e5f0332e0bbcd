//! What handlers write, against the values that it stands for; and what a handler is told of a request.

mod asking;
mod author;
mod ends;
mod nothing;
mod pieces;

use barewire::bytes::Sink;
use barewire::engine::{
    Fixed, Full, LegacyOnly, MIN_OUTPUT, ModernOnly, NotInFlight, Parts, Server, ToolsOnly,
};
use barewire::mcp::{LoggingLevel, ProtocolVersion};
use serde_json::{Value, json};

use super::sinks::in_growable;
use crate::support::entropy::Entropy;
use crate::support::hosted::{Hosted, Status};
use crate::support::{generate, tree};
use author::{Author, progress_of};
use ends::{End, end};
use pieces::{Piece, piece, write_to_prompt, write_to_resource, write_to_tool};

pub(super) use asking::a_call_goes_on_with_the_answer;
pub(super) use nothing::a_handler_of_nothing_answers_so;

type Tested<'p, P = Full> = Hosted<Author<'p>, Fixed<P>>;

/// Room for every plan.
const ROOM: usize = 1 << 14;
/// The resource that is read.
const URI: &str = "r:e1";

/// Which kind of request it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tool,
    Prompt,
    Read,
    Completion,
}

/// A notification about a call.
#[derive(Debug)]
enum Notice {
    Progress(i64, Option<i64>, Option<String>),
    Log(LoggingLevel, Option<&'static str>, String),
}

/// What a handler does.
#[derive(Debug)]
struct Plan {
    /// Before the answer, or before it is put off.
    before: Vec<Notice>,
    is_deferred: bool,
    /// By the application, while it is put off.
    between: Vec<Notice>,
    pieces: Vec<Piece>,
    /// How many values complete, and of how many.
    values: u32,
    total: Option<u32>,
    end: End,
}

/// A request.
#[derive(Debug)]
struct Asked {
    kind: Kind,
    version: ProtocolVersion,
    id: String,
    params: String,
    /// Of the argument.
    text: String,
    /// What the client declares, and whether it has roots, sampling, and pages to visit.
    capabilities: &'static str,
    client: (bool, bool, bool),
    progress_token: Option<String>,
    /// The least severe level that is wanted.
    level: Option<LoggingLevel>,
}

impl Asked {
    fn is_modern(&self) -> bool {
        self.version == ProtocolVersion::V2026_07_28
    }

    fn modern_capabilities(&self) -> Option<&'static str> {
        self.is_modern().then_some(self.capabilities)
    }
}

/// A reply, whatever the revision, the kind of request and the room, says what the handler meant.
pub(super) fn replies_say_what_was_meant(entropy: &mut Entropy<'_>) {
    let asked = asked(entropy);
    let plan = plan(entropy, asked.kind);
    let mut memory = vec![0; ROOM];
    let mut out = Sink::new(&mut memory);
    say::<Full>(&asked, &plan, &mut out);
    let whole = text_of(&out).to_owned();
    let lines: Vec<Value> = whole.lines().map(value_of).collect();
    assert_eq!(lines, expected(&asked, &plan), "{asked:?} {plan:?}");
    in_growable(ROOM, |out| {
        say::<Full>(&asked, &plan, out);
        assert_eq!(text_of(out), whole);
    });
    let is_one_line = plan.before.is_empty() && !plan.is_deferred;
    if is_one_line && result(&asked, &plan).is_some() {
        in_less_room(&asked, &plan, &whole, entropy);
    }
    in_fewer_parts(&asked, &plan, &whole);
    applications_log(&asked, entropy);
}

/// A server that is built without a part says the same, or that there is no such thing.
fn in_fewer_parts(asked: &Asked, plan: &Plan, whole: &str) {
    let mut memory = vec![0; ROOM];
    let mut out = Sink::new(&mut memory);
    match asked.is_modern() {
        true => say::<ModernOnly>(asked, plan, &mut out),
        false => say::<LegacyOnly>(asked, plan, &mut out),
    }
    assert_eq!(text_of(&out), whole);
    let requested = asked.version.as_str();
    let initialize = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"initialize\",\"params\":\
                 {{\"protocolVersion\":\"{requested}\"}}}}",
        asked.id
    );
    let unspoken = json!({
        "code": -32022, "message": "Unsupported protocol version",
        "data": {"supported": ["2026-07-28"], "requested": requested},
    });
    assert_eq!(refused::<ModernOnly>(asked, plan, &initialize), unspoken);
    if !asked.is_modern() {
        let invalid = json!({"code": -32602, "message": "Invalid params"});
        assert_eq!(refused::<ModernOnly>(asked, plan, &request(asked)), invalid);
    }
    if asked.kind != Kind::Tool {
        let unknown = json!({"code": -32601, "message": "Method not found"});
        assert_eq!(refused::<ToolsOnly>(asked, plan, &request(asked)), unknown);
    }
}

/// The error that a frame is answered with; the handler hears nothing of it.
fn refused<P: Parts>(asked: &Asked, plan: &Plan, frame: &str) -> Value {
    let mut server: Tested<'_, P> = new(asked, plan);
    let mut memory = [0; 512];
    let mut out = Sink::new(&mut memory);
    assert_eq!(server.handle_frame(frame.as_bytes(), &mut out), Status::Done);
    assert_eq!(server.handler().runs, 0);
    let line: Value = serde_json::from_str(text_of(&out)).expect("one line");
    assert_eq!(line["id"], id(asked));
    line["error"].clone()
}

/// Of a line without a member that is there twice: serde_json takes the last one.
fn value_of(line: &str) -> Value {
    assert!(!tree::repeats(line), "{line}");
    serde_json::from_str(line).expect("JSON")
}

fn text_of<'o>(out: &'o Sink<'_>) -> &'o str {
    let text = std::str::from_utf8(out.finish().expect("room")).expect("UTF-8");
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text
}

/// A session in which the server is asked, and all that it says then.
fn say<P: Parts>(asked: &Asked, plan: &Plan, out: &mut Sink<'_>) {
    let mut server: Tested<'_, P> = opened(asked, plan);
    let frame = request(asked);
    assert_eq!(server.handle_frame(frame.as_bytes(), out), Status::Done);
    if let Some(token) = server.handler().deferred {
        assert!(server.is_in_flight(token));
        for notice in &plan.between {
            let told = match notice {
                Notice::Progress(..) => server.progress(token, progress_of(notice), out),
                Notice::Log(level, logger, text) => server.log_for(token, *level, *logger, text, out),
            };
            assert!(told.is_ok());
        }
        let answered = match asked.kind {
            Kind::Tool => {
                server.complete_tool(token, out, |content| plan.end.of(write_to_tool(&plan.pieces, content)))
            }
            Kind::Read => server.complete_read(token, URI, out, |contents| {
                plan.end.of(write_to_resource(&plan.pieces, contents))
            }),
            _ => server
                .complete_prompt(token, out, |messages| plan.end.of(write_to_prompt(&plan.pieces, messages))),
        };
        assert_eq!(answered, Ok(Status::Done));
        let again = server.complete_tool(token, out, |content| Ok(content.done()));
        assert_eq!(again, Err(NotInFlight));
        assert_eq!(NotInFlight.to_string(), "the call is not in flight");
    }
    let is_broken = plan.end.as_error().is_ok() && result(asked, plan).is_none();
    assert_eq!(server.handler().misuses, usize::from(is_broken));
    assert_eq!(server.handler().runs, 1, "{asked:?}");
    assert_eq!(server.in_flight(), 0);
}

fn new<'p, P: Parts>(asked: &'p Asked, plan: &'p Plan) -> Tested<'p, P> {
    Hosted::of(Server::with_storage(Fixed::new()), Author::new(asked, plan))
}

/// With a session where the request is of the legacy era.
fn opened<'p, P: Parts>(asked: &'p Asked, plan: &'p Plan) -> Tested<'p, P> {
    let mut server = new(asked, plan);
    if asked.is_modern() {
        return server;
    }
    let level = asked.level.map_or("info", LoggingLevel::as_str);
    let initialize = initialize(asked.version, asked.capabilities);
    let set_level = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"logging/setLevel\",\"params\":{{\"level\":\"{level}\"}}}}"
    );
    for line in [initialize, set_level] {
        let mut memory = [0; 512];
        let mut out = Sink::new(&mut memory);
        assert_eq!(server.handle_frame(line.as_bytes(), &mut out), Status::Done);
        assert!(text_of(&out).contains("\"result\""));
    }
    server
}

/// What begins a session of a client with these capabilities.
fn initialize(version: ProtocolVersion, capabilities: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":\
         {{\"protocolVersion\":\"{}\",\"capabilities\":{capabilities}}}}}",
        version.as_str()
    )
}

fn request(asked: &Asked) -> String {
    let method = match asked.kind {
        Kind::Tool => "tools/call",
        Kind::Prompt => "prompts/get",
        Kind::Read => "resources/read",
        Kind::Completion => "completion/complete",
    };
    let (id, params) = (&asked.id, &asked.params);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}")
}

fn asked(entropy: &mut Entropy<'_>) -> Asked {
    let kind = entropy.pick(&[Kind::Tool, Kind::Prompt, Kind::Read, Kind::Completion]);
    let version = entropy.pick(&ProtocolVersion::ALL);
    let is_modern = version == ProtocolVersion::V2026_07_28;
    let id = entropy.pick(&["1", "\"\\u0061\"", "-7"]).to_owned();
    let (capabilities, client) = entropy.pick(&[
        ("{}", (false, false, false)),
        ("{\"roots\":{},\"elicitation\":{\"url\":{}}}", (true, false, true)),
        ("{\"sampling\":{},\"x\":1}", (false, true, false)),
    ]);
    let level = entropy.once_in(2).then(|| entropy.pick(&LoggingLevel::ALL));
    let token = entropy.pick(&[None, Some("\"p\\u0031\""), Some("7")]);
    let text = generate::text(entropy);
    let value = json!(text);
    let own = match kind {
        Kind::Tool => {
            let flag = entropy.pick(&["", "\"flag\":true,", "\"flag\":false,"]);
            let number = entropy.number().cast_signed();
            format!("\"name\":\"\\u0074\",\"arguments\":{{{flag}\"n\":{number},\"s\":{value}}}")
        }
        Kind::Prompt => format!("\"name\":\"p\",\"arguments\":{{\"a\":{value}}}"),
        Kind::Read => format!("\"uri\":\"{URI}\""),
        Kind::Completion => {
            let of = entropy.pick(&[
                "{\"type\":\"ref/prompt\",\"name\":\"p\"}",
                "{\"type\":\"ref/resource\",\"uri\":\"r:{n}\"}",
            ]);
            format!(
                "\"ref\":{of},\"argument\":{{\"name\":\"a\",\"value\":{value}}},\"context\":{{\"arguments\":{{\"b\":\"c\"}}}}"
            )
        }
    };
    let mut meta = Vec::new();
    if is_modern {
        meta.push("\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"".to_owned());
        meta.push(format!("\"io.modelcontextprotocol/clientCapabilities\":{capabilities}"));
        meta.extend(level.map(|level: LoggingLevel| {
            format!("\"io.modelcontextprotocol/logLevel\":\"{}\"", level.as_str())
        }));
    }
    meta.extend(token.map(|token| format!("\"progressToken\":{token}")));
    Asked {
        kind,
        version,
        id,
        params: format!("{{{own},\"_meta\":{{{}}}}}", meta.join(",")),
        text,
        capabilities,
        client,
        progress_token: token.map(str::to_owned),
        level,
    }
}

fn plan(entropy: &mut Entropy<'_>, kind: Kind) -> Plan {
    let is_call = kind != Kind::Completion;
    let is_deferred = is_call && entropy.once_in(4);
    let notices = |entropy: &mut Entropy<'_>, is_told: bool| -> Vec<Notice> {
        match is_told && entropy.once_in(2) {
            true => (0..entropy.below(4)).map(|_| notice(entropy)).collect(),
            false => Vec::new(),
        }
    };
    Plan {
        before: notices(entropy, is_call),
        is_deferred,
        between: notices(entropy, is_deferred),
        pieces: (0..entropy.below(7)).map(|_| piece(entropy)).collect(),
        values: entropy.pick(&[0, 1, 3, 99, 100, 101, 130]),
        total: entropy.pick(&[None, Some(0), Some(100), Some(500)]),
        end: end(entropy),
    }
}

fn notice(entropy: &mut Entropy<'_>) -> Notice {
    match entropy.once_in(3) {
        false => Notice::Progress(
            entropy.below(6) as i64 - 1,
            entropy.once_in(2).then_some(255),
            entropy.once_in(2).then(|| generate::text(entropy)),
        ),
        true => Notice::Log(
            entropy.pick(&LoggingLevel::ALL),
            entropy.pick(&[None, Some("l\"")]),
            generate::text(entropy),
        ),
    }
}

/// The result, or none where there is an error: the handler's own, or one because it breaks a rule.
fn result(asked: &Asked, plan: &Plan) -> Option<Value> {
    if plan.end.as_error().is_err() {
        return None;
    }
    match asked.kind {
        Kind::Tool => pieces::tool_result(&plan.pieces, asked.version),
        Kind::Prompt => Some(pieces::prompt_result(&plan.pieces, asked.version, plan.is_deferred)),
        Kind::Read => Some(pieces::resource_result(&plan.pieces, URI)),
        Kind::Completion => {
            let total = plan.total.unwrap_or_default().max(plan.values);
            let values: Vec<String> = (0..plan.values.min(100)).map(|at| at.to_string()).collect();
            let has_more = total > plan.values.min(100);
            Some(json!({"completion": {"values": values, "total": total, "hasMore": has_more}}))
        }
    }
}

/// The lines of a session, as values.
fn expected(asked: &Asked, plan: &Plan) -> Vec<Value> {
    let mut last = None;
    let notices = plan.before.iter().chain(&plan.between);
    let mut lines: Vec<Value> =
        notices.filter_map(|notice| expected_notice(asked, notice, &mut last)).collect();
    let failure = plan.end.as_tool_failure(asked.version);
    let failure = failure.filter(|_| asked.kind == Kind::Tool);
    let result = match failure {
        Some(text) => Some(failed(&text)),
        None => result(asked, plan),
    };
    lines.push(match result {
        Some(result) => answer(asked, result),
        None => {
            let error = plan.end.as_protocol_error(asked.kind, asked.version, URI);
            json!({"jsonrpc": "2.0", "id": id(asked), "error": error})
        }
    });
    lines
}

fn expected_notice(asked: &Asked, notice: &Notice, last: &mut Option<i64>) -> Option<Value> {
    let (method, params) = match notice {
        Notice::Progress(value, total, message) => {
            let token = asked.progress_token.as_ref()?;
            if last.is_some_and(|last| *value <= last) {
                return None;
            }
            *last = Some(*value);
            let token: Value = serde_json::from_str(token).expect("a token");
            let mut params = json!({"progressToken": token, "progress": value});
            if let Some(total) = total {
                params["total"] = json!(total);
            }
            if let Some(message) = message
                && asked.version > ProtocolVersion::V2024_11_05
            {
                params["message"] = json!(message);
            }
            ("notifications/progress", params)
        }
        Notice::Log(level, logger, text) => {
            let least = match asked.is_modern() {
                true => asked.level?,
                false => asked.level.unwrap_or(LoggingLevel::Info),
            };
            return (*level >= least).then(|| log(*level, *logger, text));
        }
    };
    Some(json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

fn log(level: LoggingLevel, logger: Option<&str>, text: &str) -> Value {
    let mut params = json!({"level": level.as_str(), "data": text});
    if let Some(logger) = logger {
        params["logger"] = json!(logger);
    }
    json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
}

fn id(asked: &Asked) -> Value {
    serde_json::from_str(&asked.id).expect("an id")
}

fn failed(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": true})
}

fn answer(asked: &Asked, result: Value) -> Value {
    let result = completed(result, asked.kind, asked.version);
    json!({"jsonrpc": "2.0", "id": id(asked), "result": result})
}

/// The result with what all of the revision have.
fn completed(mut result: Value, kind: Kind, version: ProtocolVersion) -> Value {
    if version == ProtocolVersion::V2026_07_28 {
        result["resultType"] = json!("complete");
        result["_meta"]["io.modelcontextprotocol/serverInfo"] = json!({"name": "author", "version": "1"});
        if kind == Kind::Read {
            result["ttlMs"] = json!(0);
            result["cacheScope"] = json!("private");
        }
    }
    result
}

/// A result that has no room is replaced: that of a tool by its failure, if that has room, each other by an error.
fn in_less_room(asked: &Asked, plan: &Plan, whole: &str, entropy: &mut Entropy<'_>) {
    let least = MIN_OUTPUT + asked.id.len();
    let room = least + entropy.below(300);
    let mut memory = vec![0; room];
    let mut out = Sink::new(&mut memory);
    say::<Full>(asked, plan, &mut out);
    let found = text_of(&out);
    if room >= whole.len() {
        return assert_eq!(found, whole);
    }
    let short = answer(asked, failed("Result too large"));
    let error = json!({"code": -32603, "message": "Response too large"});
    let error = json!({"jsonrpc": "2.0", "id": id(asked), "error": error});
    // The id as it was sent, and a newline.
    let needed = short.to_string().len() - id(asked).to_string().len() + asked.id.len() + 1;
    let has_room = needed <= room && asked.kind == Kind::Tool;
    let found: Value = serde_json::from_str(found).expect("JSON");
    assert_eq!(found, if has_room { short } else { error }, "{room}: {asked:?} {plan:?}");
}

/// What the application says outside of calls is a matter of legacy sessions.
fn applications_log(asked: &Asked, entropy: &mut Entropy<'_>) {
    let plan = plan(&mut Entropy::new(&[]), asked.kind);
    let mut server: Tested<'_> = opened(asked, &plan);
    let (level, logger) = (entropy.pick(&LoggingLevel::ALL), entropy.pick(&[None, Some("l")]));
    let text = generate::text(entropy);
    let mut memory = [0; 1024];
    let mut out = Sink::new(&mut memory);
    let is_wanted = !asked.is_modern() && level >= asked.level.unwrap_or(LoggingLevel::Info);
    assert_eq!(server.log(level, logger, &text, &mut out), is_wanted);
    let has_pages = asked.version == ProtocolVersion::V2025_11_25;
    assert_eq!(server.elicitation_complete(&text, &mut out), has_pages);
    let mut expected = Vec::new();
    if is_wanted {
        expected.push(log(level, logger, &text));
    }
    if has_pages {
        expected.push(json!({
            "jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": {"elicitationId": text},
        }));
    }
    let found: Vec<Value> = text_of(&out).lines().map(value_of).collect();
    assert_eq!(found, expected);
}
