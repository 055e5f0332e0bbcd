//! The arguments of a tool or a prompt as given on the command line.

use std::collections::HashSet;

use barewire::json::{Object, RawValue};

use super::schema;
use crate::json;

/// Arguments as given: all as one object, or each as a name and a text.
#[derive(Debug)]
pub(crate) enum Given {
    Whole(Vec<u8>),
    Single(Vec<(String, String)>),
}

impl Given {
    /// Reads the values of `--args` and `--arg`.
    ///
    /// # Errors
    /// A sentence: the value is not a JSON object, has no `=`, or a name occurs twice.
    pub(crate) fn new(whole: Option<&str>, single: &[String]) -> Result<Self, String> {
        if let Some(whole) = whole {
            let value = RawValue::new(whole.as_bytes()).map_err(|error| format!("--args: {error}"))?;
            let object = value.as_object().ok_or("--args must be a JSON object")?;
            once("--args", value)?;
            return Ok(Self::Whole(object.as_bytes().to_vec()));
        }
        let mut names = HashSet::new();
        let mut pairs = Vec::new();
        for argument in single {
            let Some((name, value)) = argument.split_once('=') else {
                return Err(format!("--arg {argument} must have the form NAME=VALUE"));
            };
            if !names.insert(name) {
                return Err(format!("argument `{name}` is given twice"));
            }
            pairs.push((name.to_owned(), value.to_owned()));
        }
        Ok(Self::Single(pairs))
    }

    /// The arguments of a tool, as the text of an object. A single one is read as the type in the schema of the tool;
    /// if the schema has none, a value that is JSON stands for itself and any other is a string.
    ///
    /// # Errors
    /// A sentence: a member occurs twice in a value.
    pub(crate) fn of_tool(&self, schema: Option<Object<'_>>) -> Result<Vec<u8>, String> {
        let properties = schema.map(schema::properties).unwrap_or_default();
        self.object(|name, text| schema::read(text, properties.get(name).copied(), schema))
    }

    /// The arguments of a prompt, as the text of an object: all single ones are strings.
    pub(crate) fn of_prompt(&self) -> Result<Vec<u8>, String> {
        self.object(|_, _| None)
    }

    /// The text of an object. `read` returns the value of a single argument if it is not the text itself, as a string.
    fn object<'a>(
        &'a self,
        read: impl Fn(&'a str, &'a str) -> Option<RawValue<'a>>,
    ) -> Result<Vec<u8>, String> {
        let pairs = match self {
            Self::Whole(object) => return Ok(object.clone()),
            Self::Single(pairs) => pairs,
        };
        let mut fault = Ok(());
        let object = json::object(|json| {
            for (name, text) in pairs {
                match read(name, text) {
                    Some(value) if fault.is_ok() => {
                        fault = once(&format!("--arg {name}"), value);
                        json.name(name).raw(value);
                    }
                    _ => {
                        json.name(name).string(text);
                    }
                }
            }
        });
        fault.map(|()| object)
    }
}

