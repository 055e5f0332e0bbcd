//! Each parser doing the same job: judge the whole text, and say kind, id and method.

use serde::Deserialize;
use serde_json::value::RawValue;

/// What a parser says of a message. A method is known by its length, where the parser keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub kind: Kind,
    pub id: Option<i64>,
    pub method: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Request,
    Notification,
    Response,
}

impl Seen {
    /// By which members are there.
    pub fn of(id: Option<i64>, method: Option<usize>) -> Self {
        let kind = match (method, id) {
            (Some(_), Some(_)) => Kind::Request,
            (Some(_), None) => Kind::Notification,
            (None, _) => Kind::Response,
        };
        Self { kind, id, method }
    }
}

/// A parser: `None` from `judge` is "not valid".
pub trait Contender {
    fn name(&self) -> &'static str;
    fn is_rust(&self) -> bool {
        true
    }
    /// False for one that does not know the method, only the kind.
    fn knows_method(&self) -> bool {
        true
    }
    /// False for one that accepts texts that are no JSON: it is shown, but nobody is measured by it.
    fn is_strict(&self) -> bool {
        true
    }
    /// `text` is a line of the corpus: there are 64 more bytes behind it.
    fn judge(&mut self, text: &[u8]) -> Option<Seen>;
}

pub fn all() -> Vec<Box<dyn Contender>> {
    #[cfg_attr(not(feature = "detect"), expect(unused_mut, reason = "one more is pushed with it"))]
    let mut all: Vec<Box<dyn Contender>> = vec![
        Box::new(Barewire),
        Box::new(Rmcp),
        Box::new(SerdeValue),
        Box::new(SerdeRaw),
        Box::new(SonicValue),
        Box::new(SonicLazy),
        Box::new(SimdJson::default()),
        Box::new(JiterSkip),
        Box::new(Jsonrpsee),
        Box::new(LspServer),
        Box::new(JsonCore),
        Box::new(crate::c::Yyjson::new()),
    ];
    #[cfg(feature = "detect")]
    all.push(Box::new(crate::c::Simdjson::new()));
    all
}

struct Barewire;

impl Contender for Barewire {
    fn name(&self) -> &'static str {
        "barewire"
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        use barewire::Message;
        let message = barewire::classify(text).ok()?;
        std::hint::black_box(message.params());
        let id = message.id().and_then(|id| id.to_i64());
        let method = message.method().map(|method| method.as_escaped_bytes().len());
        let kind = match message {
            Message::Request(_) => Kind::Request,
            Message::Notification(_) => Kind::Notification,
            Message::Response(_) => Kind::Response,
        };
        Some(Seen { kind, id, method })
    }
}

struct Rmcp;

impl Contender for Rmcp {
    fn name(&self) -> &'static str {
        "rmcp"
    }

    fn knows_method(&self) -> bool {
        false
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
        let number = |id: &RequestId| match id {
            RequestId::Number(number) => Some(*number),
            RequestId::String(_) => None,
        };
        // What a peer of either side receives: the one has the requests, the other the results.
        if text.windows(9).take(48).any(|window| window == b"\"result\":") {
            let message: ServerJsonRpcMessage = serde_json::from_slice(text).ok()?;
            return match &message {
                JsonRpcMessage::Response(response) => Some(Seen::of(number(&response.id), None)),
                _ => None,
            };
        }
        let message: ClientJsonRpcMessage = serde_json::from_slice(text).ok()?;
        let (kind, id) = match &message {
            JsonRpcMessage::Request(request) => (Kind::Request, number(&request.id)),
            JsonRpcMessage::Notification(_) => (Kind::Notification, None),
            _ => return None,
        };
        Some(Seen { kind, id, method: None })
    }
}

struct SerdeValue;

impl Contender for SerdeValue {
    fn name(&self) -> &'static str {
        "serde_json Value"
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        let value: serde_json::Value = serde_json::from_slice(text).ok()?;
        (value.get("jsonrpc")?.as_str()? == "2.0").then_some(())?;
        std::hint::black_box(value.get("params"));
        Some(Seen::of(
            value.get("id").and_then(serde_json::Value::as_i64),
            value.get("method").and_then(|method| method.as_str()).map(str::len),
        ))
    }
}

struct SerdeRaw;

#[derive(Deserialize)]
struct RawEnvelope<'a> {
    jsonrpc: &'a str,
    id: Option<i64>,
    method: Option<&'a str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl Contender for SerdeRaw {
    fn name(&self) -> &'static str {
        "serde_json RawValue"
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        let envelope: RawEnvelope<'_> = serde_json::from_slice(text).ok()?;
        std::hint::black_box((envelope.params, envelope.result, envelope.error));
        (envelope.jsonrpc == "2.0").then_some(())?;
        Some(Seen::of(envelope.id, envelope.method.map(str::len)))
    }
}

struct SonicValue;

impl Contender for SonicValue {
    fn name(&self) -> &'static str {
        "sonic-rs Value"
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        use sonic_rs::JsonValueTrait;
        let value: sonic_rs::Value = sonic_rs::from_slice(text).ok()?;
        (value.get("jsonrpc")?.as_str()? == "2.0").then_some(())?;
        std::hint::black_box(value.get("params"));
        Some(Seen::of(
            value.get("id").and_then(|id| id.as_i64()),
            value.get("method").and_then(|method| method.as_str()).map(str::len),
        ))
    }
}

