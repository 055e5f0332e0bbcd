//! Runs the commands in the documentation: each must print the lines shown below it.
#![cfg(unix)]

use std::env;
use std::path::Path;
use std::process::Command;

const FILES: [(&str, &str); 1] = [("docs/command-line.md", include_str!("../../docs/command-line.md"))];

/// A command, and the lines below it up to the next one.
fn examples(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut examples: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            examples.push((command, Vec::new()));
            is_open = true;
        } else if line.starts_with("```") {
            is_open = false;
        } else if let Some((_, output)) = examples.last_mut().filter(|_| is_open) {
            output.push(line);
        }
    }
    examples
}

/// Whether the line is the expected one; `…` stands for anything.
fn fits(line: &str, expected: &str) -> bool {
    match expected.split_once('…') {
        None => line == expected,
        Some((start, end)) => line.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
    }
}

#[test]
fn examples_print_what_is_shown() {
    let program = Path::new(env!("CARGO_BIN_EXE_barewire"));
    let mut path = program.parent().expect("a folder").as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let mut count = 0;
    for (file, text) in FILES {
        for (command, expected) in examples(text) {
            let output = Command::new("/bin/sh")
                .args(["-c", &format!("{{ {command}\n}} 2>&1")])
                .env("PATH", &path)
                .output()
                .expect("a shell");
            let printed = String::from_utf8(output.stdout).expect("UTF-8");
            if expected.is_empty() {
                assert!(output.status.success(), "{file}: {command}: {printed}");
                assert!(!printed.is_empty(), "{file}: {command}");
            } else {
                let lines: Vec<&str> = printed.lines().collect();
                assert_eq!(lines.len(), expected.len(), "{file}: {command}: {printed}");
                for (line, expected) in lines.into_iter().zip(expected) {
                    assert!(fits(line, expected), "{file}: {command}: {line}, not {expected}");
                }
            }
            count += 1;
        }
    }
    assert!(count > 8, "{count}");
}
