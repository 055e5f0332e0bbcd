//! Check of arguments against the input schema of a tool, for keywords with a certain verdict.
//!
//! A server may accept schemas that this program does not understand. So only keywords whose verdict no other keyword
//! can change are evaluated: `type`, `enum`, `const`, `required`, `properties`, `additionalProperties: false`, `items`,
//! and the types of `anyOf`, `oneOf` and `allOf`. A schema with a `$ref` is not evaluated; a value on the command line is
//! read as the type that the reference leads to.

use std::collections::HashMap;

use barewire::json::{Array, Kind, Member, NumberError, Object, RawValue};

/// Largest number of faults that are named at a time.
const MOST_FAULTS: usize = 8;

/// Largest number of schemas that are searched for the types of one value: references may lead back to themselves.
const MOST_SCHEMAS: usize = 64;

/// Largest number of names and values in a sentence.
const MOST_LISTED: usize = 12;

/// The schemas of the properties, by name.
pub(crate) fn properties(schema: Object<'_>) -> HashMap<String, RawValue<'_>> {
    by_name(object_at(schema, "properties").unwrap_or(Object::EMPTY))
}

fn by_name(object: Object<'_>) -> HashMap<String, RawValue<'_>> {
    let mut by_name = HashMap::new();
    for Member { name, value } in object.members() {
        by_name.insert(name.to_string(), value);
    }
    by_name
}

/// The names of the required properties.
pub(crate) fn required(schema: Object<'_>) -> impl Iterator<Item = String> {
    let names = array_at(schema, "required").elements();
    names.filter_map(|name| Some(name.as_string()?.to_string()))
}

/// The value of the text as JSON, if its type is allowed by the schema, or if a string would not be allowed either.
/// `None` if the text itself is the value, as a string. `root` is the whole schema.
pub(crate) fn read<'a>(
    text: &'a str,
    schema: Option<RawValue<'_>>,
    root: Option<Object<'_>>,
) -> Option<RawValue<'a>> {
    let value = RawValue::new(text.as_bytes()).ok()?;
    match schema.and_then(|schema| allowed(schema, &mut Lookup::new(root))) {
        Some(types) if !types.fit(value) && types.has(Types::STRING) => None,
        _ => Some(value),
    }
}

/// The faults of the arguments, a phrase for each.
pub(crate) fn faults(schema: Object<'_>, arguments: Object<'_>) -> Vec<String> {
    let mut faults = Faults(Vec::new());
    if !has_reference(schema) {
        faults.members(schema, arguments, "");
    }
    faults.0
}

/// Arguments that the schema allows but does not name: most servers ignore them, and some are typing errors. `None` if
/// other keywords may name them.
pub(crate) fn unnamed(schema: Object<'_>, arguments: Object<'_>) -> Option<String> {
    let others = "patternProperties allOf anyOf oneOf if dependentSchemas";
    let additional = schema.get("additionalProperties");
    let is_open = additional.is_some_and(|additional| additional.as_bool() != Some(false));
    if has_reference(schema) || is_open || others.split(' ').any(|name| schema.get(name).is_some()) {
        return None;
    }
    let listed = names(object_at(schema, "properties")?);
    let known = properties(schema);
    let unnamed = arguments.members().map(|member| member.name.to_string());
    let unnamed = unnamed.filter(|name| !known.contains_key(name));
    match listing(unnamed.map(|name| format!("`{name}`"))) {
        none if none.is_empty() => None,
        unnamed => Some(format!("the schema of the tool does not name {unnamed}{listed}")),
    }
}

/// The faults of the arguments of a prompt; `prompt` is its entry in the list.
pub(crate) fn faults_of_prompt(prompt: Object<'_>, arguments: Object<'_>) -> Vec<String> {
    let mut faults = Faults(Vec::new());
    let listed = array_at(prompt, "arguments").elements();
    for argument in listed.filter_map(RawValue::as_object) {
        let is_required = argument.get("required").and_then(RawValue::as_bool) == Some(true);
        if let Some(name) = argument.get("name").and_then(RawValue::as_string)
            && is_required
            && arguments.members().all(|member| member.name != name)
        {
            faults.add(format!("missing required argument `{name}`"));
        }
    }
    for Member { name, value } in arguments.members() {
        if value.kind() != Kind::String {
            let found = kind_name(value.kind());
            faults.add(format!("argument `{name}` must be a string, but is {found}"));
        }
    }
    faults.0
}

