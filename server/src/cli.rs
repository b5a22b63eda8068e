//! The command line: what `copydesk` does when a person runs it.

mod answer_text;
mod arguments;
mod buffers;
mod client;
mod config;
mod diff;
mod doctor;
mod editor;
mod help;
mod left_running;
mod patch;
mod progress;
mod question;
mod review;
mod run;
mod sample;
mod setup;
mod tally;
mod task;
mod temporary;
mod terminal;
mod try_it;

use std::ffi::OsString;
use std::future::Future;
use std::io::IsTerminal;
use std::process::ExitCode;

pub use editor::EDITOR_NAME;

use arguments::{About, Invocation, Topic, UsageError, missing_folder};
use terminal::Terminal;

use crate::config::Override;

/// What a script can tell apart. `help.rs` explains them to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    /// The task failed, or something is wrong with the installation.
    Failed,
    Usage,
    /// There were changes, and none was applied.
    NothingApplied,
    /// Something accepted could not be applied.
    NotAllApplied,
    /// The offline model was asked for a change and has proposed none.
    NotDone,
    /// By Ctrl-C, as shells number it.
    Cancelled,
}

impl Exit {
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NothingApplied => 3,
            Self::NotAllApplied => 4,
            Self::NotDone => 5,
            Self::Cancelled => 130,
        }
    }
}

/// Runs the program with `arguments` (without its own name). `serve` is the language server: it is what runs when an editor
/// is at the other end of stdin.
pub fn main(
    arguments: impl IntoIterator<Item = OsString>,
    serve: impl FnOnce(Vec<Override>) -> ExitCode,
) -> ExitCode {
    let stdin_is_terminal = std::io::stdin().is_terminal();
    match arguments::parse(arguments, stdin_is_terminal) {
        Ok(Invocation::Serve { overrides }) => serve(overrides),
        Ok(invocation) => {
            if let Some(UsageError { message, topic }) = unusable(&invocation) {
                return wrong_usage(&message, topic);
            }
            let mut terminal = Terminal::of_process();
            let mut exit = dispatch(invocation, &mut terminal);
            if let Some(cause) = terminal.lost_output() {
                terminal.error(&format!("the output is not complete: {cause}"));
                exit = if exit == Exit::Done { Exit::Failed } else { exit };
            }
            ExitCode::from(exit.code())
        }
        Err(UsageError { message, topic }) => wrong_usage(&message, topic),
    }
}

fn wrong_usage(message: &str, topic: Topic) -> ExitCode {
    Terminal::of_process().error(&format!("{message}\nTry `{}`.", help::command(topic)));
    ExitCode::from(Exit::Usage.code())
}

/// What only a look at this machine shows to be wrong in the arguments. An editor's server is not kept from starting by it.
fn unusable(invocation: &Invocation) -> Option<UsageError> {
    let (overrides, topic) = match invocation {
        Invocation::Run(arguments) => (&arguments.overrides, Topic::Run),
        Invocation::Try { overrides } => (overrides, Topic::Try),
        Invocation::Doctor { overrides, .. } => (overrides, Topic::Doctor),
        Invocation::Config { overrides } => (overrides, Topic::Config),
        Invocation::Serve { .. }
        | Invocation::Help { .. }
        | Invocation::Version
        | Invocation::Setup { .. } => {
            return None;
        }
    };
    // A shell leaves `~` in `--add-dir=~/lib` alone; the rules know it.
    let is_folder = |folder: &str| folder.starts_with("~/") || std::path::Path::new(folder).is_dir();
    missing_folder(overrides, is_folder).map(|error| UsageError { topic, ..error })
}

fn dispatch(invocation: Invocation, terminal: &mut Terminal) -> Exit {
    match invocation {
        // Served before this is asked.
        Invocation::Serve { .. } => Exit::Done,
        Invocation::Help { topic } => {
            terminal.print(help::text(topic));
            Exit::Done
        }
        Invocation::Version => {
            terminal.line(&format!("copydesk {}", env!("CARGO_PKG_VERSION")));
            Exit::Done
        }
        Invocation::Config { overrides } => config::show(terminal, &overrides),
        Invocation::Doctor { overrides, about: About::Installation } => {
            block_on(terminal, |terminal| doctor::doctor(terminal, overrides))
        }
        Invocation::Doctor { overrides, about: About::Model } => {
            block_on(terminal, |terminal| doctor::examine_model(terminal, overrides))
        }
        Invocation::Setup { editor, languages } => setup::setup(terminal, editor, &languages),
        Invocation::Try { overrides } => block_on(terminal, |terminal| try_it::try_it(terminal, overrides)),
        Invocation::Run(arguments) => block_on(terminal, |terminal| run::run(terminal, arguments)),
    }
}

/// An error that reaches here is one line for the person.
fn block_on<'t, F: Future<Output = anyhow::Result<Exit>>>(
    terminal: &'t mut Terminal,
    work: impl FnOnce(&'t mut Terminal) -> F,
) -> Exit {
    let mut errors = Terminal::of_process();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            errors.error(&format!("the runtime can't be started: {error}"));
            return Exit::Failed;
        }
    };
    let ended = runtime.block_on(work(terminal));
    // A thread that still waits for a key must not hold the process.
    runtime.shutdown_background();
    ended.unwrap_or_else(|error| {
        errors.error(&format!("{error:#}"));
        Exit::Failed
    })
}
