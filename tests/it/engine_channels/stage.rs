//! One server, its application, and the peers on its channels: each does its steps, and gets its lines.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::{
    Address, Answers, CallError, CallToken, Channel, Event, Fixed, Frame, Handler, List, Origin, Outcome,
    Principal, Progress, Resumed, ResumedReply, Sent, Server, TaskEnd, TaskHandler, TaskQuestions, TaskToken,
    ToolCall, ToolContent, ToolReply,
};
use barewire::mcp::{
    Capabilities, Elicitation, Implementation, InputRequest, LoggingLevel, Resource, Schema, TaskSupport,
    Tool,
};

use crate::engine_kit::{Shared, answer_text, reply, request};

/// Channels of the peers on streams; each has the session in its own place.
pub(crate) const CHANNELS: [Channel; 2] = [Channel(4), Channel(7)];

/// Way of the peers to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// A stream for each peer.
    Streams,
    /// An HTTP exchange for each frame.
    Exchanges,
}

/// First channel of the exchanges of the first peer; those of the second begin at twice that number.
const EXCHANGES: u32 = 1000;

/// Place of the peer on this channel.
fn peer_on(channel: Channel) -> usize {
    let stream = CHANNELS.iter().position(|known| *known == channel);
    stream.unwrap_or_else(|| usize::from(channel.0 / EXCHANGES != 1))
}

/// Room for every call of a script.
pub(crate) type Roomy = Fixed<Shared, 96, 96, 96, 16384, 2>;

const TOOLS: &[Tool<'_>] = &[
    Tool::new("now", "Logs a message, and is answered at once."),
    Tool::new("later", "Is answered later."),
    Tool::new("ask", "Asks the client."),
    Tool::new("task", "Goes on as a task.").with_task_support(TaskSupport::Optional),
];

const RESOURCES: &[Resource<'_>] = &[Resource::new("r:1", "r"), Resource::new("r:2", "r")];

/// Part of every modern request.
const MODERN_KEY: &str = "io.modelcontextprotocol/protocolVersion";

const FORM: Schema<'_> = Schema::new(r#"{"type":"object","properties":{}}"#);

/// The application of all peers. Its texts name the channel of the call, its notes the peer.
#[derive(Default)]
pub(crate) struct Desk {
    deferred: Vec<(usize, CallToken)>,
    tasks: Vec<(usize, TaskToken)>,
    asked: Vec<(usize, CallToken)>,
    events: Vec<(usize, String)>,
}

/// Removes the first entry with this token, and returns its peer.
fn take<T: PartialEq>(entries: &mut Vec<(usize, T)>, token: &T) -> usize {
    let place = entries.iter().position(|(_, found)| found == token);
    entries.remove(place.expect("a known token")).0
}

/// The oldest entry of this peer.
fn oldest<T: Copy>(entries: &[(usize, T)], peer: usize) -> Option<T> {
    let mut own = entries.iter().filter(|(owner, _)| *owner == peer);
    own.next().map(|(_, token)| *token)
}

impl Desk {
    fn peer_of(&self, task: TaskToken) -> usize {
        let (peer, _) = self.tasks.iter().find(|(_, token)| *token == task).expect("a known task");
        *peer
    }
}

impl Handler for Desk {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("desk", "1")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(
            Capabilities::TOOLS_LIST_CHANGED | Capabilities::RESOURCES_SUBSCRIBE | Capabilities::LOGGING,
        );
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn resources(&self) -> &[Resource<'_>] {
        RESOURCES
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        mut reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let channel = call.context().origin().channel();
        if call.is("later") {
            let (token, outcome) = reply.defer()?;
            self.deferred.push((peer_on(channel), token));
            return Ok(outcome);
        }
        if call.is("ask") {
            let question = Elicitation::form("Sure?", FORM).into();
            return Ok(reply.ask("k", &question).keep(&format!("for {}", channel.0)));
        }
        if call.may_be_task() {
            let (token, outcome) = reply.start_task()?;
            self.tasks.push((peer_on(channel), token));
            return Ok(outcome);
        }
        reply.log(LoggingLevel::Info, None, "now");
        Ok(reply.text(format_args!("now {}", channel.0)))
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let ResumedReply::Tool(reply) = reply else {
            return Err(CallError::Internal);
        };
        let answer = answer_text(call.answer("k")).replace('"', "'");
        Ok(reply.text([&call.state().to_string(), ": ", &answer]))
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        Some(self)
    }

    fn event(&mut self, event: Event<'_>) {
        let (peer, what) = match event {
            Event::Cancelled(token) => (take(&mut self.deferred, &token), "call cancelled".to_owned()),
            Event::TaskCancelled(token) => (self.peer_of(token), "task cancelled".to_owned()),
            Event::TaskForgotten(token) => (take(&mut self.tasks, &token), "task forgotten".to_owned()),
            Event::Answered(token, answer) => {
                let answer = answer_text(Some(answer));
                (take(&mut self.asked, &token), format!("answered {answer}"))
            }
            Event::NoRoom | Event::Misuse(_) => panic!("{event:?}"),
            _ => return,
        };
        self.events.push((peer, what));
    }
}

impl TaskHandler for Desk {
    fn task_result<'a>(
        &mut self,
        task: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let peer = self.peer_of(task);
        Ok(content.text(format!("task of peer {peer}").as_str()).done())
    }

    fn task_questions(&mut self, task: TaskToken, questions: &mut TaskQuestions<'_, '_>) {
        let message = format!("For peer {}?", self.peer_of(task));
        questions.ask("k", &Elicitation::form(&message, FORM).into());
    }

    fn task_answered(&mut self, task: TaskToken, answers: Answers<'_>) {
        let answer = answer_text(answers.get("k"));
        self.events.push((self.peer_of(task), format!("task answered {answer}")));
    }
}

