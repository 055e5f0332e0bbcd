//! The parameters of a tool. The listed schema and the check of the arguments both come from them.

use super::members::{write_string, write_string_array, write_text_member};
use super::setters::setters;
use super::{Feature, ProtocolVersion};
use crate::json::{Number, RawValue, Writer};

/// The largest depth of declared objects and arrays.
pub const MAX_SCHEMA_DEPTH: usize = 8;

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
    /// A thin reference fills the padding on 32 bits, so that tables of parameters do not grow.
    header: Option<&'a &'a str>,
}

/// Tables of parameters are in flash.
#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Parameter<'_>>() <= 56);

/// The type of a parameter. Values are never converted.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Type<'a> {
    /// A string whose number of characters (Unicode code points, as in JSON Schema) is in a range.
    String {
        /// The smallest number.
        min_length: u32,
        /// The largest number.
        max_length: u32,
    },
    /// One of the given strings.
    Choice(&'a [&'a str]),
    /// An integer in a range, in any spelling: `5`, `5.0` or `5e0`.
    Integer {
        /// The smallest value.
        minimum: i64,
        /// The largest value.
        maximum: i64,
    },
    /// A number in a range. It is compared with the bounds exactly, digit by digit.
    Number {
        /// The smallest value.
        minimum: Option<Number<'a>>,
        /// The largest value.
        maximum: Option<Number<'a>>,
    },
    /// `true` or `false`.
    Boolean,
    /// An array of elements of one type, whose length is in a range.
    Array {
        /// The type of the elements.
        items: &'a Type<'a>,
        /// The smallest number.
        min_items: u32,
        /// The largest number.
        max_items: u32,
    },
    /// An object with the given members.
    Object {
        /// The members, at most 64.
        parameters: &'a [Parameter<'a>],
        /// Whether other members are allowed.
        allow_unknown: bool,
    },
}

impl<'a> Type<'a> {
    /// Any string.
    pub const STRING: Self = Self::String { min_length: 0, max_length: u32::MAX };

    /// Any integer that fits `i64`.
    pub const INTEGER: Self = Self::Integer { minimum: i64::MIN, maximum: i64::MAX };

    /// Any number.
    pub const NUMBER: Self = Self::Number { minimum: None, maximum: None };

    /// A string whose number of characters is in the given range, ends included.
    pub const fn string_of(min_length: u32, max_length: u32) -> Self {
        Self::String { min_length, max_length }
    }

    /// An integer in the given range, ends included.
    pub const fn integer_in(minimum: i64, maximum: i64) -> Self {
        Self::Integer { minimum, maximum }
    }

    /// A number in the given range, ends included: `number_in("-40", "85.5")`.
    ///
    /// # Panics
    /// If a bound is not a JSON number. In a `const` this is a compile error.
    pub const fn number_in(minimum: &'a str, maximum: &'a str) -> Self {
        Self::Number { minimum: Some(bound(minimum)), maximum: Some(bound(maximum)) }
    }

    /// An array of at most `max_items` elements.
    pub const fn array_of(items: &'a Type<'a>, max_items: u32) -> Self {
        Self::Array { items, min_items: 0, max_items }
    }

    /// An object with the given members and no others.
    pub const fn object_of(parameters: &'a [Parameter<'a>]) -> Self {
        Self::Object { parameters, allow_unknown: false }
    }

    /// Writes the keywords of the schema, except those that contain other schemas.
    pub(super) fn write_keywords(&self, json: &mut Writer<'_, '_>) {
        let name = match self {
            Self::String { .. } | Self::Choice(_) => "string",
            Self::Integer { .. } => "integer",
            Self::Number { .. } => "number",
            Self::Boolean => "boolean",
            Self::Array { .. } => "array",
            Self::Object { .. } => return,
        };
        write_string(json, "type", name);
        match *self {
            Self::String { min_length, max_length } => {
                write_limit(json, "minLength", min_length, 0);
                write_limit(json, "maxLength", max_length, u32::MAX);
            }
            Self::Choice(values) => write_string_array(json, "enum", values),
            Self::Integer { minimum, maximum } => {
                if minimum != i64::MIN {
                    json.name("minimum").integer(minimum);
                }
                if maximum != i64::MAX {
                    json.name("maximum").integer(maximum);
                }
            }
            Self::Number { minimum, maximum } => {
                write_bound(json, "minimum", minimum);
                write_bound(json, "maximum", maximum);
            }
            Self::Array { min_items, max_items, .. } => {
                write_limit(json, "minItems", min_items, 0);
                write_limit(json, "maxItems", max_items, u32::MAX);
            }
            Self::Boolean | Self::Object { .. } => {}
        }
    }
}

