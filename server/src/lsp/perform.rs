//! Carries commands out. Everything that takes time goes on beside the handler, and whatever does not work out is said in a
//! message: some editors show no error of a command.

mod ask;
mod decide;
mod half_done;
mod redo;

pub(super) use half_done::tell as tell_half_done;

use std::sync::Arc;

use super::commands::{Command, Place};
use super::stage::Stage;
use super::surface::{self, ReviewFile};
use crate::conversation::TaskId;
use crate::editor::{Editor, Loudness, Position, Range};
use crate::permissions::{PermissionAnswer, PermissionMode, TrustBy};
use crate::review::Take;

/// Begins what `command` asks for and returns at once.
pub(super) fn perform(stage: &Stage, command: Command) {
    let stage = stage.clone();
    match command {
        Command::Ask { text, place, diagnostics } => ask::ask(stage, text, place, diagnostics),
        Command::AskForChange { hunk, text } => ask::ask_for_change(stage, hunk.into(), text),
        Command::Accept { what } => decide::accept(stage, what),
        Command::Reject { what, reason } => decide::reject(stage, what, reason),
        Command::Resolve { hunk, take: Take::Redo } => drop(tokio::spawn(redo::redo(stage, hunk.into()))),
        Command::Resolve { hunk, take } => decide::resolve(stage, hunk.into(), take),
        Command::TakeBack { files } => drop(tokio::spawn(half_done::take_back(stage, files))),
        Command::Claimed { hunks, place } => {
            decide::claimed(&stage, hunks.into_iter().map(Into::into).collect(), place);
        }
        Command::ShowDiff { place } => drop(tokio::spawn(show_diff(stage, place))),
        Command::GoTo { place } => go_to(&stage, &place),
        Command::OpenChat => stage.chat.show(None),
        Command::Send => stage.chat.send(),
        Command::Cancel { task } => cancel(&stage, task),
        Command::Answer { request, option } => answer(&stage, request, option),
        Command::SetMode { mode } => set_mode(&stage, &mode),
        Command::Trust { trusted } => trust(&stage, trusted),
    }
}

/// Says to the person what did not work out.
fn warn(stage: &Stage, text: impl std::fmt::Display) {
    stage.editor.show_message(Loudness::Warning, format!("Copydesk: {text}"));
}

async fn show_diff(stage: Stage, place: Option<Place>) {
    let view = stage.core.desk.settled().await;
    if view.files.is_empty() {
        return warn(&stage, "nothing is pending");
    }
    let drawn = {
        let (stage, view) = (stage.clone(), view.clone());
        tokio::task::spawn_blocking(move || stage.review_files.show(&view, &stage.core.workspace)).await
    };
    match drawn {
        Ok(Ok(file)) => show_review_file(&stage, &file, place.as_ref()),
        Ok(Err(error)) => warn(&stage, format!("the review file can't be written: {error}")),
        Err(error) => tracing::error!(%error, "drawing the review file"),
    }
}

fn show_review_file(stage: &Stage, file: &Arc<ReviewFile>, place: Option<&Place>) {
    stage.redraw();
    let Some(uri) = file.uri().filter(|_| stage.editor.features().show_document) else {
        return warn(stage, format!("the changes are in {}", stage.core.workspace.display(file.path())));
    };
    let line = place.and_then(|place| file.line_for(&place.path, place.start as usize));
    let range = line.and_then(|line| u32::try_from(line).ok()).map(at_line);
    stage.editor.show_document(uri.as_str().to_owned(), range);
}

fn go_to(stage: &Stage, place: &Place) {
    let open = stage.core.documents.open_document(&place.path).map(|document| document.uri);
    let uri = open.or_else(|| Some(surface::uri_of_path(&place.path)?.as_str().to_owned()));
    match uri.filter(|_| stage.editor.features().show_document) {
        Some(uri) => stage.editor.show_document(uri, Some(at_line(place.start))),
        None => warn(stage, format!("{}:{}", stage.core.workspace.display(&place.path), place.start + 1)),
    }
}

const fn at_line(line: u32) -> Range {
    Range::new(Position::new(line, 0), Position::new(line, 0))
}

fn cancel(stage: &Stage, task: Option<String>) {
    match task {
        None if stage.scene().running => stage.core.sessions.cancel_all(),
        Some(task) if stage.core.sessions.cancel(&TaskId(task.clone())) => {}
        Some(_) | None => warn(stage, "no such task is running"),
    }
}

/// Of the session that was begun last.
fn set_mode(stage: &Stage, written: &str) {
    let Some(mode) = PermissionMode::named(written) else {
        let names = PermissionMode::ALL.map(PermissionMode::name).join(", ");
        return warn(stage, format!("`{written}` is no mode; there are {names}"));
    };
    let sessions = &stage.core.sessions;
    let newest = sessions.list().pop();
    match newest.and_then(|session| sessions.set_mode(&session.session, mode)) {
        Some(Ok(())) => {
            stage.editor.show_message(Loudness::Info, format!("Copydesk: the mode is {written} now"));
        }
        Some(Err(why)) => warn(stage, why),
        None => warn(stage, "there is no session yet: the mode is one session's"),
    }
}

fn trust(stage: &Stage, trusted: bool) {
    let word = if trusted { "trusted" } else { "not trusted any more" };
    match stage.core.rules.set_trust(trusted) {
        Ok(()) => {
            stage
                .editor
                .show_message(Loudness::Info, format!("Copydesk: the settings of this folder are {word}"));
        }
        Err(why) => return warn(stage, why),
    }
    // They may ask for something by now that the person was not told of.
    if let Some(waiting) = stage.core.rules.newly_waiting(TrustBy::Command).filter(|_| trusted) {
        warn(stage, waiting);
    }
}

/// Answers a permission question by the id of one of its options.
fn answer(stage: &Stage, request: Option<String>, option: String) {
    let open = stage.core.sessions.open_questions();
    let question = match &request {
        Some(id) => open.iter().find(|(_, question)| question.id == *id),
        None => open.first(),
    };
    let Some((_, question)) = question else {
        return warn(stage, "that question is not open any more");
    };
    if !question.options.iter().any(|offered| offered.id == option) {
        let offered: Vec<_> = question.options.iter().map(|option| option.id.as_str()).collect();
        return warn(stage, format!("`{option}` is no answer to that; there are {}", offered.join(", ")));
    }
    if !stage.answers.answer(&question.id, PermissionAnswer::of(option)) {
        warn(stage, "that question is not open any more");
    }
}