/// A step of a peer, of the application on behalf of a peer, or of the application for all.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// The peer sends a frame; of a batch, the first element that is answered is served.
    Frame(String),
    /// The next such element of the batch.
    Continue,
    /// The peer answers the oldest open question to it.
    Answer,
    /// The peer answers a question to the other peer.
    AnswerOfTheOther,
    /// The peer sends a request about its latest task.
    AboutTask(&'static str, &'static str),
    /// The peer sends a request about the latest task of the other peer.
    AboutTaskOfTheOther(&'static str, &'static str),
    /// The oldest deferred call of the peer is answered.
    Complete,
    Progress(i64),
    LogFor,
    /// The oldest task of the peer ends.
    Finish,
    /// The oldest task of the peer asks the client.
    NeedsInput,
    Log,
    AskRoots,
    /// Everything that is due to the peer is sent.
    Poll,
    /// The stream of the peer, or its latest exchange, is gone; its session is not.
    Closed,
    EndSession,
    Reset,
    /// For all: a resource has changed.
    Updated(&'static str),
    /// For all: the tools have changed.
    ToolsChanged,
    /// For all: so many milliseconds pass.
    Tick(u64),
    EndStreams,
    EndQuestions,
}

impl Step {
    /// Whether the step concerns all peers.
    pub(crate) const fn is_for_all(&self) -> bool {
        matches!(
            self,
            Self::Updated(_) | Self::ToolsChanged | Self::Tick(_) | Self::EndStreams | Self::EndQuestions
        )
    }
}

/// A peer and its lines.
#[derive(Default)]
pub(crate) struct Peer {
    /// Lines, with names for the ids that the server has chosen.
    pub(crate) lines: Vec<String>,
    questions: Vec<String>,
    /// Number of questions that are answered.
    answered: usize,
    tasks: Vec<String>,
    /// The rest of a frame, and where it came from.
    batch: Option<(String, usize, Origin)>,
    /// Number of exchanges so far.
    exchanges: u32,
}

