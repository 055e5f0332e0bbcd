//! Links `entry` and what it reaches.

fn main() {
    println!("cargo:rustc-link-arg-bins=-eentry");
    println!("cargo:rustc-link-arg-bins=--gc-sections");
}
