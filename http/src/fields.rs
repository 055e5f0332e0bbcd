//! Header fields of responses.

use barewire::transport::http::FieldValue;
use http::{HeaderMap, HeaderName, HeaderValue};

/// Adds a field. The core makes names and values that HTTP allows.
pub(crate) fn add_field(headers: &mut HeaderMap, name: &str, value: FieldValue<'_>) {
    let value = match value.as_str() {
        Some(text) => HeaderValue::from_str(text),
        None => HeaderValue::try_from(value.to_string()),
    };
    if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), value) {
        headers.append(name, value);
    }
}