struct SonicLazy;

#[derive(Deserialize)]
struct LazyEnvelope<'a> {
    jsonrpc: &'a str,
    id: Option<i64>,
    method: Option<&'a str>,
    #[serde(borrow)]
    params: Option<sonic_rs::LazyValue<'a>>,
    #[serde(borrow)]
    result: Option<sonic_rs::LazyValue<'a>>,
    #[serde(borrow)]
    error: Option<sonic_rs::LazyValue<'a>>,
}

impl Contender for SonicLazy {
    fn name(&self) -> &'static str {
        "sonic-rs LazyValue"
    }

    fn is_strict(&self) -> bool {
        crate::judges_strictly(&mut Self)
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        let envelope: LazyEnvelope<'_> = sonic_rs::from_slice(text).ok()?;
        std::hint::black_box((&envelope.params, &envelope.result, &envelope.error));
        (envelope.jsonrpc == "2.0").then_some(())?;
        Some(Seen::of(envelope.id, envelope.method.map(str::len)))
    }
}

/// It writes into the text, so each judgement has a copy.
#[derive(Default)]
struct SimdJson {
    copy: Vec<u8>,
    buffers: simd_json::Buffers,
}

impl Contender for SimdJson {
    fn name(&self) -> &'static str {
        "simd-json tape"
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        use simd_json::prelude::*;
        self.copy.clear();
        self.copy.extend_from_slice(text);
        let tape = simd_json::to_tape_with_buffers(&mut self.copy, &mut self.buffers).ok()?;
        let value = tape.as_value();
        let object = value.as_object()?;
        let (mut version, mut id, mut method) = (false, None, None);
        for (name, value) in object.iter() {
            match name {
                "jsonrpc" => version = value.as_str() == Some("2.0"),
                "id" => id = value.as_i64(),
                "method" => method = value.as_str().map(str::len),
                _ => {}
            }
        }
        version.then(|| Seen::of(id, method))
    }
}

struct JiterSkip;

impl Contender for JiterSkip {
    fn name(&self) -> &'static str {
        "jiter"
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        let mut jiter = jiter::Jiter::new(text);
        let (mut version, mut id, mut method) = (false, None, None);
        let mut name = jiter.next_object_bytes().ok()?.map(known);
        while let Some(current) = name {
            match current {
                Known::Jsonrpc => version = jiter.next_str().ok()? == "2.0",
                Known::Id => {
                    id = match jiter.next_int().ok()? {
                        jiter::NumberInt::Int(id) => Some(id),
                        jiter::NumberInt::BigInt(_) => None,
                    }
                }
                Known::Method => method = Some(jiter.next_str().ok()?.len()),
                Known::Other => jiter.next_skip().ok()?,
            }
            name = jiter.next_key_bytes().ok()?.map(known);
        }
        jiter.finish().ok()?;
        version.then(|| Seen::of(id, method))
    }
}

enum Known {
    Jsonrpc,
    Id,
    Method,
    Other,
}

fn known(name: &[u8]) -> Known {
    match name {
        b"jsonrpc" => Known::Jsonrpc,
        b"id" => Known::Id,
        b"method" => Known::Method,
        _ => Known::Other,
    }
}

struct Jsonrpsee;

impl Contender for Jsonrpsee {
    fn name(&self) -> &'static str {
        "jsonrpsee-types"
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        use jsonrpsee_types::{Id, Notification, Request, Response};
        let number = |id: &Id<'_>| match id {
            Id::Number(number) => i64::try_from(*number).ok(),
            _ => None,
        };
        // As its server and client do: one kind after the other.
        if let Ok(request) = serde_json::from_slice::<Request<'_>>(text) {
            return Some(Seen::of(number(&request.id), Some(request.method.len())));
        }
        if let Ok(response) = serde_json::from_slice::<Response<'_, &RawValue>>(text) {
            return Some(Seen::of(number(&response.id), None));
        }
        let notification: Notification<'_, Option<&RawValue>> = serde_json::from_slice(text).ok()?;
        Some(Seen::of(None, Some(notification.method.len())))
    }
}

struct LspServer;

impl Contender for LspServer {
    fn name(&self) -> &'static str {
        "lsp-server"
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        use lsp_server::Message;
        let number = |id: &lsp_server::RequestId| id.to_string().parse().ok();
        match serde_json::from_slice(text).ok()? {
            Message::Request(request) => Some(Seen::of(number(&request.id), Some(request.method.len()))),
            Message::Response(response) => Some(Seen::of(number(&response.id), None)),
            Message::Notification(notification) => Some(Seen::of(None, Some(notification.method.len()))),
        }
    }
}

/// Its reader takes control characters and numbers such as `01`; params are skipped.
struct JsonCore;

#[derive(Deserialize)]
struct CoreEnvelope<'a> {
    jsonrpc: &'a str,
    id: Option<i64>,
    method: Option<&'a str>,
}

impl Contender for JsonCore {
    fn name(&self) -> &'static str {
        "serde-json-core"
    }

    fn is_strict(&self) -> bool {
        false
    }

    fn judge(&mut self, text: &[u8]) -> Option<Seen> {
        let (envelope, _) = serde_json_core::from_slice::<CoreEnvelope<'_>>(text).ok()?;
        (envelope.jsonrpc == "2.0").then_some(())?;
        Some(Seen::of(envelope.id, envelope.method.map(str::len)))
    }
}
