//! The guides are part of the documentation, so that their code runs with its tests.

use std::fs;
use std::path::{Path, PathBuf};

/// The Markdown files below it.
fn documents(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(documents(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found
}

#[test]
fn all_rust_in_the_documents_is_compiled() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guides = fs::read_to_string(repository.join("src/guides.rs")).expect("the guides");
    let mut with_code = 0;
    for document in documents(&repository.join("docs")) {
        let text = fs::read_to_string(&document).expect("a document");
        if !text.contains("```rust") {
            continue;
        }
        with_code += 1;
        let name = document.strip_prefix(repository).expect("below it").display();
        assert!(
            guides.contains(&format!("include_str!(\"../{name}\")")),
            "{name} is not in src/guides.rs"
        );
        // Text that only looks like Rust, or is not to be tested, has no place there.
        for untested in ["```rust,ignore", "```rust,compile_fail", "```ignore"] {
            assert!(!text.contains(untested), "{name}: {untested}");
        }
    }
    assert!(with_code > 0);
}
