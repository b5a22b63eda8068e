//! What the model and the editor are told of a command.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::{ToolResult, ToolUseContext};
use super::changes::{Told, What};
use crate::conversation::ToolResultContent;
use crate::documents::AbsPath;
use crate::permissions::is_tracked;
use crate::review::{Bits, ComesIn, HunkId, ModeChange, Proposed, WholeBytes, WholeFile};
use crate::shell::command::is_benign_exit;
use crate::shell::{Exit, Ground, How, Notice, Outcome, Shown, Task, TrialMode, WallKind};

/// Why a command goes on without anybody waiting for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    Started,
    MovedToBackground(Duration),
}

/// Changed files that are named.
const NAMED: usize = 60;

/// Files that the command had otherwise than they are.
pub(super) struct Apart<'a> {
    /// Their pending text it could not see.
    pub(super) unseen: &'a [String],
    /// A rule keeps them from it.
    pub(super) hidden: &'a [AbsPath],
}

/// `limit`: the time it had, if somebody waited for it.
pub(super) fn report(
    context: &ToolUseContext,
    task: &Task,
    outcome: &Outcome,
    changes: &[Told],
    apart: &Apart<'_>,
    limit: Option<Duration>,
) -> ToolResult {
    let (ending, failed) = ending(task, outcome, limit);
    let shown = task.shown(if failed { task.caps().failed } else { task.caps().whole });
    let moved = context.shell.settle(outcome.cwd.as_deref());
    let parts = [
        ending,
        Some(shown.text.clone()).filter(|text| !text.is_empty()),
        shown.lossy.then(|| "(Bytes that are no UTF-8 are shown as U+FFFD.)".to_owned()),
        moved.map(|folder| format!("Shell cwd was reset to {folder}")),
        kept_from_it(context, task.command(), &shown.text, apart.hidden),
        list("It changed:", changes),
        place(task.ground(), apart.unseen),
    ];
    let text =
        parts.into_iter().flatten().map(|part| part.trim_end().to_owned()).collect::<Vec<_>>().join("\n");
    let data = data(task, outcome, &shown, changes);
    let notes = left_behind(changes).into_iter().collect();
    ToolResult { content: vec![ToolResultContent::Text(text)], data, failed, notes, ..ToolResult::default() }
}

/// A command that goes on.
pub(super) fn running(task: &Task, how: Report) -> ToolResult {
    let id = task.id();
    let place = task.save().map(|path| format!(" Its output goes to {path}.")).unwrap_or_default();
    let begun = match how {
        Report::Started => format!("The command runs in the background as {id}."),
        Report::MovedToBackground(limit) => format!(
            "The command was still running after {} s and goes on in the background as {id}.",
            limit.as_secs_f64()
        ),
    };
    let so_far = match how {
        Report::Started => String::new(),
        Report::MovedToBackground(_) => {
            format!("\nUp to now it wrote:\n{}", task.shown(task.caps().failed).text)
        }
    };
    let text = format!("{begun}{place} You are told when it ends; TaskOutput shows what it writes.{so_far}");
    let data = json!({ "backgroundTaskId": id, "interrupted": false, "mode": mode(task.ground()) });
    ToolResult { data, ..ToolResult::text(text) }
}

