//! The check of arguments against the declared parameters.

use core::fmt;

use heapless::Vec;

use super::parameter::{MAX_SCHEMA_DEPTH, Parameter, Type};
use crate::bytes::Wide;
use crate::json::{Elements, JsonStr, Members, Number, NumberError, Object, RawValue};

/// The first fault of the arguments of a call.
///
/// ```
/// use barewire::json::{Object, RawValue};
/// use barewire::mcp::{ArgumentFault, Named, Parameter, Tool, Type};
///
/// const DIM: Tool<'_> = Tool::new("dim", "Dims the lamp.")
///     .with_parameters(&[Parameter::required("percent", Type::integer_in(0, 100))]);
///
/// # fn main() -> Result<(), barewire::json::Error> {
/// let arguments = RawValue::new(br#"{"percent":101}"#)?.as_object().unwrap_or(Object::EMPTY);
/// let error = DIM.check(arguments).unwrap_err();
/// assert_eq!((error.member, error.fault), (Named::Declared("percent"), ArgumentFault::OutOfRange));
/// assert_eq!(error.to_string(), "percent: is out of range");
///
/// let arguments = RawValue::new(br#"{"percent":50,"colour":"red"}"#)?.as_object().unwrap_or(Object::EMPTY);
/// assert_eq!(DIM.check(arguments).unwrap_err().to_string(), "colour: is not known");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ArgumentError<'a> {
    /// The name of the argument: as declared, or as sent if it is unknown.
    pub member: Named<'a>,
    /// The kind of the fault.
    pub fault: ArgumentFault,
}

/// The name of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Named<'a> {
    /// The name in the declaration.
    Declared(&'a str),
    /// The name that the peer sent.
    Sent(JsonStr<'a>),
}

/// Makes the type [`ArgumentFault`] out of the faults and their texts.
macro_rules! faults {
    ($($(#[$about:meta])* $fault:ident => $text:literal,)*) => {
        /// The kinds of faults of an argument.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[non_exhaustive]
        pub enum ArgumentFault {
            $($(#[$about])* $fault,)*
        }

        impl ArgumentFault {
            /// A phrase that a model can act on.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$fault => $text,)*
                }
            }
        }
    };
}

faults! {
    /// A required argument is missing.
    Missing => "is missing",
    /// The argument is not declared.
    Unknown => "is not known",
    /// The argument occurs twice.
    Repeated => "occurs twice",
    /// The parameter takes a string.
    NotAString => "must be a string",
    /// The parameter takes an integer: a number without a fraction, such as `5` or `5.0`, but not a string of digits.
    NotAnInteger => "must be an integer",
    /// The parameter takes a number.
    NotANumber => "must be a number",
    /// The parameter takes `true` or `false`.
    NotABoolean => "must be true or false",
    /// The parameter takes an array.
    NotAnArray => "must be an array",
    /// The parameter takes an object.
    NotAnObject => "must be an object",
    /// The string is none of the choices.
    NotAChoice => "is none of the allowed values",
    /// The number is outside the range.
    OutOfRange => "is out of range",
    /// The string is too short or too long.
    WrongLength => "is too short or too long",
    /// The array has too few or too many elements.
    WrongCount => "has too few or too many elements",
}

impl fmt::Display for ArgumentError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.member {
            Named::Declared(name) => f.write_str(name)?,
            Named::Sent(name) => write!(f, "{name}")?,
        }
        write!(f, ": {}", self.fault.as_str())
    }
}

/// An open object or array. At most six words: longer values are copied by a function of 0.7 KiB.
pub(super) struct Level<'t, 'a> {
    /// A bit for each parameter of an object that was seen.
    seen: Wide,
    pub(super) ty: &'t Type<'a>,
    /// The parameter that the value belongs to. `None` for the outermost object.
    pub(super) parameter: Option<&'a Parameter<'a>>,
    /// The place after the last checked member or element, or after the opening bracket.
    place: usize,
}

const _: () = assert!(size_of::<Level<'_, '_>>() <= 6 * size_of::<usize>());

impl<'t, 'a> Level<'t, 'a> {
    /// A value of this type, which begins at this place of the text.
    pub(super) const fn new(ty: &'t Type<'a>, parameter: Option<&'a Parameter<'a>>, place: usize) -> Self {
        Self { seen: Wide::new(0), ty, parameter, place: place.saturating_add(1) }
    }

    /// The next value in `text` and its declaration. `None` at the end of the level.
    pub(super) fn next(&mut self, text: &'a [u8]) -> Result<Option<Declared<'t, 'a>>, ArgumentError<'a>> {
        match (*self.ty, self.parameter) {
            (Type::Object { parameters, allow_unknown }, _) => {
                let mut members = Members::from_place(text, self.place);
                let mut seen = self.seen.get();
                while let Some(member) = members.next() {
                    let parameter = known(member.name, parameters, allow_unknown, &mut seen)?;
                    (self.place, self.seen) = (members.place(), Wide::new(seen));
                    if let Some(parameter) = parameter {
                        return Ok(Some((parameter, &parameter.ty, member.value)));
                    }
                }
                all_required(parameters, seen)?;
                Ok(None)
            }
            (Type::Array { items, .. }, Some(parameter)) => {
                let mut elements = Elements::from_place(text, self.place);
                let element = elements.next();
                self.place = elements.place();
                Ok(element.map(|element| (parameter, items, element)))
            }
            // No other type is opened.
            _ => Ok(None),
        }
    }
}

/// The parameter that a value belongs to, its type, and the value.
pub(super) type Declared<'t, 'a> = (&'a Parameter<'a>, &'t Type<'a>, RawValue<'a>);

/// Checks `arguments` against an object type.
#[inline(always)]
pub(super) fn check<'a>(arguments: Object<'a>, outermost: &Type<'a>) -> Result<(), ArgumentError<'a>> {
    check_inside(arguments.as_bytes(), outermost, None)
}

/// Checks the inside of a value against its type. Iterative, with one pass over the text of each level, so linear for a given
/// declaration. The open levels are in a fixed stack.
// Not inlined: 200 bytes less stack in the servers of the footprint; it is freed before the tool runs.
#[inline(never)]
pub(super) fn check_inside<'a>(
    text: &'a [u8],
    outermost: &Type<'a>,
    parameter: Option<&'a Parameter<'a>>,
) -> Result<(), ArgumentError<'a>> {
    let mut levels: Vec<Level<'_, 'a>, { MAX_SCHEMA_DEPTH + 1 }> = Vec::new();
    let mut opened = Some((outermost, parameter, 0_usize));
    loop {
        if let Some((ty, parameter, bracket)) = opened.take() {
            // Declarations are no deeper than the stack.
            let _ = levels.push(Level::new(ty, parameter, bracket));
        }
        let Some(level) = levels.last_mut() else {
            return Ok(());
        };
        let Some((parameter, ty, value)) = level.next(text)? else {
            levels.pop();
            continue;
        };
        if is_absent(parameter, ty, value) {
            continue;
        }
        fits(ty, value).map_err(|kind| fault(parameter, kind))?;
        if let Type::Array { .. } | Type::Object { .. } = ty {
            let bracket = level.place.saturating_sub(value.as_bytes().len());
            opened = Some((ty, Some(parameter), bracket));
        }
    }
}

/// Whether the value counts as an absent argument: an optional one that is `null`, since no type takes `null`. Elements of an array are not
/// optional.
pub(super) fn is_absent(parameter: &Parameter<'_>, ty: &Type<'_>, value: RawValue<'_>) -> bool {
    value.is_null() && !parameter.is_required() && core::ptr::eq(ty, &raw const parameter.ty)
}

/// The parameter with the given name. `None` for an unknown one that is allowed.
fn known<'a>(
    name: JsonStr<'a>,
    parameters: &'a [Parameter<'a>],
    allow_unknown: bool,
    seen: &mut u64,
) -> Result<Option<&'a Parameter<'a>>, ArgumentError<'a>> {
    let mut bit: u64 = 1;
    for parameter in parameters {
        if name == parameter.name() {
            if *seen & bit != 0 {
                return Err(fault(parameter, ArgumentFault::Repeated));
            }
            *seen |= bit;
            return Ok(Some(parameter));
        }
        bit <<= 1;
    }
    match allow_unknown {
        true => Ok(None),
        false => Err(ArgumentError { member: Named::Sent(name), fault: ArgumentFault::Unknown }),
    }
}

