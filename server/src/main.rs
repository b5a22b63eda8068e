//! The program: a thin shell around the library.

use std::process::ExitCode;

use copydesk::{cli, shell, wiring};

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(exit) = shell::run_if_asked(std::env::args_os().skip(1)) {
        return exit;
    }
    cli::main(std::env::args_os().skip(1), wiring::serve_stdio)
}
