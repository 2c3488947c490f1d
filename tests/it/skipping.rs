//! Tests that need what is not installed.

use std::io::Write;

/// Says in one line what is skipped and why. Written directly, because the test harness captures `eprintln!`.
pub fn skip(what: &str) {
    writeln!(std::io::stderr(), "skipped: {what}").expect("told");
}
