//! Every input in `fuzz/corpus` and `fuzz/regressions`, through the property of its target.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::properties::TARGETS;

#[test]
fn every_input_holds() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    if !fuzz.exists() {
        // A published package comes without it.
        return;
    }
    for (target, property) in TARGETS {
        let inputs = [fuzz.join("corpus").join(target), fuzz.join("regressions").join(target)];
        let inputs: Vec<PathBuf> = inputs.iter().flat_map(|directory| files_in(directory)).collect();
        assert!(!inputs.is_empty(), "no input for {target}");
        for input in inputs {
            println!("{}", input.display());
            property(&fs::read(&input).expect("an input"));
        }
    }
}

/// None where there is no such directory.
fn files_in(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}
