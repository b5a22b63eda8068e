//! The program: a thin shell around the library.

use std::process::ExitCode;

use copydesk::{cli, wiring};

fn main() -> ExitCode {
    cli::main(std::env::args_os().skip(1), wiring::serve_stdio)
}
