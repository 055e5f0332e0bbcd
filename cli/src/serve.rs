//! `barewire serve`: the demo server on stdio.

use std::hash::{BuildHasher, RandomState};
use std::process;
use std::time::Duration;

use barewire::demo::{Demo, Host};
use barewire::engine::{CallError, CallToken, Event, MIN_OUTPUT, Options, Progress, TaskEnd, TaskToken};
use barewire::transport::{Job, JobReply, Jobs, Limits, Stdio, jobs};
use clap::{ValueEnum, value_parser};

use crate::log::Log;
use crate::seconds::seconds;

/// Arguments of `serve`.
#[derive(clap::Args)]
#[command(
    after_help = "Serves until its input ends, one message per line. Answers go to standard output, the log to standard \
    error.\nExit status: 0 at the end of the input or of the output, 2 if it cannot go on."
)]
pub(crate) struct Arguments {
    /// Log to standard error from this level on
    #[arg(long, value_name = "LEVEL", default_value = "off")]
    log: Level,
    /// Longest line to read, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_LINE, value_parser = value_parser!(u32).range(1..))]
    max_input: u32,
    /// Longest line to write, in bytes; at least 96
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_LINE, value_parser = value_parser!(u32).range(LEAST_OUTPUT..))]
    max_output: u32,
    /// Seconds that calls in flight may take after the end of the input
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    drain: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Level {
    Debug,
    Info,
    Warning,
    Off,
}

/// A line is at most 4 GiB long, since that is the longest message that is classified.
const DEFAULT_LINE: u32 = 16 << 20;

/// Some answer must fit.
const LEAST_OUTPUT: i64 = MIN_OUTPUT as i64;

/// Threads for `slow` and `simulate`, and so the number of their calls and tasks that run at a time.
const THREADS: usize = 64;

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let limits = Limits {
        max_input: arguments.max_input as usize,
        max_output: arguments.max_output as usize,
        drain: arguments.drain,
    };
    let (jobs, queue) = jobs();
    let log = Log::new().map_err(|error| format!("cannot serve: {error}"))?;
    let end = log.end();
    let process = Process { jobs, log, level: arguments.log };
    let outcome = Stdio::new()
        .with_options(Options::DEFAULT.with_task_seed(random()))
        .with_limits(limits)
        .with_jobs(queue, THREADS)
        .serve(Demo::new(process));
    end.wait();
    outcome.map_err(|error| format!("cannot go on serving: {error}"))
}

/// An unpredictable seed, from the keys that the standard library draws for its hash tables.
fn random() -> u64 {
    RandomState::new().hash_one(process::id())
}

/// The process that the demo runs in.
struct Process {
    jobs: Jobs,
    log: Log,
    level: Level,
}

impl Host for Process {
    fn start_slow(&mut self, token: CallToken, ms: u32) -> Result<(), CallError<'static>> {
        self.jobs.run(token, move |job| slow(job, ms));
        Ok(())
    }

    fn start_task(&mut self, token: TaskToken, ms: u32) -> Result<(), CallError<'static>> {
        self.jobs.run_task(token, move |job| {
            wait_in_steps(job, ms);
            TaskEnd::Completed
        });
        Ok(())
    }

    fn resource_changed(&mut self, uri: &'static str) {
        self.jobs.resource_updated(uri);
    }

    fn event(&mut self, event: Event<'_>) {
        let (level, text) = match event {
            Event::Initialized(version) => (Level::Info, format!("initialized {version}")),
            Event::Cancelled(_) => (Level::Info, "a call was cancelled".to_owned()),
            Event::TaskCancelled(_) => (Level::Info, "a task was cancelled".to_owned()),
            Event::TaskForgotten(_) => (Level::Debug, "a task was forgotten".to_owned()),
            Event::Notification(notification) => {
                (Level::Debug, format!("notification {}", notification.method().as_escaped()))
            }
            Event::Response(response) => (
                Level::Warning,
                match response.id() {
                    Some(id) => format!("response to unknown request id {id}"),
                    None => "error response without an id".to_owned(),
                },
            ),
            Event::Rejected(rejection) => (Level::Warning, format!("invalid message: {rejection}")),
            Event::Lost => (Level::Warning, "bytes were lost".to_owned()),
            // `Stdio` prints faults of the application.
            _ => return,
        };
        if level >= self.level {
            let name =
                level.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
            self.log.line(&name, &text);
        }
    }
}

fn slow(job: &Job<'_>, ms: u32) -> JobReply {
    wait_in_steps(job, ms);
    Box::new(|result| Ok(result.text("done").done()))
}

/// Waits in ten steps, and reports each.
fn wait_in_steps(job: &Job<'_>, ms: u32) {
    const STEPS: u32 = 10;
    for step in 1..=STEPS {
        let share = Duration::from_millis(u64::from(ms)) / STEPS;
        if !job.sleep(share) {
            break;
        }
        job.progress(Progress::new(i64::from(step)).of(i64::from(STEPS)));
    }
}
