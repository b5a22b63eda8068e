//! `copydesk run`: a task in this folder, without an editor.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use camino::Utf8PathBuf;
use copydesk_protocol::{
    ContentBlock, EditorContext, File, HunkState, Position, Range, TaskStartParams, TaskStartResult, methods,
};
use serde_json::{Value, json};

use super::Exit;
use super::arguments::{Decide, FileArgument, Output, RunArguments, asked_by_default};
use super::diff::{self, DiffLine};
use super::editor::{Editor, Interrupt};
use super::left_running;
use super::progress::{Progress, Stream};
use super::review::{Decider, Review, WentIn};
use super::tally::Tally;
use super::task::{Ended, Show, follow};
use super::terminal::{Look, Terminal, visible};
use crate::documents::{AbsPath, PathCase, Workspace, from_path, text_of};
use crate::models::wants_only_words;

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
    let mut editor = Editor::start(&folder, &overrides).await?;
    let started: TaskStartResult = editor.call(methods::TASK_START, task).await?;
    let mut show = match (arguments.output, arguments.decide) {
        (Output::Text, Decide::ShowOnly) => Show::Progress(Progress::new(Stream::Err)),
        (Output::Text, Decide::Ask | Decide::AcceptAll) => Show::progress(),
        (Output::Json, _) => Show::Nothing,
        (Output::StreamJson, _) => Show::Events,
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
            print(review.terminal, &file.diff);
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
                let diff = review.diff().await?;
                diff::print(review.terminal, &diff);
            }
            review.accept_all().await
        }
        Decide::Ask if text && review.terminal.interactive => {
            review.decide_each(Decider::Person, interrupt).await
        }
        Decide::Ask | Decide::ShowOnly => {
            if text {
                let diff = review.diff().await?;
                print(review.terminal, &diff);
            }
            if arguments.decide == Decide::ShowOnly {
                return Ok(Tally::default());
            }
            for File { uri, must_ask, held_back, .. } in files {
                if let Some(why) = must_ask.as_ref().or(held_back.as_ref()) {
                    let name = review.name_of(uri);
                    review.terminal.note(&visible(&format!("{name}: {why}")));
                }
            }
            let left = files.iter().map(|file| file.hunks.len().max(1)).sum();
            let names: Vec<String> = files.iter().map(|file| review.name_of(&file.uri)).collect();
            let changes =
                if left == 1 { "1 change is left".to_owned() } else { format!("{left} changes are left") };
            review.terminal.note(&visible(&format!(
                "Nobody is here to be asked, so {changes} in {}: run it at a terminal, or with --yes.",
                names.join(", ")
            )));
            Ok(Tally { left, ..Tally::default() })
        }
    }
}

/// In colour for a person, byte for byte for a program.
fn print(terminal: &mut Terminal, diff: &[DiffLine]) {
    if terminal.interactive {
        diff::print(terminal, diff);
    } else {
        diff::print_raw(terminal, diff);
    }
}

fn cancelled(went_in: &[WentIn]) -> String {
    if went_in.is_empty() {
        return "Cancelled; nothing was changed.".to_owned();
    }
    let names: Vec<&str> = went_in.iter().map(|went_in| went_in.name.as_str()).collect();
    visible(&format!(
        "Cancelled. What had gone in by then, as the permission mode says, stays: {}.",
        names.join(", ")
    ))
}

fn exit(ended: &Ended, files: &[File], tally: &Tally, decide: Decide) -> Exit {
    if tally.cancelled || ended.reason.starts_with("aborted") {
        Exit::Cancelled
    } else if !ended.is_success() {
        Exit::Failed
    } else if tally.not_applied > 0 {
        Exit::NotAllApplied
    } else if files.is_empty() || tally.accepted > 0 || decide == Decide::ShowOnly {
        Exit::Done
    } else {
        Exit::NothingApplied
    }
}

/// Whether a change was asked for and is not there: only the offline model's prompts can be told apart.
fn not_done(ended: &Ended, prompt: &str) -> bool {
    ended.offline && !ended.proposed && !wants_only_words(prompt)
}

