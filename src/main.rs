//! Entry point of the binary, which calls the library's `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    frontdesk::cli::main()
}
