//! The model: which answer a request is owed.

use serde_json::{Value, json};

use super::prompts::{completion, prompt};
use super::tables::{
    INSTRUCTIONS, LATEST, LEGACY, LEVELS, LISTS, MODERN, capabilities_of, info, methods, tools,
};
use crate::support::declarations::{Wrong, first_fault};
use crate::support::slow::{Leniency, all};
use crate::support::{strings, template, tree};

/// What is written.
#[derive(Debug)]
pub(super) enum Expected {
    /// Nothing.
    Nothing,
    /// This line.
    Line(String),
    /// A result to this id, in a modern answer or a legacy one, and what is in it.
    Result(String, bool, Content),
    /// One answer to this id.
    Anything(String),
}

/// What a result says, apart from what all of them have.
#[derive(Debug)]
pub(super) enum Content {
    /// These members.
    Exactly(Value),
    /// Entries of these names in this member; a list ends, or another page comes.
    Names(&'static str, Vec<String>),
    /// A tool's result: one block of this text, and whether it is an error.
    Text(String, bool),
    /// One block of text that is this JSON string's.
    Echo(String),
    /// The contents of a resource: its URI as it was sent, and its text.
    Read(String, String),
    /// Anything; no error at least.
    Free,
}

impl Expected {
    pub(super) fn error(id: &str, code: i64, message: &str) -> Self {
        let error = format!("{{\"code\":{code},\"message\":\"{message}\"}}");
        Self::Line(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n"))
    }

    pub(super) fn error_without_id(code: i64, message: &str) -> Self {
        let error = format!("{{\"code\":{code},\"message\":\"{message}\"}}");
        Self::Line(format!("{{\"jsonrpc\":\"2.0\",\"error\":{error}}}\n"))
    }

    fn error_with(id: &str, code: i64, message: &str, data: &str) -> Self {
        let error = format!("{{\"code\":{code},\"message\":\"{message}\",\"data\":{data}}}");
        Self::Line(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n"))
    }
}

const META: [&str; 4] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/logLevel",
    "progressToken",
];

/// Whether a request may be answered later, or asks its client first: not for this model.
pub(super) fn may_wait(method: &str, params: Option<&str>) -> bool {
    let params = params.and_then(tree::members).unwrap_or_default();
    let asks = |name: &&str| {
        let asking = ["set_limit", "summarize", "list_roots"];
        name.starts_with('"') && asking.iter().any(|asking| strings::is(name, asking))
    };
    strings::is(method, "subscriptions/listen")
        || strings::is(method, "tools/call") && all(&params, "name").iter().any(asks)
}

/// What a server remembers of the requests before.
#[derive(Debug)]
pub(super) struct Model {
    /// The revision of the legacy session.
    pub(super) session: Option<&'static str>,
    pub(super) is_strict: bool,
    pub(super) is_restartable: bool,
    /// How often the tool `count` was called.
    pub(super) counted: u32,
    pub(super) leniency: Leniency,
}

/// A request whose era and revision are known.
pub(super) struct Known<'a> {
    pub(super) id: &'a str,
    revision: &'static str,
    pub(super) params: Vec<tree::Member<'a>>,
}

impl Known<'_> {
    pub(super) fn is_modern(&self) -> bool {
        self.revision == MODERN
    }

    pub(super) fn result(&self, content: Content) -> Expected {
        Expected::Result(self.id.to_owned(), self.is_modern(), content)
    }

    fn empty(&self) -> Expected {
        self.result(Content::Exactly(json!({})))
    }

    pub(super) fn error(&self, code: i64, message: &str) -> Expected {
        Expected::error(self.id, code, message)
    }

    pub(super) fn invalid(&self) -> Expected {
        self.error(-32602, "Invalid params")
    }

    /// The string in the params that is there once.
    pub(super) fn string(&self, name: &str) -> Option<&str> {
        once(&self.params, name).ok().flatten().filter(|value| value.starts_with('"'))
    }

    /// The part of the request that is too long to be kept: the id, or the progress token beside it, unless they are
    /// equal.
    fn too_long(&self) -> Option<Expected> {
        let meta = once(&self.params, "_meta").ok().flatten();
        let token = present(meta.and_then(|meta| tree::at(meta, &["progressToken"])));
        let token = token.filter(|token| *token != self.id).map_or(0, str::len);
        let what = match self.id.len() {
            49.. => "Request id too long",
            id if id + token > 48 => "Progress token too long",
            _ => return None,
        };
        Some(self.error(-32603, what))
    }

    /// Then what runs long is a task, which keeps no id.
    fn takes_tasks(&self) -> bool {
        const DECLARED: [&str; 3] =
            ["io.modelcontextprotocol/clientCapabilities", "extensions", "io.modelcontextprotocol/tasks"];
        let meta = once(&self.params, "_meta").ok().flatten();
        let declared = meta.and_then(|meta| tree::at(meta, &DECLARED));
        self.is_modern() && declared.is_some_and(|declared| declared.starts_with('{'))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        !all(&self.params, name).is_empty()
    }
}

