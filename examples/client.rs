//! A client in a few lines: lists the tools of a server, calls some, and prints results and errors.
//!
//! ```sh
//! cargo run --features std --example client
//! cargo run --features std --example client -- some-server --with-arguments
//! ```
//!
//! Without a command, cargo builds and runs the server `barewire serve`.

use std::env;
use std::process::{Command, ExitCode};
use std::time::Duration;

use barewire::mcp::LoggingLevel;
use barewire::{Client, ClientError};
use serde_json::json;

fn main() -> ExitCode {
    match show(&mut server()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Command of the server.
fn server() -> Command {
    let mut arguments = env::args_os().skip(1);
    match arguments.next() {
        Some(program) => {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
        None => {
            let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let mut command = Command::new(cargo);
            command.args(["run", "--quiet", "--package", "barewire-cli", "--", "serve"]);
            command.current_dir(env!("CARGO_MANIFEST_DIR"));
            command
        }
    }
}

fn show(command: &mut Command) -> Result<(), ClientError> {
    let mut server = Client::builder()
        .name("example", "1.0")
        .timeout(Duration::from_secs(10))
        // Long enough for cargo to build the server first.
        .probe_timeout(Duration::from_secs(300))
        .on_log(LoggingLevel::Warning, |log| eprintln!("{}: {}", log.level.as_str(), log.data))
        .connect(command)?;
    println!("{} speaks {}", server.server_info().name(), server.protocol_version());

    let mut is_demo = false;
    for tool in server.tools() {
        let tool = tool?;
        println!("{}: {}", tool.name(), tool.description().unwrap_or("no description"));
        is_demo |= tool.name() == "slow";
    }
    if is_demo {
        call(&mut server)?;
    }
    println!("{}", server.close()?);
    Ok(())
}

/// Calls tools of the demo server.
fn call(server: &mut Client) -> Result<(), ClientError> {
    let sum: i64 = server.call_tool("add", json!({"a": 2, "b": 3}))?.parse()?;
    println!("2 + 3 = {sum}");

    match server.call_tool("add", json!({"a": 2})) {
        Ok(result) => println!("{}", result.text()),
        Err(ClientError::Tool(text)) => println!("the tool failed: {text}"),
        Err(other) => return Err(other),
    }

    let slow = server.tool("slow").arguments(json!({"ms": 200}));
    let slow = slow.on_progress(|progress| println!("{} of 10", progress.progress)).call()?;
    println!("{}", slow.text());

    let slow = server.tool("slow").arguments(json!({"ms": 60_000}));
    match slow.timeout(Duration::from_millis(500)).call() {
        Ok(result) => println!("{}", result.text()),
        Err(ClientError::TimedOut) => println!("too slow: cancelled"),
        Err(other) => return Err(other),
    }
    Ok(())
}
