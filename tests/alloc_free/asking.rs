//! Questions to the client and tasks, in both eras.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::{
    Answers, CallError, Event, Handler, Outcome, Progress, Resumed, ResumedReply, TaskEnd, TaskHandler,
    TaskQuestions, TaskToken, ToolCall, ToolContent, ToolReply,
};
use barewire::mcp::{
    Elicitation, Implementation, InputRequest, Sampling, SamplingMessage, Schema, TaskSupport, Tool,
};

use crate::counter::without_allocating;
use crate::hosted::{Hosted, Status};

const TOOLS: &[Tool<'_>] = &[
    Tool::new("ask", "Asks everything."),
    Tool::new("task", "Runs as a task.").with_task_support(TaskSupport::Required),
];
const FORM: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"yes":{"type":"boolean"}}}"#);
const MESSAGES: &[SamplingMessage<'_>] = &[SamplingMessage::user("Say \"hi\".")];

/// Asks one thing after the other, and keeps the last task.
#[derive(Default)]
struct Clerk {
    task: Option<TaskToken>,
    answers: usize,
    events: usize,
}

impl Handler for Clerk {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("clerk", "1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        mut reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        if call.may_be_task() {
            let (token, outcome) = reply.start_task()?;
            self.task = Some(token);
            return Ok(outcome);
        }
        reply.progress(Progress::new(1));
        let questions = reply
            .ask("roots", &InputRequest::Roots)
            .ask("form", &Elicitation::form("Sure?", FORM).into())
            .ask("model", &Sampling::new(MESSAGES, 9).into());
        Ok(questions.keep("a \"state\""))
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let ResumedReply::Tool(reply) = reply else {
            return Err(CallError::Internal);
        };
        if call.answer("roots").is_some() && call.answer("form").is_none() {
            let questions = reply.ask("form", &Elicitation::form("Sure?", FORM).into());
            return Ok(questions.keep_with(|json| {
                json.integer(7);
            }));
        }
        Ok(reply.text(call.state()))
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        Some(self)
    }

    fn event(&mut self, _: Event<'_>) {
        self.events += 1;
    }
}

impl TaskHandler for Clerk {
    fn task_result<'a>(
        &mut self,
        _: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(content.text("done").done())
    }

    fn task_questions(&mut self, _: TaskToken, questions: &mut TaskQuestions<'_, '_>) {
        questions.ask("roots", &InputRequest::Roots);
    }

    fn task_answered(&mut self, _: TaskToken, answers: Answers<'_>) {
        self.answers += usize::from(answers.get("roots").is_some_and(|answer| answer.roots().is_some()));
    }
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{},"elicitation":{},"sampling":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"progressToken":7}"#;

fn frame(id: usize, method: &str, members: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{members}}}}}"#)
}

