//! `copydesk run`: a task in this folder, without an editor.

mod outcome;
mod prompt;

use std::time::Instant;

use anyhow::{Context, Result, bail};
use camino::Utf8PathBuf;
use copydesk_protocol::{File, TaskStartResult, methods};

use self::outcome::{exit, not_done, report};
use self::prompt::task_of;
use super::Exit;
use super::arguments::{Decide, Output, RunArguments, asked_by_default};
use super::config::places;
use super::editor::{Editor, Interrupt};
use super::left_running;
use super::progress::{Progress, Stream};
use super::review::{Decider, Review, WentIn};
use super::tally::Tally;
use super::task::{Show, follow};
use super::terminal::{Look, Terminal, told};
use crate::config::{MissingModel, Override, ProviderKind, choose_model, load, missing_model};
use crate::documents::{AbsPath, PathCase, Workspace};
use crate::models::{provider, wants_only_words};

pub(super) async fn run(terminal: &mut Terminal, arguments: RunArguments) -> Result<Exit> {
    let folder = working_folder()?;
    let workspace = Workspace::new(vec![folder.clone()], PathCase::usual() == PathCase::Insensitive);
    let task = task_of(&arguments, &workspace)?;
    let begun = Instant::now();
    let mut interrupt = Interrupt::listen()?;
    let overrides = match arguments.decide {
        Decide::ShowOnly => asked_by_default(arguments.overrides.clone()),
        Decide::Ask | Decide::AcceptAll => arguments.overrides.clone(),
    };
    refuse_missing_model(&overrides).await?;
    let mut editor = Editor::start(&folder, &overrides).await?;
    let started: TaskStartResult = editor.call(methods::TASK_START, task).await?;
    let stream = if arguments.decide == Decide::ShowOnly { Stream::Err } else { Stream::Out };
    let progress = Progress::new(stream);
    let mut show = match arguments.output {
        Output::Text if wants_only_words(&arguments.prompt) => Show::Progress(progress),
        Output::Text => Show::Progress(progress.for_a_change()),
        Output::Json => Show::Nothing,
        Output::StreamJson => Show::Events,
    };
    let ended = follow(&mut editor, terminal, &mut interrupt, Some(started.task_id), &mut show).await?;
    let lasted = begun.elapsed();
    if ended.given_up() {
        editor.close().await;
        terminal.note("Cancelled; the server was not waited for.");
        return Ok(Exit::Cancelled);
    }
    if !ended.cancelled {
        left_running::end(&mut editor, terminal, &started.session_id).await?;
    }
    let mut review =
        Review { editor: &mut editor, terminal, workspace: &workspace, session: &started.session_id };
    let went_in = review.went_in().await?;
    if ended.cancelled {
        review.terminal.note(&cancelled(&went_in));
        editor.close().await;
        return Ok(Exit::Cancelled);
    }
    if !went_in.is_empty() && arguments.output == Output::Text {
        let heading = "\nThese changes went in, as the permission mode says:";
        review.terminal.styled(Look::Heading, heading);
        for file in &went_in {
            let _ = review.print(&file.file, &file.texts);
        }
    }
    let mut files = review.files().await?;
    if !went_in.is_empty() && !files.is_empty() && arguments.output == Output::Text {
        review.terminal.styled(Look::Heading, "\nThese wait for a decision:");
    }
    let mut tally = Tally::of_accepted(went_in.iter().map(|went_in| &went_in.file));
    tally.add(decide(&mut review, &files, &arguments, &mut interrupt).await?);
    files.splice(..0, went_in.into_iter().map(|went_in| went_in.file));
    match arguments.output {
        Output::Json | Output::StreamJson => {
            terminal.line(&report(&ended, lasted, files.clone(), &tally).to_string());
        }
        // That nobody was there to decide is told by then.
        Output::Text if tally.is_all_left() && !terminal.interactive => {}
        Output::Text if tally != Tally::default() => terminal.styled(Look::Heading, &tally.words()),
        Output::Text => {}
    }
    editor.close().await;
    let exit = exit(&ended, &files, &tally, arguments.decide);
    Ok(if exit == Exit::Done && files.is_empty() && not_done(&ended, &arguments.prompt) {
        Exit::NotDone
    } else {
        exit
    })
}

/// Who named a model does not want the files changed by another, least of all by one that is no language model.
async fn refuse_missing_model(overrides: &[Override]) -> Result<()> {
    let settings = load(&places(overrides)).settings;
    let choice = choose_model(&settings);
    let Some(missing) = missing_model(&settings) else { return Ok(()) };
    if choice.bar.is_some() || !matches!(choice.provider, ProviderKind::Local | ProviderKind::Offline) {
        return Ok(());
    }
    let again = choice.clone();
    let provider = provider(choice, move || again.clone());
    provider.settled().await;
    if provider.info().offline {
        let MissingModel { what, step } = missing;
        bail!("{what}. To go on, {step}");
    }
    Ok(())
}

async fn decide(
    review: &mut Review<'_>,
    files: &[File],
    arguments: &RunArguments,
    interrupt: &mut Interrupt,
) -> Result<Tally> {
    if files.is_empty() {
        return Ok(Tally::default());
    }
    let text = arguments.output == Output::Text;
    match arguments.decide {
        Decide::AcceptAll => {
            if text {
                review.print_all().await?;
            }
            review.accept_all().await
        }
        Decide::Ask if text && review.terminal.interactive => {
            review.decide_each(Decider::Person, interrupt).await
        }
        Decide::Ask | Decide::ShowOnly => {
            if text {
                for lack in review.print_all().await? {
                    review.terminal.note(&told(&lack));
                }
            }
            if arguments.decide == Decide::ShowOnly {
                return Ok(Tally::default());
            }
            for File { uri, must_ask, held_back, .. } in files {
                if let Some(why) = must_ask.as_ref().or(held_back.as_ref()) {
                    let name = review.name_of(uri);
                    review.terminal.note(&told(&format!("{name}: {why}")));
                }
            }
            let left = files.iter().map(File::changes).sum();
            let names: Vec<String> = files.iter().map(|file| review.name_of(&file.uri)).collect();
            let changes =
                if left == 1 { "1 change is left".to_owned() } else { format!("{left} changes are left") };
            review.terminal.note(&told(&format!(
                "Nobody is here to be asked, so {changes} in {}: run it at a terminal, or with --yes.",
                names.join(", ")
            )));
            Ok(Tally { left, ..Tally::default() })
        }
    }
}

fn cancelled(went_in: &[WentIn]) -> String {
    if went_in.is_empty() {
        return "Cancelled; nothing was changed.".to_owned();
    }
    let names: Vec<&str> = went_in.iter().map(|went_in| went_in.name.as_str()).collect();
    told(&format!(
        "Cancelled. What had gone in by then, as the permission mode says, stays: {}.",
        names.join(", ")
    ))
}

fn working_folder() -> Result<AbsPath> {
    let folder = std::env::current_dir().context("the working folder can't be read")?;
    Utf8PathBuf::from_path_buf(folder)
        .ok()
        .and_then(AbsPath::new)
        .context("the name of the working folder is not UTF-8")
}
