//! A module uses only the layers below it.

mod circles;
mod names;
mod parameters;

use std::fs;
use std::path::Path;

use crate::files::files_below;

/// From the lowest to the highest.
const LAYERS: [&str; 7] = ["bytes", "json", "rpc", "mcp", "engine", "transport", "client"];

/// The reference server stands beside the layers: it may use all of them up to this one, and only programs use it.
const DEMO_MAY_USE: &str = "engine";

/// The traits that the macros build on are above the engine, too. No layer uses them.
const MACROS_MAY_USE: &str = "engine";

#[test]
fn no_module_uses_a_layer_above_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut upward = Vec::new();
    for file in files_below(&source, "rs") {
        let path = file.strip_prefix(&source).expect("below it");
        if is_test(path) {
            continue;
        }
        let module = path.iter().next().and_then(|first| first.to_str()).expect("a name");
        let limit = match module {
            // The first names all modules; the second is a crate of its own, above all of this one.
            "lib.rs" | "bin" => continue,
            "demo" => rank(DEMO_MAY_USE),
            "macros" => rank(MACROS_MAY_USE),
            layer => rank(layer),
        };
        let text = fs::read_to_string(&file).expect("a source file");
        for name in used_modules(&code(&text)) {
            if name != module && rank(&name) > limit {
                upward.push(format!("{} uses crate::{name}", path.display()));
            }
        }
    }
    assert!(upward.is_empty(), "{}", upward.join("\n"));
}

/// Its place from below; above all layers for what is none.
fn rank(layer: &str) -> usize {
    LAYERS.iter().position(|known| *known == layer).unwrap_or(LAYERS.len())
}

/// Whether a file has tests only, which may use all layers.
fn is_test(path: &Path) -> bool {
    path.iter().any(|part| part == "tests.rs" || part == "tests")
}

/// `text` without comments, and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    lines.join("\n")
}

/// The module after each `crate::`; for `crate::{…}`, each of its modules.
fn used_modules(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let is_other_name =
            code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == '$');
        if is_other_name {
            continue;
        }
        let behind = &code[at + "crate::".len()..];
        match behind.strip_prefix('{') {
            Some(group) => names.extend(heads(group)),
            None => names.push(identifier(behind)),
        }
    }
    names
}

/// The first identifier of each path of a group, up to its closing brace.
fn heads(group: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let (mut open, mut start) = (0, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => open += 1,
            '}' if open > 0 => open -= 1,
            '}' | ',' if open == 0 => {
                let head = identifier(group[start..at].trim());
                if !head.is_empty() {
                    heads.push(head);
                }
                start = at + 1;
                if character == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    heads
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

#[test]
fn uses_are_found_in_every_form() {
    let text = "use crate::json::{self, Error};\n// crate::bin\nfn f() -> crate::bytes::Sink {}\n\
        #[cfg(test)]\nmod tests;\n\
        use crate::{rpc::{Message, Reply}, engine,\n mcp};\nuse other_crate::bin;\n\
        #[cfg(test)]\nmod tests {\n    use crate::demo::Demo;\n}\n";
    assert_eq!(used_modules(&code(text)), ["json", "bytes", "rpc", "engine", "mcp"]);
}
