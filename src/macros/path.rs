//! The place of a value in the arguments.

use crate::json::{AsText, Escaped, Object, RawValue};

/// The path of the value at this address in the arguments: `oven.plates[2].degrees`.
pub(super) struct Path<'a> {
    pub(super) arguments: Object<'a>,
    pub(super) address: usize,
}

/// The address of a value.
pub(super) fn address(value: RawValue<'_>) -> usize {
    value.as_bytes().as_ptr().addr()
}

impl Path<'_> {
    fn is_in(&self, value: RawValue<'_>) -> bool {
        self.address.checked_sub(address(value)).is_some_and(|place| place < value.as_bytes().len())
    }
}

impl AsText for Path<'_> {
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
        let mut value = self.arguments.as_value();
        let mut is_inner = false;
        loop {
            if let Some(object) = value.as_object() {
                let Some(member) = object.members().find(|member| self.is_in(member.value)) else {
                    return;
                };
                if is_inner {
                    string.plain(".");
                }
                member.name.write_inside(string);
                value = member.value;
            } else if let Some(array) = value.as_array() {
                let mut elements = array.elements().enumerate();
                let Some((place, element)) = elements.find(|(_, element)| self.is_in(*element)) else {
                    return;
                };
                string.plain("[");
                place.write_inside(string);
                string.plain("]");
                value = element;
            } else {
                return;
            }
            if address(value) == self.address {
                return;
            }
            is_inner = true;
        }
    }
}
