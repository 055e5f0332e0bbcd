//! Answers to a server: to its requests in the legacy era, to its input requests in the modern era.

use super::bound::BoundClient;
use super::engine::ClientEngine;
use super::event::{Answered, EventOf, Incoming};
use super::handler::{ClientAnswer, ClientElicitation, ClientHandler, ClientSampling, Refusal};
use super::input::InputRequired;
use super::line::{end_line, undo_if_full};
use super::parts::{ClientParts, is_modern};
use super::repeated::repeats;
use super::reply::{ElicitReply, MessageReply, ResultReply, RootsReply};
use super::storage::ClientStorage;
use crate::bytes::Sink;
use crate::json::{Object, Writer};
use crate::mcp::{ClientCapabilities, Feature, Method, ProtocolVersion};
use crate::rpc::{ErrorCode, Request, RequestId, begin_error, begin_result};

impl<S: ClientStorage, H: ClientHandler + ?Sized> BoundClient<'_, S, H> {
    /// Answers a request of a legacy server. Ignores one of a modern server without a byte: in MCP 2026-07-28 a client
    /// writes no responses.
    // Not inlined: 88 bytes less stack in the client of the footprint.
    #[inline(never)]
    pub(super) fn server_request<'f>(&mut self, request: Request<'f>, out: &mut Sink<'_>) -> EventOf<'f, S> {
        let Some(version) = self.answers_in() else {
            return Incoming::Request(request, Answered::Ignored);
        };
        let app = &mut *self.app;
        let is_ping = request.method() == Method::Ping.name();
        let answered = match S::Parts::ASKING || is_ping {
            true => write_answer(out, request.id(), |json| {
                json.nested(|json| match is_ping {
                    true => answer_ping(json),
                    false => answer_request(app, version, &request, json),
                })
            }),
            false => refuse(out, request.id(), Refusal::METHOD_NOT_FOUND),
        };
        Incoming::Request(request, answered)
    }
}

impl<S: ClientStorage> ClientEngine<S> {
    /// Revision in which requests are answered: that of the session, or of the handshake in progress. During the probe it
    /// is the next one to be proposed, because only a legacy server sends requests.
    fn answers_in(&self) -> Option<ProtocolVersion> {
        let version = match self.is_probing() {
            true => self.newest_legacy(),
            false => self.version().or_else(|| self.handshake.proposed()),
        }?;
        (!is_modern::<S::Parts>(version)).then_some(version)
    }

    /// Answers a deferred request ([`ClientAnswer::Later`]) in a legacy session: `result` writes the members of the result,
    /// or refuses. The caller keeps the id, and answers once.
    pub fn answer(
        &mut self,
        id: RequestId<'_>,
        out: &mut Sink<'_>,
        result: impl FnOnce(&mut ResultReply<'_, '_>) -> Result<(), Refusal>,
    ) -> Answered {
        if !S::Parts::ASKING || self.answers_in().is_none() {
            return Answered::Ignored;
        }
        write_answer(out, id, |json| {
            json.nested(|json| {
                let mut reply = ResultReply::new(json);
                result(&mut reply)?;
                reply.finish();
                Ok(ClientAnswer::Done)
            })
        })
    }
}

/// Writes a response with the result that `result` writes, or with an error if it is refused or does not fit.
fn write_answer(
    out: &mut Sink<'_>,
    id: RequestId<'_>,
    result: impl FnOnce(&mut Writer<'_, '_>) -> Result<ClientAnswer, Refusal>,
) -> Answered {
    let start = out.mark();
    let mut json = Writer::new(out);
    begin_result(&mut json, id);
    let outcome = result(&mut json);
    end_line(&mut json);
    let refusal = match outcome {
        Ok(ClientAnswer::Done) if !out.is_full() => return Answered::Done,
        Ok(ClientAnswer::Done) => Some(Refusal::new(ErrorCode::INTERNAL_ERROR, "Response too large")),
        Ok(ClientAnswer::Later) => None,
        Err(refusal) => Some(refusal),
    };
    out.rollback(start);
    refusal.map_or(Answered::Later, |refusal| refuse(out, id, refusal))
}

fn refuse(out: &mut Sink<'_>, id: RequestId<'_>, refusal: Refusal) -> Answered {
    let start = out.mark();
    let mut json = Writer::new(out);
    begin_error(&mut json, Some(id), refusal.code, refusal.message);
    json.end_object();
    end_line(&mut json);
    match undo_if_full(out, start) {
        Ok(()) => Answered::Refused(refusal.code),
        Err(full) => Answered::NoRoom(full),
    }
}