fn object_at<'a>(schema: Object<'a>, name: &str) -> Option<Object<'a>> {
    schema.get(name).and_then(RawValue::as_object)
}

fn array_at<'a>(schema: Object<'a>, name: &str) -> Array<'a> {
    let array = schema.get(name).and_then(RawValue::as_array);
    array.unwrap_or(Array::EMPTY)
}

/// Up to 2019-09 a reference replaces the keywords beside it.
fn has_reference(schema: Object<'_>) -> bool {
    let references = ["$ref", "$dynamicRef", "$recursiveRef"];
    references.iter().any(|name| schema.get(name).is_some())
}

/// A set of the types of JSON Schema.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Types(u8);

impl Types {
    const NULL: Self = Self(1);
    const BOOLEAN: Self = Self(1 << 1);
    const INTEGER: Self = Self(1 << 2);
    /// Integers too.
    const NUMBER: Self = Self(1 << 3 | Self::INTEGER.0);
    const STRING: Self = Self(1 << 4);
    const ARRAY: Self = Self(1 << 5);
    const OBJECT: Self = Self(1 << 6);

    const NAMED: [(&str, Self, &str); 7] = [
        ("string", Self::STRING, "a string"),
        ("number", Self::NUMBER, "a number"),
        ("integer", Self::INTEGER, "an integer"),
        ("boolean", Self::BOOLEAN, "true or false"),
        ("array", Self::ARRAY, "an array"),
        ("object", Self::OBJECT, "an object"),
        ("null", Self::NULL, "null"),
    ];

    fn named(name: RawValue<'_>) -> Option<Self> {
        let name = name.as_string()?;
        let found = Self::NAMED.iter().find(|(known, ..)| name == *known);
        found.map(|(_, types, _)| *types)
    }

    const fn of(value: RawValue<'_>) -> Self {
        match value.kind() {
            Kind::Null => Self::NULL,
            Kind::Bool => Self::BOOLEAN,
            Kind::Number => Self::NUMBER,
            Kind::String => Self::STRING,
            Kind::Array => Self::ARRAY,
            Kind::Object => Self::OBJECT,
        }
    }

    const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the value is of one of the types. `5.0` is an integer.
    fn fit(self, value: RawValue<'_>) -> bool {
        match value.as_number() {
            Some(number) if !self.has(Self::NUMBER) => {
                self.has(Self::INTEGER) && number.to_fixed(0) != Err(NumberError::Inexact)
            }
            _ => self.has(Self::of(value)),
        }
    }

    /// `a string or null`.
    fn words(self) -> String {
        // A number may be an integer, which is not named beside it.
        let is_implied = |types| types == Self::INTEGER && self.has(Self::NUMBER);
        let mut named = Self::NAMED.to_vec();
        named.retain(|(_, types, _)| self.has(*types) && !is_implied(*types));
        let words: Vec<&str> = named.iter().map(|(.., words)| *words).collect();
        words.join(" or ")
    }
}

/// A search for the types of one value.
struct Lookup<'a> {
    /// The whole schema; without it no reference is followed.
    root: Option<Object<'a>>,
    /// Number of schemas that may still be searched.
    left: usize,
}

impl<'a> Lookup<'a> {
    const fn new(root: Option<Object<'a>>) -> Self {
        Self { root, left: MOST_SCHEMAS }
    }

    /// The schema at the place that a reference names: a JSON pointer, `#/$defs/name`.
    fn follow(&self, schema: Object<'a>) -> Option<RawValue<'a>> {
        let reference = schema.get("$ref")?.as_string()?.to_string();
        let mut names = reference.strip_prefix("#/")?.split('/');
        let root = self.root?.as_value();
        names.try_fold(root, |place, name| {
            let name = name.replace("~1", "/").replace("~0", "~");
            place.as_object()?.get(&name)
        })
    }
}

/// The types that the schema allows; `None` if it allows any, or this is not known.
fn allowed<'a>(schema: RawValue<'a>, lookup: &mut Lookup<'a>) -> Option<Types> {
    lookup.left = lookup.left.checked_sub(1)?;
    let schema = schema.as_object()?;
    if has_reference(schema) {
        return allowed(lookup.follow(schema)?, lookup);
    }
    if let Some(named) = schema.get("type") {
        return match named.as_array() {
            Some(names) => union(names, Types::named),
            None => Types::named(named),
        };
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(branches) = schema.get(keyword).and_then(RawValue::as_array) {
            return union(branches, |branch| allowed(branch, lookup));
        }
    }
    // All of them hold, so each of them does.
    if let Some(parts) = schema.get("allOf").and_then(RawValue::as_array) {
        return parts.elements().find_map(|part| allowed(part, lookup));
    }
    match schema.get("const") {
        Some(value) => Some(Types::of(value)),
        None => union(array_at(schema, "enum"), |value| Some(Types::of(value))),
    }
}

