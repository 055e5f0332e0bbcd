//! Tells the linker where the memory map is, and the logger what is logged.

fn main() {
    println!("cargo:rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bin=log-arm=-Tdefmt.x");
    println!("cargo:rustc-link-arg-bin=small-arm=-Tsmall.x");
    // Which messages `defmt` compiles in.
    println!("cargo:rustc-env=DEFMT_LOG=debug");
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rerun-if-changed=small.x");
}
