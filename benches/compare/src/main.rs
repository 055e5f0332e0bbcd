//! Classification beside other parsers: `cargo run --release` prints the first table of docs/speed.md.
//!
//! Every contender judges the whole text and says kind, id and method. First all must agree on every message, and refuse
//! what is no JSON; then they are timed in rounds, one after the other in each round, and the medians are compared.
//!
//! Options: `--rounds N` (41), `--all` for the times of every contender, `--quick` for a smoke run, `--repeat N` for
//! N turns of barewire alone, `--list` for the classes, `--hostile` for messages that are made to be slow; other words are parts
//! of the names of the classes to run.

mod c;
mod contenders;
mod corpus;

use std::hint::black_box;
use std::time::Instant;

use contenders::{Contender, Seen};
use corpus::{Class, Line, Order};

/// Texts that are no JSON, by the grammar (RFC 8259) or the encoding.
const BROKEN: &[&[u8]] = &[
    br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":01}}"#,
    br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1.}}"#,
    br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[1 2]}}"#,
    br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":tru}}"#,
    br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\x"}}"#,
    br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\u12g4"}}"#,
    br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[1}}"#,
    br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a" 1}}"#,
    b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\x01\"}}",
    b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\xFF\"}}",
    br#"{"jsonrpc":"2.0","id":1,"method":"x"} x"#,
    br#"{"jsonrpc":"2.0","id":1,"method":"x""#,
];

/// Whether a contender refuses all of [`BROKEN`].
pub fn judges_strictly(contender: &mut dyn Contender) -> bool {
    BROKEN.iter().all(|text| {
        let mut padded = text.to_vec();
        padded.resize(text.len() + Line::PADDING, 0);
        contender.judge(&padded[..text.len()]).is_none()
    })
}

/// The time of one message in nanoseconds, contender by contender.
struct Row {
    class: &'static str,
    order: Order,
    bytes: usize,
    times: Vec<f64>,
}

fn agree(contenders: &mut [Box<dyn Contender>], class: &Class) -> Vec<bool> {
    let (first, others) = contenders.split_first_mut().expect("barewire");
    let mut able = vec![true; others.len() + 1];
    for line in &class.lines {
        let expected = first.judge(line.bytes()).expect("a valid message");
        for (at, other) in others.iter_mut().enumerate() {
            let seen = other.judge(line.bytes());
            let expected = match other.knows_method() {
                true => expected,
                false => Seen { method: None, ..expected },
            };
            if seen != Some(expected) {
                if able[at + 1] && other.is_strict() {
                    println!("# {} says {seen:?} of {}, not {expected:?}", other.name(), class.name);
                }
                able[at + 1] = false;
            }
        }
    }
    able
}

fn time(contender: &mut dyn Contender, lines: &[Line], repeat: usize) -> f64 {
    let start = Instant::now();
    for _ in 0..repeat {
        for line in lines {
            black_box(contender.judge(black_box(line.bytes())));
        }
    }
    start.elapsed().as_secs_f64() * 1e9 / (repeat * lines.len()) as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The median of each contender.
fn medians(contenders: &mut [Box<dyn Contender>], lines: &[Line], rounds: usize) -> Vec<f64> {
    // About 0.2 ms a turn, so that an interrupt spoils few of them.
    let repeats: Vec<usize> = contenders
        .iter_mut()
        .map(|contender| {
            let once = time(contender.as_mut(), lines, 1) * lines.len() as f64;
            (200_000.0 / once).max(1.0) as usize
        })
        .collect();
    let mut times = vec![Vec::new(); contenders.len()];
    for _ in 0..rounds {
        for (at, contender) in contenders.iter_mut().enumerate() {
            times[at].push(time(contender.as_mut(), lines, repeats[at]));
        }
    }
    times.into_iter().map(median).collect()
}

fn measure(contenders: &mut [Box<dyn Contender>], class: &Class, order: Order, rounds: usize) -> Row {
    let able = agree(contenders, class);
    // Many lines in pieces, for the same reason.
    let pieces = class.lines.chunks(200);
    let count = pieces.len() as f64;
    let mut times = vec![0.0; contenders.len()];
    for piece in pieces {
        for (time, median) in times.iter_mut().zip(medians(contenders, piece, rounds)) {
            *time += median / count;
        }
    }
    Row {
        class: class.name,
        order,
        bytes: class.mean_length(),
        times: times.into_iter().zip(able).map(|(time, able)| if able { time } else { f64::NAN }).collect(),
    }
}

/// The index and the time of the fastest of those that `wanted` says.
fn fastest(row: &Row, wanted: impl Fn(usize) -> bool) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for (at, time) in row.times.iter().enumerate().skip(1) {
        if wanted(at) && *time < best.1 {
            best = (at, *time);
        }
    }
    best
}

