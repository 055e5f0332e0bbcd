//! The check of a call's arguments against the declared parameters.

use core::fmt;

use heapless::Vec;

use super::MAX_SCHEMA_DEPTH;
use super::parameter::{Parameter, Type};
use crate::bytes::Wide;
use crate::json::{Elements, JsonStr, Members, Number, NumberError, Object, RawValue};

/// Why arguments do not fit the parameters, and which member it is about.
///
/// ```
/// use barewire::json::{Object, RawValue};
/// use barewire::mcp::{Fault, Named, Parameter, Tool, Type};
///
/// const DIM: Tool<'_> = Tool::new("dim", "Dims the lamp.")
///     .with_parameters(&[Parameter::required("percent", Type::integer_in(0, 100))]);
///
/// # fn main() -> Result<(), barewire::json::Error> {
/// let arguments = RawValue::new(br#"{"percent":101}"#)?.as_object().unwrap_or(Object::EMPTY);
/// let error = DIM.check(arguments).unwrap_err();
/// assert_eq!((error.member, error.fault), (Named::Declared("percent"), Fault::OutOfRange));
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
    /// The member: as declared, or as sent where it is not known.
    pub member: Named<'a>,
    /// What is wrong with it.
    pub fault: Fault,
}

/// The name of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Named<'a> {
    /// As the tool declares it.
    Declared(&'a str),
    /// As the peer sent it.
    Sent(JsonStr<'a>),
}

/// What is wrong with an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Fault {
    /// It is required and not there.
    Missing,
    /// It is not declared.
    Unknown,
    /// It is there twice.
    Repeated,
    /// A string is wanted.
    NotAString,
    /// The parameter takes an integer: a number without a fraction, such as `5` or `5.0`, but not a string of digits.
    NotAnInteger,
    /// A number is wanted.
    NotANumber,
    /// `true` or `false` is wanted.
    NotABoolean,
    /// An array is wanted.
    NotAnArray,
    /// An object is wanted.
    NotAnObject,
    /// It is none of the choices.
    NotAChoice,
    /// It is outside its range.
    OutOfRange,
    /// The string is too short or too long.
    WrongLength,
    /// The array has too few or too many elements.
    WrongCount,
}

impl Fault {
    /// A phrase that a model can act on.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "is missing",
            Self::Unknown => "is not known",
            Self::Repeated => "occurs twice",
            Self::NotAString => "must be a string",
            Self::NotAnInteger => "must be an integer",
            Self::NotANumber => "must be a number",
            Self::NotABoolean => "must be true or false",
            Self::NotAnArray => "must be an array",
            Self::NotAnObject => "must be an object",
            Self::NotAChoice => "is none of the allowed values",
            Self::OutOfRange => "is out of range",
            Self::WrongLength => "is too short or too long",
            Self::WrongCount => "has too few or too many elements",
        }
    }
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

/// One object or array that is open. Six words at most: what is longer, the compiler copies by a function of 0.7 KiB.
struct Level<'t, 'a> {
    /// Which parameters of an object came, bit by bit.
    seen: Wide,
    ty: &'t Type<'a>,
    /// Whose value it is, or is in. `None` for the outermost object.
    parameter: Option<&'a Parameter<'a>>,
    /// Place after the last member or element that was checked, or after the opening bracket.
    place: usize,
}

const _: () = assert!(size_of::<Level<'_, '_>>() <= 6 * size_of::<usize>());

