//! The model: who is owed what. Plain lists, searched from one end to the other.

use barewire::engine::{CallToken, TaskToken};
use barewire::mcp::ProtocolVersion;

use super::super::super::application::Kind;
use super::lines::{at, has};

/// All that a server must remember.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// The requests that have no answer yet, but for streams.
    pub(super) calls: Vec<Call>,
    /// All questions that the server has ever asked.
    pub(super) questions: Vec<Question>,
    /// The open streams.
    pub(super) streams: Vec<Stream>,
    /// All tasks that the client was ever told of.
    pub(super) tasks: Vec<Task>,
    /// What the handshake has settled.
    pub(super) session: Option<(ProtocolVersion, Declared)>,
}

/// A request without an answer.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) waits: Waits,
    pub(super) progress: Progress,
}

/// What a request waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Waits {
    /// The application.
    Application(CallToken, Kind),
    /// The client's answer to this question.
    Client(i64),
    /// The end of this task.
    Task(TaskToken),
}

/// How far a call or a task has said that it is.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    /// The token, as it was sent.
    pub(super) token: Option<String>,
    pub(super) last: Option<i64>,
}

/// A request of the server's own.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) id: i64,
    pub(super) asker: Asker,
    /// When it may be given up.
    pub(super) deadline: u64,
    pub(super) state: State,
}

/// State of a request of the server's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// The client's answer is waited for.
    Open,
    /// It came too late, and the client was told that. The asker is to continue.
    Late,
    /// Nobody needs the answer. The client is to be told that.
    Withdrawn,
    Over,
}

impl Question {
    pub(super) fn is_open(&self) -> bool {
        self.state == State::Open
    }
}

/// An open stream.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) id: String,
    /// The application has ended it.
    pub(super) is_ending: bool,
}

/// Who has asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asker {
    /// The handler of the call with this id.
    Call(String),
    /// The application, outside of any call.
    Application(CallToken),
    /// A task.
    Task(TaskToken),
}

/// A task.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) token: TaskToken,
    /// Its id, with quotes.
    pub(super) id: String,
    /// When it may be forgotten.
    pub(super) end_of_life: u64,
    pub(super) has_ended: bool,
    pub(super) is_forgotten: bool,
    /// Its last state, as it is written to legacy and to modern clients.
    pub(super) states: [Option<String>; 2],
    pub(super) progress: Progress,
    /// What its client has declared.
    pub(super) declared: Declared,
}

/// What a client has declared that it can be asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Declared {
    form: bool,
    page: bool,
    sampling: bool,
    roots: bool,
}

impl Declared {
    /// Of the text of its capabilities.
    pub(super) fn of(capabilities: &str) -> Self {
        let page = has(capabilities, &["elicitation", "url"]);
        Self {
            form: has(capabilities, &["elicitation", "form"]) || has(capabilities, &["elicitation"]) && !page,
            page,
            sampling: has(capabilities, &["sampling"]),
            roots: has(capabilities, &["roots"]),
        }
    }

    /// Whether the request with these members may be asked. A legacy session has a revision.
    pub(super) fn allows(self, request: &str, session: Option<ProtocolVersion>) -> bool {
        let since = |version| session.is_none_or(|session| session >= version);
        match at(request, &["method"]) {
            Some("\"ping\"") => session.is_some(),
            Some("\"roots/list\"") => self.roots,
            Some("\"sampling/createMessage\"") => self.sampling,
            Some("\"elicitation/create\"") => match at(request, &["params", "mode"]) {
                None | Some("\"form\"") => self.form && since(ProtocolVersion::V2025_06_18),
                Some("\"url\"") => self.page && since(ProtocolVersion::V2025_11_25),
                _ => false,
            },
            _ => false,
        }
    }
}

impl Ledger {
    /// Another peer: nothing of the one before is owed. Ids of questions are still never used again.
    pub(super) fn reset(&mut self) {
        self.calls.clear();
        self.streams.clear();
        self.session = None;
        for question in &mut self.questions {
            question.state = State::Over;
        }
        for task in &mut self.tasks {
            task.has_ended = true;
            task.is_forgotten = true;
        }
    }

    /// The calls that the application is to answer, with their tokens.
    pub(super) fn deferred(&self) -> Vec<(CallToken, Kind, String)> {
        let deferred = self.calls.iter().filter_map(|call| match call.waits {
            Waits::Application(token, kind) => Some((token, kind, call.id.clone())),
            _ => None,
        });
        deferred.collect()
    }

