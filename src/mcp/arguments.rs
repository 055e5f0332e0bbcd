//! The check of a call's arguments against the declared parameters.

use core::fmt;

use heapless::Vec;

use super::MAX_SCHEMA_DEPTH;
use super::parameter::{Parameter, Type};
use crate::json::{Elements, JsonStr, Members, Number, Object, RawValue};

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
    /// An integer is wanted: no fraction, no exponent, no string with digits.
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

/// One level of the walk. Six words: what is longer, the compiler copies by a function of 0.7 KiB.
enum Open<'a> {
    Object {
        members: Members<'a>,
        parameters: &'a [Parameter<'a>],
        allow_unknown: bool,
    },
    Array {
        elements: Elements<'a>,
        items: &'a Type<'a>,
        parameter: &'a Parameter<'a>,
    },
}

const _: () = assert!(size_of::<Open<'_>>() <= 6 * size_of::<usize>());

/// The levels that are open, and for each of them which parameters came, bit by bit.
struct Levels<'a> {
    open: Vec<Open<'a>, { MAX_SCHEMA_DEPTH + 1 }>,
    seen: Vec<u64, { MAX_SCHEMA_DEPTH + 1 }>,
}

impl<'a> Levels<'a> {
    /// Declarations are no deeper than the stack.
    fn push(&mut self, open: Open<'a>) {
        let _ = self.open.push(open);
        let _ = self.seen.push(0);
    }

    fn pop(&mut self) {
        self.open.pop();
        self.seen.pop();
    }
}

/// Checks `arguments`. Iterative, one pass over each level's text, so linear for a given declaration; what is open is
/// kept in a stack of the depth that declarations may have, which must not lie below the call itself.
#[inline(never)]
pub(super) fn check<'a>(
    arguments: Object<'a>,
    parameters: &'a [Parameter<'a>],
    allow_unknown: bool,
) -> Result<(), ArgumentError<'a>> {
    let mut levels = Levels {
        open: Vec::new(),
        seen: Vec::new(),
    };
    levels.push(object(arguments, parameters, allow_unknown));
    while let (Some(top), Some(seen)) = (levels.open.last_mut(), levels.seen.last_mut()) {
        let next = match top {
            Open::Object {
                members,
                parameters,
                allow_unknown,
            } => match members.next() {
                Some(member) => known(member.name, parameters, *allow_unknown, seen)?
                    .map(|parameter| (parameter, parameter.ty(), member.value)),
                None => {
                    all_required(parameters, *seen)?;
                    levels.pop();
                    continue;
                }
            },
            Open::Array {
                elements,
                items,
                parameter,
            } => match elements.next() {
                Some(element) => Some((*parameter, **items, element)),
                None => {
                    levels.pop();
                    continue;
                }
            },
        };
        let Some((parameter, ty, value)) = next else {
            continue;
        };
        match value_fits(parameter, ty, value) {
            Ok(None) => {}
            Ok(Some(inner)) => levels.push(inner),
            Err(fault) => {
                return Err(ArgumentError {
                    member: Named::Declared(parameter.name()),
                    fault,
                });
            }
        }
    }
    Ok(())
}

fn object<'a>(object: Object<'a>, parameters: &'a [Parameter<'a>], allow_unknown: bool) -> Open<'a> {
    Open::Object {
        members: object.members(),
        parameters,
        allow_unknown,
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
fn value_fits<'a>(
    parameter: &'a Parameter<'a>,
    ty: Type<'a>,
    value: RawValue<'a>,
) -> Result<Option<Open<'a>>, Fault> {
    match ty {
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
            if !number.is_integer() {
                return Err(Fault::NotAnInteger);
            }
            match number.to_i64() {
                Ok(integer) if (minimum..=maximum).contains(&integer) => {}
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
            items,
            min_items,
            max_items,
        } => {
            let array = value.as_array().ok_or(Fault::NotAnArray)?;
            if (min_items, max_items) != (0, u32::MAX) {
                within(array.elements().count(), min_items, max_items, Fault::WrongCount)?;
            }
            return Ok(Some(Open::Array {
                elements: array.elements(),
                items,
                parameter,
            }));
        }
        Type::Object {
            parameters,
            allow_unknown,
        } => {
            let inner = value.as_object().ok_or(Fault::NotAnObject)?;
            return Ok(Some(object(inner, parameters, allow_unknown)));
        }
    }
    Ok(None)
}

fn within(count: usize, least: u32, most: u32, fault: Fault) -> Result<(), Fault> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    if count < least || count > most {
        return Err(fault);
    }
    Ok(())
}
