//! Placeholder for warming the build.
fn main() {}
