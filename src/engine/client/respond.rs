//! What a server asks of its client: requests in the legacy era, input requests in the modern one.

use super::handler::{Answer, ClientHandler, Elicitation, Refusal, Sampling};
use super::parts::is_modern;
use super::repeated::repeats;
use super::reply::{ElicitReply, MessageReply, ResultReply, RootsReply};
use super::{Answered, Client, ClientParts, IdSource, Incoming, InputRequired};
use crate::bytes::Sink;
use crate::json::{Object, Writer};
use crate::mcp::{ClientCapabilities, Feature, Method, ProtocolVersion};
use crate::rpc::{ErrorCode, Request, RequestId, begin_error, begin_result};

impl<H: ClientHandler + ?Sized, C, const CALLS: usize, I: IdSource, P: ClientParts>
    Client<H, C, CALLS, I, P>
{
    /// A request of the server's: answered where the era has such, else ignored without a byte (MCP 2026-07-28 base
    /// protocol: a client writes no response).
    #[inline(never)]
    pub(super) fn asked<'a>(&mut self, request: Request<'a>, out: &mut Sink<'_>) -> Incoming<'a, C> {
        let Some(version) = self.answers_in() else {
            return Incoming::Request(request, Answered::Ignored);
        };
        let handler = &mut self.handler;
        let is_ping = request.method() == Method::Ping.name();
        let answered = match P::ASKING || is_ping {
            true => write_answer(out, request.id(), |json| {
                json.nested(|json| match is_ping {
                    true => answer_ping(json),
                    false => answer_request(handler, version, &request, json),
                })
            }),
            false => refuse(out, request.id(), Refusal::METHOD_NOT_FOUND),
        };
        Incoming::Request(request, answered)
    }

    /// The revision in which requests are answered, if any: that of the session, or of the handshake in progress.
    /// During the probe it is the one that would be proposed next, since only a legacy server sends requests.
    fn answers_in(&self) -> Option<ProtocolVersion> {
        let settled = self.version().or_else(|| self.handshake.proposed());
        let version = match self.is_probing() {
            true => self.newest_legacy(),
            false => settled,
        }?;
        (!is_modern::<P>(version)).then_some(version)
    }

    /// Answers a request that the handler has put off ([`Answer::Later`]), in a legacy session: `result` writes the members
    /// of the result, or refuses. The caller keeps the id, and answers once.
    pub fn answer(
        &mut self,
        id: RequestId<'_>,
        out: &mut Sink<'_>,
        result: impl FnOnce(&mut ResultReply<'_, '_>) -> Result<(), Refusal>,
    ) -> Answered {
        if !P::ASKING || self.answers_in().is_none() {
            return Answered::Ignored;
        }
        write_answer(out, id, |json| {
            json.nested(|json| {
                let mut reply = ResultReply::new(json);
                result(&mut reply)?;
                reply.finish();
                Ok(Answer::Done)
            })
        })
    }
}

/// A response: the result that `result` writes, or an error in its place. Where the result has no room it is an error too.
fn write_answer(
    out: &mut Sink<'_>,
    id: RequestId<'_>,
    result: impl FnOnce(&mut Writer<'_, '_>) -> Result<Answer, Refusal>,
) -> Answered {
    let mark = out.mark();
    let mut json = Writer::new(out);
    begin_result(&mut json, id);
    let outcome = result(&mut json);
    end_line(&mut json);
    match outcome {
        Ok(Answer::Done) if !out.is_full() => Answered::Done,
        Ok(Answer::Done) => {
            out.rollback(mark);
            let too_large = Refusal::new(ErrorCode::INTERNAL_ERROR, "Response too large");
            refuse(out, id, too_large)
        }
        Ok(Answer::Later) => {
            out.rollback(mark);
            Answered::Later
        }
        Err(refusal) => {
            out.rollback(mark);
            refuse(out, id, refusal)
        }
    }
}

fn refuse(out: &mut Sink<'_>, id: RequestId<'_>, refusal: Refusal) -> Answered {
    let mark = out.mark();
    let mut json = Writer::new(out);
    begin_error(&mut json, Some(id), refusal.code, refusal.message);
    json.end_object();
    end_line(&mut json);
    if out.is_full() {
        out.rollback(mark);
        return Answered::NoRoom;
    }
    Answered::Refused(refusal.code)
}

/// Closes the message and the line.
pub(super) fn end_line(json: &mut Writer<'_, '_>) {
    json.end_object();
    json.sink().write(b"\n");
}

fn answer_ping(json: Writer<'_, '_>) -> Result<Answer, Refusal> {
    ResultReply::new(json).finish();
    Ok(Answer::Done)
}

fn answer_request<H: ClientHandler + ?Sized>(
    handler: &mut H,
    version: ProtocolVersion,
    request: &Request<'_>,
    json: Writer<'_, '_>,
) -> Result<Answer, Refusal> {
    let method = Method::of_input_request(request.method()).filter(|method| method.is_in(version));
    match method {
        // The members of input requests were compared with the result that contained them.
        Some(_) if request.params().is_some_and(repeats) => Err(Refusal::INVALID_PARAMS),
        Some(method) => answer(handler, version, method, request.params(), json),
        None => {
            let mut reply = ResultReply::new(json);
            let answer = handler.other_request(*request, &mut reply)?;
            reply.finish();
            Ok(answer)
        }
    }
}

/// The value that answers one of these three.
fn answer<H: ClientHandler + ?Sized>(
    handler: &mut H,
    version: ProtocolVersion,
    method: Method,
    params: Option<Object<'_>>,
    json: Writer<'_, '_>,
) -> Result<Answer, Refusal> {
    let offered = handler.capabilities();
    match method {
        Method::RootsList if offered.offers(method) => {
            let mut reply = RootsReply::new(json);
            let answer = handler.list_roots(&mut reply)?;
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
            let answer = handler.create_message(Sampling { params }, &mut reply)?;
            match reply.finish() || answer == Answer::Later {
                true => Ok(answer),
                false => Err(Refusal::INTERNAL_ERROR),
            }
        }
        Method::ElicitationCreate if offers_elicitation(offered, version) => {
            let elicitation = params.and_then(|params| Elicitation::of(params, version));
            let elicitation = elicitation.ok_or(Refusal::INVALID_PARAMS)?;
            let is_offered = match elicitation.is_url {
                true => offered.has(ClientCapabilities::ELICITATION_URL),
                false => offered.has(ClientCapabilities::ELICITATION_FORM),
            };
            if !is_offered {
                return Err(Refusal::INVALID_PARAMS);
            }
            let mut reply = ElicitReply::new(json);
            let answer = handler.elicit(elicitation, &mut reply)?;
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

/// The members `inputResponses` and `requestState` of a retry.
pub(super) fn write_input<H: ClientHandler + ?Sized>(
    handler: &mut H,
    version: ProtocolVersion,
    input: &InputRequired<'_>,
    json: &mut Writer<'_, '_>,
) -> Result<(), Refusal> {
    if input.has_requests() {
        json.name("inputResponses").begin_object();
        for request in input.requests() {
            let method = Method::of_input_request(request.method).ok_or(Refusal::METHOD_NOT_FOUND)?;
            json.json_name(request.key);
            let answer = json.nested(|json| answer(handler, version, method, request.params, json))?;
            if answer == Answer::Later {
                return Err(Refusal::NOT_YET);
            }
        }
        json.end_object();
    }
    input.write_state(json);
    Ok(())
}
