//! The head of an HTTP request, as a trait: method, path, fields.

/// The head of an HTTP request.
///
/// An implementation is a view of a parsed request. It has judged the syntax of HTTP; it does not judge the fields.
pub trait Head {
    /// The method, such as `POST`.
    fn method(&self) -> &str;

    /// The path of the target, without the query.
    fn path(&self) -> &str;

    /// Host and port of the target, if the request names them beside the fields: the absolute form of HTTP/1.1, `:authority` of HTTP/2. The
    /// field `Host` is then ignored.
    fn authority(&self) -> Option<&str> {
        None
    }

    /// The values of all fields with this name, in their order. `name` is in lower case; names of fields have no case.
    fn values<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h [u8]>;

    /// The value of a field that may occur once, without spaces and tabs around it.
    ///
    /// # Errors
    /// [`FieldFault`]: the field occurs twice, or its value has bytes that are not printable ASCII.
    fn once<'h>(&'h self, name: &'h str) -> Result<Option<&'h str>, FieldFault> {
        let mut values = self.values(name);
        let Some(value) = values.next() else {
            return Ok(None);
        };
        if values.next().is_some() {
            return Err(FieldFault::Repeated);
        }
        let is_text = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
        match core::str::from_utf8(value) {
            Ok(text) if value.iter().all(is_text) => Ok(Some(text.trim_matches([' ', '\t']))),
            _ => Err(FieldFault::NotText),
        }
    }
}

/// Fault of a field that may occur once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum FieldFault {
    /// The field occurs more than once.
    Repeated,
    /// The value has a control character, or a byte that is not ASCII.
    NotText,
}
