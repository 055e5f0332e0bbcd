//! A line answered by the server engine, beside rmcp's server in the same process: `cargo run --release --bin servers`.
//!
//! Both have the same ten tools. rmcp's server is driven as it is made to be, over a pair of byte streams in memory on one
//! thread, with as many requests under way as the third column says; both get the same lines, each with an id of its own,
//! are timed in turns, and the medians compared. Every answer is checked. No wait is longer than [`PATIENCE`].
//!
//! `--quick` is a smoke run.

#[path = "../ten.rs"]
mod ten;

use std::collections::BTreeSet;
use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use barewire::bytes::Sink;
use barewire::engine::{Frame, Origin, Sent, Server};
use ten::{NAMES, Ten};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(20);
/// Lines in a round, the same for both.
const LINES: usize = 256;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// What is asked, and what every answer has.
struct Question {
    name: &'static str,
    rest: String,
    expected: String,
}

impl Question {
    fn line(&self, id: usize) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},{}}}"#, self.rest)
    }

    fn lines(&self, ids: Range<usize>) -> Vec<String> {
        ids.map(|id| self.line(id)).collect()
    }

    /// The id that it answers.
    fn check(&self, answer: &str) -> usize {
        assert!(answer.contains(&self.expected), "{answer}");
        let (_, id) = answer.split_once("\"id\":").expect("an id");
        let digits = id.bytes().take_while(u8::is_ascii_digit).count();
        id[..digits].parse().expect("one of the ids")
    }
}

fn questions() -> [Question; 3] {
    let text = "thirty bytes of plain prose... ".repeat(10);
    [
        Question {
            name: "ping",
            rest: r#""method":"ping""#.to_string(),
            expected: r#""result":{}"#.to_string(),
        },
        Question {
            name: "tools/list of 10",
            rest: r#""method":"tools/list""#.to_string(),
            expected: format!(r#""name":"{}""#, NAMES[9]),
        },
        Question {
            name: "tools/call echo, 300 B",
            rest: format!(
                r#""method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}}}"#
            ),
            expected: format!(r#""text":"{text}""#),
        },
    ]
}

/// The engine with its output.
struct Engine {
    server: Server,
    memory: Vec<u8>,
}

impl Engine {
    fn new() -> Self {
        let mut engine = Self { server: Server::new(), memory: vec![0; 16 << 10] };
        assert!(!engine.answer(INITIALIZE).is_empty());
        assert!(engine.answer(INITIALIZED).is_empty());
        engine
    }

    fn answer(&mut self, line: &str) -> &[u8] {
        let mut out = Sink::new(&mut self.memory);
        let mut frame = Frame::new(black_box(line.as_bytes()));
        let _ = self.server.receive(Origin::ONLY, &mut frame, &mut Ten, &mut out);
        assert!(frame.is_done());
        assert_eq!(self.server.poll(|_| true, &mut Ten, &mut out), Sent::Nothing);
        let length = out.finish().expect("room").len();
        black_box(&self.memory[..length])
    }
}

/// A client of rmcp's server.
struct Peer {
    to: WriteHalf<DuplexStream>,
    from: Lines<BufReader<ReadHalf<DuplexStream>>>,
}

impl Peer {
    async fn new() -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            let service = rmcp::serve_server(Ten, tokio::io::split(theirs)).await.expect("a session");
            service.waiting().await.expect("an end");
        });
        let (from, to) = tokio::io::split(ours);
        let mut peer = Self { to, from: BufReader::new(from).lines() };
        let answers = peer.answers(&[INITIALIZE, "\n"].concat(), 1).await;
        assert!(answers[0].contains("\"result\""), "{}", answers[0]);
        peer.answers(&[INITIALIZED, "\n"].concat(), 0).await;
        peer
    }

    /// Sends the lines, then reads as many answers.
    async fn answers(&mut self, lines: &str, times: usize) -> Vec<String> {
        let all = async {
            self.to.write_all(lines.as_bytes()).await.expect("a server");
            let mut answers = Vec::with_capacity(times);
            for _ in 0..times {
                answers.push(self.from.next_line().await.expect("a server").expect("an answer"));
            }
            answers
        };
        timeout(PATIENCE, all).await.expect("answers in time")
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The time of a line in nanoseconds.
fn each(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e9 / LINES as f64
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let rounds = match std::env::args().nth(1).as_deref() {
        Some("--quick") => 3,
        _ => 41,
    };
    println!("| line | barewire, ns | under way | rmcp, ns | ratio |");
    println!("|---|---|---|---|---|");
    for question in questions() {
        for under_way in [1, 64] {
            let mut engine = Engine::new();
            let mut peer = Peer::new().await;
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for round in 0..rounds {
                let ids = 1 + round * LINES..1 + (round + 1) * LINES;
                let lines = question.lines(ids.clone());
                let start = Instant::now();
                for line in &lines {
                    engine.answer(line);
                }
                ours.push(each(start));
                for (line, id) in lines.iter().zip(ids.clone()) {
                    let answer = std::str::from_utf8(engine.answer(line)).expect("text");
                    assert_eq!(question.check(answer), id);
                }
                let batches: Vec<String> =
                    lines.chunks(under_way).map(|lines| lines.join("\n") + "\n").collect();
                let mut answers = Vec::with_capacity(LINES);
                let start = Instant::now();
                for batch in &batches {
                    answers.append(&mut peer.answers(batch, under_way).await);
                }
                theirs.push(each(start));
                // It may answer in any order.
                let answered: BTreeSet<usize> = answers.iter().map(|answer| question.check(answer)).collect();
                assert!(answered.into_iter().eq(ids));
            }
            let (ours, theirs) = (median(ours), median(theirs));
            println!("| {} | {ours:.0} | {under_way} | {theirs:.0} | {:.1} |", question.name, theirs / ours);
        }
    }
}
