//! Roots: the directories that a server may work in (MCP roots).

use crate::json::{Array, JsonStr, Object};

/// The result of `roots/list`.
///
/// ```
/// # fn main() -> Result<(), barewire::json::Error> {
/// use barewire::json::RawValue;
/// use barewire::mcp::Roots;
///
/// let result = RawValue::new(br#"{"roots":[{"uri":"file:///srv","name":"work"}]}"#)?.as_object();
/// let roots = result.and_then(Roots::of).unwrap();
/// assert!(roots.iter().all(|root| root.uri.starts_with("file://")));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roots<'a> {
    roots: Array<'a>,
}

/// A directory that the server may work in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Root<'a> {
    /// The URI: `file://` and a path.
    pub uri: JsonStr<'a>,
    /// A name for people.
    pub name: Option<JsonStr<'a>>,
}

impl<'a> Roots<'a> {
    /// Reads the result of `roots/list`. `None` if it is malformed, or if a member occurs twice in it, at any depth of a
    /// root. Linear in its length.
    pub fn of(result: Object<'a>) -> Option<Self> {
        Self::of_unique(result).filter(|roots| roots.roots.as_value().has_unique_names())
    }

    /// [`of`](Self::of) for a result that was checked for repeated members.
    pub(crate) fn of_unique(result: Object<'a>) -> Option<Self> {
        let roots = result.get_once("roots").ok()??.as_array()?;
        Some(Self { roots })
    }

    /// The roots, in the client's order, without malformed ones.
    pub fn iter(self) -> impl Iterator<Item = Root<'a>> {
        self.roots.elements().filter_map(|root| {
            let [uri, name] = root.as_object()?.get_each(["uri", "name"]).ok()?;
            Some(Root { uri: uri?.as_string()?, name: name.and_then(|name| name.as_string()) })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::RawValue;

    #[test]
    fn answers_well_formed_and_not() {
        // The URIs and names, or `None` for a value that is not an answer.
        let rows: &[(&str, Option<&str>)] = &[
            (r#"{"roots":[]}"#, Some("")),
            (
                r#"{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:\/\/\/b"}]}"#,
                Some("file:///a A, file:///b -, "),
            ),
            // Elements that are not roots are left out.
            (r#"{"roots":[7,null,{},{"uri":7},[],{"uri":"c","name":7},{"name":"d"}]}"#, Some("c -, ")),
            (r#"{"roots":{}}"#, None),
            (r#"{"roots":null}"#, None),
            (r#"{"Roots":[]}"#, None),
            (r#"{"roots":[],"roots":[]}"#, None),
            (r#"{"roots":[{"uri":"c"},{"uri":"a","uri":"b"}]}"#, None),
            ("{}", None),
        ];
        for (text, wanted) in rows {
            let answer = RawValue::new(text.as_bytes()).unwrap().as_object().unwrap();
            let found = Roots::of(answer).map(|roots| {
                let mut all = std::string::String::new();
                for root in roots.iter() {
                    let text =
                        |text: JsonStr<'_>| std::string::String::from_iter(text.chars().map(Result::unwrap));
                    all += &text(root.uri);
                    all += " ";
                    all += &root.name.map_or_else(|| "-".into(), text);
                    all += ", ";
                }
                all
            });
            assert_eq!(found.as_deref(), *wanted, "{text}");
        }
    }
}
