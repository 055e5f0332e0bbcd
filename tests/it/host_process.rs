//! Servers on the standard streams of a process: questions of jobs, and faults of the application on standard error.
//!
//! The process is this program again, which serves in the test [`serve`]. What the test harness prints is left out: it is not JSON.

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use barewire::engine::{CallError, CallToken, Handler, MIN_OUTPUT, Outcome, Progress, ToolCall, ToolReply};
use barewire::mcp::{Implementation, Prompt, Resource, Tool};
use barewire::transport::{self, Jobs, Limits, jobs};
use serde_json::Value;

use crate::engine_kit::{cancel, error, given_up, initialize_with, json, modern_of, request, text};
use crate::job_asking::Asker;

/// Name of the server that this process is.
const SERVER: &str = "BAREWIRE_TEST_SERVER";

const LONGEST: Duration = Duration::from_secs(20);

#[test]
fn serve() {
    let Ok(server) = env::var(SERVER) else {
        return;
    };
    let (jobs, queue) = jobs();
    let stdio = transport::Stdio::new().with_jobs(queue, 1);
    let served = match server.as_str() {
        "asker" => stdio.serve(Asker::new(jobs)),
        _ => {
            let limits = Limits { max_output: 4 * MIN_OUTPUT, ..Limits::DEFAULT };
            stdio.with_limits(limits).serve(Careless { jobs, last: None })
        }
    };
    served.expect("no error");
    std::process::exit(0);
}

struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

