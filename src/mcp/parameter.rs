//! The parameters of a tool, declared once: the listed schema and the check of the arguments both come from them.

use super::MAX_SCHEMA_DEPTH;
use crate::json::{Number, RawValue, Writer};

/// One parameter of a tool, or one member of an object parameter.
///
/// ```
/// use barewire::mcp::{Parameter, Type};
///
/// const PARAMETERS: &[Parameter<'_>] = &[
///     Parameter::required("pin", Type::integer_in(0, 40)).with_description("GPIO number"),
///     Parameter::optional("mode", Type::Choice(&["blink", "hold"])),
/// ];
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter<'a> {
    name: &'a str,
    pub(super) ty: Type<'a>,
    required: bool,
    title: Option<&'a str>,
    description: Option<&'a str>,
}

/// What values a parameter takes. Nothing is coerced.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Type<'a> {
    /// A string with a number of characters in this range (Unicode code points, as in JSON Schema).
    String {
        /// The fewest.
        min_length: u32,
        /// The most.
        max_length: u32,
    },
    /// A string that is one of these.
    Choice(&'a [&'a str]),
    /// An integer in this range, in any spelling: `5`, `5.0` or `5e0`.
    Integer {
        /// The least.
        minimum: i64,
        /// The greatest.
        maximum: i64,
    },
    /// Any number, compared with its bounds exactly, digit by digit.
    Number {
        /// The least.
        minimum: Option<Number<'a>>,
        /// The greatest.
        maximum: Option<Number<'a>>,
    },
    /// `true` or `false`.
    Boolean,
    /// An array of elements of one type, with a length in this range.
    Array {
        /// The type of the elements.
        items: &'a Type<'a>,
        /// The fewest.
        min_items: u32,
        /// The most.
        max_items: u32,
    },
    /// An object with these members.
    Object {
        /// Its members; at most 64.
        parameters: &'a [Parameter<'a>],
        /// Whether others are allowed.
        allow_unknown: bool,
    },
}

impl<'a> Type<'a> {
    /// Any string.
    pub const STRING: Self = Self::String {
        min_length: 0,
        max_length: u32::MAX,
    };

    /// Any integer that fits `i64`.
    pub const INTEGER: Self = Self::Integer {
        minimum: i64::MIN,
        maximum: i64::MAX,
    };

    /// Any number.
    pub const NUMBER: Self = Self::Number {
        minimum: None,
        maximum: None,
    };

    /// A string of so many characters.
    pub const fn string_of(min_length: u32, max_length: u32) -> Self {
        Self::String {
            min_length,
            max_length,
        }
    }

    /// An integer in a range, ends included.
    pub const fn integer_in(minimum: i64, maximum: i64) -> Self {
        Self::Integer { minimum, maximum }
    }

    /// A number in a range, ends included: `number_in("-40", "85.5")`.
    ///
    /// # Panics
    /// When a bound is no JSON number; in a `const` that is a compile error.
    pub const fn number_in(minimum: &'a str, maximum: &'a str) -> Self {
        Self::Number {
            minimum: Some(bound(minimum)),
            maximum: Some(bound(maximum)),
        }
    }

    /// An array of at most `max_items` elements.
    pub const fn array_of(items: &'a Type<'a>, max_items: u32) -> Self {
        Self::Array {
            items,
            min_items: 0,
            max_items,
        }
    }

    /// An object with these members and no others.
    pub const fn object_of(parameters: &'a [Parameter<'a>]) -> Self {
        Self::Object {
            parameters,
            allow_unknown: false,
        }
    }

    /// The keywords that say what it takes, but those that hold other schemas.
    pub(super) fn write_keywords(&self, json: &mut Writer<'_, '_>) {
        let name = match self {
            Self::String { .. } | Self::Choice(_) => "string",
            Self::Integer { .. } => "integer",
            Self::Number { .. } => "number",
            Self::Boolean => "boolean",
            Self::Array { .. } => "array",
            Self::Object { .. } => return,
        };
        json.name("type").string(name);
        match *self {
            Self::String {
                min_length,
                max_length,
            } => {
                limits(json, ("minLength", min_length), ("maxLength", max_length));
            }
            Self::Choice(values) => {
                json.name("enum").begin_array();
                for value in values {
                    json.string(value);
                }
                json.end_array();
            }
            Self::Integer { minimum, maximum } => {
                if minimum != i64::MIN {
                    json.name("minimum").integer(minimum);
                }
                if maximum != i64::MAX {
                    json.name("maximum").integer(maximum);
                }
            }
            Self::Number { minimum, maximum } => {
                if let Some(minimum) = minimum {
                    json.name("minimum").raw(RawValue::from_valid(minimum.as_bytes()));
                }
                if let Some(maximum) = maximum {
                    json.name("maximum").raw(RawValue::from_valid(maximum.as_bytes()));
                }
            }
            Self::Boolean | Self::Object { .. } => {}
            Self::Array {
                min_items, max_items, ..
            } => {
                limits(json, ("minItems", min_items), ("maxItems", max_items));
            }
        }
    }
}

