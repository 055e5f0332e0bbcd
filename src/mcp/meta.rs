//! `params._meta`: the metadata of a request.

use super::LoggingLevel;
use crate::json::{JsonStr, Kind, Object, RawValue, Repeated};

/// The keys that MCP reserves.
pub(crate) mod keys {
    pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    pub(crate) use crate::rpc::SUBSCRIPTION_ID;
    pub(crate) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
    pub(crate) const PROGRESS_TOKEN: &str = "progressToken";
}

/// The members of `_meta` that a server reads, unchecked.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Meta<'a> {
    version: Option<RawValue<'a>>,
    capabilities: Option<RawValue<'a>>,
    log_level: Option<RawValue<'a>>,
    progress_token: Option<RawValue<'a>>,
    /// A `_meta` that is neither an object nor `null`.
    is_malformed: bool,
}

impl<'a> Meta<'a> {
    /// Reads the params of a request, in one pass over them and one over `_meta`. Optional members may be `null`
    /// instead of absent.
    pub(crate) fn of(params: Option<Object<'a>>) -> Result<Self, Repeated> {
        let Some(meta) =
            params.map(|params| params.get_once("_meta")).transpose()?.flatten().and_then(RawValue::not_null)
        else {
            return Ok(Self::default());
        };
        let Some(meta) = meta.as_object() else {
            return Ok(Self { is_malformed: true, ..Self::default() });
        };
        let [version, capabilities, log_level, progress_token] = meta.get_each([
            keys::PROTOCOL_VERSION,
            keys::CLIENT_CAPABILITIES,
            keys::LOG_LEVEL,
            keys::PROGRESS_TOKEN,
        ])?;
        Ok(Self {
            version,
            capabilities,
            log_level: log_level.and_then(RawValue::not_null),
            progress_token: progress_token.and_then(RawValue::not_null),
            is_malformed: false,
        })
    }

    /// Whether a key shows the modern era, even if its value is malformed.
    pub(crate) const fn is_modern(&self) -> bool {
        self.version.is_some() || self.capabilities.is_some()
    }

    /// Whether `_meta` is of the wrong kind, or the progress token is neither a string nor a number.
    pub(crate) fn is_malformed(&self) -> bool {
        self.is_malformed || (self.progress_token.is_some() && self.progress_token().is_none())
    }

    /// The values of the two keys that a modern request must have, if both are of the right kind.
    pub(crate) fn modern(&self) -> Option<(JsonStr<'a>, Object<'a>)> {
        let version = self.version?.as_string()?;
        let capabilities = self.capabilities?.as_object()?;
        Some((version, capabilities))
    }

    /// The name of a modern request's revision, if it is a string.
    pub(crate) fn version(&self) -> Option<JsonStr<'a>> {
        self.version?.as_string()
    }

    /// The progress token: any string or number, echoed byte for byte.
    pub(crate) fn progress_token(&self) -> Option<RawValue<'a>> {
        let is_token = |token: &RawValue<'_>| matches!(token.kind(), Kind::String | Kind::Number);
        self.progress_token.filter(is_token)
    }

    /// The log level of a modern request.
    pub(crate) fn log_level(&self) -> Result<Option<LoggingLevel>, UnknownLevel> {
        let Some(level) = self.log_level else {
            return Ok(None);
        };
        match level.as_string().and_then(LoggingLevel::from_name) {
            Some(level) => Ok(Some(level)),
            None => Err(UnknownLevel),
        }
    }
}

/// Error for a log level that does not exist.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnknownLevel;
