//! A client that stops reading, that ends the server, or that goes away in the middle of a line.

use std::io::{BufWriter, Read, Write};
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::Form;
use crate::client::{Lines, Server};
use crate::mixed::{Tally, write};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const PONG: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
const PARSE_ERROR: &[u8] = br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;

/// Counts the bytes that the server has taken.
struct Counting(ChildStdin, Arc<AtomicUsize>);

impl Write for Counting {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.0.write(bytes)?;
        self.1.fetch_add(count, Ordering::Relaxed);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// More than all pipes and buffers hold, so that a server whose output is not read stops reading.
const MANY: usize = 100_000;

type Writer = JoinHandle<std::io::Result<()>>;

/// Writes requests until the server takes no more, and returns the writer, which waits.
fn fill(server: &Server, stdin: ChildStdin) -> Writer {
    let taken = Arc::new(AtomicUsize::new(0));
    let counting = Counting(stdin, Arc::clone(&taken));
    let writer = thread::spawn(move || write(MANY, &mut BufWriter::with_capacity(1 << 12, counting)));
    let before = loop {
        let before = taken.load(Ordering::Relaxed);
        thread::sleep(Duration::from_secs(1));
        if before > 0 && taken.load(Ordering::Relaxed) == before {
            break before;
        }
    };
    assert!(!writer.is_finished(), "the server has read everything");
    println!("  {} kB taken, then none; memory {} kB", before / 1024, server.memory());
    assert!(server.peak() < 16 << 10, "{} kB", server.peak());
    writer
}

pub(crate) fn a_reader_that_goes_on(_: Form) {
    let (mut server, stdin, stdout) = Server::start(&[]);
    let writer = fill(&server, stdin);
    let mut tally = Tally::new(MANY);
    let mut lines = Lines::new(stdout);
    let mut line = Vec::new();
    while lines.next(&mut line) {
        tally.note(&line);
    }
    writer.join().expect("the writer").expect("a server that reads");
    tally.is_complete();
    server.ends_well();
    println!("  then {} requests, {} answers", MANY, tally.answers);
}

pub(crate) fn a_reader_that_goes_away(_: Form) {
    let (mut server, stdin, stdout) = Server::start(&[]);
    let writer = fill(&server, stdin);
    drop(stdout);
    server.ends_well();
    assert!(writer.join().expect("the writer").is_err(), "a server that reads on");
    println!("  then it ends with status 0");
}

/// Each line causes a line of the log; the pipe holds a few hundred of them.
pub(crate) fn an_unread_log(_: Form) {
    let (mut server, stdin, stdout) = Server::start_with_unread_log(&["--log", "debug"]);
    let writer = thread::spawn(move || {
        let mut output = BufWriter::new(stdin);
        (0..MANY).try_for_each(|_| writeln!(output, "}}"))?;
        output.flush()
    });
    let mut lines = Lines::new(stdout);
    let mut line = Vec::new();
    let mut count = 0;
    while lines.next(&mut line) {
        assert_eq!(line, PARSE_ERROR);
        count += 1;
    }
    writer.join().expect("the writer").expect("a server that reads");
    assert_eq!(count, MANY);
    server.ends_well();
    println!("  {count} lines of garbage, each answered");
}

pub(crate) fn terminated_while_idle(_: Form) {
    let (mut server, mut stdin, stdout) = Server::start(&[]);
    writeln!(stdin, "{PING}").expect("a server that reads");
    let mut lines = Lines::new(stdout);
    let mut line = Vec::new();
    assert!(lines.next(&mut line) && line == PONG);
    server.terminate();
    server.ends_terminated();
    assert!(!lines.next(&mut line) && line.is_empty());
    println!("  ended by the signal, nothing more written");
}

pub(crate) fn terminated_under_load(_: Form) {
    let (mut server, stdin, stdout) = Server::start(&[]);
    let writer = thread::spawn(move || write(usize::MAX, &mut BufWriter::new(stdin)));
    let mut tally = Tally::new(1 << 24);
    let mut lines = Lines::new(stdout);
    let mut line = Vec::new();
    while lines.next(&mut line) {
        tally.note(&line);
        if tally.answers == MANY {
            server.terminate();
        }
    }
    server.ends_terminated();
    assert!(writer.join().expect("the writer").is_err());
    println!(
        "  ended by the signal; {} answers, none twice; {} bytes of a line that was cut",
        tally.answers,
        line.len()
    );
}

pub(crate) fn terminated_while_blocked(_: Form) {
    let (mut server, stdin, mut stdout) = Server::start(&[]);
    let writer = fill(&server, stdin);
    server.terminate();
    server.ends_terminated();
    assert!(writer.join().expect("the writer").is_err());
    let mut rest = Vec::new();
    stdout.read_to_end(&mut rest).expect("what was in the pipe");
    let mut tally = Tally::new(MANY);
    let mut lines = Lines::new(&rest[..]);
    let mut line = Vec::new();
    while lines.next(&mut line) {
        tally.note(&line);
    }
    println!(
        "  ended by the signal; {} answers in the pipe, none twice; {} bytes of a line that was cut",
        tally.answers,
        line.len()
    );
}

/// The client goes away at each byte of a message.
pub(crate) fn closed_within_a_line(_: Form) {
    for cut in 0..=PING.len() {
        let (mut server, mut stdin, stdout) = Server::start(&[]);
        write!(stdin, "{PING}\n{}", &PING[..cut]).expect("a server that reads");
        drop(stdin);
        let expected: &[&[u8]] = match cut {
            0 => &[PONG],
            _ if cut == PING.len() => &[PONG, PONG],
            _ => &[PONG, PARSE_ERROR],
        };
        let mut lines = Lines::new(stdout);
        let mut line = Vec::new();
        for expected in expected {
            assert!(lines.next(&mut line) && line == *expected, "cut at {cut}");
        }
        assert!(!lines.next(&mut line) && line.is_empty(), "cut at {cut}");
        server.ends_well();
    }
    println!("  {} cuts, each answered, status 0", PING.len() + 1);
}