fn answer(id: usize, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// Lets the server take each frame in each room; how much it wrote in all.
fn take(server: &mut Hosted<Clerk>, room: usize, frames: &[String]) -> usize {
    let mut memory = vec![0; room];
    let mut written = 0;
    for frame in frames {
        written += without_allocating(frame, || {
            let mut out = Sink::new(&mut memory);
            let mut status = server.handle_frame(frame.as_bytes(), &mut out);
            let mut length = out.len();
            while status == Status::More {
                let mut out = Sink::new(&mut memory);
                status = server.drain(&mut out);
                length += out.len();
            }
            length
        });
    }
    written
}

fn session() -> Hosted<Clerk> {
    let mut server = Hosted::new(Clerk::default());
    let members =
        r#""protocolVersion":"2025-11-25","capabilities":{"roots":{},"elicitation":{},"sampling":{}}"#;
    take(&mut server, 512, &[frame(0, "initialize", members)]);
    server
}

#[test]
fn questions_in_both_eras() {
    for room in [2048, 200, 96] {
        let mut server = session();
        let call = frame(1, "tools/call", r#""name":"ask","_meta":{"progressToken":"p"}"#);
        let legacy = [
            call.clone(),
            answer(1, r#"{"roots":[{"uri":"file:///a"}]}"#),
            answer(1, "{}"),
            answer(2, r#"{"action":"accept","content":{"yes":true}}"#),
            call.clone(),
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#.to_string(),
            call.clone(),
            r#"{"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"no"}}"#.to_string(),
            call,
        ];
        assert!(take(&mut server, room, &legacy) > 0);
        let mut memory = vec![0; room];
        without_allocating("the server's own questions", || {
            let mut out = Sink::new(&mut memory);
            assert!(server.ping(&mut out).is_ok());
            // There may be no room for another.
            let _ = server.ask(&InputRequest::Roots, &mut out);
        });
        without_allocating("questions that are given up", || {
            for round in 1..=8 {
                let _ = server.tick(Duration::from_secs(round << 30), &mut Sink::new(&mut memory));
            }
            assert_eq!(server.next_deadline(), None);
        });
        let modern = |members: &str| frame(2, "tools/call", &format!(r#""name":"ask"{members},{META}"#));
        take(
            &mut server,
            room,
            &[
                modern(""),
                modern(r#","requestState":"a\ud83d\ude00","inputResponses":{"roots":{}}"#),
                modern(r#","requestState":"","inputResponses":{"roots":{},"form":{}}"#),
                modern(r#","requestState":7"#),
            ],
        );
    }
}

#[test]
fn tasks_in_both_eras() {
    for room in [2048, 300, 200, 96] {
        let mut server = session();
        for era in ["", META] {
            let comma = if era.is_empty() { "" } else { "," };
            let task = if era.is_empty() { r#","task":{"ttl":9000}"# } else { "" };
            let start = frame(1, "tools/call", &format!(r#""name":"task"{task}{comma}{era}"#));
            take(&mut server, 2048, std::slice::from_ref(&start));
            let token = server.handler().task.expect("a task");
            // The ids of a server without a seed.
            let ids = ["e220a8397b1dcdaf", "6e789e6aa1b965f4", "06c45d188009454f"];
            let mut frames = Vec::new();
            for id in ids {
                for method in ["tasks/get", "tasks/result"] {
                    frames.push(frame(2 + frames.len(), method, &format!(r#""taskId":"{id}"{comma}{era}"#)));
                }
                let members =
                    format!(r#""taskId":"{id}","inputResponses":{{"roots":{{"roots":[]}}}}{comma}{era}"#);
                frames.push(frame(20, "tasks/update", &members));
            }
            if !era.is_empty() {
                let members = format!(r#""notifications":{{"taskIds":["{}","{}"]}},{era}"#, ids[1], ids[2]);
                frames.push(frame(30, "subscriptions/listen", &members));
            }
            frames.push(frame(21, "tasks/list", era));
            take(&mut server, room, &frames);
            let mut memory = vec![0; room];
            without_allocating("what the application says of a task", || {
                // What does not fit any output is dropped.
                let mut out = Sink::new(&mut memory);
                let _ = server.describe_task(token, "busy", &mut out);
                let mut out = Sink::new(&mut memory);
                let _ = server.task_progress(token, Progress::new(1).of(2), &mut out);
                let mut out = Sink::new(&mut memory);
                let _ = server.task_needs_input(token, &mut out);
                while server.drain(&mut Sink::new(&mut memory)) == Status::More {}
            });
            frames.push(answer(1, r#"{"roots":[]}"#));
            take(&mut server, room, &frames);
            without_allocating("the end of a task", || {
                let mut out = Sink::new(&mut memory);
                let mut finished = server.finish_task(token, TaskEnd::Completed, &mut out);
                while finished == Ok(Status::More) {
                    finished = Ok(server.drain(&mut Sink::new(&mut memory)));
                }
                assert_eq!(finished, Ok(Status::Done));
                assert!(!server.is_task_running(token));
            });
            take(&mut server, room, &frames);
            take(&mut server, 2048, &[start]);
            let cancel: Vec<String> = ids
                .iter()
                .map(|id| frame(40, "tasks/cancel", &format!(r#""taskId":"{id}"{comma}{era}"#)))
                .collect();
            take(&mut server, room, &cancel);
            without_allocating("tasks that are forgotten", || {
                for round in 1..=20 {
                    let _ = server.tick(Duration::from_secs(round << 31), &mut Sink::new(&mut memory));
                    while server.drain(&mut Sink::new(&mut memory)) == Status::More {}
                }
                server.reset();
            });
        }
        assert!(server.handler().events > 0);
        // With enough room the tasks of both eras were answered.
        assert!(room < 2048 || server.handler().answers == 2, "{}", server.handler().answers);
    }
}
