//! The command line of barewire.
#![forbid(unsafe_code)]

mod call;
mod check;
mod classify;
mod clock;
mod cursors;
mod generate;
mod json;
mod lines;
mod log;
mod seconds;
mod serve;
mod signals;
mod start;
mod streams;
mod tap;
mod terminal;
mod threads;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// Tools for the message layer of the Model Context Protocol (MCP).
#[derive(Parser)]
#[command(name = "barewire", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the demo tools, resources and prompts on standard input and output
    Serve(serve::Arguments),
    /// Start a server and send one request: list its tools, call one, read a resource, get a prompt
    Call(call::Arguments),
    /// Print the kind of each message: request, notification, response, or invalid and why
    Classify(classify::Arguments),
    /// Check a server for protocol conformance
    Check(check::Arguments),
    /// Forward everything between a client and a server unchanged, and show each message
    Tap(tap::Arguments),
    /// Write the completions for a shell
    Completions(generate::Completions),
    /// Write a manual page
    Man,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    let outcome = match arguments.command {
        Command::Serve(arguments) => serve::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Call(arguments) => call::run(&arguments),
        Command::Classify(arguments) => classify::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Tap(arguments) => tap::run(&arguments),
        Command::Completions(arguments) => generate::completions(&arguments, Arguments::command()),
        Command::Man => generate::man(Arguments::command()),
    };
    outcome.unwrap_or_else(|message| {
        terminal::note!("barewire: {message}");
        ExitCode::from(2)
    })
}

/// Prints help or the version as it is, and a usage error with escapes for characters of the arguments that a terminal
/// might obey.
fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        // Without colours, since control characters of an argument could not be told from those of a colour.
        let text = terminal::shown_lines(&error.render().to_string());
        let _ = streams::diagnostics().write_all(text.as_bytes());
    } else if io::stdout().is_terminal() {
        let _ = error.print();
    } else {
        let _ = streams::output().write_all(error.render().to_string().as_bytes());
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
