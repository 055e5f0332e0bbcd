//! Repeated members in objects that the client reads: two parsers could disagree on their value.

use crate::json::{Array, JsonStr, Member, Object, RawValue};

/// Largest number of members in an object whose names are compared. A member may cost a pass over those before it, so the
/// time would not be linear without this limit. No object of the protocol has half as many.
const MOST_MEMBERS: usize = 64;

/// Whether a member occurs twice in `object`, or in an object that is a member of it or an element of an array in it:
/// an entry of a list, for example, a block of a tool's content, or an input request. An object of more than
/// [`MOST_MEMBERS`] counts as one with a repeated member. Linear in the length of the text.
///
/// Unknown members are compared like others: a table of the known ones would cost a device more flash than the rest of
/// this check. The inside of `structuredContent` belongs to the application and is not compared.
pub(super) fn repeats(object: Object<'_>) -> bool {
    let is_object_with_twins = |value: RawValue<'_>| value.as_object().is_some_and(has_twins);
    has_twins(object)
        || object.members().any(|Member { name, value }| {
            let array = value.as_array().unwrap_or(Array::EMPTY);
            name != *"structuredContent"
                && (is_object_with_twins(value) || array.elements().any(is_object_with_twins))
        })
}

/// Whether a member occurs twice in the object itself. A name is compared with those before it only if it shares a mark with
/// one of them, so that most objects take one pass.
fn has_twins(object: Object<'_>) -> bool {
    let mut seen = 0;
    for (before, member) in object.members().enumerate() {
        let mark = mark(member.name);
        let is_twin = |other: Member<'_>| other.name == member.name;
        if before >= MOST_MEMBERS || seen & mark != 0 && object.members().take(before).any(is_twin) {
            return true;
        }
        seen |= mark;
    }
    false
}

/// One bit of 32 for a name without escapes; a name with an escape may equal any other and has all bits.
fn mark(name: JsonStr<'_>) -> u32 {
    name.as_escaped().bytes().fold(1, |mark: u32, byte| match byte {
        b'\\' => u32::MAX,
        byte => mark.rotate_left(u32::from(byte)),
    })
}