/// What the model is told when a command in the background has ended.
pub(super) fn notice(task: &Task, ended: ToolResult) -> Notice {
    let texts = ended.content.iter().filter_map(|content| match content {
        ToolResultContent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let text = format!("The background command {} (`{}`) has ended.\n{text}", task.id(), task.command());
    Notice { text, notes: ended.notes }
}

/// What the model is told of what commands in the background have changed before they end.
pub(super) fn up_to_now(running: &[Arc<Task>], changes: &[Told]) -> Notice {
    let names: Vec<String> =
        running.iter().map(|task| format!("{} (`{}`)", task.id(), task.command())).collect();
    let list = list("Up to now that has changed:", changes).unwrap_or_default();
    let text = format!("Still running in the background: {}.\n{list}", names.join(", "));
    Notice { text, notes: left_behind(changes).into_iter().collect() }
}

/// What the model is told of the changes of a command that was cancelled, if there can be any.
pub(super) fn undone(context: &ToolUseContext, task: &Task, outcome: &Outcome) -> Option<String> {
    let names = outcome.changes.iter().filter_map(|change| AbsPath::new(&change.path));
    let names: Vec<String> = names.take(NAMED).map(|path| context.workspace.display(&path)).collect();
    let changed = match (task.ground().mode, names.as_slice()) {
        (TrialMode::Direct | TrialMode::Real, _) => {
            "It ran on the user's files themselves: look at what it has changed there.".to_owned()
        }
        (TrialMode::Overlay | TrialMode::Copy, []) => return None,
        (TrialMode::Overlay | TrialMode::Copy, names) => {
            format!("What it had changed by then was undone and is not proposed: {}.", names.join(", "))
        }
    };
    Some(format!("The command `{}` was cancelled. {changed}", task.command()))
}

/// The same, where another command runs on, whose changes they may be.
pub(super) fn cancelled_beside_others(task: &Task, changes: &[Told]) -> Notice {
    let intro = "By it, or by one that runs in the background, that had changed by then:";
    let list = list(intro, changes).unwrap_or_default();
    let text = format!("The command `{}` was cancelled. {list}", task.command());
    Notice { text, notes: left_behind(changes).into_iter().collect() }
}

/// How it ended, if that has to be said, and whether it counts as an error.
fn ending(task: &Task, outcome: &Outcome, limit: Option<Duration>) -> (Option<String>, bool) {
    match &outcome.how {
        How::Exited(Exit::Code(0)) => (None, false),
        How::Exited(exit) if is_benign_exit(task.command(), exit.code()) => {
            (Some(format!("Exit code {}", exit.code())), false)
        }
        How::Exited(Exit::Code(code)) => (Some(format!("Exit code {code}")), true),
        How::Exited(Exit::Signal(signal)) => (Some(format!("It was killed by signal {signal}.")), true),
        How::Stopped => {
            let why = match limit {
                Some(limit) if outcome.took >= limit => {
                    format!("It was stopped after {} s, its time limit.", limit.as_secs_f64())
                }
                Some(_) | None => "It was stopped.".to_owned(),
            };
            (Some(why), true)
        }
        How::Flood => (Some("It was stopped because it wrote more than a command may.".to_owned()), true),
        How::Refused(refusal) => (Some(format!("The command could not be run: {refusal}.")), true),
    }
}

/// That what the output says of files which the command can't read is not so. Git in particular takes a file that it can't
/// read for a changed one.
fn kept_from_it(context: &ToolUseContext, command: &str, output: &str, hidden: &[AbsPath]) -> Option<String> {
    let is_apart = |c: char| !(c.is_alphanumeric() || "._-/".contains(c));
    let asks_git = command.split(is_apart).any(|word| word == "git" || word.ends_with("/git"));
    let is_named = |path: &AbsPath, name: &str| {
        let ends = |word: &str| word == name || word.ends_with(&format!("/{name}")) || word == path.as_str();
        output.split(is_apart).any(|word| ends(word) || word == path.file_name())
    };
    let names = hidden.iter().filter_map(|path| {
        let name = context.workspace.display(path);
        (is_named(path, &name) || asks_git && is_tracked(path)).then_some(name)
    });
    let names: Vec<String> = names.take(NAMED).collect();
    (!names.is_empty()).then(|| {
        format!(
            "(Rules keep commands from reading {}: what is said of that above, by git too, is not so. To a command it is \
             empty or not there, whatever it holds.)",
            names.join(", ")
        )
    })
}

fn list(intro: &str, changes: &[Told]) -> Option<String> {
    if changes.is_empty() {
        return None;
    }
    let mut text = intro.to_owned();
    for Told { path, what, must_ask } in changes.iter().take(NAMED) {
        let mut line = match what {
            What::Created(proposed) => format!("{path}: new, {}", fate(proposed)),
            What::Changed(proposed) => format!("{path}: changed, {}", fate(proposed)),
            What::Deleted(proposed) => format!("{path}: deleted, {}", fate(proposed)),
            What::Whole(whole) => format!("{path}: {}, pending review as a whole", in_words(whole)),
            What::AsOnDisk => format!("{path}: as it is on disk again, so nothing of that is pending"),
            What::NotProposed(why) => format!("{path}: {why}"),
        };
        if let Some(why) = must_ask {
            let _ = write!(line, "; the user is asked about it in any mode: {why}");
        }
        let _ = write!(text, "\n- {line}");
    }
    if changes.len() > NAMED {
        let _ = write!(text, "\n- and {} more files", changes.len() - NAMED);
    }
    if changes.iter().any(|told| matches!(told.what, What::NotProposed(_))) {
        text.push_str("\nThe user is told of what was not proposed.");
    }
    Some(text)
}

/// What a command did that does not come to the person as a change, for the person; `None`: nothing.
fn left_behind(changes: &[Told]) -> Option<String> {
    let lines: Vec<String> = changes
        .iter()
        .filter_map(|told| match &told.what {
            What::NotProposed(why) => Some(format!("{}: {why}", told.path)),
            What::Created(_) | What::Changed(_) | What::Deleted(_) | What::Whole(_) | What::AsOnDisk => None,
        })
        .collect();
    let more = lines.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let named = lines.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    (!lines.is_empty())
        .then(|| format!("Not all that the command did comes to you as a change. {named}{more}."))
}

/// What became of bytes and permissions.
fn in_words(whole: &WholeFile) -> String {
    let bytes = whole.bytes.map(|bytes| match bytes {
        WholeBytes::Made { size } => format!("new, {} that are no text to review", count(size)),
        WholeBytes::Changed { from, to } => {
            format!("changed, {} in place of {from}, no text to review", count(to))
        }
        WholeBytes::Deleted { from } => format!("deleted, {}", count(from)),
    });
    let mode = whole.mode.map(|ModeChange { from, to }| match from {
        Some(from) => format!("permissions {} in place of {from:03o}", Bits(to)),
        None => format!("permissions {}", Bits(to)),
    });
    let parts: Vec<String> = [bytes, mode].into_iter().flatten().collect();
    parts.join(", ")
}

fn count(bytes: u64) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

/// Whether it waits for the user, and under which names.
fn fate(proposed: &Proposed) -> String {
    match &proposed.comes_in {
        ComesIn::Nothing => format!("pending review{}", named(&proposed.hunks)),
        ComesIn::All => format!("accepted as it comes{}", named(&proposed.hunks)),
        ComesIn::Some(accepted) => {
            let waits = proposed.hunks.iter().filter(|hunk| !accepted.contains(hunk)).cloned();
            let waits: Vec<HunkId> = waits.collect();
            format!("accepted as it comes{}, the rest pending review{}", named(accepted), named(&waits))
        }
    }
}

fn named(hunks: &[HunkId]) -> String {
    let names: Vec<&str> = hunks.iter().map(|hunk| hunk.0.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
}

fn data(task: &Task, outcome: &Outcome, shown: &Shown, changes: &[Told]) -> Value {
    let (exit, interrupted) = match &outcome.how {
        How::Exited(exit) => (Some(exit.code()), false),
        How::Stopped | How::Flood => (None, true),
        How::Refused(_) => (None, false),
    };
    let changes: Vec<Value> = changes
        .iter()
        .map(|told| {
            let (kind, hunks) = match &told.what {
                What::Created(proposed) => ("create", proposed.hunks.as_slice()),
                What::Changed(proposed) => ("update", proposed.hunks.as_slice()),
                What::Deleted(proposed) => ("delete", proposed.hunks.as_slice()),
                What::Whole(whole) => (kind_of(whole), [].as_slice()),
                What::AsOnDisk => ("undone", [].as_slice()),
                What::NotProposed(_) => ("other", [].as_slice()),
            };
            let hunks: Vec<&str> = hunks.iter().map(|hunk| hunk.0.as_str()).collect();
            json!({ "path": told.path, "type": kind, "hunks": hunks })
        })
        .collect();
    let mut data = json!({
        "stdout": shown.text, "stderr": "", "interrupted": interrupted, "exitCode": exit,
        "mode": mode(task.ground()), "durationMs": outcome.took.as_millis() as u64, "changes": changes,
    });
    if let (Some(saved), Some(fields)) = (&shown.saved, data.as_object_mut()) {
        fields.insert("persistedOutputPath".to_owned(), json!(saved.as_str()));
        fields.insert("persistedOutputSize".to_owned(), json!(shown.total));
    }
    data
}

fn kind_of(whole: &WholeFile) -> &'static str {
    match whole.bytes {
        Some(WholeBytes::Made { .. }) => "create",
        Some(WholeBytes::Changed { .. }) => "update",
        Some(WholeBytes::Deleted { .. }) => "delete",
        None => "mode",
    }
}

/// What it ran on, and why on nothing better.
fn mode(ground: &Ground) -> Value {
    let walls = match ground.walls {
        WallKind::Namespaces => "namespaces",
        WallKind::Rights => "rights",
        WallKind::Open => "none",
    };
    let mut mode = json!({ "trialTree": ground.mode.name(), "sandbox": walls });
    if let (Some(why), Some(fields)) = (&ground.why, mode.as_object_mut()) {
        fields.insert("why".to_owned(), json!(why));
    }
    mode
}

/// What the model has to know of a place that is not the usual one.
fn place(ground: &Ground, unseen: &[String]) -> Option<String> {
    let why = ground.why.as_deref().unwrap_or("it was asked for");
    match (ground.mode, ground.walls) {
        (TrialMode::Overlay, _) | (TrialMode::Copy, WallKind::Namespaces) => None,
        (TrialMode::Copy, WallKind::Rights | WallKind::Open) => {
            Some(format!("(It ran in a copy of the workspace, in another folder, because: {why}.)"))
        }
        (TrialMode::Direct | TrialMode::Real, _) => {
            let unseen = if unseen.is_empty() {
                String::new()
            } else {
                format!(" It did not see what is pending in {}.", unseen.join(", "))
            };
            Some(format!("(It ran on the user's files themselves, because: {why}.{unseen})"))
        }
    }
}
