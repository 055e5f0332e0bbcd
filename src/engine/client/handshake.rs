//! The handshake: which era the server is of, and which revision both speak (MCP lifecycle, versioning).

use core::time::Duration;

use super::parts::is_modern;
use super::repeated::repeats;
use super::send::Line;
use super::{
    Client, ClientHandler, ClientParts, Connected, Fault, IdSource, Incoming, Incompatible, RequestError,
};
use crate::bytes::{BufferFull, Sink};
use crate::json::{Array, JsonStr, Object, RawValue};
use crate::mcp::{Capabilities, Era, Method, ProtocolVersion, keys};
use crate::rpc::{ErrorCode, ErrorObject};

/// How many messages a handshake has at most: a server that is of two minds is given up.
const MOST_TRIES: u8 = 4;

/// How far the handshake is.
#[derive(Debug)]
pub(super) struct Handshake<Id> {
    step: Step<Id>,
    tries: u8,
}

#[derive(Debug, Clone, Copy)]
enum Step<Id> {
    None,
    /// `server/discover` was sent: a server that knows it is modern.
    Probing {
        id: Id,
        deadline: Duration,
    },
    /// `initialize` was sent.
    Initializing {
        id: Id,
        deadline: Duration,
        proposed: ProtocolVersion,
        /// Since the server did not answer the probe, not because of what it answered.
        after_silence: bool,
    },
    Done(ProtocolVersion),
}

impl<Id> Handshake<Id> {
    pub(super) const fn new() -> Self {
        Self {
            step: Step::None,
            tries: 0,
        }
    }

    pub(super) const fn version(&self) -> Option<ProtocolVersion> {
        match self.step {
            Step::Done(version) => Some(version),
            _ => None,
        }
    }

    /// The revision that `initialize` has proposed.
    pub(super) const fn proposed(&self) -> Option<ProtocolVersion> {
        match self.step {
            Step::Initializing { proposed, .. } => Some(proposed),
            _ => None,
        }
    }

    /// The id of the request that goes on.
    pub(super) const fn id(&self) -> Option<&Id> {
        match &self.step {
            Step::Probing { id, .. } | Step::Initializing { id, .. } => Some(id),
            Step::None | Step::Done(_) => None,
        }
    }

    pub(super) const fn deadline(&self) -> Option<Duration> {
        match self.step {
            Step::Probing { deadline, .. } | Step::Initializing { deadline, .. } => Some(deadline),
            Step::None | Step::Done(_) => None,
        }
    }
}

