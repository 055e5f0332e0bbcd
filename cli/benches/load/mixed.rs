//! Requests of every kind among notifications, responses and broken lines: each is answered once.

use std::io::{BufWriter, Read, Write};
use std::process::ChildStdout;
use std::thread;
use std::time::{Duration, Instant};

use crate::Form;
use crate::client::{Lines, Server, id_of};

const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// The expected answer.
enum Answer {
    /// Exactly this, after the id.
    Is(String),
    /// It begins with this, after the id.
    Begins(&'static str),
    /// The tool has worked, or the table of calls in flight was full.
    DoneOrBusy,
}

const DONE: &str = r#""result":{"content":[{"type":"text","text":"done"}],"isError":false}}"#;
const BUSY: &str = r#""error":{"code":-32603,"message":"Server busy"}}"#;

/// The kinds of requests; request `n` is of kind `n % KINDS`.
const KINDS: usize = 14;

/// The id of request `n`: a number or a string.
fn id(n: usize) -> String {
    match n % 3 {
        0 => format!("\"{n}\""),
        _ => n.to_string(),
    }
}

fn number(id: &str) -> Option<usize> {
    id.trim_matches('"').parse().ok()
}

/// Request `n`: its method, its params and its answer.
fn request(n: usize) -> (&'static str, String, Answer) {
    let error =
        |code: i32, text: &str| Answer::Is(format!(r#""error":{{"code":{code},"message":"{text}"}}}}"#));
    let text = |text: &str| {
        Answer::Is(format!(r#""result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}"#))
    };
    match n % KINDS {
        0 => ("ping", "{}".into(), Answer::Is(r#""result":{}}"#.into())),
        1 => (
            "tools/call",
            format!(r#"{{"name":"add","arguments":{{"a":{n},"b":1}}}}"#),
            text(&(n + 1).to_string()),
        ),
        2 => (
            "tools/call",
            format!(r#"{{"name":"echo","arguments":{{"text":"text {n}"}}}}"#),
            text(&format!("text {n}")),
        ),
        3 => ("tools/list", "{}".into(), Answer::Begins(r#""result":{"tools":[{"name":"echo""#)),
        4 => (
            "resources/read",
            r#"{"uri":"demo://readme"}"#.into(),
            Answer::Begins(r#""result":{"contents":[{"uri":"demo://readme""#),
        ),
        5 => ("nope", "{}".into(), error(-32601, "Method not found")),
        6 => ("tools/call", r#"{"name":"nope"}"#.into(), error(-32602, "Unknown tool")),
        7 => ("tools/call", "{}".into(), error(-32602, "Invalid params")),
        8 => ("ping", "[]".into(), error(-32600, "Invalid Request")),
        9 => (
            "tools/call",
            format!(r#"{{"name":"echo","arguments":{{"text":"modern {n}"}},{MODERN}}}"#),
            Answer::Begins(r#""result":{"resultType":"complete","content":[{"type":"text","text":"modern "#),
        ),
        10 => (
            "prompts/get",
            r#"{"name":"greet","arguments":{"name":"Ada"}}"#.into(),
            Answer::Begins(r#""result":{"description":"A greeting""#),
        ),
        11 => ("tools/call", r#"{"name":"slow","arguments":{"ms":0}}"#.into(), Answer::DoneOrBusy),
        12 => (
            "tools/call",
            r#"{"name":"pixel"}"#.into(),
            Answer::Begins(r#""result":{"content":[{"type":"image""#),
        ),
        _ => ("resources/read", r#"{"uri":"demo://nope"}"#.into(), error(-32002, "Resource not found")),
    }
}

/// Lines that are sent between the requests, and whether they are answered, with `null`.
const BETWEEN: [(&str, bool); 8] = [
    (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, false),
    (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody's"}}"#, false),
    (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, false),
    ("", false),
    ("not JSON", true),
    (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, true),
    (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, true),
    (r#"{"jsonrpc":"2.0","method":"tools/call","params":[]}"#, false),
];

/// Writes `count` requests, one line of [`BETWEEN`] after every fourth.
pub(crate) fn write(count: usize, output: &mut impl Write) -> std::io::Result<()> {
    for n in 0..count {
        let (method, params, _) = request(n);
        writeln!(output, r#"{{"jsonrpc":"2.0","id":{},"method":"{method}","params":{params}}}"#, id(n))?;
        if n % 4 == 3 {
            writeln!(output, "{}", BETWEEN[n / 4 % BETWEEN.len()].0)?;
        }
    }
    output.flush()
}

/// Number of answers to the lines between `count` requests.
fn answers_between(count: usize) -> usize {
    (0..count / 4).filter(|at| BETWEEN[at % BETWEEN.len()].1).count()
}

/// The answers so far.
pub(crate) struct Tally {
    is_answered: Vec<bool>,
    pub(crate) answers: usize,
    between: usize,
    busy: usize,
}

impl Tally {
    pub(crate) fn new(count: usize) -> Self {
        Self { is_answered: vec![false; count], answers: 0, between: 0, busy: 0 }
    }

    /// Checks an answer: one to a request that has none yet.
    pub(crate) fn note(&mut self, line: &[u8]) {
        let shown = || line.escape_ascii();
        let token = id_of(line).unwrap_or_else(|| panic!("no answer: {}", shown()));
        if token == "null" {
            self.between += 1;
            return;
        }
        let n = number(token).unwrap_or_else(|| panic!("an id that was not sent: {}", shown()));
        assert_eq!(token, id(n), "another kind of id");
        assert!(!self.is_answered[n], "answered twice: {}", shown());
        self.is_answered[n] = true;
        self.answers += 1;
        let body = core::str::from_utf8(line).expect("UTF-8");
        let body = &body[br#"{"jsonrpc":"2.0","id":"#.len() + token.len() + 1..];
        let fits = match request(n).2 {
            Answer::Is(expected) => body == expected,
            Answer::Begins(beginning) => body.starts_with(beginning),
            Answer::DoneOrBusy => {
                self.busy += usize::from(body == BUSY);
                body == DONE || body == BUSY
            }
        };
        assert!(fits, "{}", shown());
    }

    /// All requests are answered, and the lines between them as the protocol requires.
    pub(crate) fn is_complete(&self) {
        let count = self.is_answered.len();
        assert_eq!(self.answers, count, "requests without an answer");
        assert_eq!(self.between, answers_between(count), "answers with null");
    }
}

pub(crate) fn at_full_speed(form: Form) {
    let count = match form {
        Form::Short => 100_000,
        Form::Long => 1_000_000,
    };
    run(count, |stdout| stdout);
}

/// Reads a little, and sleeps: the pipe is full nearly all of the time.
struct Slow(ChildStdout);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        thread::sleep(Duration::from_micros(500));
        let few = buffer.len().min(8192);
        self.0.read(&mut buffer[..few])
    }
}

pub(crate) fn with_a_slow_reader(form: Form) {
    let count = match form {
        Form::Short => 20_000,
        Form::Long => 200_000,
    };
    run(count, Slow);
}

fn run<R: Read>(count: usize, reader: impl FnOnce(ChildStdout) -> R) {
    let (mut server, stdin, stdout) = Server::start(&[]);
    let start = Instant::now();
    let writer = thread::spawn(move || write(count, &mut BufWriter::with_capacity(1 << 16, stdin)));
    let mut lines = Lines::new(reader(stdout));
    let mut tally = Tally::new(count);
    let mut line = Vec::new();
    // In the middle of the work: a process that has ended has no memory.
    let marks = [count / 10, count / 2, count / 10 * 9];
    let mut memory = Vec::new();
    while lines.next(&mut line) {
        tally.note(&line);
        if marks.get(memory.len()).is_some_and(|mark| tally.answers >= *mark) {
            memory.push(server.memory());
        }
    }
    assert!(line.is_empty(), "a line that was cut: {}", line.escape_ascii());
    writer.join().expect("the writer").expect("a server that reads");
    server.ends_well();
    tally.is_complete();
    let seconds = start.elapsed().as_secs_f64();
    let [first, half, last] = memory[..] else {
        panic!("three marks");
    };
    println!(
        "  {count} requests, {} answers ({} of them busy), {} errors with null; {seconds:.1} s, {:.0} requests a second; \
         memory {first} kB at a tenth, {half} kB at half, {last} kB at nine tenths",
        tally.answers,
        tally.busy,
        tally.between,
        count as f64 / seconds
    );
    assert!(last <= first + 2048, "memory grows: {memory:?}");
}
