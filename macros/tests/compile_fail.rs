//! The errors that a user sees. `TRYBUILD=overwrite cargo test -p barewire-macros --test compile_fail` records them.

use std::env;
use std::io::{self, Write};
use std::process::Command;

/// The compiler whose errors are recorded: another one lays them out in another way.
const RECORDED_WITH: &str = "rustc 1.95.";

#[test]
fn errors_name_the_thing_and_the_remedy() {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output().expect("a compiler");
    let version = String::from_utf8_lossy(&version.stdout);
    if !version.starts_with(RECORDED_WITH) {
        // Past the harness, which keeps the output of a test that passes.
        let _ =
            writeln!(io::stderr(), "SKIPPED: the errors are those of {RECORDED_WITH}x, this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/fail/*.rs");
}