    /// The tokens of the application's own questions that wait.
    pub(super) fn own_questions(&self) -> Vec<CallToken> {
        let questions = self.questions.iter();
        let waiting = questions.filter(|question| matches!(question.state, State::Open | State::Late));
        let own = waiting.filter_map(|question| match question.asker {
            Asker::Application(token) => Some(token),
            _ => None,
        });
        own.collect()
    }

    /// How many places of the table of calls are taken at least.
    pub(super) fn taken(&self) -> usize {
        let of_no_call =
            |question: &&Question| question.state != State::Over && !matches!(question.asker, Asker::Call(_));
        self.calls.len() + self.questions.iter().filter(of_no_call).count()
    }

    /// Nobody needs the answers to the questions of these askers any more.
    pub(super) fn withdraw(&mut self, is_meant: impl Fn(&Asker) -> bool) {
        for question in self.questions.iter_mut().filter(|question| is_meant(&question.asker)) {
            question.state = match question.state {
                State::Open | State::Withdrawn => State::Withdrawn,
                State::Late | State::Over => State::Over,
            };
        }
    }

    /// Nothing is late, and nobody is still to be told of anything.
    pub(super) fn is_settled(&self, now: u64) {
        for question in &self.questions {
            let is_settled = match question.state {
                State::Open => question.deadline > now,
                State::Over => true,
                State::Late | State::Withdrawn => false,
            };
            assert!(is_settled, "nobody is told: {question:?}");
        }
        for task in &self.tasks {
            assert!(task.is_forgotten || task.end_of_life > now, "not forgotten: {task:?}");
        }
        for call in &self.calls {
            let has_ended = |task: &Task| call.waits == Waits::Task(task.token) && task.has_ended;
            assert!(!self.tasks.iter().any(has_ended), "not told of the end of the task: {call:?}");
        }
        assert!(!self.streams.iter().any(|stream| stream.is_ending), "not ended: {:?}", self.streams);
    }

    pub(super) fn call(&mut self, id: &str) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.id == id)
    }

    pub(super) fn question(&mut self, id: i64) -> Option<&mut Question> {
        self.questions.iter_mut().find(|question| question.id == id)
    }

    pub(super) fn task(&mut self, token: TaskToken) -> Option<&mut Task> {
        self.tasks.iter_mut().find(|task| task.token == token)
    }

    /// The task of this id, with quotes.
    pub(super) fn task_of_id(&mut self, id: &str) -> Option<&mut Task> {
        self.tasks.iter_mut().find(|task| task.id == id)
    }

    /// The question of this id, if it waits for its answer.
    pub(super) fn open_question(&self, id: &str) -> Option<i64> {
        let id = id.parse().ok()?;
        let is_meant = |question: &Question| question.is_open() && question.id == id;
        self.questions.iter().any(is_meant).then_some(id)
    }

    /// The time of before was none: now it is this.
    pub(super) fn begin_time(&mut self, now: u64) {
        for question in &mut self.questions {
            question.deadline += now;
        }
        for task in &mut self.tasks {
            task.end_of_life += now;
        }
    }

    /// When the next question or task will be over.
    pub(super) fn next_deadline(&self, now: u64) -> Option<u64> {
        let questions = self.questions.iter().filter(|question| question.is_open());
        let tasks = self.tasks.iter().filter(|task| !task.is_forgotten);
        let deadlines = questions.map(|question| question.deadline);
        let deadlines = deadlines.chain(tasks.map(|task| task.end_of_life));
        deadlines.filter(|deadline| *deadline > now).min()
    }

    /// How many tasks there are.
    pub(super) fn kept_tasks(&self) -> usize {
        self.tasks.iter().filter(|task| !task.is_forgotten).count()
    }

    /// The text of a frame, with its places filled in.
    pub(super) fn fill(&self, text: &str, serial: usize) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        let mut text = text.replace("$N", &(1000 + serial).to_string());
        let streams = self.streams.iter().rev().map(|stream| stream.id.clone());
        let open: Vec<String> = self.calls.iter().rev().map(|call| call.id.clone()).chain(streams).collect();
        for at in 0..4 {
            let question = self.questions.iter().rev().nth(at).map_or(1, |question| question.id);
            text = text.replace(&format!("$Q{at}"), &question.to_string());
            let task = self.tasks.iter().rev().nth(at).map_or("\"none\"", |task| &task.id);
            text = text.replace(&format!("$T{at}"), task.trim_matches('"'));
            let call = open.get(at).map_or("1", |id| id);
            text = text.replace(&format!("$C{at}"), call);
        }
        text
    }
}