fn all_required<'a>(parameters: &'a [Parameter<'a>], seen: u64) -> Result<(), ArgumentError<'a>> {
    let mut bit: u64 = 1;
    for parameter in parameters {
        if parameter.is_required() && seen & bit == 0 {
            return Err(fault(parameter, ArgumentFault::Missing));
        }
        bit <<= 1;
    }
    Ok(())
}

/// The error of a declared argument.
const fn fault<'a>(parameter: &Parameter<'a>, fault: ArgumentFault) -> ArgumentError<'a> {
    ArgumentError { member: Named::Declared(parameter.name()), fault }
}

/// Whether the value is of the given type. Its inside is not checked.
pub(super) fn fits(ty: &Type<'_>, value: RawValue<'_>) -> Result<(), ArgumentFault> {
    match *ty {
        Type::String { min_length, max_length } => {
            let string = value.as_string().ok_or(ArgumentFault::NotAString)?;
            if (min_length, max_length) != (0, u32::MAX) {
                within(string.chars().count(), min_length, max_length, ArgumentFault::WrongLength)?;
            }
        }
        Type::Choice(values) => {
            let string = value.as_string().ok_or(ArgumentFault::NotAString)?;
            if !values.iter().any(|choice| string == **choice) {
                return Err(ArgumentFault::NotAChoice);
            }
        }
        Type::Integer { minimum, maximum } => {
            let number = value.as_number().ok_or(ArgumentFault::NotAnInteger)?;
            match number.to_i64() {
                Ok(integer) if (minimum..=maximum).contains(&integer) => {}
                Err(NumberError::NotAnInteger) => return Err(ArgumentFault::NotAnInteger),
                _ => return Err(ArgumentFault::OutOfRange),
            }
        }
        Type::Number { minimum, maximum } => {
            let number = value.as_number().ok_or(ArgumentFault::NotANumber)?;
            let below = |bound: Number<'_>| number.compare(bound).is_lt();
            let above = |bound: Number<'_>| number.compare(bound).is_gt();
            if minimum.is_some_and(below) || maximum.is_some_and(above) {
                return Err(ArgumentFault::OutOfRange);
            }
        }
        Type::Boolean => {
            value.as_bool().ok_or(ArgumentFault::NotABoolean)?;
        }
        Type::Array { min_items, max_items, .. } => {
            let array = value.as_array().ok_or(ArgumentFault::NotAnArray)?;
            if (min_items, max_items) != (0, u32::MAX) {
                within(array.elements().count(), min_items, max_items, ArgumentFault::WrongCount)?;
            }
        }
        Type::Object { .. } => {
            value.as_object().ok_or(ArgumentFault::NotAnObject)?;
        }
    }
    Ok(())
}

fn within(count: usize, least: u32, most: u32, fault: ArgumentFault) -> Result<(), ArgumentFault> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    if count < least || count > most {
        return Err(fault);
    }
    Ok(())
}
