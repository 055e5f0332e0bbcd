//! Capacities are const parameters of the storage types, and of nothing else.

use std::fs;
use std::path::Path;

use super::{code, is_test};
use crate::files::files_below;

/// Most const parameters of an `impl` outside of the storage types.
const MOST: usize = 2;

#[test]
fn only_storage_types_have_many_const_parameters() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut long = Vec::new();
    for file in files_below(&source, "rs") {
        let path = file.strip_prefix(&source).expect("below it");
        let is_storage = ["engine/server/storage", "engine/client/storage"]
            .iter()
            .any(|storage| path.starts_with(storage) || path.with_extension("") == Path::new(storage));
        if is_storage || is_test(path) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file");
        for header in long_headers(&code(&text)) {
            long.push(format!("{}: {header}", path.display()));
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// The `impl` headers with more than [`MOST`] const parameters, each in one line.
fn long_headers(code: &str) -> Vec<String> {
    code.match_indices("impl<")
        .filter_map(|(at, _)| code[at..].split('{').next())
        .map(|header| header.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|header| header.matches("const ").count() > MOST)
        .collect()
}

#[test]
fn long_headers_are_found() {
    let code = "impl<const A: usize, const B: usize> Small<A, B> {\n    const C: usize = 1;\n}\n\
        impl<\n    'a,\n    const A: usize,\n    const B: usize,\n    const C: u8,\n> Large<'a, A, B, C>\nwhere\n    \
        Self: Sized,\n{\n}\n";
    assert_eq!(long_headers(code).len(), 1);
    assert!(long_headers(code)[0].contains("Large<"));
}