impl Peer {
    fn hear(&mut self, line: &str) {
        let json: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let mut line = line.to_owned();
        if json.get("method").is_some()
            && let Some(id) = json.get("id")
        {
            self.questions.push(id.to_string());
        }
        let started = json["result"].pointer("/task/taskId");
        let started = started.or_else(|| {
            let is_task = json["result"]["resultType"] == "task";
            json["result"].get("taskId").filter(|_| is_task)
        });
        if let Some(id) = started {
            self.tasks.push(id.as_str().expect("an id").to_owned());
        }
        for (place, question) in self.questions.iter().enumerate() {
            for (before, after) in [(r#""id":"#, r#","method""#), (r#""requestId":"#, "}")] {
                line = line.replace(
                    &format!("{before}{question}{after}"),
                    &format!("{before}\"question {place}\"{after}"),
                );
            }
        }
        for (place, task) in self.tasks.iter().enumerate() {
            line = line.replace(task, &format!("task {place}"));
        }
        self.lines.push(line);
    }
}

fn about_task(id: &str, method: &str, task: &str) -> String {
    request(id, method, &format!(r#"{{"taskId":"{task}"}}"#))
}

/// Place of the peer at this address.
fn peer_at(address: Address) -> usize {
    match address {
        Address::Request(channel) | Address::Stream(channel) => peer_on(channel),
        Address::Session(place) => usize::from(place),
    }
}

/// The server with its peers.
pub(crate) struct Stage {
    wire: Wire,
    server: Server<Roomy>,
    app: Desk,
    pub(crate) peers: [Peer; 2],
    now: u64,
}

impl Stage {
    pub(crate) fn new(wire: Wire) -> Self {
        let mut server = Server::with_storage(Roomy::new());
        server.set_time(Duration::ZERO, Duration::ZERO);
        Self { wire, server, app: Desk::default(), peers: Default::default(), now: 0 }
    }

    /// Events of the calls and tasks of this peer.
    pub(crate) fn events(&self, peer: usize) -> Vec<&str> {
        let own = self.app.events.iter().filter(|(owner, _)| *owner == peer);
        own.map(|(_, event)| event.as_str()).collect()
    }

    /// Makes a call that writes for this peer alone.
    fn write(
        &mut self,
        peer: usize,
        call: impl FnOnce(&mut Server<Roomy>, &mut Desk, &mut Sink<'_>) -> Sent,
    ) {
        let mut memory = vec![0; 1 << 15];
        let mut out = Sink::new(&mut memory);
        let sent = call(&mut self.server, &mut self.app, &mut out);
        let text = String::from_utf8(out.finish().expect("whole lines").to_vec()).expect("UTF-8");
        match sent {
            Sent::To(address) => assert_eq!(peer_at(address), peer, "{text}"),
            Sent::Nothing => assert_eq!(text, ""),
            Sent::NoRoom => panic!("no room"),
        }
        for line in text.lines() {
            self.peers[peer].hear(line);
        }
    }

    /// Sends everything that is due to this peer, and nothing else.
    pub(crate) fn poll(&mut self, peer: usize) {
        loop {
            let mut is_done = false;
            self.write(peer, |server, app, out| {
                let sent = server.poll(|address| peer_at(address) == peer, app, out);
                is_done = sent == Sent::Nothing;
                sent
            });
            if is_done {
                return;
            }
        }
    }

    /// Whether nothing is due to anybody.
    pub(crate) fn is_idle(&mut self) -> bool {
        let mut memory = [0; 2048];
        self.server.poll(|_| true, &mut self.app, &mut Sink::new(&mut memory)) == Sent::Nothing
    }

    /// The stream of a peer, or its latest exchange.
    fn channel(&self, peer: usize) -> Channel {
        let place = u32::try_from(peer).expect("a place");
        match self.wire {
            Wire::Streams => CHANNELS[peer],
            Wire::Exchanges => Channel(EXCHANGES * (place + 1) + self.peers[peer].exchanges),
        }
    }

    fn origin(&self, peer: usize, is_modern: bool) -> Origin {
        let (channel, session) = (self.channel(peer), u16::try_from(peer).expect("a place"));
        match self.wire {
            Wire::Streams => Origin::stream(channel, session),
            Wire::Exchanges if is_modern => {
                Origin::exchange(channel).of(Principal::new(u64::from(session) + 1))
            }
            Wire::Exchanges => Origin::exchange_in(channel, session),
        }
    }

    fn frame(&mut self, peer: usize, text: String) {
        self.peers[peer].exchanges += 1;
        let origin = self.origin(peer, text.contains(MODERN_KEY));
        self.peers[peer].batch = Some((text, 0, origin));
        self.go_on(peer);
    }

    /// Receives the next part of the frame of a peer.
    fn go_on(&mut self, peer: usize) {
        let Some((text, place, origin)) = self.peers[peer].batch.take() else {
            return;
        };
        let mut frame = Frame::at(text.as_bytes(), place);
        self.write(peer, |server, app, out| server.receive(origin, &mut frame, app, out));
        if !frame.is_done() {
            let place = frame.place();
            self.peers[peer].batch = Some((text, place, origin));
        }
    }

    /// Does a step that concerns all peers.
    pub(crate) fn step_for_all(&mut self, step: &Step) {
        match step {
            Step::Updated(uri) => self.server.resource_updated(uri),
            Step::ToolsChanged => self.server.list_changed(List::Tools),
            Step::EndStreams => self.server.end_streams(),
            Step::EndQuestions => self.server.end_questions(),
            Step::Tick(milliseconds) => {
                self.now += milliseconds;
                let now = Duration::from_millis(self.now);
                self.server.set_time(now, now);
            }
            _ => panic!("{step:?}"),
        }
        // Marks what has timed out, and writes nothing.
        let mut memory = [0; 512];
        let mut out = Sink::new(&mut memory);
        let sent = self.server.poll(|_| false, &mut self.app, &mut out);
        assert_eq!((sent, out.len()), (Sent::Nothing, 0));
    }

    /// Does a step of one peer.
    pub(crate) fn step(&mut self, peer: usize, step: &Step) {
        let (channel, other) = (self.channel(peer), 1 - peer);
        let session = u16::try_from(peer).expect("a place");
        // Nothing else comes from a stream before its batch is served.
        while !matches!(step, Step::Continue) && self.peers[peer].batch.is_some() {
            self.go_on(peer);
        }
        let deferred = oldest(&self.app.deferred, peer);
        let task = oldest(&self.app.tasks, peer);
        match step {
            Step::Frame(text) => self.frame(peer, text.clone()),
            Step::Continue => self.go_on(peer),
            Step::Answer => {
                let Peer { questions, answered, .. } = &mut self.peers[peer];
                if let Some(question) = questions.get(*answered) {
                    *answered += 1;
                    let frame = reply(question, r#""action":"decline""#);
                    self.frame(peer, frame);
                }
            }
            Step::AnswerOfTheOther => {
                let question = self.peers[other].questions.last();
                let question = question.map_or("12345", String::as_str);
                let frame = reply(question, r#""action":"decline""#);
                self.frame(peer, frame);
            }
            Step::AboutTask(id, method) => {
                let task = self.peers[peer].tasks.last().map_or("none", String::as_str);
                let frame = about_task(id, method, task);
                self.frame(peer, frame);
            }
            Step::AboutTaskOfTheOther(id, method) => {
                let task = self.peers[other].tasks.last().map_or("none", String::as_str);
                let frame = about_task(id, method, task);
                self.frame(peer, frame);
            }
            Step::Complete => {
                if let Some(token) = deferred {
                    take(&mut self.app.deferred, &token);
                    self.write(peer, |server, app, out| {
                        let text = format!("later for peer {peer}");
                        let sent = server
                            .complete_tool(token, app, out, |content| Ok(content.text(text.as_str()).done()));
                        sent.expect("a call in flight")
                    });
                }
            }
            Step::Progress(progress) => {
                if let Some(token) = deferred {
                    self.write(peer, |server, _, out| {
                        let sent = server.progress(token, Progress::new(*progress), out);
                        sent.expect("a call in flight")
                    });
                }
            }
            Step::LogFor => {
                if let Some(token) = deferred {
                    self.write(peer, |server, _, out| {
                        let sent = server.log_for(token, LoggingLevel::Info, None, "later", out);
                        sent.expect("a call in flight")
                    });
                }
            }
            Step::Finish => {
                if let Some(token) = task {
                    // A task that has ended is kept until it is forgotten.
                    let _ = self.server.finish_task(token, TaskEnd::Completed);
                }
            }
            Step::NeedsInput => {
                if let Some(token) = task {
                    self.write(peer, |server, app, out| {
                        let sent = server.task_needs_input(token, app, out);
                        sent.unwrap_or(Sent::Nothing)
                    });
                }
            }
            Step::Log => self.write(peer, |server, app, out| {
                server.log(session, LoggingLevel::Warning, None, "log", app, out)
            }),
            Step::AskRoots => {
                self.write(peer, |server, app, out| match server.ask(session, &InputRequest::Roots, out) {
                    Ok(token) => {
                        app.asked.push((peer, token));
                        Sent::To(Address::Session(session))
                    }
                    Err(_) => Sent::Nothing,
                })
            }
            Step::Poll => self.poll(peer),
            Step::Closed => self.server.closed(channel, &mut self.app),
            Step::EndSession => self.server.end_session(session, &mut self.app),
            Step::Reset => {
                self.peers[peer].batch = None;
                self.server.reset(self.origin(peer, false), &mut self.app);
            }
            _ => self.step_for_all(step),
        }
    }
}