/// The object of `--output json`, and the last one of `stream-json`: the files that were proposed as the protocol has them,
/// but for the state of each hunk, and of each file without one, which is what became of it.
fn report(ended: &Ended, lasted: Duration, files: Vec<File>, tally: &Tally) -> Value {
    let with_outcomes = |file: File| {
        let state = |name: &str, before: HunkState| match tally.outcomes.get(name) {
            Some(outcome) => json!(outcome),
            None => json!(before),
        };
        let states: Vec<Value> = file.hunks.iter().map(|hunk| state(&hunk.id, hunk.state)).collect();
        let whole = states.is_empty().then(|| state(&file.uri, HunkState::Pending));
        let mut file = json!(file);
        if let (Some(whole), Some(fields)) = (whole, file.as_object_mut()) {
            fields.insert("state".to_owned(), whole);
        }
        let hunks = file.get_mut("hunks").and_then(Value::as_array_mut);
        for (hunk, state) in hunks.into_iter().flatten().zip(states) {
            hunk["state"] = state;
        }
        file
    };
    json!({
        "type": "result",
        "subtype": subtype(ended),
        "isError": !ended.is_success(),
        "durationMs": u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX),
        "durationApiMs": ended.account.model_ms,
        "turns": ended.turns,
        "stopReason": ended.account.stop_reason,
        "usage": ended.usage,
        "cost": ended.cost,
        "modelUsage": by_model(ended),
        "sessionId": ended.session,
        "reason": ended.reason,
        "message": ended.message,
        "errors": ended.account.errors,
        "text": ended.text,
        "files": files.into_iter().map(with_outcomes).collect::<Vec<_>>(),
        "accepted": tally.accepted,
        "rejected": tally.rejected,
        "notApplied": tally.failed,
        "permissionDenials": ended.denials,
    })
}

/// Tokens by the name of the model.
fn by_model(ended: &Ended) -> serde_json::Map<String, Value> {
    ended.account.models.iter().map(|spent| (spent.model.clone(), json!(spent.usage))).collect()
}

/// How it ended, as programs tell ends apart: well, at a limit that somebody set, or by an error.
fn subtype(ended: &Ended) -> &'static str {
    match ended.reason.as_str() {
        _ if ended.is_success() => "success",
        "max_turns" => "error_max_turns",
        "budget_exhausted" => "error_max_budget_usd",
        _ => "error_during_execution",
    }
}

/// The prompt with its files. The first one is where the person stands.
fn task_of(arguments: &RunArguments, workspace: &Workspace) -> Result<TaskStartParams> {
    let mut prompt = vec![ContentBlock::Text { text: arguments.prompt.clone() }];
    let mut context = None;
    for file in &arguments.files {
        let (uri, range) = located(file, workspace)?;
        if context.is_none() {
            context = Some(EditorContext { uri: uri.clone(), range, diagnostics: Vec::new() });
        }
        prompt.push(ContentBlock::ResourceLink { uri, range });
    }
    Ok(TaskStartParams { session_id: None, prompt, context, mode: None, budget_tokens: None })
}

fn located(file: &FileArgument, workspace: &Workspace) -> Result<(String, Option<Range>)> {
    let resolved = |path: &str| workspace.resolve(path).with_context(|| format!("{path} is no path"));
    let path = resolved(&file.path)?;
    let whole = resolved(&file.written)?;
    if !path.as_path().exists() && whole.as_path().exists() {
        // Numbers behind a colon can be part of a name.
        let written = file.written.clone();
        return located(&FileArgument { path: written.clone(), written, lines: None }, workspace);
    }
    match std::fs::metadata(path.as_path()) {
        Ok(found) if found.is_file() => {}
        Ok(found) if found.is_dir() => bail!("{} is a folder: name a file in it", file.path),
        Ok(_) => bail!("{} is a pipe, a socket or a device, and no file to read", file.path),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!("{} is no file here", file.path),
        Err(error) => bail!("{} can't be read: {error}", file.path),
    }
    if !workspace.contains(&path) {
        bail!("{} lies outside this folder: start copydesk where the file is", file.path);
    }
    if let Some((_, last)) = file.lines {
        check_lines(file, &path, last)?;
    }
    let at = |line| Position { line, character: 0 };
    let range = file.lines.map(|(first, last)| Range { start: at(first - 1), end: at(last) });
    Ok((from_path(&path), range))
}

