//! A server on the standard input and output of its process (MCP transports, stdio).

use core::time::Duration;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use std::vec::Vec;

use super::jobs::{Change, Changes, JobQueue, JobReply, Serving, Ticket};
use super::waiting::Backlog;
use crate::bytes::{Framer, Next, Sink};
use crate::engine::{CallToken, Handler, Parts, Progress, Server, Status, TaskEnd, TaskToken};
use crate::mcp::LoggingLevel;

/// How much a line may have, and how long calls in flight may take at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest line that is read, its newline not counted.
    pub max_input: usize,
    /// The longest line that is written; less than [`Server::MIN_OUTPUT`] counts as that.
    pub max_output: usize,
    /// How long the calls in flight may take at the end of the input.
    pub drain: Duration,
}

impl Limits {
    /// 16 MiB each way, 10 seconds. Memory is only used as far as lines are long.
    pub const DEFAULT: Self = Self {
        max_input: 16 << 20,
        max_output: 16 << 20,
        drain: Duration::from_secs(10),
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The loop of a server on stdio: reads lines, lets the server answer, writes whole lines and nothing else.
///
/// What was written is flushed before each read that may block. At the end of the input a last line without its newline
/// is still served, questions to the client are given up, calls in flight finish (at most [`Limits::drain`]), streams end
/// with their response. When the client
/// closes its end of the output, the loop ends quietly.
#[derive(Debug, Default)]
pub struct Stdio {
    limits: Limits,
    jobs: Option<(JobQueue, usize)>,
}

impl Stdio {
    /// With the default limits, without threads beside the loop.
    pub const fn new() -> Self {
        Self {
            limits: Limits::DEFAULT,
            jobs: None,
        }
    }

    /// With these limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// With so many threads for the work of `queue`.
    pub fn with_jobs(self, queue: JobQueue, threads: usize) -> Self {
        Self {
            jobs: Some((queue, threads)),
            ..self
        }
    }

    /// Serves the standard input and output of the process until the input ends.
    ///
    /// # Errors
    /// Of reading and writing; a closed output is none.
    pub fn serve<
        H,
        P,
        const CALLS: usize,
        const SUBSCRIPTIONS: usize,
        const ID: usize,
        const TEXT: usize,
        const TASKS: usize,
    >(
        self,
        server: Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>,
    ) -> io::Result<()>
    where
        H: Handler + Send + 'static,
        P: Parts + 'static,
    {
        // Not the standard library's own buffered output: that one flushes at each newline.
        self.serve_on(
            server,
            io::stdin().lock(),
            BufWriter::with_capacity(1 << 16, RawStdout),
        )
    }

    /// Serves any input and output, as [`serve`](Stdio::serve).
    ///
    /// # Errors
    /// As [`serve`](Stdio::serve).
    pub fn serve_on<
        H,
        W,
        P,
        const CALLS: usize,
        const SUBSCRIPTIONS: usize,
        const ID: usize,
        const TEXT: usize,
        const TASKS: usize,
    >(
        self,
        server: Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>,
        mut input: impl Read,
        output: W,
    ) -> io::Result<()>
    where
        H: Handler + Send + 'static,
        P: Parts + 'static,
        W: Write + Send + 'static,
    {
        let changes = self.jobs.as_ref().map(|(queue, _)| queue.changes());
        let backlog = self.jobs.as_ref().map(|(queue, _)| queue.backlog());
        // Some answer must fit.
        let least = Server::<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>::MIN_OUTPUT;
        let connection = Arc::new(Connection {
            state: Mutex::new(State {
                server,
                output,
                line: Vec::new(),
                changes: changes.unwrap_or_default(),
                backlog: backlog.unwrap_or_default(),
                max_output: self.limits.max_output.max(least),
                is_closed: false,
                error: None,
            }),
            completed: Condvar::new(),
        });
        if let Some((queue, threads)) = self.jobs {
            let link: Weak<dyn Serving> = Arc::<Connection<_, _>>::downgrade(&connection);
            queue.start(&link, threads);
        }
        let clock: Weak<dyn Serving> = Arc::<Connection<_, _>>::downgrade(&connection);
        thread::spawn(move || {
            const SECOND: Duration = Duration::from_secs(1);
            while let Some(link) = clock.upgrade() {
                link.tick();
                drop(link);
                thread::sleep(SECOND);
            }
        });
        let outcome = connection
            .read_all(&mut input, self.limits.max_input)
            .and_then(|()| connection.drain(self.limits.drain));
        connection.lock().is_closed = true;
        match outcome {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}

/// The process's standard output, unbuffered.
struct RawStdout;

impl Write for RawStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stdout().lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().lock().flush()
    }
}

/// What the loop and the threads share.
struct Connection<S, W> {
    state: Mutex<State<S, W>>,
    completed: Condvar,
}

struct State<S, W> {
    server: S,
    output: W,
    /// What one call of the engine wrote.
    line: Vec<u8>,
    changes: Changes,
    backlog: Weak<Backlog>,
    max_output: usize,
    /// The loop has ended: whoever comes late writes nothing.
    is_closed: bool,
    /// Of a thread's write; the loop reports it.
    error: Option<io::Error>,
}

impl<
    H: Handler,
    W: Write,
    P: Parts,
    const C: usize,
    const S: usize,
    const I: usize,
    const U: usize,
    const T: usize,
> State<Server<H, P, C, S, I, U, T>, W>
{
    /// Lets the engine write, and passes it on.
    fn write<R>(
        &mut self,
        call: impl FnOnce(&mut Server<H, P, C, S, I, U, T>, &mut Sink<'_>) -> R,
    ) -> io::Result<R> {
        let mut sink = Sink::growable(&mut self.line, self.max_output);
        let result = call(&mut self.server, &mut sink);
        // The engine takes back what does not fit.
        let written = sink.finish().unwrap_or_default();
        self.output.write_all(written)?;
        Ok(result)
    }

    /// Serves what the framer found, a batch in as many rounds as it takes, and tells of what it changed. False when the
    /// framer needs more bytes.
    fn serve(&mut self, next: Next<'_>) -> io::Result<bool> {
        loop {
            let Some(status) = self.write(|server, out| server.receive(next, out))? else {
                return Ok(false);
            };
            self.tell_changes()?;
            self.forget_unwanted_work();
            if status == Status::Done {
                return Ok(true);
            }
        }
    }

    /// A client that cancels its calls leaves no work of them behind.
    fn forget_unwanted_work(&self) {
        if let Some(backlog) = self.backlog.upgrade() {
            backlog.forget_unwanted(C.saturating_add(T), |ticket| self.wants(ticket));
        }
    }

    fn wants(&self, ticket: Ticket) -> bool {
        match ticket {
            Ticket::Call(token) => self.server.is_in_flight(token),
            Ticket::Task(token) => self.server.is_task_running(token),
        }
    }

    /// Tells the engine what time it is.
    fn tick(&mut self) -> io::Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.write_all(|server, out| server.tick(now, out))
    }

    /// Lets the engine write in as many rounds as it takes.
    fn write_all(
        &mut self,
        mut call: impl FnMut(&mut Server<H, P, C, S, I, U, T>, &mut Sink<'_>) -> Status,
    ) -> io::Result<()> {
        while self.write(&mut call)? == Status::More {}
        Ok(())
    }

    /// Tells of what has changed up to now.
    fn tell_changes(&mut self) -> io::Result<()> {
        for change in self.changes.take() {
            self.write_all(|server, out| match &change {
                Change::Resource(uri) => server.resource_updated(uri, out),
                Change::List(list) => server.list_changed(*list, out),
            })?;
        }
        Ok(())
    }
}

impl<
    H: Handler,
    W: Write,
    P: Parts,
    const C: usize,
    const S: usize,
    const I: usize,
    const U: usize,
    const T: usize,
> Connection<Server<H, P, C, S, I, U, T>, W>
{
    /// A handler that panicked in another thread has left the engine between two frames, which is a sound state.
    fn lock(&self) -> MutexGuard<'_, State<Server<H, P, C, S, I, U, T>, W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_all(&self, input: &mut impl Read, max_input: usize) -> io::Result<()> {
        // Zeroed memory is not used before something is read into it.
        let mut framer = Framer::new(std::vec![0; max_input.saturating_add(1)]);
        loop {
            let count = match input.read(framer.space()) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            framer.commit(count);
            let mut state = self.lock();
            if let Some(error) = state.error.take() {
                return Err(error);
            }
            state.tick()?;
            loop {
                if !state.serve(framer.next())? {
                    break;
                }
            }
            state.output.flush()?;
        }
        let mut state = self.lock();
        state.tick()?;
        state.serve(framer.finish())?;
        state.output.flush()
    }

    /// Gives up the questions, waits for the calls in flight, and ends the streams.
    fn drain(&self, longest: Duration) -> io::Result<()> {
        let end = Instant::now().checked_add(longest);
        let mut state = self.lock();
        state.write_all(Server::end_questions)?;
        state.output.flush()?;
        while state.server.in_flight() > 0 {
            let left = end.map_or(longest, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            state = match self.completed.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        state.tell_changes()?;
        state.write_all(Server::end_streams)?;
        state.output.flush()
    }

    /// A thread's turn: writes at once, since nobody else may for a long time.
    fn take_turn(&self, call: impl FnOnce(&mut State<Server<H, P, C, S, I, U, T>, W>) -> io::Result<()>) {
        let mut state = self.lock();
        if state.is_closed {
            return;
        }
        // What is told of a task says when.
        let result = state
            .tick()
            .and_then(|()| call(&mut state))
            .and_then(|()| state.tell_changes())
            .and_then(|()| state.output.flush());
        if let Err(error) = result {
            state.error.get_or_insert(error);
        }
    }
}

impl<H, W, P, const C: usize, const S: usize, const I: usize, const U: usize, const T: usize> Serving
    for Connection<Server<H, P, C, S, I, U, T>, W>
where
    H: Handler + Send,
    P: Parts,
    W: Write + Send,
{
    fn complete(&self, token: CallToken, reply: JobReply) {
        self.take_turn(|state| {
            // Cancelled meanwhile: nobody waits.
            state
                .write(|server, out| server.complete_tool(token, out, reply))
                .map(drop)
        });
        self.completed.notify_all();
    }

    fn finish(&self, token: TaskToken, end: TaskEnd) {
        self.take_turn(|state| {
            // Cancelled or forgotten meanwhile: nobody is told.
            state.write_all(|server, out| server.finish_task(token, end, out).unwrap_or(Status::Done))
        });
        self.completed.notify_all();
    }

    fn describe(&self, token: TaskToken, message: &'static str) {
        self.take_turn(|state| {
            state.write_all(|server, out| server.describe_task(token, message, out).unwrap_or(Status::Done))
        });
    }

    fn progress(&self, ticket: Ticket, progress: &Progress<'_>) {
        self.take_turn(|state| {
            state
                .write(|server, out| match ticket {
                    Ticket::Call(token) => server.progress(token, progress, out),
                    Ticket::Task(token) => server.task_progress(token, progress, out),
                })
                .map(drop)
        });
    }

    fn log(&self, token: CallToken, level: LoggingLevel, data: &str) {
        self.take_turn(|state| {
            state
                .write(|server, out| server.log_for(token, level, None, data, out))
                .map(drop)
        });
    }

    fn is_wanted(&self, ticket: Ticket) -> bool {
        let state = self.lock();
        state.wants(ticket) && !state.is_closed
    }

    fn tell_changes(&self) {
        self.take_turn(State::tell_changes);
    }

    fn tick(&self) {
        self.take_turn(|_| Ok(()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::{Demo, Host};
    use crate::engine::{CallError, Full};
    use crate::transport::{Jobs, jobs};
    use std::borrow::ToOwned;
    use std::boxed::Box;
    use std::string::String;

    struct Machine(Jobs);

    impl Host for Machine {
        fn start_slow(&mut self, token: CallToken, ms: u32) -> Result<(), CallError<'static>> {
            self.0.run(token, move |job| {
                job.sleep(Duration::from_millis(u64::from(ms)));
                Box::new(|reply| {
                    reply.text("done");
                    Ok(())
                })
            });
            Ok(())
        }

        fn start_task(&mut self, token: TaskToken, ms: u32) -> Result<(), CallError<'static>> {
            self.0.run_task(token, move |job| {
                job.sleep(Duration::from_millis(u64::from(ms)));
                TaskEnd::Completed
            });
            Ok(())
        }

        fn resource_changed(&mut self, uri: &'static str) {
            self.0.resource_updated(uri);
        }
    }

    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const INITIALIZE: &str =
        r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;

    /// What a session writes after the answer to `initialize`.
    fn served(input: &str) -> String {
        served_after(INITIALIZE, input)
    }

    fn served_after(initialize: &str, input: &str) -> String {
        let (jobs, queue) = jobs();
        let output = Output::default();
        let server: Server<Demo<Machine>> = Server::new(Demo::new(Machine(jobs)));
        Stdio::new()
            .with_jobs(queue, 1)
            .serve_on(
                server,
                [initialize, "\n", input].concat().as_bytes(),
                output.clone(),
            )
            .unwrap();
        after_initialize(&output)
    }

    fn after_initialize(output: &Output) -> String {
        let written = output.0.lock().unwrap().clone();
        let written = String::from_utf8(written).unwrap();
        let (_, rest) = written.split_once('\n').unwrap_or_default();
        rest.to_owned()
    }

    const COUNT: &str =
        r#"{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"count","arguments":{}}}"#;
    const COUNTED: &str =
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"N"}],"isError":false}}"#;
    const SUBSCRIBE: &str =
        r#"{"jsonrpc":"2.0","id":0,"method":"resources/subscribe","params":{"uri":"demo://counter"}}"#;
    const SUBSCRIBED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
    const UPDATED: &str =
        r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"demo://counter"}}"#;

    #[test]
    fn a_change_is_told_after_its_answer_and_before_the_next_frame() {
        let (count, counted) = (
            |id: &str| COUNT.replace("ID", id),
            |id: &str, n: &str| COUNTED.replace("ID", id).replace('N', n),
        );
        // Often, since a thread might come in between.
        for _ in 0..200 {
            let input = [&count("1"), SUBSCRIBE, &count("2"), &count("3"), ""].join("\n");
            let output = [
                &counted("1", "1"),
                SUBSCRIBED,
                &counted("2", "2"),
                UPDATED,
                &counted("3", "3"),
                UPDATED,
                "",
            ]
            .join("\n");
            assert_eq!(served(&input), output);
        }
    }

    /// Milliseconds within the minute of a member that is a time.
    fn time_of(line: &str, name: &str) -> u32 {
        let (_, rest) = line.split_once(name).unwrap();
        let (_, time) = rest.split_once('T').unwrap();
        time["07:30:".len().."07:30:49.066".len()]
            .replace('.', "")
            .parse()
            .unwrap()
    }

    #[test]
    fn the_end_of_a_task_has_its_own_time() {
        const INPUT: &str = concat!(
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"simulate","arguments":{"ms":60},"task":{}}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"e220a8397b1dcdaf"}}"#,
            "\n",
        );
        let output = served(INPUT);
        let [_, result, told] = output.lines().collect::<Vec<_>>()[..] else {
            panic!("{output}");
        };
        assert!(
            result.contains(r#""id":2"#) && told.contains("notifications/tasks/status"),
            "{output}"
        );
        let [created, updated] = ["createdAt", "lastUpdatedAt"].map(|name| time_of(told, name));
        let took = (updated + 60_000 - created) % 60_000;
        assert!((60..30_000).contains(&took), "{took} ms: {told}");
    }

    /// A tool whose work, or whose reply, panics when it is told so.
    struct Careless {
        jobs: Jobs,
        ran: Arc<Mutex<usize>>,
    }

    impl Handler for Careless {
        fn info(&self) -> crate::mcp::Implementation<'_> {
            crate::mcp::Implementation::new("careless", "1")
        }

        fn tools(&self) -> &[crate::mcp::Tool<'_>] {
            const {
                &[crate::mcp::Tool::new("work", "Works.")
                    .with_schema(crate::mcp::Schema::new(r#"{"type":"object"}"#))]
            }
        }

        fn call_tool<'a>(
            &mut self,
            call: crate::engine::ToolCall<'a>,
            _: &mut crate::engine::ToolReply<'_, '_>,
        ) -> Result<crate::engine::Disposition, CallError<'a>> {
            let token = call.context().defer()?;
            let (in_work, in_reply) = (call.boolean("work"), call.boolean("reply"));
            let ran = Arc::clone(&self.ran);
            self.jobs.run(token, move |job| {
                *ran.lock().unwrap() += 1;
                job.sleep(Duration::from_millis(20));
                assert!(in_work.is_none(), "told to");
                Box::new(move |reply| {
                    reply.text("half");
                    assert!(in_reply.is_none(), "told to");
                    Ok(())
                })
            });
            Ok(crate::engine::Disposition::Deferred(token))
        }
    }

    /// What is written to this input, how often work ran, and whether the handler is gone afterwards.
    fn careless(input: &str) -> (String, usize, bool) {
        let (jobs, queue) = jobs();
        let ran = Arc::new(Mutex::new(0));
        let handler = Careless {
            jobs,
            ran: Arc::clone(&ran),
        };
        let output = Output::default();
        Stdio::new()
            .with_jobs(queue, 1)
            .serve_on(
                Server::<Careless, Full, 40>::new(handler),
                input.as_bytes(),
                output.clone(),
            )
            .unwrap();
        let written = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
        let count = *ran.lock().unwrap();
        // A thread may still be on its way out.
        let gone = (0..200).any(|_| {
            thread::sleep(Duration::from_millis(10));
            Arc::strong_count(&ran) == 1
        });
        (written, count, gone)
    }

    fn work(id: usize, arguments: &str) -> String {
        std::format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"work","arguments":{arguments}}}}}"#
        ) + "\n"
    }

    #[test]
    fn work_and_replies_that_panic_are_answered_and_the_threads_go_on() {
        let input = [
            work(1, r#"{"work":true}"#),
            work(2, r#"{"reply":true}"#),
            work(3, "{}"),
        ]
        .concat();
        let (written, _, gone) = careless(&input);
        let internal = |id| {
            std::format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"Internal error"}}}}"#
            )
        };
        let half = r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"half"}],"isError":false}}"#;
        assert_eq!(written, [&internal(1), &internal(2), half, ""].join("\n"));
        assert!(gone, "the threads keep the server");
    }

    #[test]
    fn cancelled_work_that_waits_for_a_thread_is_left_out() {
        let mut input = String::new();
        for id in 0..30 {
            input += &work(id, "{}");
            input += &std::format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            );
            input += "\n";
        }
        input += &work(99, "{}");
        let (written, ran, _) = careless(&input);
        assert_eq!(written.lines().count(), 1, "{written}");
        assert!(ran <= 3, "{ran} pieces of work ran");
    }

    /// The first call keeps the only thread busy; each other leaves work behind, which owns a count.
    #[test]
    fn cancelled_work_is_forgotten_while_every_thread_is_busy() {
        struct Busy {
            jobs: Jobs,
            count: Arc<()>,
            most: Arc<Mutex<usize>>,
        }

        impl Handler for Busy {
            fn info(&self) -> crate::mcp::Implementation<'_> {
                crate::mcp::Implementation::new("busy", "1")
            }

            fn tools(&self) -> &[crate::mcp::Tool<'_>] {
                const { &[crate::mcp::Tool::new("work", "Works.")] }
            }

            fn call_tool<'a>(
                &mut self,
                call: crate::engine::ToolCall<'a>,
                _: &mut crate::engine::ToolReply<'_, '_>,
            ) -> Result<crate::engine::Disposition, CallError<'a>> {
                let token = call.context().defer()?;
                let count = Arc::clone(&self.count);
                self.jobs.run(token, move |job| {
                    while Arc::strong_count(&count) > 0 && job.sleep(Duration::from_millis(100)) {}
                    Box::new(|_| Ok(()))
                });
                let mut most = self.most.lock().unwrap();
                *most = Arc::strong_count(&self.count).max(*most);
                Ok(crate::engine::Disposition::Deferred(token))
            }
        }

        let mut input = work(0, "{}");
        for id in 1..2000 {
            input += &work(id, "{}");
            input += &std::format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            );
            input += "\n";
        }
        let (jobs, queue) = jobs();
        let most = Arc::new(Mutex::new(0));
        let handler = Busy {
            jobs,
            count: Arc::new(()),
            most: Arc::clone(&most),
        };
        Stdio::new()
            .with_limits(Limits {
                drain: Duration::ZERO,
                ..Limits::DEFAULT
            })
            .with_jobs(queue, 1)
            .serve_on(Server::<Busy>::new(handler), input.as_bytes(), Output::default())
            .unwrap();
        let most = *most.lock().unwrap();
        // Twice the calls and tasks that there can be, the handler's own, and that of the busy thread.
        assert!(
            (4..=2 * (4 + 2) + 3).contains(&most),
            "{most} pieces of work at a time"
        );
    }

    #[test]
    fn an_output_that_is_too_small_for_any_answer_is_not_taken() {
        let output = Output::default();
        let (jobs, _queue) = jobs();
        Stdio::new()
            .with_limits(Limits {
                max_output: 1,
                ..Limits::DEFAULT
            })
            .serve_on(
                Server::<Demo<Machine>>::new(Demo::new(Machine(jobs))),
                &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"[..],
                output.clone(),
            )
            .unwrap();
        let written = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
        assert!(written.contains("Response too large"), "{written}");
    }

    #[test]
    fn a_call_whose_question_is_open_at_the_end_is_answered() {
        let initialize = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}}"#;
        let call =
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list_roots","arguments":{}}}"#;
        let written = served_after(initialize, call);
        let [question, answer, given_up] = written.lines().collect::<Vec<_>>()[..] else {
            panic!("{written}");
        };
        assert!(question.contains(r#""id":1,"method":"roots/list""#), "{written}");
        assert!(answer.contains(r#""id":7,"result""#), "{written}");
        assert!(given_up.contains("notifications/cancelled"), "{written}");
    }

    #[test]
    fn a_change_waits_for_no_thread_of_the_pool() {
        let slow = r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"slow","arguments":{"ms":100}}}"#;
        let done = r#"{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"done"}],"isError":false}}"#;
        let input = [SUBSCRIBE, slow, &COUNT.replace("ID", "1")].join("\n");
        let counted = COUNTED.replace("ID", "1").replace('N', "1");
        assert_eq!(
            served(&input),
            [SUBSCRIBED, &counted, UPDATED, done, ""].join("\n")
        );
    }

    #[test]
    fn a_change_from_elsewhere_is_told_at_once() {
        let (jobs, queue) = jobs();
        let output = Output::default();
        let server: Server<Demo<Machine>> = Server::new(Demo::new(Machine(jobs.clone())));
        let (reader, mut writer) = io::pipe().unwrap();
        let serving = {
            let output = output.clone();
            thread::spawn(move || Stdio::new().with_jobs(queue, 1).serve_on(server, reader, output))
        };
        let wait_for = |text: &str| {
            let end = Instant::now() + Duration::from_secs(10);
            while after_initialize(&output) != text {
                assert!(Instant::now() < end, "{:?}", after_initialize(&output));
                thread::sleep(Duration::from_millis(1));
            }
        };
        writeln!(writer, "{INITIALIZE}\n{SUBSCRIBE}").unwrap();
        wait_for(&[SUBSCRIBED, "\n"].concat());
        jobs.resource_updated("demo://counter");
        wait_for(&[SUBSCRIBED, "\n", UPDATED, "\n"].concat());
        drop(writer);
        serving.join().unwrap().unwrap();
    }
}
