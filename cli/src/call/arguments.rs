//! The arguments of `barewire call`.

use std::ffi::OsString;
use std::time::Duration;

use barewire::mcp::ProtocolVersion;

use super::ids::Form;
use super::list::List;
use crate::seconds::seconds;

/// Arguments of `call`.
#[derive(clap::Args)]
#[command(
    after_help = "Without --list, --tool, --read or --prompt, the tools are listed. Progress and log messages go to standard \
    error.\nBefore a call, the arguments are checked against the server's list. A value that is JSON stands for itself, \
    unless the schema of the tool requires a string.\nExit status: 0 for a result, 1 if the tool has failed, 2 for an \
    error of the protocol, a result of the wrong shape, wrong usage, or a result that cannot be written, 3 without a \
    connection, 128 plus the number of a signal, which cancels the request and ends the server."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) request: Request,
    /// An argument; the value is read as the type in the tool's schema
    #[arg(long = "arg", value_name = "NAME=VALUE", conflicts_with = "args")]
    pub(super) arg: Vec<String>,
    /// All arguments, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub(super) args: Option<String>,
    /// Call without checking the arguments first
    #[arg(long)]
    pub(super) no_check: bool,
    /// Write the result, the error, or each entry of the list as a line of JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Seconds to wait for the answer
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(super) timeout: Duration,
    /// Seconds to wait for each answer of the handshake
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(super) connect_timeout: Duration,
    /// Seconds to wait for the first answer before the server counts as older than 2026-07-28
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub(super) probe_timeout: Duration,
    /// Use only this revision, e.g. 2025-06-18
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(super) protocol: Option<ProtocolVersion>,
    /// Form of the ids of requests
    #[arg(long, value_name = "FORM", default_value = "counter")]
    pub(super) ids: Form,
    /// The server: a program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(super) server: Vec<OsString>,
}

/// The request to send.
#[derive(clap::Args)]
#[group(multiple = false)]
pub(super) struct Request {
    /// List the tools, resources, templates or prompts
    #[arg(long, value_name = "LIST")]
    pub(super) list: Option<List>,
    /// Call this tool
    #[arg(long, value_name = "NAME")]
    pub(super) tool: Option<String>,
    /// Read this resource
    #[arg(long, value_name = "URI")]
    pub(super) read: Option<String>,
    /// Get this prompt
    #[arg(long, value_name = "NAME")]
    pub(super) prompt: Option<String>,
}

fn version(name: &str) -> Result<ProtocolVersion, String> {
    let known = ProtocolVersion::ALL;
    let found = known.into_iter().find(|version| version.as_str() == name);
    let names = || known.map(ProtocolVersion::as_str).join(", ");
    found.ok_or_else(|| format!("expected one of {}", names()))
}