/// The member of this name, unless there are two.
pub(super) fn once<'a>(members: &[tree::Member<'a>], name: &str) -> Result<Option<&'a str>, ()> {
    match all(members, name)[..] {
        [] => Ok(None),
        [value] => Ok(Some(value)),
        _ => Err(()),
    }
}

/// An optional member that is `null` is absent.
pub(super) fn present(value: Option<&str>) -> Option<&str> {
    value.filter(|value| *value != "null")
}

/// Whether it is a string or a number.
fn is_token(token: &str) -> bool {
    token.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit())
}

/// Whether it is an object, and one in it has two members of one name.
pub(super) fn is_repeating_object(value: &str) -> bool {
    value.starts_with('{') && tree::repeats(value)
}

impl Model {
    pub(super) fn request(&mut self, id: &str, method: &str, params: Option<&str>) -> Expected {
        let invalid = Expected::error(id, -32602, "Invalid params");
        let is = |name| strings::is(method, name);
        let params = params.and_then(tree::members).unwrap_or_default();
        let Ok(meta) = once(&params, "_meta").map(present) else {
            return invalid;
        };
        let meta_members = meta.map_or(Some(Vec::new()), tree::members);
        let keys = META.map(|key| once(meta_members.as_deref().unwrap_or_default(), key));
        let [Ok(version), Ok(capabilities), Ok(level), Ok(token)] = keys else {
            return invalid;
        };
        let (level, token) = (present(level), present(token));
        let is_modern = version.is_some() || capabilities.is_some();
        let revision = if is_modern {
            let version = version.filter(|version| version.starts_with('"'));
            let (Some(version), Some('{')) = (version, capabilities.and_then(|c| c.chars().next())) else {
                return invalid;
            };
            if capabilities.is_some_and(tree::repeats) {
                return invalid;
            }
            if !strings::is(version, MODERN) {
                let data = format!("{{\"supported\":[\"{MODERN}\"],\"requested\":{version}}}");
                return Expected::error_with(id, -32022, "Unsupported protocol version", &data);
            }
            MODERN
        } else if is("server/discover") || is("subscriptions/listen") {
            return invalid;
        } else if self.is_strict && self.session.is_none() && !is("initialize") && !is("ping") {
            return Expected::error(id, -32600, "Not initialized");
        } else {
            self.session.unwrap_or(LATEST)
        };
        let Some(method) = methods(revision).into_iter().find(|known| is(known)) else {
            return Expected::error(id, -32601, "Method not found");
        };
        let no_level =
            |level: &str| !LEVELS.iter().any(|known| level.starts_with('"') && strings::is(level, known));
        if is_modern && level.is_some_and(no_level)
            || meta_members.is_none()
            || token.is_some_and(|token| !is_token(token))
        {
            return invalid;
        }
        let known = Known { id, revision, params };
        if let Some((_, name, entries)) = LISTS.iter().find(|(list, ..)| *list == method) {
            return list(&known, name, entries());
        }
        match method {
            "initialize" => self.initialize(&known),
            "ping" => known.empty(),
            "server/discover" => known.result(Content::Exactly(json!({
                "supportedVersions": [MODERN],
                "capabilities": capabilities_of(MODERN),
                "instructions": INSTRUCTIONS,
            }))),
            "tools/call" => self.call(&known),
            "resources/read" => self.read(&known),
            "prompts/get" => prompt(&known),
            "completion/complete" => completion(&known),
            "logging/setLevel" => match known.string("level") {
                Some(level) if !no_level(level) => known.empty(),
                _ => known.invalid(),
            },
            _ => Expected::Anything(id.to_owned()),
        }
    }

    fn initialize(&mut self, known: &Known<'_>) -> Expected {
        if self.session.is_some() && !self.is_restartable {
            return known.error(-32600, "Already initialized");
        }
        let Some(requested) = known.string("protocolVersion") else {
            return known.invalid();
        };
        match once(&known.params, "capabilities") {
            Ok(capabilities) if !capabilities.is_some_and(is_repeating_object) => {}
            _ => return known.invalid(),
        }
        let spoken = LEGACY.into_iter().find(|version| strings::is(requested, version));
        let version = spoken.unwrap_or(LATEST);
        self.session = Some(version);
        known.result(Content::Exactly(json!({
            "protocolVersion": version,
            "capabilities": capabilities_of(version),
            "serverInfo": info(version),
            "instructions": INSTRUCTIONS,
        })))
    }

