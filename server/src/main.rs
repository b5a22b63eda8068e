//! The program: a thin shell around the library.

use std::process::ExitCode;

use copydesk::wiring;

fn main() -> ExitCode {
    wiring::serve_stdio()
}
