//! Explanations of wrong arguments, with more than the check reports: the place of the fault, and the values that would fit.

use super::arguments::{ArgumentFault, Level, Named, check_inside, fits, is_absent};
use super::parameter::Type;
use crate::json::{AsText, Escaped, JsonStr, Object};

/// At most this many values of a choice are listed.
const MOST_CHOICES: usize = 16;

/// A text about the first argument that does not fit: `oven.plates[2].degrees: is out of range: 0 to 300`.
pub(crate) struct Explained<'a> {
    arguments: Object<'a>,
    ty: &'a Type<'a>,
}

impl<'a> Explained<'a> {
    /// The text about these arguments, which do not fit this type of an object.
    pub(super) const fn new(arguments: Object<'a>, ty: &'a Type<'a>) -> Self {
        Self { arguments, ty }
    }
}

impl AsText for Explained<'_> {
    fn write_inside(&self, string: &mut Escaped<'_, '_, '_>) {
        let mut text = self.arguments.as_bytes();
        let mut level = Level::new(self.ty, None, 0);
        let mut index = 0_usize;
        loop {
            let (parameter, ty, value) = match level.next(text) {
                Ok(Some(declared)) => declared,
                Ok(None) => return,
                Err(error) => {
                    match error.member {
                        Named::Declared(name) => write_name(string, &level, name),
                        Named::Sent(name) => write_name(string, &level, name),
                    }
                    string.plain(": ");
                    string.plain(error.fault.as_str());
                    return;
                }
            };
            let place = index;
            index = index.saturating_add(1);
            if is_absent(parameter, ty, value) {
                continue;
            }
            let fault = fits(ty, value).err();
            if fault.is_none()
                && !(ty.has_parts() && check_inside(value.as_bytes(), ty, Some(parameter)).is_err())
            {
                continue;
            }
            match *level.ty {
                Type::Array { .. } => {
                    string.plain("[");
                    place.write_inside(string);
                    string.plain("]");
                }
                _ => write_name(string, &level, parameter.name()),
            }
            if let Some(fault) = fault {
                string.plain(": ");
                write_fault(string, fault, ty);
                return;
            }
            (text, level, index) = (value.as_bytes(), Level::new(ty, Some(parameter), 0), 0);
        }
    }
}

/// Writes the name of a member, after the path of its object.
fn write_name(string: &mut Escaped<'_, '_, '_>, level: &Level<'_, '_>, name: impl AsText) {
    if level.parameter.is_some() {
        string.plain(".");
    }
    name.write_inside(string);
}

/// Writes the fault of a value of this type, and what would fit.
fn write_fault(string: &mut Escaped<'_, '_, '_>, fault: ArgumentFault, ty: &Type<'_>) {
    string.plain(fault.as_str());
    match (fault, *ty) {
        (ArgumentFault::OutOfRange, Type::Integer { minimum, maximum }) => {
            write_range(string, Some(minimum), Some(maximum));
        }
        (ArgumentFault::OutOfRange, Type::Number { minimum, maximum }) => {
            let [minimum, maximum] =
                [minimum, maximum].map(|bound| bound.map(|bound| JsonStr::from_valid(bound.as_bytes())));
            write_range(string, minimum, maximum);
        }
        (ArgumentFault::NotAString | ArgumentFault::NotAChoice, Type::Choice(values)) => {
            string.plain(": ");
            for (place, value) in values.iter().enumerate() {
                match place {
                    0 => {}
                    MOST_CHOICES => return string.plain(", …"),
                    _ => string.plain(", "),
                }
                string.plain(value);
            }
        }
        (ArgumentFault::WrongLength, Type::String { min_length, max_length }) => {
            write_limits(string, min_length, max_length, " characters");
        }
        (ArgumentFault::WrongCount, Type::Array { min_items, max_items, .. }) => {
            write_limits(string, min_items, max_items, " elements");
        }
        _ => {}
    }
}

fn write_limits(string: &mut Escaped<'_, '_, '_>, least: u32, most: u32, what: &str) {
    write_range(string, Some(least).filter(|least| *least > 0), Some(most).filter(|most| *most < u32::MAX));
    string.plain(what);
}

fn write_range(string: &mut Escaped<'_, '_, '_>, least: Option<impl AsText>, most: Option<impl AsText>) {
    string.plain(match (&least, &most) {
        (Some(_), None) => ": at least ",
        (None, Some(_)) => ": at most ",
        _ => ": ",
    });
    let has_both = least.is_some() && most.is_some();
    if let Some(least) = least {
        least.write_inside(string);
    }
    if has_both {
        string.plain(" to ");
    }
    if let Some(most) = most {
        most.write_inside(string);
    }
}
