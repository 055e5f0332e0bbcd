//! Imports between files run one way, so that each file can be read with only those that it imports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{code, is_test};
use crate::files::files_below;

/// Most re-exports between an import and the file that defines its item.
const MAX_REEXPORTS: u8 = 8;

/// Keywords before the name of an item.
const ITEMS: [&str; 8] = ["const", "enum", "fn", "macro_rules", "static", "struct", "trait", "type"];

#[test]
fn no_files_import_in_a_circle() {
    // The published package has only the first.
    for source in ["src", "cli/src", "macros/src"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
        if !source.exists() {
            continue;
        }
        let mut modules = Modules::default();
        for file in files_below(&source, "rs") {
            let path = file.strip_prefix(&source).expect("below it");
            if !is_test(path) {
                let text = fs::read_to_string(&file).expect("a source file");
                modules.add(path, &text);
            }
        }
        let circles = modules.circles();
        assert!(circles.is_empty(), "{}", circles.join("\n"));
    }
}

/// The files of a crate, by the path of their module: `crate::json::value`.
#[derive(Default)]
struct Modules(BTreeMap<String, Module>);

struct Module {
    /// Names of its items, and of those inside them.
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Whether the file is the root of a folder. Its re-exports are the interface of the folder, and not imports.
    is_folder: bool,
}

struct Import {
    /// The path from the root of the crate. That of an item of another crate leads to no file.
    path: String,
    is_reexport: bool,
}

impl Modules {
    fn add(&mut self, file: &Path, text: &str) {
        let mut parts = vec!["crate"];
        parts.extend(file.iter().map(|part| part.to_str().expect("a name")));
        let name = parts.pop().and_then(|name| name.strip_suffix(".rs"));
        let is_folder = matches!(name, Some("lib" | "main" | "mod"));
        parts.extend(name.filter(|_| !is_folder));
        let path = parts.join("::");

        let code = code(text);
        let words: Vec<&str> = code
            .split(|character: char| !character.is_alphanumeric() && character != '_')
            .filter(|word| !word.is_empty())
            .collect();
        let items =
            words.windows(2).filter(|pair| ITEMS.contains(&pair[0])).map(|pair| pair[1].to_owned()).collect();
        let imports = imports(&path, &code);
        for import in &imports {
            let is_glob = import.is_reexport && import.path.ends_with("::*");
            assert!(!is_glob, "{path}: a re-export must list its names");
        }
        let module = Module { items, imports, is_folder };
        self.0.insert(path, module);
    }

    /// The imports that are part of a circle, each as a line of text.
    fn circles(&self) -> Vec<String> {
        let mut imports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (path, module) in &self.0 {
            let homes = module
                .imports
                .iter()
                .filter(|import| !(module.is_folder && import.is_reexport))
                .filter_map(|import| self.home(&import.path, MAX_REEXPORTS))
                .filter(|home| home != path);
            imports.insert(path, homes.collect());
        }
        let mut circles = Vec::new();
        for (from, homes) in &imports {
            for to in homes {
                if reaches(&imports, to, from) {
                    circles.push(format!("{from} imports {to}"));
                }
            }
        }
        circles
    }

    /// The module whose file defines the item at `path`, through at most `reexports` others. `None` for an item of another
    /// crate, or of a module with a `#[path]`.
    fn home(&self, path: &str, reexports: u8) -> Option<&str> {
        let (mut prefix, mut name) = (path, None);
        let (home, module) = loop {
            if let Some(found) = self.0.get_key_value(prefix) {
                break found;
            }
            let (parent, last) = prefix.rsplit_once("::")?;
            (prefix, name) = (parent, Some(last));
        };
        let Some(name) = name else {
            return Some(home);
        };
        if module.items.contains(name) {
            return Some(home);
        }
        let reexport = module
            .imports
            .iter()
            .find(|import| import.path != path && import.path.rsplit("::").next() == Some(name));
        match reexport {
            Some(import) => self.home(&import.path, reexports.checked_sub(1)?),
            // All items of the module, or one that a macro generates.
            None => (path.len() == home.len() + "::".len() + name.len()).then_some(home),
        }
    }
}

/// Whether `from` is `to`, or imports it, directly or through others.
fn reaches<'m>(imports: &BTreeMap<&'m str, BTreeSet<&'m str>>, from: &'m str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(path) = open.pop() {
        if path == to {
            return true;
        }
        if seen.insert(path) {
            open.extend(imports.get(path).into_iter().flatten());
        }
    }
    false
}