/// The types of all values; `None` where one of them has none, or there are no values.
fn union<'a>(values: Array<'a>, types: impl FnMut(RawValue<'a>) -> Option<Types>) -> Option<Types> {
    let mut all = values.elements().map(types);
    let all = all.try_fold(Types(0), |all, types| Some(Types(all.0 | types?.0)));
    all.filter(|all| *all != Types(0))
}

/// Whether two values are equal; `None` if they are not compared.
fn equal(a: RawValue<'_>, b: RawValue<'_>) -> Option<bool> {
    if a.kind() != b.kind() {
        return Some(false);
    }
    match (a.as_string(), b.as_string(), a.as_number(), b.as_number()) {
        (Some(a), Some(b), ..) => Some(a == b),
        (_, _, Some(a), Some(b)) => Some(a.compare(b).is_eq()),
        _ => match a.kind() {
            Kind::Array | Kind::Object => None,
            _ => Some(a == b),
        },
    }
}

const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// Faults in the order in which they were found.
struct Faults(Vec<String>);

impl Faults {
    fn add(&mut self, fault: String) {
        if self.0.len() < MOST_FAULTS {
            self.0.push(fault);
        }
    }

    /// Checks the members of the object at the place `at`.
    fn members(&mut self, schema: Object<'_>, object: Object<'_>, at: &str) {
        let place = |name: &str| match at {
            "" => name.to_owned(),
            at => format!("{at}.{name}"),
        };
        let known = properties(schema);
        let given = by_name(object);
        let required: Vec<String> = required(schema).collect();
        for name in &required {
            // Some generators also list properties that have a default.
            let property = known.get(name).and_then(|property| property.as_object());
            let has_default = property.is_some_and(|property| property.get("default").is_some());
            if !given.contains_key(name) && !has_default {
                self.add(format!("missing required argument `{}`", place(name)));
            }
        }
        let is_closed = schema.get("additionalProperties").and_then(RawValue::as_bool) == Some(false)
            && schema.get("patternProperties").is_none();
        for member in object.members() {
            let name = member.name.to_string();
            match known.get(&name) {
                // Deployed servers take `null` as absent.
                Some(_) if member.value.is_null() && !required.contains(&name) => {}
                Some(property) => self.value(*property, member.value, &place(&name)),
                None if is_closed => {
                    let listed = names(object_at(schema, "properties").unwrap_or(Object::EMPTY));
                    self.add(format!("unknown argument `{}`{listed}", place(&name)));
                }
                None => {}
            }
        }
    }

    /// Checks the value at the place `at`.
    fn value(&mut self, schema: RawValue<'_>, value: RawValue<'_>, at: &str) {
        if let Some(types) = allowed(schema, &mut Lookup::new(None))
            && !types.fit(value)
        {
            let found = match value.kind() {
                Kind::Number => value.to_string(),
                kind => kind_name(kind).to_owned(),
            };
            let words = types.words();
            return self.add(format!("argument `{at}` must be {words}, but is {found}"));
        }
        let Some(schema) = schema.as_object().filter(|schema| !has_reference(*schema)) else {
            return;
        };
        let values: Vec<RawValue<'_>> = match schema.get("const") {
            Some(value) => vec![value],
            None => array_at(schema, "enum").elements().collect(),
        };
        let is_other = |known: &RawValue<'_>| equal(*known, value) == Some(false);
        if !values.is_empty() && values.iter().all(is_other) {
            let one_of = if values.len() > 1 { "one of " } else { "" };
            let listed = listing(values.iter().map(RawValue::to_string));
            return self.add(format!("argument `{at}` must be {one_of}{listed}"));
        }
        if let Some(object) = value.as_object() {
            self.members(schema, object, at);
        }
        if let Some(array) = value.as_array()
            && let Some(items) = schema.get("items")
            && schema.get("prefixItems").is_none()
        {
            for (index, element) in array.elements().enumerate() {
                self.value(items, element, &format!("{at}[{index}]"));
            }
        }
    }
}

