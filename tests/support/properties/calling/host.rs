//! A host that answers as it is told, and the values that its answers stand for.

use barewire::engine::ClientHandler;
use barewire::engine::client::{
    ClientAnswer, ClientElicitation, ClientSampling, ElicitReply, MessageReply, Refusal, ResultReply,
    RootsReply,
};
use barewire::mcp::{ClientCapabilities, Implementation, ProtocolVersion};
use barewire::rpc::{ErrorCode, Request};
use serde_json::{Value, json};

use super::value;
use crate::support::entropy::Entropy;
use crate::support::generate;

/// What the host does when it is asked.
#[derive(Debug, Clone)]
pub(super) struct Act {
    /// How often it gives an answer, of which the last one counts.
    given: usize,
    /// Which answer.
    choice: usize,
    text: String,
    outcome: Result<ClientAnswer, Refusal>,
}

impl Act {
    pub(super) fn new(entropy: &mut Entropy<'_>) -> Self {
        Self {
            given: entropy.pick(&[1, 1, 2, 0]),
            choice: entropy.below(4),
            text: generate::text(entropy),
            outcome: entropy.pick(&[
                Ok(ClientAnswer::Done),
                Ok(ClientAnswer::Done),
                Ok(ClientAnswer::Done),
                Ok(ClientAnswer::Later),
                Err(Refusal::REJECTED_BY_USER),
                Err(Refusal::new(ErrorCode(7), "\"no\"")),
            ]),
        }
    }
}

#[derive(Debug)]
pub(super) struct Host {
    pub(super) offered: ClientCapabilities,
    pub(super) act: Act,
    /// The params that it was asked with, as they must be seen.
    pub(super) params: Value,
    pub(super) version: ProtocolVersion,
}

impl ClientHandler for Host {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("host", "1")
    }

    fn capabilities(&self) -> ClientCapabilities {
        self.offered
    }

    fn list_roots(&mut self, reply: &mut RootsReply<'_, '_>) -> Result<ClientAnswer, Refusal> {
        for at in 0..self.act.given {
            let name = (self.act.choice > at).then_some(self.act.text.as_str());
            reply.root("file:///a", name);
        }
        self.act.outcome
    }

    fn create_message(
        &mut self,
        sampling: ClientSampling<'_>,
        reply: &mut MessageReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        let params = sampling.params().as_value().as_json();
        assert_eq!(value(params), self.params);
        let messages = value(sampling.messages().as_value().as_json());
        assert_eq!(messages, self.params.get("messages").cloned().unwrap_or_else(|| json!([])));
        assert_eq!(sampling.max_tokens(), self.params["maxTokens"].as_u64());
        let prompt = sampling.system_prompt().map(|prompt| prompt.to_string());
        assert_eq!(prompt.as_deref(), self.params["systemPrompt"].as_str());
        for _ in 0..self.act.given {
            match self.act.choice {
                0 => reply.message(&self.act.text, "maxTokens", |json| {
                    json.begin_array().end_array();
                }),
                _ => reply.text("m", &self.act.text),
            }
        }
        self.act.outcome
    }

    fn elicit(
        &mut self,
        elicitation: ClientElicitation<'_>,
        reply: &mut ElicitReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        let is_url = is_url(&self.params, self.version);
        assert_eq!(value(elicitation.params().as_value().as_json()), self.params);
        assert_eq!(Some(&*elicitation.message().to_string()), self.params["message"].as_str());
        let url = elicitation.url().map(|url| url.to_string());
        assert_eq!(url.as_deref(), self.params["url"].as_str().filter(|_| is_url));
        let schema = elicitation.schema().map(|schema| value(schema.as_value().as_json()));
        assert_eq!(schema.as_ref(), self.params.get("requestedSchema").filter(|_| !is_url));
        for _ in 0..self.act.given {
            match self.act.choice {
                0 => reply.accept(|content| {
                    content.name("a").string(self.act.text.as_str());
                }),
                1 => reply.accept_url(),
                2 => reply.decline(),
                _ => reply.cancel(),
            }
        }
        self.act.outcome
    }

    fn other_request(
        &mut self,
        request: Request<'_>,
        reply: &mut ResultReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        reply.json().name("method").json_string(request.method());
        reply.json().name("text").string(self.act.text.as_str());
        self.act.outcome
    }
}