fn answer_ping(json: Writer<'_, '_>) -> Result<ClientAnswer, Refusal> {
    ResultReply::new(json).finish();
    Ok(ClientAnswer::Done)
}

fn answer_request<H: ClientHandler + ?Sized>(
    app: &mut H,
    version: ProtocolVersion,
    request: &Request<'_>,
    json: Writer<'_, '_>,
) -> Result<ClientAnswer, Refusal> {
    let method = Method::of_input_request(request.method()).filter(|method| method.is_in(version));
    match method {
        // The members of input requests are compared together with the result that contains them.
        Some(_) if request.params().is_some_and(repeats) => Err(Refusal::INVALID_PARAMS),
        Some(method) => answer(app, version, method, request.params(), json),
        None => {
            let mut reply = ResultReply::new(json);
            let answer = app.other_request(*request, &mut reply)?;
            reply.finish();
            Ok(answer)
        }
    }
}

/// Writes the answer to a request for input as one value.
fn answer<H: ClientHandler + ?Sized>(
    app: &mut H,
    version: ProtocolVersion,
    method: Method,
    params: Option<Object<'_>>,
    json: Writer<'_, '_>,
) -> Result<ClientAnswer, Refusal> {
    let offered = app.capabilities();
    match method {
        Method::RootsList if offered.offers(method) => {
            let mut reply = RootsReply::new(json);
            let answer = app.list_roots(&mut reply)?;
            reply.finish();
            Ok(answer)
        }
        Method::SamplingCreateMessage if offered.offers(method) => {
            let params = params.ok_or(Refusal::INVALID_PARAMS)?;
            // MCP sampling: tools only for a client that has declared them.
            if !offered.has(ClientCapabilities::SAMPLING_TOOLS) && uses_tools(params) {
                return Err(Refusal::INVALID_PARAMS);
            }
            let mut reply = MessageReply::new(json);
            let answer = app.create_message(ClientSampling { params }, &mut reply)?;
            match reply.finish() || answer == ClientAnswer::Later {
                true => Ok(answer),
                false => Err(Refusal::INTERNAL_ERROR),
            }
        }
        Method::ElicitationCreate if offers_elicitation(offered, version) => {
            let elicitation = params.and_then(|params| ClientElicitation::of(params, version));
            let elicitation = elicitation.ok_or(Refusal::INVALID_PARAMS)?;
            let is_offered = match elicitation.is_url {
                true => offered.has(ClientCapabilities::ELICITATION_URL),
                false => offered.has(ClientCapabilities::ELICITATION_FORM),
            };
            if !is_offered {
                return Err(Refusal::INVALID_PARAMS);
            }
            let mut reply = ElicitReply::new(json);
            let answer = app.elicit(elicitation, &mut reply)?;
            reply.finish();
            Ok(answer)
        }
        _ => Err(Refusal::METHOD_NOT_FOUND),
    }
}

fn offers_elicitation(offered: ClientCapabilities, version: ProtocolVersion) -> bool {
    let url = offered.has(ClientCapabilities::ELICITATION_URL) && version.has(Feature::CapabilityModes);
    version.has(Feature::Elicitation) && (offered.has(ClientCapabilities::ELICITATION_FORM) || url)
}

fn uses_tools(params: Object<'_>) -> bool {
    params.get("tools").is_some() || params.get("toolChoice").is_some()
}

/// Writes the members `inputResponses` and `requestState` of a retry.
pub(super) fn write_input<H: ClientHandler + ?Sized>(
    app: &mut H,
    version: ProtocolVersion,
    input: &InputRequired<'_>,
    json: &mut Writer<'_, '_>,
) -> Result<(), Refusal> {
    if input.has_requests() {
        json.name("inputResponses").begin_object();
        for request in input.requests() {
            let method = Method::of_input_request(request.method).ok_or(Refusal::METHOD_NOT_FOUND)?;
            json.json_name(request.key);
            let answer = json.nested(|json| answer(app, version, method, request.params, json))?;
            if answer == ClientAnswer::Later {
                return Err(Refusal::NOT_YET);
            }
        }
        json.end_object();
    }
    input.write_state(json);
    Ok(())
}
