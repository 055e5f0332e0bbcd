//! The handshake: it finds the era of the server, and a revision that both sides speak (MCP lifecycle, versioning).

use core::time::Duration;

use super::bound::BoundClient;
use super::error::RequestError;
use super::event::{Connected, EventOf, Incoming, Incompatible};
use super::fault::ResponseFault;
use super::handler::ClientHandler;
use super::ids::IdSource;
use super::line::Line;
use super::parts::{ClientParts, is_modern};
use super::repeated::repeats;
use super::step::Step;
use super::storage::ClientStorage;
use crate::bytes::{BufferFull, Sink};
use crate::json::{Array, JsonStr, Object, RawValue};
use crate::mcp::{Capabilities, Era, Method, ProtocolVersion, keys};
use crate::rpc::{ErrorCode, ErrorObject};

/// Largest number of messages in a handshake, after which an inconsistent server is given up.
const MOST_TRIES: u8 = 4;

impl<S: ClientStorage, H: ClientHandler + ?Sized> BoundClient<'_, S, H> {
    /// Starts the handshake: probes with `server/discover` whether the server is modern, and falls back to `initialize` on
    /// any error except those of a modern server, and on silence ([`expire`](BoundClient::expire)). A client that speaks only
    /// one era starts with the message of that era.
    ///
    /// [`Incoming::Connected`] or [`Incoming::Incompatible`] ends the handshake.
    ///
    /// # Errors
    /// [`RequestError::AlreadyConnected`], [`RequestError::NoRoom`]; [`RequestError::NotInRevision`] for a client that
    /// speaks no revision, by its options or its [parts](ClientParts).
    pub fn connect(&mut self, now: Duration, out: &mut Sink<'_>) -> Result<(), RequestError> {
        let version = self.newest_modern().or_else(|| self.newest_legacy());
        self.begin(version.ok_or(RequestError::NotInRevision)?, now, out)
    }

    /// Starts the handshake with `initialize`, for a server that is known to be legacy, and proposes `version` (for a modern
    /// one, the newest legacy revision).
    ///
    /// # Errors
    /// [`RequestError::AlreadyConnected`], [`RequestError::NoRoom`]; [`RequestError::NotInRevision`] for a client that is
    /// built [without the legacy era](ClientParts::LEGACY).
    pub fn initialize_with(
        &mut self,
        version: ProtocolVersion,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Result<(), RequestError> {
        if !S::Parts::LEGACY {
            return Err(RequestError::NotInRevision);
        }
        let version = match version.era() {
            Era::Legacy => version,
            Era::Modern => ProtocolVersion::LATEST_LEGACY,
        };
        self.begin(version, now, out)
    }

    fn begin(
        &mut self,
        version: ProtocolVersion,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Result<(), RequestError> {
        if !matches!(self.handshake.step, Step::None) {
            return Err(RequestError::AlreadyConnected);
        }
        self.handshake.tries = 0;
        Ok(self.propose(version, now, out)?)
    }

    /// Sends the first message of the era of `version`.
    fn propose(
        &mut self,
        version: ProtocolVersion,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Result<(), BufferFull> {
        // Every id is free: no other request is in flight before the handshake is complete.
        let id = self.ids.next_id(now);
        match is_modern::<S::Parts>(version) {
            true => {
                let mut line = Line::request::<S::Ids>(out, &id, Method::ServerDiscover.name());
                self.write_meta(&mut line.json, version, None, None);
                line.finish()?;
                // Without a legacy era to fall back to, the probe may take as long as any request.
                let longest = match self.newest_legacy() {
                    Some(_) => self.options.probe_timeout(),
                    None => self.options.timeout(),
                };
                let deadline = now.saturating_add(longest);
                self.handshake.step = Step::Probing { id, deadline };
            }
            false => {
                let mut line = Line::request::<S::Ids>(out, &id, Method::Initialize.name());
                let json = &mut line.json;
                json.name("protocolVersion").string(version.as_str());
                self.write_client(json, ["capabilities", "clientInfo"], version);
                line.finish()?;
                self.handshake.step = Step::Initializing {
                    id,
                    deadline: now.saturating_add(self.options.timeout()),
                    proposed: version,
                    after_silence: false,
                };
            }
        }
        self.handshake.tries = self.handshake.tries.saturating_add(1);
        Ok(())
    }

    /// Proposes another revision, or gives up with `reason` if there is none, or after too many proposals.
    fn propose_again<'f>(
        &mut self,
        version: Option<ProtocolVersion>,
        reason: Incompatible<'f>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> EventOf<'f, S> {
        self.handshake.step = Step::None;
        match version.filter(|_| self.handshake.tries < MOST_TRIES) {
            None => Incoming::Incompatible(reason),
            Some(version) => match self.propose(version, now, out) {
                Ok(()) => Incoming::Nothing,
                Err(full) => Incoming::Incompatible(Incompatible::NoRoom(full)),
            },
        }
    }

    /// Proposes a legacy revision: the server does not know the modern era.
    fn fall_back<'f>(
        &mut self,
        reason: Incompatible<'f>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> EventOf<'f, S> {
        self.propose_again(self.newest_legacy(), reason, now, out)
    }

    fn give_up<'f>(&mut self, reason: Incompatible<'f>) -> EventOf<'f, S> {
        self.handshake.step = Step::None;
        Incoming::Incompatible(reason)
    }

    /// Handles the response to the handshake's request.
    // Not inlined: 120 bytes less stack in the client of the footprint.
    #[inline(never)]
    pub(super) fn handshake_response<'f>(
        &mut self,
        outcome: Result<Object<'f>, ErrorObject<'f>>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> EventOf<'f, S> {
        match (&self.handshake.step, outcome) {
            (Step::Probing { .. }, Ok(result)) if S::Parts::MODERN => self.discovered(result, now, out),
            (Step::Probing { .. }, Err(error)) if S::Parts::MODERN => match supported(error) {
                // Only a modern server has this error, with a list of revisions.
                Some((data, list)) if error.code() == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => {
                    self.choose(data, list, Incompatible::Refused(error), now, out)
                }
                _ => self.fall_back(Incompatible::Refused(error), now, out),
            },
            (Step::Initializing { .. }, Ok(result)) if S::Parts::LEGACY => self.initialized(result, out),
            (&Step::Initializing { proposed, after_silence, .. }, Err(error)) if S::Parts::LEGACY => {
                let refused = Incompatible::Refused(error);
                match (supported(error), self.newest_modern()) {
                    (Some((data, list)), _) if !names(list, proposed) => {
                        self.choose(data, list, refused, now, out)
                    }
                    // A modern server that was slow to start now answers.
                    (_, version @ Some(_)) if after_silence => self.propose_again(version, refused, now, out),
                    _ => self.give_up(refused),
                }
            }
            // Not reached: only these steps have an id.
            _ => Incoming::Nothing,
        }
    }

    /// Handles a response that cannot be used.
    pub(super) fn handshake_failed(
        &mut self,
        fault: ResponseFault,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> EventOf<'static, S> {
        let reason = Incompatible::Invalid(fault);
        match self.is_probing() {
            true => self.fall_back(reason, now, out),
            false => self.give_up(reason),
        }
    }

    /// Handles the lack of a response.
    pub(super) fn handshake_timed_out(&mut self, now: Duration, out: &mut Sink<'_>) -> EventOf<'static, S> {
        if !self.is_probing() {
            // MCP cancellation: `initialize` must not be cancelled.
            return self.give_up(Incompatible::TimedOut);
        }
        let incoming = self.fall_back(Incompatible::TimedOut, now, out);
        if S::Parts::LEGACY
            && let Step::Initializing { after_silence, .. } = &mut self.handshake.step
        {
            *after_silence = true;
        }
        incoming
    }

    /// Proposes the newest revision of the server's list that the client speaks; `names` is the object with the list.
    fn choose<'f>(
        &mut self,
        names: Object<'f>,
        list: Array<'f>,
        reason: Incompatible<'f>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> EventOf<'f, S> {
        match self.newest_common(list) {
            None => self.give_up(Incompatible::NoCommonVersion(names)),
            version => self.propose_again(version, reason, now, out),
        }
    }

    fn newest_common(&self, list: Array<'_>) -> Option<ProtocolVersion> {
        list.elements()
            .filter_map(|name| ProtocolVersion::from_name(name.as_string()?))
            .filter(|version| self.speaks(*version))
            .max()
    }

    fn speaks(&self, version: ProtocolVersion) -> bool {
        let is_built = match version.era() {
            Era::Legacy => S::Parts::LEGACY,
            Era::Modern => S::Parts::MODERN,
        };
        is_built && self.options.versions().contains(version)
    }

    fn discovered<'f>(&mut self, result: Object<'f>, now: Duration, out: &mut Sink<'_>) -> EventOf<'f, S> {
        let list = result.get("supportedVersions").and_then(RawValue::as_array);
        let is_complete = match result.get("resultType") {
            None => true,
            Some(kind) => kind.as_string().is_some_and(|kind| kind == "complete"),
        };
        let Some(list) = list.filter(|_| is_complete) else {
            // A server that returns a result for any method.
            return self.fall_back(Incompatible::Invalid(ResponseFault::Result), now, out);
        };
        if repeats_in_handshake::<S::Parts>(result) {
            return self.fall_back(Incompatible::Invalid(ResponseFault::Repeated), now, out);
        }
        match self.newest_common(list) {
            Some(version) if is_modern::<S::Parts>(version) => {
                let meta = result.get("_meta").and_then(RawValue::as_object);
                let info = meta.and_then(|meta| meta.get(keys::SERVER_INFO));
                self.connected(version, result, info.and_then(RawValue::as_object))
            }
            version => self.propose_again(version, Incompatible::NoCommonVersion(result), now, out),
        }
    }

    fn initialized<'f>(&mut self, result: Object<'f>, out: &mut Sink<'_>) -> EventOf<'f, S> {
        let Some(name) = result.get("protocolVersion").and_then(RawValue::as_string) else {
            return self.give_up(Incompatible::Invalid(ResponseFault::Result));
        };
        if repeats_in_handshake::<S::Parts>(result) {
            return self.give_up(Incompatible::Invalid(ResponseFault::Repeated));
        }
        let version = ProtocolVersion::from_name(name)
            .filter(|version| version.era() == Era::Legacy && self.speaks(*version));
        let Some(version) = version else {
            return self.give_up(Incompatible::Version(name));
        };
        if let Err(full) = Line::notification(out, Method::Initialized.name()).finish() {
            return self.give_up(Incompatible::NoRoom(full));
        }
        let info = result.get("serverInfo").and_then(RawValue::as_object);
        self.connected(version, result, info)
    }

    fn connected<'f>(
        &mut self,
        version: ProtocolVersion,
        result: Object<'f>,
        info: Option<Object<'f>>,
    ) -> EventOf<'f, S> {
        let capabilities = result.get("capabilities").and_then(RawValue::as_object);
        let capabilities = capabilities.unwrap_or(Object::EMPTY);
        self.handshake.step = Step::Done(version);
        self.offered = Capabilities::without_tasks(capabilities);
        if S::Parts::TASKS {
            self.offered.insert(Capabilities::of_tasks(capabilities));
        }
        Incoming::Connected(Connected {
            version,
            info,
            capabilities,
            instructions: result.get("instructions").and_then(RawValue::as_string),
        })
    }
}

/// Whether a member occurs twice in an object that the handshake reads: the result, its capabilities, or the server's
/// information.
fn repeats_in_handshake<P: ClientParts>(result: Object<'_>) -> bool {
    let member = |name| result.get(name).and_then(RawValue::as_object);
    let capabilities = member("capabilities");
    // `repeats` does not reach this object, which is nested deeper than the others.
    let task_requests = || capabilities?.get("tasks")?.as_object()?.get("requests")?.as_object();
    repeats(result)
        || capabilities.is_some_and(repeats)
        || P::TASKS && task_requests().is_some_and(repeats)
        || P::MODERN && member("_meta").is_some_and(repeats)
}

/// The revisions that an error lists in its `data`, with the `data`.
fn supported(error: ErrorObject<'_>) -> Option<(Object<'_>, Array<'_>)> {
    let data = error.data()?.as_object().filter(|data| !repeats(*data))?;
    let list = data.get("supported")?.as_array()?;
    (!list.is_empty()).then_some((data, list))
}

fn names(list: Array<'_>, version: ProtocolVersion) -> bool {
    let is_it = |name: JsonStr<'_>| name == version.as_str();
    list.elements().filter_map(RawValue::as_string).any(is_it)
}