/// A file whose text can't be read is the task's to complain of.
fn check_lines(file: &FileArgument, path: &AbsPath, last: u32) -> Result<()> {
    let text = std::fs::read(path.as_path()).ok().and_then(|bytes| text_of(&bytes));
    let Some(text) = text else { return Ok(()) };
    // What follows the last line break is no line for a person.
    let lines = text.lines().count() - usize::from(text.to_string().ends_with(['\n', '\r']));
    if last as usize > lines.max(1) {
        let has = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
        bail!("{} has {has}: there is no line {last}", file.path);
    }
    Ok(())
}

fn working_folder() -> Result<AbsPath> {
    let folder = std::env::current_dir().context("the working folder can't be read")?;
    Utf8PathBuf::from_path_buf(folder)
        .ok()
        .and_then(AbsPath::new)
        .context("the name of the working folder is not UTF-8")
}

#[cfg(test)]
mod tests {
    use copydesk_protocol::{DecideOutcome, ModelUsage, TaskAccount, Usage};

    use super::*;
    use crate::config::Override;

    fn ended(reason: &str) -> Ended {
        let (session, reason) = ("s".to_owned(), reason.to_owned());
        let usage = Usage { input_tokens: 7, ..Usage::default() };
        let (text, message, cost, denials) = ("Done.".to_owned(), None, None, Vec::new());
        Ended {
            session,
            reason,
            message,
            text,
            denials,
            cancelled: false,
            offline: false,
            proposed: false,
            turns: 2,
            usage,
            cost,
            account: TaskAccount {
                model_ms: 900,
                models: vec![ModelUsage { model: "m".to_owned(), usage }],
                stop_reason: Some("end_turn".to_owned()),
                errors: Vec::new(),
            },
        }
    }

    fn file() -> File {
        serde_json::from_value(json!({
            "uri": "file:///w/a", "version": null, "kind": "modify", "binary": false, "sessionId": "s", "hunks": [],
        }))
        .unwrap()
    }

    #[test]
    fn the_report_tells_how_it_ended_and_what_it_took() {
        let report = |reason: &str| {
            report(&ended(reason), Duration::from_millis(1_500), Vec::new(), &Tally::default())
        };
        let told = report("completed");
        assert_eq!(
            (&told["type"], &told["subtype"], &told["isError"]),
            (&json!("result"), &json!("success"), &json!(false))
        );
        assert_eq!(
            (&told["turns"], &told["durationMs"], &told["text"]),
            (&json!(2), &json!(1_500), &json!("Done."))
        );
        assert_eq!(told["usage"]["inputTokens"], 7);
        assert_eq!(
            (&told["durationApiMs"], &told["stopReason"], &told["errors"]),
            (&json!(900), &json!("end_turn"), &json!([]))
        );
        assert_eq!(told["modelUsage"]["m"]["inputTokens"], 7);
        for (reason, subtype) in [
            ("hook_stopped", "success"),
            ("max_turns", "error_max_turns"),
            ("budget_exhausted", "error_max_budget_usd"),
            ("model_error", "error_during_execution"),
            ("prompt_too_long", "error_during_execution"),
        ] {
            assert_eq!(
                (report(reason)["subtype"].as_str(), report(reason)["isError"].as_bool()),
                (Some(subtype), Some(subtype != "success"))
            );
        }
    }

    #[test]
    fn exit_codes() {
        let none = Tally::default();
        let accepted = Tally { accepted: 1, rejected: 1, ..Tally::default() };
        let rejected = Tally { rejected: 2, ..Tally::default() };
        let failed = Tally { accepted: 1, not_applied: 1, ..Tally::default() };
        let check = |reason: &str, files: &[File], tally: &Tally, decide, want: Exit| {
            assert_eq!(exit(&ended(reason), files, tally, decide), want, "{reason} {tally:?} {decide:?}");
        };
        let files = [file()];
        check("completed", &files, &accepted, Decide::Ask, Exit::Done);
        check("completed", &[], &none, Decide::Ask, Exit::Done);
        check("completed", &files, &none, Decide::ShowOnly, Exit::Done);
        check("completed", &files, &rejected, Decide::Ask, Exit::NothingApplied);
        check("completed", &files, &none, Decide::Ask, Exit::NothingApplied);
        check("completed", &files, &failed, Decide::AcceptAll, Exit::NotAllApplied);
        check("model_error", &[], &none, Decide::Ask, Exit::Failed);
        check("hook_stopped", &[], &none, Decide::Ask, Exit::Done);
        check("aborted_streaming", &[], &none, Decide::Ask, Exit::Cancelled);
        let cancelled = Tally { cancelled: true, ..Tally::default() };
        check("completed", &files, &cancelled, Decide::Ask, Exit::Cancelled);
    }

