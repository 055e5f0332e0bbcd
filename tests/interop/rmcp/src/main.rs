//! Lets the checks drive rmcp: commands come as lines of JSON, each is answered with one.
//!
//! ```text
//! barewire-interop-rmcp REVISION MODE DECLARES COMMAND ARG...
//! ```
//!
//! DECLARES is `all` that the SDK can answer, or `nothing`.
//!
//! An answer is `{"ok": VALUE}`, `{"error": {code, message, data}}` for a protocol error that the SDK reported, or
//! `{"failure": TEXT}` for anything else.

mod answers;
mod client;
mod listener;
mod tasks;

use std::error::Error;

use client::Client;
use rmcp::ServiceError;
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [revision, mode, declares, program, rest @ ..] = arguments.as_slice() else {
        return Err("usage: REVISION MODE DECLARES COMMAND ARG...".into());
    };
    let mut client = Client::connect(revision, mode, declares, program, rest).await?;
    println!("{}", json!({ "ok": client.about()? }));
    while let Some(line) = next_line().await? {
        let command: Value = serde_json::from_str(&line)?;
        if command["op"] == "close" {
            break;
        }
        println!("{}", answer(client.run(&command).await));
    }
    client.close().await?;
    println!("{}", json!({ "ok": "closed" }));
    Ok(())
}

/// Reads on a thread of its own, so that the client lives on meanwhile.
async fn next_line() -> Result<Option<String>, Box<dyn Error>> {
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    })
    .await??;
    Ok(Some(line).filter(|line| !line.is_empty()))
}

/// An outcome as the checks read it.
pub(crate) fn answer(outcome: Result<Value, Box<dyn Error>>) -> Value {
    match outcome {
        Ok(value) => json!({ "ok": value }),
        Err(error) => match error.downcast_ref::<ServiceError>() {
            Some(ServiceError::McpError(error)) => json!({ "error": error }),
            _ => json!({ "failure": error.to_string() }),
        },
    }
}
