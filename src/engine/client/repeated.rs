//! Members that occur twice where the client reads: two parsers could disagree on their value.

use crate::json::{Array, Member, Object, RawValue};

/// Largest number of members in an object whose names are compared. Each member costs a pass over the rest of the
/// object, so the time would not be linear without this limit. No object of the protocol has half as many.
const MOST_MEMBERS: u8 = 64;

/// Whether a member occurs twice in `object`, or in an object that is a member of it or an element of an array in it:
/// an entry of a list, for example, a block of a tool's content, or an input request. An object of more than
/// [`MOST_MEMBERS`] counts as one with a repeated member. Linear in the length of the text.
///
/// Unknown members are compared like others: a table of the known ones would cost a device more flash than the rest of
/// this check. The inside of `structuredContent` belongs to the application and is not compared.
pub(super) fn repeats(object: Object<'_>) -> bool {
    repeats_but(&[], object)
}

/// [`repeats`] without the `ignored` members of `object` itself.
pub(super) fn repeats_but(ignored: &[&str], object: Object<'_>) -> bool {
    let is_object_with_twins =
        |value: RawValue<'_>| value.as_object().is_some_and(|object| has_twins(&[], object));
    has_twins(ignored, object)
        || object.members().any(|Member { name, value }| {
            let array = value.as_array().unwrap_or(Array::EMPTY);
            name != *"structuredContent"
                && (is_object_with_twins(value) || array.elements().any(is_object_with_twins))
        })
}

/// Whether a member occurs twice in the object itself.
fn has_twins(ignored: &[&str], object: Object<'_>) -> bool {
    let mut rest = object.members();
    let mut left = MOST_MEMBERS;
    while let Some(member) = rest.next() {
        let is_twin = |other: Member<'_>| other.name == member.name;
        let is_compared = !ignored.iter().any(|name| member.name == **name);
        if left == 0 || is_compared && rest.clone().any(is_twin) {
            return true;
        }
        left = left.saturating_sub(1);
    }
    false
}