    fn call(&mut self, known: &Known<'_>) -> Expected {
        let Some(name) = known.string("name") else {
            return known.invalid();
        };
        let arguments = match once(&known.params, "arguments") {
            Ok(None | Some("null")) => "{}",
            Ok(Some(object)) if object.starts_with('{') => object,
            _ => return known.invalid(),
        };
        let mut tools = tools().into_iter();
        let Some((tool, parameters)) = tools.find(|(tool, _)| strings::is(name, tool)) else {
            return known.error(-32602, "Unknown tool");
        };
        if ["task", "requestState", "inputResponses"].iter().any(|name| known.has(name)) {
            // Their rules are those of sessions.
            self.counted = self.counted.wrapping_add(u32::MAX / 2);
            return Expected::Anything(known.id.to_owned());
        }
        if let Some(wrong) = first_fault(arguments, &parameters, false) {
            return match (tool, wrong) {
                ("echo" | "add", _) => failure(known, format!("Invalid arguments for {tool}")),
                (_, Wrong::Declared(name, fault)) => {
                    failure(known, format!("Invalid arguments for {tool}: {name}: {}", fault.as_str()))
                }
                // The name may be one that no Rust string can be.
                (_, Wrong::Sent(_)) => known.result(Content::Free),
            };
        }
        let members = tree::members(arguments).unwrap_or_default();
        let argument = |name| all(&members, name).first().copied().unwrap_or_default();
        match tool {
            "echo" => known.result(Content::Echo(argument("text").to_owned())),
            "add" => sum(known, argument("a"), argument("b")),
            "count" if self.counted < u32::MAX / 2 => {
                self.counted += 1;
                known.result(Content::Text(self.counted.to_string(), false))
            }
            // There is no clock; but first the id must be one that could be kept, with its progress token.
            "simulate" if known.takes_tasks() => known.error(-32603, "Server busy"),
            "slow" | "simulate" => known.too_long().unwrap_or_else(|| known.error(-32603, "Server busy")),
            _ => known.result(Content::Free),
        }
    }

    fn read(&self, known: &Known<'_>) -> Expected {
        let Some(uri) = known.string("uri") else {
            return known.invalid();
        };
        if known.is_modern() && (known.has("requestState") || known.has("inputResponses")) {
            return Expected::Anything(known.id.to_owned());
        }
        let read = |text: String| known.result(Content::Read(uri.to_owned(), text));
        if strings::is(uri, "demo://readme") {
            let text = "The demo server of barewire: one small tool, resource and prompt of each kind.\n";
            return read(text.to_owned());
        }
        if strings::is(uri, "demo://counter") && self.counted < u32::MAX / 2 {
            return read(self.counted.to_string());
        }
        if strings::is(uri, "demo://pixel.png") || strings::is(uri, "demo://counter") {
            return known.result(Content::Free);
        }
        let pieces = template::pieces("demo://square/{number}").expect("a template");
        let units = strings::units(uri);
        let number = template::values(&pieces, &units)
            .and_then(|values| String::from_utf16(&units[values[0].1.clone()]).ok()?.parse::<u16>().ok());
        match number {
            // A number with escapes is none that the demo reads.
            Some(number) if !uri.contains('\\') => {
                let number = u64::from(number);
                read((number * number).to_string())
            }
            Some(_) => Expected::Anything(known.id.to_owned()),
            None => not_found(known, uri),
        }
    }
}

/// A page from a cursor on, which is the number of an entry behind the first.
fn list(known: &Known<'_>, name: &'static str, entries: Vec<String>) -> Expected {
    let start = match once(&known.params, "cursor").map(present) {
        Err(()) => return known.invalid(),
        Ok(None) => 0,
        Ok(Some(cursor)) => {
            match (1..entries.len())
                .find(|at| cursor.starts_with('"') && strings::is(cursor, &at.to_string()))
            {
                Some(start) => start,
                None => return known.error(-32602, "Invalid cursor"),
            }
        }
    };
    known.result(Content::Names(name, entries[start..].to_vec()))
}

fn not_found(known: &Known<'_>, uri: &str) -> Expected {
    match known.is_modern() {
        true => Expected::error_with(known.id, -32602, "Resource not found", &format!("{{\"uri\":{uri}}}")),
        false => known.error(-32002, "Resource not found"),
    }
}

fn failure(known: &Known<'_>, text: String) -> Expected {
    known.result(Content::Text(text, true))
}

/// Integers exactly while they and the sum fit; of doubles only that there is a sum.
fn sum(known: &Known<'_>, a: &str, b: &str) -> Expected {
    if let (Ok(a), Ok(b)) = (a.parse::<i64>(), b.parse::<i64>())
        && let Some(sum) = a.checked_add(b)
    {
        return known.result(Content::Text(sum.to_string(), false));
    }
    let [a, b] = [a, b].map(|text| text.parse::<f64>().expect("a number"));
    match (a.is_finite() && b.is_finite(), (a + b).is_finite()) {
        (false, _) => failure(known, "Invalid arguments for add".to_owned()),
        (true, false) => failure(known, "Result is not a finite number".to_owned()),
        (true, true) => known.result(Content::Free),
    }
}