/// Writes a bound, if there is one.
fn write_bound(json: &mut Writer<'_, '_>, name: &str, bound: Option<Number<'_>>) {
    if let Some(bound) = bound {
        json.name(name).raw(RawValue::from_valid(bound.as_bytes()));
    }
}

/// Writes a limit, unless it is `none`, which limits nothing.
fn write_limit(json: &mut Writer<'_, '_>, name: &str, limit: u32, none: u32) {
    if limit != none {
        json.name(name).unsigned(u64::from(limit));
    }
}

#[allow(clippy::panic, reason = "a compile error in a `const`")]
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
    /// A required parameter.
    pub const fn required(name: &'a str, ty: Type<'a>) -> Self {
        Self::new(name, ty, true)
    }

    /// An optional parameter.
    pub const fn optional(name: &'a str, ty: Type<'a>) -> Self {
        Self::new(name, ty, false)
    }

    const fn new(name: &'a str, ty: Type<'a>, required: bool) -> Self {
        Self { name, ty, required, title: None, description: None, header: None }
    }

    setters! {
        /// A name for people.
        with_title(title: &'a str) => title = Some(title);
        /// A description for the model.
        with_description(description: &'a str) => description = Some(description);
        /// The name of a header of Streamable HTTP that repeats the argument (2026-07-28): with `&"Region"`, clients send the
        /// argument in `Mcp-Param-Region` too, so that proxies can route calls without reading bodies. The server refuses a call
        /// whose header differs from its argument. Not for secrets: proxies log headers.
        ///
        /// Only strings, integers and booleans have headers, as parameters of a tool or as members of object parameters, but not
        /// inside arrays. The name is a token of at most 64 characters, and unique in the tool, regardless of case. Everything else
        /// does not compile:
        ///
        /// ```
        /// # use barewire::mcp::{Parameter, Tool, Type};
        /// const READ: Tool<'_> = Tool::new("read", "Reads a sensor.")
        ///     .with_parameters(&[Parameter::required("region", Type::STRING).with_header(&"Region")]);
        /// ```
        /// ```compile_fail
        /// # use barewire::mcp::{Parameter, Tool, Type};
        /// const NOT_A_TOKEN: Tool<'_> = Tool::new("read", "Reads a sensor.")
        ///     .with_parameters(&[Parameter::required("region", Type::STRING).with_header(&"My Region")]);
        /// ```
        /// ```compile_fail
        /// # use barewire::mcp::{Parameter, Tool, Type};
        /// const EMPTY: Tool<'_> = Tool::new("read", "Reads a sensor.")
        ///     .with_parameters(&[Parameter::required("region", Type::STRING).with_header(&"")]);
        /// ```
        /// ```compile_fail
        /// # use barewire::mcp::{Parameter, Tool, Type};
        /// const TWICE: Tool<'_> = Tool::new("read", "Reads a sensor.").with_parameters(&[
        ///     Parameter::required("region", Type::STRING).with_header(&"Region"),
        ///     Parameter::required("area", Type::STRING).with_header(&"REGION"),
        /// ]);
        /// ```
        /// ```compile_fail
        /// # use barewire::mcp::{Parameter, Tool, Type};
        /// const TWICE_AT_TWO_LEVELS: Tool<'_> = Tool::new("read", "Reads a sensor.").with_parameters(&[
        ///     Parameter::required("region", Type::STRING).with_header(&"Region"),
        ///     Parameter::required("place", Type::object_of(&[
        ///         Parameter::required("region", Type::STRING).with_header(&"Region"),
        ///     ])),
        /// ]);
        /// ```
        /// ```compile_fail
        /// # use barewire::mcp::{Parameter, Tool, Type};
        /// const NUMBER: Tool<'_> = Tool::new("read", "Reads a sensor.")
        ///     .with_parameters(&[Parameter::required("limit", Type::NUMBER).with_header(&"Limit")]);
        /// ```
        /// ```compile_fail
        /// # use barewire::mcp::{Parameter, Tool, Type};
        /// const IN_AN_ARRAY: Tool<'_> = Tool::new("read", "Reads sensors.").with_parameters(&[Parameter::required(
        ///     "sensors",
        ///     Type::array_of(
        ///         &Type::object_of(&[Parameter::required("region", Type::STRING).with_header(&"Region")]),
        ///         4,
        ///     ),
        /// )]);
        /// ```
        /// ```compile_fail
        /// # use barewire::mcp::{Parameter, Tool, Type};
        /// const OF_A_RESULT: Tool<'_> = Tool::new("read", "Reads a sensor.")
        ///     .with_output(&[Parameter::required("region", Type::STRING).with_header(&"Region")]);
        /// ```
        with_header(name: &'a &'a str) => header = Some(name);
    }

    /// The name.
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Whether calls must have the parameter.
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// The type.
    pub const fn ty(&self) -> Type<'a> {
        self.ty
    }

    /// The name of the header that repeats the argument, after `Mcp-Param-`.
    pub const fn header(&self) -> Option<&'a str> {
        match self.header {
            Some(name) => Some(*name),
            None => None,
        }
    }

    pub(super) fn write_details(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        write_text_member(json, "title", self.title);
        write_text_member(json, "description", self.description);
        if let Some(header) = self.header
            && version.has(Feature::ParameterHeaders)
        {
            write_string(json, HEADER_KEYWORD, header);
        }
    }
}

