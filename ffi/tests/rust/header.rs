//! The header is written by hand. Here it is held against the sources: prototypes, structs, constants, one by one.

use std::collections::BTreeMap;
use std::string::{String, ToString};
use std::vec::Vec;
use std::{assert, assert_eq, format, panic};

const HEADER: &str = include_str!("../../include/barewire.h");
const SOURCES: [&str; 12] = [
    include_str!("../../src/border.rs"),
    include_str!("../../src/status.rs"),
    include_str!("../../src/message.rs"),
    include_str!("../../src/write.rs"),
    include_str!("../../src/value.rs"),
    include_str!("../../src/framer.rs"),
    include_str!("../../src/server/mod.rs"),
    include_str!("../../src/server/tools.rs"),
    include_str!("../../src/server/host.rs"),
    include_str!("../../src/server/reply.rs"),
    include_str!("../../src/server/answer.rs"),
    include_str!("../../src/server/io.rs"),
];
const C_TESTS: [&str; 8] = [
    include_str!("../c/fixture.c"),
    include_str!("../c/messages.c"),
    include_str!("../c/values.c"),
    include_str!("../c/lines.c"),
    include_str!("../c/creation.c"),
    include_str!("../c/sessions.c"),
    include_str!("../c/deferred.c"),
    include_str!("../c/hostile.c"),
];

/// The text without comments, all white space as one space.
fn plain(mut text: &str, [start, end]: [&str; 2]) -> String {
    let mut kept = String::new();
    while let Some((before, rest)) = text.split_once(start) {
        kept.push_str(before);
        text = rest.split_once(end).map_or("", |(_, behind)| behind);
        kept.push(' ');
    }
    kept.push_str(text);
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn header() -> String {
    plain(HEADER, ["/*", "*/"])
}

fn sources() -> String {
    SOURCES.map(|source| plain(source, ["//", "\n"])).join(" ")
}

/// A declaration of `name` as C has it.
fn declared(rust: &str, name: &str) -> String {
    if let Some(pointed) = rust.strip_prefix("*mut ") {
        return declared(pointed, &format!("*{name}"));
    }
    if let Some(pointed) = rust.strip_prefix("*const ") {
        return format!("const {}", declared(pointed, &format!("*{name}")));
    }
    let plain = rust.strip_prefix("Option<").and_then(|inner| inner.strip_suffix('>'));
    let c = match plain.unwrap_or(rust) {
        "c_void" => "void",
        "c_char" => "char",
        "bool" => "bool",
        "usize" => "size_t",
        "u8" => "uint8_t",
        "u32" => "uint32_t",
        "i32" => "int32_t",
        "i64" => "int64_t",
        "Status" => "barewire_status",
        "Text" => "barewire_text",
        "Classified" => "barewire_message",
        "LineFramer" => "barewire_framer",
        "Server" => "barewire_server",
        "Config" => "barewire_config",
        "ToolEntry" => "barewire_tool",
        "ToolFunction" => "barewire_tool_function",
        "AnswerFunction" => "barewire_answer_function",
        "EventFunction" => "barewire_event_function",
        "Call" => "barewire_call",
        "Reply" => "barewire_reply",
        "HostEvent" => "barewire_event",
        "Token" => "barewire_token",
        other => panic!("the test does not know the type {other}"),
    };
    format!("{c} {name}")
}

/// `a: A, b: B` as C has it, each followed by `end`.
fn declarations(fields: &str, end: &str) -> Vec<String> {
    fields
        .split(',')
        .filter_map(|field| field.trim().trim_start_matches("pub ").split_once(": "))
        .map(|(name, rust)| declared(rust, name) + end)
        .collect()
}

/// What stands between `start` and `end`, everywhere, with what stands before `end` started by `start`.
fn between<'t>(text: &'t str, start: &'t str, end: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(start).skip(1).filter_map(move |behind| behind.split_once(end).map(|(inner, _)| inner))
}

/// The prototypes of the functions that the library exports.
fn exported() -> BTreeMap<String, String> {
    between(&sources(), "extern \"C\" fn barewire_", "{")
        .map(|signature| {
            let (name, rest) = signature.split_once('(').unwrap();
            let (parameters, result) = rest.split_once(") -> ").unwrap();
            let parameters = declarations(parameters, "").join(", ");
            let result = declared(result.trim(), "");
            let name = format!("barewire_{name}");
            (name.clone(), format!("{result}{name}({parameters});"))
        })
        .collect()
}

#[test]
fn every_function_is_declared_as_it_is_and_nothing_else() {
    let header = header();
    let exported = exported();
    assert!(exported.len() > 40, "{}", exported.len());
    for prototype in exported.values() {
        assert!(header.contains(prototype), "the header lacks: {prototype}");
    }
    let prototypes = between(&header, "barewire_status barewire_", ";").filter(|rest| rest.contains('('));
    let sizes = between(&header, "size_t barewire_", ";").filter(|rest| rest.contains('('));
    assert_eq!(prototypes.count() + sizes.count(), exported.len());
}

#[test]
fn every_function_is_called_by_the_test_in_c() {
    for name in exported().keys() {
        let call = format!("{name}(");
        assert!(C_TESTS.iter().any(|source| source.contains(&call)), "no test calls {name}");
    }
}

#[test]
fn every_struct_has_the_fields_that_it_has() {
    let (header, sources) = (header(), sources());
    let mut structs = 0;
    for item in between(&sources, "#[repr(C)] pub struct ", " }") {
        let (name, fields) = item.split_once(" { ").unwrap();
        // The header does not show it.
        if name == "Server" {
            continue;
        }
        let name = declared(name, "");
        let fields = declarations(fields, ";").join(" ");
        let wanted = format!("typedef struct {name}{{ {fields} }} {};", name.trim());
        assert!(header.contains(&wanted), "the header lacks: {wanted}");
        structs += 1;
    }
    assert_eq!(structs, 6);
}

#[test]
fn every_function_type_is_as_it_is() {
    let (header, sources) = (header(), sources());
    let mut types = 0;
    for item in between(&sources, "pub type ", ";").filter(|item| item.contains("extern")) {
        let (name, signature) = item.split_once(" = unsafe extern \"C\" fn(").unwrap();
        let (parameters, result) = signature.split_once(')').unwrap();
        let result = result.strip_prefix(" -> ").map_or("void ".to_string(), |result| declared(result, ""));
        let parameters = declarations(parameters, "").join(", ");
        let name = declared(name, "");
        let wanted = format!("typedef {result}(*{})({parameters});", name.trim());
        assert!(header.contains(&wanted), "the header lacks: {wanted}");
        types += 1;
    }
    assert_eq!(types, 3);
}

#[test]
fn every_constant_has_its_value() {
    let constants: BTreeMap<String, String> = between(&sources(), "pub const BAREWIRE_", ";")
        .map(|item| {
            let (name, value) = item.split_once(" = ").unwrap();
            let (name, _) = name.split_once(':').unwrap();
            (name.to_string(), value.to_string())
        })
        .collect();
    let header = header();
    let declared: BTreeMap<String, String> = between(&header, "enum {", "}")
        .flat_map(|constants| constants.split(','))
        .filter_map(|constant| constant.trim().split_once(" = "))
        .map(|(name, value)| {
            let name = name.strip_prefix("BAREWIRE_").unwrap();
            (name.to_string(), value.to_string())
        })
        .collect();
    assert!(constants.len() > 80, "{}", constants.len());
    assert_eq!(declared, constants);
}