/// Refuses a member that occurs twice in one object, at any depth and however its name is spelled: servers would differ
/// in which value they take. (The scanner bounds the depth.)
fn once(option: &str, value: RawValue<'_>) -> Result<(), String> {
    if let Some(object) = value.as_object() {
        let mut names = HashSet::new();
        for member in object.members() {
            if !names.insert(member.name) {
                return Err(format!("{option}: the member `{}` occurs twice", member.name));
            }
            once(option, member.value)?;
        }
    }
    if let Some(array) = value.as_array() {
        for element in array.elements() {
            once(option, element)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(arguments: &[&str]) -> Result<Given, String> {
        let owned: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Given::new(None, &owned)
    }

    fn of_tool(arguments: &[&str], schema: &str) -> Result<String, String> {
        let schema = RawValue::new(schema.as_bytes()).expect("JSON").as_object();
        let text = single(arguments)?.of_tool(schema)?;
        Ok(String::from_utf8(text).expect("UTF-8"))
    }

    #[test]
    fn without_a_schema_a_value_is_json_or_a_string() {
        let given = ["a=1", "b=x y", "c=\"1\"", "d=", "e=[1, 2]", "f=a=b"];
        let made = single(&given).expect("arguments");
        assert_eq!(
            made.of_tool(None).expect("arguments"),
            br#"{"a":1,"b":"x y","c":"1","d":"","e":[1,2],"f":"a=b"}"#
        );
        assert_eq!(
            made.of_prompt().expect("arguments"),
            br#"{"a":"1","b":"x y","c":"\"1\"","d":"","e":"[1, 2]","f":"a=b"}"#
        );
        assert_eq!(single(&[]).expect("none").of_prompt(), Ok(b"{}".to_vec()));
        let whole = Given::new(Some(r#" {"a": 1} "#), &[]).expect("an object");
        assert_eq!(whole.of_tool(None).expect("an object"), br#"{"a": 1}"#);
        assert_eq!(whole.of_prompt(), Ok(br#"{"a": 1}"#.to_vec()));
    }

    #[test]
    fn a_value_is_read_as_the_type_in_the_schema() {
        for (value, schema, read) in [
            ("5", r#"{"type":"string"}"#, r#""5""#),
            ("true", r#"{"type":"string"}"#, r#""true""#),
            ("null", r#"{"type":"string"}"#, r#""null""#),
            ("[1]", r#"{"type":"string"}"#, r#""[1]""#),
            (r#"{"a":1,"a":2}"#, r#"{"type":"string"}"#, r#""{\"a\":1,\"a\":2}""#),
            // A JSON string is already a string.
            (r#""5""#, r#"{"type":"string"}"#, r#""5""#),
            ("5", r#"{"type":"number"}"#, "5"),
            ("5", r#"{"type":"integer"}"#, "5"),
            ("5.0", r#"{"type":"integer"}"#, "5.0"),
            ("5.5", r#"{"type":["integer","string"]}"#, r#""5.5""#),
            ("5", r#"{"type":["integer","string"]}"#, "5"),
            ("5", r#"{"type":["string","null"]}"#, r#""5""#),
            ("null", r#"{"type":["string","null"]}"#, "null"),
            ("true", r#"{"type":"boolean"}"#, "true"),
            ("null", r#"{"type":"null"}"#, "null"),
            ("[1,2]", r#"{"type":"array"}"#, "[1,2]"),
            (r#"{"a":1}"#, r#"{"type":"object"}"#, r#"{"a":1}"#),
            ("5", r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, r#""5""#),
            ("5", r#"{"oneOf":[{"type":"string"},{"const":5}]}"#, "5"),
            ("5", r#"{"enum":["4","5"]}"#, r#""5""#),
            ("5", r#"{"const":"5"}"#, r#""5""#),
            // Not of the type: sent as without a schema, for the server or the check to refuse.
            ("x", r#"{"type":"number"}"#, r#""x""#),
            ("5", r#"{"type":"boolean"}"#, "5"),
            // An unknown type.
            ("5", "{}", "5"),
            ("5", "true", "5"),
            ("5", r#"{"type":"text"}"#, "5"),
            ("5", r##"{"type":"string","$ref":"#/x"}"##, "5"),
            ("5", r##"{"anyOf":[{"type":"string"},{"$ref":"#/x"}]}"##, "5"),
            ("x", r##"{"$ref":"#/x"}"##, r#""x""#),
        ] {
            let of_all = format!(r#"{{"properties":{{"\u0061":{schema}}}}}"#);
            let argument = format!("a={value}");
            let expected = format!(r#"{{"a":{read}}}"#);
            assert_eq!(of_tool(&[&argument], &of_all), Ok(expected), "{value} {schema}");
        }
        // The schema of another argument.
        assert_eq!(
            of_tool(&["b=5"], r#"{"properties":{"a":{"type":"string"}}}"#),
            Ok(r#"{"b":5}"#.to_owned())
        );
    }

    #[test]
    fn repeated_names_are_refused() {
        let whole = |text: &str| Given::new(Some(text), &[]).map(|_| ());
        let twice = |name: &str| Err(format!("--args: the member `{name}` occurs twice"));
        assert_eq!(whole(r#"{"a":1,"b":2,"a":1}"#), twice("a"));
        assert_eq!(whole(r#"{"a":1,"\u0061":1}"#), twice("a"));
        assert_eq!(whole(r#"{"\ud800":1,"\uD800":1}"#), twice("\u{fffd}"));
        assert_eq!(whole(r#"{"a":{"b":[{"c":1,"c":1}]}}"#), twice("c"));
        assert_eq!(whole(r#"{"a":{"b":1},"b":{"a":[{"c":1},{"c":1}]}}"#), Ok(()));
        assert_eq!(single(&["x=1", "y=2", "x=1"]).map(|_| ()), Err("argument `x` is given twice".to_owned()));
        assert_eq!(
            of_tool(&[r#"x=[{"a":1,"\u0061":2}]"#], "{}"),
            Err("--arg x: the member `a` occurs twice".to_owned())
        );
    }

    #[test]
    fn invalid_arguments_are_refused() {
        assert_eq!(single(&["a"]).map(|_| ()), Err("--arg a must have the form NAME=VALUE".to_owned()));
        for text in ["[1]", "{", "", "1"] {
            let why = Given::new(Some(text), &[]).expect_err(text);
            assert!(why.starts_with("--args"), "{why}");
        }
    }
}