/// The keyword of a schema that names a header.
pub(super) const HEADER_KEYWORD: &str = "x-mcp-header";

/// The largest length of the name of a header, `Mcp-Param-` apart.
pub(crate) const MAX_HEADER_NAME: usize = 64;

/// Panics if the parameters of a tool cannot be checked or listed. In a `const` this is a compile error.
pub(super) const fn check_parameters(parameters: &[Parameter<'_>]) {
    check(parameters, MAX_SCHEMA_DEPTH, Some(parameters));
}

/// The same for the members of a result, which have no headers.
pub(super) const fn check_members(members: &[Parameter<'_>]) {
    check(members, MAX_SCHEMA_DEPTH, None);
}

/// The recursion is over a declaration, never over input. `root` has all parameters that can have headers, if these can.
const fn check(mut parameters: &[Parameter<'_>], depth: usize, root: Option<&[Parameter<'_>]>) {
    assert!(parameters.len() <= 64, "an object has at most 64 parameters");
    assert!(depth > 0, "parameters nest too deep");
    while let [parameter, rest @ ..] = parameters {
        let mut others = rest;
        while let [other, rest @ ..] = others {
            assert!(!same(parameter.name.as_bytes(), other.name.as_bytes()), "two parameters have one name");
            others = rest;
        }
        if let Some(header) = parameter.header() {
            check_header(parameter, header, root);
        }
        let mut root = root;
        let mut ty = &parameter.ty;
        let mut left = depth.saturating_sub(1);
        while let Type::Array { items, .. } = ty {
            assert!(left > 0, "parameters nest too deep");
            left = left.saturating_sub(1);
            ty = items;
            root = None;
        }
        if let Type::Object { parameters, .. } = ty {
            check(parameters, left, root);
        }
        parameters = rest;
    }
}

#[allow(clippy::panic, reason = "a compile error in a `const`")]
const fn check_header(parameter: &Parameter<'_>, header: &str, root: Option<&[Parameter<'_>]>) {
    assert!(is_header_name(header), "the name of a header is a token of 1 to 64 characters");
    match parameter.ty {
        Type::String { .. } | Type::Choice(_) | Type::Integer { .. } | Type::Boolean => {}
        _ => panic!("only strings, integers and booleans have a header"),
    }
    match root {
        Some(root) => assert!(uses(root, header) == 1, "two parameters have one header"),
        None => panic!("elements of arrays and members of results have no header"),
    }
}

/// Whether a name can follow `Mcp-Param-`.
const fn is_header_name(name: &str) -> bool {
    let mut rest = name.as_bytes();
    while let [byte, behind @ ..] = rest {
        if !is_token_byte(*byte) {
            return false;
        }
        rest = behind;
    }
    !name.is_empty() && name.len() <= MAX_HEADER_NAME
}

/// Whether a byte can be in a token (RFC 9110 section 5.6.2).
pub(crate) const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

/// Number of parameters with the given header, regardless of case, without those inside arrays.
const fn uses(mut parameters: &[Parameter<'_>], header: &str) -> usize {
    let mut count = 0_usize;
    while let [parameter, rest @ ..] = parameters {
        if let Some(other) = parameter.header()
            && same_header(other.as_bytes(), header.as_bytes())
        {
            count = count.saturating_add(1);
        }
        if let Type::Object { parameters, .. } = parameter.ty {
            count = count.saturating_add(uses(parameters, header));
        }
        parameters = rest;
    }
    count
}

/// Whether two names of headers are the same, regardless of case.
const fn same_header(mut a: &[u8], mut b: &[u8]) -> bool {
    while let ([first, rest_of_a @ ..], [second, rest_of_b @ ..]) = (a, b) {
        if !first.eq_ignore_ascii_case(second) {
            return false;
        }
        (a, b) = (rest_of_a, rest_of_b);
    }
    a.is_empty() && b.is_empty()
}

/// `a == b`, which is not const.
pub(super) const fn same(mut a: &[u8], mut b: &[u8]) -> bool {
    while let ([first, rest_of_a @ ..], [second, rest_of_b @ ..]) = (a, b) {
        if *first != *second {
            return false;
        }
        (a, b) = (rest_of_a, rest_of_b);
    }
    a.is_empty() && b.is_empty()
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::panic::catch_unwind;
    use std::string::String;

    #[test]
    fn h107_h108_h109_declarations_that_do_not_compile() {
        const LONG: &str = "a234567890123456789012345678901234567890123456789012345678901234";
        const LONGER: &str = "a2345678901234567890123456789012345678901234567890123456789012345";
        const NO_TOKEN: Result<(), &str> = Err("the name of a header is a token of 1 to 64 characters");
        const TWICE: Result<(), &str> = Err("two parameters have one header");
        const NOT_SCALAR: Result<(), &str> = Err("only strings, integers and booleans have a header");
        const INSIDE: Result<(), &str> = Err("elements of arrays and members of results have no header");
        const INNER: Type<'_> =
            Type::object_of(&[Parameter::optional("inner", Type::STRING).with_header(&"Inner")]);
        let cases: &[(&[Parameter<'_>], Result<(), &str>)] = &[
            (&[Parameter::required("a", Type::STRING).with_header(&LONG)], Ok(())),
            (&[Parameter::required("a", Type::INTEGER).with_header(&"!#$%&'*+-.^_`|~9")], Ok(())),
            (&[Parameter::required("a", Type::Boolean).with_header(&"a")], Ok(())),
            (&[Parameter::required("a", Type::Choice(&["b"])).with_header(&"a")], Ok(())),
            (&[Parameter::required("a", INNER)], Ok(())),
            (&[Parameter::required("a", Type::STRING).with_header(&LONGER)], NO_TOKEN),
            (&[Parameter::required("a", Type::STRING).with_header(&"")], NO_TOKEN),
            (&[Parameter::required("a", Type::STRING).with_header(&"a b")], NO_TOKEN),
            (&[Parameter::required("a", Type::STRING).with_header(&"a:")], NO_TOKEN),
            (&[Parameter::required("a", Type::STRING).with_header(&"a\r\n")], NO_TOKEN),
            (&[Parameter::required("a", Type::STRING).with_header(&"ä")], NO_TOKEN),
            (&[Parameter::required("a", Type::STRING).with_header(&"\"a\"")], NO_TOKEN),
            (&[Parameter::required("a", Type::NUMBER).with_header(&"a")], NOT_SCALAR),
            (&[Parameter::required("a", INNER).with_header(&"a")], NOT_SCALAR),
            (&[Parameter::required("a", Type::array_of(&Type::STRING, 1)).with_header(&"a")], NOT_SCALAR),
            (&[Parameter::required("a", Type::array_of(&INNER, 1))], INSIDE),
            (&[Parameter::required("a", INNER), Parameter::required("b", INNER)], TWICE),
            (
                &[
                    Parameter::required("a", INNER),
                    Parameter::required("b", Type::STRING).with_header(&"INNER"),
                ],
                TWICE,
            ),
            (
                &[
                    Parameter::required("a", Type::STRING).with_header(&"A"),
                    Parameter::required("b", Type::STRING).with_header(&"a"),
                ],
                TWICE,
            ),
        ];
        let panic_of = |check: fn(&[Parameter<'_>]), parameters: &[Parameter<'_>]| {
            let error = catch_unwind(|| check(parameters)).err()?;
            let text = error.downcast_ref::<&str>().copied().map(String::from);
            text.or_else(|| error.downcast_ref::<String>().cloned())
        };
        for (parameters, expected) in cases {
            let found = panic_of(check_parameters, parameters);
            assert_eq!(found.as_deref(), expected.err(), "{parameters:?}");
        }
        let members = [Parameter::required("a", Type::STRING).with_header(&"A")];
        assert_eq!(panic_of(check_members, &members).as_deref(), INSIDE.err());
    }
}