/// The names of the properties, as the end of a phrase.
fn names(properties: Object<'_>) -> String {
    if properties.is_empty() {
        return " (there are none)".to_owned();
    }
    let names = properties.members().map(|member| format!("`{}`", member.name));
    format!(" (known: {})", listing(names))
}

/// `a, b, c …`.
fn listing(mut all: impl Iterator<Item = String>) -> String {
    let first: Vec<String> = all.by_ref().take(MOST_LISTED).collect();
    let more = if all.next().is_some() { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object<'_> {
        RawValue::new(text.as_bytes()).expect("JSON").as_object().expect("an object")
    }

    const SCHEMA: &str = r##"{
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "limit": {"type": "integer"},
            "ratio": {"type": ["number", "null"]},
            "is_deep": {"type": "boolean"},
            "unit": {"enum": ["celsius", "kelvin"]},
            "mode": {"const": 7},
            "tags": {"type": "array", "items": {"type": "string"}},
            "box": {"type": "object", "properties": {"w": {"type": "number"}}, "required": ["w"], "additionalProperties": false},
            "either": {"anyOf": [{"type": "string"}, {"type": "array"}]},
            "page": {"type": "integer", "default": 1},
            "linked": {"$ref": "#/$defs/x", "type": "string"},
            "free": {},
            "odd": {"type": "any"},
            "parts": {"allOf": [{"$ref": "#/$defs/x"}, {"type": "string"}]}
        },
        "required": ["pattern", "page"],
        "additionalProperties": false
    }"##;

    #[test]
    fn each_fault_is_named() {
        for (arguments, expected) in [
            (r#"{"pattern":"x"}"#, ""),
            (r#"{"p\u0061ttern":"x"}"#, ""),
            ("{}", "missing required argument `pattern`"),
            (r#"{"pattern":null}"#, "argument `pattern` must be a string, but is null"),
            (r#"{"pattern":5}"#, "argument `pattern` must be a string, but is 5"),
            (r#"{"pattern":["x"]}"#, "argument `pattern` must be a string, but is an array"),
            (r#"{"pattern":"","limit":5.0}"#, ""),
            (r#"{"pattern":"","limit":50e-1}"#, ""),
            (r#"{"pattern":"","limit":1e30}"#, ""),
            (r#"{"pattern":"","limit":12345678901234567890123}"#, ""),
            (r#"{"pattern":"","limit":5.5}"#, "argument `limit` must be an integer, but is 5.5"),
            (r#"{"pattern":"","limit":"5"}"#, "argument `limit` must be an integer, but is a string"),
            // Optional: `null` is taken as absent.
            (r#"{"pattern":"","limit":null}"#, ""),
            (r#"{"pattern":"","ratio":0.5}"#, ""),
            (r#"{"pattern":"","ratio":true}"#, "argument `ratio` must be a number or null, but is a boolean"),
            (
                r#"{"pattern":"","is_deep":"yes"}"#,
                "argument `is_deep` must be true or false, but is a string",
            ),
            (r#"{"pattern":"","unit":"k\u0065lvin"}"#, ""),
            (r#"{"pattern":"","unit":"rankine"}"#, r#"argument `unit` must be one of "celsius", "kelvin""#),
            (r#"{"pattern":"","mode":7.0}"#, ""),
            (r#"{"pattern":"","mode":8}"#, "argument `mode` must be 7"),
            (r#"{"pattern":"","tags":["a"]}"#, ""),
            (r#"{"pattern":"","tags":["a",1]}"#, "argument `tags[1]` must be a string, but is 1"),
            (r#"{"pattern":"","box":{"w":1}}"#, ""),
            (r#"{"pattern":"","box":{}}"#, "missing required argument `box.w`"),
            (r#"{"pattern":"","box":{"w":"1"}}"#, "argument `box.w` must be a number, but is a string"),
            (r#"{"pattern":"","box":{"w":1,"h":1}}"#, "unknown argument `box.h` (known: `w`)"),
            (r#"{"pattern":"","either":["a"]}"#, ""),
            (r#"{"pattern":"","either":1}"#, "argument `either` must be a string or an array, but is 1"),
            (r#"{"pattern":"","parts":1}"#, "argument `parts` must be a string, but is 1"),
            // Not evaluated.
            (r#"{"pattern":"","linked":1}"#, ""),
            (r#"{"pattern":"","free":[{}]}"#, ""),
            (r#"{"pattern":"","odd":1}"#, ""),
            (
                r#"{"text":1}"#,
                "missing required argument `pattern`; unknown argument `text` (known: `pattern`, `limit`, `ratio`, \
                 `is_deep`, `unit`, `mode`, `tags`, `box`, `either`, `page`, `linked`, `free`, …)",
            ),
        ] {
            let found = faults(object(SCHEMA), object(arguments)).join("; ");
            assert_eq!(found, expected, "{arguments}");
        }
    }

    #[test]
    fn schemas_that_a_server_might_accept_are_not_judged() {
        for schema in [
            "{}",
            r#"{"type":"object"}"#,
            r#"{"properties":{"b":{}},"additionalProperties":true}"#,
            r#"{"properties":{"b":{}},"additionalProperties":{"type":"string"}}"#,
            r#"{"properties":{"b":{}},"additionalProperties":false,"patternProperties":{"^a":{}}}"#,
            r##"{"$ref":"#/x","required":["b"],"additionalProperties":false}"##,
            r#"{"properties":{"a":true},"required":"b"}"#,
            r#"{"properties":[],"required":[7]}"#,
            r#"{"properties":{"a":{"type":["string","text"]}}}"#,
            r#"{"properties":{"a":{"type":[]}}}"#,
            r#"{"properties":{"a":{"enum":[]}}}"#,
            r#"{"properties":{"a":{"enum":[[1],{}]}},"required":["a"]}"#,
            r#"{"properties":{"a":{"anyOf":[{"type":"string"},{}]}}}"#,
            r#"{"properties":{"a":{"prefixItems":[{}],"items":{"type":"string"}}}}"#,
        ] {
            assert_eq!(faults(object(schema), object(r#"{"a":[1]}"#)), [""; 0], "{schema}");
        }
        let closed = r#"{"type":"object","additionalProperties":false}"#;
        assert_eq!(faults(object(closed), object(r#"{"a":1}"#)), ["unknown argument `a` (there are none)"]);
    }

    #[test]
    fn unnamed_arguments_get_a_hint() {
        let properties = r#""properties":{"pattern":{},"limit":{}}"#;
        for (schema, arguments, expected) in [
            (format!("{{{properties}}}"), r#"{"limit":1,"p\u0061ttern":2}"#, None),
            (
                format!("{{{properties}}}"),
                r#"{"limt":1,"pattern":2,"x":3}"#,
                Some("the schema of the tool does not name `limt`, `x` (known: `pattern`, `limit`)"),
            ),
            (
                r#"{"properties":{}}"#.to_owned(),
                r#"{"x":3}"#,
                Some("the schema of the tool does not name `x` (there are none)"),
            ),
            ("{}".to_owned(), r#"{"x":3}"#, None),
            (format!(r#"{{{properties},"additionalProperties":true}}"#), r#"{"x":3}"#, None),
            (format!(r#"{{{properties},"additionalProperties":{{}}}}"#), r#"{"x":3}"#, None),
            (format!(r#"{{{properties},"allOf":[{{}}]}}"#), r#"{"x":3}"#, None),
            (format!(r##"{{{properties},"$ref":"#/x"}}"##), r#"{"x":3}"#, None),
        ] {
            let hint = unnamed(object(&schema), object(arguments));
            assert_eq!(hint.as_deref(), expected, "{schema} {arguments}");
        }
    }

    #[test]
    fn prompts_have_strings() {
        let prompt = object(r#"{"name":"p","arguments":[{"name":"who","required":true},{"name":"how"},7]}"#);
        for (arguments, expected) in [
            (r#"{"who":"x"}"#, ""),
            (r#"{"who":"x","more":""}"#, ""),
            ("{}", "missing required argument `who`"),
            (r#"{"who":"x","how":7}"#, "argument `how` must be a string, but is a number"),
        ] {
            assert_eq!(faults_of_prompt(prompt, object(arguments)).join("; "), expected, "{arguments}");
        }
    }

    #[test]
    fn many_faults_are_cut_short() {
        let names: Vec<String> = (0..40).map(|at| format!(r#""{at}""#)).collect();
        let schema = format!(r#"{{"required":[{}]}}"#, names.join(","));
        assert_eq!(faults(object(&schema), Object::EMPTY).len(), MOST_FAULTS);
    }
}
