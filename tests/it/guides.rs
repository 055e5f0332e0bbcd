//! The guides are part of the documentation, so that their code runs with its tests.

use std::fs;
use std::path::Path;

use crate::files::files_below;

#[test]
fn all_rust_in_the_documents_is_compiled() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guides = fs::read_to_string(repository.join("src/guides.rs")).expect("the guides");
    let http = fs::read_to_string(repository.join("http/src/lib.rs")).unwrap_or_default();
    let mut with_code = 0;
    for document in files_below(&repository.join("docs"), "md") {
        let text = fs::read_to_string(&document).expect("a document");
        if !text.contains("```rust") {
            continue;
        }
        with_code += 1;
        let name = document.strip_prefix(repository).expect("below it").display();
        assert!(guides.contains(&format!("include_str!(\"../{name}\")")), "{name} is not in src/guides.rs");
        if name.to_string() == "docs/guides/http.md" {
            // The published package of the core has no other packages.
            assert!(http.is_empty() || http.contains("include_str!(\"../../docs/guides/http.md\")"));
        }
        // Text that only looks like Rust, or is not to be tested, has no place there.
        for untested in ["```rust,ignore", "```rust,compile_fail", "```ignore"] {
            assert!(!text.contains(untested), "{name}: {untested}");
        }
    }
    assert!(with_code > 0);
}
