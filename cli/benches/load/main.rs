//! `barewire serve` under load and under attack, as a process with real pipes.
//!
//! `cargo bench -p barewire-cli --bench load` takes the short form, `-- long` the long one; other words are parts of the
//! names of the runs. Each line of the output is one run: its input, its output, its duration, and the growth of the
//! memory of the server (on Linux only). A run that fails ends the program.

mod attacks;
mod client;
mod ends;
mod flood;
mod mixed;

/// Amount of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Short,
    Long,
}

/// A run: its name and its function.
type Part = (&'static str, fn(Form));

const PARTS: &[Part] = &[
    ("mixed requests", mixed::at_full_speed),
    ("mixed requests, a reader that is slow", mixed::with_a_slow_reader),
    ("a reader that stops, and goes on", ends::a_reader_that_goes_on),
    ("a reader that stops, and goes away", ends::a_reader_that_goes_away),
    ("a log that nobody reads", ends::an_unread_log),
    ("SIGTERM while idle", ends::terminated_while_idle),
    ("SIGTERM under load", ends::terminated_under_load),
    ("SIGTERM while the output is full", ends::terminated_while_blocked),
    ("the input closed within a line", ends::closed_within_a_line),
];

fn main() {
    // Cargo passes `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let form = match words.iter().any(|word| word == "long") {
        true => Form::Long,
        false => Form::Short,
    };
    let wanted: Vec<String> = words.into_iter().filter(|word| word != "long").collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word));
    if !client::has_memory_figures() {
        println!("SKIPPED: the memory of a process is known on Linux only");
    }
    let mut count = 0;
    for (name, run) in PARTS.iter().filter(|(name, _)| is_wanted(name)) {
        println!("{name}");
        run(form);
        count += 1;
    }
    for attack in attacks::all().filter(|attack| is_wanted(attack.name)) {
        flood::run(attack, form);
        count += 1;
    }
    assert!(count > 0, "nothing has such a name");
    println!("{count} passed, 0 failed");
}
