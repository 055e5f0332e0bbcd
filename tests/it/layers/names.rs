//! A public type has its name to itself, so that `use` needs no renaming.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{code, is_test};
use crate::files::files_below;

#[test]
fn no_two_public_types_share_a_name() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files_below(&source, "rs") {
        let path = file.strip_prefix(&source).expect("below it");
        if is_test(path) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file");
        for name in public_types(&code(&text)) {
            places.entry(name.to_owned()).or_default().push(path.display().to_string());
        }
    }
    assert!(places.len() > 100, "types are found");
    places.retain(|_, files| files.len() > 1);
    assert!(places.is_empty(), "{places:#?}");
}

/// Names of the types and traits that are declared `pub`.
fn public_types(code: &str) -> Vec<&str> {
    let declared = |line| {
        let (kind, rest) = str::trim_start(line).strip_prefix("pub ")?.split_once(' ')?;
        let is_type = ["struct", "enum", "trait", "union"].contains(&kind);
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        // A macro's type has its name from a variable.
        (is_type && end > 0).then(|| &rest[..end])
    };
    code.lines().filter_map(declared).collect()
}

#[test]
fn public_types_are_found() {
    let code = "pub struct A<'a> {\n    pub b: B,\n}\n    pub enum C {\npub trait D: E {}\npub(crate) struct F;\npub struct G(u8);\n";
    assert_eq!(public_types(code), ["A", "C", "D", "G"]);
}