    #[test]
    fn what_became_of_each_hunk_is_in_the_report() {
        let hunk = |id: &str| {
            json!({
                "id": id, "revision": 1, "index": 1, "count": 1, "removed": "a", "added": "b", "inline": [],
                "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
                "state": "pending", "reason": "r", "sessionId": "s",
            })
        };
        let mut file = json!(file());
        file["hunks"] = json!([hunk("h_1"), hunk("h_2")]);
        let files = vec![serde_json::from_value(file).unwrap()];
        let outcomes = [("h_1".to_owned(), DecideOutcome::Accepted)].into();
        let report = report(
            &ended("completed"),
            Duration::ZERO,
            files,
            &Tally { accepted: 1, outcomes, ..Tally::default() },
        );
        let hunks = report["files"][0]["hunks"].as_array().unwrap();
        let states: Vec<_> = hunks.iter().map(|hunk| &hunk["state"]).collect();
        assert_eq!(states, ["accepted", "pending"]);
        assert_eq!(report["accepted"], 1);
    }

    #[test]
    fn only_the_offline_model_is_known_to_have_been_asked_for_a_change() {
        let offline = Ended { offline: true, ..ended("completed") };
        assert!(not_done(&offline, "rename load to open"));
        assert!(not_done(&offline, "write me a poem"));
        assert!(!not_done(&offline, "explain src/a.rs"));
        assert!(!not_done(&ended("completed"), "rename load to open"));
    }

    #[test]
    fn files_become_links_and_the_first_is_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().to_str().unwrap()).unwrap();
        let workspace = Workspace::new(vec![root.clone()], false);
        std::fs::write(root.join("a b.rs").as_path(), "1\n2\n3\n4\n").unwrap();
        let argument = |path: &str, lines| FileArgument { written: path.into(), path: path.into(), lines };
        let arguments = |files| RunArguments {
            prompt: "do it".into(),
            files,
            decide: Decide::Ask,
            output: Output::Text,
            overrides: Vec::<Override>::new(),
        };
        let task = task_of(&arguments(vec![argument("a b.rs", Some((3, 4)))]), &workspace).unwrap();
        let at = |line| Position { line, character: 0 };
        let range = Some(Range { start: at(2), end: at(4) });
        let uri = format!("{}/a%20b.rs", from_path(&root));
        assert_eq!(task.prompt[1], ContentBlock::ResourceLink { uri: uri.clone(), range });
        assert_eq!(task.context.unwrap().uri, uri);
        let error = task_of(&arguments(vec![argument("a b.rs", Some((3, 5)))]), &workspace).unwrap_err();
        assert_eq!(error.to_string(), "a b.rs has 4 lines: there is no line 5");
        let error = task_of(&arguments(vec![argument("missing.rs", None)]), &workspace).unwrap_err();
        assert_eq!(error.to_string(), "missing.rs is no file here");
        std::fs::write(root.join("b:3").as_path(), "1\n").unwrap();
        std::fs::create_dir(root.join("sub").as_path()).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(root.join("pipe").as_path()).unwrap();
        let named = FileArgument { written: "b:3".into(), path: "b".into(), lines: Some((3, 3)) };
        let task = task_of(&arguments(vec![named]), &workspace).unwrap();
        assert_eq!(task.context.unwrap().uri, format!("{}/b:3", from_path(&root)), "a name with a colon");
        for (name, why) in
            [("sub", "is a folder: name a file in it"), ("pipe", "is a pipe, a socket or a device")]
        {
            let named = FileArgument { written: format!("{name}:3"), path: name.into(), lines: Some((3, 3)) };
            let error = task_of(&arguments(vec![named]), &workspace).unwrap_err();
            assert!(error.to_string().starts_with(&format!("{name} {why}")), "{error}");
        }
        let error = task_of(&arguments(vec![argument("/etc/hostname", None)]), &workspace).unwrap_err();
        assert!(error.to_string().contains("outside this folder"), "{error}");
    }
}