fn machine() {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        cpu.lines()
            .find(|line| line.starts_with(name))
            .and_then(|line| line.split_once(": "))
            .map_or(String::new(), |(_, value)| value.to_string())
    };
    let flags = field("flags");
    let has = |flag: &str| {
        if flags.split(' ').any(|word| word == flag) { format!(", {flag}") } else { String::new() }
    };
    println!(
        "# {}, family {} model {}{}{}; compiled for {}{}",
        field("model name"),
        field("cpu family"),
        field("model\t"),
        has("avx2"),
        has("avx512bw"),
        std::env::consts::ARCH,
        if cfg!(target_feature = "avx2") { " with AVX2" } else { "" },
    );
    let lock = include_str!("../Cargo.lock");
    let version = |name: &str| {
        let wanted = format!("name = \"{name}\"");
        let mut lines = lock.lines().skip_while(|line| *line != wanted);
        let version = lines.nth(1).and_then(|line| line.split('"').nth(1));
        format!("{name} {}", version.unwrap_or("?"))
    };
    let names = [
        "barewire",
        "rmcp",
        "serde_json",
        "sonic-rs",
        "simd-json",
        "jiter",
        "jsonrpsee-types",
        "lsp-server",
        "serde-json-core",
        "yyjson-sys",
        "simdjson-sys",
    ];
    println!("# {}", names.map(version).join(", "));
}

/// The time of a byte on hostile messages, and how it compares to the mixed session.
fn hostile(rounds: usize) {
    let time_of_a_byte = |lines: &[Line]| {
        let length: usize = lines.iter().map(|line| line.bytes().len()).sum();
        let times = (0..rounds).map(|_| {
            let start = Instant::now();
            for line in lines {
                let _ = black_box(barewire::classify(black_box(line.bytes())));
            }
            start.elapsed().as_secs_f64() * 1e9 / length as f64
        });
        median(times.collect())
    };
    let session = corpus::classes(Order::IdFirst).pop().expect("the session is the last");
    let pieces = session.lines.chunks(200);
    let count = pieces.len() as f64;
    let usual: f64 = pieces.map(|piece| time_of_a_byte(piece) / count).sum();
    println!("| hostile message | ns a byte | to the session ({usual:.3}) |");
    println!("|---|---|---|");
    for class in corpus::hostile() {
        let time = time_of_a_byte(&class.lines);
        println!("| {} | {time:.3} | {:.1} |", class.name, time / usual);
    }
}

/// Nothing but barewire, so many times each line: for a profiler, or to count instructions.
fn classify_only(times: usize, words: &[String]) {
    for class in corpus::classes(Order::IdFirst) {
        if words.iter().any(|word| class.name.contains(word.as_str())) {
            // The best of ten: what is counted or profiled is steady, what is timed may be interrupted.
            let turn = || {
                let before = Instant::now();
                for _ in 0..times {
                    for line in &class.lines {
                        black_box(barewire::classify(black_box(line.bytes()))).expect("a message");
                    }
                }
                before.elapsed().as_secs_f64() * 1e9 / (times * class.lines.len()) as f64
            };
            let best = (0..10).map(|_| turn()).fold(f64::INFINITY, f64::min);
            println!("{:40} {best:10.1} ns", class.name);
        }
    }
}

fn main() {
    let mut rounds = 41;
    let (mut every, mut list, mut repeat, mut words) = (false, false, None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        match word.as_str() {
            "--all" => every = true,
            "--list" => list = true,
            "--hostile" => return hostile(rounds),
            "--repeat" => repeat = arguments.next().and_then(|n| n.parse().ok()),
            "--quick" => rounds = 3,
            "--rounds" => rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(rounds),
            _ => words.push(word),
        }
    }
    if list {
        for class in corpus::classes(Order::IdFirst) {
            println!("{}|{}|{}", class.name, class.mean_length(), class.lines.len());
        }
        return;
    }
    if let Some(times) = repeat {
        return classify_only(times, &words);
    }
    let mut contenders = contenders::all();
    machine();
    let strict: Vec<bool> =
        contenders.iter_mut().map(|contender| judges_strictly(contender.as_mut())).collect();
    for (contender, strict) in contenders.iter().zip(&strict) {
        if !strict {
            println!("# {} takes texts that are no JSON: no measure", contender.name());
        }
    }
    assert!(strict[0]);
    let rust: Vec<bool> = contenders.iter().map(|contender| contender.is_rust()).collect();
    let names: Vec<&str> = contenders.iter().map(|contender| contender.name()).collect();
    println!(
        "| message | order | bytes | fastest other | ns | best in Rust | rmcp | barewire | ns | to the best in Rust |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for order in Order::BOTH {
        for class in corpus::classes(order) {
            if !words.is_empty() && !words.iter().any(|word| class.name.contains(word.as_str())) {
                continue;
            }
            let row = measure(&mut contenders, &class, order, rounds);
            let (who, best) = fastest(&row, |at| strict[at]);
            let (who_in_rust, in_rust) = fastest(&row, |at| strict[at] && rust[at]);
            println!(
                "| {} | {} | {} | {} | {:.0} | {:.2} | {:.1} | {:.2} | {:.0} | {:.2}, {} |",
                row.class,
                row.order.name(),
                row.bytes,
                names[who],
                best,
                in_rust / best,
                row.times[1] / best,
                row.times[0] / best,
                row.times[0],
                row.times[0] / in_rust,
                names[who_in_rust],
            );
            if every {
                for (name, time) in names.iter().zip(&row.times) {
                    println!("#   {name:20} {time:12.1} ns");
                }
            }
        }
    }
}
