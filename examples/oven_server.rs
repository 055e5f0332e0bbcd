//! A server with each kind of method: a tool with typed arguments, a slow one that reports progress, two that ask the user (with
//! and without a thread), a resource and a prompt.
//!
//! ```sh
//! cargo run -q --features std,macros --example oven_server < examples/oven.jsonl
//! ```

use std::time::Duration;

use barewire::engine::{CallError, Outcome, Progress, Resumed, ResumedReply, ToolReply};
use barewire::mcp::{Elicitation, Elicited, Schema};
use barewire::transport::{Jobs, Stdio, jobs};
use barewire::{Argument, Output};

const AGREE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"agree":{"type":"boolean"}}}"#);

const MINUTES: Schema<'_> =
    Schema::new(r#"{"type":"object","properties":{"minutes":{"type":"integer"}},"required":["minutes"]}"#);

#[derive(Argument, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Fan,
    Grill,
}

#[derive(Argument)]
struct Heat {
    /// Degrees Celsius.
    #[arg(min = 30, max = 250)]
    degrees: u16,
    mode: Option<Mode>,
}

#[derive(Output)]
struct Plan {
    /// Degrees Celsius.
    degrees: u16,
    mode: &'static str,
    minutes: u16,
}

struct Oven {
    degrees: u16,
    jobs: Jobs,
}

#[barewire::server(name = "oven", version = "1.0")]
impl Oven {
    /// Sets the oven up for a dish.
    #[tool(idempotent)]
    fn set_up(
        &mut self,
        dish: String,
        heat: Heat,
        #[arg(default = 30, min = 1)] minutes: u16,
    ) -> Result<Plan, String> {
        if dish.is_empty() {
            return Err("Name the dish.".to_string());
        }
        self.degrees = heat.degrees;
        let mode = match heat.mode {
            Some(Mode::Grill) => "grill",
            Some(Mode::Fan) | None => "fan",
        };
        Ok(Plan { degrees: heat.degrees, mode, minutes })
    }

    /// Waits until the oven is hot.
    #[tool(read_only)]
    fn wait(&self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        let (token, outcome) = reply.defer()?;
        let wanted = self.degrees;
        // On a thread of the pool: the server answers other calls meanwhile.
        self.jobs.run(token, move |job| {
            for degrees in (20..=wanted).step_by(80) {
                job.progress(Progress::new(degrees).of(wanted));
                if !job.sleep(Duration::from_millis(10)) {
                    break; // The call was cancelled.
                }
            }
            move |result| Ok(result.text(format_args!("{wanted} °C")).done())
        });
        Ok(outcome)
    }

    /// Bakes. The user says how long once the oven is hot.
    #[tool]
    fn bake(&self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        let (token, outcome) = reply.defer()?;
        self.jobs.answer(token, |job| -> Result<String, CallError<'static>> {
            let question = Elicitation::form("The oven is hot. How many minutes?", MINUTES).into();
            // A client of 2026-07-28 makes the call again with the answer: this closure then runs again.
            let minutes = job.ask("minutes", &question, |answer| {
                answer.elicited()?.accepted()?.get("minutes")?.as_number()?.to_i64().ok()
            })?;
            Ok(match minutes {
                Some(minutes) => format!("baked for {minutes} minutes"),
                None => "not baked".to_string(),
            })
        });
        Ok(outcome)
    }

    /// Burns the oven clean, if the user agrees.
    #[tool(destructive)]
    fn clean(&self, reply: ToolReply<'_, '_>) -> Outcome {
        let question = Elicitation::form("The oven gets very hot. Clean it?", AGREE);
        reply.ask("agree", &question.into()).done()
    }

    /// The temperature that was set.
    #[resource("oven://degrees", mime_type = "text/plain")]
    fn degrees(&self) -> u16 {
        self.degrees
    }

    /// Plans a dish.
    #[prompt]
    fn plan(&self, dish: &str) -> String {
        format!("Set the oven up for {dish}, and wait until it is hot.")
    }

    /// Continues `clean`.
    #[handler]
    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        // A client of 2026-07-28 may send an answer with any call.
        let reply = match reply {
            ResumedReply::Tool(reply) if call.is("clean") => reply,
            _ => return Err(CallError::InvalidParams),
        };
        let form = call.answer("agree").and_then(|answer| answer.elicited()).and_then(Elicited::accepted);
        let agrees = form.and_then(|form| form.get("agree")?.as_bool()) == Some(true);
        if agrees {
            self.degrees = 500;
        }
        Ok(reply.text(if agrees { "cleaning" } else { "not cleaned" }))
    }
}

fn main() -> std::io::Result<()> {
    let (jobs, queue) = jobs();
    Stdio::new().with_jobs(queue, 4).serve(Oven { degrees: 0, jobs })
}