impl<'t, 'a> Level<'t, 'a> {
    /// The next value in `text`, and what is declared of it; `None` at the end of the level.
    fn next(&mut self, text: &'a [u8]) -> Result<Option<Declared<'t, 'a>>, ArgumentError<'a>> {
        match (*self.ty, self.parameter) {
            (
                Type::Object {
                    parameters,
                    allow_unknown,
                },
                _,
            ) => {
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
            // Nothing else is opened.
            _ => Ok(None),
        }
    }
}

/// The parameter that a value belongs to, its type, and the value.
type Declared<'t, 'a> = (&'a Parameter<'a>, &'t Type<'a>, RawValue<'a>);

/// Checks `arguments`. Iterative, one pass over each level's text, so linear for a given declaration; what is open is
/// kept in a stack of the depth that declarations may have, which must not lie below the call itself.
#[inline(never)]
pub(super) fn check<'a>(
    arguments: Object<'a>,
    parameters: &'a [Parameter<'a>],
    allow_unknown: bool,
) -> Result<(), ArgumentError<'a>> {
    let text = arguments.as_bytes();
    let outermost = Type::Object {
        parameters,
        allow_unknown,
    };
    let mut levels: Vec<Level<'_, 'a>, { MAX_SCHEMA_DEPTH + 1 }> = Vec::new();
    let mut opened = Some((&outermost, None, 0_usize));
    loop {
        if let Some((ty, parameter, bracket)) = opened.take() {
            // Declarations are no deeper than the stack.
            let _ = levels.push(Level {
                seen: Wide::new(0),
                ty,
                parameter,
                place: bracket.saturating_add(1),
            });
        }
        let Some(level) = levels.last_mut() else {
            return Ok(());
        };
        let Some((parameter, ty, value)) = level.next(text)? else {
            levels.pop();
            continue;
        };
        // An optional argument that is `null` counts as absent, since no type takes `null`. Elements of an array are
        // not optional.
        if value.is_null() && !parameter.is_required() && core::ptr::eq(ty, &raw const parameter.ty) {
            continue;
        }
        if let Err(fault) = fits(ty, value) {
            return Err(ArgumentError {
                member: Named::Declared(parameter.name()),
                fault,
            });
        }
        if let Type::Array { .. } | Type::Object { .. } = ty {
            let bracket = level.place.saturating_sub(value.as_bytes().len());
            opened = Some((ty, Some(parameter), bracket));
        }
    }
}

/// The parameter of that name; `None` for an unknown one that is allowed.
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
                return Err(ArgumentError {
                    member: Named::Declared(parameter.name()),
                    fault: Fault::Repeated,
                });
            }
            *seen |= bit;
            return Ok(Some(parameter));
        }
        bit <<= 1;
    }
    if allow_unknown {
        return Ok(None);
    }
    Err(ArgumentError {
        member: Named::Sent(name),
        fault: Fault::Unknown,
    })
}

fn all_required<'a>(parameters: &'a [Parameter<'a>], seen: u64) -> Result<(), ArgumentError<'a>> {
    let mut bit: u64 = 1;
    for parameter in parameters {
        if parameter.is_required() && seen & bit == 0 {
            return Err(ArgumentError {
                member: Named::Declared(parameter.name()),
                fault: Fault::Missing,
            });
        }
        bit <<= 1;
    }
    Ok(())
}

/// Whether the value is what the type takes; what it holds is still to be walked.
fn fits(ty: &Type<'_>, value: RawValue<'_>) -> Result<(), Fault> {
    match *ty {
        Type::String {
            min_length,
            max_length,
        } => {
            let string = value.as_string().ok_or(Fault::NotAString)?;
            if (min_length, max_length) != (0, u32::MAX) {
                within(string.chars().count(), min_length, max_length, Fault::WrongLength)?;
            }
        }
        Type::Choice(values) => {
            let string = value.as_string().ok_or(Fault::NotAString)?;
            if !values.iter().any(|choice| string == **choice) {
                return Err(Fault::NotAChoice);
            }
        }
        Type::Integer { minimum, maximum } => {
            let number = value.as_number().ok_or(Fault::NotAnInteger)?;
            match number.to_i64() {
                Ok(integer) if (minimum..=maximum).contains(&integer) => {}
                Err(NumberError::NotAnInteger) => return Err(Fault::NotAnInteger),
                _ => return Err(Fault::OutOfRange),
            }
        }
        Type::Number { minimum, maximum } => {
            let number = value.as_number().ok_or(Fault::NotANumber)?;
            let below = |bound: Number<'_>| number.compare(bound).is_lt();
            let above = |bound: Number<'_>| number.compare(bound).is_gt();
            if minimum.is_some_and(below) || maximum.is_some_and(above) {
                return Err(Fault::OutOfRange);
            }
        }
        Type::Boolean => {
            value.as_bool().ok_or(Fault::NotABoolean)?;
        }
        Type::Array {
            min_items, max_items, ..
        } => {
            let array = value.as_array().ok_or(Fault::NotAnArray)?;
            if (min_items, max_items) != (0, u32::MAX) {
                within(array.elements().count(), min_items, max_items, Fault::WrongCount)?;
            }
        }
        Type::Object { .. } => {
            value.as_object().ok_or(Fault::NotAnObject)?;
        }
    }
    Ok(())
}

fn within(count: usize, least: u32, most: u32, fault: Fault) -> Result<(), Fault> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    if count < least || count > most {
        return Err(fault);
    }
    Ok(())
}
