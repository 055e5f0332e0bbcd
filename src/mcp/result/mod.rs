//! Check of a result against the schema of its method.
//!
//! The walk keeps its own stack, since the crate does not recurse: shapes nest at most [`DEPTH`] levels.

mod error;
mod shape;
mod shapes;
// Several members in a line: the tables are easier to compare so.
#[rustfmt::skip]
mod tables;

use heapless::Vec;

pub use error::{ResultError, ResultFault};

use self::error::Step;
use self::shape::{DEPTH, Field, Is, Shape};
use super::{Method, ProtocolVersion};
use crate::json::{Elements, Members, Object, RawValue};

/// Checks the result of a client's request against the schema of its method.
///
/// - A member that the schema requires must be there. (The cache members `ttlMs` and `cacheScope` have defaults, and the
///   times of a task are for people: these may be missing.)
/// - A known member must be of the right kind. An optional member that is `null` counts as absent, as deployed servers
///   mean it.
/// - A known member must not occur twice, however its name is spelled: two parsers could disagree on its value.
///
/// Known members are those of the result, of the entries of its list, and of its messages, content blocks and resource
/// contents. Other members, unknown types of content, and the values of schemas, `structuredContent`, `_meta` and the
/// like are not checked; nor is `resultType`, which the engine itself handles, nor the result of a method that only
/// servers send.
///
/// The engine does not check results. Call this function on
/// [`ClientOutcome::Result`](crate::engine::client::ClientOutcome::Result) and `ToolError` before you treat an absent member as an
/// empty one. Linear in the length of the result.
///
/// # Errors
/// [`ResultError`], which names the first fault and is displayed as a sentence.
///
/// ```
/// use barewire::json::RawValue;
/// use barewire::mcp::{Method, ProtocolVersion, check_result};
///
/// # fn main() -> Result<(), barewire::json::Error> {
/// let check = |method, text: &'static str| {
///     let result = RawValue::new(text.as_bytes()).unwrap().as_object().unwrap();
///     check_result(method, ProtocolVersion::V2025_11_25, result).map_err(|error| error.to_string())
/// };
/// assert_eq!(check(Method::ToolsCall, r#"{"content":[{"type":"text","text":"21.5"}]}"#), Ok(()));
/// for (method, text, error) in [
///     (Method::ToolsCall, r#"{"toolResult":{}}"#, "`content` is missing: it must be an array"),
///     (Method::ToolsCall, r#"{"content":[],"isError":"false"}"#, "`isError` is a string, but must be a boolean"),
///     (Method::ToolsList, r#"{"tools":[{},null]}"#, "`tools[0].name` is missing: it must be a string"),
///     (Method::ToolsList, r#"{"tools":[],"nextCursor":"a","next\u0043ursor":"b"}"#, "`nextCursor` occurs twice"),
/// ] {
///     assert_eq!(check(method, text), Err(error.to_string()));
/// }
/// # Ok(())
/// # }
/// ```
pub fn check_result(method: Method, version: ProtocolVersion, result: Object<'_>) -> Result<(), ResultError> {
    let mut walk = Walk { open: Vec::new() };
    match shapes::of_result(method, version) {
        Some(shape) => walk.object(shape, result),
        None => Ok(()),
    }
}

/// The open objects and arrays, from the outermost to the innermost.
struct Walk<'a> {
    open: Vec<Open<'a>, DEPTH>,
}

/// An open object or array: its place, and the part not yet walked.
enum Open<'a> {
    Members {
        shape: Shape,
        members: Members<'a>,
        /// A bit for each field that was seen.
        seen: u32,
        at: Step,
    },
    Elements {
        is: &'static Is,
        elements: Elements<'a>,
        at: u32,
    },
}

impl<'a> Walk<'a> {
    /// Walks `object` and everything in it.
    fn object(&mut self, shape: Shape, object: Object<'a>) -> Result<(), ResultError> {
        self.enter(shape, object);
        while let Some(open) = self.open.last_mut() {
            let next = match open {
                Open::Members { shape, members, seen, at } => next_member(shape, members, seen, at),
                Open::Elements { is, elements, at } => Ok(next_element(is, elements, at)),
            };
            let fault = match next {
                Ok(Some((is, value))) => self.value(is, value).err(),
                Ok(None) => {
                    self.open.pop();
                    None
                }
                Err(fault) => Some(fault),
            };
            if let Some(fault) = fault {
                return Err(self.error(fault));
            }
        }
        Ok(())
    }

    /// Checks the kind of one value, and opens it if its inside must be checked.
    fn value(&mut self, is: &'static Is, value: RawValue<'a>) -> Result<(), ResultFault> {
        if !is.fits(value) {
            return Err(ResultFault::WrongKind { expected: is.name(), found: value.kind() });
        }
        if let (Is::Array(is), Some(array)) = (is, value.as_array()) {
            self.push(Open::Elements {
                is,
                elements: array.elements(),
                // The first step reaches the first element.
                at: u32::MAX,
            });
        } else if let Some((shape, object)) = shapes::of_value(is, value) {
            self.enter(shape, object);
        }
        Ok(())
    }

    fn enter(&mut self, shape: Shape, object: Object<'a>) {
        self.push(Open::Members { shape, members: object.members(), seen: 0, at: Step::None });
    }

    fn push(&mut self, open: Open<'a>) {
        // A test walks all shapes: none nests deeper.
        let pushed = self.open.push(open);
        debug_assert!(pushed.is_ok(), "a shape nests deeper than DEPTH");
    }

    /// The error for `fault` at the current place.
    fn error(&self, fault: ResultFault) -> ResultError {
        let mut path = [Step::None; DEPTH];
        for (step, open) in path.iter_mut().zip(&self.open) {
            *step = match open {
                Open::Members { at, .. } => *at,
                Open::Elements { at, .. } => Step::Element(*at),
            };
        }
        ResultError { path, fault }
    }
}

/// The next member that must be checked. `None` at the end, if nothing is missing.
fn next_member<'a>(
    shape: Shape,
    members: &mut Members<'a>,
    seen: &mut u32,
    at: &mut Step,
) -> Result<Option<(&'static Is, RawValue<'a>)>, ResultFault> {
    for member in members {
        let mut fields = (0..u32::BITS).zip(shape);
        let Some((bit, field)) = fields.find(|(_, field)| member.name == *field.name) else {
            continue;
        };
        *at = Step::Member(&field.name);
        if *seen >> bit & 1 == 1 {
            return Err(ResultFault::Repeated);
        }
        *seen |= 1 << bit;
        if field.is_required || !member.value.is_null() {
            return Ok(Some((&field.is, member.value)));
        }
    }
    let is_missing = |(bit, field): &(u32, &'static Field)| field.is_required && *seen >> bit & 1 == 0;
    match (0..u32::BITS).zip(shape).find(is_missing) {
        None => Ok(None),
        Some((_, field)) => {
            *at = Step::Member(&field.name);
            Err(ResultFault::Missing { expected: field.is.name() })
        }
    }
}

fn next_element<'a>(
    is: &'static Is,
    elements: &mut Elements<'a>,
    at: &mut u32,
) -> Option<(&'static Is, RawValue<'a>)> {
    let value = elements.next()?;
    *at = at.wrapping_add(1);
    Some((is, value))
}