impl<H: ClientHandler + ?Sized, C, const CALLS: usize, I: IdSource, P: ClientParts>
    Client<H, C, CALLS, I, P>
{
    /// Starts the handshake: asks by `server/discover` whether the server is modern, and falls back to `initialize` on any
    /// error but that of a modern server, and on silence ([`expire`](Client::expire)). A client that speaks one era only
    /// starts with that one's message.
    ///
    /// [`Incoming::Connected`] or [`Incoming::Incompatible`] ends it.
    ///
    /// # Errors
    /// [`RequestError::AlreadyConnected`], [`RequestError::NoRoom`]; [`RequestError::NotInRevision`] for a client that
    /// speaks nothing, by its options or its [parts](ClientParts).
    pub fn connect(&mut self, now: Duration, out: &mut Sink<'_>) -> Result<(), RequestError> {
        let version = self.newest_modern().or_else(|| self.newest_legacy());
        self.begin(version.ok_or(RequestError::NotInRevision)?, now, out)
    }

    /// Starts the handshake with `initialize`, for a server whose era is known, and proposes this revision (or the newest
    /// that has the message, for one that has not).
    ///
    /// # Errors
    /// [`RequestError::AlreadyConnected`], [`RequestError::NoRoom`]; [`RequestError::NotInRevision`] for a client that is
    /// built [without that era](ClientParts::LEGACY).
    pub fn initialize_with(
        &mut self,
        version: ProtocolVersion,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Result<(), RequestError> {
        if !P::LEGACY {
            return Err(RequestError::NotInRevision);
        }
        let version = match version.era() {
            Era::Legacy => version,
            Era::Modern => ProtocolVersion::LATEST_LEGACY,
        };
        self.begin(version, now, out)
    }

    /// Whether the handshake goes on.
    pub const fn is_connecting(&self) -> bool {
        self.handshake.id().is_some()
    }

    /// Whether `server/discover` waits for its answer. A server that ends the connection then is a legacy one that does
    /// not outlive a request before `initialize`: [`disconnect`](Client::disconnect), start it again, and
    /// [`initialize_with`](Client::initialize_with).
    pub const fn is_probing(&self) -> bool {
        P::MODERN && matches!(self.handshake.step, Step::Probing { .. })
    }

    fn newest_modern(&self) -> Option<ProtocolVersion> {
        let versions = self.options.versions();
        versions.newest(Era::Modern).filter(|_| P::MODERN)
    }

    pub(super) fn newest_legacy(&self) -> Option<ProtocolVersion> {
        let versions = self.options.versions();
        versions.newest(Era::Legacy).filter(|_| P::LEGACY)
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
        // No id of the handshake's is in flight, and no request is before it is done.
        let id = self.ids.next_id(now);
        match is_modern::<P>(version) {
            true => {
                let mut line = Line::request::<I>(out, &id, Method::ServerDiscover.name());
                self.write_meta::<I>(&mut line.json, version, None, None);
                line.finish()?;
                // Without another era to fall back to there is no hurry.
                let longest = match self.newest_legacy() {
                    Some(_) => self.options.probe_timeout(),
                    None => self.options.timeout(),
                };
                let deadline = now.saturating_add(longest);
                self.handshake.step = Step::Probing { id, deadline };
            }
            false => {
                let mut line = Line::request::<I>(out, &id, Method::Initialize.name());
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

    /// [`propose`](Self::propose) again, unless that was done too often: then `why` it is given up.
    fn propose_again<'a>(
        &mut self,
        version: ProtocolVersion,
        why: Incompatible<'a>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Incoming<'a, C> {
        self.handshake.step = Step::None;
        if self.handshake.tries >= MOST_TRIES {
            return Incoming::Incompatible(why);
        }
        match self.propose(version, now, out) {
            Ok(()) => Incoming::Nothing,
            Err(_) => Incoming::Incompatible(Incompatible::NoRoom),
        }
    }

    /// The server does not know the modern era.
    fn fall_back<'a>(&mut self, why: Incompatible<'a>, now: Duration, out: &mut Sink<'_>) -> Incoming<'a, C> {
        match self.newest_legacy() {
            Some(version) => self.propose_again(version, why, now, out),
            None => self.give_up(why),
        }
    }

    fn give_up<'a>(&mut self, why: Incompatible<'a>) -> Incoming<'a, C> {
        self.handshake.step = Step::None;
        Incoming::Incompatible(why)
    }

    /// The response to the request of the handshake that goes on.
    #[inline(never)]
    pub(super) fn handshake_response<'a>(
        &mut self,
        outcome: Result<Object<'a>, ErrorObject<'a>>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Incoming<'a, C> {
        match (self.handshake.step, outcome) {
            (Step::Probing { .. }, Ok(result)) if P::MODERN => self.discovered(result, now, out),
            (Step::Probing { .. }, Err(error)) if P::MODERN => match supported(error) {
                // Only a modern server has this error, and a list to it.
                Some((data, list)) if error.code() == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => {
                    self.choose(data, list, Incompatible::Refused(error), now, out)
                }
                _ => self.fall_back(Incompatible::Refused(error), now, out),
            },
            (Step::Initializing { .. }, Ok(result)) if P::LEGACY => self.initialized(result, out),
            (
                Step::Initializing {
                    proposed,
                    after_silence,
                    ..
                },
                Err(error),
            ) if P::LEGACY => {
                let refused = Incompatible::Refused(error);
                match (supported(error), self.newest_modern()) {
                    (Some((data, list)), _) if !names(list, proposed) => {
                        self.choose(data, list, refused, now, out)
                    }
                    // A modern server that was slow to start: now it answers.
                    (_, Some(version)) if after_silence => self.propose_again(version, refused, now, out),
                    _ => self.give_up(refused),
                }
            }
            // Its id was found in one of these, and there is no other.
            _ => Incoming::Nothing,
        }
    }

    /// The response cannot be used.
    pub(super) fn handshake_failed(
        &mut self,
        fault: Fault,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Incoming<'static, C> {
        let why = Incompatible::Invalid(fault);
        match self.is_probing() {
            true => self.fall_back(why, now, out),
            false => self.give_up(why),
        }
    }

    /// No response came.
    pub(super) fn handshake_timed_out(&mut self, now: Duration, out: &mut Sink<'_>) -> Incoming<'static, C> {
        if !self.is_probing() {
            // MCP cancellation: `initialize` must not be cancelled.
            return self.give_up(Incompatible::TimedOut);
        }
        let incoming = self.fall_back(Incompatible::TimedOut, now, out);
        if P::LEGACY
            && let Step::Initializing { after_silence, .. } = &mut self.handshake.step
        {
            *after_silence = true;
        }
        incoming
    }

    /// Goes on with the newest revision of a server's list that the client speaks; `names` is what has the list.
    fn choose<'a>(
        &mut self,
        names: Object<'a>,
        list: Array<'a>,
        why: Incompatible<'a>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Incoming<'a, C> {
        match self.newest_common(list) {
            Some(version) => self.propose_again(version, why, now, out),
            None => self.give_up(Incompatible::NoCommonVersion(names)),
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
            Era::Legacy => P::LEGACY,
            Era::Modern => P::MODERN,
        };
        is_built && self.options.versions().contains(version)
    }

    fn discovered<'a>(&mut self, result: Object<'a>, now: Duration, out: &mut Sink<'_>) -> Incoming<'a, C> {
        let list = result.get("supportedVersions").and_then(RawValue::as_array);
        let is_complete = match result.get("resultType") {
            None => true,
            Some(kind) => kind.as_string().is_some_and(|kind| kind == "complete"),
        };
        let Some(list) = list.filter(|_| is_complete) else {
            // Something that answers whatever it is asked.
            return self.fall_back(Incompatible::Invalid(Fault::Result), now, out);
        };
        if repeats_in_handshake::<P>(result) {
            return self.fall_back(Incompatible::Invalid(Fault::Repeated), now, out);
        }
        match self.newest_common(list) {
            Some(version) if is_modern::<P>(version) => {
                let meta = result.get("_meta").and_then(RawValue::as_object);
                let info = meta.and_then(|meta| meta.get(keys::SERVER_INFO));
                self.connected(version, result, info.and_then(RawValue::as_object))
            }
            Some(version) => self.propose_again(version, Incompatible::NoCommonVersion(result), now, out),
            None => self.give_up(Incompatible::NoCommonVersion(result)),
        }
    }

    fn initialized<'a>(&mut self, result: Object<'a>, out: &mut Sink<'_>) -> Incoming<'a, C> {
        let name = result.get("protocolVersion").and_then(RawValue::as_string);
        let Some(name) = name else {
            return self.give_up(Incompatible::Invalid(Fault::Result));
        };
        if repeats_in_handshake::<P>(result) {
            return self.give_up(Incompatible::Invalid(Fault::Repeated));
        }
        let version = ProtocolVersion::from_name(name)
            .filter(|version| version.era() == Era::Legacy && self.speaks(*version));
        let Some(version) = version else {
            return self.give_up(Incompatible::Version(name));
        };
        if Line::notification(out, Method::Initialized.name())
            .finish()
            .is_err()
        {
            return self.give_up(Incompatible::NoRoom);
        }
        let info = result.get("serverInfo").and_then(RawValue::as_object);
        self.connected(version, result, info)
    }

    fn connected<'a>(
        &mut self,
        version: ProtocolVersion,
        result: Object<'a>,
        info: Option<Object<'a>>,
    ) -> Incoming<'a, C> {
        let capabilities = result.get("capabilities").and_then(RawValue::as_object);
        let capabilities = capabilities.unwrap_or(Object::EMPTY);
        self.handshake.step = Step::Done(version);
        self.offered = Capabilities::without_tasks(capabilities);
        if P::TASKS {
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

/// Whether a member occurs twice where the handshake reads: in the result, its capabilities, or the server's information.
fn repeats_in_handshake<P: ClientParts>(result: Object<'_>) -> bool {
    let member = |name| result.get(name).and_then(RawValue::as_object);
    let capabilities = member("capabilities");
    // `repeats` does not reach this object, which is nested deeper than the others.
    let task_requests = || {
        capabilities?
            .get("tasks")?
            .as_object()?
            .get("requests")?
            .as_object()
    };
    repeats(result)
        || capabilities.is_some_and(repeats)
        || P::TASKS && task_requests().is_some_and(repeats)
        || P::MODERN && member("_meta").is_some_and(repeats)
}

/// The revisions that an error lists in its `data`, if it does.
fn supported(error: ErrorObject<'_>) -> Option<(Object<'_>, Array<'_>)> {
    let data = error.data()?.as_object().filter(|data| !repeats(*data))?;
    let list = data.get("supported")?.as_array()?;
    (!list.is_empty()).then_some((data, list))
}

fn names(list: Array<'_>, version: ProtocolVersion) -> bool {
    let is_it = |name: JsonStr<'_>| name == version.as_str();
    list.elements().filter_map(RawValue::as_string).any(is_it)
}
