//! Names that must differ.

use syn::{Error, LitStr};

use crate::errors::Errors;

/// Reports each name that an earlier one has, and where that is.
pub(super) fn check<'n>(names: impl Iterator<Item = &'n LitStr>, what: &str, errors: &mut Errors) {
    let mut seen: Vec<&LitStr> = Vec::new();
    for name in names {
        match seen.iter().find(|other| other.value() == name.value()) {
            Some(other) => {
                let message = format!("two {what} have the name `{}`", name.value());
                errors.add(Error::new(name.span(), message));
                errors.add(Error::new(other.span(), "the first one is here"));
            }
            None => seen.push(name),
        }
    }
}
