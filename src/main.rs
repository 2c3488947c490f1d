//! The binary: everything it does is in the library's `cli`.

fn main() {}
