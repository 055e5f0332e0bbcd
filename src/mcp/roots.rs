//! The directories that a server may work in (MCP roots).

use crate::json::{Array, JsonStr, Object};

/// What a client answers to `roots/list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roots<'a> {
    roots: Array<'a>,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root<'a> {
    /// Its URI, `file://` and a path.
    pub uri: JsonStr<'a>,
    /// A name for people.
    pub name: Option<JsonStr<'a>>,
}

impl<'a> Roots<'a> {
    /// Of the result of `roots/list`; `None` when it is none. Linear in its length.
    pub fn of(result: Object<'a>) -> Option<Self> {
        let roots = result.get_once("roots").ok()??.as_array()?;
        Some(Self { roots })
    }

    /// The roots, in the client's order; what is no root is left out.
    pub fn iter(self) -> impl Iterator<Item = Root<'a>> {
        self.roots.elements().filter_map(|root| {
            let [uri, name] = root.as_object()?.get_each(["uri", "name"]).ok()?;
            Some(Root {
                uri: uri?.as_string()?,
                name: name.and_then(|name| name.as_string()),
            })
        })
    }
}