fn limits(json: &mut Writer<'_, '_>, least: (&str, u32), most: (&str, u32)) {
    if least.1 > 0 {
        json.name(least.0).unsigned(u64::from(least.1));
    }
    if most.1 < u32::MAX {
        json.name(most.0).unsigned(u64::from(most.1));
    }
}

#[allow(
    clippy::panic,
    reason = "where tables live, in a `const`, it is a compile error"
)]
const fn bound(text: &str) -> Number<'_> {
    match RawValue::new(text.as_bytes()) {
        Ok(value) => match value.as_number() {
            Some(number) => number,
            None => panic!("a bound is a JSON number"),
        },
        Err(_) => panic!("a bound is a JSON number"),
    }
}

impl<'a> Parameter<'a> {
    /// A parameter that a call must have.
    pub const fn required(name: &'a str, ty: Type<'a>) -> Self {
        Self::new(name, ty, true)
    }

    /// A parameter that a call may have.
    pub const fn optional(name: &'a str, ty: Type<'a>) -> Self {
        Self::new(name, ty, false)
    }

    const fn new(name: &'a str, ty: Type<'a>, required: bool) -> Self {
        Self {
            name,
            ty,
            required,
            title: None,
            description: None,
        }
    }

    /// A name for people.
    pub const fn with_title(self, title: &'a str) -> Self {
        Self {
            title: Some(title),
            ..self
        }
    }

    /// What it is for: a model reads this.
    pub const fn with_description(self, description: &'a str) -> Self {
        Self {
            description: Some(description),
            ..self
        }
    }

    /// Its name.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Whether a call must have it.
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// What it takes.
    pub const fn ty(&self) -> Type<'a> {
        self.ty
    }

    pub(super) fn write_details(&self, json: &mut Writer<'_, '_>) {
        if let Some(title) = self.title {
            json.name("title").string(title);
        }
        if let Some(description) = self.description {
            json.name("description").string(description);
        }
    }
}

/// Panics, at compile time where tables live, when the parameters cannot be checked or listed.
pub(super) const fn check_parameters(parameters: &[Parameter<'_>]) {
    check(parameters, MAX_SCHEMA_DEPTH);
}

/// Recursion over a declaration, which the compiler does: no input is involved.
#[allow(
    clippy::indexing_slicing,
    reason = "behind a check of the length; `get` is not const"
)]
const fn check(parameters: &[Parameter<'_>], depth: usize) {
    assert!(parameters.len() <= 64, "an object has at most 64 parameters");
    assert!(depth > 0, "parameters nest too deep");
    let mut at = 0;
    while at < parameters.len() {
        let mut other = at.saturating_add(1);
        while other < parameters.len() {
            assert!(
                !same(parameters[at].name, parameters[other].name),
                "two parameters have one name"
            );
            other = other.saturating_add(1);
        }
        let mut ty = parameters[at].ty;
        let mut left = depth.saturating_sub(1);
        while let Type::Array { items, .. } = ty {
            assert!(left > 0, "parameters nest too deep");
            left = left.saturating_sub(1);
            ty = *items;
        }
        if let Type::Object { parameters, .. } = ty {
            check(parameters, left);
        }
        at = at.saturating_add(1);
    }
}

#[allow(
    clippy::indexing_slicing,
    reason = "behind a check of the length; `get` is not const"
)]
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at = at.saturating_add(1);
    }
    true
}
