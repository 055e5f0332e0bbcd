//! One attack: its input, the answers, and whether the next honest request is served.

use std::io::{BufWriter, Result, Write};
use std::thread;
use std::time::{Duration, Instant};

use crate::Form;
use crate::client::{LONGEST, Lines, Server};

/// An attack of a hostile client.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    /// Size of the attack, the argument of `send` and `lines`.
    pub(crate) size: usize,
    /// Writes an attack of this size.
    pub(crate) send: fn(usize, &mut dyn Write) -> Result<()>,
    /// Number of lines that the server answers.
    pub(crate) lines: fn(usize) -> usize,
    /// Text in the last of these lines, if there is one.
    pub(crate) last: &'static str,
    /// Kilobytes that the server may need beyond those at its start.
    pub(crate) memory: u64,
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":"hello","method":"ping"}"#;
const HONEST: &str = r#"{"jsonrpc":"2.0","id":"honest","method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":1}}}"#;
const SERVED: &[u8] =
    br#"{"jsonrpc":"2.0","id":"honest","result":{"content":[{"type":"text","text":"2"}],"isError":false}}"#;

/// Result of one run.
struct Run {
    sent: usize,
    received: usize,
    lines: usize,
    memory: u64,
    time: Duration,
}

/// At a quarter of the size and at all of it: four times the work takes about four times as long, not sixteen times.
pub(crate) fn run(attack: &Attack, form: Form) {
    let size = match form {
        Form::Short => (attack.size / 10).max(8),
        Form::Long => attack.size,
    };
    let mut tries = 0;
    let whole = loop {
        let quarter = once(attack, size / 4);
        let whole = once(attack, size);
        // A machine that does other work interrupts the longer run more often: then it is tried again.
        let is_linear = whole.time <= quarter.time * 8 + Duration::from_millis(500);
        tries += 1;
        if is_linear {
            break whole;
        }
        assert!(tries < 3, "{}: {:?}, then {:?}", attack.name, quarter.time, whole.time);
    };
    println!(
        "{}: {size}, {} kB sent; {} lines, {} kB received; {:.2} s; {} kB more memory",
        attack.name,
        whole.sent / 1024,
        whole.lines,
        whole.received / 1024,
        whole.time.as_secs_f64(),
        whole.memory
    );
}

fn once(attack: &Attack, size: usize) -> Run {
    // Calls in flight are not waited for.
    let (mut server, stdin, stdout) = Server::start(&["--drain", "0"]);
    let mut input = BufWriter::with_capacity(1 << 16, stdin);
    let mut lines = Lines::new(stdout);
    let mut line = Vec::new();
    writeln!(input, "{HELLO}").and_then(|()| input.flush()).expect("a server that reads");
    assert!(lines.next(&mut line));
    let before = server.memory();
    let start = Instant::now();
    let send = attack.send;
    let writer = thread::spawn(move || {
        let mut counting = Counting { input, sent: 0 };
        send(size, &mut counting)?;
        let sent = counting.sent;
        writeln!(counting, "{HONEST}")?;
        counting.flush()?;
        Result::Ok((counting.input, sent))
    });
    let (mut count, mut received) = (0, 0);
    let mut last = Vec::new();
    loop {
        assert!(lines.next(&mut line), "{}: the output has ended", attack.name);
        assert!(start.elapsed() < LONGEST, "{}: it hangs", attack.name);
        if line == SERVED {
            break;
        }
        count += 1;
        received += line.len() + 1;
        core::mem::swap(&mut last, &mut line);
    }
    let time = start.elapsed();
    let memory = server.peak().saturating_sub(before);
    let (input, sent) = writer.join().expect("the writer").expect("a server that reads");
    assert_eq!(count, (attack.lines)(size), "{}: lines", attack.name);
    assert!(
        count == 0 || contains(&last, attack.last),
        "{}: {}",
        attack.name,
        last.get(..500).unwrap_or(&last).escape_ascii()
    );
    assert!(memory <= attack.memory, "{}: {memory} kB", attack.name);
    drop(input);
    // What is open may be ended with a line each.
    while lines.next(&mut line) {}
    server.ends_well();
    Run { sent, received, lines: count, memory, time }
}

fn contains(line: &[u8], text: &str) -> bool {
    line.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Counter of written bytes.
struct Counting<W> {
    input: W,
    sent: usize,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let count = self.input.write(bytes)?;
        self.sent += count;
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        self.input.flush()
    }
}
