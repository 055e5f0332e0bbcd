//! The program with pipes that are set non-blocking, by its parent or by another process that shares them: nothing is lost,
//! no line is cut, and the exit status is that of ordinary pipes.
#![cfg(unix)]

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

const PROGRAM: &str = env!("CARGO_BIN_EXE_barewire");

/// Far longer than a test takes.
const LONGEST: Duration = Duration::from_secs(60);

/// The time at which the pipes are set non-blocking.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    Never,
    Before,
    /// While the program runs.
    Later,
}

const BOTH: &[When] = &[When::Before, When::Later];

#[derive(Debug, PartialEq)]
struct Outcome {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

fn set_non_blocking(pipe: &impl AsFd) {
    let flags = fcntl_getfl(pipe).expect("flags");
    fcntl_setfl(pipe, flags | OFlags::NONBLOCK).expect("a pipe that can be set");
}

/// The smallest size of a pipe, if the system lets it be chosen.
fn make_small(pipe: &impl AsFd) {
    #[cfg(target_os = "linux")]
    rustix::pipe::fcntl_setpipe_size(pipe, 4096).expect("a small pipe");
    #[cfg(not(target_os = "linux"))]
    let _ = pipe;
}

/// Writes in pieces, so that the program finds the pipe empty again and again.
fn feed(mut pipe: PipeWriter, input: Vec<u8>) -> JoinHandle<()> {
    thread::spawn(move || {
        for piece in input.chunks(20_000) {
            thread::sleep(Duration::from_millis(1));
            // If the program stops reading, its status shows that.
            if pipe.write_all(piece).is_err() {
                return;
            }
        }
    })
}

/// Begins late and reads in pieces, so that the program finds the pipe full again and again.
fn collect(mut pipe: PipeReader) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut all = Vec::new();
        let mut piece = vec![0; 3000];
        thread::sleep(Duration::from_millis(60));
        loop {
            match pipe.read(&mut piece).expect("a pipe") {
                0 => return all,
                count => all.extend_from_slice(&piece[..count]),
            }
            if all.len() % 7 == 0 {
                thread::sleep(Duration::from_millis(1));
            }
        }
    })
}

fn status(mut child: Child) -> Option<i32> {
    let end = Instant::now() + LONGEST;
    loop {
        match child.try_wait().expect("the status of the process") {
            Some(status) => return status.code(),
            None if Instant::now() > end => {
                let _ = child.kill();
                let _ = child.wait();
                panic!("the process does not end");
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// Runs the program to its end, slowly.
fn run(arguments: &[&str], input: &[u8], when: When) -> Outcome {
    let (its_input, to_input) = io::pipe().expect("a pipe");
    let (from_output, its_output) = io::pipe().expect("a pipe");
    let (from_diagnostics, its_diagnostics) = io::pipe().expect("a pipe");
    make_small(&its_output);
    make_small(&its_diagnostics);
    let set = {
        let input = its_input.try_clone().expect("a pipe");
        let output = its_output.try_clone().expect("a pipe");
        let diagnostics = its_diagnostics.try_clone().expect("a pipe");
        move || {
            set_non_blocking(&input);
            set_non_blocking(&output);
            set_non_blocking(&diagnostics);
        }
    };
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments)
        .stdin(Stdio::from(its_input))
        .stdout(Stdio::from(its_output))
        .stderr(Stdio::from(its_diagnostics));
    if when == When::Before {
        set();
    }
    let child = command.spawn().expect("the program");
    // Its ends of the pipes.
    drop(command);
    let feeding = feed(to_input, input.to_vec());
    let stdout = collect(from_output);
    let stderr = collect(from_diagnostics);
    if when == When::Later {
        thread::sleep(Duration::from_millis(30));
        set();
    }
    // The command keeps its ends of the pipes open.
    drop(set);
    let code = status(child);
    feeding.join().expect("the input");
    Outcome {
        code,
        stdout: stdout.join().expect("the output"),
        stderr: stderr.join().expect("the diagnostics"),
    }
}

/// Expects the same output as with ordinary pipes, in each mode.
fn assert_nothing_is_lost(arguments: &[&str], input: &[u8], least: usize, ways: &[When]) {
    let expected = run(arguments, input, When::Never);
    assert!(expected.stdout.len() >= least, "{arguments:?}: {} bytes are no test", expected.stdout.len());
    for when in ways {
        let found = run(arguments, input, *when);
        assert_eq!(found.code, expected.code, "{arguments:?} {when:?}: {}", text(&found.stderr));
        assert!(
            found.stdout == expected.stdout,
            "{arguments:?} {when:?}: {} bytes of {}",
            found.stdout.len(),
            expected.stdout.len()
        );
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Calls of `echo`, half a megabyte of them.
fn echoes() -> Vec<u8> {
    let long = "0123456789".repeat(80);
    let call = |id| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{id} {long}"}}}}}}"#
        ) + "\n"
    };
    (0..600).map(call).collect::<String>().into_bytes()
}

#[test]
fn serve_answers_everything() {
    assert_nothing_is_lost(&["serve"], &echoes(), 500_000, BOTH);
}

#[test]
fn the_log_of_serve_has_whole_lines() {
    let outcome = run(&["serve", "--log", "debug"], &b"{\n".repeat(2000), When::Before);
    assert_eq!(outcome.code, Some(0));
    let log = text(&outcome.stderr);
    assert!(log.len() > 4096 && log.ends_with('\n'), "{log}");
    for line in log.lines() {
        // Lines that do not fit are left out, and the log says so.
        let is_whole = line.ends_with("lines of the log were lost") || line.contains("invalid message: ");
        assert!(is_whole, "{line}");
    }
}

#[test]
fn classify_classifies_everything() {
    assert_nothing_is_lost(&["classify", "--json"], &echoes(), 30_000, BOTH);
    assert_nothing_is_lost(&["classify", "--whole"], &echoes(), 10, BOTH);
}

#[test]
fn call_prints_all_of_a_result() {
    let argument = ["text=", &"0123456789".repeat(6000)].concat();
    let arguments = ["call", "--tool", "echo", "--arg", &argument, "--", PROGRAM, "serve"];
    assert_nothing_is_lost(&arguments, b"", 60_000, BOTH);
}

#[test]
fn tap_forwards_and_shows_everything() {
    let arguments = ["tap", "--json", "--", PROGRAM, "serve"];
    assert_nothing_is_lost(&arguments, &echoes(), 500_000, BOTH);
    let log = |when| {
        let outcome = run(&arguments, &echoes(), when);
        let log = text(&outcome.stderr);
        for line in log.lines() {
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(line);
            assert!(parsed.is_ok(), "{line}");
        }
        log.lines().count()
    };
    assert_eq!(log(When::Before), log(When::Never));
}

#[test]
fn check_shows_all_of_its_table() {
    let arguments = ["check", "--quick", "--", PROGRAM, "serve"];
    assert_nothing_is_lost(&arguments, b"", 3000, &[When::Before]);
}

#[test]
fn long_texts_are_written_whole() {
    assert_nothing_is_lost(&["man"], b"", 4096, BOTH);
    assert_nothing_is_lost(&["call", "--help"], b"", 1000, &[When::Before]);
    assert_nothing_is_lost(&["completions", "bash"], b"", 4096, BOTH);
}