/// Modes are of the later revisions; before, all are forms.
fn is_url(params: &Value, version: ProtocolVersion) -> bool {
    version >= ProtocolVersion::V2025_11_25 && params["mode"] == "url"
}

const UNKNOWN: Refusal = Refusal::METHOD_NOT_FOUND;
const INVALID: Refusal = Refusal::INVALID_PARAMS;

impl Host {
    /// The result of a request of a server's; or it comes later, or is refused.
    pub(super) fn expected(&self, method: &str, params: Option<&Value>) -> Result<Option<Value>, Refusal> {
        let act = &self.act;
        let result = match method {
            "ping" => return Ok(Some(json!({}))),
            "roots/list" => {
                if !self.offered.has(ClientCapabilities::ROOTS)
                    && !self.offered.has(ClientCapabilities::ROOTS_LIST_CHANGED)
                {
                    return Err(UNKNOWN);
                }
                let root = |at| match act.choice > at {
                    true => json!({"uri": "file:///a", "name": act.text}),
                    false => json!({"uri": "file:///a"}),
                };
                json!({"roots": (0..act.given).map(root).collect::<Vec<_>>()})
            }
            "sampling/createMessage" => match self.message(params)? {
                Some(message) => message,
                // The handler has given none.
                None if act.outcome == Ok(ClientAnswer::Done) => return Err(Refusal::INTERNAL_ERROR),
                None => json!(null),
            },
            "elicitation/create" if self.version >= ProtocolVersion::V2025_06_18 => self.elicited(params)?,
            method => json!({"method": method, "text": act.text}),
        };
        Ok((act.outcome? == ClientAnswer::Done).then_some(result))
    }

    fn message(&self, params: Option<&Value>) -> Result<Option<Value>, Refusal> {
        if !self.offered.has(ClientCapabilities::SAMPLING)
            && !self.offered.has(ClientCapabilities::SAMPLING_TOOLS)
        {
            return Err(UNKNOWN);
        }
        let params = params.ok_or(INVALID)?;
        let has_tools = params.get("tools").is_some() || params.get("toolChoice").is_some();
        if has_tools && !self.offered.has(ClientCapabilities::SAMPLING_TOOLS) {
            return Err(INVALID);
        }
        let text = &self.act.text;
        Ok((self.act.given > 0).then(|| match self.act.choice {
            0 => json!({"role": "assistant", "content": [], "model": text, "stopReason": "maxTokens"}),
            _ => json!({
                "role": "assistant", "content": {"type": "text", "text": text}, "model": "m",
                "stopReason": "endTurn",
            }),
        }))
    }

    fn elicited(&self, params: Option<&Value>) -> Result<Value, Refusal> {
        let has_modes = self.version >= ProtocolVersion::V2025_11_25;
        if !(self.offered.has(ClientCapabilities::ELICITATION_FORM)
            || self.offered.has(ClientCapabilities::ELICITATION_URL) && has_modes)
        {
            return Err(UNKNOWN);
        }
        let params = params.ok_or(INVALID)?;
        if !params["message"].is_string() {
            return Err(INVALID);
        }
        if let Some(mode) = params.get("mode").filter(|_| has_modes)
            && mode != "form"
            && mode != "url"
        {
            return Err(INVALID);
        }
        let is_offered = match is_url(params, self.version) {
            true => self.offered.has(ClientCapabilities::ELICITATION_URL),
            false => self.offered.has(ClientCapabilities::ELICITATION_FORM),
        };
        if !is_offered {
            return Err(INVALID);
        }
        Ok(match (self.act.given, self.act.choice) {
            (0, _) | (_, 3) => json!({"action": "cancel"}),
            (_, 0) => json!({"action": "accept", "content": {"a": self.act.text}}),
            (_, 1) => json!({"action": "accept"}),
            _ => json!({"action": "decline"}),
        })
    }
}
