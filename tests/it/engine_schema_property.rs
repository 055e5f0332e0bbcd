//! The listed schema and the check of the arguments agree, for any declaration and any arguments.

use std::cell::Cell;

use barewire::json::RawValue;
use barewire::mcp::{Parameter, Tool, Type};
use proptest::prelude::{ProptestConfig, any};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use crate::engine_kit::{App, Hosted, answer, json, request};
use crate::support::entropy::Entropy;

const NAMES: [&str; 5] = ["a", "b", "\u{e9}\"", "a/b", ""];
const WORDS: [&str; 5] = ["", "x", "\u{1F600}\u{e9}", "a\"\n", "longer"];
const NUMBERS: [&str; 8] = ["0", "-3", "7", "1.5", "-0.25", "2e1", "100", "-99.5"];

/// Declarations live as long as the tables that they are made for.
fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn parameters(entropy: &mut Entropy<'_>, depth: usize) -> &'static [Parameter<'static>] {
    let mut parameters = Vec::new();
    for name in NAMES {
        if entropy.once_in(2) {
            let ty = ty(entropy, depth);
            parameters.push(if entropy.once_in(2) {
                Parameter::required(name, ty)
            } else {
                Parameter::optional(name, ty)
            });
        }
    }
    parameters.leak()
}

fn ty(entropy: &mut Entropy<'_>, depth: usize) -> Type<'static> {
    let low = entropy.below(3) as u32;
    let high = low + entropy.below(3) as u32;
    match entropy.below(if depth == 0 { 5 } else { 7 }) {
        0 => Type::string_of(low, if entropy.once_in(3) { u32::MAX } else { high }),
        1 => Type::Choice(leak([entropy.pick(&WORDS), entropy.pick(&WORDS)])),
        2 => Type::integer_in(i64::from(low) - 3, i64::from(high) + 4),
        3 if entropy.once_in(2) => Type::NUMBER,
        3 => Type::number_in(entropy.pick(&["-99.5", "-3", "0.1"]), entropy.pick(&["0.2", "7", "20"])),
        4 => Type::Boolean,
        5 => Type::Array {
            items: leak(ty(entropy, depth - 1)),
            min_items: low,
            max_items: if entropy.once_in(3) { u32::MAX } else { high },
        },
        _ => Type::Object { parameters: parameters(entropy, depth - 1), allow_unknown: entropy.once_in(2) },
    }
}

/// A value that mostly fits the type.
fn value(entropy: &mut Entropy<'_>, ty: Type<'_>) -> String {
    if entropy.once_in(12) {
        return entropy.pick(&["null", "true", "0", r#""x""#, "[]", "{}", r#"{"a":[1]}"#]).to_string();
    }
    match ty {
        Type::Choice(choices) if entropy.below(4) > 0 => quoted(entropy.pick(choices)),
        Type::String { .. } | Type::Choice(_) => quoted(entropy.pick(&WORDS)),
        // The schema counts `2.0` as an integer, the check does not: neither kind is made here.
        Type::Integer { .. } => entropy.pick(&["0", "-3", "5", "12", "1.5"]).to_string(),
        Type::Number { .. } => entropy.pick(&NUMBERS).to_string(),
        Type::Boolean => entropy.pick(&["true", "false"]).to_string(),
        Type::Array { items, .. } => {
            let elements: Vec<String> = (0..entropy.below(4)).map(|_| value(entropy, *items)).collect();
            format!("[{}]", elements.join(","))
        }
        Type::Object { parameters, .. } => object(entropy, parameters),
        _ => panic!("a type that the test does not know"),
    }
}

/// Members in any order, each at most once, some of them not declared.
fn object(entropy: &mut Entropy<'_>, parameters: &[Parameter<'_>]) -> String {
    let mut members = Vec::new();
    for parameter in parameters {
        if entropy.below(6) > 0 {
            let member = format!("{}:{}", quoted(parameter.name()), value(entropy, parameter.ty()));
            members.insert(entropy.below(members.len() + 1), member);
        }
    }
    if entropy.once_in(6) {
        members.push(r#""unknown":{"a":1}"#.to_string());
    }
    format!("{{{}}}", members.join(","))
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Whether the value conforms, by the keywords that are listed and no others.
fn conforms(schema: &Value, value: &Value) -> bool {
    for keyword in schema.as_object().expect("a schema").keys() {
        assert!(KEYWORDS.contains(&keyword.as_str()), "{keyword}");
    }
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let within = |count: f64, least: &str, most: &str| {
        bound(least).is_none_or(|least| count >= least) && bound(most).is_none_or(|most| count <= most)
    };
    match (schema["type"].as_str().expect("a type"), value) {
        ("string", Value::String(text)) => {
            within(text.chars().count() as f64, "minLength", "maxLength")
                && schema.get("enum").and_then(Value::as_array).is_none_or(|choices| choices.contains(value))
        }
        ("integer", Value::Number(number)) => {
            number.as_i64().is_some_and(|number| within(number as f64, "minimum", "maximum"))
        }
        ("number", Value::Number(number)) => {
            number.as_f64().is_some_and(|number| within(number, "minimum", "maximum"))
        }
        ("boolean", Value::Bool(_)) => true,
        ("array", Value::Array(elements)) => {
            within(elements.len() as f64, "minItems", "maxItems")
                && elements.iter().all(|element| conforms(&schema["items"], element))
        }
        ("object", Value::Object(members)) => {
            let known = |name: &String| schema.get("properties").and_then(|all| all.get(name));
            let required = schema.get("required").and_then(Value::as_array);
            let is_required =
                |name: &String| required.is_some_and(|names| names.contains(&Value::from(name.as_str())));
            members.iter().all(|(name, value)| match known(name) {
                // As good as absent, though no schema says so.
                Some(_) if value.is_null() && !is_required(name) => true,
                Some(schema) => conforms(schema, value),
                None => schema.get("additionalProperties") != Some(&Value::Bool(false)),
            }) && schema.get("required").and_then(Value::as_array).is_none_or(|names| {
                names.iter().all(|name| members.contains_key(name.as_str().expect("a name")))
            })
        }
        _ => false,
    }
}

const KEYWORDS: [&str; 12] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "items",
];

#[test]
fn the_listed_schema_and_the_check_agree() {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let (fitting, others) = (Cell::new(0), Cell::new(0));
    let choices = proptest::collection::vec(any::<u8>(), 100..400);
    let result = TestRunner::new(config).run(&choices, |choices| {
        let mut entropy = Entropy::new(&choices);
        let parameters = parameters(&mut entropy, 2);
        let tool = match entropy.once_in(3) {
            true => Tool::new("t", "d").with_open_parameters(parameters),
            false => Tool::new("t", "d").with_parameters(parameters),
        };
        let mut server: Hosted<App> = Hosted::new(App { tools: vec![tool], ..App::new() });
        let list = json(&answer(&mut server, &request("1", "tools/list", "")));
        let schema = &list["result"]["tools"][0]["inputSchema"];
        for _ in 0..8 {
            let text = object(&mut entropy, parameters);
            let arguments = RawValue::new(text.as_bytes()).ok().and_then(RawValue::as_object);
            let fits = tool.check(arguments.expect("an object"));
            let value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(fits.is_ok(), conforms(schema, &value), "{schema}\n{text}\n{fits:?}");
            let count = if fits.is_ok() { &fitting } else { &others };
            count.set(count.get() + 1);
        }
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    assert!(fitting.get() > 20 && others.get() > 20, "{fitting:?} fit, {others:?} do not");
}
