//! Every input up to a size, in the place of a model checker: strings, envelopes, splits of a stream. Each is judged by the
//! crate and by an oracle of `tests/support`; the first difference ends the run.
//!
//! `cargo bench --bench exhaustive` takes the short form of all, `-- long` the long one; other words name the parts to run.
//! Each part prints how many inputs it tried.

#[path = "../../tests/support/mod.rs"]
pub mod support;

mod envelopes;
mod splits;
mod strings;

use std::num::NonZero;
use std::thread;
use std::time::Instant;

/// How far an enumeration goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Short,
    Long,
}

/// One enumeration: its name, and what it does, which says how many inputs that were.
type Part = (&'static str, fn(Form) -> Vec<Tried>);

const PARTS: &[Part] = &[("strings", strings::run), ("envelopes", envelopes::run), ("splits", splits::run)];

/// What was tried, and how many of it.
struct Tried {
    what: String,
    count: u64,
}

fn main() {
    // Cargo passes `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let form = match words.iter().any(|word| word == "long") {
        true => Form::Long,
        false => Form::Short,
    };
    let names: Vec<&String> = words.iter().filter(|word| *word != "long").collect();
    for name in &names {
        assert!(PARTS.iter().any(|(part, _)| part == name), "no part is called {name}");
    }
    let mut count = 0;
    for (name, run) in PARTS {
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        let start = Instant::now();
        for tried in run(form) {
            println!("{name}: {:>13} {}", tried.count, tried.what);
            count += tried.count;
        }
        println!("{name}: {:.1} s", start.elapsed().as_secs_f64());
    }
    println!("{count} inputs, no difference");
}

/// Runs `work` on 0 to `count` exclusive, on as many threads as there are processors.
fn in_parallel(count: usize, work: impl Fn(usize) + Sync) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for first in 0..threads {
            let work = &work;
            scope.spawn(move || (first..count).step_by(threads).for_each(work));
        }
    });
}