/// The imports of `code`, the text of `module`.
fn imports(module: &str, code: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].rsplit('\n').next().unwrap_or("").trim_start();
        let is_reexport = before.starts_with("pub") && before.ends_with(' ');
        if !before.is_empty() && !is_reexport {
            continue;
        }
        let declaration = code[at + "use ".len()..].split(';').next().unwrap_or("");
        imports.extend(
            paths(declaration).iter().map(|path| Import { path: from_root(module, path), is_reexport }),
        );
    }
    imports
}

/// Each path of a declaration, without its groups: `a::{b, c::d}` has `a::b` and `a::c::d`.
fn paths(declaration: &str) -> Vec<String> {
    let Some((base, group)) = declaration.split_once('{') else {
        let path = declaration.split(" as ").next().unwrap_or("").trim();
        let path = path.strip_suffix("::self").unwrap_or(path);
        return vec![path.to_owned()];
    };
    let mut items = vec![String::new()];
    let mut open = 1;
    for character in group.chars() {
        match character {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        match character {
            _ if open == 0 => break,
            ',' if open == 1 => items.push(String::new()),
            _ => items.last_mut().expect("the first").push(character),
        }
    }
    items
        .iter()
        .filter(|item| !item.trim().is_empty())
        .flat_map(|item| paths(&format!("{}{}", base.trim(), item.trim())))
        .collect()
}

/// The path of an import of `module`, from the root of the crate.
fn from_root(module: &str, path: &str) -> String {
    match path.split_once("::") {
        Some(("crate", _)) => path.to_owned(),
        Some(("self", rest)) => format!("{module}::{rest}"),
        Some(("super", rest)) => from_root(module.rsplit_once("::").map_or("", |(parent, _)| parent), rest),
        _ => format!("{module}::{path}"),
    }
}

/// The circles of a crate of these files.
fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let mut modules = Modules::default();
    for (path, text) in files {
        modules.add(Path::new(path), text);
    }
    modules.circles()
}

#[test]
fn imports_run_one_way() {
    // A folder re-exports what its files define; tests and comments do not count.
    let files = [
        ("lib.rs", "pub mod shape;\npub use shape::Circle;\n"),
        ("shape/mod.rs", "mod circle;\nmod point;\npub use circle::Circle;\npub use point::Point;\n"),
        (
            "shape/circle.rs",
            "use core::fmt;\n\nuse super::Point;\nuse fmt::Write;\npub struct Circle(Point);\n",
        ),
        (
            "shape/point.rs",
            "// use super::Circle;\npub struct Point;\n\n#[cfg(test)]\nmod tests {\n    use crate::shape::Circle;\n}\n",
        ),
    ];
    assert!(circles_of(&files).is_empty(), "{:?}", circles_of(&files));
}

#[test]
fn circles_are_found_through_every_form_of_import() {
    let mod_rs =
        "mod circle;\nmod point;\npub use circle::{Circle, Made};\npub(crate) use point::{Line, Point};\n";
    for import in [
        "use super::Circle;",
        "use super::Made;",
        "use super::circle;",
        "use super::circle::{self};",
        "use crate::shape::{\n    Circle as Round,\n};",
        "use crate::{\n    other::Other,\n    shape::{Line, circle::Circle},\n};",
        "use super::super::shape::Circle;",
        "pub(crate) use crate::Circle;",
        "fn f() {\n    use super::circle::*;\n}",
    ] {
        let point = format!("{import}\npub struct Point;\npub struct Line;\n");
        let files = [
            ("main.rs", "mod shape;\nmod user;\nuse shape::Circle;\n"),
            ("shape/mod.rs", mod_rs),
            ("shape/circle.rs", "use super::Point;\npub(super) struct Circle(Point);\n"),
            ("shape/point.rs", &point),
            ("user.rs", "use crate::shape::Circle;\n"),
        ];
        let expected = [
            "crate::shape::circle imports crate::shape::point",
            "crate::shape::point imports crate::shape::circle",
        ];
        assert_eq!(circles_of(&files), expected, "{import}");
    }
    let parent = [
        ("a.rs", "mod b;\nuse self::b::B;\npub struct A(B);\n"),
        ("a/b.rs", "use super::A;\npub struct B;\n"),
    ];
    assert_eq!(circles_of(&parent), ["crate::a imports crate::a::b", "crate::a::b imports crate::a"]);
}
