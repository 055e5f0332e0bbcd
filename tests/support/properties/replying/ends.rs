//! How a call ends that is not answered with a result.

use barewire::engine::{CallError, Outcome};
use barewire::json::RawValue;
use barewire::mcp::{ClientCapabilities, ProtocolVersion};
use barewire::rpc::ErrorCode;
use serde_json::{Value, json};

use super::Kind;
use crate::support::entropy::Entropy;

/// What a handler returns.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    Done,
    InvalidParams,
    NotFound,
    Internal,
    Busy,
    IdTooLong,
    Failed(&'static str),
    Refused(i64, &'static str, Option<&'static str>),
    /// Of roots, and of sampling too.
    Missing(bool),
}

const TEXTS: [&str; 4] = ["no", "", "not \"today\"\n", "é\u{1}"];

pub(super) fn end(entropy: &mut Entropy<'_>) -> End {
    match entropy.below(16) {
        8 => End::InvalidParams,
        9 => End::NotFound,
        10 => End::Internal,
        11 => End::Busy,
        12 => End::IdTooLong,
        13 => End::Failed(entropy.pick(&TEXTS)),
        14 => {
            let code = entropy.pick(&[7, -32042, i64::MIN]);
            let data = entropy.once_in(2).then_some("{\"d\": [1]}");
            End::Refused(code, entropy.pick(&TEXTS), data)
        }
        15 => End::Missing(entropy.once_in(2)),
        _ => End::Done,
    }
}

impl End {
    /// The outcome of a handler that has written a result.
    pub(super) fn of(self, outcome: Outcome) -> Result<Outcome, CallError<'static>> {
        self.as_error().map(|()| outcome)
    }

    /// As the error of a handler.
    pub(super) fn as_error(self) -> Result<(), CallError<'static>> {
        Err(match self {
            Self::Done => return Ok(()),
            Self::InvalidParams => CallError::InvalidParams,
            Self::NotFound => CallError::NotFound,
            Self::Internal => CallError::Internal,
            Self::Busy => CallError::Busy,
            Self::IdTooLong => CallError::IdTooLong,
            Self::Failed(text) => CallError::Failed(text),
            Self::Refused(code, message, data) => CallError::Refused {
                code: ErrorCode(code),
                message,
                data: data.map(|data| RawValue::new(data.as_bytes()).expect("a value")),
            },
            Self::Missing(is_sampling) => {
                let mut missing = ClientCapabilities::ROOTS;
                missing.set(ClientCapabilities::SAMPLING, is_sampling);
                CallError::MissingCapability(missing)
            }
        })
    }

    /// The result of a tool that failed so, if that is a matter of the tool.
    pub(super) fn as_tool_failure(self, version: ProtocolVersion) -> Option<String> {
        match self {
            Self::Failed(text) => Some(text.to_owned()),
            Self::Missing(is_sampling) if version < ProtocolVersion::V2026_07_28 => {
                let name = if is_sampling { "sampling" } else { "roots" };
                Some(format!("Missing required client capability: {name}"))
            }
            _ => None,
        }
    }

    /// The error of the protocol.
    pub(super) fn as_protocol_error(self, kind: Kind, version: ProtocolVersion, uri: &str) -> Value {
        let is_modern = version == ProtocolVersion::V2026_07_28;
        let (code, message, data) = match self {
            Self::InvalidParams => (-32602, "Invalid params", None),
            Self::NotFound => match kind {
                Kind::Tool => (-32602, "Unknown tool", None),
                Kind::Prompt => (-32602, "Unknown prompt", None),
                Kind::Completion => (-32602, "Invalid params", None),
                Kind::Read if is_modern => (-32602, "Resource not found", Some(json!({"uri": uri}))),
                Kind::Read => (-32002, "Resource not found", None),
            },
            Self::Busy => (-32603, "Server busy", None),
            Self::IdTooLong => (-32603, "Request id too long", None),
            // A code that one revision has.
            Self::Refused(-32042, ..) if version != ProtocolVersion::V2025_11_25 => {
                (-32603, "Internal error", None)
            }
            Self::Refused(code, message, data) => {
                let data = data.map(|data| serde_json::from_str(data).expect("a value"));
                (code, message, data)
            }
            Self::Missing(is_sampling) => {
                let mut required = json!({"roots": {}});
                if is_sampling {
                    required["sampling"] = json!({});
                }
                let code = if is_modern { -32021 } else { -32603 };
                let data = json!({"requiredCapabilities": required});
                (code, "Missing required client capability", Some(data))
            }
            _ => (-32603, "Internal error", None),
        };
        let mut error = json!({"code": code, "message": message});
        if let Some(data) = data {
            error["data"] = data;
        }
        error
    }
}