impl Drop for Program {
    fn drop(&mut self) {
        // It has ended, or it ends now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Program {
    fn start(server: &str) -> Self {
        let mut child = Command::new(env::current_exe().expect("this program"))
            .args(["--exact", "host_process::serve", "--nocapture", "--quiet"])
            .env(SERVER, server)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a process");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut stderr = child.stderr.take().expect("a pipe");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok).filter(|line| line.starts_with('{')) {
                let _ = sender.send(line + "\n");
            }
        });
        let (sender, errors) = mpsc::channel();
        thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            let _ = sender.send(text);
        });
        Self { input: child.stdin.take(), child, lines, errors }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().expect("an open input"), "{line}").expect("it is read");
    }

    fn line(&mut self) -> String {
        self.lines.recv_timeout(LONGEST).expect("a line")
    }

    fn ask(&mut self, line: &str) -> String {
        self.send(line);
        self.line()
    }

    fn call(&mut self, id: &str, tool: &str) -> String {
        self.ask(&request(id, "tools/call", &format!(r#"{{"name":"{tool}"}}"#)))
    }

    /// Ends the input: the lines that come then, and everything on standard error.
    fn end(mut self) -> (Vec<String>, String) {
        drop(self.input.take());
        let errors = self.errors.recv_timeout(LONGEST).expect("the process ends");
        assert!(self.child.wait().expect("a status").success());
        (self.lines.iter().collect(), errors)
    }
}

#[test]
fn a_job_asks_a_legacy_client_of_a_process() {
    let mut program = Program::start("asker");
    program.ask(&initialize_with("2025-11-25", r#"{"elicitation":{}}"#));
    let accept = |id: u32, name: &str| {
        let content = format!(r#"{{"action":"accept","content":{{"name":"{name}"}}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{content}}}"#)
    };
    let question = json(&program.call("1", "greet"));
    assert_eq!((&question["id"], &question["method"]), (&Value::from(1), &Value::from("elicitation/create")));
    let pong = program.ask(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
    assert!(pong.contains(r#""id":7"#), "{pong}");
    let question = json(&program.ask(&accept(1, "Ada")));
    assert_eq!(question["params"]["message"], "Second?");
    assert_eq!(program.ask(&accept(2, "Bob")), text("1", "Ada and Bob", false));
    // A cancelled call, and one whose client is gone.
    program.call("1", "greet");
    assert_eq!(program.ask(&cancel("1")), given_up(3));
    program.call("1", "greet");
    let missing = text("1", "Missing required client capability: elicitation", true);
    assert_eq!(program.end(), (vec![given_up(4), missing], String::new()));
}

#[test]
fn a_job_asks_a_modern_client_of_a_process() {
    let mut program = Program::start("asker");
    let call = |members: &str| {
        modern_of("1", "tools/call", &format!(r#""name":"greet"{members}"#), r#"{"elicitation":{}}"#)
    };
    let mut members = String::new();
    for (key, name) in [("first", "Ada"), ("second", "Bob")] {
        let result = json(&program.ask(&call(&members)))["result"].clone();
        assert_eq!(result["resultType"], "input_required");
        assert_eq!(result["inputRequests"][key]["method"], "elicitation/create", "{result}");
        let answer = format!(r#""{key}":{{"action":"accept","content":{{"name":"{name}"}}}}"#);
        members = format!(r#","inputResponses":{{{answer}}},"requestState":{}"#, result["requestState"]);
    }
    assert_eq!(json(&program.ask(&call(&members)))["result"]["content"][0]["text"], "Ada and Bob");
    let refused = program.ask(&modern_of("1", "tools/call", r#""name":"greet""#, "{}"));
    assert!(refused.contains(r#""code":-32021"#), "{refused}");
    assert_eq!(program.end(), (Vec::new(), String::new()));
}

const TOOLS: &[Tool<'_>] = &[
    Tool::new("structured", "Answers with structured content that is not an object."),
    Tool::new("long", "Answers with a text that does not fit."),
    Tool::new("backwards", "Reports progress that does not increase."),
    Tool::new("job", "Does so on a thread."),
    Tool::new("twice", "Answers the call before once more."),
    Tool::new("structured", "Has the name of another tool."),
];

/// An application with faults.
struct Careless {
    jobs: Jobs,
    last: Option<CallToken>,
}

impl Handler for Careless {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("careless", "1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn resources(&self) -> &[Resource<'_>] {
        const { &[Resource::new("a:1", "one"), Resource::new("a:2", "two"), Resource::new("a:1", "three")] }
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        const { &[Prompt::new("p"), Prompt::new("p"), Prompt::new("p")] }
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        mut reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match call.name_in(TOOLS) {
            "structured" => return Ok(reply.structured(&7)),
            "long" => return Ok(reply.text("long ".repeat(200).as_str())),
            "backwards" => {
                assert!(reply.progress(2) && !reply.progress(1));
                return Ok(reply.text("done"));
            }
            _ => {}
        }
        let (token, outcome) = reply.defer()?;
        if let Some(last) = self.last.filter(|_| call.is("twice")) {
            // The only thread runs it before the work of this call.
            self.jobs.run(last, |_| |result| Ok(result.text("again").done()));
        }
        self.jobs.run(token, |job| {
            for step in [2, 2, 1] {
                job.progress(Progress::new(step).of(4));
            }
            |result| Ok(result.text("done").done())
        });
        self.last = Some(token);
        Ok(outcome)
    }
}

#[test]
fn faults_of_an_application_are_printed() {
    let mut program = Program::start("careless");
    assert_eq!(program.call("1", "structured"), error("1", -32603, "Internal error"));
    assert_eq!(program.call(r#""b""#, "long"), text(r#""b""#, "Result too large", true));
    for tool in ["backwards", "job"] {
        let params = format!(r#"{{"name":"{tool}","_meta":{{"progressToken":"p"}}}}"#);
        let progress = program.ask(&request("3", "tools/call", &params));
        assert!(progress.contains(r#""progress":2"#), "{progress}");
        assert_eq!(program.line(), text("3", "done", false));
    }
    // A client that wants no progress gets none, so nothing is wrong with it.
    assert_eq!(program.call("4", "twice"), text("4", "done", false));
    let (lines, errors) = program.end();
    assert_eq!(lines, [""; 0]);
    assert_eq!(
        errors.lines().collect::<Vec<_>>(),
        [
            "barewire: two tools have the name `structured`",
            "barewire: two resources have the URI `a:1`",
            "barewire: two prompts have the name `p`",
            "barewire: two prompts have the name `p`",
            "barewire: the handler broke a rule, so its call failed: structured content that is not a JSON object",
            "barewire: the answer to the request \"b\" (tools/call) does not fit the output (`Limits::max_output`)",
            "barewire: progress was not sent: it must be greater than the one before",
            "barewire: progress was not sent: it must be greater than the one before",
            "barewire: progress was not sent: it must be greater than the one before",
            "barewire: the work of a job was dropped: its call is answered already",
        ]
    );
}
